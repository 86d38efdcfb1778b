"""Digest of a kernel: of all that goes into its machine code, and of nothing else.

numba compiles the bytecode of a function. Machine code thus depends on this bytecode with its
constants, on defaults and closures, on options, and on the values of the globals that it names.
These are numbers, records, other kernels and modules with such members; kernels are followed to
their own globals, and so on. Comments, docstrings, annotations and line numbers are no part of it.

Names are looked up in the process that compiles. So an alias counts by what it stands for, and the
digest is that of the code that runs, even if the file has been edited since. A name of an attribute
that is also the name of a global counts as that global: the digest may say more than needed, never
less. A value whose content nothing tells has no digest: a kernel with such a value is not cached.
"""

import enum
import hashlib
import marshal
import sys
from collections.abc import Iterator
from dis import opmap
from functools import cache
from types import CodeType, EllipsisType, FunctionType, ModuleType
from typing import Any

import numpy as np

_FOREIGN = sys.stdlib_module_names | {"llvmlite", "numba", "numpy"}
"""Packages that are told by their version, not by their content."""
_PLAIN = {type(None), bool, int, float, complex, str, bytes, range, slice, EllipsisType}
"""Types whose values are told by their text."""
_USES = bytes(opmap[name] for name in ("LOAD_CONST", "RETURN_CONST") if name in opmap)
"""Instructions that use a constant."""
_FLAGS = 0xFF
"""Flags of bytecode that matter; a later one says that there is a docstring."""


class NoDigestError(Exception):
    """A value whose content nothing tells."""


def digest_kernel(kernel: Any) -> str:
    """Return hex digits that identify a kernel together with all that it is compiled from.

    Raises NoDigestError if it reads a value whose content nothing tells.
    """
    found = _Found()
    found.number(kernel)
    text = hashlib.sha256()
    for function in found.functions:  # more come in while it is read
        text.update(_function_text(function, found).encode())
    return text.hexdigest()


def layout_text(kind: Any) -> str:
    """Return the fields of all records in a numba type, of which the type's own name tells none."""
    return " ".join(_layouts(kind))


def _layouts(kind: Any) -> Iterator[str]:
    """Name the records in a numba type, with their fields."""
    made = getattr(kind, "instance_class", None)
    if made is not None:
        yield f"{made.__module__}.{made.__qualname__}{made._fields}"
    for part in (*getattr(kind, "types", ()), getattr(kind, "records", None)):
        if part is not None:
            yield from _layouts(part)


class _Found:
    """Functions that a kernel is compiled from; each has its place in the order of discovery."""

    def __init__(self) -> None:
        self.functions: list[Any] = []
        self.modules: set[tuple[int, int]] = set()
        self.numbers: dict[int, int] = {}

    def number(self, function: Any) -> int:
        """Return the place of a function, which is noted at the first time."""
        number = self.numbers.setdefault(id(function), len(self.functions))
        if number == len(self.functions):
            self.functions.append(function)
        return number


def _function_text(made: Any, found: _Found) -> str:
    """Return the text of a function, compiled or not, with the numbers of those that it names.

    What a compiled function calls is compiled, too; numba knows other ways, and their code is not
    seen here.
    """
    function = _source(made)
    code, names = _code_text(function.__code__)
    scope = function.__globals__
    read = {name: scope[name] for name in names if name in scope}
    if hasattr(made, "py_func") and any(map(_is_plain_function, read.values())):
        raise NoDigestError(function.__qualname__)
    if function.__defaults__ or function.__kwdefaults__ or function.__closure__:
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        read[""] = (function.__defaults__, function.__kwdefaults__, cells)
    texts = [f"{name}={_text(value, names, found)}" for name, value in read.items()]
    return "\n".join((_options_text(made), code, *texts, ""))


def _options_text(made: Any) -> str:
    """Return the text of the options by which a function was compiled."""
    options = [getattr(made, name, None) for name in ("targetoptions", "locals", "_kwargs")]
    types = None if getattr(made, "_can_compile", True) else made.signatures
    text = f"{type(made).__name__} {options} {types}"
    if " at 0x" in text:
        raise NoDigestError(text)
    return text


def _is_plain_function(value: Any) -> bool:
    """Return True for a function that is neither compiled nor of a foreign package."""
    return type(value) is FunctionType and not _foreign_name(value)


def _source(made: Any) -> Any:
    """Return the Python function of a kernel, of an intrinsic or of itself."""
    return getattr(made, "py_func", None) or getattr(made, "_defn", None) or made


