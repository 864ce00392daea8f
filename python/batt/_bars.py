"""Progress bars: a line in a terminal, tqdm's or plain HTML in a notebook."""

import html
import sys
import time


class Bar:
    """A progress bar on one line of a stream: done, total, time elapsed and left."""

    def __init__(self, what, stream=None):
        self.what, self.stream = what, stream if stream is not None else sys.stderr
        self.start, self.shown = time.monotonic(), False

    def __call__(self, done, total):
        """Show how far the work is."""
        self.stream.write(f"\r{_line(self.what, done, total, time.monotonic() - self.start)}\x1b[K")
        self.stream.flush()
        self.shown = True

    def close(self):
        """End the line."""
        if self.shown:
            self.stream.write("\n")
            self.stream.flush()


def _line(what, done, total, gone):
    if not total:
        return f"{what}: {done}, {gone:.0f} s gone"
    filled, left = 24 * done // total, gone / done * (total - done) if done else 0
    return f"{what}: [{'#' * filled}{'.' * (24 - filled)}] {done}/{total}, {gone:.0f} s gone, {left:.0f} s to go"


class HtmlBar:
    """A progress bar of a notebook, in plain HTML."""

    def __init__(self, what):
        self.what, self.start, self.handle, self.last = what, time.monotonic(), None, None

    def __call__(self, done, total):
        from IPython.display import HTML, display

        self.last = (done, total)
        shown = HTML(self.text(done, total, time.monotonic() - self.start))
        if self.handle is None:
            self.handle = display(shown, display_id=True)
        else:
            self.handle.update(shown)

    def text(self, done, total, gone):
        share = done / total if total else 0
        left = f", {gone / done * (total - done):.0f} s to go" if total and done else ""
        of = f" of {total}" if total else ""
        return (
            "<div style='font-family:sans-serif;font-size:13px;display:flex;align-items:center;gap:8px'>"
            f"<span>{html.escape(self.what)}</span>"
            f"<progress value='{share:.4f}' max='1' style='width:220px'></progress>"
            f"<span>{done}{of}, {gone:.0f} s{left}</span></div>"
        )

    def close(self):
        if self.last is not None:
            self(*self.last)


class TqdmBar:
    """tqdm's bar for notebooks."""

    def __init__(self, what, make):
        self.what, self.make, self.bar = what, make, None

    def __call__(self, done, total):
        if self.bar is None:
            self.bar = self.make(total=total or None, desc=self.what)
        self.bar.update(done - self.bar.n)

    def close(self):
        if self.bar is not None:
            self.bar.close()


def _notebook():
    """Whether this is a notebook: an IPython with a kernel behind it. IPython itself is never imported for this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def _notebook_bar(what):
    """tqdm's bar where it can be shown: it needs ipywidgets, and notebooks of today show nothing of those before 7."""
    try:
        import ipywidgets
        from tqdm.notebook import tqdm
    except ImportError:
        return HtmlBar(what)
    major = ipywidgets.__version__.partition(".")[0]
    return TqdmBar(what, tqdm) if major.isdigit() and int(major) >= 7 else HtmlBar(what)


def bar_for(progress, what):
    """None: a bar in a terminal or notebook; True: always; False: none; or a function of (done, total)."""
    if progress is None:
        progress = _notebook() or (sys.stderr is not None and sys.stderr.isatty())
    if progress is False:
        return None
    if progress is True:
        return _notebook_bar(what) if _notebook() else Bar(what)
    if not callable(progress):
        raise TypeError(f"progress is True, False, None or a function of (done, total), not {progress!r}")
    return progress


def close(bar):
    """Close a bar of ours; a function that the caller gave has no end."""
    if isinstance(bar, (Bar, HtmlBar, TqdmBar)):
        bar.close()
