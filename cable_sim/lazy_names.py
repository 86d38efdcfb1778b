"""Names of a package that are loaded on first use (PEP 562).

A program that simulates one rope needs none of the families of cranes, whose classes take longer to
load than its scene takes to build.
"""

import gc
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def load_module(name: str) -> ModuleType:
    """Import a module, and collect no garbage meanwhile.

    Next to nothing of what imports make is garbage, and to look for it takes a tenth of their time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return import_module(name)
    finally:
        if collects:
            gc.enable()


def load_lazily(package: str, module_of: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package, by the name of the module of each name.

    The function raises AttributeError for other names.
    """

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(load_module(module_of[name]), name)

    return load
