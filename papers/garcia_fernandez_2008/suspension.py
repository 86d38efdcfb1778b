"""Section 4.1: where the explicit scheme would not be stable, a span is straightened: when, and at
what cost."""

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Anchor, Cable, Scene, Simulator
from cable_sim.sim.observation import Observation
from cable_sim.spec import Drive, Drum, Elevation, Winch
from validation.harness import (
    Finding,
    Picture,
    Progress,
    Quantity,
    Result,
    Statement,
    at_least,
    at_most,
)

from .lift import G

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DENSITY, LENGTH, POINTS, H = 1.0, 10.0, 33, 2e-3
"""Of a span: [kg/m, m, -], and the step [s]."""
LONG, SLOW, WINCH = 40.0, 8e-3, 1e-3
"""A string with more energy, a step with the same limit, and the speed of the winch [m, s, m/s]."""

Array = NDArray[np.float64]


def limit(length: float, points: int, h: float, density: float = DENSITY) -> float:
    """Tension from which on a span is straightened [N]: h M sqrt(T / rho) / l = sqrt(1 / 2)."""
    return 0.5 * density * (length / (h * (points - 1))) ** 2


def straight(tension: float, length: float, points: int) -> Scene:
    """A level span between fixed points, straight under its tension at the start."""
    nodes, ea = (Anchor("world"), Anchor("world", (length, 0.0, 0.0))), 1e12
    layer = Elevation(DENSITY, points, 0.0, "explicit")
    rope = Cable("rope", nodes, ea=ea, length=length / (1.0 + tension / ea), elevation=layer)
    return Scene(name="span", cables=(rope,))


def tightened(
    tension: float, scheme: Literal["explicit", "implicit"] = "explicit", rate: float = 0.0
) -> Scene:
    """A level span at rest in its sag, on a winch that takes it in with ``rate`` [m/s]."""
    nodes = (Drum("world"), Anchor("world", (LENGTH, 0.0, 0.0)))
    layer = Elevation(DENSITY, POINTS, 0.0, scheme)
    rope = Cable(
        "rope",
        nodes,
        ea=1e8,
        pretension=tension,
        elevation=layer,
        winch=Winch("winch", 100.0, rate=-rate),
    )
    return Scene(name="span", cables=(rope,), drives=(Drive("reel", "winch", target=-rate),))


def sagging(seen: Observation) -> bool:
    """Whether the span is not straight."""
    return bool(seen.cable("rope").curve[:, 2].min() < 0.0)


def threshold(length: float, points: int, h: float) -> float:
    """The tension from which on a straight span stays so in the first step [N], by halving."""
    low, high = 1.0, 1e9
    while high / low > 1.0 + 1e-5:
        middle = (low * high) ** 0.5
        simulator = Simulator(straight(middle, length, points), dt=h)
        simulator.step()
        low, high = (middle, high) if sagging(simulator.observe()) else (low, middle)
    return (low * high) ** 0.5


def stability(progress: Progress) -> Result:
    """The scheme of central differences is stable for k M sqrt(T / rho) / l <= 1, k the time step
    and M the intervals: the ratio of time step to grid step, where the paper prints its inverse.
    The paper stops at sqrt(1 / 2) of that, so a span is straight from T = rho (l / k M)^2 / 2 on.
    Measured is the tension from which on a straight span does not begin to sag in the first step.
    """
    found: list[Finding] = []
    cases = ((10.0, 33, 2e-3), (10.0, 33, 1e-3), (10.0, 65, 2e-3), (40.0, 33, 2e-3))
    for length, points, h in progress.over(cases):
        tag = f"{length:g} m, {points} points, {1e3 * h:g} ms"
        theory, ours = limit(length, points, h), threshold(length, points, h)
        found.append(
            Quantity(f"tension that straightens a span, {tag}", None, theory, ours, 2e-5, "N")
        )
    tight = 100.0 * limit(LENGTH, POINTS, H)
    simulator = Simulator(tightened(tight, "implicit"), dt=H)
    start = simulator.observe().cable("rope").curve
    simulator.step(10_000)
    moved = float(
        np.abs(simulator.observe().cable("rope").curve - start).max() / -start[:, 2].min()
    )
    note = "of the sag, in 10 000 steps"
    found.append(
        at_most("implicit scheme at 100 times that tension: motion", 1e-3, moved, "", note)
    )
    return Result(found)


class Passage(NamedTuple):
    """Columns of samples at every step: time [s], tension [N], three energies and what was lost
    [J]."""

    time: Array
    tension: Array
    kinetic: Array
    potential: Array
    elastic: Array
    lost: Array


