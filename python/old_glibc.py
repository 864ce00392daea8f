"""Old names of symbols of the C library, so that what is linked here runs on machines whose C library is older.

A linker takes the youngest version of a symbol: `pthread_create` becomes pthread_create@GLIBC_2.34, which a cluster of 2020 does not
have, though the function is from 2002. Every C library keeps the old versions; a symbol that is named with one gets it.

As a program it writes the names for `objcopy --redefine-syms`: old_glibc.py COMPILER..
"""

import re
import subprocess
import sys

OLDEST = (2, 28)  # what manylinux_2_28 promises
# Functions that are new as symbols, not as calls: python/static/old_glibc.c has them.
OURS = {name: f"batt_{name}" for name in "stat fstat lstat fstatat stat64 fstat64 lstat64 fstatat64 gettid".split()}


def _version(text):
    return tuple(int(part) for part in text.split("."))


def versions(library):
    """Of every function of a library, its versions and whether each is the one that the linker takes."""
    text = subprocess.run(["readelf", "-W", "--dyn-syms", library], capture_output=True, text=True, check=True).stdout
    found = {}
    for name, mark, version in re.findall(r" (\w+)(@@?)GLIBC_([\d.]+)(?: |$)", text, re.M):
        found.setdefault(name, {})[version] = mark == "@@"
    return found


def old_names(compiler):
    """The symbols whose youngest version is too young, each with its name of an older version."""
    names = dict(OURS)
    for library in ("libc.so.6", "libm.so.6"):
        path = subprocess.run([*compiler, f"-print-file-name={library}"], capture_output=True, text=True, check=True).stdout.strip()
        for name, known in versions(path).items():
            old = [v for v in known if _version(v) <= OLDEST]
            if old and any(young and _version(v) > OLDEST for v, young in known.items()):
                names[name] = f"{name}@GLIBC_{max(old, key=_version)}"
    return names


if __name__ == "__main__":
    print("\n".join(f"{name} {old}" for name, old in old_names(sys.argv[1:]).items()))
