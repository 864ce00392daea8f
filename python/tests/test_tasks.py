"""Tasks and programs."""

import json

import batt
import batt.dsl
import batt.dsl.dialect
import batt.dsl.plain
import pytest
from batt.dsl import vmirror

TASK = {
    "train": [{"input": [[1, 2]], "output": [[2, 1]]}, {"input": [[3, 4]], "output": [[4, 3]]}],
    "test": [{"input": [[5, 6]], "output": [[6, 5]]}, {"input": [[7, 8]]}],
}


def test_loading_every_format(tmp_path):
    (tmp_path / "mirror.json").write_text(json.dumps(TASK))
    (tmp_path / "sub").mkdir()
    challenges = {"aaa": {"train": TASK["train"], "test": [{"input": [[5, 6]]}]}}
    (tmp_path / "sub" / "x_challenges.json").write_text(json.dumps(challenges))
    (tmp_path / "sub" / "x_solutions.json").write_text(json.dumps({"aaa": [[[6, 5]]]}))
    tasks = batt.load(tmp_path)
    assert tasks.ids == ["aaa", "mirror"] and tasks["aaa"].test[0].output == ((6, 5),)
    assert batt.load(str(tmp_path / "mirror.json"))[0].test[1].output is None
    assert batt.read(TASK, name="mirror.json")[0] == tasks["mirror"] == batt.read(json.dumps(TASK), "mirror.json")[0]
    assert tasks["mirror"].to_dict() == TASK
    assert "mirror" in tasks and tasks[0] in tasks and "nobody" not in tasks
    assert [t.id for t in tasks] == tasks.ids and tasks[-1].id == "mirror" and len(tasks[:1]) == 1 and len(tasks[5:]) == 0
    assert tasks[::-1].ids == ["mirror", "aaa"] and (tasks + batt.load()).ids[:2] == tasks.ids
    (tmp_path / "bad.json").write_text("{")
    tasks = batt.load(tmp_path)
    assert len(tasks) == 2 and tasks.errors[0].file.endswith("bad.json")
    with pytest.raises(batt.InputError):
        batt.load(tmp_path, strict=True)


def test_examples_and_selection():
    tasks = batt.load()
    small = tasks.select(filter="h<=8,w<=8")
    assert 0 < len(small) < len(tasks) and all(len(p.input) <= 8 for t in small for p in t.train)
    assert tasks.select(ids=[tasks[3].id, tasks[1].id]).ids == [tasks[3].id, tasks[1].id]
    assert tasks.select(start=2, count=3).ids == tasks.ids[2:5]


def test_tasks_without_ids():
    """Two tasks that were read from memory stay two, on every way that they are passed on."""
    other = {"train": [{"input": [[1], [2]], "output": [[2], [1]]}], "test": [{"input": [[5], [6]], "output": [[6], [5]]}]}
    both = batt.read(TASK) + batt.read(other)
    assert len(set(both.ids)) == 2 and batt.read(TASK).ids == batt.read(json.dumps(TASK)).ids
    flip = batt.parse("O = hmirror(I)")
    assert not batt.run(flip, both[0]).solved and batt.run(flip, both[1]).solved
    assert [r.solved for r in batt.run(flip, both)] == [False, True]
    for chosen in both[::-1], [both[1], both[0]], both.select(ids=both.ids[::-1]):
        done = batt.run(flip, chosen)
        assert [r.solved for r in done] == [True, False] and list(done.submission()) == both.ids[::-1]
    assert both[::-1][0] == both[1] == both[both.ids[1]] and both[1] in both and both[1] not in both[:1]
    assert len(batt.solve(both, steps=1000).submission()) == 2
    assert batt.read([TASK, other]).ids == both.ids


def test_ids_are_unique(tmp_path):
    one, two = batt.read(TASK, "one"), batt.read({"train": TASK["train"][:1], "test": TASK["test"]}, "one")
    for join in lambda: one + two, lambda: batt.run(batt.parse("O = I"), [one[0], two[0]]), lambda: one + one:
        with pytest.raises(ValueError, match="two tasks have the id one"):
            join()
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folder, task in ("a", TASK), ("b", two[0].to_dict()):
        (tmp_path / folder / "one.json").write_text(json.dumps(task))
    tasks = batt.load(tmp_path)
    assert len(tasks) == 1 and "duplicate id" in str(tasks.errors[0])
    with pytest.raises(KeyError):
        tasks["two"]


def test_numpy_grids():
    numpy = pytest.importorskip("numpy")
    arrays = {which: [{side: numpy.array(g) for side, g in p.items()} for p in pairs] for which, pairs in TASK.items()}
    assert batt.read(arrays, "mirror")[0] == batt.read(TASK, "mirror")[0]


def test_judging_and_drawing():
    task = batt.read(TASK, "mirror.json")[0]
    pair = task.test[0]
    assert pair.judge(vmirror(pair.input)) == "right" and pair.judge(pair.input) == "wrong"
    assert pair.judge(((1,),)) == "wrong size" and pair.judge(5) == "not a grid"
    assert task.test[1].judge(((8, 7),)) == "answer unknown"
    assert "</svg>" in task._repr_svg_() and "2 training pairs" in task.drawing(columns=80, colors=0)
    assert "\x1b[" in task.drawing(columns=80, colors=256)
    assert "<svg" in batt.load()._repr_html_()
    assert "1 2" in batt.draw(((1, 2),))
    assert task.png().startswith(b"\x89PNG")


