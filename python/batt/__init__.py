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
from ._errors import ArgumentError, Error, Failure, FileError, InputError, SlowFunctionWarning
from ._jobs import Bar, Profile, Result, Results, evolve, run, score, solve, submission
from ._programs import Program, Programs, Trace, TraceStep, parse, solvers
from ._tasks import Pair, Task, Tasks, load, read

__version__ = _batt.version()
_abc.Sequence.register(Tuple)
_abc.Set.register(Set)


def evaluate(expression, mode="core", safe=False):
    """Evaluate an expression of the language, such as "first((1, 2))"."""
    return _evaluate(expression, {"core": 0, "batt": 1}[mode], safe)


def draw(grid, columns=0, colors=0, palette=None):
    """Draw a grid as text for a terminal."""
    return _batt.drawing(grid, palette, columns, colors)


def __getattr__(name):
    """Import batt.dsl on first use: building its table of primitives takes a few milliseconds."""
    if name == "dsl":
        return importlib.import_module("batt.dsl")
    raise AttributeError(f"module 'batt' has no attribute {name!r}")


__all__ = [
    "ArgumentError", "Bar", "Error", "Failure", "FileError", "Function", "InputError", "Pair", "Profile", "Program", "Programs",
    "Result", "Results", "Set", "SlowFunctionWarning", "Task", "Tasks", "Trace", "TraceStep", "Tuple", "Value", "draw",
    "evaluate", "evolve", "from_text", "grid", "load", "parse", "plain", "read", "run", "score", "solve", "solvers",
    "submission",
]
