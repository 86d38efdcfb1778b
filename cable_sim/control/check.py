"""Check of a file of any kind that the package reads: a crane, a scene, a scenario, a matrix or a
lift plan."""

from pathlib import Path

from cable_sim.control.lift_plans.lift_plan import crane_of, read_plan
from cable_sim.control.matrix import is_matrix, read_matrix
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.scenario import Scenario, read_scenario
from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError, SpecError
from cable_sim.scenes import load_scene
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Scene
from cable_sim.spec.files import read_text
from cable_sim.spec.yaml_document import parse_document

PLAN_CRANE = "tower_crane"
"""Crane against which a plan is checked that names none."""


def summary(path: Path) -> str:
    """Return a summary of a sound file, in one sentence.

    Raises ConfigError with all that is wrong with it, SpecError or ModelError when its parts do not
    go together.
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
        return _crane(crane)
    scene = load_scene(path)
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
    """A crane and its motions."""
    motions = ", ".join(
        f"{axis.name} up to {axis.max_speed * abs(axis.trade_factor):.3g} {axis.trade_unit}"
        for axis in crane.axes
    )
    return f"{crane.family.replace('_', ' ')} {crane.name!r}: {_parts(crane.scene)}; {motions}"


def _parts(scene: Scene) -> str:
    """Return the numbers of bodies, joints, cables and drives in words."""
    counts = {
        "bodies": scene.bodies,
        "joints": scene.joints,
        "cables": scene.cables,
        "drives": scene.drives,
    }
    return ", ".join(f"{len(things)} {name}" for name, things in counts.items())
