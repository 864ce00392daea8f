"""Every vector of the tree through batt.dsl: as Python evaluates the expression, call by call."""

import ast
import math
import os
import pathlib

import batt
import batt.dsl
import batt.dsl.dialect
import batt.dsl.plain
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXTRA = {"nan": math.nan, "inf": math.inf, "frozenset": frozenset}
CORE = {**{n: getattr(batt.dsl, n) for n in batt.dsl.__all__}, **EXTRA}
PLAIN = {**{n: getattr(batt.dsl.plain, n) for n in batt.dsl.plain.__all__}, **EXTRA}
DIALECT = {**{n: getattr(batt.dsl.dialect, n) for n in batt.dsl.dialect.__all__}, **EXTRA}


class Features(ast.NodeTransformer):
    def visit_Name(self, node):
        return ast.Constant(node.id) if node.id in ("LEFT", "RIGHT") else node


class Sets(ast.NodeTransformer):
    """batt writes {1, 2} and {} for what Python calls a frozenset."""

    def visit_Set(self, node):
        self.generic_visit(node)
        return ast.Call(ast.Name("frozenset", ast.Load()), [ast.Tuple(node.elts, ast.Load())], [])

    def visit_Call(self, node):
        """LEFT is a direction, but in the argument of a rule a feature: there it is written as a string."""
        self.generic_visit(node)
        return Features().visit(node) if isinstance(node.func, ast.Name) and node.func.id.startswith("cell_") else node

    def visit_Dict(self, node):
        return ast.Call(ast.Name("frozenset", ast.Load()), [], [])


def evaluate(text, names, mode):
    tree = ast.fix_missing_locations(Sets().visit(ast.parse(text.strip(), mode=mode)))
    code = compile(tree, "vector", mode)
    if mode == "eval":
        return eval(code, names)
    names = dict(names)
    exec(code, names)
    return names["O"]


def same(got, wanted):
    if isinstance(got, float) and isinstance(wanted, float):
        return got == wanted or (math.isnan(got) and math.isnan(wanted))
    if isinstance(wanted, batt.Value):
        got = batt.Value(got)
        return isinstance(got, batt.Value) and got.text() == wanted.text()
    return got == wanted and isinstance(got, float) == isinstance(wanted, float)


def check(path, names, every=1):
    wrong, count = [], 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        parts = line.split("\t")
        if len(parts) < 2 or line.startswith("#") or number % every:
            continue
        count += 1
        try:
            if len(parts) == 3:
                got = evaluate(parts[0], {**names, "I": batt.from_text(parts[1])}, "exec")
            else:
                got = evaluate(parts[0], names, "eval")
        except (batt.Failure, TypeError) as error:
            got = error
        good = isinstance(got, Exception) if parts[-1] == "!" else (
            not isinstance(got, Exception) and same(got, batt.from_text(parts[-1]))
        )
        if not good:
            wrong.append(f"{path.name}:{number}: {parts[0][:200]} is {str(got)[:200]}, wanted {parts[-1][:200]}")
    return count, wrong


def run(folder, names, every=1):
    files = sorted(path for path in folder.glob("*.tsv") if path.name != "reference_times.tsv")
    total, wrong = 0, []
    for path in files:
        count, bad = check(path, names, every)
        total += count
        wrong += bad
    assert not wrong, f"{len(wrong)} of {total}:\n" + "\n".join(wrong[:10])
    return total


def test_core_vectors():
    assert run(ROOT / "tests/vectors", CORE) > 3000


def test_own_vectors():
    assert run(ROOT / "tests/vectors/ours", CORE) > 100


def test_dialect_vectors():
    assert run(ROOT / "tests/vectors/dialect", DIALECT) > 1000


def test_plain_vectors():
    for name in ("fill", "objects", "apply", "compose", "paint", "order", "mostcolor"):
        count, wrong = check(ROOT / f"tests/vectors/{name}.tsv", PLAIN)
        assert count and not wrong, wrong[:5]


def test_shared_vectors(quick):
    """Recorded vectors, where they are installed (BATT_VECTORS): every eighth line, with BATT_TEST_ALL all of them."""
    folder = pathlib.Path(os.environ.get("BATT_VECTORS") or ROOT / "../shared/vectors")
    if not folder.is_dir() or quick:
        pytest.skip("no folder of recorded vectors")
    every = 1 if os.environ.get("BATT_TEST_ALL") else 8
    assert run(folder, CORE, every) > 1000
    assert run(folder / "dialect", DIALECT, every) > 500
