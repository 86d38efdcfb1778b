"""Scenario 6: brake slip and overspeed, emergency stops while lowering, one of two brakes.

In terms of the hook: a load of mass m with block or spreader hangs on n falls, and the hoist's
rotor, J at the motor, is m_eq = J (omega / v)^2, v the speed of the hook at the motor's omega. A
brake that holds f times what the load needs lets them go, or slows them down for f > 1, with

    a = (1 - f) m g / (m + m_eq),

so that a slip from rest is at 115 % of the rated speed v_r after 1.15 v_r / a, and 1 / 2 a t^2
down. From there on an emergency brake which holds e stops it, after its delay, with (f + e - 1) m g
/ (m + m_eq). Ropes stretch; then this is the motion of the centre of mass of load and rotor, x = (m
x_load + m_eq x_drum) / (m + m_eq), to which ways and accelerations here belong.

A brake that closes on a load which is lowered stops the drum, in the mean with f > 1 above. Line
pull is m (g - a) = m g (1 + |a| / g) in the mean then, and up to m g (1 + 2 |a| / g) after a step:

    m_eq x_drum'' = T - f m g,      m x_load'' = m g - T,
    T = m g + k (x_load - x_drum) + c (their rates),

until the drum stands. *Two brakes*, each on the shaft of one of two equal motors: with both a shaft
carries half of the line pull, as each brake stops its own rotor. If one of them fails, the other
has to stop both rotors and the load through its shaft, which carries S = T + m_eq |a| / 2, that is
(f m g + T) / 2 while the brake slips.

Wheels are without loss, the drum has one layer and brakes close without delay where that is judged.
Published are numbers of the rigid rope; lines that are not judged tell of the cranes as they are.
"""

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY
from validation.acceptance.gantry import brake_gantry
from validation.acceptance.pendulum import Array
from validation.acceptance.tower import brake_tower
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

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGS: dict[str, dict[str, Any]] = {
    "tower_12t": {
        "rig.load.mass": 6000.0,
        "rig.start.radius": 30.0,
        "rig.start.state": "hanging",
        "rig.start.hook_depth": 30.0,
    },
    "rtg_41t": {
        "rig.start.state": "hanging",
        "rig.start.trolley": 0.0,
        "rig.start.gantry": -30.0,
        "rig.start.depth": 8.0,
    },
}
"""Changes of the cranes' files.

The tower crane has a load on two falls; the gantry crane has its rated load, clear of its stacks.
"""
PLAIN = {"reeving.sheave_efficiency": 1.0, "drum.layers": None}
"""Changes of the cranes' files where results are judged."""
HOLDS = {"tower_12t": 0.9, "rtg_41t": 0.5}
"""Share of the load that the slipping brake holds [-]."""
EMERGENCY = 1.8
"""Force that the emergency brake on the drum holds, over the load [-]."""
SETTLE = 0.5
LOWERING = 3.0
"""Time at rest before a fault, and of lowering before a stop [s]."""
WITHIN = 0.05
"""Tolerance of the scenario [-]."""


class Plant(NamedTuple):
    """Load with what it hangs on, rotor at the hook [kg], stiffness and damping of the ropes at the
    hook [N/m, N s/m], rated speed of the hook [m/s], and what the closed brake holds as new, over
    the load [-]."""

    mass: float
    rotor: float
    stiffness: float
    damping: float
    rated: float
    factor: float

    def acceleration(self, holds: float) -> float:
        """Return the downward acceleration under a brake that slips and holds so much, over the
        load [m/s^2]."""
        return (1.0 - holds) * self.mass * GRAVITY / (self.mass + self.rotor)


