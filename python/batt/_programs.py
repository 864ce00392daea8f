"""Programs: parsed once, called like functions."""

import html
import os
from collections.abc import Sequence
from functools import cached_property

from . import _batt
from ._errors import FileError, InputError

CORE, BATT = 0, 1
_MODES = {None: -1, "core": CORE, "batt": BATT}


def _nanoseconds(seconds):
    if seconds is None:
        return 0
    if not 0 <= seconds < 1e9:
        raise ValueError("seconds are from 0 to 1e9")
    return int(seconds * 1e9)


def _count(number, name, limit=2**62):
    """Check a count; numbers that would overflow in C are refused."""
    number = number.__index__()
    if not 0 <= number <= limit:
        raise ValueError(f"{name} is from 0 to {limit}")
    return number


class Program:
    """A program. ``program(grid)`` runs it; ``name``, ``mode``, ``text`` (canonical), ``hash``, ``calls``."""

    __slots__ = ("_programs", "_index", "name", "mode", "text", "hash", "calls")

    def __init__(self, programs, index):
        self._programs, self._index = programs, index
        self.name, mode, self.text, self.hash, self.calls = programs.about(index)
        self.mode = "batt" if mode == BATT else "core"

    def __call__(self, grid, samples=None, candidate=None, *, steps=0, bytes=0, seconds=None, safe=False):
        """Run the program on a grid: nested sequences, a numpy array of integers, or a batt value.

        steps, bytes and seconds limit the evaluation; a program that exceeds them, or fails otherwise, raises Failure.
        """
        return self._programs.run(
            self._index, grid, samples, candidate, _count(steps, "steps"), _count(bytes, "bytes"), _nanoseconds(seconds), safe
        )

    def trace(self, grid, samples=None, candidate=None):
        """Run the program and record the value of every line."""
        return Trace(self, _batt.grid(grid), self._programs.trace(self._index, grid, samples, candidate))

    def __repr__(self):
        return f"<batt program {self.name or 'without a name'}: {self.calls} calls, {self.mode} mode>"

    def __str__(self):
        return self.text

    def __eq__(self, other):
        return isinstance(other, Program) and self.hash == other.hash

    def __hash__(self):
        return hash(self.hash)


class TraceStep:
    """One line of a trace: ``name`` (the variable), ``call``, ``line``, ``value``; ``reason`` and ``primitive`` if it failed."""

    __slots__ = ("name", "call", "line", "value", "reason", "primitive")

    def __init__(self, name, call, line, value, failed):
        self.name, self.call, self.line, self.value = name, call, line, value
        self.reason, self.primitive = failed or (None, None)

    def __repr__(self):
        shown = f"failed: {self.reason}" if self.reason else repr(self.value)
        return f"{self.name} = {self.call}  # {shown if len(shown) <= 100 else shown[:97] + '...'}"


class Trace(Sequence):
    """The run of a program on a grid, line by line."""

    def __init__(self, program, grid, lines):
        self.program, self.grid = program, grid
        self._steps = [TraceStep(*line) for line in lines]

    def __len__(self):
        return len(self._steps)

    def __getitem__(self, key):
        return self._steps[key]

    def __repr__(self):
        return "\n".join(map(repr, self._steps))

    def to_dict(self):
        return {
            "program": self.program.text,
            "steps": [
                {
                    "name": s.name,
                    "call": s.call,
                    "line": s.line,
                    "value": None if s.reason else (s.value.text() if isinstance(s.value, _batt.Value) else s.value),
                    "reason": s.reason,
                }
                for s in self
            ],
        }

    def _repr_html_(self):
        rows = [("I", "", self.grid, None), *((s.name, s.call, s.value, s.reason) for s in self)]
        return (
            "<table class='batt-trace'>"
            + "".join(
                f"<tr><td style='text-align:left'><code>{html.escape(name)}</code></td>"
                f"<td style='text-align:left'><code>{html.escape(call)}</code></td>"
                f"<td style='text-align:left'>{_shown(value, reason)}</td></tr>"
                for name, call, value, reason in rows
            )
            + "</table>"
        )


def _shown(value, reason):
    if reason:
        return f"<b>failed: {html.escape(reason)}</b>"
    svg = value._repr_svg_() if isinstance(value, _batt.Tuple) else None
    if svg:
        return svg
    text = value.text() if isinstance(value, _batt.Value) else repr(value)
    return f"<code>{html.escape(text if len(text) <= 200 else text[:197] + '...')}</code>"


class Programs(Sequence):
    """Programs of a text or of files, indexed by position or name: ``solvers[0]``, ``solvers["solve_00d62c1b"]``.

    ``errors`` lists the parse errors: exceptions with file, line, column and text.
    """

    def __init__(self, handle):
        self._handle = handle

    @cached_property
    def _all(self):
        return [Program(self._handle, k) for k in range(len(self._handle))]

    @property
    def errors(self):
        return [
            (FileError if code == 4 else InputError)(
                f"{file}:{line}:{column}: {text}" if line else f"{file}: {text}", file, line, column, text
            )
            for code, file, line, column, text in self._handle.errors()
        ]

    def __len__(self):
        return len(self._handle)

    def __getitem__(self, key):
        if isinstance(key, str):
            for program in self._all:
                if program.name in (key, "solve_" + key):
                    return program
            raise KeyError(key)
        return self._all[key]

    def __repr__(self):
        return f"<batt programs: {len(self)}>"


def _checked(handle, strict):
    programs = Programs(handle)
    errors = programs.errors
    if errors and (strict or not len(programs)):
        error = errors[0]
        report = handle.report().rstrip()
        error.args = (report if report else error.args[0],)
        raise error
    return programs


def parse(source, mode=None):
    """Parse a program: a function ``def solve(I): ...``, or lines such as ``x1 = vmirror(I)`` and ``O = ...``.

    A text with several functions returns all of them (a Programs). A text that does not parse raises InputError.
    """
    programs = _checked(_batt.Programs.parse(source, _MODES[mode]), True)
    if not len(programs):
        raise InputError("text: there is no program in it", "text", 0, 0, "there is no program in it")
    return programs[0] if len(programs) == 1 else programs


def solvers(*paths, mode=None, strict=False):
    """Load solver files, and folders of *.py files; without a path, the built-in solvers.

    Functions with an error are skipped and listed in ``.errors``; with ``strict`` the first error is raised.
    """
    return _checked(_batt.Programs.parse_paths(tuple(os.fspath(p) for p in paths), _MODES[mode]), strict)
