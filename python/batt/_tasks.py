"""Tasks: training and test pairs of grids. Notebooks draw them."""

import base64
import hashlib
import html
import json
import os
import re
import shutil
import sys
import warnings
from collections.abc import Sequence
from functools import cached_property

from . import _batt
from ._errors import MissingFileError, SkippedTaskWarning, UnknownNameError, placed_all

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
        """The pair as task files have it: lists of lists of colors."""
        pair = {"input": self.input.tolist()}
        if self.output is not None:
            pair["output"] = self.output.tolist()
        return pair

    def svg(self, palette=None):
        """A picture, as text: the input, and the output beside it. Palettes: classic, arcprize, colorblind."""
        return _batt.pair_picture(self.input, self.output, palette, False)

    def png(self, palette=None):
        """A picture, as the bytes of a PNG file."""
        return _batt.pair_picture(self.input, self.output, palette, True)

    def _repr_svg_(self):
        return self.svg()

    def _repr_html_(self):
        return picture_html(self.svg(), repr(self)[1:-1])

    def __reduce__(self):
        task = Task(self._tasks, self._task)
        return _pair_of, (task, "train" if self._which == _TRAIN else "test", self._index)


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
        """The task as task files have it."""
        return {"train": [p.to_dict() for p in self.train], "test": [p.to_dict() for p in self.test]}

    def _repr_svg_(self):
        return self.svg()

    def _repr_html_(self):
        return picture_html(self.svg(), repr(self)[1:-1])

    def __repr__(self):
        count = lambda n, what: f"{n} {what}" + ("" if n == 1 else "s")
        return f"<batt task {self.id}: {count(len(self.train), 'training pair')}, {count(len(self.test), 'test')}>"

    def __eq__(self, other):
        return isinstance(other, Task) and (self.id, self.train, self.test) == (other.id, other.train, other.test)

    def __hash__(self):
        return hash(self.id)

    def __reduce__(self):
        return _task_of, (self.id, self.source, self.to_dict())


def _read_one(id, data):
    """The C side of one task with that id."""
    return _batt.Tasks.read(f"{id}.json", json.dumps(data).encode())


def _task_of(id, source, data):
    """A task from what pickling kept."""
    task = Task(_read_one(id, data), 0)
    task.source = source
    return task


def _tasks_of(parts):
    return Tasks(_batt.Tasks.join(tuple(_read_one(id, data) for id, data in parts)))


def _pair_of(task, which, index):
    return getattr(task, which)[index]


class Tasks(Sequence):
    """A sequence of tasks, indexed by position or id: ``tasks[0]``, ``tasks["00d62c1b"]``, ``tasks[:10]``.

    Ids are unique: joining sets that share one (``a + b``) raises ValueError.
    ``errors`` lists the errors in the files: exceptions with file, line, column and text.
    """

    def __init__(self, handle):
        self._handle = handle
        self._made = {}

    @cached_property
    def _positions(self):
        return {id: k for k, id in enumerate(self.ids)}

    @property
    def ids(self):
        return [self._handle.about(k)[0] for k in range(len(self))]

    @property
    def errors(self):
        return placed_all(self._handle.errors())

    def select(self, ids=(), filter=None, start=0, count=0):
        """Select tasks by ids, by a filter such as "h<=10,colors<=3,same_size", and by position."""
        if isinstance(ids, str):
            ids = (ids,)
        for id in ids:
            self._position(id)
        return Tasks(self._handle.select(tuple(ids), filter, start, count))

    def __len__(self):
        return len(self._handle)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return Tasks(self._handle.at(tuple(range(*key.indices(len(self))))))
        if isinstance(key, str):
            return self[self._position(key)]
        index = key.__index__()
        index += len(self) if index < 0 else 0
        if not 0 <= index < len(self):
            raise IndexError(f"there is no task {key} of {len(self)}")
        task = self._made.get(index)
        if task is None:
            task = self._made[index] = Task(self._handle, index)
        return task

    def _position(self, id):
        if id not in self._positions:
            raise UnknownNameError(f"no task {id!r} among the {len(self)} loaded")
        return self._positions[id]

    def __contains__(self, task):
        return task in self._positions if isinstance(task, str) else any(task == t for t in self)

    def __add__(self, other):
        return Tasks(_batt.Tasks.join((self._handle, handle_of(other))))

    def __reduce__(self):
        return _tasks_of, (tuple((t.id, t.to_dict()) for t in self),)

    def to_frame(self):
        """A pandas.DataFrame, one row for each task: how many pairs, how large, how many colors."""
        import pandas

        return pandas.DataFrame([_row(t) for t in self])

    def __repr__(self):
        return f"<batt tasks: {len(self)}>"

    def _repr_html_(self):
        shown = "".join(
            f"<figure style='flex:none;margin:0'><figcaption style='font:12px sans-serif'>{html.escape(t.id)}</figcaption>"
            f"{small_svg(t.svg(), 300, 190)}</figure>"
            for t in self[:_SHOWN]
        )
        more = f"<p>and {len(self) - _SHOWN} more</p>" if len(self) > _SHOWN else ""
        return f"<div style='display:flex;flex-wrap:wrap;gap:8px'>{shown}</div>{more}"


