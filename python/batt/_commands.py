"""The commands of the command line, run in this process: net, card, learn, profile, and all others by name."""

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence

from . import _batt
from ._errors import ArgumentError, MissingFileError
from ._programs import Program, Programs
from ._tasks import Task, Tasks

_INTERRUPTED = 130


def command(name, *arguments, **options):
    """Run ``batt NAME ARGUMENTS --OPTIONS`` in this process; returns what it prints, or with ``json=True`` the parsed report.

    Arguments and options are those of ``batt NAME --help``: ``batt.command("run", tasks, gallery="page.html", max_side=30)``.
    True sets a flag, a list repeats an option. Tasks and programs may be batt's own objects. Messages go to sys.stderr.
    Ctrl-C stops the command; what it has reported by then is returned, or KeyboardInterrupt raised if there is nothing.
    """
    text, messages, _ = _run(name, arguments, options)
    if messages and sys.stderr is not None:
        sys.stderr.write(messages)
    return json.loads(text) if options.get("json") else text


def _run(name, arguments, options):
    """(what it prints, what it says besides, its exit code)"""
    with contextlib.ExitStack() as folders:
        words = [name]
        for option, value in options.items():
            words += _option(option, value, folders)
        for argument in arguments:
            words += _words(argument, folders)
        try:
            text, messages, status = _wait(_batt.command(*words))
        except ArgumentError as error:
            raise _missing(str(error)) from None
    if status == _INTERRUPTED and not text:
        raise KeyboardInterrupt
    return text, messages, status


def _missing(message):
    """The exception for what a command says: a file that is not there is Python's FileNotFoundError, too."""
    first = message.partition("\n")[0].partition(": ")[2]
    file, _, text = first.rpartition(": ")
    if text == "No such file or directory":
        return MissingFileError(first, file, 0, 0, text)
    return ArgumentError(message)


def _wait(handle):
    """Wait for the end. The first Ctrl-C stops the command, which still reports; a second one raises."""
    asked = False
    while True:
        try:
            while not handle.wait(0.05):
                pass
            return handle.printed()
        except KeyboardInterrupt:
            handle.stop()
            if asked:
                raise
            asked = True


def _option(name, value, folders):
    option = "--" + name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    return [part for word in _words(value, folders) for part in (option, word)]


def _words(value, folders):
    """The words for one value: text, numbers, paths, lists of them, or objects of batt, which become files."""
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    if isinstance(value, (Tasks, Task)):
        return [_task_files(value, folders)]
    if isinstance(value, (Programs, Program)):
        return [_program_file(value, folders)]
    if isinstance(value, (int, float)):
        return [str(value)]
    if isinstance(value, Sequence):
        return [word for one in value for word in _words(one, folders)]
    raise TypeError(f"a command takes texts, numbers, paths, tasks and programs, not {value!r:.80}")


def _task_files(tasks, folders):
    folder = folders.enter_context(tempfile.TemporaryDirectory(prefix="batt-"))
    for task in [tasks] if isinstance(tasks, Task) else tasks:
        with open(os.path.join(folder, f"{task.id}.json"), "w") as file:
            json.dump(task.to_dict(), file)
    return folder


def _program_file(programs, folders):
    folder = folders.enter_context(tempfile.TemporaryDirectory(prefix="batt-"))
    path = os.path.join(folder, "programs.py")
    with open(path, "w") as file:
        file.write("\n".join(p.text for p in ([programs] if isinstance(programs, Program) else programs)))
    return path


def net(tasks=(), **options):
    """Train a small network on each task alone and answer its tests with it, as ``batt net`` does; a dict.

    Without tasks, the first example. Options are those of ``batt net --help``: steps, time, seed, seeds, device, store, html, ..
    """
    return command("net", tasks, **{"progress": "off", **options, "json": True})


def card(programs=None, output=None, **options):
    """Merge programs, some of them mutated, into one battery, as ``batt card`` does; its text.

    programs: those to pick from (the built-in ones if None); output: a file to write it to. Options are those of
    ``batt card --help``: count, seed, freeze, scored, differs, store, jobs, ..
    """
    return _text_of("card", (), {"solvers": programs, **options}, output)


def learn(programs=None, output=None, **options):
    """Learn from programs what search should try first, as ``batt learn`` does; the idioms as text.

    programs: those to learn from (the built-in ones if None); output: a file to write the idioms to. Options are those of
    ``batt learn --help``: vocabulary, store, new.
    """
    return _text_of("learn", () if programs is None else (programs,), options, output)


def _text_of(name, arguments, options, output):
    """The text that a command prints, in a file as well; not its figures, unless something was wrong."""
    text, messages, status = _run(name, arguments, options)
    if status and sys.stderr is not None:
        sys.stderr.write(messages)
    if output is not None:
        with open(output, "w") as file:
            file.write(text)
    return text


def profile(view, *arguments, **options):
    """Measure where the time goes, as ``batt profile`` does; a dict. view: dsl, batch, framework, pipeline, lines, compare, ..

    ``batt.profile("batch", tasks, solvers=programs, repeat=9, output="profile.html")``: options are those of
    ``batt profile --help``.
    """
    return command("profile", view, *arguments, **{**options, "json": True})
