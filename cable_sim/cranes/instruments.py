"""What cranes of any family are equipped with: the sensors of their files, and the limiters of every hoist."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic import StrictBool

from cable_sim.cranes.crane import Axis
from cable_sim.cranes.devices import EVERYTHING, Block, Limiter, Probability, Quantity, Seed, Sensor, Share
from cable_sim.errors import SpecError
from cable_sim.spec.quantities import Limit, NonNegative, Positive, Real, spec

UP, DOWN = Block("hoist", -1), Block("hoist", 1)
"""A hoist's axis reads the depth of the hook."""


@spec
class Instrument:
    """How good the sensors of a kind are; see :class:`~cable_sim.cranes.devices.Sensor` for the fields."""

    rate: Positive = 100.0
    delay: NonNegative = 0.0
    filter: NonNegative = 0.0
    noise: NonNegative = 0.0
    quantum: NonNegative = 0.0
    bias: Real = 0.0
    dropout: Probability = 0.0
    timeout: Limit | None = None


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
    seed: Seed = 0

    def sensors(self, axes: Iterable[Axis], ropes: Iterable[str]) -> tuple[Sensor, ...]:
        """The sensors of a crane with such axes and hoist ropes."""
        names, ropes = [axis.name for axis in axes], list(ropes)
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
        return tuple(
            _sensor(signal, instrument, self.seed)
            for kind, measured in signals.items() if (instrument := getattr(self, kind))
            for signal in measured
        )  # fmt: skip


def _sensor(signal: str, made: Instrument, seed: int) -> Sensor:
    """The sensor of a signal; an anemometer knows no speed below 0."""
    return Sensor(
        signal, signal, made.rate, made.delay, made.filter, made.noise, made.quantum, made.bias, made.dropout,
        (0.0, math.inf) if signal == "wind.speed" else EVERYTHING, made.timeout, seed,
    )  # fmt: skip


@spec
class Threshold:
    """Where a limiter acts; see :class:`~cable_sim.cranes.devices.Limiter` for the fields."""

    trip: Real
    warn: Real | None = None
    reset: Real | None = None
    delay: NonNegative = 0.0
    latch: StrictBool = False

    def limiter(self, name: str, quantity: str, **effects: Any) -> Limiter:
        """The limiter of a quantity."""
        return Limiter(
            name, quantity, self.trip, warn=self.warn, reset=self.reset, delay=self.delay, latch=self.latch, **effects
        )


@spec
class SlowDown:
    """A slow-down before an end: at which distance from it [m], and to what share of the largest speed."""

    distance: Positive
    share: Share = 0.3


@spec
class HoistLimiters:
    """The limiters of every hoist; one that is left out is not there.

    Parameters
    ----------
    hoist_upper_limit, hoist_lower_limit: distance from the end of the hoist's way [m].
    hoist_upper_slow_down, hoist_lower_slow_down: before that.
    slack_rope_switch: least pull of a hoist rope [N]; stops lowering.
    overspeed_trip: speed over the rated one [-]; closes the emergency brake.
    wind: speed [m/s]; stops all motions.
    """

    hoist_upper_limit: Threshold | None = None
    hoist_lower_limit: Threshold | None = None
    hoist_upper_slow_down: SlowDown | None = None
    hoist_lower_slow_down: SlowDown | None = None
    slack_rope_switch: Threshold | None = None
    overspeed_trip: Threshold | None = None
    wind: Threshold | None = None

    def hoist_quantities(self, hoist: Axis, ropes: Iterable[str]) -> tuple[Quantity, ...]:
        """What they watch."""
        return (
            Quantity("hoist.margin.upper", "sum", ("hoist.position",), offset=-hoist.lower),
            Quantity("hoist.margin.lower", "sum", ("hoist.position",), (-1.0,), hoist.upper),
            Quantity("hoist.speed.share", "magnitude", ("hoist.speed",), (1.0 / hoist.max_speed,)),
            Quantity("pull.least", "least", tuple(f"{rope}.pull" for rope in ropes)),
        )

    def hoist_limiters(self) -> tuple[Limiter, ...]:
        """The limiters."""
        made, ends = [], {"upper": UP, "lower": DOWN}
        for side, end_block in ends.items():
            margin, end, slow = f"hoist.margin.{side}", f"hoist_{side}_limit", f"hoist_{side}_slow_down"
            if slowing := getattr(self, slow):
                block = replace(end_block, share=slowing.share)
                made.append(Limiter(slow, margin, slowing.distance, "under", blocks=(block,)))
            if ending := getattr(self, end):
                made.append(ending.limiter(end, margin, sense="under", blocks=(end_block,)))
        if self.slack_rope_switch:
            made.append(
                self.slack_rope_switch.limiter("slack_rope_switch", "pull.least", sense="under", blocks=(DOWN,))
            )
        if self.overspeed_trip:
            made.append(
                self.overspeed_trip.limiter("overspeed_trip", "hoist.speed.share", stop=0, emergency_brake=True)
            )
        if self.wind:
            made.append(self.wind.limiter("wind", "wind.speed", stop=1))
        return tuple(made)


def devices(
    sensors: tuple[Sensor, ...], quantities: tuple[Quantity, ...], limiters: tuple[Limiter, ...]
) -> dict[str, Any]:
    """Fields of a crane: all sensors, all limiters, and of the quantities those whose inputs are measured.

    Raises SpecError for a limiter that watches what is not measured.
    """
    known, kept = {sensor.name for sensor in sensors}, []
    for quantity in quantities:
        if known.issuperset(quantity.inputs):
            known.add(quantity.name)
            kept.append(quantity)
    inputs = {quantity.name: quantity.inputs for quantity in quantities}
    for limiter in limiters:
        if limiter.quantity not in known:
            needed = ", ".join(inputs.get(limiter.quantity, (limiter.quantity,)))
            raise SpecError(f"limiters.{limiter.name}: needs {needed}; add what measures it to the section sensors")
    return {"sensors": sensors, "quantities": tuple(kept), "limiters": limiters}
