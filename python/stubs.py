"""Writes the type stubs of batt.dsl into a folder, from the signatures in the table of primitives; every build runs it.

A signature, "grid: grid, value|color: int, patch: patch -> grid", has the types of src/engine/language/types.h. Parameters
take what Python code has (GridLike, ..), results are what primitives give (Grid, ..). Letters are type variables. Where
the result depends on the kind of an argument (a patch gives a patch), there is an overload for each kind.
"""

import importlib
import inspect
import pathlib
import re
import sys

del sys.path[0]  # the sources beside this file have no C side
import batt  # noqa: E402

NUMBERS = {"int": "int", "bool": "bool", "color": "int", "any": "Any"}
TAKEN = {
    **NUMBERS, "bool": "int", "num": "NumLike", "pair": "PairLike", "cell": "CellLike", "grid": "GridLike", "object": "ObjectLike",
    "indices": "IndicesLike", "patch": "PatchLike", "objects": "ObjectsLike", "element": "ElementLike", "piece": "PieceLike",
    "samples": "SamplesLike", "fn": "Callable[..., Any]", "tuple": "Sequence[Any]", "set": "AbstractSet[Any]",
    "container": "ContainerLike[Any]", "cells": "AbstractSet[_X]",
}
GIVEN = {
    **NUMBERS, "num": "Num", "pair": "Pair", "cell": "Cell", "grid": "Grid", "object": "Object", "indices": "Indices",
    "patch": "Patch", "objects": "Objects", "element": "Element", "piece": "Piece", "samples": "Samples", "fn": "Function[Any]",
    "tuple": "Tuple[Any]", "set": "Set[Any]", "container": "Container[Any]",
    "cells": "Set[_X]",
}
PLAIN = {
    **NUMBERS, "pair": "tuple[int, int]", "cell": "tuple[int, tuple[int, int]]", "grid": "tuple[tuple[int, ...], ...]",
    "object": "frozenset[tuple[int, tuple[int, int]]]", "indices": "frozenset[tuple[int, int]]",
    "objects": "frozenset[frozenset[tuple[int, tuple[int, int]]]]", "fn": "Function[Any]", "tuple": "tuple[Any, ...]",
    "set": "frozenset[Any]", "cells": "frozenset[_X]",
}
PARTS = {  # of a container of one type
    "taken": {"tuple": "Sequence[{}]", "set": "AbstractSet[{}]", "container": "ContainerLike[{}]"},
    "given": {"tuple": "Tuple[{}]", "set": "Set[{}]", "container": "Container[{}]"},
    "plain": {"tuple": "tuple[{}, ...]", "set": "frozenset[{}]", "container": "Any"},
}
# What a result that is one of several kinds is for each kind of argument. "cells" are of either kind of patch: _X.
UNIONS = {"piece": ("grid", "cells"), "patch": ("cells",), "element": ("grid", "object")}


# ---- signatures ----


