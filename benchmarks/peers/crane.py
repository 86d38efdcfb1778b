"""A step of the tower crane with a load, in MuJoCo as well: what it costs, and how far the load is from where it gets
with a step an eighth as long."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.peers.contest import OURS, Absent, Comparison, Entry, best_of_each, costs, errors
from benchmarks.peers.engines import absent, is_there
from benchmarks.timing import Case
from cable_sim import Scene, Sheave, Simulator, load_scene

SCENE = "tower_12t_4falls_hanging"
SHARE = 0.5
"""Of the drives' largest speeds."""
H, FINER, SETTLING, STEPS = 1e-3, 8, 1000, 2000
"""Step [s], how many times finer the run is that it is held against, steps before the clock runs and while it does."""
ERROR = "load, from a step an eighth as long [mm]"
MOST = 100.0
"""Of that [mm]: the load goes at about a metre per second."""


class Ours:
    """The crane here, in motion."""

    def __init__(self, scene: Scene, h: float) -> None:
        self.h, self.simulator = h, Simulator(scene, dt=h)
        for drive in scene.drives:
            self.simulator.command(drive.name, SHARE * drive.max_speed, "speed")

    def advance(self, steps: int) -> None:
        """Take steps."""
        self.simulator.step(steps)

    def save(self) -> Any:
        """What determines the future."""
        return self.simulator.save()

    def restore(self, saved: Any) -> None:
        """Go back."""
        self.simulator.restore(saved)

    def load(self) -> Any:
        """Where the load is (3,) [m]."""
        return np.array(self.simulator.observe().body("load").position)


def without_losses(scene: Scene) -> Scene:
    """The crane with sheaves that pass all tension on."""
    cables = [
        replace(cable, nodes=tuple(
            replace(node, efficiency=1.0) if isinstance(node, Sheave) else node for node in cable.nodes
        ))
        for cable in scene.cables
    ]  # fmt: skip
    return replace(scene, cables=tuple(cables))


def enter() -> list[Entry | Absent]:
    """Ours, and MuJoCo's."""
    scene = load_scene(SCENE)
    found: list[Entry | Absent] = [
        _entry(OURS, "one elastic rope, sheaves without losses", lambda h: Ours(without_losses(scene), h)),
        _entry(OURS, "the same with the losses of its sheaves", lambda h: Ours(scene, h)),
    ]
    if is_there("MuJoCo"):
        from benchmarks.mujoco_crane import MujocoCrane

        found.append(_entry("MuJoCo", "spatial tendons, implicitfast", lambda h: MujocoCrane(scene, SHARE, h)))
    else:
        found.append(absent("MuJoCo"))
    why = "a crane needs rigid bodies, joints and drives: no plain loop"
    return [*found, Absent("Exudyn", "not built, see above"), *(Absent(name, why) for name in ("C++", "numpy"))]


def _entry(name: str, way: str, make: Callable[[float], Any]) -> Entry:
    """A crane a second after its start."""
    crane = make(H)
    crane.advance(SETTLING)
    start = crane.save()

    def judge() -> dict[str, float]:
        ends = []
        for finer in (1, FINER):
            other = make(H / finer)
            other.advance(finer * (SETTLING + STEPS))
            ends.append(other.load())
        return {ERROR: 1e3 * float(np.linalg.norm(ends[0] - ends[1]))}

    case = Case(lambda: crane.advance(STEPS), STEPS, lambda: crane.restore(start))
    return Entry(name, way, case, judge, {ERROR: MOST})


TEXT = """The tower crane of 12 t on four falls with a load in slings; hoist, trolley and slewing at half speed;
steps of 1 ms. *Equal*: bodies, inertias, joints, stiffness and damping of the ropes, geometry, largest efforts and
speeds, and in the first line of ours sheaves without losses, as MuJoCo has no others; the second line is the crane
as it is. *Not equal*: MuJoCo's ropes have no torsion, and its drives are servos that start without a ramp and creep
under load. So the loads do not get to the same place, and each is held against its own run with a step an eighth as
long. Exudyn has bodies, joints and a rope over sheaves as well; this crane has not been built in it."""

CRANE = Comparison(
    "crane", "Step of the tower crane", "us a step", 1e6, TEXT, enter,
    lambda results: [*best_of_each(costs(results)), *best_of_each(errors(results, ERROR, 1e-3, "error of the load"))],
)  # fmt: skip
