"""batt: program search for ARC. Tasks, solver programs, search and scores; the work is done in C.

    import batt
    tasks = batt.load("data/training")            # any public layout; without a path, examples
    program = batt.parse("O = vmirror(I)")
    program(tasks[0].train[0].input)
    results = batt.run(batt.solvers(), tasks)
    found = batt.solve(tasks[:10], seconds=1)

``from batt.dsl import *`` provides every primitive of arc-dsl and more.
"""

import importlib
from collections import abc as _abc

from . import _batt
from ._batt import Function, Set, Tuple, Value, from_text, grid, plain
from ._batt import evaluate as _evaluate
from ._errors import ArgumentError, Error, Failure, FileError, InputError, MissingFileError, SkippedTaskWarning, SlowFunctionWarning, UnknownNameError
from ._bars import Bar
from ._commands import card, command, learn, net, profile
from ._jobs import Job, devices, evolve, run, score, solve, submission
from ._own import forget, primitive
from ._programs import mode_of as _mode_of
from ._programs import Program, Programs, Trace, TraceStep, lint, parse, solvers
from ._results import Profile, Result, Results
from ._stores import Store, store
from ._tasks import Pair, Task, Tasks, load, read, synth

__version__ = _batt.version()
_abc.Sequence.register(Tuple)
_abc.Set.register(Set)


def evaluate(expression, mode="core", safe=False):
    """Evaluate an expression of the language, such as "first((1, 2))"."""
    return _evaluate(expression, _mode_of(mode), safe)


def draw(grid, columns=0, colors=0, palette=None):
    """Draw a grid as text for a terminal."""
    return _batt.drawing(grid, palette, columns, colors)


def __getattr__(name):
    """Import batt.dsl on first use: building its table of primitives takes a few milliseconds; and batt.types."""
    if name in ("dsl", "types"):
        return importlib.import_module(f"batt.{name}")
    raise AttributeError(f"module 'batt' has no attribute {name!r}")


__all__ = [
    "ArgumentError", "Bar", "Error", "Failure", "FileError", "Function", "InputError", "Job", "MissingFileError", "Pair", "Profile", "Program", "Programs",
    "Result", "Results", "Set", "SkippedTaskWarning", "SlowFunctionWarning", "Store", "Task", "Tasks", "Trace", "TraceStep", "Tuple", "UnknownNameError", "Value", "card", "command",
    "devices", "draw",
    "evaluate", "evolve", "forget", "from_text", "grid", "learn", "lint", "load", "net", "parse", "plain", "primitive", "profile", "read", "run", "score", "solve", "solvers",
    "store", "submission", "synth",
]
