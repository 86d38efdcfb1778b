"""Scenario 12: two tower cranes lift one beam, and a PLC in the loop.

The cranes of ``config/tandem_lift.yaml``, 8 t and 12 m on hooks of four falls: the head is hoisted, and the trolley of
the tailing crane follows so that both falls stay vertical. What each carries then follows from statics alone
(``cranes/shares.py``). Where one hoist is faster, the beam tilts, and with the trolleys held its falls lean. Then it
hangs as a rigid body on two strings from the trolleys, of the lengths L_i: at the tilt t, its centre of mass at (x, z),

    |a_i - p_i(x, z, t)| = L_i,   T_1 u_1 + T_2 u_2 = m g,   r_1 x T_1 u_1 + r_2 x T_2 u_2 = 0,

a_i the trolleys, p_i the lugs, r_i their places from the centre of mass, u_i the unit vectors along the strings. The
lengths are what the drums have paid out, the slings, and what weight stretches both by.
"""

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.acceptance.pendulum import Array
from cable_sim.acceptance.tandem_link import in_the_loop
from cable_sim.cranes import load_crane
from cable_sim.cranes.several_spec import SharedRig
from cable_sim.cranes.shares import shares
from cable_sim.cranes.tower_spec import TowerCrane
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.spec.scene import GRAVITY
from cable_sim.studies import Finding, Part, Picture, Progress, Quantity, Reading, Result, Statement, Study, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CRANES, FALLS = ("head", "tail"), 4
PRINTED = {30.0: ("2759", "2241"), 76.0: ("3613", "1387"), 90.0: ("5000", "0")}
"""Shares of 5 000 kg [kg] at tilts [deg], of the dual-lift calculator: lugs at -X and X, the second 0.4 X above."""
WITHIN = 0.01
"""Tolerance of shares, in terms of the load."""
STAGES = ((30.0, 30.0), (76.0, 40.0), (90.0, 30.0))
"""Tilts at which the up-ending waits [deg], and how long it takes to get there [s]."""
WAIT, SAMPLED = 22.0, 16.0
"""How long it waits, and over how much of that shares are taken [s]: a period of the swing."""
FOLLOWING = 1.0
"""By which a way that is missed is made up for [1/s]."""
SLACK = 1e-6
"""Share of a slack sling, for rounding errors [kg]."""
LET_GO = 0.2
"""How far the tail's hook goes down on the last way, so that its sling gets slack [m]."""
FASTER, HOISTING, RAMP = 1.05, 0.5, 5.0
"""Speed of the tail's hook in terms of the head's, that [m/s], and how long both take to it [s]."""
STEP = 2e-3
"""[s]; ten of them are a tick."""
SPARED = 5
"""Ticks from one look to the next."""
STANDING = 1e-3
"""Speed below which an axis stands [m/s]."""


class Sample(NamedTuple):
    """Time [s], tilt of the beam [deg], vertical pull of the slings at the lugs in terms of mass [kg]."""

    time: float
    tilt: float
    head: float
    tail: float


class Rest(NamedTuple):
    """Means over a stage at rest."""

    tilt: float
    head: float
    tail: float


@cache
def shared() -> SharedRig:
    """The beam on both hooks, as its file has it."""
    rig = load_crane("tandem_lift").details.rig
    assert isinstance(rig, SharedRig)
    return rig


def look(seen: Observation) -> Sample:
    """A sample of what is seen."""
    w, x, y, z = seen.body("beam").orientation
    pulls = [abs(float(seen.cable(f"beam_sling_{i}").node_force[1, 2])) / GRAVITY for i in (1, 2)]
    return Sample(seen.time, math.degrees(math.asin(2.0 * (w * y - x * z))), *pulls)


def spread(tilt: float) -> tuple[float, float]:
    """Way in plan and in height from the lug at the head to that at the tail at a tilt [m]."""
    (ax, ay), (bx, by), angle = *(lug.at for lug in shared().lugs), math.radians(tilt)
    along, above = bx - ax, by - ay
    cos, sin = math.cos(angle), math.sin(angle)
    return along * cos + above * sin, above * cos - along * sin


