"""Scenario 11: rope over an obstacle, then lasso, on the tower crane and with hybrid wires.

The jib slews the falls against a parapet, undercut so that they swing free below its edge: a
pendulum as long as from the edge to the load's centre, which leaves the edge again on the way back.
With the jib standing, and the falls hanging along the edge, each swing is half that of the whole
falls and half that of the part below,

    T = pi (sqrt(L / g) + sqrt(l / g)) (1 + theta^2 / 16),

theta the amplitude of either, and no energy is lost on the edge. The load is small and right below
the rope, as a point, the sheaves are without loss, and the waves of the rope with mass without
damping, which would take energy out of every swing, contact or not. Masses of block and rope
shorten the pendulum by less than 0.2 %.

The books of energy: what the scene has, less the work of the drives, torque or pull times the mean
of the speeds at both ends of each step.
"""

import dataclasses
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.spec import Elevation, Obstacle, Polyhedron
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.pendulum import Array, Trapezoid
from validation.acceptance.tower import hoist_rope, reeve, sheave_height
from validation.acceptance.wires_on_edges import boxes, friction, lasso
from validation.harness import (
    Finding,
    Part,
    Picture,
    Progress,
    Quantity,
    Reading,
    Result,
    Statement,
    Study,
    at_most,
)
from validation.harness.modes import Mode, fit_mode

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RADIUS = 30.0
LENGTH = 40.0
EDGE = 20.0
"""Radius of the trolley; distances from its sheaves down to the load's centre, and to the edge of
the parapet [m]."""
OFF = 2.0
"""Distance of the trolley from the edge, on either side, when the jib stands [m]."""
SPEED = 0.02
RAMP = 3.0
HOLD = 32.0
"""Speed of the jib [rad/s], time of its ramps, and time for which it stands and the load swings
[s]."""
DT = 2e-3
SUBSTEPS = 10
"""Step [s], and steps between samples while the jib stands."""
LOAD = 4000.0
"""Mass of the load [kg]."""
PUSH = 2000.0
PUSHED = 1.0
SWINGS = 4
"""Force on the load [N], for how long [s], and how many periods of it are looked at."""
PERIOD = 0.005
ENERGY = 0.01
"""Tolerances: of periods, and of energy over that of the swing."""
MODELS = ("massless", "elevation")
SLINGS = 1.8
SIDE = 0.1
"""Height of the slings, and size of the load [m]."""


class Samples(NamedTuple):
    """Time [s]; place of the load and of the trolley across the edge [m] and angle of the load
    below the edge [rad]; contact nodes; and the books of energy [J]."""

    time: Array
    load: Array
    trolley: Array
    angle: Array
    contacts: Array
    books: Array

    def samples_between(self, begin: float, end: float) -> "Samples":
        """Return the samples of a time."""
        return Samples(*(values[(self.time >= begin) & (self.time < end)] for values in self))


def crane_beside_parapet(model: str, offset: float) -> Crane:
    """The crane without air, its load hanging, its jib turned to where the trolley is ``offset``
    from the edge [m].

    The edge is along x, where the falls touch it at y = 0: so far off the corner as they are thick.
    """
    crane = load_crane(
        "tower_12t",
        {
            "rig.start.state": "hanging",
            "rig.start.radius": RADIUS,
            "reeving.model": model,
            "site.platforms": (),
            "rig.start.hook_depth": LENGTH - SLINGS - 0.5 * SIDE,
            "rig.slings.height": SLINGS,
            "rig.load.mass": LOAD,
            "rig.start.slewing_angle_deg": math.degrees(math.asin(offset / RADIUS)),
            "rig.load.size": (SIDE, SIDE, SIDE),
            "hooks.hook_block.mass": 20.0,
            "reeving.sheave_efficiency": 1.0,
            **reeve(0.4),
            "drives.slewing.torque_max": 1e12,
            "drives.slewing.accel": 1e3,
            "rig.load.cd": 0.0,
            "reeving.cd": 0.0,
            "parts.jib.drag": (),
        },
    )
    rope, *slings = crane.scene.cables
    thick = 0.5 * hoist_rope().diameter
    y = (1.0 + math.sqrt(2.0)) * thick
    z = sheave_height() - EDGE - thick
    section = (y, z), (y + 3.0, z), (y + 3.0, z - 3.0)
    parapet = Polyhedron(
        tuple((x, *corner) for x in (RADIUS - 5.0, RADIUS + 5.0) for corner in section)
    )
    waves = Elevation(damping=0.0) if model == "elevation" else None
    touching = dataclasses.replace(rope, touches=("parapet",), elevation=waves)
    scene = dataclasses.replace(
        crane.scene, cables=(touching, *slings), obstacles=(Obstacle("parapet", parapet),)
    )
    return dataclasses.replace(crane, scene=scene)


