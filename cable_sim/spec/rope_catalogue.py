"""Ropes by name: what ``config/ropes.yaml`` lists, so that a rope is named and not spelled out."""

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator

from cable_sim.errors import ConfigError, SpecError
from cable_sim.shared_files import shared_folders
from cable_sim.spec.ropes import Rope

FILE = "ropes.yaml"


def rope_names() -> tuple[str, ...]:
    """Names of the catalogue, in its order."""
    return tuple(_catalogue())


def load_rope(name: str) -> Rope:
    """The rope of a catalogue name; SpecError, which lists the known names, when there is none."""
    try:
        return _catalogue()[name]
    except KeyError:
        raise SpecError(
            f"rope {name!r} is not in the catalogue; known are {', '.join(rope_names())}"
        ) from None


def strong_enough(construction: str, breaking_force: float) -> str | None:
    """Name of the thinnest rope of that construction with such a breaking force [N], None if there
    is none."""
    fit = {
        name: rope for name, rope in _catalogue().items()
        if rope.construction == construction and rope.minimum_breaking_force >= breaking_force
    }  # fmt: skip
    return min(fit, key=lambda name: fit[name].diameter, default=None)


def _catalogue() -> dict[str, Rope]:
    """All ropes; of two folders with the same name in them the first counts, as with crane
    files."""
    found: dict[str, Rope] = {}
    for folder in shared_folders("config"):
        path = folder / FILE
        if path.is_file():
            found = dict(_read(path.read_text(encoding="utf-8"), str(path))) | found
    return found


@lru_cache(maxsize=8)
def _read(text: str, file: str) -> tuple[tuple[str, Rope], ...]:
    """Names and ropes of a file's text; ConfigError with all that is wrong with it."""
    from cable_sim.spec.files import parse_spec  # brings a YAML reader, which most scenes need not

    return tuple(parse_spec(text, dict[str, Rope], file).items())


def _looked_up(given: Any) -> Any:
    """A name as its rope; a mapping with ``catalogue`` as that rope with what else the mapping
    says."""
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


NamedRope = Annotated[Rope, BeforeValidator(_looked_up)]
"""A rope: its name in the catalogue, ``{catalogue: NAME}`` with fields that differ, or all of it
spelled out."""
