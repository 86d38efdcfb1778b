"""The only rope of a tower crane breaks, for scenario 10.

Block and load fall with g. The jib is a hinge with a spring k and the inertia I behind it: it had
sagged by M / k under their moment M, and now goes up from there to as far beyond its new rest,
times exp(-pi zeta' / sqrt(1 - zeta'^2)), with the damping ratio zeta' of what is left on it.
"""

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes import load_crane
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.tower import block_mass
from validation.harness import Finding, Picture, Progress, Quantity, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

RADIUS = 40.0
LOAD = 5000.0
"""Radius [m] and mass [kg] of the load."""
JIB = 70.0
"""Radius of the jib's tip [m]: the end of the chart."""
WITHIN = 0.01


class Dropped(NamedTuple):
    """Samples since the break: time [s]; height of hook block and load [m]; rise of the jib's tip
    [m]."""

    time: Array
    block: Array
    load: Array
    tip: Array


@cache
def drop_load() -> Dropped:
    """Break the rope of a tower crane whose steel is soft."""
    machine = Machine(
        load_crane(
            "tower_12t",
            {
                "rig.start.state": "hanging",
                "rig.start.radius": RADIUS,
                "rig.start.hook_depth": 30.0,
                "rig.load.mass": LOAD,
                "crane.structure.mode": "soft",
                "site.platforms": (),
            },
        ),
        dt=1e-3,
        substeps=2,
    )
    while machine.time < 0.5:
        seen = machine.tick()
    machine.faults.inject(Fault("rope_break", "hoist_rope"))
    begin = machine.time
    samples = []
    while machine.time - begin < 6.0:
        seen = machine.tick()
        height = [float(seen.body(name).position[2]) for name in ("hook_block", "load")]
        rise = JIB * math.sin(seen.joint("jib_pitch").position)
        samples.append((machine.time - begin, *height, rise))
    return Dropped(*np.array(samples).T)


class Recoil(NamedTuple):
    """First rise of the jib's tip [m], and when [s]."""

    rise: float
    when: float


def recoil() -> Recoil:
    """Return the recoil from the crane's file; see the head of this one."""
    parts = load_crane("tower_12t", {"crane.structure.mode": "soft"}).details.parts
    pitch = parts["jib"].joint
    left = parts["jib"].inertia[1] + parts["trolley"].mass * RADIUS**2
    stiffness = pitch.stiffness
    ratio = pitch.damping / (2.0 * math.sqrt(stiffness * left))
    damped = math.sqrt(1.0 - ratio**2)
    sag = (block_mass() + LOAD) * GRAVITY * RADIUS / stiffness
    over = math.exp(-math.pi * ratio / damped)
    return Recoil(
        JIB * math.sin(sag * (1.0 + over)), math.pi / (math.sqrt(stiffness / left) * damped)
    )


def break_only_rope(progress: Progress) -> Result:
    """5 t hang at 40 m on two falls as the rope breaks. The steel of this crane is soft: the jib
    pitches."""
    progress(0.0)
    run = drop_load()
    known = recoil()
    first = run.time <= 1.0
    top = int(run.tip.argmax())
    fits = [
        2.0 * float(np.polyfit(run.time[first], height[first], 2)[0])
        for height in (run.block, run.load)
    ]
    found: list[Finding] = [
        Quantity(f"acceleration of the {name}, downward", None, GRAVITY, -fit, WITHIN, "m/s^2")
        for name, fit in zip(("hook block", "load"), fits, strict=True)
    ]
    found += [
        Quantity("first rise of the jib's tip", None, known.rise, float(run.tip[top]), 0.02, "m"),
        Quantity("when it is highest", None, known.when, float(run.time[top]), 0.02, "s"),
    ]
    caption = "Fall of hook block and load, and recoil of the jib's tip."
    return Result(found, [Picture("dropped_load", caption, lambda: draw_fall(run))])


def draw_fall(run: Dropped) -> "Figure":
    """Heights, and the jib's tip."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 3.2))
    left, right = figure.subplots(1, 2)
    left.plot(run.time, run.block, label="hook block")
    left.plot(run.time, run.load, label="load")
    left.set(xlabel="time [s]", ylabel="height [m]")
    left.legend()
    right.plot(run.time, run.tip)
    right.set(xlabel="time [s]", ylabel="rise of the jib's tip [m]")
    return figure