class Books:
    """Books of energy: a machine that is watched, and the work of its drives."""

    def __init__(self, crane: Crane) -> None:
        self.machine = Machine(crane, dt=DT, substeps=SUBSTEPS)
        self.edge = sheave_height() - EDGE
        self.work = 0.0
        self.speeds = np.zeros(len(crane.scene.drives))
        self.rows = [self.row(self.machine.observe())]

    def slew(self, profile: Trapezoid, sense: float) -> None:
        """Lead the jib, and count every step's work; then let the load swing."""
        begin = self.machine.time
        self.machine.substeps = 1
        while (time := self.machine.time + DT - begin) < profile.stops + DT:
            self.machine.command("slewing", sense * profile.at(time)[1])
            self.tick()
        self.stand(HOLD)

    def stand(self, duration: float) -> None:
        """The jib stands, and nothing works."""
        end = self.machine.time + duration
        self.machine.substeps = SUBSTEPS
        while self.machine.time < end:
            self.machine.command("slewing", 0.0)
            self.tick()

    def push(self, force: float, duration: float) -> None:
        """Push the load across the edge [N, s], while the jib stands."""
        self.machine.simulator.push("load", force=(0.0, force, 0.0))
        self.stand(duration)
        self.machine.simulator.push("load")

    def tick(self) -> None:
        """Advance and write down."""
        seen = self.machine.tick()
        power = seen.drive_effort @ (seen.drive_velocity + self.speeds) / 2.0
        self.work += self.machine.tick_time * float(power)
        self.speeds = seen.drive_velocity
        self.rows.append(self.row(seen))

    def row(self, seen: Observation) -> tuple[float, ...]:
        """Return a row of :class:`Samples`."""
        load = seen.body("load").position
        contacts = len(seen.cable("hoist_rope").contact_obstacle)
        angle = math.atan2(load[1], self.edge - load[2])
        return (
            seen.time,
            load[1],
            seen.body("trolley").position[1],
            angle,
            contacts,
            seen.energy.total - self.work,
        )

    def samples(self) -> Samples:
        """All so far."""
        return Samples(*np.array(self.rows).T)


class Slewed(NamedTuple):
    """A run: samples, how long the jib slews each way [s], and both swings, below the edge and
    without it."""

    samples: Samples
    slewing: float
    below: Mode
    free: Mode

    @property
    def swing(self) -> float:
        """Energy of the load's swing below the edge [J]."""
        return 0.5 * LOAD * GRAVITY * free_length() * self.below.amplitude**2


def free_length() -> float:
    """Length of the falls below the edge, while the trolley stands behind it [m]."""
    return LENGTH - math.hypot(EDGE, OFF)


@cache
def slew_and_back(model: str) -> Slewed:
    """Over the parapet and back."""
    way = 2.0 * math.asin(OFF / RADIUS)
    profile = Trapezoid(SPEED, RAMP, way / SPEED - RAMP, RAMP)
    books = Books(crane_beside_parapet(model, -OFF))
    books.slew(profile, 1.0)
    books.slew(profile, -1.0)
    samples = books.samples()
    half = profile.stops + HOLD
    held = samples.samples_between(profile.stops + 0.1, half - 0.1)
    back = samples.samples_between(half + profile.stops + 0.1, math.inf)
    below = fit_mode(held.angle, DT * SUBSTEPS)
    free = fit_mode((back.load - back.trolley) / LENGTH, DT * SUBSTEPS)
    return Slewed(samples, profile.stops, below, free)


@cache
def swing_load(model: str) -> Samples:
    """The load pushed away from the parapet, beside which the falls hang, and how it swings into it
    and back."""
    books = Books(crane_beside_parapet(model, 0.0))
    books.push(-PUSH, PUSHED)
    books.stand((SWINGS + 0.5) * period(LENGTH) + 5.0)
    return books.samples()


def period(length: float, amplitude: float = 0.0) -> float:
    """Period of a pendulum [s], for an amplitude [rad]."""
    return 2.0 * math.pi * math.sqrt(length / GRAVITY) * (1.0 + amplitude**2 / 16.0)


def crossings(samples: Samples) -> Iterator[float]:
    """Yield the times at which the load comes back past the edge from the side of the parapet
    [s]."""
    time = samples.time
    y = samples.load
    for i in np.flatnonzero((y[:-1] > 0.0) & (y[1:] <= 0.0)):
        yield float(time[i] + (time[i + 1] - time[i]) * y[i] / (y[i] - y[i + 1]))


def slew_over_parapet(progress: Progress) -> Result:
    """The falls are slewed 2 m beyond the edge, 20 m below the trolley, and back, by a jib that is
    led. Energy is looked at around the step in which the last contact node goes, and over the whole
    way there and back. The rope with mass is not so exact on the way: behind the edge its books are
    off by what is told, which comes back."""
    found: list[Finding] = []
    for model in progress.over(MODELS):
        run = slew_and_back(model)
        found += [contact_nodes(run, model), *periods(run, model), *energies(run, model)]
    caption = (
        "Load and trolley across the edge while the jib slews over the parapet and back; "
        "shaded: contact nodes."
    )
    return Result(found, [Picture("rope_over_obstacle", caption, draw)])


