"""run, solve and evolve: in the foreground, or as a job in the background."""

import asyncio
import atexit
import concurrent.futures
import html
import json
import os
import threading
import time
from collections.abc import Sequence

from . import _batt
from ._bars import bar_for, close
from ._commands import command
from ._programs import Program, Programs, _count, _nanoseconds, mode_of, solvers
from ._results import Result, Results
from ._tasks import Task, handle_of

_PROFILES = {None: 0, False: 0, "counters": 1, "timing": 2, "trace": 3, True: 2}


# ---- in the foreground ----

_AGAIN = 2.0  # seconds after one Ctrl-C in which the next one counts as its repetition
_interrupted = -_AGAIN


def _foreground(handle, tasks, bar):
    """Wait for the end. The first Ctrl-C ends the work, and what it has found is returned; a second one raises."""
    global _interrupted
    asked, shown = 0, None
    while True:
        try:
            while not handle.wait(0.05):
                shown = _show(handle, bar, shown)
            break
        except KeyboardInterrupt:
            handle.stop()
            now = time.monotonic()
            asked += 2 if now - _interrupted < _AGAIN else 1
            _interrupted = now
            bar = None
            if asked > 2:
                raise
        except BaseException:  # of the caller's progress function
            handle.stop()
            handle.wait(60)
            raise
    _show(handle, bar, shown)
    close(bar)
    results = Results(handle.results(), tasks)
    if asked > 1:
        error = KeyboardInterrupt()
        error.results = results
        raise error
    return results


def _show(handle, bar, shown):
    """Show the progress, if there is any since the last time."""
    progress = handle.progress()
    if bar is not None and progress != shown and progress != (0, 0):
        bar(*progress)
    return progress


# ---- in the background ----

_running: set = set()  # handles of jobs; ended when Python ends


@atexit.register
def _stop_all():
    handles = list(_running)
    for handle in handles:
        handle.stop()
    for handle in handles:
        handle.wait(5)


class Job:
    """Work in the background: what run, solve and evolve return with ``background=True``.

    ``job.progress`` is (done, total), ``job.found`` the results so far by task id, ``job.done()`` whether it is over.
    ``job.stop()`` ends it early; ``job.result(timeout)`` waits and returns the results, also those of a job that was stopped.
    ``await job`` does the same in asyncio; cancelling the task that awaits stops the job. Ctrl-C in ``job.result()`` raises
    KeyboardInterrupt and lets the job go on. A job that nobody stops ends with Python.
    """

    def __init__(self, handle, tasks, bar, what):
        self._handle, self._tasks, self._what = handle, tasks, what
        self._found, self._lock = {}, threading.Lock()
        self._future = concurrent.futures.Future()
        self._future.set_running_or_notify_cancel()
        _running.add(handle)
        threading.Thread(target=_attend, args=(handle, tasks, bar, self._future), name=f"batt {what}", daemon=True).start()

    @property
    def progress(self):
        """(done, total): tasks, or generations in evolution; the total is 0 if it is not known."""
        return self._handle.progress()

    @property
    def found(self):
        """The results so far, by task id: a dict of Result. The results of later rounds replace earlier ones."""
        with self._lock:
            for position, one in self._handle.found():
                result = Result(json.loads(one.json())["results"][0], Task(self._tasks, position))
                self._found[result.id] = result
            return dict(self._found)

    def done(self):
        """Whether the job is over."""
        return self._future.done()

    def stop(self):
        """End the job soon. Its result then has what was found, marked ``interrupted``."""
        self._handle.stop()

    def result(self, timeout=None):
        """Wait for the results; TimeoutError if they are not there after so many seconds (the job goes on)."""
        try:
            return self._future.result(timeout)
        except concurrent.futures.TimeoutError:
            if self._future.done():
                raise
            raise TimeoutError(f"the job is not over after {timeout} s") from None

    def __await__(self):
        return self._awaited().__await__()

    async def _awaited(self):
        try:
            return await asyncio.wrap_future(self._future)
        except asyncio.CancelledError:
            self.stop()
            raise

    def __repr__(self):
        done, total = self.progress
        state = "over" if self.done() else "running"
        return f"<batt job: {self._what}, {done}{f' of {total}' if total else ''} done, {state}>"

    def _repr_html_(self):
        found = self.found.values()
        rows = "".join(f"<tr><td>{html.escape(r.id)}</td><td style='text-align:left'>{html.escape(r.status)}</td></tr>" for r in found)
        return f"<p>{html.escape(repr(self)[1:-1])}</p><table>{rows}</table>"


def _attend(handle, tasks, bar, future):
    """The thread of a job: shows its progress and takes its results."""
    shown = None
    try:
        while not handle.wait(0.1):
            shown = _show(handle, bar, shown)
        _show(handle, bar, shown)
        close(bar)
        future.set_result(Results(handle.results(), tasks))
    except BaseException as error:
        handle.stop()
        handle.wait(60)
        future.set_exception(error)
    finally:
        _running.discard(handle)


def _execute(handle, tasks, bar, background, what):
    return Job(handle, tasks, bar, what) if background else _foreground(handle, tasks, bar)


# ---- arguments ----


