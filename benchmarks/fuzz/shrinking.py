"""A smaller scene with the same symptom: parts are taken out, and values made plain, while the
symptom stays."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchmarks.fuzz.oracles import examine_for
from benchmarks.fuzz.scenes import Case
from cable_sim.errors import CableSimError
from cable_sim.spec import Air, Box, Scene

BUDGET = 60.0
"""Processor time for one case [s]."""
PLAIN_BODY = (
    {"angular_velocity": (0.0, 0.0, 0.0)},
    {"velocity": (0.0, 0.0, 0.0)},
    {"orientation": (1.0, 0.0, 0.0, 0.0)},
    {"drag": ()},
    {"collides": False},
    {"mass": 1000.0},
    {"shape": Box(1.0, 1.0, 1.0)},
)
PLAIN_CABLE = (
    {"touches": ()},
    {"winch": None},
    {"damping_ratio": None},
    {"torque_factor": 0.0},
    {"twist": 0.0},
    {"gj": None},
    {"elevation": None},
    {"hybrid": None},
    {"damping_time": None},
    {"ea": 1e6},
)


def shrink(case: Case, steps: int, symptom: str) -> Case:
    """Return the smallest case found within ``BUDGET`` that still has the symptom."""
    end = time.process_time() + BUDGET
    smaller: Case | None = case
    while smaller is not None:
        case = smaller
        smaller = next(
            (other for other in _variants(case, end) if _has_symptom(other, steps, symptom)), None
        )
    return case


def _has_symptom(case: Case, steps: int, symptom: str) -> bool:
    return (symptom, False) in examine_for(case, steps, symptom).symptoms


def _variants(case: Case, end: float) -> Iterator[Case]:
    """Simpler cases, until the time is over."""
    if case.acts:
        yield case._replace(acts=())
    for fields in _simpler_fields(case.scene):
        if time.process_time() > end:
            return
        try:
            yield case._replace(scene=replace(case.scene, **fields))
        except CableSimError:
            continue  # other parts need what was taken out


def _simpler_fields(scene: Scene) -> Iterator[dict[str, Any]]:
    """Fields of a scene with one part less, or with one plainer part."""
    for kind in ("contacts", "drives", "joints", "surfaces"):
        for part in getattr(scene, kind):
            yield {kind: _remove(getattr(scene, kind), part)}
    for cable in scene.cables:
        driven = {cable.name, cable.winch.name if cable.winch else None}
        drives = tuple(drive for drive in scene.drives if drive.on not in driven)
        yield {"cables": _remove(scene.cables, cable), "drives": drives}
    if scene.obstacles:
        yield {
            "obstacles": (),
            "cables": tuple(replace(cable, touches=()) for cable in scene.cables),
        }
    for body in scene.bodies:
        yield {"bodies": _remove(scene.bodies, body)}
    if scene.air != Air():
        yield {"air": Air()}
    yield from _plainer_fields(scene, "bodies", PLAIN_BODY)
    yield from _plainer_fields(scene, "cables", PLAIN_CABLE)


def _remove(parts: tuple[Any, ...], part: Any) -> tuple[Any, ...]:
    return tuple(other for other in parts if other is not part)


def _plainer_fields(
    scene: Scene, kind: str, changes: tuple[dict[str, Any], ...]
) -> Iterator[dict[str, Any]]:
    parts = getattr(scene, kind)
    for i, part in enumerate(parts):
        for change in changes:
            if any(getattr(part, name) != value for name, value in change.items()):
                try:
                    yield {kind: (*parts[:i], replace(part, **change), *parts[i + 1 :])}
                except CableSimError:
                    continue
