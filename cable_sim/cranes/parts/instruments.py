"""Equipment of cranes of any family: the sensors of their files, and the limiters of every
hoist."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, Literal

from pydantic import StrictBool

from cable_sim.cranes.crane import Axis
from cable_sim.cranes.parts.devices import (
    EVERYTHING,
    Block,
    Limiter,
    Probability,
    Quantity,
    Seed,
    Sensor,
    Share,
)
from cable_sim.errors import SpecError
from cable_sim.spec.quantities import Limit, Name, NonNegative, Positive, Real, spec

UP = Block("hoist", -1)
DOWN = Block("hoist", 1)
"""Motions of the hoist that a limiter blocks. A hoist's axis reads the depth of the hook."""


@spec
class Instrument:
    """Accuracy of the sensors of a kind; see :class:`~cable_sim.cranes.parts.devices.Sensor` for
    the fields and units."""

    rate: Positive = 100.0
    delay: NonNegative = 0.0
    filter: NonNegative = 0.0
    noise: NonNegative = 0.0
    quantum: NonNegative = 0.0
    bias: Real = 0.0
    dropout: Probability = 0.0
    timeout: Limit | None = None


@spec
class MotionUnit:
    """Accuracy of a motion reference unit, which tells how the body moves that carries a crane.

    Parameters
    ----------
    rate: samples per second [Hz].
    delay: from a sample to its reading [s].
    heave, heave_speed, inclination, turning: standard deviations of the noise [m, m/s, rad, rad/s].
    """

    rate: Positive = 100.0
    delay: NonNegative = 0.0
    heave: NonNegative = 0.0
    heave_speed: NonNegative = 0.0
    inclination: NonNegative = 0.0
    turning: NonNegative = 0.0

    def sensors(self, seed: int) -> tuple[Sensor, ...]:
        """Return the sensors of heave, its rate, two inclinations and three rates of turning."""
        noise = {
            "heave.position": self.heave,
            "heave.speed": self.heave_speed,
            **{f"inclination.{letter}": self.inclination for letter in "xy"},
            **{f"rate.{letter}": self.turning for letter in "xyz"},
        }
        return tuple(
            _sensor(f"mru.{signal}", Instrument(self.rate, self.delay, noise=deviation), seed)
            for signal, deviation in noise.items()
        )


@spec
class Instruments:
    """The kinds of sensors that a crane has; one that is left out is not there.

    A sensor is called like the signal that it measures.

    Parameters
    ----------
    encoder: position of every axis, of its unit.
    tachometer: speed of every axis.
    load_pin: pull of every hoist rope, at its dead end and at the drum [N].
    camera: two angles of sway, and skew of the hook [rad].
    imu: specific force [m/s^2] of the hook.
    gyroscope: rate of turning of the hook [rad/s].
    anemometer: speed of the wind [m/s].
    inclinometer: slopes of two axes of the structure [rad].
    mru: motion reference unit of the body that carries the crane, such as a ship.
    seed: of all noise.
    """

    encoder: Instrument | None = None
    tachometer: Instrument | None = None
    load_pin: Instrument | None = None
    camera: Instrument | None = None
    imu: Instrument | None = None
    gyroscope: Instrument | None = None
    anemometer: Instrument | None = None
    inclinometer: Instrument | None = None
    mru: MotionUnit | None = None
    seed: Seed = 0

    def sensors(self, axes: Iterable[Axis], ropes: Iterable[str]) -> tuple[Sensor, ...]:
        """The sensors of a crane with such axes and hoist ropes."""
        names = [axis.name for axis in axes]
        ropes = list(ropes)
        signals = {
            "encoder": [f"{name}.position" for name in names],
            "tachometer": [f"{name}.speed" for name in names],
            "load_pin": [f"{rope}.{end}" for rope in ropes for end in ("pull", "lead")],
            "camera": ["sway.radial", "sway.tangential", "hook.skew"],
            "imu": [f"hook.acceleration.{letter}" for letter in "xyz"],
            "gyroscope": [f"hook.rate.{letter}" for letter in "xyz"],
            "anemometer": ["wind.speed"],
            "inclinometer": [f"structure.inclination.{letter}" for letter in "xy"],
        }
        made = tuple(
            _sensor(signal, instrument, self.seed)
            for kind, measured in signals.items()
            if (instrument := getattr(self, kind))
            for signal in measured
        )
        return made + (self.mru.sensors(self.seed) if self.mru else ())


