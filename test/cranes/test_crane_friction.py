"""Friction of slewing rings and rails in the files of cranes: coasting, and the drives' effort."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import quat2mat

from cable_sim import Simulator
from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.errors import ConfigError, SpecError
from cable_sim.sim.observation import Observation
from cable_sim.spec.files import parse_spec, to_yaml


class Case(NamedTuple):
    """A joint of a crane, its speed [rad/s or m/s], changes of the file, and where that has the
    friction."""

    crane: str
    joint: str
    speed: float
    changes: dict[str, Any]
    path: str = ""

    def build(self, **friction: float) -> Crane:
        """The crane with that friction of the joint."""
        path = self.path or f"friction.{self.joint}"
        given = {f"{path}.{name}": value for name, value in friction.items()}
        return load_crane(self.crane, self.changes | given)


HANGING = {"rig.start.state": "hanging"}
LEVEL = {"reeving.sheave_efficiency": 1.0}
"""Without losses the level rope pulls a tower crane's trolley equally to both sides."""
CALM = {"rig.load.cd": 0.0, "rig.spreader.cd": 0.0, "reeving.cd": 0.0}
"""Without air, which would take momentum, too."""
CASES = [
    Case("tower_5t", "slewing", 0.05, HANGING, "parts.jib.joint"),
    Case("tower_5t", "trolley", 1.0, HANGING | LEVEL | {"rig.load.mass": 30.0}),
    Case("rtg_41t", "trolley", 1.0, HANGING | CALM | {"rig.load.mass": 50.0}),
    Case("rtg_41t", "gantry", 1.0, HANGING | CALM),
    Case("lab_inteco", "trolley", 0.2, {"rig.bob.mass": 0.1}),
    Case("lab_inteco", "gantry", 0.2, {}),
]
EACH = pytest.mark.parametrize("case", CASES, ids=[f"{c.crane}-{c.joint}" for c in CASES])


def momentum(crane: Crane, seen: Observation, case: Case) -> tuple[float, float]:
    """Momentum of all bodies along or about the joint [kg m/s or kg m^2/s], and its mass or moment
    of inertia."""
    total = 0.0
    heavy = 0.0
    joint = next(joint for joint in crane.scene.joints if joint.name == case.joint)
    for body in crane.scene.bodies:
        view = seen.body(body.name)
        if joint.kind == "prismatic":
            moves = body.name not in ("gantry", "bridge", "jib") or body.name == joint.child
            total += body.mass * float(view.velocity @ joint.axis) * moves
            heavy += body.mass * moves
        else:
            turn = quat2mat(view.orientation)
            moments = turn @ np.diag(body.inertia or body.shape.inertia(body.mass)) @ turn.T
            spin = moments @ view.angular_velocity
            place = np.array([view.position[0], view.position[1], 0.0])
            total += float(spin[2] + body.mass * np.cross(place, view.velocity)[2])
            heavy += float(moments[2, 2] + body.mass * (place @ place))
    return total, heavy


def coast(case: Case, **friction: float) -> tuple[float, float, float]:
    """Momentum that a crane lost on its way without power, the way, and the mass that moves."""
    crane = case.build(**friction)
    simulator = Simulator(crane.scene, dt=1e-3)
    simulator.command(case.joint, case.speed, "speed")
    while simulator.drives[case.joint].velocity < 0.5 * case.speed:
        simulator.step()
    simulator.set_drive(case.joint, powered=False)
    seen = simulator.observe()
    first, mass = momentum(crane, seen, case)
    start = seen.joint(case.joint).position
    simulator.step(1000)
    seen = simulator.observe()
    assert seen.joint(case.joint).velocity > 0.0, "dry friction has to keep its sign"
    return first - momentum(crane, seen, case)[0], seen.joint(case.joint).position - start, mass


@EACH
def test_a_coasting_crane_loses_momentum_by_way_and_time(case: Case) -> None:
    """For 1 s: viscous friction takes c times the way, dry friction F times the time."""
    mass = coast(case)[2]
    damping = 0.2 * mass
    lost, way, _ = coast(case, damping=damping)
    assert lost == pytest.approx(damping * way, rel=5e-4)
    dry = 0.05 * case.speed * mass
    assert coast(case, dry_friction=dry)[0] == pytest.approx(dry, rel=5e-4)


@EACH
def test_the_drive_of_a_moving_axis_gives_the_friction(case: Case) -> None:
    """The same motion, once with friction: the effort differs by c v + F."""
    damping = 3.0
    dry = 2.0
    seen = []
    for friction in ({}, {"damping": damping, "dry_friction": dry}):
        simulator = Simulator(case.build(**friction).scene, dt=1e-3)
        simulator.command(case.joint, 0.5 * case.speed, "speed")
        simulator.step(500)
        seen.append(simulator.observe())
    free, rough = (one.drive(case.joint).effort for one in seen)
    speed = seen[0].joint(case.joint).velocity
    assert seen[1].joint(case.joint).velocity == pytest.approx(speed, rel=1e-6)
    assert rough - free == pytest.approx(damping * speed + dry, rel=1e-3)


def test_the_soft_tower_slews_with_friction() -> None:
    changes = {"parts.slewing_part.joint.dry_friction": 500.0, "crane.structure.mode": "soft"}
    crane = load_crane("tower_5t", changes)
    slewing = next(joint for joint in crane.scene.joints if joint.name == "slewing")
    assert (slewing.child, slewing.dry_friction) == ("slewing_part", 500.0)


def test_friction_that_has_no_meaning_is_refused() -> None:
    with pytest.raises(SpecError, match=naming("effort above joint's dry_friction 100")):
        load_crane("lab_inteco", {"friction.gantry.dry_friction": 100.0})
    with pytest.raises(SpecError, match=naming("axes.trolley.effort above 8000")):
        load_crane("tower_5t", {"friction.trolley.dry_friction": 8000.0})
    with pytest.raises(SpecError, match=naming("parts.jib.joint.damping 0")):
        load_crane("tower_5t", {"parts.jib.joint.damping": -1.0})
    text = to_yaml(load_crane("rtg_41t").details)
    right = "name: gantry\n      kind: prismatic\n"
    assert right in text
    wrong = text.replace(right, f"{right}      damping: -1.0\n").replace(
        "      damping: 0.0\n", "", 1
    )
    with pytest.raises(ConfigError, match=naming("parts.gantry.joint.damping 0")):
        parse_spec(wrong, type(load_crane("rtg_41t").details))
