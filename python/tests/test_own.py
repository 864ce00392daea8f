"""User-defined primitives: registered, parsed, run, traced, rejected."""

import concurrent.futures
import pickle
import time

import batt
import pytest

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
    batt.forget("put_first")


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
    assert caught.value.reason == "type" and batt.parse("O = put_first(I, 3)").trace([[1]])[0].value == ((3,),)
    with pytest.raises(batt.Failure) as caught:
        batt.parse("O = mapply(put_first, I)")([[1]])
    assert caught.value.reason == "arity"
    result = batt.run(batt.parse("O = put_first(first(I), 3)"), batt.read(TASK, "mine"))[0]
    assert result.status == "failed" and "put_first" in result.reason and result.samples[0]["verdict"] == "failed"
    for text, word in (
        ("O = put_first(I, nothing)", "unknown name 'nothing'"), ("O = put_first(I, 'a')", "no strings"), ("O = put_first(", "text:1"),
        ("O = put_first(I, colour=3)", "put_first has no parameter 'colour'; it has 'grid', 'color'"),
    ):
        with pytest.raises(batt.InputError, match=word):
            batt.parse(text)
    with pytest.raises(batt.Failure, match="steps"):
        batt.parse("x1 = put_first(I, 3)\nO = vmirror(x1)")([[1]], steps=1)
    assert batt.parse("O = put_first(color=3, grid=I)")([[1]]) == ((3,),)


def test_everywhere(stamp):
    """In other threads, in functions of functions, in several modes, with all programs at once."""
    tasks = batt.read(TASK, "mine") + batt.load()[:3]
    program = batt.parse("def solve_mine(I):\n    x1 = lbind(put_first, I)\n    return x1(THREE)\n")
    assert program([[1, 2]]) == ((3, 2),) and "lbind(put_first, I)" in program.text
    other = batt.parse("def solve_other(I):\n    return put_first(I, TWO)\n")
    for options in ({"jobs": 4}, {"all": True}, {"all": True, "jobs": 4}, {"profile": "counters"}, {"budget": 5, "steps": 1000}):
        results = batt.run([program, other], tasks, **options)
        assert results["mine"].solved and results["mine"].program == program
    job = batt.run([program], tasks, background=True)
    assert job.result(30).solved == 1
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda k: program([[k, 2]]).tolist()[0][0], range(9))) == {3}
    assert batt.parse("def f(S, I, C):\n    return put_first(C, 4)\n")([[1]]) == ((4,),)
    assert batt.parse("O = put_first(first(I), 3)")([[1]], safe=True) == ()
    assert batt.evaluate("put_first(((1, 2),), 3)") == ((3, 2),)


def test_hash_and_lint(stamp):
    program = batt.parse("O = put_first(I, THREE)")
    again = batt.parse("x7 = put_first(grid=I, color=3); O = x7")
    assert again == program and batt.parse("O = put_first(I, FOUR)") != program
    found = batt.lint("O = put_first(size(I), 3)\n") + batt.lint("O = put_first(I)\n") + batt.lint("O = size(put_first(I, 3))\n")
    assert [f["text"] for f in found] == ["put_first wants 'grid' to be grid, not int", "put_first takes 2 arguments, not 1"]
    batt.forget("put_first")
    assert program([[1]]) == ((3,),)
    with pytest.raises(batt.InputError, match="unknown primitive 'put_first'"):
        batt.parse(program.text)
    batt.primitive("grid: grid, color: int -> grid", "put_first")(lambda grid, color: [[7]])
    assert batt.parse(program.text)([[1]]) == ((7,),) and batt.parse(program.text).hash == program.hash and program([[1]]) == ((3,),)


def test_exceptions(stamp):
    def interrupted(grid):
        raise KeyboardInterrupt

    batt.primitive("grid: grid -> grid", "interrupted")(interrupted)
    with pytest.raises(KeyboardInterrupt):
        batt.parse("O = interrupted(I)")([[1]])
    assert batt.run(batt.parse("O = interrupted(I)"), batt.load()[:1])[0].status == "failed"
    batt.primitive("grid: grid -> fn", "interrupted")(lambda grid: len)
    with pytest.raises(batt.Failure, match="type"):
        batt.parse("O = interrupted(I)")([[1]])
    batt.forget("interrupted")


def test_names():
    for signature, name, word in (("grid", "a", "a signature is"), ("g: grid -> grid", "vmirror", "cannot be the name"), ("g: grid -> grid", "x1", "cannot be the name"),
        ("g: grid -> grid", "no name", "letters, digits"), ("g: grid -> grid", "for", "word of the language"), ("g: picture -> grid", "a", "unknown type"),
        ("g: grid, n: int -> grid", "b", "does not take 2 arguments"),
    ):
        with pytest.raises(ValueError, match=word):
            batt.primitive(signature, name)(lambda g: g)
    assert batt.parse("O = vmirror(I)").mode == "core"


