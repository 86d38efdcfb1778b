"""Ropes by name, as listed in ``config/ropes.yaml``."""

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator

from cable_sim.errors import ConfigError, SpecError
from cable_sim.shared_files import shared_folders
from cable_sim.spec.cables.ropes import Rope

FILE = "ropes.yaml"


def rope_names() -> tuple[str, ...]:
    """Return the names of the catalogue, in its order."""
    return tuple(_catalogue())


def load_rope(name: str) -> Rope:
    """Return the rope of a catalogue name; raise SpecError, which lists the names, if unknown."""
    try:
        return _catalogue()[name]
    except KeyError:
        raise SpecError(
            f"rope {name!r} is not in the catalogue; known are {', '.join(rope_names())}"
        ) from None


def thinnest_rope(construction: str, breaking_force: float) -> str | None:
    """Return the name of the thinnest rope of a construction with that breaking force [N].

    It is None if there is no such rope.
    """
    fit = {
        name: rope
        for name, rope in _catalogue().items()
        if rope.construction == construction and rope.minimum_breaking_force >= breaking_force
    }
    return min(fit, key=lambda name: fit[name].diameter, default=None)


def _catalogue() -> dict[str, Rope]:
    """Return all ropes; the first folder with a name has priority, as with crane files."""
    found: dict[str, Rope] = {}
    for folder in shared_folders("config"):
        path = folder / FILE
        if path.is_file():
            found = dict(_read(path.read_text(encoding="utf-8"), str(path))) | found
    return found


@lru_cache(maxsize=8)
def _read(text: str, file: str) -> tuple[tuple[str, Rope], ...]:
    """Return names and ropes of a file's text; raise ConfigError with all its mistakes."""
    from cable_sim.spec.files import parse_spec  # brings a YAML reader, which most scenes need not

    return tuple(parse_spec(text, dict[str, Rope], file).items())


def _look_up(given: Any) -> Any:
    """Return the rope of a name, or of a mapping with ``catalogue`` and fields that differ."""
    changes = dict(given) if isinstance(given, dict) else {}
    name = given if isinstance(given, str) else changes.pop("catalogue", None)
    if name is None:
        return given
    try:
        rope = load_rope(name) if isinstance(name, str) else None
    except (SpecError, ConfigError) as error:
        raise ValueError(str(error)) from None
    if rope is None:
        raise ValueError(f"catalogue: must be the name of a rope, not {name!r}")
    return (
        {field: getattr(rope, field) for field in rope.__dataclass_fields__} | changes
        if changes
        else rope
    )


NamedRope = Annotated[Rope, BeforeValidator(_look_up)]
"""A rope: its name in the catalogue, ``{catalogue: NAME}`` with other fields, or all fields."""
