"""The primitives of the batt dialect: cells are (row, column, color), and a failing call gives a default."""

from .. import _batt

_primitives = _batt.primitives(1)
#: Words for numbers inside the arguments of some primitives (cell_rule, ..): the number, or the word itself where it has
#: another number in another argument. Primitives take words as strings, too. Those that no constant has for a name are
#: names of this module.
symbols = _batt.symbols()
_constants = {**symbols, **_batt.constants(), "T": True, "F": False}
globals().update(_primitives)
globals().update(_constants)
__all__ = [*_primitives, *_constants]