def plant(machine: Machine) -> Plant:
    """Return the plant of a crane's file and the length of its ropes."""
    crane = machine.crane
    file = machine.crane.details
    seen = machine.observe()
    falls = crane.axis("hoist").ratio
    mass = file.rig.load.mass + next(iter(file.hooks.values())).mass
    rope: Any = crane.scene.cables[0].rope
    lengths = [seen.cable(rope).length for rope in crane.ropes]
    stiffness = sum(falls**2 * rope.ea / length for length in lengths)
    ratio_damping = 2.0 * rope.damping_ratio * math.sqrt(stiffness * mass)
    damping_time = crane.scene.cables[0].damping_time
    return Plant(
        mass,
        falls**2 * crane.scene.winches[0].mass,
        stiffness,
        damping_time * stiffness if damping_time else ratio_damping,
        crane.axis("hoist").max_speed,
        file.axes["hoist"].brake * falls / (mass * GRAVITY),
    )


def brake_changes(name: str, brakes: float = 1.0, emergency: float = 0.0) -> dict[str, Any]:
    """Return the changes of a crane's file for so many brakes of the hoist, and for a force of the
    emergency brake over the rated pull [-]."""
    change = brake_tower if name == "tower_12t" else brake_gantry
    return change(brakes, emergency)


class Run(NamedTuple):
    """Samples since a brake acted [s]: ways down of drum and centre of mass [m], drum's speed
    [m/s], what hangs on the ropes over its weight and the brake's effort in the same terms [-], and
    when the overspeed trip acted [s]."""

    plant: Plant
    time: Array
    drum: Array
    centre: Array
    speed: Array
    pull: Array
    effort: Array
    trip: float

    @property
    def stands(self) -> int:
        """First sample at which the drum stands, after it has turned."""
        turned = int(np.argmax(self.speed > 1e-3))
        still = self.speed[turned:] < 1e-4
        return turned + int(np.argmax(still)) if still.any() else self.time.size - 1

    def at(self, values: Array, time: float) -> float:
        """A value at a time."""
        return float(np.interp(time, self.time, values))

    @property
    def shaft(self) -> float:
        """Largest load of the shaft whose brake has to stop both rotors, over the weight [-]."""
        return float(0.5 * (self.pull + self.effort).max())


def look(machine: Machine, body: str) -> tuple[float, ...]:
    """Tick, and read time, drum and load [m], speed, pull of all falls and effort of the hoist [N],
    and the trip."""
    seen = machine.tick()
    axis = machine.axis_state(seen, "hoist")
    ratio = machine.crane.axis("hoist").ratio
    pull = ratio * sum(seen.cable(rope).span_tension.max() for rope in machine.crane.ropes)
    tripped = machine.limits["overspeed_trip"] in ("tripped", "latched")
    return (
        seen.time,
        axis.position,
        -seen.body(body).position[2],
        axis.velocity,
        pull,
        abs(axis.effort),
        tripped,
    )


def follow(machine: Machine, seconds: float) -> Run:
    """Look for a while."""
    known = plant(machine)
    body = machine.crane.watched
    start = machine.observe()
    begin = machine.time
    drum = machine.axis_state(start, "hoist").position
    load = -start.body(body).position[2]
    rows = [look(machine, body) for _ in range(round(seconds / machine.tick_time))]
    time, way, fall, speed, pull, effort, trips = np.array(rows).T
    weight = known.mass * GRAVITY
    centre = (known.mass * (fall - load) + known.rotor * (way - drum)) / (known.mass + known.rotor)
    tripped = float(time[np.argmax(trips > 0.0)] - begin) if trips.any() else math.inf
    return Run(
        known, time - begin, way - drum, centre, speed, pull / weight, effort / weight, tripped
    )


