"""Programs: parsed once, called like functions."""

import html
import json
import os
import re
from collections.abc import Sequence
from functools import cached_property

from . import _batt
from ._errors import InputError, UnknownNameError, placed_all
from ._own import warn_slow
from ._tasks import small_svg

CORE, BATT = 0, 1
_MODES = {None: -1, "core": CORE, "batt": BATT}


_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)")


def _nanoseconds(seconds, name="seconds"):
    """A time: seconds, or a text such as "11h" or "1m30s"; None: 0."""
    if seconds is None:
        return 0
    if isinstance(seconds, str):
        if not re.fullmatch(f"(?:{_TIME.pattern})+", seconds):
            raise ValueError(f"{name} is a number of seconds or a time such as '90s' or '11h', not {seconds!r}")
        seconds = sum(float(number) * _UNITS[unit] for number, unit in _TIME.findall(seconds)) / 1e9
    if not isinstance(seconds, (int, float)) and not hasattr(seconds, "__float__"):
        raise TypeError(f"{name} is a number, not {seconds!r}")
    if not 0 <= seconds < 1e9:
        raise ValueError(f"{name} is from 0 to 1e9, not {seconds!r}")
    return int(seconds * 1e9)


def _count(number, name, limit=2**62):
    """Check a count; numbers that would overflow in C are refused."""
    if not hasattr(number, "__index__"):
        raise TypeError(f"{name} is an integer, not {number!r}")
    number = number.__index__()
    if not 0 <= number <= limit:
        raise ValueError(f"{name} is from 0 to {limit}, not {number}")
    return number


def mode_of(mode):
    """The number of a mode of the language; None: found out from the text."""
    if mode not in _MODES:
        raise ValueError(f"mode is 'core', 'batt' or None, not {mode!r}")
    return _MODES[mode]


def program_html(text):
    return f"<pre style='font-family:monospace;line-height:1.3'>{html.escape(text)}</pre>"


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

    def __reduce__(self):
        return _program_of, (self.text, self.name, self.mode)

    def _repr_html_(self):
        return program_html(self.text)


def _program_of(text, name, mode):
    """A program from what pickling kept. Its canonical text gives a program without a name one."""
    program = parse(text, mode)
    program.name = name
    return program


def _programs_of(texts):
    return Programs(_batt.Programs.parse("\n".join(texts), -1))


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
                f"<td style='text-align:left'>{f'<code>{html.escape(call)}</code>' if call else ''}</td>"
                f"<td style='text-align:left'>{_shown(value, reason, self.grid)}</td></tr>"
                for name, call, value, reason in rows
            )
            + "</table>"
        )


def _shown(value, reason, over):
    if reason:
        return f"<b>failed: {html.escape(reason)}</b>"
    svg = _batt.value_picture(value, over, None, False) if isinstance(value, (_batt.Tuple, _batt.Set)) else None
    if svg:
        return small_svg(svg, 320, 220)
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
        return placed_all(self._handle.errors())

    def __len__(self):
        return len(self._handle)

    def __getitem__(self, key):
        if isinstance(key, str):
            for program in self._all:
                if program.name in (key, f"solve_{key}", f"verify_{key}"):
                    return program
            raise UnknownNameError(f"no program {key!r} among the {len(self)} loaded")
        return self._all[key]

    def __reduce__(self):
        return _programs_of, ([p.text for p in self],)

    def __repr__(self):
        return f"<batt programs: {len(self)}>"

    def _repr_html_(self):
        shown = "".join(
            f"<details><summary><code>{html.escape(p.name or 'without a name')}</code>, {p.calls} calls</summary>{p._repr_html_()}</details>"
            for p in self[:20]
        )
        return shown + (f"<p>and {len(self) - 20} more</p>" if len(self) > 20 else "")


def _checked(handle, strict, stacklevel):
    programs = Programs(handle)
    if handle.own():
        warn_slow(stacklevel)
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
    if not isinstance(source, str):
        raise TypeError(f"source is the text of a program, not {source!r:.80}")
    programs = _checked(_batt.Programs.parse(source, mode_of(mode)), True, 3)
    if not len(programs):
        raise InputError("text: there is no program in it", "text", 0, 0, "there is no program in it")
    return programs[0] if len(programs) == 1 else programs


def solvers(*paths, mode=None, strict=False):
    """Load solver files, and folders of *.py files; without a path, the built-in solvers.

    Functions with an error are skipped and listed in ``.errors``; with ``strict`` the first error is raised.
    """
    return _checked(_batt.Programs.parse_paths(tuple(os.fspath(p) for p in paths), mode_of(mode)), strict, 3)


def lint(source, mode=None, *, order=False, tasks=None, safe=False):
    """What is wrong with programs (a text, a path, or programs), as ``batt lint`` finds it: a list of dicts.

    Each has file, program, line, text, and ``certain``: it does not parse, or fails whenever the line is reached.
    order: also run the programs with sets in several orders, on ``tasks`` (generated grids if None), and report those
    whose results differ; safe: failed calls return the dialect's default there.
    """
    if isinstance(source, (Program, Programs)):
        handle = source._programs if isinstance(source, Program) else source._handle
    elif isinstance(source, os.PathLike) or "\n" not in source and os.path.exists(source):
        handle = _batt.Programs.parse_paths((os.fspath(source),), mode_of(mode))
    else:
        handle = _batt.Programs.parse(source, mode_of(mode))
    wrong = [{"file": e.file, "program": "", "line": e.line, "certain": True, "text": e.text} for e in Programs(handle).errors]
    found = [{"file": "", **f} for f in json.loads(handle.lint())["findings"]]
    found = wrong + [f for f in found if not isinstance(source, Program) or f["program"] == source.name]
    return found + _lint_order(Programs(handle) if not isinstance(source, Program) else source, tasks, safe) if order else found


def _lint_order(programs, tasks, safe):
    """The programs whose results depend on the order of sets."""
    from ._commands import command

    found = []
    for program in [programs] if isinstance(programs, Program) else programs:
        report = command("lint", program, order=True, tasks=tasks, safe=safe, json=True)
        for finding in report["files"][0]["findings"]:
            if "order" in finding["message"]:
                found.append({"file": "", "program": program.name, "line": finding["line"], "certain": False, "text": finding["message"]})
    return found
