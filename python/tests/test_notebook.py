"""The notebook of the examples runs, and shows pictures."""

import os

import pytest


def test_notebook(root, quick):
    if quick:
        pytest.skip("executed once, from the release build")
    nbformat = pytest.importorskip("nbformat", reason="no nbformat (python3-nbformat)")
    client = pytest.importorskip("nbclient", reason="no nbclient (python3-nbclient)")
    pytest.importorskip("ipykernel", reason="no ipykernel (python3-ipykernel)")
    os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.read(root / "examples" / "batt.ipynb", as_version=4)
    client.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [set(o.get("data", {})) for cell in notebook.cells for o in cell.get("outputs", [])]
    assert sum("image/svg+xml" in kinds for kinds in shown) >= 2
    assert sum("text/html" in kinds for kinds in shown) >= 5
