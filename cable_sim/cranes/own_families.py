"""Families of cranes of one's own: Python files that the environment names.

``CABLE_SIM_FAMILIES`` holds paths of Python files, or of folders that are packages, between colons.
They run before the first crane file is read, in every process that reads one: each calls
``register_family``. Nothing else makes this package run a family's code, least of all a crane file.
"""

import importlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from cable_sim.errors import CableSimError, SpecError, one_line

VARIABLE = "CABLE_SIM_FAMILIES"


def own_family_paths() -> list[Path]:
    """Return the files and folders that the environment names, absolute, existing or not."""
    words = os.environ.get(VARIABLE, "").split(os.pathsep)
    return [Path(word).expanduser().resolve() for word in words if word]


def own_family_sources() -> list[Path]:
    """Return the Python files of the families, of a package all, as far as they exist."""
    found: list[Path] = []
    for path in own_family_paths():
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path] * path.is_file()
    return found


def load_own_families(families: Mapping[str, object]) -> None:
    """Run the files that the environment names, each once in a process.

    ``families`` are those that are registered. Raises SpecError, which names variable and path, for
    a path that is missing or no Python file, and for a file that fails or registers nothing.
    """
    for path in own_family_paths():
        _load(path, families)


def _load(path: Path, families: Mapping[str, object]) -> None:
    """Import a file or package by its name, as if its folder were on Python's path."""
    name = path.name if path.is_dir() else path.stem
    file = path / "__init__.py" if path.is_dir() else path
    if _is_loaded(name, file):
        return
    _check(path, file, name)
    before = dict(families)
    importlib.invalidate_caches()
    sys.path.insert(0, str(path.parent))
    try:
        importlib.import_module(name)
    except CableSimError as error:
        raise _path_error(path, str(error)) from error
    except Exception as error:  # whatever it is, it is the family's
        raise _path_error(path, one_line(error, __file__)) from error
    finally:
        sys.path.remove(str(path.parent))
    if dict(families) == before:
        del sys.modules[name]
        raise _path_error(path, "it registers no family; it has to call register_family(kind, ...)")


def _is_loaded(name: str, file: Path) -> bool:
    """Return True if the module of that name comes from the file, also if it is the program."""
    modules = (sys.modules.get(name), sys.modules.get("__main__"))
    return any(_origin(module) == file for module in modules)


def _origin(module: object) -> Path | None:
    """Return the file of a module; None without one."""
    origin = getattr(module, "__file__", None)
    return Path(origin).resolve() if origin else None


def _check(path: Path, file: Path, name: str) -> None:
    """Raise SpecError for a path that can't be imported by its name."""
    if not path.exists():
        raise _path_error(path, "there is no such file")
    if not file.is_file() or file.suffix != ".py" or not name.isidentifier():
        told = "must be a Python file, such as my_family.py, or a folder with an __init__.py"
        raise _path_error(path, told)
    if name in sys.modules or name in sys.stdlib_module_names:
        origin = _origin(sys.modules.get(name)) or "Python itself"
        raise _path_error(
            path, f"the module {name!r} is known already, of {origin}; rename the file"
        )


def _path_error(path: Path, problem: str) -> SpecError:
    """Return an error about a path in the variable."""
    return SpecError(f"{VARIABLE}: {path}: {problem}")
