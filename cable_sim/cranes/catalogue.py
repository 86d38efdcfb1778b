"""Cranes by name or by file."""

import functools
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.families.kit.build import build_kit
from cable_sim.cranes.families.kit.crane_file import KitCrane
from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.own_families import VARIABLE, load_own_families
from cable_sim.cranes.several.build import build_several
from cable_sim.cranes.several.spec import Several
from cable_sim.errors import ConfigError, SpecError, check_kind, warn
from cable_sim.shared_files import shared_folders
from cable_sim.spec.files import apply_changes, build_spec, read_text, to_yaml
from cable_sim.spec.yaml_document import Document, parse_document

FAMILIES: dict[str, tuple[type[FamilySpec], Callable[[Any, str], Crane]]] = {
    "kit": (KitCrane, build_kit),
    "several": (Several, lambda spec, name: build_several(spec, name, load_member, rebuilt)),
}
"""File class and crane builder of each family, by the word for ``type:`` in a file's section
``crane``."""

FORMER = {
    "held_rope": "nehe_rope",
    "bridge": "lab_inteco",
    "tower_flat_top": "tower_12t",
    "rtg": "rtg_41t",
    "sts": "sts_51t",
}
"""Words for ``type:`` of families that are files of the family ``kit`` now, each with such a
file."""
LOAD = ("rig", "load", "mass")
"""Path of the mass of the load in the files of most families."""
ALIASES = {
    "tower_crane": "tower_12t",
    "gantry_crane": "rtg_41t",
    "bridge_crane": "lab_inteco",
    "held_rope": "nehe_rope",
}
"""Other names of catalogue files."""


def register_family(kind: str, spec: type[FamilySpec], build: Callable[[Any, str], Crane]) -> None:
    """Register a family of cranes under a word for ``type:`` in files.

    ``spec`` is the class of its files, with a section ``crane`` that has a ``type``, and ``build``
    makes a crane of such a file and a name. SpecError for a word that another family has.
    """
    if FAMILIES.get(kind, (spec, build))[0] is not spec:
        raise SpecError(f"family {kind!r}: it is known already; choose another word")
    FAMILIES[kind] = (spec, build)


def rebuilt(crane: Crane, changes: Mapping[str, Any]) -> Crane:
    """Return a crane of a file with other values of that file, by their path, under its name."""
    _, build = FAMILIES[crane.details.crane.type]
    return build(change_file(crane.details, changes), crane.name)


def change_file(file: FamilySpec, changes: Mapping[str, Any]) -> FamilySpec:
    """Return a crane's file with other values by their path, which may be a former one.

    Raises SpecError, as ``apply_changes`` does.
    """
    check_kind("changes", changes, Mapping, "values by path, such as {'rig.load.mass': 6000.0}")
    for path in changes:
        check_kind("changes", path, str, "a path, such as 'rig.load.mass'")
    return apply_changes(file, file.current_paths(changes)) if changes else file


def crane_names() -> dict[str, str]:
    """Names of the catalogue, each with the file that it stands for; an alias stands for another
    file."""
    files = sorted(
        {
            path.stem
            for folder in config_folders()
            for path in folder.glob("*.yaml")
            if is_crane(path)
        }
    )
    names = {name: name for name in files}
    return names | {alias: name for alias, name in ALIASES.items() if name in names}


def load_crane(name_or_path: str | Path, changes: Mapping[str, Any] | None = None) -> Crane:
    """The crane of a catalogue name or of a YAML file.

    ``changes`` replaces values of the file by their path: ``{"rig.load.mass": 6000.0}``. Raises
    ConfigError, which names every mistake of the file and, for an unknown name, the known ones;
    SpecError, which names the path, for changes that do not fit. Warns of a load beyond what the
    crane may lift where it starts.
    """
    return _load(name_or_path, changes)


def save_crane(crane: Crane, path: Path) -> None:
    """Write the file of a crane, with what was changed of it.

    SpecError, and no file, for a crane that its file would not give again: one that was put
    together in a program.
    """
    if crane.details is None:
        raise SpecError(
            f"{crane.name}: it was not loaded from a crane file, so none can be written"
        )
    text = to_yaml(crane.details)
    document = parse_document(text, str(path))
    cls, build = FAMILIES[document.data["crane"]["type"]]
    if build(build_spec(document, cls), crane.name) != crane:
        raise SpecError(
            f"{crane.name}: it differs from its file; change values of the file, as load_crane does"
        )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SpecError(f"{path}: can't be written: {error}") from None


