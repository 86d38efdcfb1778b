"""Remarks on a crane file that is sound, but hardly what its author meant."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from cable_sim.cranes.catalogue import LOAD
from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.errors import Problem
from cable_sim.spec.yaml_document import Document

LIGHT = 0.005
"""Share of the rated load below which a load is taken for one in tonnes [-]: 4 kg for 4 t."""


def remarks(file: FamilySpec, document: Document) -> Iterator[Problem]:
    """Yield remarks on a crane's file, each with its place.

    They tell of a load that may be in tonnes, and of parts of the rig that are left out and so have
    their defaults.
    """
    yield from _of_load(file, document)
    rig = getattr(file, "rig", None)
    given = document.data.get("rig") if isinstance(document.data, dict) else None
    for part in dataclasses.fields(rig) if dataclasses.is_dataclass(rig) else ():
        value = getattr(rig, part.name)
        if dataclasses.is_dataclass(value) and part.name not in (given or {}):
            told = f"is left out, so its defaults count: {_numbers(value)}"
            yield document.problem_at(("rig", part.name), told, at_key=True)


def _of_load(file: FamilySpec, document: Document) -> Iterator[Problem]:
    """Yield remarks on the mass of the load."""
    load = getattr(getattr(file, "rig", None), "load", None)
    mass = getattr(load, "mass", None)
    rated = file.rated_load()
    if mass is not None and rated is not None and mass < LIGHT * rated:
        told = f"{mass:g} kg is little for a crane that lifts {1e-3 * rated:g} t; masses are in kg"
        yield document.problem_at(LOAD, told)


def _numbers(part: Any) -> str:
    """Return a part's fields as they are written in a file."""
    shown = (
        f"{field.name} {_written(getattr(part, field.name))}" for field in dataclasses.fields(part)
    )
    return ", ".join(shown)


def _written(value: Any) -> str:
    """Return a value as it is written in a file."""
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_written, value)) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)
