"""One frame of a running crane, for viewers and operators, whatever its source."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cable_sim.machine.states import AxisState, Sway
from cable_sim.sim.readings.views import Contact, TouchEvent
from cable_sim.spec import Visual

if TYPE_CHECKING:
    from cable_sim.machine.faults import Fault
    from cable_sim.sim.readings.views import CableView

Array = NDArray[np.float64]
Marks = NDArray[np.bool_]
Places = NDArray[np.int64]


def move_with_ends(span: Array, start: Array, end: Array) -> Array:
    """Return a span's points (n, 3) moved with its ends, from ``start`` to ``end`` [m].

    A point goes by its place along the span, so that points that coincide stay together.
    """
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(span, axis=0), axis=1))])
    x = (way / way[-1] if way[-1] > 0.0 else np.linspace(0.0, 1.0, len(span)))[:, None]
    return np.asarray(span + (1.0 - x) * (start - span[0]) + x * (end - span[-1]))


def smooth(points: Array, parts: int) -> Array:
    """Return a smooth curve through points (n, 3) [m]: Catmull and Rom's spline.

    It has ``parts`` pieces between neighbouring points. Its ends keep their directions.
    """
    before = np.vstack([2.0 * points[:1] - points[1:2], points[:-2]])
    after = np.vstack([points[2:], 2.0 * points[-1:] - points[-2:-1]])
    leaving = 0.5 * (points[1:] - before)
    arriving = 0.5 * (after - points[:-1])
    between = _cubics(points, leaving, arriving, parts)
    return np.vstack([points[:1], between.reshape(-1, 3)])


def smooth_at(points: Array, bends: Marks, gaps: Places, parts: int) -> Array:
    """Return a curve through points (n, 3) [m] that is smooth at some of them, ``bends`` (n,).

    It has ``parts`` pieces between neighbouring points. At a bend it has the direction of the
    parabola through the neighbours; at any other point it kinks, along the straight lines. So it
    leaves a line of length l by at most (4/27) l (sin a + sin b), a and b the angles at its ends,
    and lines without bends at their ends stay straight. Points may coincide. Behind the points
    ``gaps`` there is no rope, so its ends there are straight.
    """
    apart = np.any(points[1:] != points[:-1], axis=1)
    group = np.concatenate([[0], np.cumsum(apart)])
    corners = points[np.concatenate([[True], apart])]
    ways = np.diff(corners, axis=0)
    lengths = np.linalg.norm(ways, axis=1, keepdims=True)
    smooth_here = np.zeros(len(corners), dtype=np.bool_)
    smooth_here[group[bends]] = True
    smooth_here[[0, -1]] = False
    smooth_here[np.minimum(group[gaps] + np.array([[0], [1]]), len(ways))] = False
    bent = np.flatnonzero(smooth_here)
    leaving = ways.copy()
    arriving = ways.copy()
    tangents = ways[bent - 1] / lengths[bent - 1] ** 2 + ways[bent] / lengths[bent] ** 2
    tangents /= np.maximum(np.linalg.norm(tangents, axis=1, keepdims=True), 1e-12)
    leaving[bent] = lengths[bent] * tangents
    arriving[bent - 1] = lengths[bent - 1] * tangents
    curve = _cubics(corners, leaving, arriving, parts)
    between = np.repeat(points[1:, None], parts, axis=1)
    between[apart] = curve
    return np.vstack([points[:1], between.reshape(-1, 3)])


def _cubics(points: Array, leaving: Array, arriving: Array, parts: int) -> Array:
    """Return points (n - 1, parts, 3) of cubics with given derivatives at both ends of each."""
    t = (np.arange(1, parts + 1) / parts)[:, None]
    return np.asarray(
        (1.0 + 2.0 * t) * (1.0 - t) ** 2 * points[:-1, None]
        + t * (1.0 - t) ** 2 * leaving[:, None]
        + t * t * (3.0 - 2.0 * t) * points[1:, None]
        - t * t * (1.0 - t) * arriving[:, None]
    )


NO_POINTS = np.zeros((0, 3))
NO_MARKS = np.zeros(0, dtype=np.bool_)
NO_PLACES: NDArray[np.int64] = np.zeros(0, dtype=np.int64)


class CablePicture(NamedTuple):
    """A cable's curve: points (n, 3) [m] in the world, always the same number.

    ``nodes`` (m,) are the indices of its nodes: all points if the spans between are straight, or if
    the cable is made of masses. Tension per span (m - 1,) [N], and whether it is slack. The
    ``masses`` (k, 3) of a hybrid wire and the contact nodes, ``contacts`` (l, 3), stand on the
    curve [m]; ``sticks`` (l,) is True where friction holds the rope. Behind the points ``severed``
    of a wire that has broken there is no rope. ``speed`` is that of the rope off its drum [m/s],
    ``slip`` the fastest over a wheel [m/s], None where it is not known.
    """

    points: Array
    nodes: NDArray[np.int64]
    tension: Array
    slack: bool
    masses: Array = NO_POINTS
    contacts: Array = NO_POINTS
    sticks: NDArray[np.bool_] = NO_MARKS
    severed: NDArray[np.int64] = NO_PLACES
    speed: float = 0.0
    slip: float | None = None

    @classmethod
    def of(cls, seen: "CableView", slip: float | None = None) -> "CablePicture":
        """Return the picture of a cable as it is observed, and how fast it slips [m/s]."""
        return cls(
            seen.curve,
            seen.tension_nodes,
            seen.span_tension,
            seen.slack,
            seen.mass_position,
            seen.contact_position,
            seen.contact_sticks,
            seen.severed,
            seen.length_rate,
            slip,
        )

    def thin(self, kept: NDArray[np.int64], nodes: NDArray[np.int64]) -> "CablePicture":
        """Return the picture with the points ``kept`` (m,) alone, among them its ``nodes``.

        Between masses, a piece shows the largest tension in its place.
        """
        tension = self.tension
        if len(self.nodes) == len(self.points):
            nodes = np.arange(len(kept))
            tension = np.maximum.reduceat(tension, kept[:-1])
        severed = np.unique(np.searchsorted(kept, self.severed, side="right") - 1)
        return self._replace(
            points=self.points[kept], nodes=nodes, tension=tension, severed=severed
        )


@dataclass(frozen=True)
class Frame:
    """A crane at one instant.

    Poses are (position [m], orientation (w, x, y, z)) by body name, in the world frame.

    ``hook_yaw`` is the angle of the hook block from the trolley about the vertical [rad],
    anticlockwise from above, with its turns. It and the sway are None where nothing hangs on falls.

    ``limits`` are the states of the limiters and ``readings`` the values that the control reads and
    computes, by name, as in :class:`~cable_sim.machine.machine.Machine`. Over ROS the readings are
    only those that operators see. ``faults`` are the active ones, in words. ``messages`` are the
    newest events, the last one at the end; ``condition`` is why the run stands or lags, while it
    does. ``visuals`` are drawn on bodies that are not in the crane's scene, such as spawned loads;
    one tuple stays the same object while nothing of it changes. ``contacts`` are the pairs that
    touch; over ROS they are as old as the last message of them. ``events`` are the newest begins
    and ends of touches, the last one at the end. ``brakes`` are True where an axis' brake is
    closed; over ROS there are none.
    """

    time: float
    poses: dict[str, tuple[Array, Array]]
    cables: dict[str, CablePicture]
    axes: dict[str, AxisState]
    sway: Sway | None = None
    hook_yaw: float | None = None
    paused: bool = False
    emergency_stop: bool = False
    real_time_factor: float = 0.0
    messages: tuple[str, ...] = field(default=())
    limits: dict[str, str] = field(default_factory=dict)
    readings: dict[str, float] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    condition: str = ""
    visuals: tuple[Visual, ...] = ()
    contacts: tuple[Contact, ...] = ()
    events: tuple[TouchEvent, ...] = ()
    brakes: dict[str, bool] = field(default_factory=dict)


class Source(Protocol):
    """Source of a viewer's frames and receiver of commands, in this process or over ROS."""

    def latest(self) -> Frame | None:
        """Return the newest frame, or None while there is none; never wait."""

    @property
    def progress(self) -> str:
        """Text on what keeps the first frame from coming, such as the compiling of kernels."""

    def command(self, axis: str, speed: float) -> None:
        """Set the speed command of an axis [rad/s or m/s], in the axis' sense.

        The machine brakes if it is not repeated.
        """

    def emergency_stop(self, engaged: bool) -> None:
        """Engage or release the emergency stop."""

    def pause(self, paused: bool) -> None:
        """Stop or continue the clock."""

    def step(self) -> None:
        """Advance one tick while paused."""

    def reset(self) -> None:
        """Go back to the start."""

    def reset_limiters(self) -> None:
        """Reset the latched limiters."""

    def inject(self, fault: "Fault") -> None:
        """Inject a fault."""

    def clear_faults(self) -> None:
        """Remove all faults."""

    def close(self) -> None:
        """Release the resources."""
