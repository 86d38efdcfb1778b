"""Sensors, computed quantities and limiters of a crane's control.

Three lists, each of names. A *sensor* measures a *signal*, a scalar of the truth. A *quantity* is
computed from readings of sensors, never from the truth, so that a fault of a sensor reaches it. A
*limiter* watches one reading or quantity.

Signals: ``<axis>.position``, ``.speed``, ``.effort`` of each axis, in its sense: of a hoist the
first two as its rope is paid out, on whatever layer of the drum, the last as its motor knows it, as
if all rope were in the first layer; of each hoist rope ``<rope>.pull`` at its dead end and
``.lead`` at the drum [N], and ``.paid_out`` [m]; ``sway.radial``, ``sway.tangential``,
``hook.skew`` [rad]; ``hook.acceleration.x``, ``.y``, ``.z``, specific force in the hook's frame,
9.81 upward at rest [m/s^2], and ``hook.rate.x``, ``.y``, ``.z`` [rad/s];
``structure.inclination.x``, ``.y`` [rad], how far that axis of the structure points up, and
``<body>.inclination.x``, ``.y`` [rad] the same of any body, such as a boom; of the body that
carries a crane and moves, such as a ship, ``mru.heave.position`` [m] over where it is in the scene,
``mru.heave.speed`` [m/s], ``mru.inclination.x``, ``.y`` [rad] and ``mru.rate.x``, ``.y``, ``.z``
[rad/s], in its axes; ``wind.speed`` [m/s] and ``wind.direction`` [rad], where it blows to. Those of
a crane among several have its name before them, but for the wind's: ``east_hoist.position``,
``east_sway.radial``.
"""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool

from cable_sim.spec.quantities import PLAIN, Bound, Limit, Name, NonNegative, Positive, Real, spec

DeviceName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.]*$")]
Range = Annotated[tuple[Bound, Bound], PLAIN]
Probability = Annotated[float, Field(strict=True, ge=0.0, lt=1.0)]
Share = Annotated[float, Field(strict=True, ge=0.0, lt=1.0)]
Seed = Annotated[int, Field(strict=True, ge=0, lt=2**32)]
EVERYTHING = (-float("inf"), float("inf"))

PERIODS_TO_STALE = 5.0
"""Age of the newest sample, beyond its delay, at which a reading is stale [sensor periods]."""


@spec
class Sensor:
    """One sensor: signal, low-pass filter, sampling, errors, range, quantisation, drop-out, delay,
    in this order.

    Parameters
    ----------
    name: what its reading is called.
    signal: what it measures; see the head of ``cranes/parts/devices.py``.
    rate: samples per second [Hz]; the machine takes one a tick at most.
    delay: from a sample to the reading that it becomes [s].
    filter: time constant of a low-pass filter before the sampling [s].
    noise: standard deviation, of a normal distribution, of the signal's unit.
    quantum: step between readings, of the signal's unit; 0 for none.
    bias: constant error, of the signal's unit.
    dropout: probability that a sample is lost; the reading stays what it was.
    range: least and largest reading.
    timeout: age at which a reading is stale, and with it invalid [s]; left out, five periods and
        the delay.
    seed: of noise and drop-out; two sensors of one seed differ by their names.
    """

    name: DeviceName
    signal: DeviceName
    rate: Positive = 100.0
    delay: NonNegative = 0.0
    filter: NonNegative = 0.0
    noise: NonNegative = 0.0
    quantum: NonNegative = 0.0
    bias: Real = 0.0
    dropout: Probability = 0.0
    range: Range = EVERYTHING
    timeout: Limit | None = None
    seed: Seed = 0

    @property
    def stale_after(self) -> float:
        """Age of the newest sample at which the reading is invalid [s]."""
        return self.delay + PERIODS_TO_STALE / self.rate if self.timeout is None else self.timeout

    def __post_init__(self) -> None:
        if not self.range[0] < self.range[1]:
            raise ValueError(f"range: must increase, not {self.range[0]:g} ... {self.range[1]:g}")
        if self.timeout is not None and self.timeout < self.delay + 1.0 / self.rate:
            least = self.delay + 1.0 / self.rate
            raise ValueError(
                f"timeout: must be {least:g} s, delay and period, or more, not {self.timeout:g}"
            )


@spec
class Chart:
    """Rated capacity over radius: ``q_max`` up to ``r_full``, beyond it ``moment / (R - r0) - q0``,
    at most ``q_max``.

    Masses [kg] are ``q_max`` and ``q0``, radii [m] ``r_full`` and ``r0``; ``moment`` is in kg m.
    """

    q_max: Positive
    r_full: NonNegative
    q0: NonNegative
    r0: Real
    moment: Positive

    def __post_init__(self) -> None:
        wrong = growth(self.r_full, self.r0)
        if wrong:
            raise ValueError(wrong)

    def capacity(self, radius: float) -> float:
        """Return the rated capacity [kg] at a radius [m]."""
        if radius <= self.r_full:
            return self.q_max
        return max(min(self.q_max, self.moment / (radius - self.r0) - self.q0), 0.0)


def growth(r_full: float, r0: float) -> str:
    """Return the error of chart radii [m] with which capacity would grow; empty if it falls."""
    if r0 < r_full:
        return ""
    return f"r0 must be below r_full, {r_full:g}, not {r0:g}: the capacity would grow with radius"


