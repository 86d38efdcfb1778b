"""The folder's C++ as libraries: built with the system's compiler when they are wanted, and kept in
``build/``."""

import ctypes
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from cable_sim.errors import CableSimError

FOLDER = Path(__file__).parent
FAST = ("-O3", "-march=native", "-fno-math-errno")
"""What a careful user gives: for this processor, free to contract a * b + c as the compiler's
default is, and with square roots that set no error number, as those of compiled Python."""
SAME_BITS = ("-O3", "-march=native", "-ffp-contract=off")
"""Without contraction, so that the rounding is that of compiled Python."""


def compiler() -> str | None:
    """The compiler: $CXX, c++, g++ or clang++; None if there is none."""
    wanted = filter(None, (os.environ.get("CXX"), "c++", "g++", "clang++"))
    return next((path for path in map(shutil.which, wanted) if path), None)


def compiler_version() -> str:
    """What the compiler says of itself, in a line."""
    path = compiler()
    if path is None:
        return "not installed"
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    return said.partition("\n")[0]


def library(name: str, options: tuple[str, ...] = FAST) -> ctypes.CDLL | None:
    """The library of the source ``name``.cpp of this folder; None without a compiler.

    Built again when source, headers, options or compiler have changed. Raises CableSimError, after
    the compiler's own words, if it does not compile.
    """
    path = compiler()
    source = FOLDER / f"{name}.cpp"
    if path is None:
        return None
    read = [source, *sorted(FOLDER.glob("*.hpp"))]
    text = " ".join((path, compiler_version(), *options)).encode() + b"".join(
        file.read_bytes() for file in read
    )
    folder = _build_folder()
    built = folder / f"{name}_{hashlib.sha256(text).hexdigest()[:12]}.so"
    if not built.is_file():
        unfinished = built.with_suffix(f".{os.getpid()}")
        done = subprocess.run(
            [path, *options, "-shared", "-fPIC", "-o", str(unfinished), str(source)]
        )
        if done.returncode:
            raise CableSimError(
                f"{path} does not compile {source}: see above; CXX names another compiler"
            )
        unfinished.replace(built)  # whole or not there, whoever else builds it
    return ctypes.CDLL(str(built))


def _build_folder() -> Path:
    """``build/benchmarks`` of the source tree, or of the folder that the command runs in."""
    tree = FOLDER.parent if (FOLDER.parent / "package.xml").is_file() else Path.cwd()
    folder = tree / "build" / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
