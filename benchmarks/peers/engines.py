"""Which engines are there; what to do about those that are not."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from benchmarks import compiled
from benchmarks.peers.contest import Absent

MODULES = {"MuJoCo": "mujoco", "Exudyn": "exudyn"}
INSTALL = {
    "MuJoCo": "pip install 'cable_sim[bench]', in a checkout: pip install -r requirements/bench.txt",
    "Exudyn": "pip install 'cable_sim[bench]', in a checkout: pip install -r requirements/bench.txt",
    "C++": "install a C++ compiler (Debian or Ubuntu: apt-get install g++), or name one with CXX",
}
NOTHING_LIKE_IT = "has nothing like it"


def is_there(engine: str) -> bool:
    """Whether an engine of MODULES, or a compiler, is installed."""
    return (
        find_spec(MODULES[engine]) is not None
        if engine in MODULES
        else compiled.compiler() is not None
    )


def engine(name: str, module: str) -> ModuleType | None:
    """The module of this folder that speaks to an engine; None if the engine is not installed."""
    return import_module(f"benchmarks.peers.{module}") if is_there(name) else None


def absent_engine(name: str) -> Absent:
    """An engine that is not installed."""
    return Absent(name, "not installed", missing=True)
