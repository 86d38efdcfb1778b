"""By what a run is known: a digest of all that determines its outcome.

That is the content of the scenario, not its name, its title or what is expected of it; of the files
that it names, a crane's, a recorded wind's or a controller's, what is in them; and the code:
version of the package, its kernels with numba and Python, the sources of the floors that a run goes
through, the catalogue of ropes. Two runs with one digest have the same result, so that one of them
need not be done; where anything else has changed, the digest has, too.
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
from cable_sim.control.scenario import Scenario
from cable_sim.cranes.catalogue import crane_file
from cable_sim.kernels import jit
from cable_sim.shared_files import shared_folders
from cable_sim.spec.rope_catalogue import FILE as ROPES
from cable_sim.spec.yaml_document import parse_document

FLOORS = ("control", "machine", "sim", "model", "cranes", "spec", "kernels")
"""Rooms whose sources make a result."""


def identity(scenario: Scenario) -> str:
    """32 hex digits that stand for a run; see above."""
    known = _content(scenario) | {"crane": _file(crane_file(scenario.crane))}
    for name in ("title", "expect"):  # neither makes a run another one
        known.pop(name, None)
    if isinstance(scenario.controller, Custom):
        known["controller"]["folder"] = [_file(path) for path in _sources(scenario.controller)]
    return _digest(code(), json.dumps(known, sort_keys=True, default=repr))


def _sources(controller: Custom) -> list[Path]:
    """The files of a controller's module, or of its outermost package, as far as they are found."""
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
    """32 hex digits that stand for the code and the data that come with it; other ones on another
    machine type."""
    package = Path(jit.__file__).parents[1]
    files = [path for floor in FLOORS for path in sorted((package / floor).rglob("*.py"))]
    files = [
        path for path in files if path.parent != Path(__file__).parent
    ]  # how a sweep is done makes no result
    files += [folder / ROPES for folder in shared_folders("config") if (folder / ROPES).is_file()]
    named = (f"{path.name} {_digest(path.read_bytes())}" for path in files)
    return _digest(__version__, jit.digest(), *named)


def _content(value: Any) -> Any:
    """A value for JSON: specs by their class and fields, files by what is in them."""
    if dataclasses.is_dataclass(value):
        fields = {
            field.name: _content(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
        return {"is": type(value).__name__, **fields}
    if isinstance(value, Mapping):
        return {str(key): _content(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_content(item) for item in value]
    return _named(value) if isinstance(value, str) else value


def _named(text: str) -> Any:
    """A text; if it names a file, what is in that."""
    return [_file(Path(text))] if _may_be_file(text) and os.path.isfile(text) else text


def _may_be_file(text: str) -> bool:
    """Whether it is worth a look."""
    return "." in text or "/" in text


def _file(path: Path) -> str:
    """A digest of a file and of those that it names; its name, if there is none, which the run will
    tell."""
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
    """A digest of a file, and the texts in it that may name others, as long as it has not
    changed."""
    data = path.read_bytes()
    if path.suffix not in (".yaml", ".yml"):
        return _digest(data), ()
    document = parse_document(data.decode("utf-8", "replace"), str(path))
    return _digest(data), tuple(filter(_may_be_file, _texts(document.data)))


def _texts(value: Any) -> Iterator[str]:
    """All texts in plain data, but for keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _digest(*parts: str | bytes) -> str:
    """32 hex digits of some texts, of which the ends count."""
    made = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little") + data)
    return made.hexdigest()[:32]
