"""run, solve and evolve, and their results."""

import html
import json
import os
import sys
import time
from collections.abc import Sequence
from functools import cached_property

from . import _batt
from ._programs import Program, Programs, _count, _nanoseconds, parse, solvers
from ._tasks import Task, handle_of

_PROFILES = {None: 0, False: 0, "counters": 1, "timing": 2, "trace": 3, True: 2}


class Bar:
    """A progress bar on one line of a stream: done, total, time elapsed and left."""

    def __init__(self, what, stream=None):
        self.what, self.stream = what, stream if stream is not None else sys.stderr
        self.start, self.shown = time.monotonic(), False

    def __call__(self, done, total):
        gone = time.monotonic() - self.start
        line = f"{self.what}: {done}"
        if total:
            filled = 24 * done // total
            left = gone / done * (total - done) if done else 0
            line = f"{self.what}: [{'#' * filled}{'.' * (24 - filled)}] {done}/{total}, {gone:.0f} s gone, {left:.0f} s to go"
        self.stream.write(f"\r{line}\x1b[K")
        self.stream.flush()
        self.shown = True

    def close(self):
        if self.shown:
            self.stream.write("\n")
            self.stream.flush()


def _progress(progress, what):
    """None: a bar in a terminal or notebook; True: always; False: none; or a function of (done, total)."""
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if progress is False:
        return None
    return Bar(what) if progress is True else progress


class Profile:
    """The profile of a run: ``data`` has the format of saved profiles (docs/profile-format.md)."""

    def __init__(self, text):
        self.text, self.data = text, json.loads(text)

    def to_dict(self):
        return self.data

    def rows(self):
        """(primitive, calls, failed, seconds) slowest first; seconds are 0 if only calls were counted."""
        names = self.data["names"]
        sums = [[calls, fails, 0.0] for _, _, calls, fails in names]
        for task in self.data["tasks"]:
            for name, _, _, _, _, *own in task["rows"]:
                sums[name][2] += task["weight"] * sum(own) / max(len(own), 1) * 1e-9
        rows = [(name, *figures) for (name, family, *_), figures in zip(names, sums) if figures[0] and family != "engine"]
        return sorted(rows, key=lambda r: (-r[3], -r[1], r[0]))

    def save(self, path):
        with open(path, "w") as file:
            file.write(self.text)

    def __repr__(self):
        return f"<batt profile: {len(self.rows())} primitives>"

    def _repr_html_(self):
        rows = "".join(
            f"<tr><td style='text-align:left'><code>{html.escape(n)}</code></td><td>{c}</td><td>{f}</td><td>{s * 1e6:.1f}</td></tr>"
            for n, c, f, s in self.rows()[:25]
        )
        return f"<table><tr><th>primitive</th><th>calls</th><th>failed</th><th>self, µs</th></tr>{rows}</table>"


class Result:
    """The result of one task: ``id``, ``status``, ``solved``, ``reason``, ``train_correct``, ``seconds``, ``steps``, ..

    ``programs``: the programs behind the answers, best first; ``answers``: for every test a list of grids, one per attempt;
    ``samples``: for batt.run, the verdict, reason and time of every pair.
    """

    def __init__(self, data, task):
        self._data, self.task = data, task
        self.id, self.status, self.solved, self.reason = data["id"], data["status"], data["solved"], data["reason"]
        self.done, self.steps, self.seconds = data["done"], data["steps"], data["time_s"]
        self.train_correct, self.test_correct = data["train_correct"], data["test_correct"]
        self.samples = data.get("samples", [])
        self.answers = [[_batt.grid(a) if a else None for a in test] for test in data["answers"]]

    @property
    def programs(self):
        return [parse(p["program"]) for p in self._data["programs"]]

    @property
    def program(self):
        """The best program, or None."""
        return parse(self._data["programs"][0]["program"]) if self._data["programs"] else None

    @property
    def strategies(self):
        """Which strategy of the search found each program."""
        return [p.get("strategy") for p in self._data["programs"]]

    def to_dict(self):
        return self._data

    def __repr__(self):
        return f"<batt result {self.id}: {self.status}>"

    def _repr_html_(self):
        shown = []
        for pair, attempts in zip(self.task.test, self.answers):
            for answer in attempts[:1]:
                if answer is not None and pair.output is not None:
                    shown.append(_batt.difference(pair.output, answer, None))
                elif answer is not None:
                    shown.append(answer._repr_svg_())
        text = html.escape(self._data["programs"][0]["program"]) if self._data["programs"] else ""
        return f"<div><b>{self.id}</b> {html.escape(self.status)} {html.escape(self.reason)}{''.join(shown)}<pre>{text}</pre></div>"