def load_member(name_or_path: str | Path, changes: Mapping[str, Any]) -> Crane:
    """A crane that can be one of several: as :func:`load_crane`, but none of the family of several
    itself."""
    return _load(name_or_path, changes, without="several")


def read_crane(name_or_path: str | Path) -> Any:
    """The validated file of a crane, of the class that its family has; errors are those of
    :func:`load_crane`."""
    path = crane_file(name_or_path)
    return _read(_text(path), str(path), _kinds())[0]


def mass_path(name_or_path: str) -> str:
    """Return the path of the load's mass in a crane's file.

    Raises SpecError where the file has none.
    """
    file = read_crane(name_or_path)
    path = next(iter(file.load_changes(1.0) or ()), "")
    if not path or path.startswith("rig.load") and file.rig.load is None:
        raise SpecError(f"{name_or_path}: there is no load in its file, so no load mass to set")
    return path


def _load(name_or_path: str | Path, changes: Mapping[str, Any] | None, without: str = "") -> Crane:
    """A crane of one of the families, but for one."""
    path = crane_file(name_or_path)
    file, build, document = _read(_text(path), str(path), _kinds(without))
    file = change_file(file, changes or {})
    beyond = file.overload()
    if beyond:
        told = f"{path.stem}: {'.'.join(LOAD)}: {beyond}"
        place = told if changes else str(document.problem_at(LOAD, beyond))
        warn(place, 3)
    return build(file, path.stem)


def _kinds(without: str = "") -> tuple[str, ...]:
    """Words of all families but one, with those of one's own that the environment names."""
    load_own_families(FAMILIES)
    return tuple(kind for kind in FAMILIES if kind != without)


def _text(path: Path) -> str:
    """Text of a crane's file; ConfigError, which lists the known names, when there is none."""
    return read_text(path, () if path.is_file() else labels())


@functools.lru_cache(maxsize=32)
def _read(
    text: str, file: str, families: tuple[str, ...]
) -> tuple[Any, Callable[[Any, str], Crane], Document]:
    """The validated file of a crane of one of the families, its builder, and the file as it is.

    The result is cached: loading a crane again with other changes reads its file once.
    """
    document = parse_document(text, file)
    section = document.data.get("crane") if isinstance(document.data, dict) else None
    family = section.get("type") if isinstance(section, dict) else None
    if family not in families and not document.problems:
        given = "is missing" if family is None else f"{family!r} is not known"
        known = f"known are {', '.join(families)}, and those of files that {VARIABLE} names"
        example = crane_file(FORMER[family]).name if family in FORMER else ""
        now = f"; its cranes are of the family kit now, such as {example}" if example else ""
        at = document.problem_at(("crane", "type"), f"{given}; {known}{now}")
        raise ConfigError([at])
    cls, build = FAMILIES[str(family) if family in families else families[0]]
    return build_spec(document, cls), build, document


def crane_file(name_or_path: str | Path) -> Path:
    """The file of a catalogue name; a path, known by its ending or a slash, is returned as it
    is."""
    text = str(name_or_path)
    if text.endswith((".yaml", ".yml")) or os.sep in text:
        return Path(text)
    name = ALIASES.get(text, text)
    found = (folder / f"{name}.yaml" for folder in config_folders())
    return next((path for path in found if path.is_file()), Path(text))


def config_folders() -> list[Path]:
    """Folders with crane files, as far as they exist."""
    return shared_folders("config")


def is_crane(path: Path) -> bool:
    """Return True if the file has a section ``crane``.

    The text decides, so that a broken file counts, too.
    """
    if not path.is_file():  # the installed copy may be a link to a file that is gone
        return False
    return (
        re.search(r"^crane:", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
        is not None
    )


def labels() -> list[str]:
    """Catalogue names for messages."""
    return [
        name if name == file else f"{name} (alias of {file})"
        for name, file in crane_names().items()
    ]
