"""The type stubs list every function, and every function they list exists."""

import ast
import inspect
import pathlib
import subprocess
import sys

import batt
import batt.dsl
import batt.dsl.plain
import pytest


def declared(module):
    tree = ast.parse(pathlib.Path(module.__file__).with_suffix(".pyi").read_text())
    found = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, ast.ImportFrom):
            found.update({a.name: None for a in node.names if a.asname == a.name})
    return found


def parameters(function):
    a = function.args
    return [p.arg for p in [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs, *([a.kwarg] if a.kwarg else [])]]


@pytest.mark.parametrize("module", [batt, batt.dsl, batt.dsl.plain], ids=lambda m: m.__name__)
def test_names(module):
    names = declared(module)
    assert set(module.__all__) <= set(names), set(module.__all__) - set(names)
    assert not {n for n in names if not n.startswith("_") and not hasattr(module, n)}


def test_parameters():
    for name, node in declared(batt).items():
        thing = getattr(batt, name, None)
        if inspect.isfunction(thing):
            taken = list(inspect.signature(thing).parameters)
            if taken[-1] == "options" and "options" not in parameters(node):  # the stub lists the options of the command
                given = parameters(node)
                assert given[: len(taken) - 1] == taken[:-1], name
                text = batt.command(name, help=True)
                assert all(f"--{p.replace('_', '-')} " in text for p in given[len(taken) - 1 :]), name
            else:
                assert parameters(node) == taken, name
        elif inspect.isclass(thing) and isinstance(node, ast.ClassDef):
            for method in (m for m in node.body if isinstance(m, ast.FunctionDef) and m.name != "__buffer__"):
                assert hasattr(thing, method.name), (name, method.name)
                if inspect.isfunction(getattr(thing, method.name)):
                    wanted = list(inspect.signature(getattr(thing, method.name)).parameters)
                    assert parameters(method) == wanted, (name, method.name)


def test_modules_come_when_they_are_asked_for():
    code = "import batt; print(batt.dsl.plain.vmirror(((1, 2),)), batt.dsl.dialect.ZERO); batt.nothing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "((2, 1),) 0\n" and "no attribute 'nothing'" in done.stderr
