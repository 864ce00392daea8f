"""Each line that ends in "wrong" is one that a type checker must refuse."""

import batt
from batt.dsl import add, colorfilter, fill, objects, shift, vmirror
from batt.types import Grid

grid: Grid = batt.grid([[1, 2]])
vmirror(5)  # wrong
fill(grid, "red", frozenset({(0, 0)}))  # wrong
fill(grid, 2, 3)  # wrong
text: str = add(1, 2)  # wrong
colorfilter(grid, 3)  # wrong
shift(objects(grid, True, False, True), (1, 0))  # wrong
job: batt.Job = batt.solve(batt.load())  # wrong
batt.load()[0].train[0].output.shape  # wrong
batt.solve(batt.load(), seconds=[5])  # wrong
