"""numba's compiler for kernels: it makes machine code of a kernel together with all that it calls.

Functions that only kernels call are optimised once, as parts of a whole, and have neither machine
code nor wrappers of their own. All parts are linked into one module before that is optimised.

This uses internals of one version of numba; see ``KNOWN``.
"""

import hashlib
import warnings
from collections import deque
from typing import Any

import llvmlite.binding
import llvmlite.ir
import numba
from numba.core import ir
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.inline_closurecall import InlineWorker
from numba.core.itanium_mangler import mangle
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj

from cable_sim.errors import CableSimWarning
from cable_sim.kernels.lowering import ValueLowering

KNOWN = numba.__version__.startswith("0.68.")
"""Flag of the numba version that this is written for.

It takes a third to a half off a step with wires, and more than half of the time of compiling.
Another numba compiles the same kernels by its own means, with the same results.
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
        libraries = _needed(self._linking_libraries)
        self._linking_libraries = []
        self._reload_init.update(*(library._reload_init for library in libraries))
        modules = [library._get_module_for_linking() for library in libraries]
        if modules:
            self._final_module.link_in(_linked(modules))
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
            if not function.is_declaration and function.linkage.name == "weak_odr":
                function.linkage = "internal"
        config: Any = numba.config
        before = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1  # numbers on end in one instruction, with the same bits
        try:
            super()._optimize_final_module()
        finally:
            config.SLP_VECTORIZE = before


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


def _linked(modules: list[Any]) -> Any:
    """Return one module of all code, linked two by two: to link takes as long as to read both.

    Functions are weak in it, because others that nothing calls yet are left out.
    """
    waiting = deque(module.clone() for module in modules)
    for module in waiting:
        for function in module.functions:
            if not function.is_declaration and function.linkage.name != "internal":
                function.linkage = "weak_odr"
    while len(waiting) > 1:
        first = waiting.popleft()
        first.link_in(waiting.popleft())
        waiting.append(first)
    return waiting[0]


def _mangled(name: str, types: tuple[Any, ...], *, abi_tags: Any = (), uid: Any = None) -> str:
    """Return the symbol of a function of some types.

    numba's own one names all fields of all records, and is 20,000 characters long for a step.
    """
    digest = hashlib.sha256(" ".join(map(str, types)).encode()).hexdigest()[:24]
    return mangle(name, (), abi_tags=(digest, *abi_tags), uid=uid)


class WholeCompiler(Compiler):
    """numba's compiler with another kind of library."""

    library: type[CPUCodeLibrary] = _Whole

    def define_pipelines(self) -> Any:
        """Return numba's pipelines, with the library at hand that the code goes to."""
        self.state.library = self.library(
            self.state.targetctx.codegen(), self.state.func_id.func_qualname
        )
        self.state.library.enable_object_caching()
        self.state.targetctx.counts_from_end = False
        self.state.targetctx.mangler = _mangled
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (ValueLowering if step is NativeLowering else step, text)
                for step, text in pipeline.passes
            ]
        return pipelines


class PartCompiler(WholeCompiler):
    """numba's compiler for what only other kernels call."""

    library = _Part
