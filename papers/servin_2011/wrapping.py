"""Figures 3 and 14: a block of 100 kg falls out of a wire of 1 kg that is wound about it."""

import time
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator, load_scene
from cable_sim.spec.scene import GRAVITY
from validation.harness import (
    Finding,
    Picture,
    Progress,
    Quantity,
    Reading,
    Result,
    Statement,
    at_least,
    at_most,
)

from .falling import clearance, mid_step_reader
from .sketch import draw_scene
from .wrapped_scenes import DEPTH, SIDE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
H, DURATION = 1.0 / 60.0, 1.5
"""Step, and length of a run [s]: the block lets go after one."""
FRICTIONS = (0.0, 0.2, 0.5)
TURNS = 2
"""Of the wire about the block."""
HALF = 0.5 * np.array([SIDE, DEPTH, SIDE])
AT_ONCE = 2
"""Contact nodes that may go in a step at most: a turn of the block by 10 degrees may clear two of
its edges."""
GAINED, VIOLATED, INSIDE = 0.01, 0.01, 0.0
"""Energy gained over what the fall has set free, length of the way beyond the stretched wire's over
the wire's, and how near the wire may come to the block [m]."""
ROLLED = 0.75
"""Turns of a block with friction at least, until it comes free; in the frame of the wire it makes
``TURNS``."""


class Record(NamedTuple):
    """At the end of each step: time [s], height [m], turns about its axis [-], energy without the
    elastic one [J], tension [N], contact nodes, masses, violation of the length [-], clearance of
    wire and block in mid-step [m], status."""

    time: Array
    height: Array
    turned: Array
    energy: Array
    tension: Array
    contacts: Array
    masses: Array
    violation: Array
    clearance: Array
    status: Array


@cache
def run(friction: float) -> Record:
    """The block falls."""
    scene = load_scene("wrapped_block", friction=friction, turns=TURNS)
    (wire,), rows, turned = scene.cables, [], 0.0
    assert wire.length is not None and wire.axial_rigidity is not None
    simulator, ahead = Simulator(scene, dt=H), mid_step_reader(scene)
    for _ in range(round(DURATION / H)):
        report = simulator.step()
        seen = simulator.observe()
        ahead.restore(simulator.save())
        view, block = seen.cable("wire"), seen.body("block")
        turned += H * float(block.angular_velocity[1]) / (2.0 * np.pi)
        way = float(np.linalg.norm(np.diff(view.curve, axis=0), axis=1).sum())
        violation = way / wire.length - 1.0 - view.tension / wire.axial_rigidity
        rows.append(
            (
                seen.time,
                block.position[2],
                turned,
                seen.energy.total - seen.energy.elastic,
                view.tension,
                len(view.contact_position),
                len(view.mass_position),
                violation,
                clearance(ahead.observe(), "wire", "block", HALF),
                report.status,
            )
        )
    return Record(*np.array(rows).T)


def let_go(record: Record) -> int:
    """The step from which on the wire has no contact node."""
    return int(np.flatnonzero(record.contacts > 0)[-1]) + 1


def wrapping(progress: Progress) -> Result:
    """A wire goes twice about a block, with nothing but contact nodes on its edges, without slack.
    Its upper end is on a hook, its lower one free. The block is let go. Without friction the wire
    runs through, and the block hardly turns. With friction, by the paper's law, it rolls down the
    wire. The nodes go as the edges leave the wire, until the block falls free, and the wire whips,
    made of masses. Masses and length are the paper's; it tells no other dimension.

    The energy without that of the stretched wire must not rise: by how much it is above any earlier
    value is judged. It falls without friction, too, while the last edges leave the wire.
    """
    found: list[Finding] = []
    for friction in progress.over(FRICTIONS):
        found += _findings(f"mu = {friction:g}", friction, run(friction))
    slower = run(FRICTIONS[-1]).time[let_go(run(FRICTIONS[-1]))] / run(0.0).time[let_go(run(0.0))]
    found.append(
        at_least(
            "time until the block is free, with friction",
            1.1,
            float(slower),
            "",
            "over that without",
        )
    )
    caption = (
        "Figure 14. A block of 100 kg falls out of a wire of 1 kg; mu = 0.5. Above from the side: "
        "black the masses, "
        "yellow the contact nodes. Below: contact nodes, and the energy without the elastic one, "
        "for all frictions."
    )
    return Result(found, [Picture("figure_14", caption, draw)])


