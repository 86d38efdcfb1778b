"""Scenes at rest with the closed form of all their tensions: weights in a row, loads on slings, a
jib that a rope holds.

Nothing moves, so every rope has its tension in every step, at any step and with both steppers.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from benchmarks.fuzz.checks import Outcome
from benchmarks.fuzz.scenes import Case, Draw
from cable_sim import Anchor, Body, Box, Cable, Joint, Scene, Simulator, Sphere
from cable_sim.errors import CableSimError

STEPS = (2.5e-4, 1e-3, 5e-3, 1e-2, 1.0 / 60.0)
"""Steps of the simulator [s]."""
STEPPERS = ("spook", "regularised")
GRAVITY = 9.81
"""Gravity of a scene that does not say it [m/s^2]."""
TOLERANCE = 1e-6
"""Largest error of a tension [-]."""


class Resting(NamedTuple):
    """A case at rest, and the tension of each of its ropes [N].

    Ropes of ``shared`` are more than statics determines: their mean has the tension.
    """

    case: Case
    tensions: dict[str, float]
    shared: tuple[str, ...] = ()


def resting(seed: int) -> Resting:
    """Return the scene at rest of a seed; steps and steppers take turns."""
    draw = Draw(seed)
    scene, tensions, shared = draw.choose(_weights, _slings, _jib)(draw)
    stepper = STEPPERS[seed // len(STEPS) % len(STEPPERS)]
    return Resting(Case(scene, STEPS[seed % len(STEPS)], stepper), tensions, shared)


def examine_rest(rest: Resting, steps: int) -> Outcome:
    """Return the symptom ``rest`` of a tension that is off in any of so many steps."""
    case = rest.case
    try:
        simulator = Simulator(case.scene, dt=case.dt, stepper=case.stepper)
        for step in range(steps):
            status = simulator.step().status
            off, rope = max(errors(simulator, rest))
            if not off <= TOLERANCE:
                detail = f"rest: tension of {rope} off by {off:.3g} of itself at step {step + 1}"
                return Outcome(frozenset({("rest", False)}), "ran", status, detail)
    except CableSimError as error:
        return Outcome(frozenset({("rest", False)}), "stopped", detail=str(error))
    return Outcome()


def errors(simulator: Simulator, rest: Resting) -> list[tuple[float, str]]:
    """Return the error of each tension, as a part of itself, with the name of its rope."""
    found = {name: float(simulator.cables[name].tension) for name in rest.tensions}
    if rest.shared:
        found |= dict.fromkeys(
            rest.shared, sum(found[name] for name in rest.shared) / len(rest.shared)
        )
    return [(abs(found[name] / right - 1.0), name) for name, right in rest.tensions.items()]


Scenery = tuple[Scene, dict[str, float], tuple[str, ...]]


def _rope(draw: Draw, name: str, nodes: tuple[Any, Any], tension: float) -> Cable:
    """A rope at rest: inextensible, or elastic and as long as its tension makes it."""
    if draw.chance(0.5):
        return Cable(name, nodes)
    return _elastic_rope(draw, name, nodes, tension)


def _elastic_rope(draw: Draw, name: str, nodes: tuple[Any, Any], tension: float) -> Cable:
    stiffness = tension * draw.scale(30.0, 3000.0)
    damping = draw.choose(0.0, 0.1)
    return Cable(name, nodes, ea=stiffness, damping_ratio=damping, pretension=tension)


def _weights(draw: Draw) -> Scenery:
    """Two to ten weights in a row, each on a rope from the one above."""
    count = draw.choose(*range(2, 11))
    masses = [draw.scale(1.0, 5000.0) for _ in range(count)]
    heights = -np.cumsum([draw.vary(0.5, 9.0) for _ in range(count)])
    names = [f"weight_{i}" for i in range(count)]
    bodies = [
        Body(name, mass, shape=Sphere(0.1), position=(0.0, 0.0, float(z)))
        for name, mass, z in zip(names, masses, heights, strict=True)
    ]
    tensions = {f"rope_{i}": GRAVITY * sum(masses[i:]) for i in range(count)}
    above = ["world", *names]
    cables = [
        _rope(draw, rope, (Anchor(above[i]), Anchor(names[i])), tension)
        for i, (rope, tension) in enumerate(tensions.items())
    ]
    return Scene(bodies=tuple(bodies), cables=tuple(cables)), tensions, ()


def _slings(draw: Draw) -> Scenery:
    """A load on two to four slings of the same kind, on a hook, on a rope."""
    count = draw.choose(2, 3, 4)
    mass, hook_mass = draw.vary(100.0, 5000.0), draw.vary(20.0, 400.0)
    radius, height = draw.vary(0.5, 3.0), draw.vary(1.0, 4.0)
    load = Body("load", mass, shape=Box(2.0, 2.0, 1.0), position=(0.0, 0.0, -10.5 - height))
    hook = Body("hook", hook_mass, shape=Sphere(0.2), position=(0.0, 0.0, -10.0))
    pull = mass * GRAVITY * math.hypot(radius, height) / (height * count)
    names = [f"sling_{i}" for i in range(count)]
    turn = draw.vary(0.0, math.pi)
    elastic = draw.chance(0.5)
    damping, stiffness = draw.choose(0.0, 0.1), pull * draw.scale(30.0, 3000.0)
    fields = {"ea": stiffness, "damping_ratio": damping, "pretension": pull} if elastic else {}
    cables = [_rope(draw, "hoist", (Anchor("world"), Anchor("hook")), (mass + hook_mass) * GRAVITY)]
    for i, name in enumerate(names):
        angle = turn + 2.0 * math.pi * i / count
        place = (radius * math.cos(angle), radius * math.sin(angle), 0.5)
        cables.append(Cable(name, (Anchor("hook"), Anchor("load", place)), **fields))
    tensions = {"hoist": (mass + hook_mass) * GRAVITY} | dict.fromkeys(names, pull)
    scene = Scene(bodies=(load, hook), cables=tuple(cables))
    return scene, tensions, tuple(names) if count == 4 and not elastic else ()


def _jib(draw: Draw) -> Scenery:
    """A jib on a hinge, held by a luffing rope from a mast, with a load on a hook."""
    angle, length = math.radians(draw.vary(5.0, 75.0)), draw.vary(5.0, 60.0)
    mass, load, hook = draw.scale(100.0, 2e4), draw.scale(100.0, 2e4), draw.vary(20.0, 500.0)
    tip = length * np.array((math.cos(angle), 0.0, math.sin(angle)))
    mast = np.array((-draw.vary(2.0, 6.0), 0.0, draw.vary(6.0, 15.0)))
    middle = 0.5 * tip
    way = (mast - middle) / np.linalg.norm(mast - middle)
    luff = float(GRAVITY * (mass * middle[0] + (load + hook) * tip[0]) / -np.cross(middle, way)[1])
    beam = mass * length**2 / 12.0
    turned = (math.cos(0.5 * angle), 0.0, -math.sin(0.5 * angle), 0.0)
    drop = draw.vary(2.0, 6.0)
    place = {name: (float(tip[0]), 0.0, float(tip[2]) - n * drop) for n, name in enumerate("?hl")}
    bodies = (
        Body("jib", mass, (0.1 * beam, beam, beam), position=tuple(middle), orientation=turned),
        Body("hook", hook, shape=Sphere(0.2), position=place["h"]),
        Body("load", load, shape=Sphere(0.5), position=place["l"]),
    )
    tensions = {"luff": luff, "hoist": (load + hook) * GRAVITY, "sling": load * GRAVITY}
    ends = {
        "luff": (Anchor("world", tuple(mast)), Anchor("jib")),
        "hoist": (Anchor("jib", (0.5 * length, 0.0, 0.0)), Anchor("hook")),
        "sling": (Anchor("hook"), Anchor("load")),
    }
    cables = tuple(_rope(draw, name, ends[name], tensions[name]) for name in ends)
    joints = (Joint("heel", "hinge", "jib", axis=(0.0, 1.0, 0.0)),)
    return Scene(bodies=bodies, joints=joints, cables=cables), tensions, ()
