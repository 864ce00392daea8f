"""The results of run, solve and evolve, and profiles."""

import html
import json
import os
import re
from collections.abc import Sequence
from functools import cached_property

from . import _batt
from ._errors import UnknownNameError
from ._programs import parse, program_html
from ._tasks import Task, Tasks, small_svg


class Profile:
    """The profile of a run: ``data`` has the format of saved profiles (docs/formats.md)."""

    def __init__(self, text):
        self.text, self.data = text, json.loads(text)

    def __reduce__(self):
        return Profile, (self.text,)

    def to_dict(self):
        return self.data

    def to_frame(self):
        """A pandas.DataFrame, one row for each primitive, slowest first."""
        import pandas

        return pandas.DataFrame(self.rows(), columns=["primitive", "calls", "failed", "seconds"])

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
        """Write the profile; the name says the format: .json, .speedscope.json, .folded, .callgrind, .csv, .html."""
        text = _batt.profile_export(self.text, os.path.basename(os.fspath(path)))
        with open(path, "w") as file:
            file.write(text)

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

    def __reduce__(self):
        return Result, (self._data, self.task)

    def _repr_html_(self):
        shown = []
        for pair, attempts in zip(self.task.test, self.answers):
            for answer in attempts[:1]:
                if answer is not None and pair.output is not None:
                    shown.append(small_svg(_batt.difference(pair.output, answer, None), 420, 240))
                elif answer is not None:
                    shown.append(small_svg(answer.svg(), 240, 240))
        text = program_html(self._data["programs"][0]["program"]) if self._data["programs"] else ""
        head = f"<p><b>{self.id}</b> {html.escape(self.status)} {html.escape(self.reason)}</p>"
        return f"<div>{head}<div style='display:flex;flex-wrap:wrap;gap:8px'>{''.join(shown)}</div>{text}</div>"


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

    def __reduce__(self):
        return _restore, (type(self), self._parts())

    def _parts(self):
        return {
            "_handle": None, "_tasks": Tasks(self._tasks), "_count": self._count, "solved": self.solved, "seconds": self.seconds,
            "interrupted": self.interrupted, "_data": self._data, "_sheet": self._sheet, "_profile": self._profile,
        }

    @cached_property
    def _sheet(self):
        return self._handle.submission(None)

    @cached_property
    def _profile(self):
        try:
            return self._handle.profile()
        except ValueError as error:
            return error

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
            raise UnknownNameError(f"no task {key!r} among the {len(self)} of these results")
        index = key.__index__()
        index += len(self) if index < 0 else 0
        if not 0 <= index < len(self):
            raise IndexError(f"there is no result {key} of {len(self)}")
        if index not in self._made:
            self._made[index] = Result(self._data["results"][index], Task(self._tasks, index))
        return self._made[index]

    @property
    def profile(self):
        """The profile of the run, if one was asked for."""
        if isinstance(self._profile, Exception):
            raise self._profile
        return Profile(self._profile)

    def submission(self, path=None):
        """The answers as a Kaggle submission: a dict, and a file if a path is given."""
        if path is not None and self._handle is not None:
            self._handle.submission(os.fspath(path))
        elif path is not None:
            with open(path, "w") as file:
                file.write(self._sheet)
        return json.loads(self._sheet)

    def save_programs(self, folder):
        """Write the program of every solved task as a solver file, solve_ID.py; returns how many."""
        solved = [r for r in self if r.solved and r.program is not None]
        os.makedirs(folder, exist_ok=True)
        for r in solved:
            with open(os.path.join(folder, f"solve_{r.id}.py"), "w") as file:
                file.write(re.sub(r"def \w+\(", f"def solve_{r.id}(", r.program.text, count=1))
        return len(solved)

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


def _restore(kind, parts):
    """Results without a C side, from what pickling kept."""
    results = kind.__new__(kind)
    results.__dict__.update(parts, _tasks=parts["_tasks"]._handle, _made={})
    return results