@cache
def let_slip(name: str, tripping: bool, plain: bool = True, emergency: float = EMERGENCY) -> Run:
    """The brake lets a load at rest go; with the overspeed trip and an emergency brake, or without
    either."""
    brake = brake_changes(name, emergency=emergency)
    machine = Machine(
        load_crane(name, RIGS[name] | brake | (PLAIN if plain else {})), dt=1e-3, substeps=2
    )
    assert machine.plc
    for limiter in {"overspeed_trip", "snag_protection", "rope_monitor"} & set(machine.plc.limits):
        machine.plc.bypass(limiter, limiter != "overspeed_trip" or not tripping)
    while machine.time < SETTLE:
        machine.tick()
    machine.faults.inject(Fault("brake_slip", "hoist", HOLDS[name] / plant(machine).factor))
    return follow(machine, 6.0 if name == "tower_12t" else 2.0)


@cache
def stop_lowering(
    name: str, speed: float = 1.0, plain: bool = True, brakes: int = 1, failed: bool = False
) -> Run:
    """An emergency stop while lowering with a share of the rated speed, by one brake or two, of
    which one may fail."""
    changes = RIGS[name] | (
        PLAIN | {"brake.close_delay": 0.0, "drives.hoist.tau": 0.01} if plain else {}
    )
    machine = Machine(load_crane(name, changes | brake_changes(name, brakes)), substeps=1)
    rated = plant(machine).rated
    if failed:
        machine.faults.inject(Fault("brake_slip", "hoist", 1.0 / brakes))
    while machine.time < LOWERING:
        machine.command("hoist", speed * rated)
        machine.tick()
    machine.emergency_stop(True)
    return follow(machine, 1.5)


class Stop(NamedTuple):
    """Motion of the two masses until the drum stands.

    Time at which the drum stands [s], way of the centre of mass until then [m], largest pull and
    load of a shaft that stops both rotors, over the weight [-], and pulls over time.
    """

    time: float
    way: float
    pull: float
    shaft: float
    times: Array
    pulls: Array


def expected_stop(known: Plant, speed: float, holds: float) -> Stop:
    """Motion of load and rotor on the ropes between them, from a speed downward [m/s] as the brake
    closes."""
    from scipy.integrate import solve_ivp

    def rates(time: float, y: Array) -> list[float]:
        load, drum, fall, turn = y
        pull = (
            known.mass * GRAVITY + known.stiffness * (load - drum) + known.damping * (fall - turn)
        )
        return [
            fall,
            turn,
            GRAVITY - pull / known.mass,
            (pull - holds * known.mass * GRAVITY) / known.rotor,
        ]

    def derivatives(time: float, y: Array) -> list[float]:
        pull = known.mass * GRAVITY + known.stiffness * (y[0] - y[1]) + known.damping * y[2]
        return [y[2], 0.0, GRAVITY - pull / known.mass, 0.0]

    def stands(time: float, y: Array) -> float:
        return float(y[3])

    stands.terminal = True  # type: ignore[attr-defined]
    braking = solve_ivp(rates, (0.0, 5.0), [0.0, 0.0, speed, speed], max_step=1e-3, events=stands)
    after = solve_ivp(
        derivatives, (braking.t[-1], braking.t[-1] + 1.0), [*braking.y[:3, -1], 0.0], max_step=1e-3
    )
    weight = known.mass * GRAVITY
    pulls = []
    for y in (braking.y, after.y):
        pulls.append(
            1.0 + (known.stiffness * (y[0] - y[1]) + known.damping * (y[2] - y[3])) / weight
        )
    centre = (known.mass * braking.y[0] + known.rotor * braking.y[1]) / (known.mass + known.rotor)
    largest = max(float(pulls[0].max()), float(pulls[1].max()))
    shaft = max(0.5 * (holds + float(pulls[0].max())), float(pulls[1].max()))
    times = np.concatenate([braking.t, after.t])
    return Stop(
        float(braking.t[-1]), float(centre[-1]), largest, shaft, times, np.concatenate(pulls)
    )


