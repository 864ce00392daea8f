"""Errors say the argument, its value and what was expected, and are of the types that Python code catches."""

import batt
import batt.dsl as dsl
import pytest

TASKS = batt.load()[:2]


@pytest.mark.parametrize("call, kind, words", [
    (lambda: dsl.vmirror(5), batt.Failure, ["vmirror", "argument 1 'piece' is 5 (int), expected piece"]),
    (lambda: dsl.fill(((1, 2),), 3, 4), batt.Failure, ["fill", "argument 3 'patch' is 4 (int), expected patch"]),
    (lambda: dsl.first(()), batt.Failure, ["first", "an empty container"]),
    (lambda: dsl.apply(dsl.vmirror, (1, 2)), batt.Failure, ["vmirror", "apply called it"]),
    (lambda: dsl.vmirror(), TypeError, ["vmirror() takes 1 argument, not 0"]),
    (lambda: dsl.vmirror("a"), TypeError, ["vmirror: argument 1 is or holds 'a'", "it takes piece: piece -> piece"]),
    (lambda: dsl.fill(((1,),), 2, {}), TypeError, ["fill: argument 3 is or holds {}", "patch: patch"]),
    (lambda: batt.parse("x1 = size(I)\nO = rot90(x1)")(((1,),)), batt.Failure, ["rot90, line 2", "argument 1 'grid' is 1 (int), expected grid"]),
    (lambda: batt.load("/no/such/folder"), FileNotFoundError, ["/no/such/folder", "No such file"]),
    (lambda: batt.solvers("/no/such.py"), FileNotFoundError, ["/no/such.py"]),
    (lambda: batt.score("/no/such.json", TASKS), FileNotFoundError, ["/no/such.json"]),
    (lambda: TASKS["zz"], KeyError, ["no task 'zz' among the 2 loaded"]),
    (lambda: TASKS.select(ids="zz"), KeyError, ["no task 'zz' among the 2 loaded"]),
    (lambda: batt.solvers()["zz"], KeyError, ["no program 'zz'"]),
    (lambda: batt.run(batt.solvers(), TASKS)["zz"], KeyError, ["no task 'zz' among the 2 of these results"]),
    (lambda: TASKS[9], IndexError, ["no task 9 of 2"]),
    (lambda: batt.evaluate("1", mode="odd"), ValueError, ["mode is 'core', 'batt' or None, not 'odd'"]),
    (lambda: batt.parse(5), TypeError, ["not 5"]),
    (lambda: batt.solve(TASKS, seconds="a"), ValueError, ["seconds is a number of seconds or a time such as", "not 'a'"]),
    (lambda: batt.solve(TASKS, seconds=[5]), TypeError, ["seconds is a number, not [5]"]),
    (lambda: batt.solve(TASKS, seconds=-1), ValueError, ["seconds is from 0", "not -1"]),
    (lambda: batt.solve(TASKS, attempts=9), ValueError, ["attempts is from 0 to 3, not 9"]),
    (lambda: batt.solve(TASKS, jobs=1.5), TypeError, ["jobs is an integer, not 1.5"]),
    (lambda: batt.run(batt.solvers(), TASKS, profile="odd"), ValueError, ["'counters', 'timing' or 'trace', not 'odd'"]),
    (lambda: batt.solve(5), TypeError, ["expected tasks", "not 5"]),
    (lambda: batt.parse("O = nothing(I)"), ValueError, ["nothing"]),
])
def test_messages(call, kind, words):
    with pytest.raises(kind) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_missing_files_are_files():
    with pytest.raises(batt.FileError) as caught:
        batt.load("/no/such/folder")
    assert isinstance(caught.value, OSError) and caught.value.file == "/no/such/folder"
    assert isinstance(batt.load("/no/such", __file__.replace("test_errors.py", "../../examples")).errors[0], FileNotFoundError)


def test_failure_as_data():
    with pytest.raises(batt.Failure) as caught:
        dsl.vmirror(5)
    e = caught.value
    assert (e.reason, e.primitive, e.line, e.detail) == ("type", "vmirror", 0, "argument 1 'piece' is 5 (int), expected piece")
