"""Values behave as ints, tuples and frozensets of Python, and hash alike."""

import collections.abc
import copy
import inspect
import math
import pickle
import random
import sys
import threading
import warnings

import batt
import batt.dsl
import pytest
from batt.dsl import *  # noqa: F403
from batt.dsl import add, apply, astuple, compose, fill, first, fork, identity, initset, mapply, mostcolor, objects, order
from batt.dsl import rbind, repeat, sfilter, size, vmirror

GRID = ((0, 1, 2), (3, 4, 5))


def anything(rng, depth=3):
    kind = rng.randrange(8 if depth else 2)
    if kind == 0:
        return rng.choice([0, 1, -1, 7, 255, -300, 2**31, -(2**40), 2**62, -(2**63)])
    if kind == 1:
        return rng.randrange(-10, 10)
    if kind == 2:
        h, w = rng.randrange(1, 5), rng.randrange(1, 5)
        return tuple(tuple(rng.randrange(10) for _ in range(w)) for _ in range(h))
    if kind == 3:
        return frozenset((rng.randrange(10), (rng.randrange(30), rng.randrange(30))) for _ in range(rng.randrange(5)))
    if kind == 4:
        return frozenset((rng.randrange(-3, 30), rng.randrange(30)) for _ in range(rng.randrange(5)))
    if kind == 5:
        return frozenset((rng.randrange(30), rng.randrange(30), rng.randrange(10)) for _ in range(rng.randrange(4)))
    many = [anything(rng, depth - 1) for _ in range(rng.randrange(4))]
    return tuple(many) if kind == 6 else frozenset(many)


def test_round_trips_equality_and_hashes(quick):
    rng = random.Random(5)
    for _ in range(300 if quick else 3000):
        plain = anything(rng)
        value = identity(plain)
        assert batt.plain(value) == plain
        assert value == plain and plain == value and not value != plain
        assert hash(value) == hash(plain), plain
        assert {plain: 1}[value] == 1 and value in {plain} and plain in {value}
        assert repr(value) == repr(plain) or isinstance(plain, frozenset) or "frozenset" in repr(plain)
        if isinstance(plain, (tuple, frozenset)):
            assert len(value) == len(plain) and bool(value) == bool(plain)
            assert all(x in value for x in plain) and "no" not in value
            assert pickle.loads(pickle.dumps(value)) == plain and copy.copy(value) == value


def test_tuples():
    v = identity(GRID)
    assert isinstance(v, batt.Value) and isinstance(v, batt.Tuple) and isinstance(v, collections.abc.Sequence)
    assert v[0] == (0, 1, 2) and v[-1][-1] == 5 and v[0:1] == (GRID[0],) and v.shape == (2, 3)
    assert [list(row) for row in v] == [[0, 1, 2], [3, 4, 5]] and tuple(map(tuple, v)) == GRID
    assert v + (1,) == GRID + (1,) and (1,) + v == (1,) + GRID and v * 2 == GRID * 2
    assert v.index((3, 4, 5)) == 1 and v.count((9,)) == 0
    assert v < ((9,),) and v <= v and sorted([v, ((0,),)])[0] == ((0,),)
    a, b = v
    assert a == (0, 1, 2) and (*b,) == (3, 4, 5)
    with pytest.raises(IndexError):
        v[2]
    with pytest.raises(TypeError):
        v["x"]
    assert reversed(v) and list(reversed(v))[0] == (3, 4, 5)
    assert str(v) == repr(GRID)