# ---- search ----


@pytest.fixture
def registry():
    yield
    for name in "scramble", "diagonal_of", "nothing_new", "slow":
        batt.forget(name)


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
        assert not batt.solve(tasks, steps=1000000, library=False, progress=False).solved
    calls = []

    @batt.primitive("grid: grid -> grid", price=6)
    def scramble(grid):
        calls.append(grid)
        return scrambled(grid.tolist())

    found = batt.solve(direct, steps=1000000, library=False, progress=False)
    assert found.solved == 1 and "O = scramble(I)" in found[0].program.text
    assert found.submission()["mine"][0]["attempt_1"] == direct[0].test[0].output.tolist() and batt.score(found, direct)["tasks_solved"] == 1
    found = batt.solve(followed, steps=10000000, library=False, progress=False)
    assert found.solved == 1 and found[0].answers[0][0] == followed[0].test[0].output
    text = found[0].program.text
    assert "scramble(" in text and found[0].program(followed[0].train[0].input) == followed[0].train[0].output
    again = batt.solve(followed, steps=10000000, library=False, progress=False, jobs=1)
    assert again[0].program.text == text and pickle.loads(pickle.dumps(found)).solved == 1
    calls.clear()
    assert not batt.solve(followed, steps=1000000, library=False, progress=False, own=False).solved and not calls


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


def test_search_is_in_time(registry):
    @batt.primitive("grid: grid, n: int -> grid", price=2)
    def slow(grid, n):
        time.sleep(0.02)
        return [[n]]

    begin = time.monotonic()
    batt.solve(batt.load()[:1], seconds=0.3, jobs=1, library=False, progress=False)
    assert time.monotonic() - begin < 20


def test_tasks_that_search_solves_stay(registry):
    batt.primitive("grid: grid -> grid", name="nothing_new", price=1)(lambda grid: grid)
    tasks = batt.load()[:2]
    with_own, without = batt.solve(tasks, steps=40000, progress=False), batt.solve(tasks, steps=40000, progress=False, own=False)
    assert with_own.solved == without.solved == 2 and with_own[0].answers == without[0].answers


def test_stores(registry, tmp_path):
    """Programs with own primitives in stores: kept, resumed, exported, imported; named where they cannot run."""
    path, tasks = tmp_path / "own.batt", made_task(lambda g: [row[::-1] for row in scrambled(g)])
    settings = {"steps": 1000000, "library": False, "progress": False, "store": path}

    def register():
        batt.primitive("grid: grid -> grid", "scramble", 6)(lambda grid: scrambled(grid.tolist()))

    register()
    found = batt.solve(tasks, **settings)
    store = batt.store(path)
    best = store.best(tasks[0])[0]
    assert best["text"] == found[0].program.text.replace("solve_mine", "solve") and "lacks" not in best
    assert store.program("mine")(tasks[0].train[0].input) == tasks[0].train[0].output
    assert batt.solve(tasks, **settings).to_dict()["figures"]["tasks_resumed"] == 1
    text = store.export()
    assert "# primitives: scramble\n" in text and store.check()["sound"]
    again, solvers = tmp_path / "again.batt", tmp_path / "solvers.py"
    solvers.write_text(text)

    batt.forget("scramble")
    assert store.best("mine")[0] == {**best, "lacks": ["scramble"]} and store.check()["sound"]
    assert store.lineage(best)[0]["lacks"] == ["scramble"]
    with pytest.raises(KeyError, match="uses scramble, which this process does not have"):
        store.program("mine")
    assert store.export() == text
    figures = batt.solve(tasks, steps=1000, progress=False, store=path).to_dict()["figures"]
    assert figures["stored_programs_skipped"] == 1 and figures["tasks_resumed"] == 0
    batt.evolve(tasks, generations=1, progress=False, store=path)
    batt.command("store", "import", again, solvers)
    assert batt.store(again).check()["sound"] and batt.store(again).export() == text
    assert batt.command("store", "merge", tmp_path / "merged.batt", path, again, json=True)["programs"] >= 1
    with pytest.raises(ValueError, match="unknown primitive 'scramble'"):
        batt.solvers(solvers, strict=True)

    register()
    assert batt.store(again).program("mine")(tasks[0].train[0].input) == tasks[0].train[0].output
    assert batt.command("run", tasks, solvers=solvers, json=True)["tasks_solved"] == 1
    assert batt.run(batt.solvers(solvers), tasks).solved == 1
    assert batt.solve(tasks, steps=200000, progress=False, known=batt.solvers(solvers), own=False)[0].strategies[0] == "library"