def coordinates(tilt: float) -> dict[str, float]:
    """Coordinates of the axes at which the beam has a tilt under vertical falls, the tail's hook where it was [m].

    The hoists make up for what their ropes stretch by. On the last way the tail lets go.
    """
    (level, low), (near, lower), begin = spread(0.0), spread(tilt), start()
    last, before = STAGES[-1][0], STAGES[-2][0]
    slack = LET_GO * max(tilt - before, 0.0) / (last - before)
    moved = {"head_hoist": lower - low, "tail_trolley": level - near, "tail_hoist": slack, "head_trolley": 0.0}
    wanted = {axis: begin[axis] + way for axis, way in moved.items()}
    for crane, share, first in zip(CRANES, law(tilt), law(0.0), strict=True):
        hoist = f"{crane}_hoist"
        wanted[hoist] += lower_by(first, begin[crane]) - lower_by(share, begin[crane] + FALLS * moved[hoist])
    return wanted


def lower_by(share: float, length: float) -> float:
    """How far a hook hangs lower under a share [kg] for the stretch of that length of hoist rope [m]."""
    rope = load_tower().hoist_rope
    return share * GRAVITY * length / (FALLS**2 * rope.ea)


@cache
def load_tower() -> TowerCrane:
    """The file of both cranes."""
    details = load_crane("tower_12t").details
    assert isinstance(details, TowerCrane)
    return details


@cache
def start() -> dict[str, float]:
    """At the start, coordinates of all axes by name, and lengths of the hoist ropes by crane [m]."""
    machine = Machine(load_crane("tandem_lift"))
    seen = machine.observe()
    ropes = {crane: float(seen.cable(f"{crane}_hoist_rope").length) for crane in CRANES}
    return ropes | {axis.name: machine.axis_state(seen, axis.name).position for axis in machine.crane.axes}


@cache
def up_ended() -> tuple[list[Sample], dict[float, Rest]]:
    """Up-end the beam: samples of all of it, and the means of its stages."""
    machine = Machine(load_crane("tandem_lift"), dt=STEP)
    seen, samples, rests, before = machine.observe(), [look(machine.observe())], {}, 0.0
    for wanted, time in STAGES:
        begin, ends = machine.time, machine.time + time + WAIT
        while machine.time < ends:
            phases = (min((machine.time + late - begin) / time, 1.0) for late in (0.0, SPARED * machine.tick_time))
            now, then = (before + (wanted - before) * 0.5 * (1.0 - math.cos(math.pi * phase)) for phase in phases)
            follow(machine, seen, coordinates(now), coordinates(then), SPARED * machine.tick_time)
            for _ in range(SPARED):
                seen = machine.tick()
            samples.append(look(seen))
        late = np.array([sample for sample in samples if sample.time > ends - SAMPLED])
        rests[wanted], before = Rest(*(float(column.mean()) for column in late.T[1:])), wanted
    return samples, rests


def follow(machine: Machine, seen: Observation, now: dict[str, float], then: dict[str, float], time: float) -> None:
    """Speeds that lead the axes from where they should be to where they should be some time later [s]."""
    for axis, target in now.items():
        missed = target - machine.axis_state(seen, axis).position
        machine.command(axis, (then[axis] - target) / time + FOLLOWING * missed)


def published(progress: Progress) -> Result:
    """The law of the shares against what a tool for lifting plans prints, of a load of 5 000 kg."""
    found: list[Finding] = []
    for tilt, printed in PRINTED.items():
        ours = shares(5000.0, (-1.0, 0.0), (1.0, 0.4), tilt)
        for crane, text, share in zip(CRANES, printed, ours, strict=True):
            expected = float(text)
            tolerance = 0.5 / expected if expected else 0.5
            found.append(Quantity(f"{crane} of 5 t at {tilt:g} deg, law", text, expected, share, tolerance, "kg"))
    return Result(found)


def up_ending(progress: Progress) -> Result:
    """The real cranes with vertical falls, in three stages. Expected is the law at the tilt that the beam has at rest,
    which differs from the wanted one by what the ropes stretch. Shares are the vertical pulls of the slings, as means
    over a period of the swing. On the last way the tail's hook goes down a little and lets go: upright, the head
    carries all.
    """
    _, rests = up_ended()
    found: list[Finding] = []
    for wanted, rest in rests.items():
        found.append(Reading(f"tilt at rest, {wanted:g} deg wanted", rest.tilt, "deg"))
        upright = wanted == STAGES[-1][0]
        for crane, expected, ours in zip(CRANES, law(wanted if upright else rest.tilt), rest[1:], strict=True):
            found.append(of_the_load(f"{crane} at {wanted:g} deg", expected, ours))
    caption = "Shares of the beam while it is up-ended. Lines: the cranes; dots: the law at the tilt of that moment."
    return Result(found, [Picture("up_ending", caption, draw)])


