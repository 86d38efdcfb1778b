"""Scenario 12: two tower cranes lift one beam, and a PLC in the loop.

The cranes of ``config/tandem_lift.yaml``, 8 t and 12 m on hooks of four falls: the head is hoisted,
and the trolley of the tailing crane follows so that both falls stay vertical. What each carries
then follows from statics alone (``cranes/several/beam_shares.py``). Where one hoist is faster than
the other, see ``tandem_mismatch.py``; with the PLC, ``tandem_link.py``.
"""

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.cranes.several.beam_shares import shares
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.tandem_link import run_in_loop
from validation.acceptance.tandem_load import (
    CRANES,
    FALLS,
    STEP,
    Rest,
    Sample,
    law,
    load_quantity,
    look,
    shared_rig,
)
from validation.acceptance.tandem_mismatch import mismatch
from validation.acceptance.tower import hoist_rope
from validation.harness import (
    Finding,
    Part,
    Picture,
    Progress,
    Quantity,
    Reading,
    Result,
    Study,
    at_most,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRINTED = {30.0: ("2759", "2241"), 76.0: ("3613", "1387"), 90.0: ("5000", "0")}
"""Shares of 5 000 kg [kg] at tilts [deg], of the dual-lift calculator: lugs at -X and X, the second
0.4 X above."""
STAGES = ((30.0, 30.0), (76.0, 40.0), (90.0, 30.0))
"""Tilts at which the up-ending waits [deg], and how long it takes to get there [s]."""
WAIT = 22.0
SAMPLED = 16.0
"""Waiting time at a tilt, and the part of it over which shares are taken [s]: a period of the
swing."""
FOLLOWING = 1.0
"""Gain by which a way that is missed is made up for [1/s]."""
LET_GO = 0.2
"""Way of the tail's hook down at the end, so that its sling gets slack [m]."""
SPARED = 2
"""Ticks from one look to the next."""
STANDING = 1e-3
"""Speed below which an axis stands [m/s]."""


def lug_offset(tilt: float) -> tuple[float, float]:
    """Way in plan and in height from the lug at the head to that at the tail at a tilt [m]."""
    (ax, ay), (bx, by), angle = *(lug.at for lug in shared_rig().lugs), math.radians(tilt)
    along = bx - ax
    above = by - ay
    cos = math.cos(angle)
    sin = math.sin(angle)
    return along * cos + above * sin, above * cos - along * sin


def coordinates(tilt: float) -> dict[str, float]:
    """Coordinates of the axes at which the beam has a tilt under vertical falls, the tail's hook
    where it was [m].

    The hoists make up for what their ropes stretch by. On the last way the tail lets go.
    """
    level, low = lug_offset(0.0)
    near, lower = lug_offset(tilt)
    begin = start()
    last = STAGES[-1][0]
    before = STAGES[-2][0]
    slack = LET_GO * max(tilt - before, 0.0) / (last - before)
    moved = {
        "head_hoist": lower - low,
        "tail_trolley": level - near,
        "tail_hoist": slack,
        "head_trolley": 0.0,
    }
    wanted = {axis: begin[axis] + way for axis, way in moved.items()}
    for crane, share, first in zip(CRANES, law(tilt), law(0.0), strict=True):
        hoist = f"{crane}_hoist"
        wanted[hoist] += hook_lowering(first, begin[crane]) - hook_lowering(
            share, begin[crane] + FALLS * moved[hoist]
        )
    return wanted


def hook_lowering(share: float, length: float) -> float:
    """Return the way by which a hook hangs lower under a share [kg], for the stretch of so much
    hoist rope [m]."""
    rope = hoist_rope()
    return share * GRAVITY * length / (FALLS**2 * rope.ea)


@cache
def start() -> dict[str, float]:
    """At the start, coordinates of all axes by name, and lengths of the hoist ropes by crane
    [m]."""
    machine = Machine(load_crane("tandem_lift"))
    seen = machine.observe()
    ropes = {crane: float(seen.cable(f"{crane}_hoist_rope").length) for crane in CRANES}
    return ropes | {
        axis.name: machine.axis_state(seen, axis.name).position for axis in machine.crane.axes
    }


@cache
def up_end() -> tuple[list[Sample], dict[float, Rest]]:
    """Up-end the beam: samples of all of it, and the means of its stages."""
    machine = Machine(load_crane("tandem_lift"), dt=STEP, substeps=25)
    seen = machine.observe()
    samples = [look(machine.observe())]
    rests = {}
    before = 0.0
    for wanted, time in STAGES:
        begin = machine.time
        ends = machine.time + time + WAIT
        while machine.time < ends:
            phases = (
                min((machine.time + late - begin) / time, 1.0)
                for late in (0.0, SPARED * machine.tick_time)
            )
            now, then = (
                before + (wanted - before) * 0.5 * (1.0 - math.cos(math.pi * phase))
                for phase in phases
            )
            follow(machine, seen, coordinates(now), coordinates(then), SPARED * machine.tick_time)
            for _ in range(SPARED):
                seen = machine.tick()
            samples.append(look(seen))
        late = np.array([sample for sample in samples if sample.time > ends - SAMPLED])
        rests[wanted] = Rest(*(float(column.mean()) for column in late.T[1:]))
        before = wanted
    return samples, rests


def follow(
    machine: Machine, seen: Observation, now: dict[str, float], then: dict[str, float], time: float
) -> None:
    """Speeds that lead the axes from where they should be to where they should be some time later
    [s]."""
    for axis, target in now.items():
        missed = target - machine.axis_state(seen, axis).position
        machine.command(axis, (then[axis] - target) / time + FOLLOWING * missed)


def compare_with_published(progress: Progress) -> Result:
    """The law of the shares against what a tool for lifting plans prints, of a load of 5 000 kg."""
    found: list[Finding] = []
    for tilt, printed in PRINTED.items():
        ours = shares(5000.0, (-1.0, 0.0), (1.0, 0.4), tilt)
        for crane, text, share in zip(CRANES, printed, ours, strict=True):
            expected = float(text)
            tolerance = 0.5 / expected if expected else 0.5
            found.append(
                Quantity(
                    f"{crane} of 5 t at {tilt:g} deg, law", text, expected, share, tolerance, "kg"
                )
            )
    return Result(found)


def up_end_beam(progress: Progress) -> Result:
    """The real cranes with vertical falls, in three stages. Expected is the law at the tilt that
    the beam has at rest, which differs from the wanted one by what the ropes stretch. Shares are
    the vertical pulls of the slings, as means over a period of the swing. On the last way the
    tail's hook goes down a little and lets go: upright, the head carries all.
    """
    _, rests = up_end()
    found: list[Finding] = []
    for wanted, rest in rests.items():
        found.append(Reading(f"tilt at rest, {wanted:g} deg wanted", rest.tilt, "deg"))
        upright = wanted == STAGES[-1][0]
        for crane, expected, ours in zip(
            CRANES, law(wanted if upright else rest.tilt), rest[1:], strict=True
        ):
            found.append(load_quantity(f"{crane} at {wanted:g} deg", expected, ours))
    caption = (
        "Shares of the beam while it is up-ended. Lines: the cranes; dots: the law at the "
        "tilt of that moment."
    )
    return Result(found, [Picture("up_ending", caption, draw)])


def stop_both(progress: Progress) -> Result:
    """Both cranes hoist and the tailing one travels out; then one emergency stop, of category 0.
    Hoists and trolleys of both have to stand within a second, and stay, whatever is commanded.
    """
    machine = Machine(load_crane("tandem_lift"), dt=STEP)
    wanted = {"head_hoist": -0.25, "tail_hoist": -0.15, "tail_trolley": 0.2}
    stood: dict[str, float] = {}
    while machine.time < 12.0:
        for axis, speed in wanted.items():
            machine.command(axis, speed)
        if machine.time > 8.0 - 1e-6 and not machine.stopped:
            machine.emergency_stop(True)
        seen = machine.tick()
        for axis in wanted:
            moving = abs(machine.axis_state(seen, axis).velocity) > STANDING
            if machine.time > 8.0 and moving:
                stood.pop(axis, None)
            elif machine.time > 8.0:
                stood.setdefault(axis, machine.time - 8.0)
    found: list[Finding] = []
    for axis in wanted:
        late = stood.get(axis, math.inf)
        found.append(
            at_most(f"{axis.replace('_', ' ')} stands after the emergency stop", 1.0, late, "s")
        )
    held = look(seen)
    share = held.head + held.tail
    found.append(Reading("load on both hooks 4 s later", share, "kg"))
    return Result(found)


def draw() -> "Figure":
    """Shares over the up-ending."""
    from matplotlib.figure import Figure

    samples, _ = up_end()
    data = np.array(samples)
    figure = Figure(figsize=(9.0, 6.0))
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(data[:, 0], data[:, 1])
    above.set(ylabel="tilt [deg]")
    few = data[::20]
    for i, crane in enumerate(CRANES):
        below.plot(data[:, 0], data[:, 2 + i], label=crane)
        below.plot(
            few[:, 0], [law(tilt)[i] for tilt in few[:, 1]], ".", color=f"C{i}", markersize=3
        )
    below.set(xlabel="time [s]", ylabel="share [kg]")
    below.legend()
    return figure


STUDY = Study(
    "Scenario 12: tandem lift with a PLC in the loop",
    "Two cranes tower_12t, 8 t on hooks of four falls; dual-lift calculator, AS 2550.1.",
    Path("tandem_lift"),
    (
        Part("Shares by statics", compare_with_published),
        Part("Up-ending", up_end_beam),
        Part("Hoists that differ", mismatch),
        Part("Emergency stop", stop_both),
        Part("PLC in the loop", run_in_loop),
    ),
)
