"""User-defined primitives: Python functions with a name and a signature, for programs that Python runs.

``batt.parse`` gives an OwnProgram for a text that calls one; calls, traces and ``batt.run`` work as for any program, at the
speed of Python. Search uses those that have a price (batt/_own_search.py).
"""

import ast
import hashlib
import inspect
import json
import keyword
import re
import time
import warnings

from . import _batt
from ._errors import ArgumentError, Error, Failure, InputError, SlowFunctionWarning
from ._programs import Program, Trace
from ._results import Results, _restore
from ._tasks import Task, Tasks

_own: dict = {}  # by name: the function
_priced: dict = {}  # by name, for search: (price, types of the arguments, type of the result)


def primitive(signature, name=None, price=None):
    """Make a Python function a primitive: ``@batt.primitive("grid: grid, n: int -> grid")``.

    The signature is as ``batt prims`` writes them. The name is the function's; a primitive or constant of batt cannot be
    replaced. Programs that call it run at the speed of Python, which a warning says. price: the cost of a call in bits, such
    as 8; batt.solve then tries programs that call it, cheapest first. Without a price, search does not use it.
    """
    parts = re.fullmatch(r"(.*) -> (.+)", signature) if isinstance(signature, str) else None
    names = re.findall(r"(\w+): ", parts[1]) if parts else []
    types = re.findall(r": ([^,]+)", parts[1]) if parts else []
    if not names:
        raise ArgumentError(f"a signature is such as 'grid: grid, n: int -> grid', not {signature!r}")

    def register(function):
        own = name if name is not None else function.__name__
        from . import dsl

        if not own.isidentifier() or keyword.iskeyword(own) or own in dsl.__all__ or own in ("I", "O", "S", "C"):
            raise ArgumentError(f"{own!r} cannot be the name of a primitive: it is a word of the language, or no name")
        if len(inspect.signature(function).parameters) != len(names):
            raise ArgumentError(f"{own} takes {len(inspect.signature(function).parameters)} arguments, its signature has {len(names)}")
        _priced.pop(own, None)
        if price is not None:
            if isinstance(price, bool) or not isinstance(price, (int, float)) or not 0 <= price <= 100:
                raise ArgumentError(f"price is a number of bits from 0 to 100, not {price!r}")
            from ._own_search import check

            check(own, types, parts[2])
            _priced[own] = (price, types, parts[2])
        _own[own] = function
        return function

    return register


def calls_own(source):
    """Whether a text names a primitive of one's own."""
    return any(re.search(rf"\b{name}\b", source) for name in _own)


def _wrapped(name, function):
    def call(*arguments):
        try:
            return _batt.value(function(*arguments))
        except Error:
            raise
        except Exception as error:
            raise Failure("python", name, 0, f"{type(error).__name__}: {error}") from error

    return call


def _names():
    from . import dsl

    return {**{n: getattr(dsl, n) for n in dsl.__all__}, **{n: _wrapped(n, f) for n, f in _own.items()}}


def _refuse(node, text):
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
    raise InputError(f"text:{line}:{column}: error: {text}", "text", line, column, text)


_VALUES = (ast.Call, ast.Name, ast.Constant, ast.Tuple, ast.UnaryOp, ast.USub, ast.Load)


def _check(body, known):
    """The statements of a program: assignments of calls, and a return."""
    if not body or not isinstance(body[-1], ast.Return):
        _refuse(body[-1] if body else None, "a program ends with return")
    for statement in body:
        last = statement is body[-1]
        if not isinstance(statement, ast.Return if last else ast.Assign) or statement.value is None:
            _refuse(statement, "only assignments are allowed here, and a return at the end")
        for node in ast.walk(statement.value):
            if not isinstance(node, _VALUES) or (isinstance(node, ast.Constant) and type(node.value) is not int) or getattr(node, "keywords", None):
                _refuse(node, "only calls, names, integers and tuples are allowed here")
            if isinstance(node, ast.Name) and node.id not in known:
                _refuse(node, f"unknown name '{node.id}'")
        if not last:
            if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
                _refuse(statement, "one name is assigned at a time")
            known = known | {statement.targets[0].id}


class OwnProgram(Program):
    """A program that calls primitives of one's own: Python runs it."""

    __slots__ = ("_body",)

    def __init__(self, node, named):
        names = _names()
        if [a.arg for a in node.args.args] != ["I"]:
            _refuse(node, "a program with primitives of one's own takes I")
        _check(node.body, {"I", *names})
        self._programs = self._index = None
        self._body = node.body
        self.name, self.mode, self.text = node.name if named else "", "core", ast.unparse(node) + "\n"
        self.hash = hashlib.sha256(self.text.encode()).hexdigest()[:32]
        self.calls = sum(isinstance(n, ast.Call) for n in ast.walk(node))

    def _lines(self, grid):
        """Run it line by line: (name, call, line, value or None, Failure or None)."""
        values = {**_names(), "I": _batt.grid(grid)}
        for statement in self._body:
            name = "O" if isinstance(statement, ast.Return) else statement.targets[0].id
            call = ast.unparse(statement.value)
            try:
                values[name] = eval(compile(ast.Expression(statement.value), "text", "eval"), {"__builtins__": {}}, values)
            except Failure as failure:
                failure.line = statement.lineno
                yield name, call, statement.lineno, None, failure
                return
            yield name, call, statement.lineno, values[name], None

    def __call__(self, grid, samples=None, candidate=None, *, steps=0, bytes=0, seconds=None, safe=False):
        """Run the program on a grid. It has no limits: Python runs it."""
        if samples is not None or candidate is not None or steps or bytes or seconds or safe:
            raise ArgumentError("a program with primitives of one's own takes a grid, and has no limits")
        for *_, value, failure in self._lines(grid):
            if failure is not None:
                raise failure
        return value

    def trace(self, grid, samples=None, candidate=None):
        """Run the program and record the value of every line."""
        lines = [(n, c, k, v, (f.reason, f.primitive) if f else None) for n, c, k, v, f in self._lines(grid)]
        return Trace(self, _batt.grid(grid), lines)

    def __reduce__(self):
        return own_programs, (self.text,)


