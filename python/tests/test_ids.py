"""No task answers for another: whichever way tasks come in, ids are unique, and what is skipped is said."""

import copy
import json
import pickle

import batt
import pytest

FLAT = {"train": [{"input": [[1, 2]], "output": [[2, 1]]}], "test": [{"input": [[3, 4]], "output": [[4, 3]]}]}
TALL = {"train": [{"input": [[1], [2]], "output": [[2], [1]]}], "test": [{"input": [[3], [4]], "output": [[4], [3]]}]}
MIRROR = batt.parse("O = vmirror(I)")  # right for FLAT alone


def solved(tasks):
    return [r.solved for r in batt.run(MIRROR, tasks)]


def test_two_tasks_without_a_name():
    both = batt.read(FLAT) + batt.read(TALL)
    assert solved(both) == [True, False] and solved(both[0]) == [True] and solved(both[1]) == [False]
    assert len(batt.run(MIRROR, both).submission()) == 2


@pytest.mark.parametrize("turned", [
    lambda b: b[::-1], lambda b: list(b)[::-1], lambda b: [b[1], b[0]], lambda b: b.select([b[1].id, b[0].id]), lambda b: b[1:] + b[:1],
    lambda b: pickle.loads(pickle.dumps(b[::-1])), lambda b: [copy.deepcopy(b[1]), pickle.loads(pickle.dumps(b[0]))],
    lambda b: batt.read([TALL, FLAT]), lambda b: batt.read([TALL, FLAT], "x"), lambda b: batt.read({"1": TALL, "2": FLAT}),
    lambda b: batt.read(f"{json.dumps(TALL)}\n{json.dumps(FLAT)}\n", "x.jsonl"),
])
def test_every_selection_keeps_its_tasks(turned):
    tasks = turned(batt.read([FLAT, TALL]))
    results = batt.run(MIRROR, tasks)
    assert [r.solved for r in results] == [False, True] and len(results.submission()) == 2
    assert [r.task.to_dict() for r in results] == [TALL, FLAT] == [t.to_dict() for t in tasks]
    assert [r.task.to_dict() for r in batt.solve(tasks, steps=100, progress=False)] == [TALL, FLAT]


@pytest.mark.parametrize("double", [
    lambda: batt.read(FLAT) + batt.read(FLAT), lambda: batt.read(FLAT, "x") + batt.read(TALL, "x"), lambda: batt.read([FLAT, FLAT]),
    lambda: batt.read([{"id": "q", **FLAT}, {"id": "q", **TALL}]), lambda: batt.run(MIRROR, [batt.read(FLAT)[0]] * 2),
    lambda: batt.solve([batt.read(FLAT, "x")[0], batt.read(TALL, "x")[0]], steps=10), lambda: batt.load().select([batt.load().ids[0]] * 2),
])
def test_doubles_are_refused(double):
    with pytest.raises(ValueError, match="two tasks have the id|asked for twice"):
        double()


def test_doubles_in_files_are_said(tmp_path):
    for name, data in ("a", FLAT), ("b", TALL):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.json").write_text(json.dumps(data))
    for paths in [tmp_path], [tmp_path / "a", tmp_path / "b"]:
        with pytest.warns(batt.SkippedTaskWarning, match="duplicate id"):
            tasks = batt.load(*paths)
        assert len(tasks) == 1 == len(tasks.errors)
        with pytest.raises(batt.InputError, match="duplicate id"):
            batt.load(*paths, strict=True)
    lines = "".join(json.dumps({"id": "q", **data}) + "\n" for data in (FLAT, TALL))
    for text, name in (f'{{"q": {json.dumps(FLAT)}, "q": {json.dumps(TALL)}}}', "x"), (lines, "x.jsonl"):
        with pytest.warns(batt.SkippedTaskWarning, match="duplicate id"):
            assert batt.read(text, name).ids == ["q"]


def test_names_in_lists():
    assert batt.read([FLAT, {"task_id": "own", **TALL}], "x").ids == ["x_1", "own"]
