"""Stores: the programs that solve and evolve found and kept."""

import json
import os

from . import _batt
from ._errors import MissingFileError
from ._programs import Program, parse


class Store:
    """A store, opened to read: ``store.stats()``, ``store.best(task)``, ``store.lineage(program)``."""

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise MissingFileError(f"{self.path}: No such file or directory", self.path, 0, 0, "No such file or directory")

    def stats(self):
        """How many programs, results, tasks, .. it holds: a dict."""
        return json.loads(_batt.store(self.path, "stats", None, 0))

    def best(self, task=None, k=1):
        """The k best programs (0: all) of a task (a Task or an id; None: of every task): dicts with score, text, .."""
        return json.loads(_batt.store(self.path, "best", task if task is None or isinstance(task, str) else task.id, k))["programs"]

    def program(self, task):
        """The best program of a task; None: there is none."""
        found = self.best(task)
        return parse(found[0]["text"], found[0]["mode"]) if found else None

    def lineage(self, program):
        """A program (or its hash, or a row of best()) and its ancestors, nearest first: dicts with text, mutation, parents."""
        key = program.hash if isinstance(program, Program) else program["program"] if isinstance(program, dict) else program
        return json.loads(_batt.store(self.path, "lineage", key, 0))["programs"]

    def __repr__(self):
        return f"<batt store {self.path}>"

    def to_frame(self):
        """A pandas.DataFrame with the results of all programs on all tasks."""
        import pandas

        return pandas.DataFrame(self.best(k=0))


def store(path):
    """Open a store that ``batt.solve(.., store=path)`` or ``batt.evolve(.., store=path)`` wrote."""
    return Store(path)
