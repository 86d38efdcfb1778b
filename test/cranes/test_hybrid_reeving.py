"""Hoist ropes of hybrid wire in every crane file: a load lands, the rope goes slack and lies on it,
and is taken up again."""

import math
from typing import Any

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import quat2mat

from cable_sim import Simulator
from cable_sim.cranes import Crane, crane_names, load_crane
from cable_sim.errors import SpecError
from cable_sim.kernels.status import CATCH_MISSED
from cable_sim.sim.observation import Observation
from cable_sim.spec import Box

STEP = 1e-3
LOOK = 20
"""Steps from one look to the next."""
ABOVE = 0.4
"""Height of the load over the ground at the start [m]."""
SPEED = 0.4
"""Speed of the hook [m/s], if the drive is as fast."""
LOOSE = 1.0
"""Rope that lies about before it is taken up [m]."""
MOST = 10.0
"""Rope after which one that is not as loose, since its long spans sag, is taken up [m]."""
NO_HOIST = {"nehe_rope"}
"""Files of a rope in a hand."""
SHARED = {"tandem_lift", "two_towers"}
"""Files of several cranes, which name files of others."""
BY_CONTACT = {"magnet_8t", "grab_3t", "skip_2t"}
"""Files of cranes on which no load hangs at the start."""
QUICK = {"lab_inteco"}
CRANES = sorted(set(crane_names().values()) - NO_HOIST - SHARED - BY_CONTACT)


def hybrid_changes(name: str) -> dict[str, Any]:
    """Return the changes of a crane file that make its hoist ropes hybrid wires."""
    hooks = load_crane(name).details.hooks
    changes: dict[str, Any] = {
        f"ropes.{rope}.model": "hybrid" for hook in hooks.values() for rope in hook.ropes
    }
    if not name.startswith("lab"):
        changes["rig.start.state"] = "hanging"
    if name.startswith("tower"):  # the drum has rope for a hook on the ground that is taut
        changes["rig.load.size"] = (2.0, 2.0, 4.0)
    return changes


def depth_key(name: str) -> str:
    """Return the path of the hook's depth at the start in a crane file."""
    details = load_crane(name).details
    if hasattr(details, "hooks"):
        return "rig.start.at.hoist"
    return "rig.start.hook_depth" if name.startswith("tower") else "rig.start.depth"


def low_crane(name: str) -> Crane:
    """Return a crane with hybrid hoist ropes whose load hangs a little over the ground."""
    changes = hybrid_changes(name)
    crane = load_crane(name, changes)
    load = next(body for body in crane.scene.bodies if body.name == crane.watched)
    assert load.shape is not None
    half = 0.5 * load.shape.z if isinstance(load.shape, Box) else load.shape.radius
    depth: Any = crane.details
    for field in depth_key(name).split("."):
        depth = depth[field] if isinstance(depth, dict) else getattr(depth, field)
    above = min(ABOVE, load.position[2] - half)
    return load_crane(name, changes | {depth_key(name): depth + load.position[2] - half - above})


