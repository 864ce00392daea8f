"""A researcher's day: load, run, draw, solve in the background with a bar, stop, submit, score, profile, evolve, store,
a DataFrame, Pool.map, asyncio, as one script that uses the package as its documentation says."""

import asyncio
import json
import multiprocessing
import os
import pickle
import time

import batt
import pytest
from batt.dsl import fill, first, objects, order, size, vmirror


def features(task):
    """Runs in another process: a task goes there, and plain data comes back."""
    grid = task.train[0].input
    return task.id, grid.shape, len(objects(grid, True, False, True))


def test_a_day(tmp_path, capsys, semaphores):
    # morning: load what colleagues have
    own = {"train": [{"input": [[1, 2], [0, 0]], "output": [[2, 1], [0, 0]]}], "test": [{"input": [[3, 4]], "output": [[4, 3]]}]}
    (tmp_path / "data.jsonl").write_text(json.dumps({"id": "mine", **own}) + "\n")
    made, solvers = batt.synth(count=4, seed=3)
    tasks = batt.load()[:8] + batt.load(tmp_path / "data.jsonl") + made
    assert len(tasks) == 13 and tasks["mine"].train[0].input.tolist() == [[1, 2], [0, 0]]

    # look at it
    task = tasks["mine"]
    (tmp_path / "task.png").write_bytes(task.png())
    (tmp_path / "pair.svg").write_text(task.train[0].svg())
    assert task.drawing(columns=80, colors=0) and tasks._repr_html_().count("<svg") == 10

    # write a solver, with arc-dsl's own words and as a program; see what each line does
    def solver(I):
        return vmirror(I)

    assert task.test[0].judge(solver(task.test[0].input)) == "right"
    program = batt.parse("def solve_mine(I):\n    O = vmirror(I)\n    return O\n")
    assert "<svg" in program.trace(task.test[0].input)._repr_html_() and batt.lint(program) == []
    largest = first(order(objects(tasks[0].train[0].input, True, False, True), size))
    assert fill(tasks[0].train[0].input, 5, largest) != tasks[0].train[0].input

    # run it with the built-in and the generated ones, and see where the time goes
    programs = batt.parse("\n".join([program.text, solvers, *(p.text for p in batt.solvers())]))
    results = batt.run(programs, tasks, profile="timing")
    assert results.solved == 13
    results.profile.save(tmp_path / "run.speedscope.json")
    assert "speedscope" in (tmp_path / "run.speedscope.json").read_text()

    # search in the background, with a bar, into a store; look at what is there; stop
    job = batt.solve(tasks, seconds=20, jobs=2, store=tmp_path / "found.batt", progress=True, background=True)
    with pytest.raises(TimeoutError):
        job.result(0.01)
    while not job.found and not job.done():
        time.sleep(0.01)
    assert next(iter(job.found.values())).answers
    job.stop()
    found = job.result(60)
    assert found.interrupted or len(job.found) == 13
    assert "solving: [" in capsys.readouterr().err

    # the next run goes on from the store, within a quarter of a minute in all; submit and score
    found = batt.solve(tasks, time="15s", seconds="200ms", jobs=2, store=tmp_path / "found.batt", progress=False)
    sheet = found.submission(tmp_path / "submission.json")
    assert list(sheet) == tasks.ids and os.path.exists(tmp_path / "submission.json")
    score = batt.score(tmp_path / "submission.json", tasks)
    assert score["tasks_solved"] >= 8 and found.save_programs(tmp_path / "solved") >= 8
    store = batt.store(tmp_path / "found.batt")
    assert store.stats()["tasks"] >= 8 and store.program(tasks[0])(tasks[0].train[0].input) == tasks[0].train[0].output

    # evolve what is left, and ask where a program came from
    evolved = batt.evolve(tasks[:2], generations=2, children=64, store=tmp_path / "bred.batt", progress=False)
    bred = batt.store(tmp_path / "bred.batt")
    assert evolved.figures["generation"] == 2 and bred.lineage(bred.best(tasks[0])[0])[0]["text"]

    # other processes, another loop, and everything kept for tomorrow
    if semaphores:
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            assert pool.map(features, tasks[:4]) == [features(t) for t in tasks[:4]]

    async def both():
        return await asyncio.gather(*(batt.solve(t, steps=2000, background=True, progress=False) for t in tasks[:2]))

    assert [len(r) for r in asyncio.run(both())] == [1, 1]
    (tmp_path / "day.pickle").write_bytes(pickle.dumps({"tasks": tasks, "found": found, "program": program}))
    kept = pickle.loads((tmp_path / "day.pickle").read_bytes())
    assert kept["found"].submission() == sheet and kept["program"] == program and kept["tasks"].ids == tasks.ids


def test_a_table_of_it():
    pandas = pytest.importorskip("pandas", reason="no pandas (python3-pandas)")
    tasks = batt.load()[:6]
    joined = batt.run(batt.solvers(), tasks).to_frame().merge(tasks.to_frame(), on="id")
    assert isinstance(joined, pandas.DataFrame) and len(joined) == 6 and joined.solved.all() and joined.colors.min() > 0
