"""The broken end of a rope that has mass, for scenario 10: a hybrid wire with a load on it is cut.

Under the tension T it was strained by T / EA. The cut sends a wave up with c = sqrt(EA / m'), m'
its mass per length. Behind it the strain is gone, and the rope goes up with v = c T / EA = T /
sqrt(EA m').
"""

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Anchor, Body, Cable, Hybrid, Scene
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.tower import hoist_rope
from validation.harness import Finding, Picture, Progress, Quantity, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

PULL = 30e3
LENGTH = 40.0
CUT = 30.0
"""Weight of what hangs on the wire [N]; its length, and the place of the cut below its upper end
[m]."""
MASSES = 40
STEP = 2e-4
SEEN = 12e-3
"""Masses of the wire; step, and time that is looked at [s]."""
FRONT = 0.5
"""Share of the speed behind the wave, at which the wave is taken to be [-]."""


class Snapped(NamedTuple):
    """Times since the cut (n,) [s], speeds upward (n, m) [m/s] of the masses above it, and their
    distance from it (m,) [m]."""

    time: Array
    speed: Array
    distance: Array


@cache
def snap_rope() -> Snapped:
    """Hang a load on the tower crane's rope, and cut it."""
    rope = hoist_rope()
    low = -LENGTH * (1.0 + PULL / rope.ea)
    load = Body("load", PULL / GRAVITY, (1e3, 1e3, 1e3), position=(0.0, 0.0, low))
    made = Hybrid(most=MASSES, least=MASSES, damping=0.0)
    wire = Cable("wire", (Anchor("world"), Anchor("load")), rope=rope, length=LENGTH, hybrid=made)
    simulator = Simulator(Scene(name="cut_wire", bodies=(load,), cables=(wire,)), dt=STEP)
    simulator.step(500)
    simulator.cut("wire", CUT)
    simulator.step()
    heights = []
    for _ in range(round(SEEN / STEP)):
        seen = simulator.observe().cable("wire")
        heights.append(seen.curve[1 : seen.severed[0], 2])
        simulator.step()
    height = np.array(heights)
    time = STEP * (0.5 + np.arange(1.0, len(height)))
    return Snapped(time, np.diff(height, axis=0) / STEP, height[0] + CUT * (1.0 + PULL / rope.ea))


def snap(progress: Progress) -> Result:
    """A massless rope that breaks is simply gone. Here the tower crane's rope is a hybrid wire of
    forty masses, 3 t hang on 40 m of it, and it is cut 10 m above them: its upper end whips up."""
    progress(0.0)
    run = snap_rope()
    rope = hoist_rope()
    tension = PULL + rope.mass_per_metre * GRAVITY * (LENGTH - CUT)
    speed = tension / math.sqrt(rope.ea * rope.mass_per_metre)
    near, far = (int(np.abs(run.distance - share * CUT).argmin()) for share in (0.25, 0.75))
    passes = [float(np.interp(FRONT * speed, run.speed[:, mass], run.time)) for mass in (near, far)]
    wave = float(run.distance[far] - run.distance[near]) / (passes[1] - passes[0])
    arrives = CUT / rope.wave_speed
    whole = float(np.median(run.speed[np.searchsorted(run.time, arrives)]))
    found: list[Finding] = [
        Quantity("speed of the rope behind the wave", None, speed, whole, 0.02, "m/s"),
        Quantity("speed of the wave", None, rope.wave_speed, wave, 0.03, "m/s"),
    ]
    caption = (
        "Speed of the rope above a cut; each line is one of its masses, blue near the cut, "
        "red near the top."
    )
    return Result(found, [Picture("broken_end", caption, lambda: draw(run))])


def draw(run: Snapped) -> "Figure":
    """Speeds over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.4))
    axes = figure.subplots()
    for speed, distance in zip(run.speed.T[::-4], run.distance[::-4], strict=True):
        share = min(max(float(distance) / CUT, 0.0), 1.0)
        axes.plot(1e3 * run.time, speed, color=(0.8 * share, 0.3, 0.8 * (1.0 - share)))
    axes.set(xlabel="time since the cut [ms]", ylabel="speed upward [m/s]")
    return figure
