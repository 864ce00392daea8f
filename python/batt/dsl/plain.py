"""The primitives of ``batt.dsl`` with results as tuples, frozensets and numbers of Python: eager, and slower."""

from .. import _batt

_primitives = _batt.primitives(0, True)
#: Words for numbers inside the arguments of some primitives (cell_rule, ..): the number, or the word itself where it has
#: another number in another argument. Primitives take words as strings, too. Those that no constant has for a name are
#: names of this module.
symbols = _batt.symbols()
_constants = {**symbols, **{name: _batt.plain(value) for name, value in _batt.constants().items()}, "T": True, "F": False}
globals().update(_primitives)
globals().update(_constants)
__all__ = [*_primitives, *_constants]
