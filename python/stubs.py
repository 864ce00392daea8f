"""Writes the type stubs of batt.dsl into a folder, from the table of primitives; every build runs it."""

import importlib
import inspect
import pathlib
import sys

del sys.path[0]  # the sources beside this file have no C side
import batt  # noqa: E402

RESULTS = {"int": "int", "color": "int", "bool": "bool", "num": "_Number", "grid": "Tuple", "object": "Set", "indices": "Set", "objects": "Set"}
PLAIN = {"int": "int", "color": "int", "bool": "bool"}


def result(signature, plain, dialect):
    word = signature.rsplit(" -> ", 1)[1] if " -> " in signature else "any"
    known = PLAIN if plain else RESULTS
    if dialect:  # may be a default of another type
        return "Any"
    if word.startswith("tuple"):
        return "tuple[Any, ...]" if plain else "Tuple"
    if word.startswith("set"):
        return "frozenset[Any]" if plain else "Set"
    if word.startswith("fn"):
        return "Function"
    return known.get(word, "Any")


def stub(name):
    module = importlib.import_module("batt.dsl" if name == "__init__" else f"batt.dsl.{name}")
    lines = ["# Written by python/stubs.py from the table of primitives.", "from typing import Any", "",
             "from batt import Function, Set, Tuple", "", "_Number = Any", ""]
    for word in module.__all__:
        item = getattr(module, word)
        if not callable(item) or isinstance(item, batt.Value):
            kind = type(item).__name__
            lines.append(f"{word}: {'tuple[int, int]' if kind == 'tuple' else kind}")
            continue
        parameters = ", ".join(
            f"{p.name}: Any = ..." if p.default is not p.empty else f"{p.name}: Any"
            for p in inspect.signature(item).parameters.values()
        )
        signature = item.__doc__.strip().split("\n\n")[1]
        lines.append(f"def {word}({parameters}) -> {result(signature, name == 'plain', name == 'dialect')}: ...")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    for each in ("__init__", "plain", "dialect"):
        (folder / f"{each}.pyi").write_text(stub(each))
