"""Compilation of kernels, and the cache of compiled code.

A file is good as long as the function that it holds and those that this one calls are the same. So
the cache lives in a directory named by a digest of all kernel sources: a change in any of them
starts a new one, and stale code can't be served. ``kernel_cache.py`` tells what that directory may
be, and how files get there.
"""

import functools
import gc
import hashlib
import os
import pickle
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numba
from numba.core.caching import FunctionCache
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from cable_sim.kernel_cache import KernelCache
from cable_sim.kernels.compiler import KNOWN, PartCompiler, WholeCompiler

F = TypeVar("F", bound=Callable[..., Any])
SOURCES = Path(__file__).resolve().parent


def digest() -> str:
    """Return twelve hex digits that identify the kernels and all that they are compiled with.

    They change with any kernel source, numba, Python, the machine, or checking of indices.
    """
    versions = f"{numba.__version__} {platform.python_version()} {platform.machine()}"
    checked = bool(numba.config.BOUNDSCHECK)  # type: ignore[attr-defined]
    text = hashlib.sha256(f"{versions} {checked}".encode())
    for path in sorted(SOURCES.rglob("*.py")):
        text.update(path.read_bytes())
    return text.hexdigest()[:12]


_DIGEST = digest()
"""Digest of the sources as they were imported."""


def cache_directory() -> Path:
    """Return the folder of this version's kernels.

    It is in ``CABLE_SIM_CACHE``, numba's or the user's cache folder.
    """
    given = os.environ.get("CABLE_SIM_CACHE") or os.environ.get("NUMBA_CACHE_DIR")
    root = given or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "cable_sim")
    path = Path(os.path.expanduser(root)) / _DIGEST
    return path if str(path).startswith("~") else path.absolute()  # no home: nobody can use it


@functools.cache
def _kept() -> KernelCache:
    """The cache of this process."""
    return KernelCache(cache_directory())


@functools.cache
def _stamp(file: str) -> str:
    """Return the name of a kernel's source file; that of a user's own file includes its digest.

    The digest of the cache does not cover users' own files. Empty if there is no such file.
    """
    if not os.path.isfile(file):
        return ""
    path = Path(file).resolve()
    if SOURCES in path.parents:
        return str(path.relative_to(SOURCES))
    return f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}"


class _Cache(FunctionCache):
    """Cache of one function.

    numba's own cache keeps an index beside the code, which two processes spoil for each other, and
    trusts what it reads. Where the given folder can't be used it turns to that of the sources,
    which no digest guards.
    """

    def __init__(self, function: Callable[..., Any], use: str) -> None:
        self._py_func = function
        self._place = _stamp(function.__code__.co_filename) + use
        self.enable()

    @property
    def cache_path(self) -> str:
        """Folder of the cache."""
        return str(_kept().folder)

    def flush(self) -> None:
        """Leave the cache alone.

        A function is compiled anew because something that it reads was changed.
        """
        self.disable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for some types, or None.

        numba first loads all that it needs to compile, which takes a fifth of a second. Kernels
        count no references, so their machine code needs none of it; compiling loads it anyway.
        """
        load = self._load_overload if KNOWN else super().load_overload
        return load(sig, target_context)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for some types, or None."""
        name = self._name_of(sig, target_context.codegen())
        if not (self._enabled and name):
            return None
        rebuild = CompileResult._rebuild
        return _kept().load(name, lambda data: rebuild(target_context, *pickle.loads(data)))

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Store compiled code, unless it holds addresses of this process."""
        name = self._name_of(sig, data.codegen)
        if self._enabled and name and not data.lifted and not data.library.has_dynamic_globals:
            _kept().save(name, dumps(data._reduce()))

    def _name_of(self, types: Any, codegen: Any) -> str:
        """Return the file name for some types; empty if they have no lasting name.

        Functions have none.
        """
        function = self._py_func
        line = function.__code__.co_firstlineno
        key = repr((self._place, function.__qualname__, line, *self._index_key(types, codegen)))
        if " at 0x" in key:
            return ""
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        return f"{name[:80]}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.nbc"


_OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": False, "error_model": "numpy", "_nrt": False}
"""Options of every kernel. Without ``_nrt`` no code counts references to arrays, which halves the
time of a step; in exchange nothing can be allocated inside a kernel: numba refuses to compile
it."""

_BARE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of a part, which only compiled code calls."""