def slips(progress: Progress) -> Result:
    """A hook at rest under a brake that holds 0.9 of the load on the tower crane and 0.5 on the
    gantry crane. Without a trip it goes on; at 115 % of the rated speed the overspeed trip closes
    the emergency brake, without which a brake that slips is all there is.
    """
    found = [
        finding
        for name in progress.over(list(RIGS))
        for finding in (*slip_from_rest(name), *slip_of_real_brakes(name))
    ]
    caption = "Speed of the hook over its rated speed since the brake slips."
    return Result(found, [Picture("brake_slip", caption, draw_slips)])


def slip_from_rest(name: str) -> list[Finding]:
    """Slip of one crane against the closed form: without a trip, and until the emergency brake
    holds."""
    printed = {"tower_12t": ("0.196", "0.10", "3.6"), "rtg_41t": ("1.04", "0.52", "0.48")}
    free = let_slip(name, False)
    run = let_slip(name, True)
    rate, way, trip = printed[name]
    known = run.plant
    holds = HOLDS[name]
    down = known.acceleration(holds)
    drives = load_crane(name).scene.drives
    delay = next(drive.brake_close_delay for drive in drives if drive.name == "hoist")
    at_close = 1.15 * known.rated + down * delay
    lost = 0.5 * at_close**2 * (1.0 / down - 1.0 / known.acceleration(holds + EMERGENCY))
    ours = 2.0 * free.at(free.centre, 1.5) / 1.5**2
    first = free.at(free.centre, 1.0)
    last = run.centre[run.stands]
    tripping = 1.15 * known.rated / down
    until = "way until the emergency brake holds"
    return [
        Quantity(f"{name}: acceleration", rate, down, ours, WITHIN, "m/s^2"),
        Quantity(f"{name}: way in the first second", way, 0.5 * down, first, WITHIN, "m"),
        Quantity(f"{name}: trip at 115 %", trip, tripping, run.trip, WITHIN, "s"),
        Quantity(f"{name}: {until}", None, lost, last, WITHIN, "m"),
    ]


def slip_of_real_brakes(name: str) -> list[Finding]:
    """Slip of one crane without an emergency brake, and with its file's wheels and drum."""
    alone = let_slip(name, True, emergency=0.0)
    real = let_slip(name, True, plain=False)
    faster = alone.speed[-1] / alone.plant.rated
    without = f"{name}: without an emergency brake"
    return [
        Statement(without, "goes on", faster > 1.5, f"x {faster:.2f}"),
        Reading(f"{name} as it is: trip", real.trip, "s"),
    ]


def stops(progress: Progress) -> Result:
    """Emergency stops while lowering with rated speed. A rigid rope gives time, way and the mean
    factor of the line pull; the largest factor is that of two masses on ropes. Brakes close at once
    here. On the cranes as they are the motor slows down for the 0.2 s that they take, and wheels
    with losses help.
    """
    found: list[Finding] = []
    printed = {"tower_12t": ("0.39", "0.12", "1.16"), "rtg_41t": ("0.21", None, "1.21")}
    for name in progress.over(list(RIGS)):
        run = stop_lowering(name)
        time, way, mean = printed[name]
        known, stood = run.plant, float(run.time[run.stands])
        rate = -known.acceleration(known.factor)
        theory = expected_stop(known, known.rated, known.factor)
        ours = 1.0 + known.rated / stood / GRAVITY
        found += [
            Quantity(f"{name}: drum stands after", time, known.rated / rate, stood, WITHIN, "s"),
            Quantity(
                f"{name}: way until then",
                way,
                0.5 * known.rated**2 / rate,
                run.centre[run.stands],
                WITHIN,
                "m",
            ),
            Quantity(
                f"{name}: mean factor of the line pull", mean, 1.0 + rate / GRAVITY, ours, WITHIN
            ),
            Quantity(f"{name}: largest factor", None, theory.pull, float(run.pull.max()), WITHIN),
            at_most(
                f"{name}: largest factor after a step",
                1.0 + 2.0 * rate / GRAVITY,
                float(run.pull.max()),
            ),
        ]
        real = stop_lowering(name, plain=False)
        found += [
            Reading(f"{name} as it is: from command to rest", float(real.time[real.stands]), "s"),
            Reading(f"{name} as it is: way until then", float(real.centre[real.stands]), "m"),
            Reading(f"{name} as it is: largest factor", float(real.pull.max())),
        ]
    caption = (
        "Pull of the falls over the weight since the brake closed. Lines: the crane; dots: "
        "two masses on ropes."
    )
    return Result(found, [Picture("brake_stop", caption, draw_stops)])


