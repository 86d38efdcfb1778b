"""Simulator of cranes and their cables, as a library and as a ROS 2 node.

The names below are the public ones. They are loaded on first use: importing the package compiles
nothing and needs no ROS.
"""

from pkgutil import extend_path

# The generated messages live in another folder of the same package name; with this, both are found.
__path__ = extend_path(__path__, __name__)

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cable_sim.rendering.pictures import film, picture
    from cable_sim.scenes import load_scene
    from cable_sim.sim.simulator import Simulator
    from cable_sim.spec import (
        Anchor,
        Body,
        Box,
        Cable,
        Drive,
        Eye,
        Joint,
        Motion,
        Scene,
        Sheave,
        Sphere,
        Surface,
        Winch,
    )
    from cable_sim.viewer.show import show

    __version__: str

_MODULE_OF = {
    "Scene": "cable_sim.spec",
    "Body": "cable_sim.spec",
    "Box": "cable_sim.spec",
    "Sphere": "cable_sim.spec",
    "Joint": "cable_sim.spec",
    "Drive": "cable_sim.spec",
    "Surface": "cable_sim.spec",
    "Motion": "cable_sim.spec",
    "Cable": "cable_sim.spec",
    "Anchor": "cable_sim.spec",
    "Eye": "cable_sim.spec",
    "Sheave": "cable_sim.spec",
    "Winch": "cable_sim.spec",
    "Simulator": "cable_sim.sim.simulator",
    "load_scene": "cable_sim.scenes",
    "picture": "cable_sim.rendering.pictures",
    "film": "cable_sim.rendering.pictures",
    "show": "cable_sim.viewer.show",
}

__all__ = [
    "Anchor",
    "Body",
    "Box",
    "Cable",
    "Drive",
    "Eye",
    "Joint",
    "Motion",
    "Scene",
    "Sheave",
    "Simulator",
    "Sphere",
    "Surface",
    "Winch",
    "film",
    "load_scene",
    "picture",
    "show",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used (PEP 562)."""
    if name == "__version__":
        return import_module("cable_sim.version").installed_version()
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_module_of(name), name)
    globals()[name] = value
    return value


def _module_of(name: str) -> Any:
    """Return the module of a public name; raise CableSimError if a package of an extra misses."""
    try:
        return import_module(_MODULE_OF[name])
    except ModuleNotFoundError as error:
        if error.name != "viser":
            raise
        from cable_sim.errors import CableSimError

        told = f"{name}: viser is not installed: pip install 'cable_sim[viewer]'"
        raise CableSimError(told) from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