def own_programs(source):
    """The program, or list of programs, of a text that calls primitives of one's own."""
    warnings.warn("Python runs programs with primitives of one's own, at its speed", SlowFunctionWarning, stacklevel=3)
    try:
        nodes = ast.parse(source).body
    except SyntaxError as error:
        raise InputError(f"text:{error.lineno}:{error.offset}: {error.msg}", "text", error.lineno, error.offset, error.msg) from None
    named = all(isinstance(n, ast.FunctionDef) for n in nodes)
    if not named:
        text = "def solve(I):\n" + "".join(f"    {ast.unparse(n)}\n" for n in nodes) + "    return O\n"
        nodes = [ast.increment_lineno(node, -1) for node in ast.parse(text).body]  # lines as they were given
    made = [OwnProgram(node, named) for node in nodes]
    return made[0] if len(made) == 1 else made


def program_of_text(text):
    """A program from a text that is known to be good, such as one that search made."""
    return OwnProgram(ast.parse(text).body[0], True)


# ---- running on tasks ----


def _sample(program, pair):
    begin = time.perf_counter()
    try:
        answer = program(pair.input)
        verdict = {"verdict": pair.judge(answer)}
    except Failure as failure:
        answer, verdict = None, {"verdict": "failed", "reason": failure.reason, "primitive": failure.primitive, "line": failure.line}
    return {**verdict, "steps": 0, "time_s": time.perf_counter() - begin}, answer


def run_on_task(program, task):
    done = [_sample(program, pair) for pair in (*task.train, *task.test)]
    samples, tests = [s for s, _ in done], done[len(task.train) :]
    right = [s["verdict"] == "right" for s in samples]
    known = [p.output is not None for p in task.test]
    train, test = sum(right[: len(task.train)]), sum(right[len(task.train) :])
    solved = train == len(task.train) and test == sum(known)
    failed = next((s for s in samples if s["verdict"] == "failed"), None)
    reason = f"failed: {failed['reason']} in {failed['primitive']}, line {failed['line']}" if failed else "" if solved else "wrong"
    answers = [[a.tolist() if s["verdict"] in ("right", "wrong", "wrong size", "answer unknown") else None] for s, a in tests]
    return {
        "id": task.id, "done": True, "solved": solved, "status": "solved" if solved else "failed" if failed else "wrong", "reason": reason,
        "train_correct": train, "train": len(task.train), "test_correct": test, "test_known": sum(known), "steps": 0,
        "time_s": sum(s["time_s"] for s in samples), "samples": samples, "answers": answers,
        "programs": [{"name": program.name, "train_correct": train, "program": program.text}],
    }


def run_own(programs, handle, all):
    """Run programs on tasks: on each those that are named after it, or all of them, until one solves it."""
    begin, results = time.perf_counter(), []
    for k in range(len(handle)):
        task = Task(handle, k)
        mine = [p for p in programs if all or p.name in (f"solve_{task.id}", f"verify_{task.id}")]
        tried = [run_on_task(p, task) for p in mine]
        none = {
            "id": task.id, "done": True, "solved": False, "status": "no program", "reason": "", "train_correct": 0, "train": len(task.train),
            "test_correct": 0, "test_known": 0, "steps": 0, "time_s": 0.0, "samples": [], "answers": [[None] for _ in task.test], "programs": [],
        }
        results.append(max(tried, key=lambda r: (r["solved"], r["train_correct"]), default=none))
    seconds, solved = time.perf_counter() - begin, sum(r["solved"] for r in results)
    data = {
        "schema": "batt.results/1", "command": "run", "tasks": len(results), "tasks_done": len(results), "tasks_solved": solved, "interrupted": False, "attempts": 1,
        "wall_s": seconds, "data_hash": handle.hash(), "figures": {}, "results": results,
    }
    sheet = {r["id"]: [{"attempt_1": a[0] or [[0]], "attempt_2": a[0] or [[0]]} for a in r["answers"]] for r in results}
    return _restore(Results, {
        "_handle": None, "_tasks": Tasks(handle), "_count": len(results), "solved": solved, "seconds": seconds, "interrupted": False,
        "_data": data, "_sheet": json.dumps(sheet), "_profile": ArgumentError("there is no profile of what Python runs"),
    })
