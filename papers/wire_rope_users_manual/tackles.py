"""Tackles that haul a load up: the pull that sheaves with losses ask for.

Sources: page 88 of the Wire Rope Users Manual (easymanua.ls, Terex RT700, page 272): lead line
factor 0.309 of four parts on plain bearings, times 1.09 for each further sheave, so 0.367 and 2202
lb for 6000 lb with two; McAllister, Pipeline Rules of Thumb Handbook: advantage 3.25 with 0.917 a
sheave. Setnicka's figures of 1977 were read on github.com/tymadsen/fishproducts (tech/rescue.md),
which prints them as 1:.98, 2:.42 and 2:.79; they are taken as 1.98, 2.42 and 2.79.
"""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cable_sim import Anchor, Body, Box, Cable, Drive, Joint, Scene, Sheave, Simulator, Winch
from cable_sim.spec.scene import GRAVITY
from validation.harness import Measurement, Picture, Progress, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAIN = 1.0 / 1.09
"""Efficiency of a sheave on plain bearings [-]: each multiplies the pull by 1.09."""
LOAD = 6000 * 0.45359237
"""Weight of the printed example, 6000 lb, as a mass [kg]."""
PRINTED = 5e-3
"""Of factors printed with three digits, from sheaves of 0.917 [-]."""
HAULED = ((0.66, "1.98"), (0.75, "2.42"), (0.93, "2.79"))
"""Share that a pulley passes on [-], and advantage of a 3:1 system of two: carabiner, cheap pulley,
rescue pulley."""
SPEED, SECONDS, H = 0.05, 3.0, 1e-3
"""Of the rope [m/s], and of a run [s]; the second half of it is looked at."""


def tackle(falls: int, efficiency: float, leads: int) -> Scene:
    """A guided load on falls, hauled up by a rope that comes to them over ``leads`` wheels."""
    far, middle = (-6.0, 0.0, -8.0), 0.1 * falls
    nodes: list[Anchor | Sheave] = [Anchor("world", far if leads else (0.0, 0.0, 0.0))]
    nodes += [Sheave("world", (-2.0 * k, 0.0, 0.0), efficiency) for k in range(leads - 1, -1, -1)]
    for k in range(falls):
        x = 0.2 * (k + 1)
        down = k % 2 == 0
        body, place = ("load", (x - 0.1 - middle, 0.0, 0.5)) if down else ("world", (x, 0.0, 0.0))
        last = k == falls - 1
        nodes.append(Anchor(body, place) if last else Sheave(body, place, efficiency))
    load = Body("load", LOAD, shape=Box(1.0, 1.0, 1.0), position=(middle, 0.0, -20.0))
    rope = Cable(
        "rope",
        nodes,
        ea=2e7,
        damping_ratio=0.3,
        pretension=LOAD * GRAVITY / falls,
        winch=Winch("winch", mass=100.0),
    )
    return Scene(
        bodies=[load],
        joints=[Joint("guide", "prismatic", child="load")],
        cables=[rope],
        drives=[Drive("hoist", on="winch", target=-SPEED)],
    )


@cache
def pull(falls: int, efficiency: float, leads: int) -> float:
    """Return the pull at the winch over the load's weight [-] while it hauls."""
    simulator = Simulator(tackle(falls, efficiency, leads), dt=H)
    pulls = []
    for _ in range(round(SECONDS / 0.1)):
        simulator.step(round(0.1 / H))
        pulls.append(simulator.observe().cable("rope").span_tension[0])
    return float(np.mean(pulls[len(pulls) // 2 :])) / (LOAD * GRAVITY)


def lead_line(progress: Progress) -> Result:
    """A tackle of four parts, its rope led off over one or three sheaves on plain bearings, hauls
    up 6000 lb at a creep. Printed is the pull at the drum over the load. Ours is what the winch of
    a simulated tackle pulls.
    """
    progress.over(())
    one, three = pull(4, PLAIN, 1), pull(4, PLAIN, 3)
    pounds = LOAD / 0.45359237
    return Result(
        [
            Measurement("lead line factor of 4 parts", "0.309", one, PRINTED),
            Measurement("with two more lead sheaves", "0.367", three, PRINTED),
            Measurement("pull for 6000 lb", "2202", three * pounds, PRINTED, "lb"),
            Measurement("advantage of 4 parts", "3.25", 1.0 / one, PRINTED),
        ]
    )


def hauling(progress: Progress) -> Result:
    """A rescue team hauls with three parts over two pulleys, or over carabiners in their place. The
    shares that they pass on and the advantage are printed side by side, and are said to be of 1977.

    The best pulley agrees; the other two are 5 % off, in either direction. Two carabiners of 0.66
    can't make 1.98 by statics alone: 1 + 0.66 + 0.66^2 is 2.10.
    """
    found = []
    for share, printed in progress.over(HAULED):
        name = f"advantage with pulleys of {share:g}"
        ours = 1.0 / pull(3, share, 0)
        claimed = PRINTED if share > 0.9 else None
        note = "" if claimed else "printed shares and advantages do not fit one another"
        found.append(Measurement(name, printed, ours, claimed, "", note))
    caption = "Advantage of three parts over the share a pulley passes on: printed, and ours."
    return Result(found, [Picture("hauling", caption, draw)])


def draw() -> "Figure":
    """Advantage over the share."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(xlabel="share that a pulley passes on", ylabel="advantage")
    axes.plot([s for s, _ in HAULED], [float(text) for _, text in HAULED], "o", label="printed")
    shares = (*(share for share, _ in HAULED), 1.0)
    axes.plot(shares, [1.0 / pull(3, share, 0) for share in shares], label="ours")
    axes.legend()
    return figure