Kind = Literal[
    "sum", "magnitude", "least", "largest", "larger_share", "chart_share", "rate", "reach"
]


@spec
class Quantity:
    """One number that is computed from readings and from quantities that stand before it.

    Parameters
    ----------
    name: what it is called.
    kind: of inputs x with weights w,
        ``sum``: sum of w x, plus offset;
        ``magnitude``: the same without its sign;
        ``least``, ``largest``: of w x, plus offset;
        ``larger_share``: with L the sum of the positive w x and R that of the others, max(L, R) /
        (L + R); one half while L + R is not above the offset;
        ``chart_share``: first input, a load [kg], over the capacity at the second, a radius [m];
        ``rate``: change of the only input over the last ``window`` seconds, per second;
        ``reach``: radius of the head of a boom, (w1 + sum of the other w x) cos(x1) plus offset: of
        the angle x1 [rad] over the horizontal, the length w1 and further lengths [m].
    inputs: names of sensors and quantities.
    weights: one for each input, of a unit that suits it; left out, ones.
    offset: see above; of the quantity's unit.
    chart: of a ``chart_share``.
    window: of a ``rate`` [s].
    """

    name: DeviceName
    kind: Kind
    inputs: tuple[DeviceName, ...]
    weights: tuple[Real, ...] = ()
    offset: Real = 0.0
    chart: Chart | None = None
    window: NonNegative = 0.0

    def __post_init__(self) -> None:
        wanted = {"chart_share": 2, "rate": 1}.get(self.kind)
        if not self.inputs or (wanted and len(self.inputs) != wanted):
            raise ValueError(
                f"inputs: {self.kind!r} takes {wanted or 'at least 1'}, not {len(self.inputs)}"
            )
        if self.weights and len(self.weights) != len(self.inputs):
            raise ValueError(
                f"weights: must be {len(self.inputs)}, one for each input, not {len(self.weights)}"
            )
        if (self.chart is None) == (self.kind == "chart_share"):
            raise ValueError("chart: belongs to the kind 'chart_share', and to no other")
        if (self.window == 0.0) == (self.kind == "rate"):
            raise ValueError("window: above 0 belongs to the kind 'rate', and to no other")


@spec
class Block:
    """A motion that a limiter forbids.

    It has an axis, a direction in the sense of the axis, and the share of the axis' largest speed
    that stays allowed [-]: 0 to stop, 0.3 to slow down.
    """

    axis: Name
    direction: Literal[1, -1]
    share: Share = 0.0


@spec
class Limiter:
    """One limiter.

    Parameters
    ----------
    name: such as ``load_moment_limiter``.
    quantity: name of the reading or quantity that it watches. While that is invalid, the limiter
        acts as if tripped.
    trip: where it trips, of the quantity's unit, as the next two.
    sense: ``over`` or ``under``: on which side of ``trip`` it trips.
    warn: where it warns, of that unit; left out, it does not.
    reset: where it lets go again, of that unit; left out, at ``trip``.
    delay: how long the quantity has to stay beyond ``trip`` [s].
    latch: whether it stays tripped until somebody resets it.
    blocks: motions that it forbids while it is tripped.
    stop: category of the stop of all motions: 0, brakes at once; 1, ramps to rest, then brakes.
    emergency_brake: whether it closes the emergency brake, too.
    """

    name: DeviceName
    quantity: DeviceName
    trip: Real
    sense: Literal["over", "under"] = "over"
    warn: Real | None = None
    reset: Real | None = None
    delay: NonNegative = 0.0
    latch: StrictBool = False
    blocks: tuple[Block, ...] = ()
    stop: Literal[0, 1] | None = None
    emergency_brake: StrictBool = False

    @property
    def sign(self) -> float:
        """Return 1 if larger values are worse, -1 if smaller ones are [-]."""
        return 1.0 if self.sense == "over" else -1.0

    def __post_init__(self) -> None:
        for name in ("warn", "reset"):
            value = getattr(self, name)
            if value is not None and self.sign * (self.trip - value) < 0.0:
                side = "at most" if self.sense == "over" else "at least"
                raise ValueError(f"{name}: must be {side} the trip, {self.trip:g}, not {value:g}")
        if not self.blocks and self.stop is None:
            raise ValueError("blocks, stop: a limiter has to do something; give it one of them")


def prefixed_devices(crane: Any, prefix: str) -> dict[str, Any]:
    """Return the devices of a crane among several, with a prefix to each name.

    The wind is the same for all.
    """

    def name(own: str) -> str:
        return prefix + own

    return {
        "sensors": tuple(
            replace(
                s,
                name=name(s.name),
                signal=s.signal if s.signal.startswith("wind.") else name(s.signal),
            )
            for s in crane.sensors
        ),
        "quantities": tuple(
            replace(q, name=name(q.name), inputs=tuple(map(name, q.inputs)))
            for q in crane.quantities
        ),
        "limiters": tuple(
            replace(
                limiter,
                name=name(limiter.name),
                quantity=name(limiter.quantity),
                blocks=tuple(replace(block, axis=name(block.axis)) for block in limiter.blocks),
            )
            for limiter in crane.limiters
        ),
    }