_SHOWN = 10


def _row(task):
    grids = [g for pair in (*task.train, *task.test) for g in pair if g is not None]
    known = [p for p in (*task.train, *task.test) if p.output is not None]
    return {
        "id": task.id, "train": len(task.train), "test": len(task.test), "rows": max(g.shape[0] for g in grids),
        "columns": max(g.shape[1] for g in grids), "colors": len({c for g in grids for row in g for c in row}),
        "same_size": all(p.input.shape == p.output.shape for p in known), "source": task.source,
    }


def picture_html(svg, alt="picture"):
    """The picture as an image of its own: pages made of notebooks drop what is inside of svg elements."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{html.escape(alt)}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'


def small_svg(svg, width, height):
    """The picture scaled to fit in so many pixels; it is never enlarged."""
    head = re.match(r'<svg [^>]*?width="(\d+)" height="(\d+)"', svg)
    w, h = int(head[1]), int(head[2])
    scale = min(1, width / w, height / h)
    size = f'width="{w * scale:.0f}" height="{h * scale:.0f}"'
    return svg.replace(f'width="{w}" height="{h}"', size, 1)


def handle_of(tasks):
    """The C side of tasks, one task, or a sequence of tasks."""
    if isinstance(tasks, Tasks):
        return tasks._handle
    if isinstance(tasks, Task):
        return tasks._tasks.at((tasks._index,))
    if isinstance(tasks, (str, os.PathLike)):
        return load(tasks)._handle
    if isinstance(tasks, Sequence) and all(isinstance(t, Task) for t in tasks):
        return _batt.Tasks.join(tuple(handle_of(t) for t in tasks))
    raise TypeError(f"expected tasks: batt.load(..), one of its tasks, or a list of them, not {tasks!r:.80}")


def load(*paths, strict=False):
    """Load any mix of folders, task files, challenges files (with the solutions file next to them), lists of pairs, and *.jsonl
    (a task in every line); without a path, the built-in examples.

    Malformed tasks, and those whose id another has, are skipped with a warning and listed in ``.errors``; with ``strict``,
    or if nothing could be read, the first error is raised.
    """
    tasks = Tasks(_batt.Tasks.load(tuple(os.fspath(p) for p in paths)))
    errors = tasks.errors
    if errors and (strict or not len(tasks)):
        raise errors[0]
    if not len(tasks):
        raise MissingFileError(f"{paths[0]}: no tasks found", os.fspath(paths[0]), 0, 0, "no tasks found")
    return _say_what_is_missing(tasks)


def _say_what_is_missing(tasks):
    """Warn of tasks that were skipped: nobody looks for errors where there seem to be none."""
    errors = tasks.errors
    if errors:
        skipped = f"{len(errors)} tasks were" if len(errors) > 1 else "a task was"
        warnings.warn(f"{skipped} skipped, see .errors; the first: {errors[0]}", SkippedTaskWarning, stacklevel=3)
    return tasks


def read(data, name=None):
    """Read tasks from the bytes or text of a file, or from what json.load returns for one: a dict, a list of pairs, or a
    list of tasks. Grids may be numpy arrays.

    With a name that ends in .jsonl, every line is a task. `name` is the id of a task that has none of its own (NAME_1,
    NAME_2, .. in a list); without, the id is made from the data, so that different tasks have different ids.
    """
    if isinstance(data, list) and data and all(isinstance(d, dict) and "train" in d for d in data):
        return Tasks(_batt.Tasks.join(tuple(read(d, _name_in_list(d, k, name))._handle for k, d in enumerate(data, 1))))
    if isinstance(data, (dict, list)):
        data = json.dumps(data, default=lambda part: part.tolist())  # numpy's arrays and numbers
    data = data.encode() if isinstance(data, str) else bytes(data)
    if name is None:
        name = hashlib.sha256(data).hexdigest()[:8]
    tasks = Tasks(_batt.Tasks.read(name if name.endswith((".json", ".jsonl")) else f"{name}.json", data))
    if tasks.errors and not len(tasks):
        raise tasks.errors[0]
    return _say_what_is_missing(tasks)


def _name_in_list(data, k, name):
    """The id of the k-th task of a list: its own, or the list's name with its number, as in *.jsonl."""
    own = data.get("id", data.get("task_id"))
    return own if isinstance(own, str) and own else f"{name}_{k}" if name is not None else None


def synth(families=None, count=0, pairs=3, tests=1, seed=0):
    """Generate tasks, as ``batt synth`` does; returns them and the text of their solvers.

    families: a name or several (all if None); count: tasks in all (one per family if 0); another seed gives other tasks.
    """
    names = families if families is None or isinstance(families, str) else ",".join(families)
    handle, programs = _batt.Tasks.synth(names, count, pairs, tests if tests else -1, seed)
    return Tasks(handle), programs
