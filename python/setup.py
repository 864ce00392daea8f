"""Builds batt._batt: the library by make, the extension by the compiler, linked into one file.

BATT_MARCH says for which processors (default: this one), BATT_STATIC=1 takes SQLite, libpng, zlib and jansson as archives, BATT_BUILD
names the folder to build in, BATT_SAN sanitizers. A library that is missing is named.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent if (HERE.parent / "include" / "batt.h").exists() else HERE
PYTHON = ROOT / "python"
STATIC = os.environ.get("BATT_STATIC") == "1"


def installed(package):
    try:
        return subprocess.run(["pkg-config", "--exists", package]).returncode == 0
    except OSError:
        return False


def archive(name):
    """The path of lib<name>.a, as the compiler finds it."""
    found = subprocess.run(
        [os.environ.get("CC", "cc"), f"-print-file-name=lib{name}.a"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not os.path.isabs(found):
        sys.exit(f"batt: BATT_STATIC=1 needs lib{name}.a")
    return found


def movable(name, folder):
    """A copy of lib<name>.a that a shared library can take in; python/static/streams.c says why."""
    copy = ROOT / folder / f"lib{name}.a"
    streams = [f"--redefine-sym={stream}=batt_{stream}" for stream in ("stdin", "stdout", "stderr")]
    subprocess.run(["objcopy", *streams, archive(name), copy], check=True)
    return str(copy)


class Build(build_ext):
    def build_extension(self, ext):
        missing = [f"lib{name}-dev" for name, package in (("sqlite3", "sqlite3"), ("png", "libpng"), ("jansson", "jansson")) if not installed(package)]
        if missing:
            sys.exit(f"batt: needs {', '.join(missing)} (Debian: apt-get install {' '.join(missing)})")
        folder = Path(os.environ.get("BATT_BUILD") or Path(self.build_temp).resolve() / "batt")
        options = {
            "BUILD": folder,
            "MARCH": os.environ.get("BATT_MARCH", "native"),
        }
        sanitizers = os.environ.get("BATT_SAN")
        if sanitizers:
            options["SAN"] = sanitizers
            ext.extra_compile_args += [f"-fsanitize={sanitizers}", "-O1", "-g"]
            ext.extra_link_args += [f"-fsanitize={sanitizers}"]
        subprocess.run(
            ["make", "-C", ROOT, f"-j{os.cpu_count() or 1}", *(f"{k}={v}" for k, v in options.items()), folder / "internal.a"],
            check=True,
        )
        ext.extra_objects = [str(ROOT / folder / "internal.a")]
        libraries = ["sqlite3", "png", "z", "jansson"]
        if STATIC:
            ext.sources.append(os.path.relpath(PYTHON / "static" / "streams.c", os.getcwd()))
            ext.extra_objects += [movable(name, folder) for name in libraries]
            ext.extra_link_args += ["-Wl,-s"]
        else:
            ext.libraries += libraries
        ext.libraries += ["m"]
        self.force = True  # setuptools keeps what it linked before, whatever it was linked with
        super().build_extension(ext)
        if not sanitizers and not self.inplace:
            built = Path(self.build_lib).resolve()
            subprocess.run(
                [sys.executable, PYTHON / "stubs.py", built / "batt" / "dsl"], check=True,
                env={**os.environ, "PYTHONPATH": str(built), "PYTHONDONTWRITEBYTECODE": "1"},
            )


# As the Makefile has it for the rest; sanitizers, which are given to build_extension, see more.
HARDEN = [] if os.environ.get("BATT_SAN") else ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
if HARDEN and platform.machine() == "x86_64":
    HARDEN.append("-fcf-protection")

setup(
    package_dir={"": os.path.relpath(PYTHON, os.getcwd())},
    packages=["batt", "batt.dsl"],
    package_data={"batt": ["*.pyi", "py.typed"], "batt.dsl": ["*.pyi"]},
    ext_modules=[
        Extension(
            "batt._batt",
            sources=[os.path.relpath(p, os.getcwd()) for p in sorted((PYTHON / "src").glob("*.c"))],
            depends=[str(PYTHON / "src" / "batt_python.h"), str(ROOT / "include" / "batt.h")],
            include_dirs=[str(ROOT / "include")],
            define_macros=[("Py_LIMITED_API", "0x030b0000")],
            extra_compile_args=["-std=c17", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden", *HARDEN],
            extra_link_args=["-Wl,--exclude-libs,ALL", "-Wl,--as-needed", "-Wl,-z,relro,-z,now", "-pthread"],
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    cmdclass={"build_ext": Build},
)
