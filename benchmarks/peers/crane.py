"""A step of the tower crane with a load, in MuJoCo and Exudyn as well: what it costs, and how far
the load is from where a step an eighth as long gets it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.peers.contest import OURS, Absent, Comparison, Entry, best_ratios, costs, errors
from benchmarks.peers.engines import absent_engine, engine, is_there
from benchmarks.timing import Case
from cable_sim import Scene, Sheave, Simulator, load_scene

SCENE = "tower_12t_4falls_hanging"
SHARE = 0.5
"""Of the drives' largest speeds."""
H = 1e-3
FINER = 8
SETTLING = 1000
STEPS = 2000
"""Step [s], how many times finer the run is that it is held against, steps before the clock runs
and while it does."""
ERROR = "error of the load [mm]"
MOST = 100.0
"""Of that [mm]: the load goes at about a metre per second."""


class Ours:
    """The crane here; drives run at ``share`` of their largest speeds."""

    def __init__(self, scene: Scene, h: float, share: float = SHARE) -> None:
        self.simulator = Simulator(scene, dt=h)
        for drive in scene.drives:
            self.simulator.command(drive.name, share * drive.max_speed, "speed")

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


def remove_losses(scene: Scene) -> Scene:
    """The crane with sheaves that pass all tension on, in no air."""
    cables = [
        replace(
            cable,
            nodes=tuple(
                replace(node, efficiency=1.0) if isinstance(node, Sheave) else node
                for node in cable.nodes
            ),
        )
        for cable in scene.cables
    ]
    bodies = [replace(body, drag=()) for body in scene.bodies]
    return replace(scene, bodies=tuple(bodies), cables=tuple(cables))


def enter() -> list[Entry | Absent]:
    """Ours, and those of both engines."""
    scene = load_scene(SCENE)
    found: list[Entry | Absent] = [
        _entry(
            OURS,
            "one elastic rope, no losses at sheaves, no air",
            lambda h: Ours(remove_losses(scene), h),
        ),
        _entry(OURS, "the same with losses and air", lambda h: Ours(scene, h)),
    ]
    if is_there("MuJoCo"):
        from benchmarks.mujoco_crane import MujocoCrane

        found.append(
            _entry(
                "MuJoCo",
                "spatial tendons, implicitfast",
                lambda h: MujocoCrane(scene, SHARE, h),
                leads=True,
            )
        )
    else:
        found.append(absent_engine("MuJoCo"))
    if exudyn := engine("Exudyn", "exudyn_crane"):
        way = "reeving system, generalised alpha"
        found.append(_entry("Exudyn", way, lambda h: exudyn.ExudynCrane(scene, SHARE, h)))
    else:
        found.append(absent_engine("Exudyn"))
    why = "a crane needs rigid bodies, joints and drives: no plain loop"
    return [*found, *(Absent(name, why) for name in ("C++", "numpy"))]


def _entry(name: str, way: str, make: Callable[[float], Any], leads: bool = False) -> Entry:
    """A crane a second after its start; ``leads`` if its places at t are those of half a step
    later."""
    crane = make(H)
    crane.advance(SETTLING)
    start = crane.save()

    def judge() -> dict[str, float]:
        coarse = make(H)
        fine = make(H / FINER)
        coarse.advance(SETTLING + STEPS)
        fine.advance(FINER * (SETTLING + STEPS))
        right = fine.load()
        if leads:  # half a step less half a fine one is between two places
            fine.advance(FINER // 2 - 1)
            right = fine.load()
            fine.advance(1)
            right = 0.5 * (right + fine.load())
        return {ERROR: 1e3 * float(np.linalg.norm(coarse.load() - right))}

    case = Case(lambda: crane.advance(STEPS), STEPS, lambda: crane.restore(start))
    return Entry(name, way, case, judge, {ERROR: MOST})


TEXT = """The tower crane of 12 t on four falls with a load in slings. Hoist, trolley and slewing run at half speed, with steps of
1 ms. *Equal*: bodies, inertias, joints, stiffness and damping of the ropes, geometry and speeds. The first line of
cable_sim is without losses at sheaves and without air, because the others have neither; the second line is the full crane.
At rest the three loads agree within 2 mm. *Not equal*: the ropes of the others have no torsion. Their drives are servos
that creep under load and start without a ramp, in Exudyn with unlimited effort. So the loads do not reach the same place,
and each error is relative to the engine's own run with a step an eighth as long. cable_sim and MuJoCo look for contacts;
there are none while the load hangs."""

CRANE = Comparison(
    "crane",
    "Step of the tower crane",
    "us a step",
    1e6,
    TEXT,
    enter,
    lambda results: [
        *best_ratios(costs(results)),
        *best_ratios(errors(results, ERROR, 1e-4, "error with the same step")),
    ],
)