def test_programs(tmp_path):
    program = batt.parse("def solve_mirror(I):\n    x1 = vmirror(I)\n    O = hmirror(x1)\n    return O\n")
    assert program.name == "solve_mirror" and program.mode == "core" and program.calls == 2 and len(program.hash) == 32
    assert program([[1, 2], [3, 4]]) == ((4, 3), (2, 1))
    assert program == batt.parse("O = hmirror(vmirror(I))") and "def solve_mirror" in str(program)
    trace = program.trace(((1, 2),))
    assert [s.name for s in trace] == ["x1", "O"] and trace[0].value == ((2, 1),) and trace[1].call == "hmirror(x1)"
    assert "<svg" in trace._repr_html_() and trace.to_dict()["steps"][0]["value"] == "((2, 1),)"
    bad = batt.parse("x1 = size(I); O = rot90(x1)")
    with pytest.raises(batt.Failure) as caught:
        bad(((1,),))
    assert caught.value.reason == "type" and caught.value.primitive == "rot90" and caught.value.line == 1
    assert bad.trace(((1,),))[1].reason == "type" and "failed" in bad.trace(((1,),))._repr_html_()
    slow = batt.parse("O = size(repeat(repeat(I, 100000), 100000))")
    with pytest.raises(batt.Failure) as caught:
        slow(((1,),), steps=1000)
    assert caught.value.reason == "steps"
    dialect = batt.parse("def f(S, I, C):\n    x1 = size(S)\n    O = astuple(x1, C)\n    return O\n")
    assert dialect.mode == "batt" and dialect(((1,),), samples=(1, 2), candidate=((7,),)) == (2, ((7,),))
    (tmp_path / "a.py").write_text("def solve_a(I):\n    return vmirror(I)\ndef solve_b(I):\n    return no(I)\n")
    programs = batt.solvers(tmp_path)
    assert len(programs) == 1 and programs["a"].name == "solve_a" and programs.errors[0].line == 4
    assert len(batt.solvers()) > 20


def test_solvers_of_arc_dsl_run_unmodified():
    """The built-in solvers, executed by Python over batt.dsl, give what the engine gives."""
    tasks, programs, names, count = batt.load(), batt.solvers(), {}, 0
    exec("from batt.dsl import *", names)
    for program in programs:
        if program.mode != "core" or not program.name.startswith("solve_") or program.name[6:] not in tasks:
            continue
        exec(program.text, names)
        for pair in tasks[program.name[6:]].train:
            try:
                expected = program(pair.input)
            except batt.Failure:
                continue
            assert names[program.name](pair.input) == expected
            assert names[program.name](pair.input.plain()) == expected
            count += 1
    assert count > 50


def test_stubs_have_every_name():
    import pathlib

    folder = pathlib.Path(batt.dsl.__file__).parent
    if not (folder / "__init__.pyi").exists():
        pytest.skip("no stubs in a build with sanitizers")
    for name, module in (("__init__", batt.dsl), ("plain", batt.dsl.plain), ("dialect", batt.dsl.dialect)):
        text = (folder / f"{name}.pyi").read_text()
        compile(text, name, "exec")
        missing = [n for n in module.__all__ if f"\ndef {n}(" not in text and f"\n{n}: " not in text]
        assert not missing, missing
    assert "def fill(" in (folder / "__init__.pyi").read_text()


def test_jsonl(tmp_path):
    lines = [{"id": "one", **TASK}, {"task_id": "two", "extra": {"a": [1]}, **TASK}, TASK]
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    tasks = batt.load(tmp_path / "many.jsonl")
    assert tasks.ids == ["many_3", "one", "two"] and all(t.to_dict() == TASK for t in tasks)
    assert batt.read((tmp_path / "many.jsonl").read_bytes(), "many.jsonl").ids == tasks.ids
    (tmp_path / "bad.jsonl").write_text(json.dumps({"id": "a/b", **TASK}) + '\n{"id": "x", "train": []}\n\n' + json.dumps({"id": "good", **TASK}) + "\n{")
    tasks = batt.load(tmp_path / "bad.jsonl")
    assert tasks.ids == ["good"] and [e.line for e in tasks.errors] == [1, 2, 5]
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(batt.InputError, match="empty"):
        batt.load(tmp_path / "empty.jsonl")


@pytest.mark.filterwarnings("ignore::batt.SkippedTaskWarning")
def test_broken_jsonl():
    """Whatever the bytes are, there are tasks or errors."""
    import random

    whole = "".join(json.dumps({"id": f"t{k}", **TASK}) + "\n" for k in range(3)).encode()
    choose = random.Random(1)
    for _ in range(2000):
        data = bytearray(whole[: choose.randrange(1, len(whole))])
        for _ in range(choose.randrange(4)):
            data[choose.randrange(len(data))] = choose.choice(b'{}[]",:0 \n\\\x00\xff')
        try:
            assert len(batt.read(bytes(data), "x.jsonl")) <= 3
        except batt.InputError as error:
            assert error.line >= 1 or error.text


def test_verifiers():
    """re-arc's verifiers are found by the id of their task."""
    task = batt.read(TASK, "abc")
    verifiers = batt.parse("def verify_abc(I):\n    O = vmirror(I)\n    return O\ndef verify_xyz(I):\n    O = hmirror(I)\n    return O\n")
    assert batt.run(verifiers, task).solved == 1 and verifiers["abc"].name == "verify_abc"
