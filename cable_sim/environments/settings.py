"""Settings of an environment."""

from typing import Any

from pydantic import Field, StrictBool

from cable_sim.cranes.rigging.rig import Pair
from cable_sim.spec.quantities import Fraction, Name, NonNegative, Positive, spec


@spec
class Weights:
    """Weights of the reward's parts; see ``environments/reward.py``.

    Parameters
    ----------
    progress: reward per second of way saved, at full speed [1/s].
    time: cost per second that passes [1/s].
    sway: cost per second with 0.1 rad of sway [1/s]; goes with its square.
    change: cost per squared change of an action [-].
    success, failure: reward and cost at the end, once [-].
    discount: the learner's discount, for which the shaping leaves the optimal policy unchanged [-];
        1 makes it plain progress.
    """

    progress: NonNegative = 0.1
    time: NonNegative = 0.1
    sway: NonNegative = 0.1
    change: NonNegative = 0.01
    success: NonNegative = 10.0
    failure: NonNegative = 10.0
    discount: Fraction = 1.0


@spec
class Settings:
    """Settings of an environment: crane, distribution of its tasks, their end, and timing.

    Parameters
    ----------
    crane: name from the catalogue, or path of a YAML file, of a tower crane or a gantry crane,
        or of a family that tells its rated load and the axes that move its load.
    places: ranges of start and target by name of the axis, in its coordinate [m, rad]. The named
        axes are commanded, in the order of the crane; the others stay where the crane's file has
        them.
    load: range of its mass [kg]. A heavy load is not drawn at a radius where it exceeds 0.9 of the
        load chart.
    wind: range of its mean speed [m/s], turbulent, from any direction; 0 ... 0 leaves the wind of
        the crane's file.
    changes: changes of the crane's file, by path: ``{"sensors.camera.delay": 0.04}``.
    measured: True to observe the readings of sensors, False to observe the true state.
    weights: weights of the reward.
    band: distance of the load from its target [m] within which it has arrived.
    calm: speed [m/s] that an arrived load must not exceed.
    hold: duration [s] for which the load must stay within ``band`` and ``calm``.
    time_limit: duration after which an episode is truncated [s].
    period: time between two actions [s].
    tick: period of the machine [s], at which limiters are evaluated and sensors are read; the
        period over a whole number. Long ticks cost less.
    dt: physics step [s]; the tick over a whole number.
    """

    crane: str
    places: dict[Name, Pair]
    load: Pair
    wind: Pair = (0.0, 0.0)
    changes: dict[str, Any] = Field(default_factory=dict)
    measured: StrictBool = False
    weights: Weights = Weights()
    band: Positive = 0.3
    calm: Positive = 0.1
    hold: NonNegative = 1.0
    time_limit: Positive = 60.0
    period: Positive = 0.1
    tick: Positive = 0.01
    dt: Positive = 1e-3

    @property
    def ticks(self) -> int:
        """Ticks of the machine between two actions."""
        return round(self.period / self.tick)

    def __post_init__(self) -> None:
        ranges = {f"places.{axis}": span for axis, span in self.places.items()}
        for name, (low, high) in (ranges | {"load": self.load, "wind": self.wind}).items():
            if low > high:
                raise ValueError(f"{name}: must not decrease, from {low:g} to {high:g}")
        if not self.places:
            raise ValueError("places: needs an axis at least")
        if self.load[0] <= 0.0 or self.wind[0] < 0.0:
            given = f"{self.load[0]:g}, {self.wind[0]:g}"
            raise ValueError(f"load, wind: must be above 0 kg, and 0 m/s or more, not {given}")
        if not _is_whole(self.period / self.tick):
            raise ValueError(
                f"tick: must be {self.period:g} s over a whole number, not {self.tick:g}"
            )
        if not _is_whole(self.tick / self.dt):
            raise ValueError(f"dt: must be {self.tick:g} s over a whole number, not {self.dt:g}")


def _is_whole(number: float) -> bool:
    """Return True if the number is a whole number above 0, up to rounding."""
    return number > 0.5 and abs(number - round(number)) < 1e-6
