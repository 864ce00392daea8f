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
    _own._own.clear()


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
