"""Compilation of kernels, and the cache of compiled code.

A file of the cache is named by a digest of all that goes into its machine code (``identity.py``),
so stale code can't be served, and code whose sources did not change is found again.
``kernel_cache.py`` tells what the folder may be, and how files get there.

An installation holds machine code for common processors, of which it takes the best. For all other
processors and kernels the user's cache holds code for this very processor.
"""

import functools
import gc
import hashlib
import os
import pickle
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import llvmlite
import numba
from numba.core.caching import FunctionCache
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from cable_sim.kernel_cache import KernelCache
from cable_sim.kernels.compiler import KNOWN, PartCompiler, WholeCompiler
from cable_sim.kernels.identity import NoDigestError, digest_kernel, layout_text

F = TypeVar("F", bound=Callable[..., Any])
FOLDER = Path(__file__).parent
COMPILERS = "jit", "compiler", "lowering", "pins", "identity"
"""Files that decide how kernels are compiled; any edit of them starts a new cache."""
SETTINGS = "BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "USING_SVML"
"""Settings of numba that change machine code."""

_V2 = {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"}
_V3 = {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}
PROCESSORS = {"x86-64-v3": _V2 | _V3, "x86-64-v2": _V2}
"""Processors for which a package ships kernels, by LLVM's names, the best first; each with the
features that it needs."""
SHIPPED = FOLDER.parent / "compiled"
"""Folder of shipped kernels, which ``scripts/package`` fills."""


def digest() -> str:
    """Return twelve hex digits that identify all that kernels are compiled with.

    They change with numba, Python but for its patch version, the machine, and numba's settings.
    A patch version changes no layout of Python's objects; if it changes bytecode, the digests of
    kernels change.
    """
    python = sys.implementation.cache_tag, sys.abiflags, platform.machine()
    settings = [str(getattr(numba.config, name)) for name in SETTINGS]
    text = repr((numba.__version__, llvmlite.__version__, python, settings))
    sources = (FOLDER.joinpath(f"{name}.py").read_bytes() for name in COMPILERS)
    return hashlib.sha256(b"".join((text.encode(), *sources))).hexdigest()[:12]


_DIGEST = digest()
"""Digest of the sources as they were imported."""


def cache_directory() -> Path:
    """Return the folder of the user's kernels.

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
def _shipped() -> KernelCache:
    """The kernels that came with the package; a checkout has none."""
    return KernelCache(SHIPPED / _DIGEST, source=Path(__file__))


def shipped_processor(features: str) -> str:
    """Return the best processor with shipped kernels that one with some features can stand for.

    ``features`` is LLVM's list of them, with signs. Empty if there is no such processor.
    """
    able = {feature[1:] for feature in features.split(",") if feature.startswith("+")}
    return next((name for name, needed in PROCESSORS.items() if needed <= able), "")


def _is_any_shipped() -> bool:
    """Return True if kernels came with the package, and numba is not told for what to compile."""
    chosen = numba.config.CPU_NAME, numba.config.CPU_FEATURES  # type: ignore[attr-defined]
    return chosen == (None, None) and _shipped().folder.is_dir()


class _Cache(FunctionCache):
    """Cache of one function.

    numba's own cache keeps an index beside the code, which two processes spoil for each other, and
    trusts what it reads. Where the given folder can't be used it turns to that of the sources,
    which no digest guards.
    """

    def __init__(self, made: Any, kernel: Any, use: str) -> None:
        self._py_func = made.py_func
        self._kernel = kernel
        self._use = use
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
        key = self._key_of(sig) if self._enabled else ""
        if not key:
            return None
        triple, processor, features = target_context.codegen().magic_tuple()
        shipped = shipped_processor(features) if _is_any_shipped() else ""
        found = None
        rebuild = CompileResult._rebuild

        def read(data: bytes) -> Any:
            return rebuild(target_context, *pickle.loads(data))

        if shipped:
            found = _shipped().find(self._file_name(key, triple, shipped, ""), read)
        return found or _kept().load(self._file_name(key, triple, processor, features), read)

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Store compiled code, unless it holds addresses of this process."""
        key = self._key_of(sig) if self._enabled else ""
        if key and not data.lifted and not data.library.has_dynamic_globals:
            _kept().save(self._file_name(key, *data.codegen.magic_tuple()), dumps(data._reduce()))

    def _key_of(self, types: Any) -> str:
        """Return a text that tells code and types; empty if they have no lasting one.

        Functions as arguments have none.
        """
        try:
            digest = digest_kernel(self._kernel)
        except NoDigestError:
            return ""
        function = self._py_func
        layouts = [layout_text(kind) for kind in types]
        place = function.__module__, function.__qualname__, self._use
        key = repr((*place, digest, types, layouts))
        return "" if " at 0x" in key else key

    def _file_name(self, key: str, *processor: str) -> str:
        """Return the file name of the code of a key for a processor."""
        function = self._py_func
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        text = f"{key} {processor}"
        return f"{name[:80]}-{hashlib.sha256(text.encode()).hexdigest()[:24]}.nbc"


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


class _Dispatcher(CPUDispatcher):
    """Dispatcher of a kernel for calls from Python; other kernels take in the kernel's part."""

    def compile(self, sig: Any) -> Any:
        """Compile the kernel for some types, or load it."""
        with global_compiler_lock:
            before = gc.get_threshold()
            gc.set_threshold(*COLLECTED)
            try:
                return super().compile(sig)
            finally:
                gc.set_threshold(*before)


class _Kernel:
    """Kernel, which numba knows only when it is called or compiled.

    Most are parts of a few. Dispatchers of all would take an eighth of the time of a start.
    """

    locals: dict[str, Any] = {}
    targetoptions = _OPTIONS
    _can_compile = True
    _kwargs = None
    """What ``identity.py`` asks for of all kernels, which must not make a dispatcher."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the dispatcher, such as ``overloads``."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Dispatcher for calls from Python."""
        made = numba.njit(**_OPTIONS, **_compiled_by(WholeCompiler))(self.py_func)
        made.__class__ = _Dispatcher
        return _cached(made, self)

    @functools.cached_property
    def _part(self) -> Any:
        """Dispatcher of the same function for calls from other kernels."""
        made = numba.njit(**_OPTIONS, **_BARE, **_compiled_by(PartCompiler))(self.py_func)
        return made if KNOWN else _cached(made, self, "part")

    @property
    def _numba_type_(self) -> Any:
        """Type of the kernel where another one calls it."""
        return numba.types.Dispatcher(self._part)


def _compiled_by(compiler: type[Compiler]) -> dict[str, Any]:
    """Return the option that names the compiler, where numba's insides are known."""
    return {"pipeline_class": compiler} if KNOWN else {}


def _cached(made: Any, kernel: _Kernel, use: str = "") -> Any:
    """Return a dispatcher of a kernel with its part of the cache."""
    made._cache = _Cache(made, kernel, use)
    return made


def kernel(function: F) -> F:
    """Compile ``function``: cached on disk, GIL released, IEEE arithmetic in the written order.

    Machine code is made when Python calls it, of itself and all kernels that it calls.
    """
    off = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
    return function if off else _Kernel(function)  # type: ignore[return-value]


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
    made: Any = kernel.dispatcher if isinstance(kernel, _Kernel) else kernel
    if not isinstance(made, CPUDispatcher):  # where compiling is switched off
        off = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
        return MachineCode(kernel, kernel if off else 0)
    types = tuple(made.typeof_pyval(argument) for argument in arguments)
    made.compile(types)
    made = made.overloads[types]
    wrapper = made.fndesc.llvm_cfunc_wrapper_name
    return MachineCode(made.entry_point, made.library.get_pointer_to_function(wrapper))


def inlined(function: F) -> F:
    """Compile a function that takes whole containers into its caller: a call would copy their
    thousands of bytes."""
    compiled = numba.njit(**_OPTIONS, inline="always", **_compiled_by(WholeCompiler))
    return compiled(function)
