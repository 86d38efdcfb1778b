"""Simulation results: what a step of the mixed model costs, beside chains of bodies with as many
points."""

from functools import partial

from cable_sim import Anchor, Body, Cable, Scene, Sphere, load_scene
from cable_sim.spec import Elevation
from validation.harness import Picture, Progress, Reading, Result
from validation.harness.timing import draw_times, step_time

COUNTS = (10, 25, 30, 50, 100, 200)
"""Intervals of the span, and bodies of the chains. The paper's chain lost real time at 25 to 30."""
STEP = 1e-4
"""What a step costs does not depend on its length [s]."""
WORK = 20_000
"""Bodies times steps of one timed call."""
LOAD = 200.0
"""At the end of the cable and of the chain of balls [kg]."""


def mixed(n: int) -> Scene:
    """A load on one span of n intervals."""
    nodes = (Anchor("world"), Anchor("load"))
    return Scene(
        name="mixed",
        bodies=(Body("load", LOAD, shape=Sphere(0.2), position=(4.0, 0.0, -20.0)),),
        cables=(
            Cable(
                "rope",
                nodes,
                ea=1e7,
                pretension=LOAD * 9.81,
                elevation=Elevation(1.0, n + 1, planar=True),
            ),
        ),
    )


def rods(n: int) -> Scene:
    """n rods on ball joints, held at one end."""
    return load_scene("chain", n=n, length=20.0 / n, mass=20.0 / n)


def balls(n: int) -> Scene:
    """n balls, each on a stiff massless cable to the one before, the last as heavy as the load."""
    piece = 20.0 / n
    names = ["world", *(f"ball_{i}" for i in range(1, n + 1))]
    places = [(0.0, 0.0, -piece * i) for i in range(n + 1)]
    masses = [LOAD if i == n else piece for i in range(1, n + 1)]
    return Scene(
        name="balls",
        bodies=tuple(
            Body(name, mass, shape=Sphere(0.02), position=place)
            for name, mass, place in zip(names[1:], masses, places[1:], strict=True)
        ),
        cables=tuple(
            Cable(f"piece_{i + 1}", (Anchor(a), Anchor(b)), ea=1e7, pretension=LOAD * 9.81)
            for i, (a, b) in enumerate(zip(names, names[1:], strict=False))
        ),
    )


KINDS = {"mixed model": mixed, "chain of rods": rods, "chain of balls": balls}


def timings(progress: Progress) -> Result:
    """Time of a step on this machine: one span of n intervals with a load, beside n rods on ball
    joints and n balls on stiff massless cables.

    The paper found its chain, in the augmented formulation, 10 to 50 times dearer than the mixed
    model, and too slow for real time at 25 to 30 bodies. Here the chains are solved in an order
    that keeps their matrix narrow, so they stay affordable; and the mixed model's points cost next
    to nothing.
    """
    taken = {}
    for kind, build in KINDS.items():
        for n in COUNTS:
            taken[kind, n] = step_time(
                build(n), STEP, max(50, WORK // n if kind != "mixed model" else WORK)
            )
            progress(len(taken) / (len(KINDS) * len(COUNTS)))
    found = [
        Reading(f"time of a step, {kind}, {n}", 1e6 * seconds, "us")
        for (kind, n), seconds in taken.items()
    ]
    for kind in list(KINDS)[1:]:
        for n in COUNTS:
            ratio = taken[kind, n] / taken["mixed model", n]
            found.append(
                Reading(f"cost of a {kind} over the mixed model's, {n}", ratio, "", "10 to 50")
            )
    caption = "Time of a step over the number of intervals or bodies, on this machine."
    return Result(
        found, [Picture("cost", caption, partial(draw_times, taken, COUNTS, "intervals or bodies"))]
    )
