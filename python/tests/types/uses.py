import batt
from batt.dsl import add, apply, asindices, color, compose, fill, first, hmirror, objects, order, shift, size, vmirror, DOWN, T, F, TWO
from batt.types import Grid, Indices, Object, Objects, Pair

tasks = batt.load()
grid: Grid = tasks[0].train[0].input
turned: Grid = vmirror(grid)
found: Objects = objects(grid, T, F, T)
one: Object = first(order(found, size))
moved: Object = shift(one, DOWN)
places: Indices = hmirror(asindices(grid))
n: int = add(1, TWO)
p: Pair = add(1, DOWN)
drawn: Grid = fill([[1, 2]], 3, frozenset({(0, 1)}))
colors = apply(color, found)
f = compose(vmirror, hmirror)
job = batt.solve(tasks, background=True)
r: batt.Results = job.result(1)
r2: batt.Results = batt.solve(tasks)
for result in r2:
    print(result.id, result.program, colors, f(grid))

battery: str = batt.card(batt.solvers(), count=3, freeze=True)
report: dict[str, object] = batt.net(tasks, steps=3, time="5s", seeds=2)
r3: batt.Results = batt.run(batt.solvers(), tasks, all=True, device="cpu")


@batt.primitive("grid: grid -> grid", price=8)
def same(grid: Grid) -> Grid:
    return grid


async def main() -> int:
    return len(await job)