class Results(Sequence):
    """Results in the order of the tasks; indexed by position or task id.

    ``solved``: number of solved tasks; ``interrupted``: Ctrl-C ended the run, and these are the results so far; ``seconds``:
    wall time; ``figures``: totals of the run; ``profile``: the profile, if requested.
    """

    def __init__(self, handle, tasks):
        self._handle, self._tasks = handle, tasks
        self._count, self.solved, stopped, self.seconds = handle.summary()
        self.interrupted = bool(stopped)
        self._made = {}

    @cached_property
    def _data(self):
        return json.loads(self._handle.json())

    @property
    def figures(self):
        return self._data["figures"]

    def __len__(self):
        return self._count

    def __getitem__(self, key):
        if isinstance(key, slice):
            return [self[k] for k in range(*key.indices(len(self)))]
        if isinstance(key, str):
            for k, item in enumerate(self._data["results"]):
                if item["id"] == key:
                    return self[k]
            raise KeyError(key)
        index = key.__index__()
        index += len(self) if index < 0 else 0
        if not 0 <= index < len(self):
            raise IndexError("there is no such result")
        if index not in self._made:
            self._made[index] = Result(self._data["results"][index], Task(self._tasks, index))
        return self._made[index]

    @property
    def profile(self):
        return Profile(self._handle.profile())

    def submission(self, path=None):
        """The answers as a Kaggle submission: a dict, and a file if a path is given."""
        if path is not None:
            self._handle.submission(os.fspath(path))
        return json.loads(self._handle.submission(None))

    def to_dict(self):
        return self._data

    def to_frame(self):
        """A pandas.DataFrame, one row for each task."""
        import pandas

        return pandas.DataFrame(
            [
                {
                    **{k: v for k, v in item.items() if k not in ("programs", "samples", "answers")},
                    "program": item["programs"][0]["program"] if item["programs"] else None,
                    "strategy": item["programs"][0].get("strategy") if item["programs"] else None,
                }
                for item in self._data["results"]
            ]
        )

    def __repr__(self):
        ended = ", interrupted" if self.interrupted else ""
        return f"<batt results: {self.solved} of {len(self)} tasks solved in {self.seconds:.2f} s{ended}>"

    def _repr_html_(self):
        rows = "".join(
            f"<tr><td style='text-align:left'>{html.escape(r.id)}</td><td style='text-align:left'>{html.escape(r.status)}</td>"
            f"<td style='text-align:left'>{html.escape(r.reason)}</td><td>{r.seconds:.3f}</td></tr>"
            for r in self[:50]
        )
        more = f"<p>and {len(self) - 50} more</p>" if len(self) > 50 else ""
        return (
            f"<p>{html.escape(repr(self)[1:-1])}</p><table><tr><th>task</th><th>status</th><th>why</th><th>seconds</th></tr>"
            f"{rows}</table>{more}"
        )


def _programs_handle(programs):
    if isinstance(programs, Programs):
        return programs._handle
    if isinstance(programs, Program):
        programs = [programs]
    if isinstance(programs, (str, os.PathLike)):
        return solvers(programs)._handle
    if isinstance(programs, Sequence) and programs and all(isinstance(p, Program) for p in programs):
        return _batt.Programs.parse("\n".join(_named(p, k) for k, p in enumerate(programs)), -1)
    raise TypeError("expected programs: batt.solvers(..), batt.parse(..), or a list of programs")