def split(text):
    """Split at the commas that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [p.strip() for p in parts if p.strip()]


def tree(text):
    """"fn(a, b)->tuple(c)" as ("fn", ["a", "b"], ("tuple", ["c"])): nested tuples; a plain word stays one."""
    match = re.fullmatch(r"fn\((.*?)\)->(.*)", text) if text.startswith("fn(") else None
    if match:
        depth = 0
        for at, letter in enumerate(text[2:], 2):
            depth += (letter == "(") - (letter == ")")
            if depth == 0:
                break
        return ("fn", [tree(p) for p in split(text[3:at])], tree(text[at + 3 :]))
    match = re.fullmatch(r"(\w+)\((.*)\)", text)
    return (match[1], [tree(p) for p in split(match[2])]) if match else text


def signature(text):
    """The types of parameters, and of the result."""
    depth, arrow = 0, -1
    for at in range(len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if text.startswith(" -> ", at) and depth == 0:
            arrow = at
    return [tree(p.split(":", 1)[1].strip()) for p in split(text[:arrow])], tree(text[arrow + 4 :])


def words(node):
    if isinstance(node, str):
        return [node]
    return [node[0], *(w for part in node[1:] for p in (part if isinstance(part, list) else [part]) for w in words(p))]


# ---- types ----


def written(node, side, letters, kinds):
    """A type as Python writes it. letters: those that are type variables; kinds: what stands for unions and capitals."""
    table = {"taken": TAKEN, "given": GIVEN, "plain": PLAIN}[side]
    if isinstance(node, str):
        node = kinds.get(node, node)
        if len(node) == 1:
            return f"_{node.upper()}" if node in letters else "Any"
        return table.get(node, "Any")
    if node[0] == "fn":
        if side != "taken":
            return f"Function[{written(node[2], 'given', letters, kinds)}]"
        takes = ", ".join(written(p, "given", letters, kinds) for p in node[1])  # what batt passes to it
        return f"Callable[[{takes}], {written(node[2], 'taken', letters, kinds)}]"
    kind = kinds.get(node[0], node[0])
    part = written(node[1][0], side, letters, kinds)
    return PARTS[side].get("container" if len(kind) == 1 else kind, "Any").format(part)


def variants(takes, gives):
    """What stands for the kinds that the result shares with a parameter, an overload each: ({word: kind}, index or -1)."""
    result = gives if isinstance(gives, str) else gives[0]
    if result == "num" and "num" in takes:
        return [({"num": "int"}, -1), *(({}, k) for k, t in enumerate(takes) if t == "num")]
    if result in UNIONS and result in takes:
        return [({result: kind}, -1) for kind in UNIONS[result]]
    if len(result) == 1 and result.isupper():
        return [({result: kind}, -1) for kind in ("set", "tuple")]
    return [({}, -1)]


def functions(name, item, plain, dialect):
    doc, text = item.__doc__.strip().split("\n\n")[:2]
    takes, gives = signature(text)
    parameters = list(inspect.signature(item).parameters.values())
    lines = []
    choices = [({}, -1)] if dialect else variants(takes, gives)
    for kinds, pair in choices:
        used = [w for t in [*takes, gives] for w in words(t)]
        letters = {w for w in used if len(w) == 1 and w.islower() and used.count(w) > 1}
        types = [written(t, "taken", letters, kinds) for t in takes]
        result = written(gives, "plain" if plain else "given", letters, kinds)
        if pair >= 0:  # a pair among the numbers makes the result one
            types[pair] = "PairLike"
            result = PLAIN["pair"] if plain else "Pair"
        if dialect:  # may be a default of another type, for arguments of any
            types, result = ["Any"] * len(types), "Any"
        arguments = ", ".join(
            f"{p.name}: {t} | None = ..." if p.default is not p.empty and t != "Any" else f"{p.name}: {t}" + " = ..." * (p.default is not p.empty)
            for p, t in zip(parameters, types)
        )
        lines += ["@overload"] * (len(choices) > 1)
        lines += [f"def {name}({arguments}) -> {result}:", f"    {doc!r}" if not lines or lines == ["@overload"] else "    ..."]
    return lines


def constant(item):
    if isinstance(item, batt.Tuple):
        return "Pair"
    return "tuple[int, int]" if isinstance(item, tuple) else type(item).__name__


IMPORTS = {
    "collections.abc": ["Callable", "Sequence", "Set as AbstractSet"],
    "typing": ["Any", "TypeVar", "overload"],
    "batt": ["Function", "Set", "Tuple"],
    "batt.types": sorted({w for w in [*TAKEN.values(), *GIVEN.values()] for w in re.findall(r"^[A-Z]\w+", w)} - {"Any", "Callable", "Sequence", "AbstractSet", "Function", "Tuple", "Set"}),
}


def stub(name):
    module = importlib.import_module("batt.dsl" if name == "__init__" else f"batt.dsl.{name}")
    lines = []
    for word in module.__all__:
        item = getattr(module, word)
        if callable(item) and not isinstance(item, batt.Value):
            lines += functions(word, item, name == "plain", name == "dialect")
        else:
            lines.append(f"{word}: {constant(item)}")
    body = "\n".join(lines)
    variables = [f'_{letter} = TypeVar("_{letter}")' for letter in "ABCD" if re.search(rf"\b_{letter}\b", body)]
    variables += ['_X = TypeVar("_X", bound=PairLike | CellLike)'] * ("_X]" in body)
    listed = f"__all__ = {module.__all__!r}"  # a star takes these, for people and for checkers
    body = "\n".join([*variables, "symbols: dict[str, int | str]", body, listed, ""])
    if name == "__init__":
        body = "from . import dialect as dialect\nfrom . import plain as plain\n" + body
    return "# Written by python/stubs.py from the table of primitives.\n" + imports(body) + body


def imports(body):
    """The imports that the stub uses."""
    return "".join(
        f"from {source} import {name}\n" for source, names in IMPORTS.items() for name in names
        if re.search(rf"\b{name.split(' as ')[-1]}\b", body)
    )


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    for each in ("__init__", "plain", "dialect"):
        (folder / f"{each}.pyi").write_text(stub(each))