def law(tilt: float) -> tuple[float, float]:
    """Shares under vertical falls at a tilt [kg]; beyond upright the tail's sling is slack."""
    head, tail = shared().shares(tilt)
    return (head, tail) if tail > SLACK else (shared().beam.mass, 0.0)


def of_the_load(name: str, expected: float, ours: float) -> Quantity:
    """A share [kg], which may differ by a part of the load and not of itself."""
    mass = shared().beam.mass
    note = f"{100.0 * (ours - expected) / mass:+.2f} % of the load"
    return Quantity(name, None, expected, ours, WITHIN * mass / (expected or 1.0), "kg", note)


class Mismatch(NamedTuple):
    """A lift with one hoist too fast, up to the trip of a limiter: samples, name of the limiter, the load that its crane
    may lift at its radius with the margin [kg], and tilt [deg] and shares [kg] at that moment: ours and on two strings."""

    samples: list[Sample]
    limiter: str
    allowed: float
    ours: Rest
    strings: Rest


@cache
def mismatched() -> Mismatch:
    """Hoist both, the tail too fast, until a limiter of either crane trips."""
    machine = Machine(load_crane("tandem_lift"), dt=STEP)
    first = seen = machine.observe()
    samples: list[Sample] = []
    watched = [f"{crane}_{device}" for crane in CRANES for device in ("load_moment_limiter", "load_limiter")]
    tripped: list[str] = []
    while not tripped and machine.time < 250.0:
        speed = -HOISTING * min(machine.time / RAMP, 1.0)
        machine.command("head_hoist", speed)
        machine.command("tail_hoist", FASTER * speed)
        seen = machine.tick()
        samples.append(look(seen))
        tripped = [name for name in watched if machine.limits[name] == "tripped"]
    limiter = tripped[0] if tripped else "none"
    last = samples[-1]
    crane = limiter.partition("_")[0]
    allowed = math.nan
    if tripped:
        limits, charted = machine.crane.limiters, {q.name: q.chart for q in machine.crane.quantities}
        trip = next(device.trip for device in limits if device.name == limiter)
        chart = charted[f"{crane}_load_moment"]
        radius = machine.axis_state(seen, f"{crane}_trolley").position
        assert chart is not None
        allowed = trip * min(chart.q_max, chart.moment / (radius - chart.r0) - chart.q0)
    return Mismatch(samples, limiter, allowed, Rest(*last[1:]), on_strings(machine, first, seen))


def on_strings(machine: Machine, first: Observation, seen: Observation) -> Rest:
    """Where the beam hangs in equilibrium on two strings from the trolleys, by what the drums have paid out since the
    first look, when it hung at rest."""
    from scipy.optimize import fsolve

    rig, rope = shared(), load_tower().hoist_rope
    mass, places = rig.beam.mass, [np.subtract(lug.at, rig.beam.centre) for lug in rig.lugs]
    trolleys = [plan(seen.body(f"{crane}_trolley").position) for crane in CRANES]
    lengths = []
    for crane, place, trolley in zip(CRANES, places, trolleys, strict=True):
        lug = plan(first.body("beam").position) + turned(math.radians(look(first).tilt)) @ place
        moved = [machine.axis_state(look_, f"{crane}_hoist").position for look_ in (first, seen)]
        stretch = [stretched(look_, f"{crane}_hoist_rope", rope.ea) for look_ in (first, seen)]
        apart = float(np.linalg.norm(plan(first.body(f"{crane}_trolley").position) - lug))
        lengths.append(apart + moved[1] - moved[0] + stretch[1] - stretch[0])

    def hangs(x: float, z: float, tilt: float) -> tuple[list[Array], Array]:
        """Strings from the lugs to the trolleys, and what of the beam's weight they carry up [kg]."""
        arms = [turned(tilt) @ place for place in places]
        strings = [trolley - (x, z) - arm for trolley, arm in zip(trolleys, arms, strict=True)]
        along = np.array([string / np.linalg.norm(string) for string in strings]).T
        return [*strings, arms[0], arms[1]], np.linalg.solve(along, [0.0, mass])

    def residual(unknown: Array) -> list[float]:
        (one, other, arm, far), pulls = hangs(*unknown)
        sides = [np.linalg.norm(string) for string in (one, other)]
        moment = sum(
            pull * (a[0] * s[1] - a[1] * s[0]) / side
            for pull, a, s, side in zip(pulls, (arm, far), (one, other), sides, strict=True)
        )
        return [sides[0] - lengths[0], sides[1] - lengths[1], moment / mass]

    x, z = plan(seen.body("beam").position)
    x, z, tilt = fsolve(residual, [x, z, math.radians(look(seen).tilt)], xtol=1e-12)
    (one, other, *_), pulls = hangs(x, z, tilt)
    up = [float(pull * s[1] / np.linalg.norm(s)) for pull, s in zip(pulls, (one, other), strict=True)]
    return Rest(math.degrees(tilt), *up)