class Lift:
    """A crane's hoist at work, and what its ropes do meanwhile."""

    def __init__(self, crane: Crane) -> None:
        self.crane = crane
        self.simulator = Simulator(crane.scene, dt=STEP)
        self.flags = 0
        for drive in crane.scene.drives:
            self.simulator.command(drive.name, 0.0, "speed", brake=True)

    def hoist(self, speed: float) -> None:
        """Pay out at a speed of the hook [m/s]; brake at 0."""
        falls = self.crane.axis("hoist").ratio
        self.simulator.command("hoist", speed * falls, "speed", brake=speed == 0.0)

    def look(self) -> Observation:
        """Take some steps and return what is seen; the ropes are out of the load."""
        self.flags |= self.simulator.step(LOOK).status
        seen = self.simulator.observe()
        assert max(map(float, self.depths(seen))) < 0.02
        return seen

    def watch(self, time: float) -> list[Observation]:
        """Return what is seen in so long a time [s]."""
        return [self.look() for _ in range(round(time / STEP / LOOK))]

    def rope(self, seen: Observation) -> Any:
        """Return the first hoist rope."""
        return seen.cable(self.crane.ropes[0])

    def height(self, seen: list[Observation]) -> float:
        """Return the mean height that the load would have with all rope wound up [m]."""
        falls = self.crane.axis("hoist").ratio
        return float(
            np.mean(
                [
                    each.body(self.crane.watched).position[2]
                    + self.rope(each).length_paid_out / falls
                    for each in seen[len(seen) // 2 :]
                ]
            )
        )

    def tension(self, seen: list[Observation]) -> float:
        """Return the mean tension at the dead end [N]."""
        return float(np.mean([self.rope(each).tension_dead_end for each in seen[len(seen) // 2 :]]))

    @property
    def losses(self) -> float:
        """Part of the tension that all sheaves take [-]."""
        rope = next(c for c in self.crane.scene.cables if c.name == self.crane.ropes[0])
        return 1.0 - math.prod(getattr(node, "efficiency", 1.0) for node in rope.nodes)

    def depths(self, seen: Observation) -> list[float]:
        """Return how deep the hoist ropes are in boxes that they touch, at the most [m]."""
        found = [0.0]
        touched = {name for cable in self.crane.scene.cables for name in cable.touches}
        for solid in self.crane.scene.obstacles:
            if solid.name not in touched:
                continue
            assert isinstance(solid.shape, Box)
            body = seen.body(solid.body)
            half = 0.5 * np.array((solid.shape.x, solid.shape.y, solid.shape.z))
            for name in self.crane.ropes:
                ways = seen.cable(name).curve
                places = np.linspace(ways[:-1], ways[1:], 5).reshape(-1, 3)
                own = (places - body.position) @ quat2mat(body.orientation)
                found.append(float((half - np.abs(own)).min(axis=1).max()))
        return found


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in CRANES]
)
def test_a_load_lands_and_is_lifted_again(name: str) -> None:
    """It hangs as high as before on the same rope, but for what level rope sags. The tension at the
    dead end differs by the losses of all sheaves at most, and still oscillates a little. While the
    load stands, the energy does not rise. A ship goes up and down meanwhile. The loose rope of a
    crawler catches its block so fast that 1 ms misses the peak, 9 kN for 14 kN at 0.1 ms, and the
    status says so."""
    lift = Lift(low_crane(name))
    hung = lift.watch(3.0)
    lift.hoist(SPEED)
    paid = lift.rope(hung[-1]).length_paid_out
    while (rope := lift.rope(seen := lift.look())).length_paid_out - rope.length < LOOSE:
        if rope.length_paid_out - paid > MOST:
            break
    lift.hoist(0.0)
    energies = [seen.energy.total for seen in lift.watch(3.0)[25:]]
    assert lift.rope(seen).tension < 0.5 * lift.rope(hung[-1]).tension
    lift.hoist(-SPEED)
    while lift.rope(lift.look()).length_paid_out > paid:
        assert lift.simulator.time < 200.0
    lift.hoist(0.0)
    rest = lift.watch(6.0)
    assert lift.flags & ~CATCH_MISSED == 0
    if any(body.motion == "prescribed" for body in lift.crane.scene.bodies):
        return
    assert np.diff(energies).max() < 1e-6 * abs(energies[0])
    sag = 5e-4 * paid
    assert lift.height(rest) == pytest.approx(lift.height(hung), abs=0.05 + sag)
    assert lift.tension(rest) == pytest.approx(lift.tension(hung), rel=0.05 + lift.losses)


def test_rope_over_a_wheel_with_friction_stays_massless() -> None:
    with pytest.raises(SpecError, match=naming("ropes.haul_rope.model massless hybrid")):
        load_crane("cableway_20t", {"ropes.haul_rope.model": "hybrid"})


def test_a_carriage_takes_the_ends_of_hybrid_ropes_along() -> None:
    """They turn on the trolley: each rope is as long as before, and the spreader hangs as high."""
    changes = hybrid_changes("rtg_41t") | {"rig.start.depth": 10.0}
    crane = load_crane("rtg_41t", changes)
    simulator = Simulator(crane.scene, dt=4e-3)
    for drive in crane.scene.drives:
        simulator.command(drive.name, 0.0, "speed", brake=True)
    simulator.step(250)
    before = simulator.observe()
    simulator.command("skew", 0.03, "position")
    assert simulator.step(500).status == 0
    after = simulator.observe()
    assert after.carriage("skew").position == pytest.approx(0.03)
    assert after.body("spreader").position[2] == pytest.approx(
        before.body("spreader").position[2], abs=1e-3
    )
    for name in crane.ropes:
        tensions = [seen.cable(name).tension_dead_end for seen in (before, after)]
        assert tensions[1] == pytest.approx(tensions[0], rel=0.05)
