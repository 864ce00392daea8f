"""Builds batt._batt: the library by make, the extension by the compiler, linked into one file.

BATT_MARCH says for which processors (default: x86-64-v2, any since 2009; "native": this one). BATT_STATIC=1 takes SQLite, libpng, zlib
and jansson as archives and asks the C library for no symbol younger than 2.28. BATT_BUILD names the folder to build in, BATT_SAN
sanitizers. For another machine: CC, OBJCOPY, BATT_ARCHIVES (the folder of its archives) and BATT_PYTHON (a command that runs its Python).
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
PYTHON = ROOT / "python"
STATIC = os.environ.get("BATT_STATIC") == "1"
CC = shlex.split(os.environ.get("CC", "cc"))
sys.path.insert(0, str(PYTHON))
from old_glibc import old_names  # noqa: E402

# One file for all Pythons. The buffer protocol is in the stable ABI since 3.11, as it is in 3.10, which takes the file too; but 3.10's
# own headers do not offer it.
STABLE = sys.version_info >= (3, 11)
X86 = subprocess.run([*CC, "-dumpmachine"], capture_output=True, text=True).stdout.startswith("x86_64")


def installed(package):
    try:
        return subprocess.run(["pkg-config", "--exists", package]).returncode == 0
    except OSError:
        return False


def archive(name):
    """The path of lib<name>.a, as the compiler finds it."""
    folder = os.environ.get("BATT_ARCHIVES")
    asked = [*CC, f"-print-file-name=lib{name}.a"]
    found = f"{folder}/lib{name}.a" if folder else subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    if not os.path.isabs(found) or not os.path.exists(found):
        sys.exit(f"batt: BATT_STATIC=1 needs lib{name}.a")
    return found


def renamed(source, target, names):
    """A copy of an archive or object with other names for some symbols."""
    listed = Path(f"{target}.names")
    listed.write_text("".join(f"{old} {new}\n" for old, new in names.items()))
    subprocess.run([os.environ.get("OBJCOPY", "objcopy"), f"--redefine-syms={listed}", source, target], check=True)
    return str(target)


STREAMS = {stream: f"batt_{stream}" for stream in ("stdin", "stdout", "stderr")}  # python/static/streams.c says why


class Build(build_ext):
    def build_extension(self, ext):
        missing = [f"lib{name}-dev" for name, package in (("sqlite3", "sqlite3"), ("png", "libpng"), ("jansson", "jansson")) if not installed(package)]
        if missing:
            sys.exit(f"batt: needs {', '.join(missing)} (Debian: apt-get install {' '.join(missing)})")
        folder = ROOT / (os.environ.get("BATT_BUILD") or Path(self.build_temp).resolve() / "batt")
        options = {"BUILD": folder, "MARCH": os.environ.get("BATT_MARCH", "x86-64-v2" if X86 else "")}
        sanitizers = os.environ.get("BATT_SAN")
        if sanitizers:
            options["SAN"] = sanitizers
            ext.extra_compile_args += [f"-fsanitize={sanitizers}", "-O1", "-g"]
            ext.extra_link_args += [f"-fsanitize={sanitizers}"]
        subprocess.run(
            ["make", "-C", ROOT, f"-j{os.cpu_count() or 1}", *(f"{k}={v}" for k, v in options.items()), folder / "internal.a"],
            check=True,
        )
        libraries = ["sqlite3", "png", "z", "jansson"]
        if STATIC:
            self.link_statically(ext, folder, libraries)
        else:
            ext.extra_objects = [str(folder / "internal.a")]
            ext.libraries += libraries
        ext.libraries += ["m"]
        self.force = True  # setuptools keeps what it linked before, whatever it was linked with
        super().build_extension(ext)
        if not sanitizers and not self.inplace:
            built = Path(self.build_lib).resolve()
            subprocess.run(
                [*shlex.split(os.environ.get("BATT_PYTHON", sys.executable)), PYTHON / "stubs.py", built / "batt" / "dsl"], check=True,
                env={**os.environ, "PYTHONPATH": str(built), "PYTHONDONTWRITEBYTECODE": "1"},
            )

    def link_statically(self, ext, folder, libraries):
        """Everything inside but the C library, of which old symbols are asked for."""
        old = old_names(CC)
        for name in ("streams.c", "old_glibc.c"):
            ext.sources.append(os.path.relpath(PYTHON / "static" / name, os.getcwd()))
        ext.extra_objects = [renamed(folder / "internal.a", folder / "internal_old.a", old)]
        ext.extra_objects += [renamed(archive(name), folder / f"lib{name}.a", {**STREAMS, **old}) for name in libraries]
        # Before 2.34 threads were in a library of their own.
        ext.extra_link_args += ["-Wl,-s", "-Wl,--no-as-needed", "-l:libpthread.so.0", "-l:libm.so.6", "-Wl,--as-needed"]
        compile_all = self.compiler.compile
        self.compiler.compile = lambda *a, **k: [renamed(o, o, old) for o in compile_all(*a, **k)]


# As the Makefile has it for the rest; sanitizers, which are given to build_extension, see more.
HARDEN = [] if os.environ.get("BATT_SAN") else ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
if HARDEN and X86:
    HARDEN.append("-fcf-protection")
# The same file wherever it is made.
REPRODUCIBLE = [f"-ffile-prefix-map={os.getcwd()}=."] if "SOURCE_DATE_EPOCH" in os.environ else []

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
            extra_compile_args=["-std=c17", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden", *HARDEN, *REPRODUCIBLE],
            extra_link_args=["-Wl,--exclude-libs,ALL", "-Wl,--as-needed", "-Wl,-z,relro,-z,now", "-pthread"],
            py_limited_api=STABLE,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp310"}} if STABLE else {},
    cmdclass={"build_ext": Build},
)
