"""Any argument gives an exception, never a crash. Also run under the address sanitizer."""

import array
import enum
import itertools
import math
import random
import warnings

import batt
import batt.dsl as dsl
import batt.dsl.dialect as dialect
import pytest

RECURSIVE = []
RECURSIVE.append(RECURSIVE)
DEEP = ()
for _ in range(5000):
    DEEP = (DEEP,)
WIDE = ()
for _ in range(64):
    WIDE = (WIDE, WIDE)


class Color(enum.IntEnum):
    RED = 2


class Odd(tuple):
    def __getitem__(self, key):
        raise RuntimeError("not to be asked")

    def __len__(self):
        return 10**9


class OddSet(frozenset):
    def __iter__(self):
        yield 1
        raise KeyError("in the middle")


class Liar:
    def __index__(self):
        return "no"


class Shrinks(list):
    pass


BAD = [
    "text", b"bytes", 1.5, 2**64, -(2**70), object(), {1: 2}, {"a"}, (1, "x"), RECURSIVE, DEEP, Liar(), OddSet({1}),
    array.array("d", [1.0]), array.array("f", [1]), type, range(3), iter([1]),
    ((1, 2), (3, None, "x")), [[1.0, 2.0]], float("1e300"), complex(1, 2), Ellipsis, NotImplemented,
]


@pytest.mark.parametrize("bad", BAD, ids=lambda x: type(x).__name__)
def test_bad_values(bad):
    for call in (
        lambda: dsl.identity(bad), lambda: dsl.astuple(1, bad), lambda: dsl.compose(dsl.size, bad)(1),
        lambda: batt.grid(bad), lambda: batt.Value(bad), lambda: batt.parse("O = vmirror(I)")(bad),
        lambda: dsl.apply(lambda x: bad, (1, 2)),
    ):
        try:
            result = call()
        except Exception as error:
            assert not isinstance(error, SystemError), error
        else:
            assert result is not NotImplemented or bad is NotImplemented


@pytest.mark.parametrize("bad", ["text", b"bytes", 1.5, 2**64, object(), {1: 2}, RECURSIVE, WIDE, complex(1, 2)], ids=lambda x: type(x).__name__)
def test_some_must_raise(bad):
    with pytest.raises((TypeError, ValueError, OverflowError, RecursionError)):
        dsl.identity(bad)


def test_odd_subclasses():
    assert dsl.identity(Color.RED) == 2
    assert dsl.identity(True) == 1
    assert dsl.identity(Odd((1, 2))) == (1, 2)
    with pytest.raises(KeyError):
        dsl.identity(OddSet({1, 2}))
    assert dsl.identity([1, [2, 3]]) == (1, (2, 3))


def test_ragged_and_empty_grids():
    program = batt.parse("O = vmirror(I)")
    for bad in (((1, 2), (3,)), (), ((),), ((1, None),), ((1, 300),), 5, None, "x", (1, 2), {1}, ((math.nan,),)):
        with pytest.raises((ValueError, TypeError)):
            program(bad)
        with pytest.raises((ValueError, TypeError)):
            batt.grid(bad)


def test_huge():
    with pytest.raises(ValueError):
        batt.grid([[0] * 40000])
    with pytest.raises((ValueError, batt.Error)):
        dsl.identity(tuple(range(2_000_000)))
    with pytest.raises(batt.Failure):
        dsl.canvas(0, (10**9, 10**9))
    with pytest.raises(batt.Failure):
        dsl.multiply(2**62, 4)


def test_released_buffers():
    view = memoryview(bytes(4)).cast("b", (2, 2))
    assert dsl.identity(view) == ((0, 0), (0, 0))
    view.release()
    with pytest.raises(ValueError):
        dsl.identity(view)
    value = dsl.identity(((1, 2), (3, 4)))
    window = memoryview(value)
    del value
    assert window.tolist() == [[1, 2], [3, 4]]
    window.release()
    with pytest.raises(ValueError):
        window.tolist()
    with pytest.raises((BufferError, TypeError, ValueError)):
        memoryview(dsl.identity((1, 2, 3)))
    with pytest.raises((TypeError, BufferError, ValueError)):
        memoryview(dsl.identity(((1, 2), (3, 4))))[0, 0] = 5


