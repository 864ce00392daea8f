"""Python can do what the command line does: total time, stores, synthetic tasks, profile formats, options of search."""

import inspect
import json
import os
import re
import subprocess
import time

import batt
import pytest


def test_total_time():
    begin = time.monotonic()
    results = batt.solve(batt.load(), time="1500ms", jobs=2, library=False, progress=False)
    took = time.monotonic() - begin
    assert took < 4 and not results.interrupted and sum(r.done for r in results) > 0
    with pytest.raises(ValueError, match="cannot be combined"):
        batt.solve(batt.load()[:1], time=1, steps=5)
    with pytest.raises(ValueError, match="not 'soon'"):
        batt.solve(batt.load()[:1], time="soon")


def test_total_time_and_stopping():
    job = batt.solve(batt.load(), time="10m", jobs=2, library=False, progress=False, background=True)
    time.sleep(0.3)
    begin = time.monotonic()
    job.stop()
    assert job.result(30).interrupted and time.monotonic() - begin < 5


def test_options_of_search():
    tasks = batt.load()[:3]
    with pytest.raises(ValueError, match="no strategy 'luck'"):
        batt.solve(tasks, steps=100, without=["luck"])
    with pytest.raises(ValueError, match="nothing_such"):
        batt.solve(tasks, steps=100, set={"nothing_such": 1})
    with pytest.raises(ValueError, match="device"):
        batt.solve(tasks, steps=100, device="abacus")
    plain = batt.solve(tasks, steps=20000, library=False)
    some = batt.solve(tasks, steps=20000, without=["library", "stamps"])
    assert all(s != "stamps" for r in some for s in r.strategies) and len(plain) == 3
    assert [r.status for r in batt.solve(tasks, steps=20000, library=False, split=2)]
    assert [r.status for r in batt.solve(tasks, steps=20000, without="library")] == [r.status for r in plain]


def test_stores(tmp_path):
    tasks = batt.load()[:3]
    batt.solve(tasks, steps=20000, store=tmp_path / "s.batt", progress=False)
    store = batt.store(tmp_path / "s.batt")
    assert store.stats()["tasks"] == 3 and store.stats()["file"].endswith("s.batt")
    best = store.best(tasks[0])
    assert best[0]["task"] == tasks[0].id and best[0]["place"] == 1 and len(store.best(k=1)) == 3
    program = store.program(tasks[0].id)
    assert program(tasks[0].train[0].input) == tasks[0].train[0].output and program.hash == best[0]["program"]
    assert store.lineage(program)[0]["text"] == best[0]["text"] and store.best("nobody") == [] and store.program("nobody") is None
    with pytest.raises(FileNotFoundError):
        batt.store(tmp_path / "none.batt")
    (tmp_path / "odd").write_text("odd")
    with pytest.raises(batt.Error, match="odd"):
        batt.store(tmp_path / "odd").stats()
    with pytest.raises(ValueError, match="32 hexadecimal"):
        store.lineage("xyz")


def test_lineage(tmp_path):
    batt.evolve(batt.load()[:2], generations=3, children=64, store=tmp_path / "e.batt", progress=False)
    store = batt.store(tmp_path / "e.batt")
    lines = [store.lineage(row) for row in store.best(k=0)]
    bred = [line for line in lines if line[0].get("parents")]
    assert bred and bred[0][0]["mutation"] and bred[0][1]["program"] == bred[0][0]["parents"][0]


def test_formats_of_profiles(tmp_path):
    profile = batt.run(batt.solvers(), batt.load()[:4], profile="timing").profile
    begins = {"p.json": "{", "p.speedscope.json": "{", "p.csv": "", "p.folded": "", "p.callgrind": "# callgrind", "p.html": "<!doctype html>"}
    for name, begin in begins.items():
        profile.save(tmp_path / name)
        text = (tmp_path / name).read_text()
        assert text.lower().startswith(begin) and len(text) > 100, name
    assert "speedscope" in json.loads((tmp_path / "p.speedscope.json").read_text())["$schema"]
    assert json.loads((tmp_path / "p.json").read_text())["format"] == "batt-profile"
    for name in "p.odd", "p.trace.json":
        with pytest.raises(ValueError, match="selects no format"):
            profile.save(tmp_path / name)
        assert not (tmp_path / name).exists()


