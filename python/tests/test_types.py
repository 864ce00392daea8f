"""Type checkers accept the stubs, code that uses them well, and refuse code that does not."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import batt
import pytest

HERE = pathlib.Path(__file__).parent / "types"
PACKAGE = pathlib.Path(batt.__file__).parent
WRONG = {n for n, line in enumerate((HERE / "misuses.py").read_text().splitlines(), 1) if line.endswith("# wrong")}

pytestmark = pytest.mark.skipif(not (PACKAGE / "dsl" / "__init__.pyi").exists(), reason="no stubs in a build with sanitizers")


def mypy(*arguments, module="mypy", cache):
    pytest.importorskip("mypy", reason="no mypy (apt install mypy)")
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent), "MYPY_CACHE_DIR": str(cache)}
    return subprocess.run([sys.executable, "-m", module, *map(str, arguments)], capture_output=True, text=True, env=environment, cwd=cache)


def test_mypy(tmp_path):
    done = mypy("--strict", HERE / "uses.py", cache=tmp_path)
    assert done.returncode == 0, done.stdout
    done = mypy("--strict", "--no-error-summary", HERE / "misuses.py", cache=tmp_path)
    lines = [line for line in done.stdout.splitlines() if " error: " in line]
    assert all("misuses.py:" in line for line in lines), done.stdout
    assert {int(line.split("misuses.py:")[1].split(":")[0]) for line in lines} == WRONG, done.stdout


def test_stubtest(tmp_path):
    done = mypy("batt", "--mypy-config-file", HERE / "mypy.ini", "--allowlist", HERE / "allowlist", "--ignore-unused-allowlist",
                module="mypy.stubtest", cache=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]


def test_pyright(tmp_path):
    command = shutil.which("pyright")
    if command is None:
        pytest.skip("no pyright (pip install pyright)")
    for name in "uses.py", "misuses.py":
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict", "extraPaths": [str(PACKAGE.parent)]}))
    done = subprocess.run([command, "--outputjson", "-p", str(tmp_path), "--pythonpath", sys.executable], capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        pytest.skip("pyright does not start: it fetches its own parts when it is first used")
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert not [d for d in found if d["file"].endswith("uses.py") and not d["file"].endswith("misuses.py")], found
    wrong = {d["range"]["start"]["line"] + 1 for d in found if d["file"].endswith("misuses.py") and d["severity"] == "error"}
    assert wrong == WRONG, found


def test_every_primitive_has_types():
    """No primitive of batt.dsl takes or gives Any where its signature says more."""
    text = (PACKAGE / "dsl" / "__init__.pyi").read_text()
    assert "def fill(grid: GridLike, value: int, patch: PatchLike) -> Grid:" in text
    assert "def objects(grid: GridLike, univalued: int, diagonal: int, without_bg: int) -> Objects:" in text
    for name in batt.dsl.__all__:
        item = getattr(batt.dsl, name)
        if callable(item) and not isinstance(item, batt.Value):
            signature = item.__doc__.strip().split("\n\n")[1]
            line = next(line for line in text.splitlines() if line.startswith(f"def {name}("))
            for word, given in ("grid", "Grid"), ("objects", "Objects"), ("indices", "Indices"), ("bool", "bool"), ("pair", "Pair"):
                if signature.endswith(f" -> {word}"):
                    assert line.endswith(f"-> {given}:"), line
