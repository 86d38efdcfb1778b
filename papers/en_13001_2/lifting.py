"""Largest force on a load that is lifted off the ground, over its weight: tower_12t beside classes.

Source: phi = phi_min + beta v, v the hoisting speed. A class is a design value, with which
standards sum up what was measured on many cranes; it is no measurement of one.
"""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cable_sim import Machine, load_crane
from cable_sim.spec.scene import GRAVITY
from validation.harness import Finding, Picture, Progress, Result, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASSES = {"HC1": (1.05, 0.17), "HC2": (1.10, 0.34), "HC3": (1.15, 0.51), "HC4": (1.20, 0.68)}
"""Smallest factor [-], and its growth with the hoisting speed [s/m]."""
LOAD, RADIUS = 6000.0, 37.8
"""Mass [kg] and radius [m]."""
SPEEDS = 0.3, 0.614
"""Of the hook, the faster one by the rated power [m/s]."""
STRUCTURES = {"rigid": "HC3", "flexible": "HC2"}
"""Classes whose factor holds for the crane with this structure."""
AFTER, AT_MOST = 3.0, 20.0
"""Observed time once the slings carry the load; and of all [s]."""
H, SUBSTEPS = 1e-3, 2


def factor_of(name: str, speed: float) -> float:
    """Return a class's factor [-] at a hoisting speed [m/s]."""
    smallest, growth = CLASSES[name]
    return smallest + growth * speed


@cache
def lift(structure: str, speed: float) -> float:
    """Return the slings' largest vertical force over the load's weight [-]; ``speed`` in m/s."""
    crane = load_crane(
        "tower_12t",
        {
            "rig.load.mass": LOAD,
            "rig.start.radius": RADIUS,
            "rig.start.state": "on_ground",
            "crane.structure.mode": structure,
        },
    )
    machine = Machine(crane, dt=H, substeps=SUBSTEPS)
    slings = [name for name in machine.simulator.cables if name.startswith("sling")]
    forces, end = [0.0], AT_MOST
    while machine.time < end:
        machine.command("hoist", -speed)
        seen = machine.tick()
        held = sum(abs(seen.cable(name).node_force[1, 2]) for name in slings)
        forces.append(held / (LOAD * GRAVITY))
        if end == AT_MOST and forces[-1] > 1.0:
            end = machine.time + AFTER
    return float(np.max(forces))


def classes(progress: Progress) -> Result:
    """A load of 6 t stands on the ground at a radius of 37.8 m, its slings almost straight. The
    hoist starts, and the load leaves the ground at full speed. The factor is the slings' largest
    force over its weight.

    With rigid steel the crane is below class HC3, with mast and jib that bend below HC2: the
    steel gives way too, and takes half of the bounce. Losses of sheaves and the drive's ramp are
    the crane's own.
    """
    found: list[Finding] = []
    for structure, name in progress.over(STRUCTURES.items()):
        for speed in SPEEDS:
            title = f"{structure}, {speed:g} m/s, below {name}"
            found.append(at_most(title, factor_of(name, speed), lift(structure, speed)))
    caption = "Factor over the hoisting speed: classes as lines, tower_12t as points."
    return Result(found, [Picture("classes", caption, draw)])


def draw() -> "Figure":
    """Factors over the hoisting speed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(xlabel="hoisting speed [m/s]", ylabel="factor")
    line = np.array([0.0, 0.7])
    for name in CLASSES:
        axes.plot(line, factor_of(name, line), lw=1, label=name)
    for structure, mark in zip(STRUCTURES, "ox", strict=True):
        axes.plot(SPEEDS, [lift(structure, speed) for speed in SPEEDS], mark, label=structure)
    axes.legend(ncol=2)
    return figure
