"""The primitives as the batt dialect has them: cells are (row, column, color), and a failing call gives a default."""

from .. import _batt

_primitives = _batt.primitives(1)
#: Numbers that have a name inside the arguments of some primitives (cell_rule, ..). Those whose name no constant has are
#: names of this module, too.
symbols = _batt.symbols()
_constants = {**symbols, **_batt.constants(), "T": True, "F": False}
globals().update(_primitives)
globals().update(_constants)
__all__ = [*_primitives, *_constants]
