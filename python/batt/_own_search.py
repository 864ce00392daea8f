"""Search with primitives of one's own: those that have a price.

A program of search is one call of such a primitive, on the input or on simple parts of it, and what batt's own search finds to
follow it: the call turns a task into another one, with the call's grids for inputs. Calls are tried in the order of their
price in bits, at the speed of Python.
"""

import copy
import itertools
import json
import re
import time

from . import _batt
from ._errors import ArgumentError, Failure
from ._own import program_of_text, run_on_task
from ._results import Results, _restore
from ._tasks import Tasks, read

CALLS = 200  # different calls tried on each task
FOLLOWED = 8  # of these, as many are searched from
_GRIDS = (("I", 0), ("vmirror(I)", 4), ("hmirror(I)", 4), ("dmirror(I)", 4), ("rot90(I)", 4), ("trim(I)", 5), ("tophalf(I)", 5), ("lefthalf(I)", 5))
_OBJECTS = (("objects(I, T, F, T)", 4), ("objects(I, T, T, T)", 4), ("objects(I, F, T, T)", 5), ("objects(I, T, F, F)", 5))
_OBJECT = (("argmax(objects(I, T, T, T), size)", 6), ("argmin(objects(I, T, T, T), size)", 6), ("asobject(I)", 5))
_PAIRS = (("UP", 3), ("DOWN", 3), ("LEFT", 3), ("RIGHT", 3), ("shape(I)", 4))
# Grids that are made with a result of another type, E; c is a color.
_PATCH = (("fill(I, {c}, {E})", 6), ("underfill(I, {c}, {E})", 7), ("cover(I, {E})", 4), ("subgrid({E}, I)", 4))
_USES = {
    "grid": (("{E}", 0),), "indices": _PATCH, "patch": _PATCH, "object": (("paint(I, {E})", 4), *_PATCH),
    "int": (("replace(I, {E}, {c})", 7), ("replace(I, {c}, {E})", 7), ("canvas({E}, (1, 1))", 7)),
}
_ARGUMENTS = ("grid", "int", "bool", "objects", "object", "indices", "patch", "pair")


def check(name, arguments, result):
    """Whether search can make the arguments of a primitive, and use its result; raises ArgumentError."""
    for kind in arguments:
        if kind not in _ARGUMENTS:
            raise ArgumentError(f"{name}: search has no arguments of the type {kind}, only {', '.join(_ARGUMENTS)}; leave out its price")
    if result not in _USES:
        raise ArgumentError(f"{name}: search has no use for a result of the type {result}, only for {', '.join(_USES)}; leave out its price")


def _choices(kind, colors):
    """(text, bits) of the arguments of a type."""
    numbers = [(str(c), 4) for c in colors]
    return {
        "grid": _GRIDS, "int": [*numbers, ("leastcolor(I)", 5), ("mostcolor(I)", 5)], "bool": [("T", 1), ("F", 1)], "objects": _OBJECTS,
        "object": _OBJECT, "indices": [(f"ofcolor(I, {c})", 6) for c in colors], "patch": [*((f"ofcolor(I, {c})", 6) for c in colors), *_OBJECT],
        "pair": _PAIRS,
    }[kind]


def _calls(priced, colors):
    """(text of a grid, bits), cheapest first."""
    found = []
    for name, (price, arguments, result) in priced.items():
        for chosen in itertools.product(*(_choices(kind, colors) for kind in arguments)):
            call, bits = f"{name}({', '.join(text for text, _ in chosen)})", price + sum(bits for _, bits in chosen)
            for use, more in _USES[result]:
                for c in colors if "{c}" in use else (0,):
                    found.append((use.format(E=call, c=c), bits + more))
    return sorted(found, key=lambda f: f[1])[:CALLS]


def _grid(program, pair):
    """The grid of a call on an input, as lists; None: it fails, or is no grid of a task."""
    try:
        value = program(pair.input)
        rows, columns = value.shape
        cells = value.tolist()
    except (Failure, AttributeError, TypeError, ValueError):
        return None
    return cells if 0 < rows <= 30 and 0 < columns <= 30 and all(0 <= c <= 9 for row in cells for c in row) else None


