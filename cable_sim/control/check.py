"""Check of a file of any kind that the package reads: a crane, a scene, a scenario, a matrix or a
lift plan."""

import warnings
from pathlib import Path

from cable_sim.control.catalogue import scenario_files
from cable_sim.control.lift_plans.lift_plan import crane_of, read_plan
from cable_sim.control.matrix import is_matrix, read_matrix
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.remarks import remarks
from cable_sim.control.scenario import Scenario, read_scenario
from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import crane_file, crane_names
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import ask_family
from cable_sim.errors import CableSimError, CableSimWarning, CommandError, SpecError, suggestion
from cable_sim.scenes import CATALOGUE, load_scene
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Scene
from cable_sim.spec.files import read_text
from cable_sim.spec.yaml_document import parse_document

PLAN_CRANE = "tower_crane"
"""Crane against which a plan is checked that names none."""


def summary(path: Path) -> str:
    """Return a summary of a sound file, in one sentence.

    Warns of what is sound but hardly meant. Raises ConfigError with all that is wrong with it,
    SpecError or ModelError when its parts can't be combined.
    """
    text = read_text(path)
    if path.suffix == ".csv":
        return _plan(path, text)
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
        for problem in remarks(crane.details, document):
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
