"""User-defined primitives: Python functions with a name and a signature, which programs name like any other primitive."""

import inspect
import re
import warnings

from . import _batt
from ._errors import ArgumentError, SlowFunctionWarning


def primitive(signature, name=None, price=None):
    """Make a Python function a primitive: ``@batt.primitive("grid: grid, n: int -> grid")``.

    The signature is as ``batt prims`` writes them, with 1 to 4 parameters. The name is the function's; a primitive or constant
    of batt cannot be replaced. Calls run at the speed of Python, which a warning says when a program is parsed. The function
    gives the same result for the same arguments: several threads call it, and programs share its results. price: the cost of a
    call in bits, 1 to 40, such as 8; batt.solve then tries programs that call it. Without a price, search does not use it.
    """
    if not isinstance(signature, str):
        raise ArgumentError(f"a signature is such as 'grid: grid, n: int -> grid', not {signature!r}")
    if price is not None and (isinstance(price, bool) or not isinstance(price, (int, float)) or not 0 < price <= 40):
        raise ArgumentError(f"price is a number of bits from 1 to 40, not {price!r}")

    def register(function):
        own = name if name is not None else function.__name__
        names = re.findall(r"([\w|]+): ", signature)
        if names and not _takes(function, len(names)):
            raise ArgumentError(f"{own} does not take {len(names)} arguments, as its signature says")
        _batt.register(own, signature, function, 0 if price is None else max(1, round(price)))
        return function

    return register


def _takes(function, n):
    """Whether a function can be called with n arguments; True if it does not say."""
    try:
        inspect.signature(function).bind(*range(n))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def forget(name):
    """Make the name of a primitive of one's own unknown again. Programs that were parsed with it still run."""
    _batt.register(name, None, None, 0)


def warn_slow(stacklevel):
    warnings.warn("Python runs primitives of one's own, at its speed, and one thread at a time", SlowFunctionWarning, stacklevel + 1)