@cache
def passage() -> Passage:
    """A long string that swings is tightened by a slow winch until it is straightened, and some
    steps more."""
    nodes, ea = (Drum("world"), Anchor("world", (LONG, 0.0, 0.0))), 1e6
    start = 0.96 * limit(LONG, POINTS, SLOW)
    rope = Cable(
        "rope",
        nodes,
        ea=ea,
        length=LONG / (1.0 + start / ea),
        elevation=Elevation(DENSITY, POINTS, 0.0, "explicit"),
        winch=Winch("winch", 100.0, rate=-WINCH),
    )
    simulator = Simulator(
        Scene(cables=(rope,), drives=(Drive("reel", "winch", target=-WINCH),)), dt=SLOW
    )
    rows: list[tuple[float, ...]] = []
    while len(rows) < 400 or rows[-100][-1] == 0.0:
        simulator.step()
        seen = simulator.observe()
        rope_now, energy = seen.cable("rope"), seen.energy
        held = (energy.kinetic, energy.potential, energy.elastic)
        rows.append((seen.time, rope_now.tension, *held, rope_now.energy_lost))
    return Passage(*np.array(rows).T)


def accounts(progress: Progress) -> Result:
    """What straightening a wave takes away, and ``energy_lost`` tells.

    A string that was let go under its weight swings undamped between fixed points, while a winch
    makes it tighter until it is straightened. Its motion and the tension's work on its arc are
    gone: kinetic and elastic energy, carried on over that step from the two before, are lower by
    what the rope says that it lost.

    Gravity is not in that account. A span at rest, tightened in the same way, loses the tension
    times the arc's excess, and is lifted by its weight times two thirds of the sag: twice as much.
    So the paper's rule does not only take energy; where a rope sags at rest it adds as much to the
    whole as it counts as lost.
    """
    found: list[Finding] = []
    run = passage()
    step = int(np.argmax(run.lost > 0.0))
    held = run.kinetic + run.elastic
    given_up = float(2.0 * held[step - 1] - held[step - 2] - held[step])
    found += [
        at_least("energy of the wave that is straightened", 10.0, float(run.lost[step]), "J"),
        Quantity("energy before = after + lost", None, float(run.lost[step]), given_up, 0.01, "J"),
    ]
    found += _at_rest()
    caption = (
        "A swinging string is tightened until it is straightened, and starts anew. Left: kinetic "
        "and elastic energy "
        "less the winch's work, without and with gravity's, and with what the rope counts as "
        "lost. Right: tension."
    )
    return Result(found, [Picture("lost", caption, _draw)])


def _at_rest() -> list[Finding]:
    """The span that sags at rest."""
    simulator = Simulator(tightened(0.999 * limit(LENGTH, POINTS, H), rate=1e-4), dt=H)
    after = simulator.observe()
    while after.cable("rope").energy_lost == 0.0:
        before = after
        simulator.step()
        after = simulator.observe()
    tension = before.cable("rope").tension
    excess = (DENSITY * G) ** 2 * LENGTH**3 / (24.0 * tension**2)
    counted = after.cable("rope").energy_lost
    lifted = after.energy.potential - before.energy.potential
    return [
        Quantity(
            "energy of a sag at rest",
            None,
            tension * excess,
            counted,
            5e-3,
            "J",
            "T times the excess",
        ),
        Quantity("what gravity gains by straightening it", None, 2.0 * counted, lifted, 5e-3, "J"),
        Statement("a straightened span hangs straight", "no sag", not sagging(after), "0 m"),
    ]


def _draw() -> "Figure":
    """Energies and tension."""
    from matplotlib.figure import Figure

    figure, run = Figure(figsize=(8.0, 3.4)), passage()
    step = int(np.argmax(run.lost > 0.0))
    near = slice(max(step - 250, 0), step + 8)
    energy, pull = figure.subplots(1, 2)
    work = np.cumsum(run.tension) * WINCH * SLOW
    whole = run.kinetic + run.elastic + run.potential - work
    whole -= whole[near][0]
    held = run.kinetic + run.elastic - work
    held -= held[near][0]
    energy.plot(run.time[near], held[near], label="motion and stretch")
    energy.plot(run.time[near], whole[near], label="with gravity")
    energy.plot(
        run.time[near], (held + run.lost)[near], "k:", label="motion, stretch and energy_lost"
    )
    energy.set_ylabel("[J]")
    figure.legend(*energy.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    pull.plot(run.time[near], 1e-3 * run.tension[near])
    pull.axhline(1e-3 * limit(LONG, POINTS, SLOW), color="k", linestyle=":", linewidth=0.9)
    pull.set_ylabel("tension [kN], dotted: the limit")
    for axes in (energy, pull):
        axes.set_xlabel("time [s]")
        axes.margins(x=0.0)
    return figure
