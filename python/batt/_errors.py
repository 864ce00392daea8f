"""The exceptions of batt."""


class Error(Exception):
    """Base class of all errors of batt."""


class ArgumentError(Error, ValueError):
    """An invalid argument: an unknown id, a grid that is too large, ..."""


class _Placed(Error):
    """An error with file, line and column (from 1; 0: unknown) and text, and all of them as one message."""

    def __init__(self, message, file="", line=0, column=0, text=""):
        super().__init__(message)
        self.file, self.line, self.column, self.text = file, line, column, text


class InputError(_Placed, ValueError):
    """A malformed text or file."""


class FileError(_Placed, OSError):
    """A file that cannot be read or written."""

    def __str__(self):
        return self.args[0]


class Failure(Error):
    """A call or program that failed: the reason ("type", "range", "steps", ...), the primitive, the source line."""

    def __init__(self, reason, primitive="", line=0):
        where = f" in {primitive}" if primitive else ""
        super().__init__(f"failed: {reason}{where}" + (f", line {line}" if line else ""))
        self.reason, self.primitive, self.line = reason, primitive, line


class SlowFunctionWarning(UserWarning):
    """Issued once: a Python function was passed to a primitive, which calls it back at the speed of Python."""
