"""The primitives of ``batt.dsl`` with results as tuples, frozensets and numbers of Python: eager, and slower."""

from .. import _batt

_primitives = _batt.primitives(0, True)
#: Numbers that have a name inside the arguments of some primitives (cell_rule, ..). Those whose name no constant has are
#: names of this module, too.
symbols = _batt.symbols()
_constants = {
    name: _batt.plain(value) for name, value in {**symbols, **_batt.constants(), "T": True, "F": False}.items()
}
globals().update(_primitives)
globals().update(_constants)
__all__ = [*_primitives, *_constants]