def _sensor(signal: str, made: Instrument, seed: int) -> Sensor:
    """The sensor of a signal; an anemometer knows no speed below 0."""
    limits = (0.0, math.inf) if signal == "wind.speed" else EVERYTHING
    return Sensor(signal, signal, **asdict(made), range=limits, seed=seed)


@spec
class Threshold:
    """Threshold of a limiter; see :class:`~cable_sim.cranes.parts.devices.Limiter` for the fields
    and units."""

    trip: Real
    warn: Real | None = None
    reset: Real | None = None
    delay: NonNegative = 0.0
    latch: StrictBool = False

    def limiter(self, name: str, quantity: str, **effects: Any) -> Limiter:
        """The limiter of a quantity."""
        return Limiter(name, quantity, **asdict(self), **effects)


@spec
class SlowDown:
    """A slow-down before an end: its distance from the end [m], and the share of the largest speed
    there [-]."""

    distance: Positive
    share: Share = 0.3


@spec
class Zone:
    """The part of an axis' way in which it has to stay, because of what stands beyond.

    At a bound the axis ramps to rest, so it overruns it by its stopping way; a slow-down before it
    keeps that short.

    Parameters
    ----------
    name: of what it is, such as ``school``.
    axis: which.
    lower, upper: bounds [m or rad]; one of them may be left out.
    slow_down: before either bound.
    """

    name: Name
    axis: Name
    lower: Real | None = None
    upper: Real | None = None
    slow_down: SlowDown | None = None

    def __post_init__(self) -> None:
        if self.lower is None and self.upper is None:
            raise ValueError("lower, upper: a zone needs one of them, or both")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"upper: must be above lower, {self.lower:g}, not {self.upper:g}")

    def limiters(self) -> Iterator[Limiter]:
        """A limiter at each bound, and one where the slow-down before it begins."""
        reading = f"{self.axis}.position"
        ends: tuple[tuple[str, float | None, Literal["over", "under"], Literal[1, -1]], ...] = (
            ("lower", self.lower, "under", -1),
            ("upper", self.upper, "over", 1),
        )
        for side, bound, sense, direction in ends:
            if bound is None:
                continue
            name = f"zone_{self.name}_{side}"
            yield Limiter(name, reading, bound, sense, blocks=(Block(self.axis, direction),))
            if slow := self.slow_down:
                begin = bound - direction * slow.distance
                block = Block(self.axis, direction, slow.share)
                yield Limiter(f"{name}_slow_down", reading, begin, sense, blocks=(block,))