def _named(program, k):
    """The text under a unique name: canonical text calls every unnamed solver solve."""
    return program.text if program.name else program.text.replace("def solve(", f"def solve_program_{k}(", 1)


def _jobs(jobs):
    return _count(jobs, "jobs", 1024)


def _finish(handle, tasks, bar):
    if isinstance(bar, Bar):
        bar.close()
    return Results(handle, tasks)


def run(programs, tasks, jobs=0, budget=None, *, steps=0, bytes=0, all=False, safe=False, profile=None, progress=False):
    """Run programs on tasks, as ``batt run`` does: on each task those named solve_ID, or with ``all`` every program.

    budget: seconds for one evaluation (10 if None); steps and bytes limit it further. jobs: threads, 0: one per processor.
    profile: "counters", "timing" or "trace". Ctrl-C ends the run and returns the results so far, marked ``interrupted``.
    """
    handle, bar = handle_of(tasks), _progress(progress, "running")
    single = isinstance(programs, Program)
    done = _batt.run(
        _programs_handle(programs), handle, _jobs(jobs), _count(steps, "steps"), _count(bytes, "bytes"), _nanoseconds(budget), bool(all or single), safe,
        _PROFILES[profile], bar,
    )
    return _finish(done, handle, bar)


def solve(
    tasks, seconds=None, steps=0, attempts=2, jobs=0, store=None, progress=None, *, known=None, library=True, bytes=0,
    profile=None,
):
    """Search for programs that solve tasks, as ``batt solve`` does.

    seconds: processor time per task (5 if None); steps: a limit that gives the same answers on any machine. store: a file that
    keeps programs for later runs and from which an interrupted run resumes. known: programs to try first (the built-in ones
    if None); library=False: none. Ctrl-C ends the search and returns the results so far, marked ``interrupted``.
    """
    handle, bar = handle_of(tasks), _progress(progress, "solving")
    done = _batt.solve(
        handle, _jobs(jobs), _nanoseconds(seconds), _count(steps, "steps"), _count(bytes, "bytes"),
        _count(attempts, "attempts", 3), None if known is None else _programs_handle(known),
        not library, None if store is None else os.fspath(store), _PROFILES[profile], bar,
    )
    return _finish(done, handle, bar)


def evolve(
    tasks, seconds=None, generations=0, seed=1, jobs=0, store=None, progress=None, *, founders=None, children=0, population=0,
    profile=None,
):
    """Evolve programs for tasks, as ``batt evolve`` does, for a number of seconds (60 by default) or generations.

    founders: programs to start from (every program of one call if None). store: a file that keeps the state; a later run
    resumes from it.
    """
    handle, bar = handle_of(tasks), _progress(progress, "evolving")
    done = _batt.evolve(
        handle, _jobs(jobs), _nanoseconds(seconds), _count(generations, "generations"), _count(seed, "seed"),
        _count(children, "children", 2**20), _count(population, "population", 4096),
        None if founders is None else _programs_handle(founders), None if store is None else os.fspath(store),
        _PROFILES[profile], bar,
    )
    return _finish(done, handle, bar)


def score(submission, tasks):
    """Score a submission (a dict, JSON text, a path, or results) against tasks with known outputs; returns a dict."""
    if isinstance(submission, Results):
        submission = submission.submission()
    if isinstance(submission, os.PathLike) or (isinstance(submission, str) and not submission.lstrip().startswith("{")):
        with open(submission) as file:
            submission = file.read()
    if not isinstance(submission, str):
        submission = json.dumps(submission)
    return json.loads(_batt.score(submission, handle_of(tasks)))


def submission(results, path=None):
    """The answers of results as a Kaggle submission: a dict, and a file if a path is given."""
    return results.submission(path)
