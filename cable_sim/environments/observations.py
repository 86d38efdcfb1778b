"""Observation of a learner: numbers of order one.

| entries | what | divided by |
|---|---|---|
| ``<axis>.position`` | coordinate of each commanded axis | its range, which becomes -1 ... 1 |
| ``<axis>.speed`` | its speed | its largest with that load |
| ``sway.radial``, ``sway.tangential`` | angles of the hook below the trolley | 0.1 rad |
| ``sway.radial_rate``, ``sway.tangential_rate`` | their rates | 0.1 rad/s |
| ``rope_length`` | from trolley to hook | the hoist's largest coordinate |
| ``<axis>.way`` | from the load to its target, by axis (``load_position.py``) | 10 m, 1 rad |
| ``load`` | its mass | the largest that the crane carries |
| ``<axis>.action`` | the last action | - |

Values beyond -10 ... 10 are clipped. When readings are observed, sway rates are differences over
the time between two actions. The rope's length is then the encoder's, plus the part above it at the
start, which the encoder does not know. An invalid reading is replaced by the last valid one.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.feedback import Feedback
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import hoist_of
from cable_sim.environments.load_position import ByAxis, Places

BOUND = 10.0
"""Largest absolute value of an entry [-]; larger ones are clipped."""
SWAY = 0.1
RATE = 0.1
"""Scales of sway [rad] and of its rate [rad/s]."""
WAY = {"m": 10.0, "rad": 1.0, "1": 1.0}
"""Scales of the distances to go, by unit."""


def entries(axes: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the observation's entries for commanded axes of these names."""
    return (
        *(f"{axis}.position" for axis in axes),
        *(f"{axis}.speed" for axis in axes),
        "sway.radial",
        "sway.tangential",
        "sway.radial_rate",
        "sway.tangential_rate",
        "rope_length",
        *(f"{axis}.way" for axis in axes),
        "load",
        *(f"{axis}.action" for axis in axes),
    )


class Perceived(NamedTuple):
    """Perceived state of a crane.

    It has coordinates and speeds by axis, two sway angles [rad] and their rates [rad/s]. It also
    has the rope's ``length`` [m], the load's position by axis and its mass [kg].
    """

    position: ByAxis
    speed: ByAxis
    sway: tuple[float, float]
    rate: tuple[float, float]
    length: float
    load_place: ByAxis
    load: float


class Truth:
    """Perception of the true state.

    Parameters
    ----------
    places: positions of the load by axis.
    load: its mass [kg].
    """

    def __init__(self, places: Places, load: float) -> None:
        self._places = places
        self._load = load

    def __call__(self, seen: Feedback) -> Perceived:
        """Return the true state as perceived."""
        sway = seen.sway
        assert sway is not None
        return Perceived(
            {name: state.position for name, state in seen.axes.items()},
            {name: state.velocity for name, state in seen.axes.items()},
            (sway.radial, sway.tangential),
            (sway.radial_rate, sway.tangential_rate),
            sway.length,
            self._places.load_position(seen),
            self._load,
        )


class Readings:
    """Perception of the sensors' readings.

    Parameters
    ----------
    places: positions of the load by axis.
    axes: names of the commanded axes.
    rest: feedback of the crane at rest.
    period: time between two calls [s].
    """

    def __init__(self, places: Places, axes: Sequence[str], rest: Feedback, period: float) -> None:
        self._places = places
        self._axes = axes
        self._period = period
        assert rest.sway is not None
        self._above = rest.sway.length - rest.axes[places.hoist].position
        self._last: dict[str, float] = {}
        self._sway: tuple[float, float] | None = None

    def __call__(self, seen: Feedback) -> Perceived:
        """Return the state according to the readings; call this once a period."""
        self._last |= {name: value for name, value in seen.readings.items() if math.isfinite(value)}
        read = self._last
        position = {name: read[f"{name}.position"] for name in self._places.axes}
        sway = read["sway.radial"], read["sway.tangential"]
        before = self._sway or sway
        rate = (sway[0] - before[0]) / self._period, (sway[1] - before[1]) / self._period
        self._sway = sway
        return Perceived(
            position,
            {name: read[f"{name}.speed"] for name in self._axes},
            sway,
            rate,
            position[self._places.hoist] + self._above,
            self._places.estimate(position, *sway),
            read["load"],
        )


def observation_entries(
    crane: Crane,
    axes: Sequence[str],
    rated: float,
    goal: ByAxis,
    perceived: Perceived,
    action: Sequence[float],
) -> NDArray[np.float32]:
    """Return the observation's entries, from the perceived state and the last action.

    ``goal`` is the target position of the load by axis, and ``rated`` the largest load [kg].
    """
    moved = [crane.axis(name) for name in axes]
    position = perceived.position
    place = perceived.load_place
    values = [
        *(
            2.0 * (position[axis.name] - axis.lower) / (axis.upper - axis.lower) - 1.0
            for axis in moved
        ),
        *(perceived.speed[axis.name] / axis.max_speed for axis in moved),
        *(angle / SWAY for angle in perceived.sway),
        *(rate / RATE for rate in perceived.rate),
        perceived.length / crane.axis(hoist_of(crane)).upper,
        *((goal[axis.name] - place[axis.name]) / WAY[axis.unit] for axis in moved),
        perceived.load / rated,
        *action,
    ]
    return np.clip(np.array(values), -BOUND, BOUND).astype(np.float32)
