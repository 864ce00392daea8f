"""The commands of the command line in this process: net, card, learn, profile, devices, lint, stores, and all others by name."""

import json
import os
import signal
import threading
import time

import batt
import pytest


def test_net():
    tasks = batt.load()[:2]
    report = batt.net(tasks, steps=3, jobs=1)
    assert report["schema"] == "batt.net/1" and [r["id"] for r in report["results"]] == tasks.ids
    assert [r["id"] for r in batt.net(tasks[1], steps=3, jobs=1)["results"]] == [tasks[1].id]
    again = batt.net(tasks, steps=3, jobs=2)
    assert [r["answers"] for r in again["results"]] == [r["answers"] for r in report["results"]]
    assert batt.net(tasks, steps=3, seed=2)["results"] != report["results"]


def test_a_battery_is_made_and_run(tmp_path):
    text = batt.card(batt.solvers()[:4], tmp_path / "battery.py", freeze=True)
    assert (tmp_path / "battery.py").read_text() == text and "programs=4 mutated=0" in text
    tasks = batt.load()
    report = batt.command("run", tasks, battery=tmp_path / "battery.py", json=True)
    assert report["schema"] == "batt.run/1" and report["tasks"] == len(tasks) and report["tasks_solved"] >= 4
    assert batt.card(count=3, seed=1) != batt.card(count=3, seed=2)


def test_what_is_learned_is_used(tmp_path):
    idioms = batt.learn(batt.solvers(), tmp_path / "idioms", new=5)
    assert (tmp_path / "idioms").read_text() == idioms and "hmirror" in idioms
    report = batt.command("solve", batt.load()[:1], vocabulary=tmp_path / "idioms", steps=2000, json=True, progress="off")
    assert report["schema"] == "batt.solve/1" and report["tasks"] == 1


def test_profile(tmp_path):
    tasks = batt.load()[:3]
    report = batt.profile("batch", tasks, repeat=3, warmup=0, output=[tmp_path / "p.json", tmp_path / "p.html"])
    assert report["view"] == "batch" and report["tasks"] == 3 and report["repeats"] == 3
    assert "<html" in (tmp_path / "p.html").read_text() and batt.profile("batch", from_=tmp_path / "p.json")["tasks"] == 3
    assert batt.profile("dsl", tasks, id=tasks[0].id, repeat=3)["tasks"] == 1


def test_any_command(tmp_path):
    tasks = batt.load()[:4]
    batt.command("run", tasks, gallery=tmp_path / "page.html")
    assert all(id in (tmp_path / "page.html").read_text() for id in tasks.ids)
    with pytest.raises(ValueError, match="--force"):  # a file that batt did not write stays
        (tmp_path / "mine.html").write_text("mine")
        batt.command("run", tasks, gallery=tmp_path / "mine.html")
    families = batt.command("synth", list=True, json=True)
    assert families["families"][0]["program"].startswith("def solve_")
    assert "vmirror" in batt.command("prims", "vmirror") and batt.command("run", help=True).startswith("batt run:")


def test_messages(capfd):
    batt.command("run", solvers=batt.solvers())
    out, err = capfd.readouterr()
    assert out == "" and "built-in examples" in err
    batt.card(count=2)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "arguments, options, kind, text",
    [
        (("fly",), {}, ValueError, "no command 'fly'"),
        (("serve",), {}, ValueError, "no command 'serve'"),
        (("help",), {}, ValueError, "no command 'help'"),
        (("net",), {"steps": "many"}, ValueError, "--steps 'many': expected a whole number"),
        (("net",), {"speed": 3}, ValueError, "unknown option '--speed'"),
        (("run", "/no/such/file.json"), {}, FileNotFoundError, "/no/such/file.json"),
        (("run", object()), {}, TypeError, "a command takes texts"),
    ],
)
def test_errors(arguments, options, kind, text):
    with pytest.raises(kind, match=text):
        batt.command(*arguments, **options)


def test_interrupt():
    """Ctrl-C: the net so far is reported."""
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    report = batt.net(batt.load()[:1], steps=1_000_000, jobs=1)
    assert time.monotonic() - begin < 60 and 0 < report["steps"] < 1_000_000


def test_order_of_sets():
    program = batt.parse("def solve_x(I):\n    x1 = asindices(I)\n    x2 = totuple(x1)\n    x3 = first(x2)\n    O = fill(I, ZERO, x3)\n    return O\n")
    assert batt.lint(program) == []
    found = batt.lint("def solve_x(I):\n    x1 = palette(I)\n    x2 = first(x1)\n    O = canvas(x2, TWO_BY_TWO)\n    return O\n", order=True)
    assert [f["program"] for f in found] == ["solve_x"] and "order" in found[0]["text"] and not found[0]["certain"]
    assert batt.lint(batt.solvers()[0], order=True, tasks=batt.load()[:1]) == []


def test_stores(tmp_path):
    tasks = batt.load()[:2]
    for k, task in enumerate(tasks):
        batt.solve(task, steps=20000, store=tmp_path / f"{k}.batt", progress=False)
    store, other = batt.store(tmp_path / "0.batt"), batt.store(tmp_path / "1.batt")
    assert store.check()["sound"] and len(store.best()) == 1
    assert store.merge(other)["schema"] == "batt.store.merge/1" and len(store.best()) == 2
    text = store.export(tasks[0], best=1)
    (tmp_path / "programs.py").write_text(text)
    assert batt.run(tmp_path / "programs.py", tasks[0]).solved == 1
    assert store.import_solvers(tmp_path / "programs.py")["schema"] == "batt.store.import/1"
    store.prune(1)
    assert all(len(store.best(t, k=0)) == 1 for t in tasks)


def test_devices_and_differs():
    tasks = batt.load()[:2]
    assert batt.run(batt.solvers(), tasks, all=True, device="cpu").solved == 2
    with pytest.raises(ValueError, match="batteries only"):
        batt.run(batt.solvers(), tasks, device="auto")
    with pytest.raises(ValueError, match="abacus"):
        batt.evolve(tasks, generations=1, device="abacus")
    differ = batt.parse("def differ(S, I, C):\n    x1 = height(C)\n    x2 = height(I)\n    x3 = equality(x1, x2)\n    O = branch(x3, 1000, ZERO)\n    return O\n", mode="batt")
    plain, judged = (batt.evolve(tasks, generations=3, children=64, differs=d, progress=False) for d in (None, differ))
    assert plain.figures["generation"] == judged.figures["generation"] == 3
    with pytest.raises(ValueError, match=r"parameters \(S, I, C\)"):
        batt.evolve(tasks, generations=1, differs=batt.solvers()[0])
    programs = [p for r in batt.evolve(tasks, generations=1, children=64, mode="batt", progress=False) for p in r.programs]
    assert programs and {p.mode for p in programs} == {"batt"}
    with pytest.raises(ValueError, match="mode is"):
        batt.evolve(tasks, mode="other")