@cache
def _code_text(code: CodeType) -> tuple[str, tuple[str, ...]]:
    """Return a digest of bytecode, and the names of globals and attributes in it."""
    constants: Any = code.co_consts
    if constants and isinstance(constants[0], str) and not _uses_first(code.co_code):
        constants = None, *constants[1:]
    inner = [_code_text(value) for value in constants if isinstance(value, CodeType)]
    parts = (
        tuple(_plain_constant(value) for value in constants),
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags & _FLAGS,
        getattr(code, "co_exceptiontable", b""),
        *(text for text, _ in inner),
    )
    names = dict.fromkeys((*code.co_names, *(name for _, more in inner for name in more)))
    return hashlib.sha256(marshal.dumps(parts, 0)).hexdigest(), tuple(names)


def _plain_constant(value: Any) -> Any:
    """Return a constant of bytecode in a form whose bytes are the same in all processes."""
    if isinstance(value, frozenset):
        return "frozenset", *sorted(map(repr, value))
    return "code" if isinstance(value, CodeType) else value


def _uses_first(code: bytes) -> bool:
    """Return True if bytecode uses its first constant; a docstring is one that is not used."""
    return any(bytes((use, 0)) in code for use in _USES) and any(
        code[at] in _USES and code[at + 1] == 0 for at in range(0, len(code), 2)
    )


def _text(value: Any, names: tuple[str, ...], found: _Found) -> str:
    """Return a text that tells a value completely; of a module it tells the members of those
    names."""
    known = found.numbers.get(id(value))
    if known is not None:
        return f"#{known}"
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if isinstance(value, ModuleType):
        return _module_text(value, names, found)
    if foreign := _foreign_name(value):
        return foreign
    if hasattr(_source(value), "__code__"):
        return f"#{found.number(value)}"
    if isinstance(value, type):
        return _class_text(value, found)
    if isinstance(value, enum.Enum):
        return f"{_class_text(kind, found)}.{value.name}"
    if isinstance(value, np.ndarray | np.generic):
        return f"{kind.__name__} {value.dtype.descr} {value.shape} {value.tobytes()!r}"
    if isinstance(value, tuple | frozenset | dict):
        items = value.items() if isinstance(value, dict) else value
        texts = [_text(item, names, found) for item in items]
        told = _class_text(kind, found) if hasattr(kind, "_fields") else kind.__name__
        return f"{told}({', '.join(texts if isinstance(value, tuple) else sorted(texts))})"
    raise NoDigestError(repr(value))


def _module_text(module: ModuleType, names: tuple[str, ...], found: _Found) -> str:
    """Return the text of a module's members of some names, and of those of modules among them."""
    members = vars(module)
    if _is_foreign(module.__name__):
        plain = {name: value for name, value in members.items() if type(value) in _PLAIN}
        return f"{_versioned(module.__name__)} {[(n, plain[n]) for n in names if n in plain]}"
    key = id(module), id(names)
    if key in found.modules:
        return module.__name__
    found.modules.add(key)
    if "__getattr__" in members:  # its names may come at the first use
        members = {name: getattr(module, name) for name in names if hasattr(module, name)}
    texts = (f"{name}={_text(members[name], names, found)}" for name in names if name in members)
    return f"{module.__name__} {' '.join(texts)}"


def _class_text(made: type, found: _Found) -> str:
    """Return the text of a class: of a record its fields and defaults, of an enumeration its
    members."""
    name = f"{made.__module__}.{made.__qualname__}"
    if issubclass(made, enum.Enum):
        return f"{name} {[(item.name, item.value) for item in made]}"
    if not hasattr(made, "_fields"):
        raise NoDigestError(name)
    record: Any = made
    return f"{name}{record._fields} {_text(record._field_defaults, (), found)}"


def _foreign_name(value: Any) -> str:
    """Return the name of a function, class or type of a foreign package; empty if it is none."""
    source = _source(value)
    kind = type(source).__module__
    name = getattr(source, "__qualname__", None) or getattr(source, "__name__", None)
    bound = getattr(source, "__self__", None)
    if kind.startswith("numba.core.types"):
        return _versioned(f"{kind} {value!r}")
    if not isinstance(name, str) or not (bound is None or isinstance(bound, ModuleType)):
        return ""
    module = getattr(source, "__module__", None) or kind
    return _versioned(f"{module}.{name}") if _is_foreign(module) else ""


def _is_foreign(name: str) -> bool:
    """Return True for the name of a module that is told by its version."""
    return name.partition(".")[0] in _FOREIGN


def _versioned(name: str) -> str:
    """Return a name with the version of its package."""
    package = sys.modules.get(name.partition(".")[0])
    return f"{name} {getattr(package, '__version__', '')}"
