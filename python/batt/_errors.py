"""The exceptions of batt."""


class Error(Exception):
    """Base class of all errors of batt."""


class ArgumentError(Error, ValueError):
    """An invalid argument: an unknown id, a grid that is too large, ..."""


class UnknownNameError(ArgumentError, KeyError):
    """No task, program or result has that name."""

    def __str__(self):
        return self.args[0]


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

    def __reduce__(self):
        return type(self), (self.args[0], self.file, self.line, self.column, self.text)


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder that is not there."""


def placed(code, message, file, line, column, text):
    """The exception for an error with a place; codes are those of batt.h."""
    missing = text.startswith("No such file or directory") or text == "no tasks found"
    kind = MissingFileError if missing else FileError if code == 4 else InputError
    return kind(message, file, line, column, text)


def placed_all(faults):
    """The exceptions for all faults of programs or tasks."""
    return [
        placed(code, f"{file}:{line}:{column}: {text}" if line else f"{file}: {text}", file, line, column, text)
        for code, file, line, column, text in faults
    ]


class Failure(Error):
    """A call or program that failed: the reason ("type", "range", "steps", ...), the primitive, the source line, and in
    ``detail`` the argument, its value and what was expected."""

    def __init__(self, reason, primitive="", line=0, detail=""):
        where = f" in {primitive}" if primitive else ""
        super().__init__(f"failed: {reason}{where}" + (f", line {line}" if line else "") + (f": {detail}" if detail else ""))
        self.reason, self.primitive, self.line, self.detail = reason, primitive, line, detail

    def __reduce__(self):
        return Failure, (self.reason, self.primitive, self.line, self.detail)


class SlowFunctionWarning(UserWarning):
    """Issued once: a Python function was passed to a primitive, which calls it back at the speed of Python."""


class SkippedTaskWarning(UserWarning):
    """Issued when tasks of a file cannot be used: they are malformed, or have the id of another task."""
