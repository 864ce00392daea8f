"""Names for the types of values, to annotate programs with: ``def largest(grid: Grid) -> Object: ..``.

``Grid``, ``Object`` and so on are what primitives give; ``GridLike``, ``ObjectLike``, .. are what they take: the same, or
what Python code has instead (tuples, lists, sets, numpy arrays).
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NewType, Protocol, TypeVar, Union

from batt import Set, Tuple

_T = TypeVar("_T")


class Array(Protocol):
    """An array of integers, such as numpy's."""

    @property
    def __array_interface__(self) -> Any: ...


Pair = Tuple[int]  # (row, column)
Cell = NewType("Cell", Tuple[Union[int, Pair]])  # (color, (row, column))
Num = Union[int, Pair]
Grid = Tuple[Tuple[int]]
Indices = Set[Pair]
Object = Set[Cell]
Objects = Set[Object]
Patch = Union[Object, Indices]
Element = Union[Grid, Object]
Piece = Union[Grid, Object, Indices]
Container = Union[Tuple[_T], Set[_T]]
Samples = Tuple[Tuple[Grid]]  # ((input, output), ..)

PairLike = Union[Pair, tuple[int, int]]
CellLike = Union[Cell, tuple[int, tuple[int, int]]]
NumLike = Union[int, PairLike]
GridLike = Union[Sequence[Sequence[int]], Array]
IndicesLike = AbstractSet[PairLike]
ObjectLike = AbstractSet[CellLike]
ObjectsLike = AbstractSet[ObjectLike]
PatchLike = Union[ObjectLike, IndicesLike]
ElementLike = Union[GridLike, ObjectLike]
PieceLike = Union[GridLike, ObjectLike, IndicesLike]
ContainerLike = Union[Sequence[_T], AbstractSet[_T]]
SamplesLike = Sequence[Sequence[GridLike]]
