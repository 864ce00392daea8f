"""What holds data is pickled, copied, drawn, and given to numpy and pandas."""

import base64
import copy
import multiprocessing
import pickle

import batt
import batt.dsl as dsl
import batt.dsl.dialect
import batt.dsl.plain
import pytest

SOLVER = "def solve_x(I):\n    x1 = objects(I, T, F, T)\n    O = fill(I, TWO, toindices(first(order(x1, size))))\n    return O\n"


def everything():
    tasks = batt.load()[:3]
    results = batt.run(batt.solvers(), tasks, profile="counters")
    program = batt.parse("O = vmirror(I)")
    grid = tasks[0].train[0].input
    return {
        "tasks": tasks, "task": tasks[1], "pair": tasks[1].test[0], "grid": grid, "set": dsl.objects(grid, True, False, True),
        "program": program, "programs": batt.parse(SOLVER + "def solve_y(I):\n    O = hmirror(I)\n    return O\n"),
        "result": results[0], "results": results, "trace": program.trace(grid), "profile": results.profile,
        "primitive": dsl.vmirror, "plain": batt.dsl.plain.vmirror, "dialect": batt.dsl.dialect.vmirror,
        "function": dsl.compose(dsl.vmirror, dsl.lbind(dsl.add, 2)), "error": batt.InputError("m", "f", 1, 2, "t"),
        "failure": batt.Failure("type", "rot90", 3),
    }


def shape(thing):
    """What must survive."""
    if isinstance(thing, batt.Results):
        return thing.to_dict(), thing.submission(), thing.solved, len(thing), repr(thing), [r.task for r in thing]
    if isinstance(thing, (batt.Result, batt.Profile, batt.Trace)):
        return thing.to_dict()
    if isinstance(thing, batt.Programs):
        return [(p.name, p.text) for p in thing]
    if isinstance(thing, batt.Program):
        return thing.name, thing.text, thing.mode, thing.hash, thing([[1, 2]])
    if isinstance(thing, batt.Tasks):
        return thing.ids, [t.to_dict() for t in thing]
    if isinstance(thing, batt.Task):
        return thing, thing.source
    if isinstance(thing, batt.Function):
        return thing.text()
    if isinstance(thing, Exception):
        return thing.args, {k: v for k, v in vars(thing).items()}
    return thing


@pytest.mark.parametrize("name", everything())
def test_copies(name):
    thing = everything()[name]
    for made in pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing), copy.copy(thing):
        assert type(made) is type(thing) and shape(made) == shape(thing)


def test_what_python_made_is_refused_by_pickle():
    with pytest.raises(TypeError, match="a Python function"):
        pickle.dumps(dsl.compose(dsl.vmirror, lambda x: x))


def test_results_live_on(tmp_path):
    tasks = batt.load()[:2]
    kept = pickle.loads(pickle.dumps(batt.run(batt.solvers(), tasks)))
    kept.submission(tmp_path / "s.json")
    assert batt.score(tmp_path / "s.json", tasks)["tasks_solved"] == 2
    assert kept[0].program(tasks[0].train[0].input) == tasks[0].train[0].output
    with pytest.raises(ValueError):
        kept.profile


def test_ids_are_kept():
    task = batt.read({"train": [{"input": [[1]], "output": [[1]]}], "test": [{"input": [[1]]}]}, "train")[0]
    other = batt.read({"a b.json": task.to_dict()})[0]
    assert [pickle.loads(pickle.dumps(t)).id for t in (task, other)] == ["train", "a b.json"]


def largest(task):
    return task.id, max(len(p.input) for p in task.train), batt.parse("O = hmirror(I)")(task.train[0].input)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_pool_map(method, semaphores):
    if not semaphores:
        pytest.skip("processes cannot share locks here (/dev/shm)")
    tasks = batt.load()[:4]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(largest, tasks) == [largest(t) for t in tasks]


def test_pictures():
    all = everything()
    for name in "task", "pair", "grid", "set":
        assert all[name].svg().rstrip().endswith("</svg>") and all[name]._repr_svg_() == all[name].svg()
        image = all[name]._repr_html_()  # the same picture as an image: pages made of notebooks drop svg elements
        assert base64.b64decode(image.partition("base64,")[2].partition('"')[0]).decode() == all[name].svg() and 'alt="' in image
        assert all[name].png().startswith(b"\x89PNG") and all[name].svg("colorblind") != all[name].svg()
    for name in "tasks", "program", "programs", "results", "result", "trace", "profile":
        assert "<" in all[name]._repr_html_()
    assert all["set"].svg(over=all["grid"]) != all["set"].svg() and all["trace"]._repr_html_().count("<svg") == 2
    assert dsl.astuple(1, 2)._repr_html_() is None
    assert dsl.astuple(1, 2)._repr_svg_() is None  # a pair of numbers is shown as text
    with pytest.raises(ValueError, match="no picture"):
        dsl.astuple(1, 2).png()
    with pytest.raises(ValueError, match="unknown palette 'mauve'"):
        all["pair"].svg("mauve")


def test_many_tasks_fit_on_a_screen():
    import re

    html = batt.load()[:5]._repr_html_()
    sizes = [(int(w), int(h)) for w, h in re.findall(r'<svg [^>]*?width="(\d+)" height="(\d+)"', html)]
    assert len(sizes) == 5 and all(w <= 300 and h <= 190 for w, h in sizes)


def test_lists_and_arrays():
    numpy = pytest.importorskip("numpy")
    grid = batt.grid([[1, 2], [3, 4]])
    assert grid.tolist() == [[1, 2], [3, 4]] and dsl.asindices(grid).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert dsl.asobject(grid).tolist()[0] == [1, [0, 0]]
    array = numpy.asarray(grid)
    assert array.dtype == numpy.int8 and array.shape == grid.shape == (2, 2) and array.tolist() == grid.tolist()
    assert dsl.vmirror(array) == dsl.vmirror(grid)


def test_frames_of_all():
    pandas = pytest.importorskip("pandas")
    all = everything()
    frame = all["tasks"].to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.id) == all["tasks"].ids and (frame.colors > 1).all()
    assert list(all["profile"].to_frame().columns) == ["primitive", "calls", "failed", "seconds"]