def _programs_handle(programs):
    if isinstance(programs, Programs):
        return programs._handle
    if isinstance(programs, Program):
        programs = [programs]
    if isinstance(programs, (str, os.PathLike)):
        return solvers(programs)._handle
    if isinstance(programs, Sequence) and programs and all(isinstance(p, Program) for p in programs):
        return _batt.Programs.parse("\n".join(_named(p, k) for k, p in enumerate(programs)), -1)
    raise TypeError(f"expected programs: batt.solvers(..), batt.parse(..), or a list of programs, not {programs!r:.80}")


def _named(program, k):
    """The text under a unique name: canonical text calls every unnamed solver solve."""
    return program.text if program.name else program.text.replace("def solve(", f"def solve_program_{k}(", 1)


def _jobs(jobs):
    return _count(jobs, "jobs", 1024)


def _profile(profile):
    if profile not in _PROFILES:
        raise ValueError(f"profile is 'counters', 'timing' or 'trace', not {profile!r}")
    return _PROFILES[profile]


# ---- the three kinds of work ----


def run(
    programs, tasks, jobs=0, budget=None, *, steps=0, bytes=0, all=False, safe=False, device=None, profile=None, progress=False,
    background=False,
):
    """Run programs on tasks, as ``batt run`` does: on each task those named solve_ID, or with ``all`` every program.

    budget: seconds for one evaluation (10 if None); steps and bytes limit it further. jobs: threads, 0: one per processor.
    device: with ``all``, "cpu", "auto" or "opencl:N" for batched operations. profile: "counters", "timing" or "trace". background: return a Job at once. Ctrl-C ends the run and returns the results so
    far, marked ``interrupted``; a second one within two seconds raises KeyboardInterrupt, which has them as ``results``.
    """
    handle, bar = handle_of(tasks), bar_for(progress, "running")
    single = isinstance(programs, Program)
    work = _batt.run(
        _programs_handle(programs), handle, _jobs(jobs), _count(steps, "steps"), _count(bytes, "bytes"), _nanoseconds(budget),
        bool(all or single), safe, _profile(profile), device,
    )
    return _execute(work, handle, bar, background, "run")


def solve(
    tasks, seconds=None, steps=0, attempts=2, jobs=0, store=None, progress=None, *, time=None, known=None, library=True, bytes=0,
    split=1, without=(), set=None, device=None, profile=None, background=False, own=True,
):
    """Search for programs that solve tasks, as ``batt solve`` does.

    time: wall-clock limit for all tasks, in seconds or as "11h"; seconds: CPU time per task (5, or its share of
    ``time``, if None); steps: a limit that gives the same answers on any machine. store: a file that keeps programs for later
    runs and from which an interrupted run resumes. known: programs to try first (the built-in ones if None); library=False:
    none. split: subsearches per task. without: strategies to leave out; set: numbers that steer the search, by name. device:
    "cpu", "auto" or "opencl:N" for batched operations. background: return a Job at once. Ctrl-C: as for batt.run.

    Programs may call primitives of one's own that have a price (batt.primitive); own=False: none does.
    """
    handle, bar = handle_of(tasks), bar_for(progress, "solving")
    work = _batt.solve(
        handle, _jobs(jobs), _nanoseconds(seconds), _count(steps, "steps"), _count(bytes, "bytes"),
        _count(attempts, "attempts", 3), None if known is None else _programs_handle(known),
        not library, None if store is None else os.fspath(store), _profile(profile), _nanoseconds(time, "time"),
        _count(split, "split", 2**16), without if isinstance(without, str) else ",".join(without),
        ",".join(f"{name}={value}" for name, value in (set or {}).items()), device, not own,
    )
    return _execute(work, handle, bar, background, "solve")


def evolve(
    tasks, seconds=None, generations=0, seed=1, jobs=0, store=None, progress=None, *, founders=None, children=0, population=0,
    max_calls=0, max_steps=0, mode="core", differs=None, device=None, profile=None, background=False,
):
    """Evolve programs for tasks, as ``batt evolve`` does, for a number of seconds (60 by default) or generations.

    founders: programs to start from (if None every program of one call, in ``mode``: "core" or "batt"). differs: programs
    that rate how close outputs come, besides the built-in ones. device: as for batt.run. max_calls: length of the longest program;
    max_steps: for one program on one sample. store: a file that keeps the state; a later run
    resumes from it. background: return a Job at once. Ctrl-C: as for batt.run.
    """
    handle, bar = handle_of(tasks), bar_for(progress, "evolving")
    work = _batt.evolve(
        handle, _jobs(jobs), _nanoseconds(seconds), _count(generations, "generations"), _count(seed, "seed"),
        _count(children, "children", 2**20), _count(population, "population", 4096),
        None if founders is None else _programs_handle(founders), None if store is None else os.fspath(store),
        _profile(profile), _count(max_calls, "max_calls", 1000), _count(max_steps, "max_steps"), device, mode_of(mode or "core"),
        None if differs is None else _programs_handle(differs),
    )
    return _execute(work, handle, bar, background, "evolve")


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


def devices(measure=False):
    """The devices that OpenCL offers, for ``device="opencl:N"``: a list of dicts with number, name, platform, version.

    measure: time every batched operation on each of them and on the CPU, as ``batt devices --measure`` does.
    """
    return command("devices", measure=True, json=True)["devices"] if measure else json.loads(_batt.devices())["devices"]