def test_sets_iterate_in_canonical_order():
    v = identity(frozenset({(3, 1), (1, 9), (1, 2)}))
    assert isinstance(v, batt.Set) and isinstance(v, collections.abc.Set)
    assert list(v) == [(1, 2), (1, 9), (3, 1)]
    assert (1, 2) in v and [] not in v
    assert v | {(0, 0)} == frozenset(v) | {(0, 0)} and {(0, 0)} | v == v | {(0, 0)}
    assert v & {(1, 2)} == {(1, 2)} and v - {(1, 2)} == {(3, 1), (1, 9)} and v ^ v == frozenset()
    assert v >= {(1, 2)} and {(1, 2)} <= v and not v < v and v.issubset(set(v)) and v.union([1]) == set(v) | {1}
    assert list(identity(frozenset({5, 1, 3}))) == [1, 3, 5]
    iterator = iter(v)
    del v
    assert len(list(iterator)) == 3


def test_numbers_are_numbers():
    assert type(size(GRID)) is int and type(add(1, 2)) is int and add((1, 2), (3, 4)) == (4, 6)
    assert batt.dsl.equality(1, 1) is True and batt.dsl.both(True, False) is False
    assert batt.dsl.T is True and batt.dsl.ZERO == 0 and batt.dsl.DOWN == (1, 0)
    assert batt.evaluate("first(())", mode="batt") is None
    assert math.isinf(batt.from_text("inf")) and math.isnan(identity(math.nan))
    assert batt.Value(5) == 5 and batt.Value([[1, 2], [3, 4]]) == ((1, 2), (3, 4))


