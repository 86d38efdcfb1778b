"""Identity of a run: a digest of all that determines its outcome.

It covers the content of the scenario, but not its name, title or pass criteria. It covers the
content of files that the scenario names: a crane, a recorded wind or a controller. It covers the
code: the version of the package, its kernels with numba and Python, the sources of the packages
that a run goes through and of families of one's own, and the catalogue of ropes. Two runs with one
digest have the same result, so that one of them suffices. A change of anything else changes the
digest.
"""

import dataclasses
import functools
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cable_sim import __version__
from cable_sim.control.controllers.custom import Custom
from cable_sim.control.controllers.fmu import Fmu
from cable_sim.control.scenario import Scenario
from cable_sim.cranes.catalogue import crane_file
from cable_sim.cranes.own_families import own_family_sources
from cable_sim.kernels import jit
from cable_sim.shared_files import shared_folders
from cable_sim.spec.cables.rope_catalogue import FILE as ROPES
from cable_sim.spec.yaml_document import parse_document

FLOORS = ("control", "machine", "sim", "model", "cranes", "spec", "kernels")
"""Packages whose sources determine a result."""


def identity(scenario: Scenario) -> str:
    """Return the run's digest, 32 hex digits; see the head of this file."""
    known = _content(scenario) | {"crane": _file(crane_file(scenario.crane))}
    for name in ("title", "expect"):  # neither makes a run another one
        known.pop(name, None)
    if isinstance(scenario.controller, Custom):
        known["controller"]["folder"] = [_file(path) for path in _sources(scenario.controller)]
    if isinstance(scenario.controller, Fmu):
        known["controller"]["file"] = _file(Path(scenario.controller.file))
    return _digest(code(), json.dumps(known, sort_keys=True, default=repr))


def _sources(controller: Custom) -> list[Path]:
    """Return the files of a controller's module, or of its outermost package, if they are found."""
    name = controller.name.partition(":")[0].partition(".")[0]
    for folder in (controller.folder, *sys.path):
        place = Path(folder).resolve() / name
        if (alone := place.with_suffix(".py")).is_file():
            return [alone]
        if place.is_dir():
            return sorted(place.rglob("*.py"))
    return []


@functools.cache
def code() -> str:
    """Return a digest, 32 hex digits, of the code and its data; it depends on the machine type."""
    package = Path(jit.__file__).parents[1]
    files = [path for floor in FLOORS for path in sorted((package / floor).rglob("*.py"))]
    files += [folder / ROPES for folder in shared_folders("config") if (folder / ROPES).is_file()]
    files += own_family_sources()
    named = (f"{path.name} {_digest(path.read_bytes())}" for path in files)
    return _digest(__version__, jit.digest(), *named)


def _content(value: Any) -> Any:
    """Return a value for JSON: specs by their class and fields, files by their content."""
    if dataclasses.is_dataclass(value):
        fields = {
            field.name: _content(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
        return {"is": type(value).__name__, **fields}
    if isinstance(value, Mapping):
        return {str(key): _content(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_content(item) for item in value]
    if isinstance(value, str) and _may_be_file(value) and os.path.isfile(value):
        return [_file(Path(value))]
    return value


def _may_be_file(text: str) -> bool:
    """Return True if the text may be the name of a file."""
    return "." in text or "/" in text


def _file(path: Path) -> str:
    """Return a digest of a file and of the files that it names.

    A missing file gives its name; the run will then report it.
    """
    try:
        found = path.stat()
        content, names = _read(path, found.st_mtime_ns, found.st_size)
    except OSError:
        return str(path)
    return _digest(
        content, *(_digest(Path(name).read_bytes()) for name in names if os.path.isfile(name))
    )


@functools.lru_cache(maxsize=1024)
def _read(path: Path, changed: int, size: int) -> tuple[str, tuple[str, ...]]:
    """Return a digest of a file, and the texts in it that may name other files.

    The result is cached until the file changes.
    """
    data = path.read_bytes()
    if path.suffix not in (".yaml", ".yml"):
        return _digest(data), ()
    document = parse_document(data.decode("utf-8", "replace"), str(path))
    return _digest(data), tuple(filter(_may_be_file, _texts(document.data)))


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in plain data, except keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _digest(*parts: str | bytes) -> str:
    """Return a digest, 32 hex digits, of several texts; their boundaries count."""
    made = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little") + data)
    return made.hexdigest()[:32]
