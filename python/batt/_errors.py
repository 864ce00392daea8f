"""What can go wrong, as exceptions."""


class Error(Exception):
    """Whatever batt complains about."""


class ArgumentError(Error, ValueError):
    """An argument that is not possible: an unknown id, a grid that is too large, ..."""


class _Placed(Error):
    """The whole message, and apart: file, line and column (from 1; 0 where it is not known), text."""

    def __init__(self, message, file="", line=0, column=0, text=""):
        super().__init__(message)
        self.file, self.line, self.column, self.text = file, line, column, text


class InputError(_Placed, ValueError):
    """A text or file that is not as it must be."""


class FileError(_Placed, OSError):
    """A file that cannot be read or written."""

    def __str__(self):
        return self.args[0]


class Failure(Error):
    """A call or program that failed: the reason ("type", "range", "steps", ...), the primitive, the line of the source."""

    def __init__(self, reason, primitive="", line=0):
        where = f" in {primitive}" if primitive else ""
        super().__init__(f"failed: {reason}{where}" + (f", line {line}" if line else ""))
        self.reason, self.primitive, self.line = reason, primitive, line


class SlowFunctionWarning(UserWarning):
    """Said once: a Python function was handed to a primitive, which calls it back at Python's speed."""