def test_functions_of_python():
    objs = objects(((1, 0, 2), (1, 0, 0)), True, False, True)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        assert apply(lambda o: len(o), objs) == {1, 2}
        assert sfilter(objs, lambda o: size(o) > 1) == sfilter(objs, compose(lambda n: n > 1, size))
        assert order((3, 1, 2), lambda x: -x) == (3, 2, 1)
        assert fork(lambda a, b: a - b, max, min)((1, 7)) == 6
        assert mapply(lambda o: [c for c in o], ((1, 2), (3,))) == (1, 2, 3)
        assert rbind(lambda a, b: (a, b), 5)(1) == (1, 5)
        assert compose(first, lambda x: (x, x))(GRID) == GRID
        assert apply(lambda x: apply(lambda y: y + x, (1, 2)), (10, 20)) == ((11, 12), (21, 22))
        kept = []
        apply(kept.append, (((1, 2), (3, 4)), 5))
        assert kept == [((1, 2), (3, 4)), 5]
        with pytest.raises(ZeroDivisionError):
            apply(lambda x: 1 // x, (1, 0))
        with pytest.raises(ZeroDivisionError):
            batt.dsl.dialect.apply(lambda x: 1 // x, (1, 0))
        with pytest.raises(TypeError):
            apply(lambda x: "text", (1,))
        with pytest.raises((RecursionError, batt.Failure)):
            deep = lambda x: apply(deep, (x,))  # noqa: E731
            deep(1)
    f = compose(vmirror, vmirror)
    assert f(GRID) == GRID and callable(f) and "compose" in repr(f) and f == f and f != compose(vmirror, vmirror)
    assert apply(f, (GRID, GRID)) == (GRID, GRID)


def test_slow_functions_warn_once():
    import subprocess

    code = (
        "import warnings; warnings.simplefilter('always')\n"
        "from batt.dsl import apply\n"
        "for k in range(3): apply(lambda x: x, (1, 2))\n"
        "apply(abs, (1,))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("SlowFunctionWarning") == 1


def test_keywords_and_docs():
    assert fill(grid=GRID, value=9, patch={(0, 0)}) == fill(GRID, 9, {(0, 0)})
    assert fill(GRID, color=9, patch={(0, 0)}) == fill(GRID, 9, {(0, 0)})
    for bad in (lambda: fill(GRID, 9, grid=GRID), lambda: fill(GRID, 9, nothing=1), lambda: fill(GRID), lambda: fill()):
        with pytest.raises(TypeError):
            bad()
    assert list(inspect.signature(objects).parameters)[0] == "grid"
    for name in batt.dsl.__all__:
        item = getattr(batt.dsl, name)
        if callable(item) and not isinstance(item, batt.Value):
            assert item.__doc__ and "Example:" in item.__doc__ and item.__name__ == name
            inspect.signature(item)


def test_words_for_numbers():
    """A word that has several numbers is a string, and each argument reads it as its own."""
    assert batt.dsl.ROT90 == 1 and batt.dsl.ROWS == "ROWS"
    assert batt.dsl.stamp_turn(GRID, batt.dsl.ROT90) == batt.dsl.stamp_turn(GRID, mode="ROT90") == batt.dsl.stamp_turn(GRID, how=1)
    assert batt.dsl.stamp_split(GRID, batt.dsl.ROWS) == batt.dsl.stamp_split(GRID, 4)
    assert batt.dsl.local_split(GRID, batt.dsl.ROWS) == batt.dsl.local_split(GRID, 4)
    assert batt.dsl.grid_roll(GRID, batt.dsl.ROWS, 1) == batt.dsl.grid_roll(GRID, 0, 1)
    assert batt.dsl.cell_rule(GRID, ("COPY", "LEFT")) == batt.dsl.cell_feature(GRID, "LEFT") == batt.dsl.cell_feature(GRID, 7)
    for bad in (lambda: batt.dsl.stamp_turn(GRID, "ROWS"), lambda: batt.dsl.stamp_turn("ROT90", 1), lambda: fill(GRID, "ROWS", GRID)):
        with pytest.raises(TypeError):
            bad()


def test_failures():
    with pytest.raises(batt.Failure) as caught:
        first(())
    assert (caught.value.reason, caught.value.primitive) == ("empty", "first")
    assert batt.dsl.dialect.divide(1, 0) == ()


def test_arrays():
    numpy = pytest.importorskip("numpy")
    v = identity(GRID)
    array = numpy.asarray(v)
    assert array.dtype == numpy.int8 and array.shape == (2, 3) and not array.flags.writeable
    assert array.base is not None and (array == GRID).all()
    del v
    assert array.sum() == 15
    for kind in ("int8", "uint8", "int16", "int32", "int64", "uint64", "bool"):
        given = numpy.array(GRID).astype(kind)
        assert vmirror(given) == vmirror(tuple(map(tuple, given.tolist())))
    big = numpy.arange(24, dtype="int8").reshape(4, 6)
    for view in (big.T, big[::2, ::-1], numpy.asfortranarray(big), big[1:3, 2:4]):
        assert identity(view) == tuple(map(tuple, view.tolist()))
    assert identity(numpy.array([[1, 1000]])) == ((1, 1000),)  # wide, not wrapped
    assert identity(numpy.int64(7)) == 7 and identity(numpy.array([1, 2])) == (1, 2)
    assert fill(numpy.zeros((2, 2), "int8"), numpy.uint8(3), {(0, 0)}) == ((3, 0), (0, 0))
    with pytest.raises(ValueError):
        batt.grid(numpy.array([[1, 1000]]))
    assert memoryview(identity(GRID)).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_memory_does_not_grow(quick):
    import resource

    grid, rounds = identity(GRID), 20_000 if quick else 1_000_000
    things = [astuple(1, grid), identity(frozenset({(1, 2)}))]

    def work(n):
        x = grid
        for k in range(n):
            x = vmirror(x)
            if k % 16 == 0:
                repeat(x, 3), initset(x), mostcolor(x), list(things[1]), hash(x), x == GRID
        return x

    work(rounds // 10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work(rounds)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < (40_000 if quick else 1_000), f"{grown} kB"


def test_threads():
    wrong = []

    def work():
        for k in range(300):
            x = apply(lambda y: (y, size(y)), (GRID, ((k % 10,),)))
            if x[1] != (((k % 10,),), 1):
                wrong.append(x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_jupyter():
    svg = identity(GRID)._repr_svg_()
    assert svg.startswith("<svg") and "prefers-color-scheme:dark" in svg
    assert identity((1, 2))._repr_svg_() is None
