"""Check of a file of any kind that the package reads: a crane, a scene, a scenario, a matrix or a
lift plan."""

import dataclasses
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cable_sim.control.catalogue import scenario_files
from cable_sim.control.lift_plans.lift_plan import crane_of, read_plan
from cable_sim.control.matrix import is_matrix, read_matrix
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.scenario import Scenario, read_scenario
from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import LOAD, crane_file, crane_names
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import FamilySpec, ask_family
from cable_sim.errors import (
    CableSimError,
    CableSimWarning,
    CommandError,
    Problem,
    SpecError,
    suggestion,
)
from cable_sim.scenes import CATALOGUE, load_scene
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Scene
from cable_sim.spec.files import read_text
from cable_sim.spec.scene import MODEL_FILES
from cable_sim.spec.yaml_document import Document, parse_document

PLAN_CRANE = "tower_crane"
"""Crane against which a plan is checked that names none."""
LIGHT = 0.005
"""Share of the rated load below which a load is taken for one in tonnes [-]: 4 kg for 4 t."""


def summary(path: Path) -> str:
    """Return a summary of a sound file, in one sentence.

    Warns of what is sound but hardly meant. Raises ConfigError with all that is wrong with it,
    SpecError or ModelError when its parts can't be combined.
    """
    text = read_text(path)
    if path.suffix == ".csv":
        return _plan(path, text)
    if path.suffix.lower() in MODEL_FILES:
        return _scene(load_scene(path))
    document = parse_document(text, str(path))
    if is_matrix(document.data):
        return _matrix(path)
    if isinstance(document.data, dict) and (
        isinstance(document.data.get("crane"), str) or "moves" in document.data
    ):
        return _scenario(read_scenario(path))
    if isinstance(document.data, dict) and "crane" in document.data:
        crane = load_crane(path.resolve() if path.suffix not in (".yaml", ".yml") else path)
        Simulator(crane.scene)
        for problem in _remarks(crane.details, document):
            warnings.warn(str(problem), CableSimWarning, stacklevel=2)
        return _crane(crane)
    return _scene(load_scene(path))


def summary_of(name_or_path: str) -> str:
    """Return the summary of a file, or of a crane, scene, scenario or matrix of the catalogues.

    Raises CableSimError for a name that no catalogue has, and as :func:`summary`.
    """
    for path in (Path(name_or_path), crane_file(name_or_path)):
        if path.is_file():
            return summary(path)
    if name_or_path in CATALOGUE:
        return _scene(load_scene(name_or_path))
    scenarios = scenario_files()
    if name_or_path in scenarios:
        return summary(scenarios[name_or_path])
    known = [*crane_names(), *CATALOGUE, *scenarios]
    near = suggestion(name_or_path, known)
    raise CableSimError(
        f"{name_or_path}: there is no such file{near}; known names are {', '.join(known)}"
    )


def _scene(scene: Scene) -> str:
    """Return the summary of a scene, which is built for it."""
    Simulator(scene)
    return f"scene {scene.name!r}: {_parts(scene)}"


def _plan(path: Path, text: str) -> str:
    """A lift plan."""
    crane = load_crane(crane_of(text) or PLAN_CRANE)
    plan = read_plan(path, crane)
    count = sum(len(course.times) for course in plan.courses.values())
    aim = (
        "no target"
        if plan.target is None
        else "target ({:.2f}, {:.2f}, {:.2f}) m".format(*plan.target)
    )
    return f"lift plan for {crane.name}: {count} commands in {plan.duration:g} s, {aim}"


def _scenario(scenario: Scenario) -> str:
    """A scenario, with its controller made ready for it."""
    plant = LocalPlant.of(scenario)
    task = scenario.task(plant.crane, plant.reset(), plant.period)
    scenario.controller.start(task)
    moves = (
        ", ".join(f"{t.axis} from {t.origin:.4g} to {t.target:.4g}" for t in task.travels)
        or "no moves"
    )
    end = max((travel.ramps.end for travel in task.travels), default=0.0)
    watched = f"{end:.1f} s and {scenario.watch:g} s watched"
    return (
        f"scenario with {scenario.crane}, controller {scenario.controller.kind}: {moves}; {watched}"
    )


def _matrix(path: Path) -> str:
    """A matrix, all of its cases made and those with every variant tried out."""
    matrix = read_matrix(path)
    cases = matrix.cases()
    for name in matrix.samples():
        try:
            _scenario(cases[name])
        except (SpecError, CommandError) as error:
            raise SpecError(f"case {name}: {error}") from None
    axes = ", ".join(f"{len(variants)} {axis}" for axis, variants in matrix.axes.items())
    return f"matrix of {len(cases)} scenarios: {axes}"


def _crane(crane: Crane) -> str:
    """A crane and its motions, and what it is made of."""
    motions = ", ".join(
        f"{axis.name} up to {axis.max_speed * abs(axis.trade_factor):.3g} {axis.trade_unit}"
        for axis in crane.axes
    )
    told = f"{crane.family.replace('_', ' ')} {crane.name!r}: {_parts(crane.scene)}; {motions}"
    return "\n".join(filter(None, (told, ask_family(crane).outline())))


def _parts(scene: Scene) -> str:
    """Return the numbers of bodies, joints, cables and drives in words."""
    counts = {
        "bodies": scene.bodies,
        "joints": scene.joints,
        "cables": scene.cables,
        "drives": scene.drives,
    }
    return ", ".join(f"{len(things)} {name}" for name, things in counts.items())


def _remarks(file: FamilySpec, document: Document) -> Iterator[Problem]:
    """Yield remarks on a crane's file that is sound, but hardly what its author meant.

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