def test_synth():
    tasks, programs = batt.synth(count=6, pairs=2, seed=7)
    assert len(tasks) == 6 and all(len(t.train) == 2 and len(t.test) == 1 for t in tasks)
    assert batt.run(batt.parse(programs), tasks).solved == 6
    assert batt.synth(count=6, pairs=2, seed=7)[0].ids == tasks.ids != batt.synth(count=6, pairs=2, seed=8)[0].ids
    name = [line for line in programs.splitlines()][0]
    assert name and len(batt.synth()[0]) > 10 and len(batt.synth(tests=0, count=1)[0][0].test) == 0
    with pytest.raises(ValueError, match="no family 'odd'"):
        batt.synth("odd")


def test_programs_of_results(tmp_path):
    results = batt.run(batt.solvers(), batt.load()[:3])
    assert results.save_programs(tmp_path / "found") == 3
    assert batt.run(tmp_path / "found", batt.load()[:3]).solved == 3


def test_lint(tmp_path):
    found = batt.lint("def solve_a(I):\n    x1 = size(I)\n    O = rot90(x1)\n    return O\n")
    assert len(found) == 1 and found[0]["certain"] and found[0]["line"] == 3 and found[0]["program"] == "solve_a"
    (tmp_path / "s.py").write_text("def solve_b(I):\n    return nothing(I)\n")
    found = batt.lint(tmp_path / "s.py")
    assert found[0]["line"] == 2 and found[0]["file"].endswith("s.py") and batt.lint(batt.solvers()) == [] == batt.lint("O = vmirror(I)")


def test_devices():
    assert all({"number", "name", "platform", "version"} <= set(d) for d in batt.devices())


def test_limits_of_evolution():
    results = batt.evolve(batt.load()[:2], generations=2, children=64, max_calls=3, max_steps=2000, progress=False)
    assert all(p.calls <= 3 for r in results for p in r.programs)


# ---- the table of options ----

COMMANDS = "run solve card evolve net store lint synth learn profile devices".split()


def rows(root):
    lines = (root / "python" / "parity.tsv").read_text().splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]


def test_every_option_is_in_the_table(root):
    command = os.environ.get("BATT") or root / "build" / "batt"
    if not os.path.exists(command):
        pytest.skip("no binary of batt")
    known = {row[:2] for row in rows(root)}
    assert len(known) == len(rows(root))
    there = set()
    for name in COMMANDS:
        text = subprocess.run([command, name, "--help"], capture_output=True, text=True).stdout
        there |= {(name, option) for option in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text, re.M)}
    assert len(there) > 200 and there == known, f"python/parity.tsv lacks {there - known} or has too many: {known - there}"


def test_what_the_table_names_is_there(root):
    helps = {name: batt.command(name, help=True) for name in COMMANDS}
    header = re.sub(r"/\*.*?\*/", "", (root / "include" / "batt.h").read_text(), flags=re.S)
    for command, option, c, python in rows(root):
        if c != "-":
            struct, _, member = c.partition(".")
            body = re.search(rf"struct {struct} {{(.*?)}} {struct};", header, re.S) if member else None
            assert re.search(rf"\b{member}\b", body[1]) if member else f"{struct}(" in header, (command, option, c)
        if not python.startswith("-") and python != "help(..)":
            name, _, part = python.partition(".")
            thing = getattr(batt, name)
            if part and inspect.isfunction(thing) and "options" in inspect.signature(thing).parameters:
                named = part in inspect.signature(thing).parameters
                assert named or part == option[2:].replace("-", "_") and option in helps[command], (command, option, python)
            else:
                assert not part or hasattr(thing, part) or part in inspect.signature(thing).parameters, (command, option, python)


def test_there_are_no_holes(root):
    """Every option has a place in C and Python, or a reason why not."""
    for command, option, c, python in rows(root):
        assert python == "help(..)" or not python.startswith("-") or len(python) > 5, (command, option)
        assert c.startswith("batt_") or c == "-", (command, option)