class _Call:
    """A call on one task: the grids that it makes of the inputs."""

    def __init__(self, task, text, bits):
        self.task, self.text, self.bits = task, text, bits
        program = program_of_text(f"def solve(I):\n    O = {text}\n    return O\n")
        self.grids = []
        for pair in (*task.train, *task.test):
            self.grids.append(_grid(program, pair))
            if self.grids[-1] is None:
                break

    def usable(self):
        return None not in self.grids

    def fits(self):
        return all(grid == pair.output.tolist() for grid, pair in zip(self.grids, self.task.train))

    def further(self):
        """The task that is left after the call."""
        train = [{"input": g, "output": p.output.tolist()} for g, p in zip(self.grids, self.task.train)]
        return {"train": train, "test": [{"input": g} for g in self.grids[len(train) :]]}

    def program(self, rest=None):
        """The whole program: the call, and a program from there."""
        if rest is None:
            return f"def solve_{self.task.id}(I):\n    O = {self.text}\n    return O\n"
        lines = [line.strip() for line in rest.splitlines()[1:] if line.strip()]
        lines = [re.sub(r"\bI\b", "x0", line) for line in lines]
        return f"def solve_{self.task.id}(I):\n    x0 = {self.text}\n" + "".join(f"    {line}\n" for line in lines)


def _tried(task, priced, until):
    """The calls that give grids on all inputs, each different, cheapest first; and those that fit, first of all."""
    colors = sorted({c for pair in task.train for grid in pair for row in grid.tolist() for c in row})
    seen, good = {json.dumps([p.input.tolist() for p in (*task.train, *task.test)])}, []
    for text, bits in _calls(priced, colors):
        if until is not None and time.monotonic() > until:
            break
        call = _Call(task, text, bits)
        key = json.dumps(call.grids)
        if call.usable() and key not in seen:
            seen.add(key)
            good.append(call)
            if call.fits():
                return [call], [call]
    return good[:FOLLOWED], []


def solve_with(priced, results, tasks, seconds, steps, search):
    """The results of a search, with programs of one's own primitives for tasks that it found none for.

    seconds: what is left for each task; or steps. search: runs batt's search on other tasks with a limit per task.
    """
    data, begin = copy.deepcopy(results.to_dict()), time.perf_counter()
    sheet, calls, found = results.submission(), [], {}
    for result in results:
        if result.train_correct == len(result.task.train):
            continue
        good, fitting = _tried(result.task, priced, None if steps else time.monotonic() + seconds / 4)
        found[result.id] = [(call.bits, call.program()) for call in fitting]
        calls += [] if fitting else good
    if calls:
        further = Tasks(_batt.Tasks.join(tuple(read(call.further(), f"{call.task.id}_{k}")._handle for k, call in enumerate(calls))))
        share = {"steps": max(1, steps // FOLLOWED)} if steps else {"seconds": seconds * 3 / 4 / FOLLOWED}
        for call, result in zip(calls, search(further, **share)):
            for program in result.to_dict()["programs"]:
                if result.train_correct == len(result.task.train) and program["program"].startswith("def solve") and "(I):" in program["program"]:
                    found[call.task.id].append((call.bits + program["cost"], call.program(program["program"])))
    for kept, result in zip(data["results"], results):
        made = [(cost, run_on_task(program_of_text(text), result.task)) for cost, text in sorted(found.get(result.id, ()))]
        made = [(cost, one) for cost, one in made if one["train_correct"] == one["train"]]
        if made:
            _take(kept, sheet[result.id], result.task, made, data["attempts"])
    data["tasks_solved"] = sum(r["solved"] for r in data["results"])
    seconds = data["wall_s"] = results.seconds + time.perf_counter() - begin
    return _restore(Results, {
        **results._parts(), "solved": data["tasks_solved"], "seconds": seconds, "_data": data, "_sheet": json.dumps(sheet),
    })


def _take(kept, sheet, task, made, attempts):
    """Put programs that fit, cheapest first, and their answers in the place of what search had."""
    answers, programs = [[] for _ in task.test], []
    for cost, one in made:
        new = False
        for had, (answer, *_) in zip(answers, one["answers"]):
            if answer is not None and answer not in had and len(had) < attempts:
                had.append(answer)
                new = True
        if new:
            programs.append({**one["programs"][0], "strategy": "own", "cost": cost})
    known = [(pair.output.tolist(), had) for pair, had in zip(task.test, answers) if pair.output is not None]
    right = sum(output in had for output, had in known)
    kept.update(
        programs=programs, answers=[had + [None] * (attempts - len(had)) for had in answers], train_correct=kept["train"],
        test_correct=right, solved=right == len(known), reason="",
        status="solved" if known and right == len(known) else "training only" if known else "answered",
    )
    for entry, had in zip(sheet, answers):
        for place in range(2):
            entry[f"attempt_{place + 1}"] = had[min(place, len(had) - 1)] if had else [[0]]