def failures(progress: Progress) -> Result:
    """The gantry crane with two motors and a brake on each shaft, either of which holds twice the
    load. The shaft of a brake that is alone carries more than with both, though the load is stopped
    more gently; half the speed hardly lessens that (compare Applied Sciences, November 2020, on two
    brakes of a 32 t crane).
    """
    name = "rtg_41t"
    both = stop_lowering(name, brakes=2)
    alone = stop_lowering(name, brakes=2, failed=True)
    progress(0.7)
    slower = stop_lowering(name, 0.5, brakes=2, failed=True)
    known = both.plant
    shared = 0.5 * float(both.pull.max())
    theory = [expected_stop(known, known.rated, share * known.factor) for share in (1.0, 0.5)]
    rises = alone.shaft > shared and alone.pull.max() < both.pull.max()
    told = (
        f"shaft {shared:.3f} to {alone.shaft:.3f}, line pull {both.pull.max():.3f} to "
        f"{alone.pull.max():.3f}"
    )
    found: list[Finding] = [
        Quantity(
            "load of each shaft with two brakes, over the weight",
            None,
            0.5 * theory[0].pull,
            shared,
            WITHIN,
        ),
        Quantity(
            "load of the shaft with one of two brakes", None, theory[1].shaft, alone.shaft, WITHIN
        ),
        Statement("when one of two brakes fails", "shaft load rises, line pull falls", rises, told),
        Reading("load of the shaft with one of two brakes, half the speed", slower.shaft),
    ]
    return Result(found)


def draw_slips() -> "Figure":
    """Speeds over time, with and without the emergency brake."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6))
    for axes, name in zip(figure.subplots(1, 2), RIGS, strict=True):
        run = let_slip(name, True)
        alone = let_slip(name, True, emergency=0.0)
        axes.plot(run.time, run.speed / run.plant.rated, label="emergency brake")
        axes.plot(alone.time, alone.speed / run.plant.rated, "--", label="service brake alone")
        times = np.linspace(0.0, alone.time[-1], 16)
        axes.plot(
            times,
            run.plant.acceleration(HOLDS[name]) * times / run.plant.rated,
            "k.",
            label="closed form",
        )
        axes.axhline(1.15, color="gray", linewidth=0.7)
        axes.set(xlabel="time [s]", ylabel="speed over rated speed", title=name)
        axes.legend()
    return figure


def draw_stops() -> "Figure":
    """Pulls over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6))
    for axes, name in zip(figure.subplots(1, 2), RIGS, strict=True):
        run = stop_lowering(name)
        theory = expected_stop(run.plant, run.plant.rated, run.plant.factor)
        axes.plot(run.time, run.pull, label="crane")
        axes.plot(theory.times[::20], theory.pulls[::20], "k.", label="two masses")
        axes.axhline(
            1.0 - run.plant.acceleration(run.plant.factor) / GRAVITY, color="gray", linewidth=0.7
        )
        axes.set(xlim=(0.0, 1.0), xlabel="time [s]", ylabel="line pull over weight", title=name)
        axes.legend()
    return figure


STUDY = Study(
    "Scenario 6: brake slip and overspeed",
    "Tower crane tower_12t with 6 t on two falls, gantry crane rtg_41t.",
    Path("brake_slip"),
    (
        Part("A brake that slips", slips),
        Part("Emergency stops while lowering", stops),
        Part("One of two brakes fails", failures),
    ),
)