def test_numpy_kinds():
    numpy = pytest.importorskip("numpy")
    for bad in (
        numpy.zeros((2, 2)), numpy.array([["a"]]), numpy.zeros((2, 2, 2), "int8"), numpy.array([[None]]),
        numpy.array([[2**64 - 1]], "uint64"), numpy.zeros((2, 2), ">i4"), numpy.zeros((2, 2), "complex64"),
        numpy.array([[1.5]], "float16"), numpy.zeros((2, 2), [("a", "i1")]), numpy.array(numpy.nan),
        numpy.zeros((1, 40000), "int8"), numpy.zeros((2, 2), "datetime64[s]"),
    ):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            batt.grid(bad)
    for empty in (numpy.zeros((0, 3), "int8"), numpy.zeros((3, 0), "int8")):
        with pytest.raises((TypeError, ValueError)):
            batt.grid(empty)


def test_lists_that_change():
    rows = []

    class Meddler:
        def __index__(self):
            rows.clear()
            return 1

    rows += [Meddler(), [1, 2], [3, 4]]
    with pytest.raises(RuntimeError, match="changed"):
        dsl.identity(rows)


def test_every_primitive_with_anything(quick):
    rng = random.Random(7)
    values = [
        0, 3, -1, True, None, (), frozenset(), (1, 2), ((1, 2), (3, 4)), ((0,) * 5,) * 5, {(1, 2)}, {(1, (2, 3))}, (1, (2, 3)),
        math.nan, math.inf, dsl.size, dsl.compose(dsl.size, dsl.identity), 2**62, (((1,),), ((2,),)), "x", 1.5, [1, [2]],
        lambda *a: a[0] if a else None,
    ]
    warnings.simplefilter("ignore")
    for names in (dsl, dialect):
        for name in names.__all__:
            function = getattr(names, name)
            if not callable(function) or isinstance(function, batt.Value):
                continue
            for _ in range(2 if quick else 12):
                arguments = [rng.choice(values) for _ in range(rng.randrange(5))]
                try:
                    result = function(*arguments)
                    repr(result), hash(result)
                except (batt.Error, TypeError, ValueError, OverflowError, RecursionError, IndexError, AttributeError):
                    pass


def test_handles():
    from batt import _batt

    tasks = batt.load()
    for call in (
        lambda: tasks["nobody"], lambda: tasks[10**6], lambda: tasks.select(filter="h<"), lambda: tasks.select(ids=[5]),
        lambda: tasks.select(start=-1), lambda: batt.load("/no/such/folder"), lambda: batt.load(5), lambda: batt.read("{"),
        lambda: batt.read(b"\xff\x00"), lambda: batt.read({"train": 5}), lambda: batt.parse(""), lambda: batt.parse(5),
        lambda: batt.parse("O = "), lambda: batt.parse("def f(I):\n  O = nothing(I)\n  return O"), lambda: batt.parse("\0"),
        lambda: batt.parse("O = I", mode="odd"), lambda: tasks[0].svg(palette="mauve"), lambda: tasks[0].train[0].judge("x"),
        lambda: batt.solvers("/no/such/file.py"), lambda: batt.evaluate("1 +"), lambda: batt.evaluate(5),
        lambda: _batt.Tasks(), lambda: _batt.Programs(), lambda: _batt.Tasks.join((5,)), lambda: _batt.Tasks.load(5),
        lambda: _batt.Tasks.load(("a\0b",)), lambda: batt.from_text("("), lambda: batt.from_text(5), lambda: batt.draw("x"),
        lambda: batt.Value(), lambda: batt.Value(1, 2), lambda: batt.Tuple.__new__(batt.Tuple),
    ):
        with pytest.raises(Exception) as caught:
            call()
        assert not isinstance(caught.value, SystemError)


def test_errors_have_places(tmp_path):
    with pytest.raises(batt.InputError) as caught:
        batt.parse("def f(I):\n    O = vmiror(I)\n    return O\n")
    assert (caught.value.file, caught.value.line, caught.value.column) == ("text", 2, 9)
    assert "did you mean 'vmirror'" in caught.value.text
    (tmp_path / "bad.json").write_text('{"train": [{"input": [[1, 12]], "output": [[1]]}], "test": []}')
    with pytest.raises(batt.InputError) as caught:
        batt.load(tmp_path / "bad.json")
    assert caught.value.file.endswith("bad.json") and caught.value.line == 1 and caught.value.column > 1
    with pytest.raises(OSError) as caught:
        batt.solvers(tmp_path / "none.py")
    assert caught.value.file.endswith("none.py")


def test_subclasses_and_types():
    for kind in (batt.Tuple, batt.Set, batt.Function):
        with pytest.raises(TypeError):
            type("Mine", (kind,), {})
    for pair in itertools.permutations([dsl.identity((1,)), dsl.identity(frozenset({1})), 5, "x", None], 2):
        for op in ("__add__", "__or__", "__lt__", "__eq__", "__mul__", "__sub__"):
            try:
                getattr(pair[0], op, lambda x: None)(pair[1])
            except (TypeError, AttributeError):
                pass