def plan(position: Array) -> Array:
    """A point in the plane of the lift: along x and up [m]."""
    return np.array([position[0], position[2]])


def turned(tilt: float) -> Array:
    """What turns a place along the beam and above its axis into that plane; tilt [rad]."""
    cos, sin = math.cos(tilt), math.sin(tilt)
    return np.array([[cos, sin], [-sin, cos]])


def stretched(seen: Observation, rope: str, ea: float) -> float:
    """How much lower a hook is for the stretch of its rope [m]."""
    cable = seen.cable(rope)
    strain = cable.span_tension / ea
    return float((cable.span_length * strain / (1.0 + strain)).sum()) / FALLS


def mismatch(progress: Progress) -> Result:
    """Both hoist at 0.5 m/s, the tail 5 % faster. The beam tilts, head down, and the load drifts to the tail, until its
    load-moment limiter trips at 80 % of the chart (AS 2550.1: a margin of 20 % where cranes are not synchronised).
    Expected are tilt and shares of a beam on two strings, and the load that the limiter allows: what it goes by is
    delayed by 0.2 s and as noisy as its load pins.
    """
    run = mismatched()
    last = run.samples[-1]
    found: list[Finding] = [
        Statement("limiter that trips first", "the tail's", run.limiter.startswith("tail_load"), run.limiter),
        Reading("when it trips", last.time, "s"),
        Quantity("tilt when it trips", None, run.strings.tilt, run.ours.tilt, 0.02, "deg"),
        of_the_load("head when it trips", run.strings.head, run.ours.head),
        of_the_load("tail when it trips", run.strings.tail, run.ours.tail),
        Quantity("load that the limiter allows", None, run.allowed, run.ours.tail, 0.02, "kg"),
        Reading("tail at that tilt under vertical falls", law(run.ours.tilt)[1], "kg"),
    ]
    caption = "One hoist 5 % too fast: tilt and shares until a limiter trips."
    return Result(found, [Picture("mismatch", caption, lambda: draw_mismatch(run))])


def stopping(progress: Progress) -> Result:
    """Both cranes hoist and the tailing one travels out; then one emergency stop, of category 0. Hoists and trolleys of
    both have to stand within a second, and stay, whatever is commanded.
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
        found.append(at_most(f"{axis.replace('_', ' ')} stands after the emergency stop", 1.0, late, "s"))
    held = look(seen)
    share = held.head + held.tail
    found.append(Reading("load on both hooks 4 s later", share, "kg"))
    return Result(found)


def draw() -> "Figure":
    """Shares over the up-ending."""
    from matplotlib.figure import Figure

    samples, _ = up_ended()
    data = np.array(samples)
    figure = Figure(figsize=(9.0, 6.0))
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(data[:, 0], data[:, 1])
    above.set(ylabel="tilt [deg]")
    few = data[::20]
    for i, crane in enumerate(CRANES):
        below.plot(data[:, 0], data[:, 2 + i], label=crane)
        below.plot(few[:, 0], [law(tilt)[i] for tilt in few[:, 1]], ".", color=f"C{i}", markersize=3)
    below.set(xlabel="time [s]", ylabel="share [kg]")
    below.legend()
    return figure


def draw_mismatch(run: Mismatch) -> "Figure":
    """Tilt and shares over time."""
    from matplotlib.figure import Figure

    data = np.array(run.samples)
    figure = Figure(figsize=(9.0, 6.0))
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(data[:, 0], data[:, 1])
    above.set(ylabel="tilt [deg]")
    for i, crane in enumerate(CRANES):
        below.plot(data[:, 0], data[:, 2 + i], label=crane)
    below.axhline(run.allowed, color="gray", linewidth=0.7)
    below.set(xlabel="time [s]", ylabel="share [kg]")
    below.legend()
    return figure


STUDY = Study(
    "Scenario 12: tandem lift with a PLC in the loop",
    "Two cranes tower_12t, 8 t on hooks of four falls; dual-lift calculator, AS 2550.1.", Path("tandem_lift"),
    (
        Part("Shares by statics", published), Part("Up-ending", up_ending), Part("Hoists that differ", mismatch),
        Part("Emergency stop", stopping), Part("PLC in the loop", in_the_loop),
    ),
)  # fmt: skip
