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
    assert "def fill(grid: Any, value: Any, patch: Any) -> Tuple: ..." in (folder / "__init__.pyi").read_text()
