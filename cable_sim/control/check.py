"""Looks at a file of any kind that the package reads: a crane, a scene or a lift plan."""

from pathlib import Path

from cable_sim.control.lift_plan import crane_of, read_plan
from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.scenes import load_scene
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Scene
from cable_sim.spec.files import read_text
from cable_sim.spec.yaml_document import parse_document

PLAN_CRANE = "tower_crane"
"""What a plan is checked against that names no crane."""


def summary(path: Path) -> str:
    """What is in a sound file, in one sentence.

    Raises ConfigError with all that is wrong with it, SpecError or ModelError when its parts do not go
    together.
    """
    text = read_text(path)
    if path.suffix == ".csv":
        return _plan(path, text)
    document = parse_document(text, str(path))
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
    aim = "no target" if plan.target is None else "target ({:.2f}, {:.2f}, {:.2f}) m".format(*plan.target)
    return f"lift plan for {crane.name}: {count} commands in {plan.duration:g} s, {aim}"


def _crane(crane: Crane) -> str:
    """A crane and its motions."""
    motions = ", ".join(
        f"{axis.name} up to {axis.max_speed * abs(axis.trade_factor):.3g} {axis.trade_unit}" for axis in crane.axes
    )
    return f"{crane.family.replace('_', ' ')} {crane.name!r}: {_parts(crane.scene)}; {motions}"


def _parts(scene: Scene) -> str:
    """How many of what."""
    counts = {
        "bodies": scene.bodies, "joints": scene.joints, "cables": scene.cables, "drives": scene.drives,
    }  # fmt: skip
    return ", ".join(f"{len(things)} {name}" for name, things in counts.items())
