"""Progress bars in notebooks: tqdm's if it is installed, else HTML."""

import subprocess
import sys
import types

import batt
import pytest
from batt import _bars

CODE = """
import sys
{hide}
import ipykernel.inprocess
m = ipykernel.inprocess.InProcessKernelManager()
m.start_kernel()
c = m.client()
c.start_channels()
c.execute("import batt; r = batt.solve(batt.load()[:2], steps=500)")
from queue import Empty
kinds = []
try:
    while True:
        message = c.get_iopub_msg(timeout=2)
        content = message["content"]
        if message["msg_type"] == "error":
            print(content["evalue"])
        kinds += [(message["msg_type"], *content.get("data", {}).values())] if isinstance(content.get("data"), dict) else []
except Empty:
    pass
print([k for k in kinds if k[0] in ("display_data", "update_display_data")][-1])
"""


def test_html_bar_without_asking():
    pytest.importorskip("ipykernel", reason="no ipykernel (python3-ipykernel)")
    hide = "sys.modules['ipywidgets'] = None"  # as if it were not installed
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", CODE.replace("{hide}", hide)], capture_output=True, text=True, timeout=120)
    assert "update_display_data" in done.stdout and "2 of 2" in done.stdout and "<progress" in done.stdout, done.stdout + done.stderr


def test_tqdm_is_used_where_it_is():
    seen = []

    class Fake:
        def __init__(self, total, desc):
            self.n = 0
            seen.append((total, desc))

        def update(self, k):
            self.n += k
            seen.append(self.n)

        def close(self):
            seen.append("closed")

    bar = _bars.TqdmBar("solving", Fake)
    for done in 1, 3, 5:
        bar(done, 5)
    _bars.close(bar)
    assert seen == [(5, "solving"), 1, 3, 5, "closed"]


@pytest.mark.parametrize("version, kind", [("6.0.0", _bars.HtmlBar), ("7.7.1", _bars.TqdmBar), ("8.1.5", _bars.TqdmBar), ("", _bars.HtmlBar)])
def test_old_widgets_are_not_used(monkeypatch, version, kind):
    modules = {name: types.ModuleType(name) for name in ("ipywidgets", "tqdm", "tqdm.notebook")}
    modules["ipywidgets"].__version__, modules["tqdm.notebook"].tqdm = version, object
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    assert type(_bars._notebook_bar("solving")) is kind


def test_no_bar_in_a_script(capsys):
    batt.solve(batt.load()[:1], steps=100)
    assert capsys.readouterr().err == ""
    with pytest.raises(TypeError, match="progress is True, False, None or a function"):
        batt.solve(batt.load()[:1], steps=100, progress=5)
