"""Tasks: training and test pairs of grids. Notebooks draw them."""

import os
import shutil
import sys
from collections.abc import Sequence

from . import _batt
from ._errors import FileError, InputError

_TRAIN, _TEST = 0, 1


class Pair:
    """An input grid and its output (None: unknown). Grids act as numpy arrays and as Python tuples."""

    __slots__ = ("_tasks", "_task", "_which", "_index")

    def __init__(self, tasks, task, which, index):
        self._tasks, self._task, self._which, self._index = tasks, task, which, index

    @property
    def input(self):
        return self._tasks.grid(self._task, self._which, self._index, 0)

    @property
    def output(self):
        return self._tasks.grid(self._task, self._which, self._index, 1)

    def judge(self, answer):
        """The verdict on an answer: "right", "wrong", "wrong size", "not a grid" or "answer unknown"."""
        return self._tasks.judge(self._task, self._which, self._index, answer)

    def __iter__(self):
        return iter((self.input, self.output))

    def __eq__(self, other):
        return isinstance(other, Pair) and tuple(self) == tuple(other)

    def __hash__(self):
        return hash(tuple(self))

    def __repr__(self):
        size = [f"{len(g)}x{len(g[0])}" if g is not None else "?" for g in self]
        return f"<batt pair {size[0]} -> {size[1]}>"

    def to_dict(self):
        pair = {"input": [list(row) for row in self.input]}
        if self.output is not None:
            pair["output"] = [list(row) for row in self.output]
        return pair


class Task:
    """A task: ``id``, ``source`` (its file), ``train`` and ``test`` (lists of pairs)."""

    __slots__ = ("_tasks", "_index", "id", "source", "train", "test")

    def __init__(self, tasks, index):
        self._tasks, self._index = tasks, index
        self.id, self.source, n_train, n_test = tasks.about(index)
        self.train = [Pair(tasks, index, _TRAIN, k) for k in range(n_train)]
        self.test = [Pair(tasks, index, _TEST, k) for k in range(n_test)]

    @property
    def samples(self):
        """((input, output), ..) of the training pairs: the parameter S of batt programs."""
        return self._tasks.samples(self._index)

    def svg(self, palette=None):
        """A picture, as text. Palettes: classic, arcprize, colorblind."""
        return self._tasks.svg(self._index, palette)

    def png(self, palette=None):
        """A picture, as the bytes of a PNG file."""
        return self._tasks.png(self._index, palette)

    def drawing(self, columns=None, colors=None, palette=None):
        """Text for a terminal with this many columns; colors: 0 (digits), 256 or 1 << 24."""
        if columns is None:
            columns = shutil.get_terminal_size().columns
        if colors is None:
            colors = 256 if sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR") else 0
        return self._tasks.drawing(self._index, palette, columns, colors)

    def show(self, **how):
        """Print the drawing."""
        print(self.drawing(**how))

    def to_dict(self):
        return {"train": [p.to_dict() for p in self.train], "test": [p.to_dict() for p in self.test]}

    def _repr_svg_(self):
        return self.svg()

    def __repr__(self):
        count = lambda n, what: f"{n} {what}" + ("" if n == 1 else "s")
        return f"<batt task {self.id}: {count(len(self.train), 'training pair')}, {count(len(self.test), 'test')}>"

    def __eq__(self, other):
        return isinstance(other, Task) and (self.id, self.train, self.test) == (other.id, other.train, other.test)

    def __hash__(self):
        return hash(self.id)


class Tasks(Sequence):
    """A sequence of tasks, indexed by position or id: ``tasks[0]``, ``tasks["00d62c1b"]``, ``tasks[:10]``.

    ``errors`` lists the errors in the files: exceptions with file, line, column and text.
    """

    def __init__(self, handle):
        self._handle = handle
        self._made = {}

    @property
    def ids(self):
        return [self._handle.about(k)[0] for k in range(len(self))]

    @property
    def errors(self):
        return [
            InputError(f"{file}:{line}:{column}: {text}" if line else f"{file}: {text}", file, line, column, text)
            for _, file, line, column, text in self._handle.errors()
        ]

    def select(self, ids=(), filter=None, start=0, count=0):
        """Select tasks by ids, by a filter such as "h<=10,colors<=3,same_size", and by position."""
        if isinstance(ids, str):
            ids = (ids,)
        return Tasks(self._handle.select(tuple(ids), filter, start, count))

    def __len__(self):
        return len(self._handle)

    def __getitem__(self, key):
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                count = max(stop - start, 0)
                return Tasks(self._handle.select((), None, start if count else len(self), count))
            return self.select(ids=[self._handle.about(k)[0] for k in range(start, stop, step)])
        if isinstance(key, str):
            one = self._handle.select((key,), None, 0, 0)
            return Task(one, 0)
        index = key.__index__()
        index += len(self) if index < 0 else 0
        if not 0 <= index < len(self):
            raise IndexError("there is no such task")
        task = self._made.get(index)
        if task is None:
            task = self._made[index] = Task(self._handle, index)
        return task

    def __contains__(self, task):
        return (task if isinstance(task, str) else getattr(task, "id", None)) in self.ids

    def __add__(self, other):
        return Tasks(_batt.Tasks.join((self._handle, handle_of(other))))

    def __repr__(self):
        return f"<batt tasks: {len(self)}>"

    def _repr_html_(self):
        shown = "".join(f"<details open><summary>{t.id}</summary>{t.svg()}</details>" for t in self[:5])
        more = f"<p>and {len(self) - 5} more</p>" if len(self) > 5 else ""
        return f"<div>{shown}{more}</div>"


def handle_of(tasks):
    """The C side of tasks, one task, or a sequence of tasks."""
    if isinstance(tasks, Tasks):
        return tasks._handle
    if isinstance(tasks, Task):
        return tasks._tasks.select((tasks.id,), None, 0, 0)
    if isinstance(tasks, (str, os.PathLike)):
        return load(tasks)._handle
    if isinstance(tasks, Sequence) and all(isinstance(t, Task) for t in tasks):
        return _batt.Tasks.join(tuple(handle_of(t) for t in tasks))
    raise TypeError("expected tasks: batt.load(..), one of its tasks, or a list of them")


def load(*paths, strict=False):
    """Load any mix of folders, task files, challenges files (with the solutions file next to them) and lists of pairs;
    without a path, the built-in examples.

    Malformed tasks are skipped and listed in ``.errors``; with ``strict``, or if nothing could be read, the first error
    is raised.
    """
    tasks = Tasks(_batt.Tasks.load(tuple(os.fspath(p) for p in paths)))
    errors = tasks.errors
    if errors and (strict or not len(tasks)):
        raise errors[0]
    if not len(tasks):
        raise FileError(f"{paths[0]}: no tasks found", os.fspath(paths[0]), 0, 0, "no tasks found")
    return tasks


def read(data, name="task.json"):
    """Read tasks from the bytes or text of a file, or from a dict as json.load returns it; `name` names a single task."""
    if isinstance(data, dict):
        import json

        data = json.dumps(data)
    if isinstance(data, str):
        data = data.encode()
    tasks = Tasks(_batt.Tasks.read(name, bytes(data)))
    if tasks.errors and not len(tasks):
        raise tasks.errors[0]
    return tasks
