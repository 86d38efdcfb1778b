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
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import llvmlite.binding
import llvmlite.ir
import numba
from numba.core import ir
from numba.core.caching import FunctionCache
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.inline_closurecall import InlineWorker
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.np import arrayobj

from cable_sim.errors import CableSimWarning
from cable_sim.kernel_cache import KernelCache

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

KNOWN = numba.__version__.startswith("0.68.")
"""Flag of the numba version that the classes below are written for.

They use its internals. That takes a third to a half off a step with wires, and half of the time of
compiling: functions that only kernels call are optimised once, as parts of a whole, and have
neither machine code nor wrappers of their own. Another numba compiles the same kernels by its own
means, with the same results.
"""

if not KNOWN:
    warnings.warn(
        f"kernels compile and run slower with numba {numba.__version__}: only 0.68 can compile a "
        "step as a whole",
        CableSimWarning,
        stacklevel=2,
    )


class _NoEnvironment:
    """Codegen wrapper that leaves out the environments of functions, because kernels read no
    globals."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, *_: Any) -> None:
        """Leave out the environment."""


class _Library(JITCodeLibrary):
    """Code that is optimised when it is complete."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Skip numba's passes over single functions, which take half of the time of compiling."""
        ll_module.data_layout = self._codegen._data_layout


class _Part(_Library):
    """Code of a function that becomes machine code in the kernels that call it."""

    def finalize(self) -> None:
        """Leave linking to the kernel."""
        self._finalized = True

    def get_pointer_to_function(self, _: str) -> int:
        """Return a null pointer: there is no machine code."""
        return 0

    @property
    def codegen(self) -> Any:
        """Codegen of this library, without environments."""
        return _NoEnvironment(self._codegen)


class _Whole(_Library):
    """Code of a kernel together with that of all parts that it needs."""

    def finalize(self) -> None:
        """Link all parts."""
        self._linking_libraries = _needed(self._linking_libraries)
        super().finalize()

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """Return machine code for the cache, with the names that it defines alone.

        numba adds the whole code, for other kernels to take in, which here take in the part. To
        read it again takes as long as to load the machine code.
        """
        self._ensure_finalized()
        names = llvmlite.ir.Module()
        for function in self._final_module.functions:
            if not function.is_declaration:
                kind = llvmlite.ir.FunctionType(llvmlite.ir.VoidType(), ())
                named = llvmlite.ir.Function(names, kind, function.name)
                llvmlite.ir.IRBuilder(named.append_basic_block()).ret_void()
        bitcode = llvmlite.binding.parse_assembly(str(names)).as_bitcode()
        return self.name, "object", (self._get_compiled_object(), bitcode)

    def _optimize_final_module(self) -> None:
        """Make all parts internal before optimising, so that arguments that they do not use are not
        handed over."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        super()._optimize_final_module()


_counted_from_end = arrayobj.fix_integer_index


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Return an index into an array as it is where a kernel has it: none is negative.

    For others numba adds the size to one that is, which at every access takes a comparison, an
    addition and a choice: a fifth of the instructions of a step.
    """
    if getattr(context, "counts_from_end", True):
        return _counted_from_end(context, builder, kind, index, size)
    return context.cast(builder, index, kind, numba.types.intp)


def _take_in(worker: Any, caller: Any, block: Any, i: int, function: Any, types: Any = None) -> Any:
    """Take a function into its caller.

    numba translates the function anew for every call. To copy all that twice, with the names of
    all variables in each block, takes it a fifth of the time of compiling.
    """
    code = worker.run_untyped_passes(function)
    ir.Block.__deepcopy__ = lambda block, _: block  # type: ignore[attr-defined]
    try:
        return worker.inline_ir(caller, block, i, code, function.__code__.co_freevars, types)
    finally:
        del ir.Block.__deepcopy__  # type: ignore[attr-defined]


if KNOWN:
    arrayobj.fix_integer_index = _index
    InlineWorker.inline_function = _take_in  # type: ignore[method-assign]


def _needed(libraries: list[CPUCodeLibrary]) -> list[CPUCodeLibrary]:
    """Return some libraries and those that their parts need, each once."""
    found: dict[int, CPUCodeLibrary] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if id(library) not in found:
            found[id(library)] = library
            waiting += library._linking_libraries if isinstance(library, _Part) else []
    return list(found.values())


class _WholeCompiler(Compiler):
    """numba's compiler with another kind of library."""

    library: type[CPUCodeLibrary] = _Whole

    def define_pipelines(self) -> Any:
        """Return numba's pipelines, with the library at hand that the code goes to."""
        self.state.library = self.library(
            self.state.targetctx.codegen(), self.state.func_id.func_qualname
        )
        self.state.library.enable_object_caching()
        self.state.targetctx.counts_from_end = False
        return super().define_pipelines()


class _PartCompiler(_WholeCompiler):
    library = _Part


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
        made = numba.njit(**_OPTIONS, **_BARE, **_compiled_by(_PartCompiler))(self.py_func)
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
    made = numba.njit(**_OPTIONS, **_compiled_by(_WholeCompiler))(function)
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
    compiled = numba.njit(**_OPTIONS, inline="always", **_compiled_by(_WholeCompiler))
    return compiled(function)
