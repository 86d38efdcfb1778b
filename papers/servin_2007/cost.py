"""Section 5.2: what a cable over n bodies costs, beside the same cable as a chain of rods on ball
joints."""

import math
from dataclasses import replace
from functools import partial

from cable_sim import Anchor, Body, Cable, Eye, Joint, Scene, Simulator, Sphere, load_scene
from cable_sim.spec import Cylinder
from validation.harness import Picture, Progress, Quantity, Reading, Result
from validation.harness.timing import draw_times, step_time

COUNTS = (2, 5, 10, 20, 50, 100)
"""Bodies on the cable."""
RODS = 10
"""Rods between two of them when the cable is a chain."""
WEIGHT, ROD_MASS, ROD = 10.0, 0.01, 0.1
"""Mass of a body, and mass and length of a rod [kg, kg, m]: a light cable under heavy bodies."""
STEP = 1e-3
"""What a step costs does not depend on its length [s]."""
WORK = 2_000
"""Bodies times steps of one timed call."""


def massless(n: int) -> Scene:
    """n balls in a row on one cable with stretch and twist, held by nothing else."""
    span = RODS * ROD
    names = [f"ball_{i}" for i in range(n)]
    return Scene(
        name="massless_cable",
        bodies=tuple(
            Body(name, WEIGHT, shape=Sphere(0.02), position=_place(i, span))
            for i, name in enumerate(names)
        ),
        cables=(
            Cable(
                "cable",
                (Anchor(names[0]), *map(Eye, names[1:-1]), Anchor(names[-1])),
                stiffness=1e6,
                pretension=10.0,
                twist_stiffness=10.0,
            ),
        ),
        gravity=(0.0, 0.0, 0.0),
    )


def _place(i: int, span: float) -> tuple[float, float, float]:
    """A zigzag, so that the cable bends at every body [m]."""
    return (i * span * math.cos(0.1), (i % 2) * span * math.sin(0.1), 0.0)


def rods(n: int) -> Scene:
    """The same balls, with RODS rods on ball joints from each to the next."""
    lying = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
    span, bodies, joints = RODS * ROD, [], []
    for i in range(n):
        bodies.append(Body(f"ball_{i}", WEIGHT, shape=Sphere(0.02), position=(i * span, 0.0, 0.0)))
    for k in range(RODS * (n - 1)):
        at = ((k + 0.5) * ROD, 0.0, 0.0)
        bodies.append(
            Body(f"rod_{k}", ROD_MASS, shape=Cylinder(0.005, ROD), position=at, orientation=lying)
        )
        if k > 0:
            joints.append(
                Joint(f"joint_{k}", "ball", f"rod_{k}", f"rod_{k - 1}", point=(k * ROD, 0.0, 0.0))
            )
    for i in range(n):
        beside = f"rod_{min(RODS * i, RODS * (n - 1) - 1)}"
        joints.append(Joint(f"hold_{i}", "ball", f"ball_{i}", beside, point=(i * span, 0.0, 0.0)))
    return Scene(name="rods", bodies=tuple(bodies), joints=tuple(joints), gravity=(0.0, 0.0, 0.0))


KINDS = {"massless": massless, "chain of rods": rods}


def rows(scene: Scene) -> int:
    """Rows of the Schur complement of a step: those that took part."""
    simulator = Simulator(scene, dt=STEP)
    simulator.step()
    return simulator.rows


def dimensions(progress: Progress) -> Result:
    """Rows of the Schur complement: a massless cable adds two, one for stretch and one for twist,
    whatever the number of bodies on it. A chain of N rods, with n constraints to the bodies, adds 3
    (N - 1 + n).

    Here the chain has 10 rods from each body to the next. Counted are the rows that take part in a
    step.
    """
    found = []
    for n in progress.over(COUNTS):
        segments = RODS * (n - 1)
        found.append(
            Quantity(f"rows of a massless cable over {n} bodies", "2", 2.0, rows(massless(n)), 0.0)
        )
        found.append(
            Quantity(
                f"rows of a chain of rods along {n} bodies",
                None,
                3.0 * (segments - 1 + n),
                rows(rods(n)),
                0.0,
            )
        )
    crane = load_scene("chain", n=10)
    cable = Cable(
        "cable",
        (Anchor("world"), Anchor("rod_10", (0.0, 0.0, 0.25))),
        stiffness=1e6,
        twist_stiffness=10.0,
        pulls_only=False,
    )
    added = rows(_with(crane, cable)) - rows(crane)
    found.append(
        Quantity("rows that a massless cable adds to a jointed system", "2", 2.0, added, 0.0)
    )
    return Result(found)


def _with(scene: Scene, cable: Cable) -> Scene:
    """The scene with one more cable."""
    return replace(scene, cables=(*scene.cables, cable))


def timings(progress: Progress) -> Result:
    """Time of a step on this machine. The paper gives no timings, because a massless cable costs
    next to nothing: what grows with the number of bodies is the bodies' own motion. The chain stays
        affordable, too, because the solver's
    elimination order keeps its matrix narrow; its rods are what is paid for.
    """
    scenes = {(kind, n): build(n) for n in COUNTS for kind, build in KINDS.items()}
    taken = {
        case: step_time(scene, STEP, max(20, WORK // len(scene.bodies)))
        for case, scene in zip(progress.over(scenes), scenes.values(), strict=True)
    }
    found = [
        Reading(f"time of a step, {kind}, {n} bodies", 1e6 * seconds, "us")
        for (kind, n), seconds in taken.items()
    ]
    caption = "Section 5.2. Time of a step over the number of bodies on the cable, on this machine."
    return Result(
        found, [Picture("cost", caption, partial(draw_times, taken, COUNTS, "bodies on the cable"))]
    )
