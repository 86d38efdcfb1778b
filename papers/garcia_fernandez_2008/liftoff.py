"""Figure 9: the hook stays on the platform until the winch has taken up the sag of the level
rope."""

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator
from validation.harness import Finding, Picture, Progress, Quantity, Result, Statement, at_most

from .lift import (
    DENSITIES,
    HOOK,
    POINTS,
    G,
    catenary_needed,
    lift_system,
    lifting_tension,
    rope_needed,
    spans,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H, SAMPLE = 1e-3, 5
"""Step [s], and steps between two looks."""
SLACK = 1500.0
"""Tension of the rope while the hook lies on the platform [N]: a sag of 5 % of the span at 3
kg/m."""
SPEED = 0.02
"""Of the winch [m/s]: the longest string period is 2 s, taking the rope in takes 9 s and more."""
OWN, CATENARY = 0.02, 0.1
"""Tolerances: of the model's own statics, which leaves out what is dynamic, and of the true
curve."""

Array = NDArray[np.float64]


class Lift(NamedTuple):
    """Samples [s, N, m, m] from the start of hoisting until lift-off, and the rope's curve at both
    instants [m]."""

    time: Array
    tension: Array
    taken_in: Array
    height: Array
    before: Array
    after: Array

    @property
    def delay(self) -> float:
        """From the start of hoisting to lift-off [s]."""
        return float(self.time[-1])


@cache
def hoisted(density: float, speed: float = SPEED) -> Lift:
    """Hoist from rest until the platform carries nothing any more."""
    simulator = Simulator(lift_system(density, pretension=SLACK, hoist=True), dt=H)
    simulator.step(100)
    start = simulator.observe()
    rope, floor, rows = start.cable("rope"), start.body("hook").position[2], []
    simulator.command("hoist", -speed)
    while simulator.time < start.time + 1.0 / speed:  # a metre
        simulator.step(SAMPLE)
        seen = simulator.observe()
        now, hook = seen.cable("rope"), seen.body("hook")
        rows.append(
            (
                seen.time - start.time,
                now.tension,
                rope.length_paid_out - now.length_paid_out,
                hook.position[2] - floor,
            )
        )
        if hook.contact_force[2] <= 0.0:
            break
    return Lift(*np.array(rows).T, rope.curve, seen.cable("rope").curve)


def model_rope(density: float) -> float:
    """What the winch takes in until the falls carry the hook [m], by the model's statics."""
    return rope_needed(SLACK, density) - rope_needed(lifting_tension(density), density)


def catenary_rope(density: float) -> float:
    """The same with elastic catenaries and the weight of the falls [m]."""
    fall = spans()[1]
    below = HOOK * G / (2.0 * math.sqrt(1.0 - fall.cosine**2))
    weight = density * G * math.sqrt(1.0 - fall.cosine**2) * fall.chord
    return catenary_needed(SLACK, density) - catenary_needed(below + weight, density)


def figure_9(progress: Progress) -> Result:
    """The hook lies on the platform, the rope sags under a tension of 1500 N, and the winch begins
    to take it in. First the sag goes and the rope stretches; the hook leaves the platform when the
    two falls carry it.

    The model's statics: under the tension T every span is a polygon on the parabola rho g' l^2 /
    8T, the rope needed is the length of all polygons over 1 + T / EA, and the difference between
    two tensions is what the winch takes in. The
    true rope: elastic catenaries between level supports, and a tension that grows along the falls
        by their weight. Both
    begin with the same tension at the trolley.

    The winch runs at 2 cm/s, slow against the strings, whose period is 2 s at the start and less
    later; at half of that the rope taken in is the same. A massless rope stretches, but has no sag
    to take up: no other model of the time shows this delay, says the paper, which gives no numbers.
    """
    found: list[Finding] = []
    for density in progress.over(DENSITIES):
        lift, tag = hoisted(density), f"{density:g} kg/m"
        theory = model_rope(density) / SPEED
        found.append(
            Quantity(
                f"delay until lift-off, {tag}", None, theory, lift.delay, OWN, "s", "model at rest"
            )
        )
        exact = catenary_rope(density) / SPEED
        found.append(
            Quantity(f"delay against catenaries, {tag}", None, exact, lift.delay, CATENARY, "s")
        )
    massless = hoisted(0.0)
    for density in DENSITIES[1:]:
        added = (model_rope(density) - model_rope(0.0)) / SPEED
        ours = hoisted(density).delay - massless.delay
        name = f"delay that sag adds, {density:g} kg/m"
        # a density's own part is small beside the stretch, and a look every 5 ms is coarse beside
        # it
        found.append(Quantity(name, None, added, ours, OWN + 2.0 * SAMPLE * H / added, "s"))
    found += _slow_enough()
    caption = (
        "Figure 9. Left: the level rope from the drum to the trolley when hoisting begins and at "
        "lift-off (dashed). "
        "Right: tension until the hook leaves the platform; dotted: when the model at rest says so."
    )
    return Result(found, [Picture("figure_9", caption, _draw)])


def _slow_enough() -> list[Finding]:
    """Half the speed, the order of the delays, and that the hook stays where it is."""
    heaviest = DENSITIES[-1]
    fast, slow = hoisted(heaviest), hoisted(heaviest, 0.5 * SPEED)
    change = abs(slow.taken_in[-1] / fast.taken_in[-1] - 1.0)
    delays = [hoisted(density).delay for density in DENSITIES]
    rise = max(float(np.abs(hoisted(density).height).max()) for density in DENSITIES)
    return [
        at_most(
            "change of the rope taken in at half the speed, 3 kg/m",
            0.01,
            float(change),
            "",
            "relative",
        ),
        Statement(
            "a heavier rope lifts later",
            "every delay is longer than the one before",
            bool(np.all(np.diff(delays) > 0.0)),
            ", ".join(f"{delay:.2f}" for delay in delays) + " s",
        ),
        at_most(
            "largest motion of the hook before lift-off",
            5e-4,
            rise,
            "m",
            "of the platform, which yields",
        ),
    ]


def _draw() -> "Figure":
    """Curves before and after, and the tensions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 3.8))
    sag, pull = figure.subplots(1, 2)
    for color, density in enumerate(DENSITIES):
        lift, style = hoisted(density), {"color": f"C{color}"}
        level = slice(POINTS) if density else slice(2)
        sag.plot(lift.before[level, 0], lift.before[level, 2], label=f"{density:g} kg/m", **style)
        sag.plot(lift.after[level, 0], lift.after[level, 2], "--", **style)
        pull.plot(lift.time, 1e-3 * lift.tension, **style)
        pull.axvline(model_rope(density) / SPEED, linestyle=":", linewidth=0.9, **style)
    sag.set_xlabel("x [m]")
    sag.set_ylabel("height against the jib [m]")
    figure.legend(*sag.get_legend_handles_labels(), loc="outside upper center", ncols=5)
    pull.set_xlabel("time since the start of hoisting [s]")
    pull.set_ylabel("tension [kN]")
    pull.margins(x=0.0)
    return figure