def _findings(name: str, friction: float, record: Record) -> list[Finding]:
    """What is asked of a run."""
    steps = -np.diff(record.contacts, prepend=4.0 * TURNS)
    gained = float((record.energy - np.minimum.accumulate(record.energy)).max())
    free = let_go(record)
    fallen = 100.0 * GRAVITY * float(-record.height[-1])
    turned = float(record.turned[min(free, record.turned.size - 1)])
    rolls = (
        at_least(f"turns of the block until it is free, {name}", ROLLED, turned, "")
        if friction == FRICTIONS[-1]
        else at_most(
            f"turns of the block until it is free, {name}",
            ROLLED,
            turned,
            "",
            "the wire runs over it",
        )
    )
    return [
        Quantity(
            f"contact nodes in the first step, {name}",
            None,
            4.0 * TURNS,
            float(record.contacts[0]),
            1e-9,
        ),
        Statement(
            f"the block comes free, {name}",
            "no contact node at the end",
            free < record.time.size,
            f"{record.contacts[-1]:.0f}, free at {free * H:.2f} s",
        ),
        at_most(f"contact nodes that go in a step, {name}", AT_ONCE, float(steps.max())),
        at_most(
            f"energy gained, {name}", GAINED, gained / fallen, "", "over what the fall has set free"
        ),
        Statement(
            f"energy at the end, {name}",
            "less than at the start",
            bool(record.energy[-1] < record.energy[0]),
            f"{record.energy[-1] - record.energy[0]:.0f} J",
        ),
        at_most(
            f"violation beyond the elastic stretch, {name}", VIOLATED, float(record.violation.max())
        ),
        at_least(
            f"nearest that the wire is to the block, {name}",
            INSIDE,
            float(record.clearance.min()),
            "m",
            "its radius is 2 mm",
        ),
        rolls,
        at_least(
            f"masses of the wire that is free, {name}",
            5.0,
            float(record.masses[free:].max(initial=0.0)),
        ),
        Statement(
            f"the solver, {name}", "no flag", not record.status.any(), f"{int(record.status.max())}"
        ),
    ]


def times(progress: Progress) -> Result:
    """How many times faster than its own time the run is, in processor time of one core."""
    found = []
    for friction in progress.over(FRICTIONS):
        simulator = Simulator(load_scene("wrapped_block", friction=friction, turns=TURNS), dt=H)
        count = round(1.0 / H)
        best = 0.0
        for _ in range(5):
            simulator.reset()
            begin = time.process_time()
            simulator.step(count)
            best = max(best, count * H / (time.process_time() - begin))
        found.append(Reading(f"times real time, block in a wire, mu = {friction:g}", best))
    return Result(found)


def draw() -> "Figure":
    """Five instants, and two series."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 8.4))
    scene = load_scene("wrapped_block", friction=FRICTIONS[-1], turns=TURNS)
    views = figure.subplot_mosaic("abcde;nnnnn;EEEEE", height_ratios=(3.4, 1, 1))
    simulator, at = Simulator(scene, dt=H), 0.0
    for key, instant in zip("abcde", (0.0, 0.5, 0.8, 1.0, 1.3), strict=True):
        simulator.step(round((instant - at) / H))
        at = simulator.time
        draw_scene(views[key], scene, simulator.observe())
        views[key].set(title=f"{at:.2f} s", aspect="equal", xlim=(-6.8, 2.8), ylim=(-7.0, 4.0))
    for friction in FRICTIONS:
        record = run(friction)
        views["n"].step(record.time, record.contacts, where="post", label=rf"$\mu = {friction:g}$")
        views["E"].plot(record.time, 1e-3 * (record.energy - record.energy[0]))
    views["n"].set_ylabel("contact nodes")
    views["n"].legend(fontsize=8)
    views["E"].set(ylabel="energy [kJ]", xlabel="time [s]")
    for key in "nE":
        views[key].margins(x=0.0)
    return figure
