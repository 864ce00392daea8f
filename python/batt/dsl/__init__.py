"""Every primitive and constant of the language: ``from batt.dsl import *`` runs arc-dsl's solvers as they are.

The primitives work on ``batt.Value``: tuples, sets and functions that stay in C from call to call and behave as Python's own
where Python code reads them. Python's tuples, sets, lists, numpy arrays and functions are taken as arguments, too.
A call that fails raises ``batt.Failure``.

``batt.dsl.plain`` has the same functions with results of Python's own types; ``batt.dsl.dialect`` those of the
batt dialect, whose cells are (row, column, color) and whose failing calls give defaults.
"""

import importlib

from .. import _batt

_primitives = _batt.primitives(0)
#: Words for numbers inside the arguments of some primitives (cell_rule, ..): the number, or the word itself where it has
#: another number in another argument. Primitives take words as strings, too. Those that no constant has for a name are
#: names of this module.
symbols = _batt.symbols()
_constants = {**symbols, **_batt.constants(), "T": True, "F": False}
globals().update(_primitives)
globals().update(_constants)
__all__ = [*_primitives, *_constants]


def __getattr__(name):
    """The modules below, when they are first asked for."""
    if name in ("plain", "dialect"):
        return importlib.import_module(f"batt.dsl.{name}")
    raise AttributeError(f"module 'batt.dsl' has no attribute {name!r}")