@spec
class HoistLimiters:
    """The limiters of every crane with a hoist; one that is left out is not there.

    Parameters
    ----------
    hoist_upper_limit, hoist_lower_limit: distance from the end of the hoist's way [m].
    hoist_upper_slow_down, hoist_lower_slow_down: before that.
    slack_rope_switch: least pull of a hoist rope [N]; stops lowering.
    hook_twist: angle of the hook block from the trolley, either way [rad], up to half a turn, as
        turns are not counted; stops hoisting, which would draw falls that are wound round one
        another into the wheels.
    overspeed_trip: speed over the rated one [-]; closes the emergency brake.
    wind: speed [m/s]; stops all motions.
    zones: parts of their ways in which axes have to stay.
    load_moment_limiter: with a load chart: load over the capacity at its radius [-]; stops hoisting
        and the motions that take the load outward.
    load_limiter: load over the largest one with the reeving in use [-]; stops hoisting.
    """

    hoist_upper_limit: Threshold | None = None
    hoist_lower_limit: Threshold | None = None
    hoist_upper_slow_down: SlowDown | None = None
    hoist_lower_slow_down: SlowDown | None = None
    slack_rope_switch: Threshold | None = None
    hook_twist: Threshold | None = None
    overspeed_trip: Threshold | None = None
    wind: Threshold | None = None
    zones: tuple[Zone, ...] = ()
    load_moment_limiter: Threshold | None = None
    load_limiter: Threshold | None = None

    def hoist_quantities(self, hoist: Axis, ropes: Iterable[str]) -> tuple[Quantity, ...]:
        """Return the quantities that the limiters watch."""
        return (
            Quantity("hoist.margin.upper", "sum", ("hoist.position",), offset=-hoist.lower),
            Quantity("hoist.margin.lower", "sum", ("hoist.position",), (-1.0,), hoist.upper),
            Quantity("hoist.speed.share", "magnitude", ("hoist.speed",), (1.0 / hoist.max_speed,)),
            Quantity("pull.least", "least", tuple(f"{rope}.pull" for rope in ropes)),
            Quantity("hook.twist", "magnitude", ("hook.skew",)),
        )

    def hoist_limiters(self) -> tuple[Limiter, ...]:
        """Return the limiters of the hoist."""
        made = []
        ends = {"upper": UP, "lower": DOWN}
        for side, end_block in ends.items():
            margin = f"hoist.margin.{side}"
            end = f"hoist_{side}_limit"
            slow = f"hoist_{side}_slow_down"
            if slowing := getattr(self, slow):
                block = replace(end_block, share=slowing.share)
                made.append(Limiter(slow, margin, slowing.distance, "under", blocks=(block,)))
            if ending := getattr(self, end):
                made.append(ending.limiter(end, margin, sense="under", blocks=(end_block,)))
        if self.slack_rope_switch:
            made.append(
                self.slack_rope_switch.limiter(
                    "slack_rope_switch", "pull.least", sense="under", blocks=(DOWN,)
                )
            )
        if self.hook_twist:
            made.append(self.hook_twist.limiter("hook_twist", "hook.twist", blocks=(UP,)))
        if self.overspeed_trip:
            made.append(
                self.overspeed_trip.limiter(
                    "overspeed_trip", "hoist.speed.share", stop=0, emergency_brake=True
                )
            )
        if self.wind:
            made.append(self.wind.limiter("wind", "wind.speed", stop=1))
        return (*made, *(limiter for zone in self.zones for limiter in zone.limiters()))

    def load_limiters(self, outward: Iterable[Block]) -> tuple[Limiter, ...]:
        """Return the limiters of the load, with the motions that take it outward."""
        made = []
        if moment := self.load_moment_limiter:
            blocks = (UP, *outward)
            made.append(moment.limiter("load_moment_limiter", "load_moment", blocks=blocks))
        if self.load_limiter:
            made.append(self.load_limiter.limiter("load_limiter", "load.share", blocks=(UP,)))
        return tuple(made)


def devices(
    sensors: tuple[Sensor, ...], quantities: tuple[Quantity, ...], limiters: tuple[Limiter, ...]
) -> dict[str, Any]:
    """Fields of a crane: all sensors, all limiters, and of the quantities those whose inputs are
    measured.

    Raises SpecError for a limiter that watches what is not measured.
    """
    known = {sensor.name for sensor in sensors}
    kept = []
    for quantity in quantities:
        if known.issuperset(quantity.inputs):
            known.add(quantity.name)
            kept.append(quantity)
    inputs = {quantity.name: quantity.inputs for quantity in quantities}
    for limiter in limiters:
        if limiter.quantity not in known:
            needed = ", ".join(inputs.get(limiter.quantity, (limiter.quantity,)))
            raise SpecError(
                f"limiters.{limiter.name}: needs {needed}; add what measures it to the section "
                "sensors"
            )
    return {"sensors": sensors, "quantities": tuple(kept), "limiters": limiters}
