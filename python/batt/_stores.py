"""Stores: the programs that solve and evolve found and kept."""

import json
import os

from . import _batt
from ._commands import command
from ._errors import MissingFileError, UnknownNameError
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
        """The k best programs (0: all) of a task (a Task or an id; None: of every task): dicts with score, text, ..

        A program that uses primitives of one's own which this process does not have names them in ``lacks``.
        """
        return json.loads(_batt.store(self.path, "best", task if task is None or isinstance(task, str) else task.id, k))["programs"]

    def program(self, task):
        """The best program of a task; None: there is none."""
        found = self.best(task)
        if found and "lacks" in found[0]:
            raise UnknownNameError(f"the best program of {_id(task)} uses {', '.join(found[0]['lacks'])}, which this process does not have (batt.primitive)")
        return parse(found[0]["text"], found[0]["mode"]) if found else None

    def lineage(self, program):
        """A program (or its hash, or a row of best()) and its ancestors, nearest first: dicts with text, mutation, parents."""
        key = program.hash if isinstance(program, Program) else program["program"] if isinstance(program, dict) else program
        return json.loads(_batt.store(self.path, "lineage", key, 0))["programs"]

    def check(self):
        """Check the file for damage, as ``batt store check`` does: a dict."""
        return self._command("check")

    def export(self, *tasks, **options):
        """The text of a solver file with the programs of these tasks (all if none): ``best=K``, ``partial=True``, .."""
        return command("store", "export", self.path, *map(_id, tasks), **options)

    def import_solvers(self, *paths, **options):
        """Add the programs of solver files and folders, or of the Python pipeline's folders: a dict with counts."""
        return self._command("import", *paths, **options)

    def merge(self, *others):
        """Add what other stores (paths or Store) hold: a dict with counts. Merging twice changes nothing."""
        return self._command("merge", *(o.path if isinstance(o, Store) else o for o in others))

    def prune(self, best, **options):
        """Delete all but the ``best`` programs of each task: a dict with counts."""
        return self._command("prune", best=best, **options)

    def _command(self, what, *arguments, **options):
        return command("store", what, self.path, *arguments, json=True, **options)

    def __repr__(self):
        return f"<batt store {self.path}>"

    def to_frame(self):
        """A pandas.DataFrame with the results of all programs on all tasks."""
        import pandas

        return pandas.DataFrame(self.best(k=0))


def _id(task):
    return task if isinstance(task, str) else task.id


def store(path):
    """Open a store that ``batt.solve(.., store=path)`` or ``batt.evolve(.., store=path)`` wrote."""
    return Store(path)