COLLECTED = 20_000, 50, 1000
"""Thresholds of Python's garbage collection while a kernel compiles, see ``gc.set_threshold``.

The usual ones take an eighth of the time, because numba makes millions of objects.
"""


class _Kernel(CPUDispatcher):
    """Kernel that has machine code of its own for calls from Python alone; other kernels take in
    its part."""

    def compile(self, sig: Any) -> Any:
        """Compile the kernel for some types, or load it."""
        with global_compiler_lock:
            before = gc.get_threshold()
            gc.set_threshold(*COLLECTED)
            try:
                return super().compile(sig)
            finally:
                gc.set_threshold(*before)

    @functools.cached_property
    def part(self) -> Any:
        """Dispatcher of the same function for calls from other kernels."""
        made = numba.njit(**_OPTIONS, **_BARE, **_compiled_by(PartCompiler))(self.py_func)
        return made if KNOWN else _cached(made, "part")

    @property
    def _numba_type_(self) -> Any:
        """Type of the kernel where another one calls it."""
        return numba.types.Dispatcher(self.part)


def _compiled_by(compiler: type[Compiler]) -> dict[str, Any]:
    """Return the option that names the compiler, where numba's insides are known."""
    return {"pipeline_class": compiler} if KNOWN else {}


def _cached(made: Any, use: str = "") -> Any:
    """Return a compiled function with its part of the cache, if it has a source file."""
    if isinstance(made, CPUDispatcher) and _stamp(made.py_func.__code__.co_filename):
        made._cache = _Cache(made.py_func, use)  # type: ignore[attr-defined]
    return made


def kernel(function: F) -> F:
    """Compile ``function``: cached on disk, GIL released, IEEE arithmetic in the written order.

    Machine code is made when Python calls it, of itself and all kernels that it calls.
    """
    made = numba.njit(**_OPTIONS, **_compiled_by(WholeCompiler))(function)
    if isinstance(made, CPUDispatcher):  # not where compiling is switched off
        made.__class__ = _Kernel
    return _cached(made)


def entry(kernel: F) -> F:
    """Return a kernel for calls with arguments of the same types every time, which are not looked
    at again.

    The look takes numba 35 us for the records of the step, six times as long as taking their arrays
    does.
    """
    straight: list[Callable[..., Any]] = []

    @functools.wraps(kernel)
    def call(*arguments: Any) -> Any:
        if straight:
            return straight[0](*arguments)
        straight.append(machine_code(kernel, *arguments).call)
        return straight[0](*arguments)

    return call  # type: ignore[return-value]


def uncached(function: F) -> F:
    """Compile a function as :func:`kernel` does, for this process alone.

    A kernel is taken as the function that it was made of.
    """
    return numba.njit(**_OPTIONS)(getattr(function, "py_func", function))


class MachineCode(NamedTuple):
    """A kernel that is compiled for arguments of certain types.

    ``address`` is for :func:`call` in other kernels, of a kernel of a pin and a whole number that
    returns a whole number.
    """

    call: Callable[..., Any]
    address: Any


def machine_code(kernel: Callable[..., Any], *arguments: Any) -> MachineCode:
    """Compile a kernel for the types of some arguments, or load it; do not call it."""
    if not isinstance(kernel, CPUDispatcher):  # where compiling is switched off
        off = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
        return MachineCode(kernel, kernel if off else 0)
    types = tuple(kernel.typeof_pyval(argument) for argument in arguments)
    kernel.compile(types)
    made: Any = kernel.overloads[types]
    wrapper = made.fndesc.llvm_cfunc_wrapper_name
    return MachineCode(made.entry_point, made.library.get_pointer_to_function(wrapper))


def inlined(function: F) -> F:
    """Compile a function that takes whole containers into its caller: a call would copy their
    thousands of bytes."""
    compiled = numba.njit(**_OPTIONS, inline="always", **_compiled_by(WholeCompiler))
    return compiled(function)