def contact_nodes(run: Slewed, model: str) -> Finding:
    """Contact nodes before the edge, while the falls are held behind it, and after it."""
    changes = run.samples.contacts.astype(int)
    held = run.samples.samples_between(run.slewing, run.slewing + HOLD).contacts
    told = f"{changes[0]}, {held.min():.0f} to {held.max():.0f}, {changes[-1]}"
    right = changes[0] == 0 and bool((held == 2).all()) and changes[-1] == 0
    name = f"contact nodes before, behind and after the edge, {model}"
    return Statement(name, "0, 2, 0", right, told)


def periods(run: Slewed, model: str) -> list[Finding]:
    """Periods of the sway below the edge and without it, against those of pendulums."""
    modes = ((run.below, free_length(), "below the edge"), (run.free, LENGTH, "without it"))
    return [
        Quantity(
            f"period {where}, {model}",
            None,
            period(length, mode.amplitude),
            mode.period,
            PERIOD,
            "s",
        )
        for mode, length, where in modes
    ]


def energies(run: Slewed, model: str) -> list[Finding]:
    """Errors of the books of energy as the nodes go, there and back, and behind the edge."""
    books = run.samples.books
    over = "over the swing's energy"
    held = run.samples.samples_between(run.slewing, run.slewing + HOLD).books
    ended = abs(float(books[-1] - books[0])) / run.swing
    behind = float((held.mean() - books[0]) / run.swing)
    return [
        leaving_energy(run, model),
        at_most(f"energy error there and back, {model}", ENERGY, ended, "", over),
        Reading(f"books of energy behind the edge, {model}", behind, note=over),
    ]


def leaving_energy(run: Slewed, model: str) -> Finding:
    """Energy around the step in which the last node goes, 0.05 s to either side."""
    error = math.nan
    touching = np.flatnonzero(run.samples.contacts > 0)
    if touching.size:
        at = float(run.samples.time[touching[-1]])
        around = run.samples.samples_between(at - 0.05, at + 0.05).books
        error = abs(float(around[-1] - around[0])) / run.swing
    return at_most(
        f"energy error as the nodes go, {model}", ENERGY, error, "", "over the swing's energy"
    )


def swing_into_parapet(progress: Progress) -> Result:
    """The jib stands, the falls hang along the edge, and the load is pushed: in every swing the
    nodes come and go."""
    found: list[Finding] = []
    for model in progress.over(MODELS):
        swing = swing_load(model).samples_between(PUSHED, math.inf)
        times = list(crossings(swing))[: SWINGS + 1]
        cycle = swing.samples_between(times[0], times[-1])
        inside = float(cycle.load.max()) / (LENGTH - EDGE)
        outside = -float(cycle.load.min()) / LENGTH
        theory = 0.5 * (period(LENGTH, outside) + period(LENGTH - EDGE, inside))
        ours = (times[-1] - times[0]) / SWINGS
        found.append(
            Quantity(f"period of swings against the edge, {model}", None, theory, ours, PERIOD, "s")
        )
        lost = float(cycle.books[0] - cycle.books[-1]) / (
            0.5 * LOAD * GRAVITY * LENGTH * outside**2
        )
        found.append(
            at_most(
                f"energy error of a swing, {model}",
                ENERGY,
                abs(lost) / SWINGS,
                "",
                "over the swing's",
            )
        )
        came = int(np.count_nonzero((cycle.contacts[:-1] == 0) & (cycle.contacts[1:] > 0)))
        found.append(
            Statement(
                f"nodes come and go, {model}", f"{SWINGS} times", came == SWINGS, f"{came} times"
            )
        )
    return Result(found)


def draw() -> "Figure":
    """Load, trolley and contact nodes over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.0))
    for axes, model in zip(figure.subplots(2, 1, sharex=True), MODELS, strict=True):
        samples = slew_and_back(model).samples
        axes.fill_between(samples.time, -6.0, 6.0, where=samples.contacts > 0, color="0.9")
        axes.plot(samples.time, samples.trolley, "k--", linewidth=0.8, label="trolley")
        axes.plot(samples.time, samples.load, label="load")
        axes.set(ylabel="across the edge [m]", title=model, ylim=(-5.0, 3.0))
        axes.legend(loc="lower left")
    axes.set_xlabel("time [s]")
    return figure


STUDY = Study(
    "Scenario 11: rope over an obstacle, then lasso",
    "Tower crane tower_12t, and scenes of Servin et al. 2011; Euler-Eytelwein.",
    Path("rope_over_obstacle"),
    (
        Part("Slewing the falls over a parapet", slew_over_parapet),
        Part("Swinging against a parapet", swing_into_parapet),
        Part("Tensions over edges", friction),
        Part("Lasso", lasso),
        Part("Boxes on wires", boxes),
    ),
)
