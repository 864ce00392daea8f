"""User-defined primitives: registered, parsed, run, traced, rejected."""

import pickle

import batt
import pytest
from batt import _own

pytestmark = pytest.mark.filterwarnings("ignore::batt.SlowFunctionWarning")
TASK = {"train": [{"input": [[1, 2]], "output": [[3, 2]]}], "test": [{"input": [[2, 2]], "output": [[3, 2]]}]}


@pytest.fixture
def stamp():
    @batt.primitive("grid: grid, color: int -> grid")
    def put_first(grid, color):
        rows = grid.tolist()
        rows[0][0] = color
        return rows

    yield put_first
    _own._own.clear(), _own._priced.clear()


def test_run(stamp):
    tasks = batt.read(TASK, "mine") + batt.load()[:1]
    with pytest.warns(batt.SlowFunctionWarning):
        program = batt.parse("def solve_mine(I):\n    x1 = put_first(I, THREE)\n    x2 = vmirror(x1)\n    return vmirror(x2)\n")
    assert isinstance(program, batt.Program) and program.name == "solve_mine" and program.calls == 3 and len(program.hash) == 32
    assert program([[1, 2]]) == ((3, 2),) and isinstance(program([[1, 2]]), batt.Tuple)
    results = batt.run([program], tasks)
    assert results["mine"].solved and results[1].status == "no program" and results.solved == 1
    assert batt.score(results, tasks)["tasks_solved"] == 1 and results["mine"].program == program
    assert [s.name for s in program.trace([[1, 2]])] == ["x1", "x2", "O"] and "<svg" in program.trace([[1, 2]])._repr_html_()
    assert batt.run(batt.parse("O = put_first(I, 3)"), tasks["mine"]).solved == 1
    assert pickle.loads(pickle.dumps(program)) == program and pickle.loads(pickle.dumps(results)).solved == 1
    assert "solved" in results._repr_html_()


def test_failures(stamp):
    with pytest.raises(batt.Failure) as caught:
        batt.parse("x1 = size(I)\nO = put_first(x1, 3)")([[1]])
    assert caught.value.primitive == "put_first" and caught.value.line == 2 and "AttributeError" in str(caught.value)
    result = batt.run(batt.parse("O = put_first(first(I), 3)"), batt.read(TASK, "mine"))[0]
    assert result.status == "failed" and "put_first" in result.reason and result.samples[0]["verdict"] == "failed"
    for text, word in (
        ("O = put_first(I, nothing)", "unknown name 'nothing'"), ("O = put_first(I, 'a')", "only calls, names"), ("O = put_first(", "text:1"),
        ("O = __import__('os').system(put_first)", "only calls"), ("import os\nO = put_first(I, 1)", "only assignments"),
        ("def f(I, J):\n    return put_first(I, 1)", "takes I"),
    ):
        with pytest.raises(batt.InputError, match=word):
            batt.parse(text)
    with pytest.raises(ValueError, match="no limits"):
        batt.parse("O = put_first(I, 3)")([[1]], steps=5)
    with pytest.raises(ValueError, match="run in Python"):
        batt.run(batt.parse("O = put_first(I, 3)"), batt.load()[:1], jobs=2)


def test_names():
    for signature, name, word in (("grid", "a", "a signature is"), ("g: grid -> grid", "vmirror", "cannot be the name"), ("g: grid, n: int -> grid", "b", "takes 1 arguments")):
        with pytest.raises(ValueError, match=word):
            batt.primitive(signature, name)(lambda g: g)
    assert not _own._own and batt.parse("O = vmirror(I)").mode == "core"


# ---- search ----


@pytest.fixture
def registry():
    yield
    _own._own.clear(), _own._priced.clear()


def scrambled(rows):
    """A rule that no program of batt finds: squares of colors and places, modulo 10."""
    return [[(3 * c * c + 7 * r * k * c + r * r * r + 5 * k) % 10 for k, c in enumerate(row)] for r, row in enumerate(rows)]


def made_task(rule, n=4):
    grids = [[[(5 * k + 3 * r + c * c + r * c * k) % 10 for c in range(4)] for r in range(5)] for k in range(n)]
    pairs = [{"input": g, "output": rule(g)} for g in grids]
    return batt.read({"train": pairs[:-1], "test": pairs[-1:]}, "mine")


def test_search_uses_a_price(registry):
    direct, followed = made_task(scrambled), made_task(lambda g: [row[::-1] for row in scrambled(g)])
    for tasks in direct, followed:
        assert not batt.solve(tasks, steps=20000, library=False, progress=False).solved
    calls = []

    @batt.primitive("grid: grid -> grid", price=6)
    def scramble(grid):
        calls.append(grid)
        return scrambled(grid.tolist())

    found = batt.solve(direct, steps=20000, library=False, progress=False)
    assert found.solved == 1 and found[0].strategies == ["own"] and "O = scramble(I)" in found[0].program.text
    assert found.submission()["mine"][0]["attempt_1"] == direct[0].test[0].output.tolist() and batt.score(found, direct)["tasks_solved"] == 1
    found = batt.solve(followed, steps=200000, library=False, progress=False)
    assert found.solved == 1 and found[0].answers[0][0] == followed[0].test[0].output
    text = found[0].program.text
    assert "x0 = scramble(I)" in text and found[0].program(followed[0].train[0].input) == followed[0].train[0].output
    again = batt.solve(followed, steps=200000, library=False, progress=False, jobs=1)
    assert again[0].program.text == text and pickle.loads(pickle.dumps(found)).solved == 1
    calls.clear()
    assert not batt.solve(followed, steps=20000, library=False, progress=False, own=False).solved and not calls


def test_search_with_other_types(registry):
    @batt.primitive("grid: grid, color: int -> indices", price=4)
    def diagonal_of(grid, color):
        return {(k, k) for k in range(min(grid.shape)) if grid[k][k] != color}

    tasks = made_task(lambda g: [[3 if r == c and c < 4 and v != 0 else v for c, v in enumerate(row)] for r, row in enumerate(g)])
    found = batt.solve(tasks, seconds=4, library=False, progress=False)
    assert found.solved == 1 and found.seconds < 30

    with pytest.raises(ValueError, match="no arguments of the type fn"):
        batt.primitive("f: fn -> grid", price=3, name="odd")(lambda f: f)
    with pytest.raises(ValueError, match="no use for a result of the type bool"):
        batt.primitive("g: grid -> bool", price=3, name="odd")(lambda g: True)
    with pytest.raises(ValueError, match="price is a number"):
        batt.primitive("g: grid -> grid", price="low", name="odd")(lambda g: g)
    with pytest.raises(ValueError, match="in the foreground"):
        batt.solve(tasks, background=True)


def test_tasks_that_search_solves_stay(registry):
    batt.primitive("grid: grid -> grid", name="nothing_new", price=1)(lambda grid: grid)
    tasks = batt.load()[:2]
    with_own, without = batt.solve(tasks, steps=40000, progress=False), batt.solve(tasks, steps=20000, progress=False, own=False)
    assert with_own.solved == without.solved == 2 and with_own[0].answers == without[0].answers
