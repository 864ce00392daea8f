"""Validates JSON files against the schema that each names: tests/schemas.py docs/schema FILE..; also, that every schema is met by some
file, and that a name stands for the same type wherever it is used (docs/schema/names.json defines it once)."""

import json
import sys
from pathlib import Path

import jsonschema


def schemas(folder):
    names = json.loads((folder / "names.json").read_text())
    for path in sorted(folder.glob("batt.*.json")):
        schema = json.loads(path.read_text())
        assert schema["title"].replace("/", "-") == path.stem
        yield path.stem, {**strict(schema, path.name), "$defs": strict(names["$defs"], "names.json")}


def strict(schema, where):
    """The schema with names.json in it, and without room for members that it does not name: users may meet new ones, tests may not."""
    if isinstance(schema, list):
        return [strict(part, where) for part in schema]
    if not isinstance(schema, dict):
        return schema
    for name, one in schema.get("properties", {}).items():
        plain = {"const", "anyOf", "allOf", "items", "properties", "additionalProperties"}.isdisjoint(one) and one.get("type") not in ("array", "object")
        assert not plain or one == {"$ref": f"names.json#/$defs/{name}"}, f"{where}: {name} is not defined in names.json"
    made = {k: v.replace("names.json#", "#") if k == "$ref" else strict(v, where) for k, v in schema.items()}
    return {**made, "additionalProperties": False} if "properties" in made and made.get("type") == "object" else made


def main(folder, files):
    known, used, wrong = dict(schemas(Path(folder))), set(), 0
    for file in files:
        data = json.loads(Path(file).read_text())
        name = data["schema"].replace("/", "-")
        used.add(name)
        if name not in known:
            sys.exit(f"{file}: no schema {name}.json")
        checker = jsonschema.Draft202012Validator(known[name])
        for error in sorted(checker.iter_errors(data), key=str):
            wrong += 1
            print(f"{Path(file).name}: {'/'.join(map(str, error.absolute_path))}: {error.message:.160}")
    unused = set(known) - used
    if unused:
        sys.exit(f"schemas that nothing was checked against: {sorted(unused)}")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
