"""The reduced crane linearised: x' = A x + B u about a crane that stands, or slews steadily, with
its load at rest.

    model = linearise(load_crane("tower_12t"), {"trolley": 40.0, "hoist": 30.0}, slewing_speed=0.05)
    model.A, model.B, model.C, model.states, model.inputs, model.outputs, model.rest

*Rest.* While a jib turns with w, a load at the radius r on a rope of length l hangs outward by a,
and not sideways:

    g tan(a) = w^2 (r + l sin(a)),

of which there is one solution below 90 degrees that begins at a = 0, as long as w^2 l < g.

*Jacobians* of the equations in ``crane_model.py`` there, with s = sin(a), c = cos(a) and R = r + l
s; all that is not named is zero:

    a''  by a: -g / (l c) + w^2 c^2,   r: c w^2 / l,   w: 2 c w R / l,   l: c s w^2 / l,
         b': 2 c w,   r'': -c / l
    b''  by b: -g / (l c) + w^2,       r': -2 w / l,   l': -2 w s / l,   a': -2 c w,
         w': -R / l

A gantry has w = 0, a = 0 and R = 1: both sways are pendulums, and nothing couples them. Where the
pendulum of the sway b has another length, because a container tilts less over its long side, that
is l in b''.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.load_kinematics import needed_axes
from cable_sim.control.methods.reduced_crane import CraneState
from cable_sim.control.pendulum import pendulum_length
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import ask_family, hoist_of
from cable_sim.errors import SpecError
from cable_sim.spec.scene import GRAVITY

Array = NDArray[np.float64]

REACH, REACH_RATE, TRAVEL, TRAVEL_RATE, LENGTH, LENGTH_RATE = range(6)
RADIAL, RADIAL_RATE, TANGENTIAL, TANGENTIAL_RATE = range(6, 10)
"""Indices in a :class:`~cable_sim.control.methods.reduced_crane.CraneState`."""


@dataclass(frozen=True)
class LinearModel:
    """Linear model of a crane near a place: dx/dt = A x + B u and y = C x, for deviations from
    rest.

    Parameters
    ----------
    states: names, as sensors are called, ``.rate`` of a sway; positions in m or rad, speeds per
        second.
    inputs: the axes whose acceleration each is [m/s^2, rad/s^2].
    outputs: readings of the sway camera [rad], and ``load.along``, ``load.across``: the load's way
        outward and to the left [m].
    A, B, C: (n, n), (n, m) and (k, n), of SI units.
    rest: (n,) the state itself, about which it is, in the units of the states.
    """

    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Array
    B: Array
    C: Array
    rest: Array

    def discrete(self, period: float) -> tuple[Array, Array]:
        """F (n, n) and G (n, m) of x+ = F x + G u for inputs that are held for a period [s]."""
        from scipy.linalg import expm  # slow to import

        n, m = self.B.shape
        whole = np.zeros((n + m, n + m))
        whole[:n, :n] = self.A
        whole[:n, n:] = self.B
        grown = expm(period * whole)
        return grown[:n, :n], grown[:n, n:]

    @property
    def frequencies(self) -> Array:
        """Natural frequencies (k,) of the model [rad/s], the slowest first."""
        values = np.linalg.eigvals(self.A).imag
        return np.sort(values[values > 1e-9])


def linearise(crane: Crane, at: Mapping[str, float], slewing_speed: float = 0.0) -> LinearModel:
    """The linear model of a crane with the load of its file.

    ``at`` says where its axes are, by name [m, rad]; ``hoist`` is needed, and of a tower crane
    ``trolley``, or the axes that the family names in their place. The hoist's state is its
    coordinate, whose changes are those of the pendulum's length. ``slewing_speed`` [rad/s] is
    steady. SpecError for a place where the crane can't be, or a crane of which it is not known how
    its load sways.
    """
    length = pendulum_length(crane)
    moving = needed_axes(crane, "linearise")
    hoist = hoist_of(crane)
    axes = (moving.outward, moving.across, hoist)
    slews = moving.turns
    if not moving.course.straight:
        raise SpecError(
            f"linearise: needs an axis that moves the load outward by its coordinate; {axes[0]} of "
            f"{crane.name} moves it along a curve"
        )
    _check(crane, at, (hoist, axes[0]) if slews else (hoist,))
    _check_turn(crane, axes[1], slewing_speed if slews else 0.0)
    if slewing_speed and not slews:
        raise SpecError(
            f"slewing_speed: {crane.name} does not slew, so it must be 0, not {slewing_speed:g}"
        )
    rest = rest_state(at.get(axes[0], 0.0), at.get(axes[1], 0.0), length(at[hoist]), slewing_speed)
    aside = length(at[hoist], across=True)
    state, drive = jacobians(rest, slews, aside)
    looks = outputs(rest, slews, ask_family(crane).camera_share(crane)(at[hoist]), aside)
    whole = np.array(rest)
    whole[LENGTH] = at[hoist]
    kept = [i for i in range(10) if axes[1] or i not in (TRAVEL, TRAVEL_RATE)]
    driven = [i for i, name in enumerate(axes) if name]
    names = [f"{name}.{what}" for name in axes for what in ("position", "speed")]
    names += ["sway.radial", "sway.radial.rate", "sway.tangential", "sway.tangential.rate"]
    return LinearModel(
        tuple(names[i] for i in kept),
        tuple(axes[i] for i in driven),
        ("sway.radial", "sway.tangential", "load.along", "load.across"),
        state[np.ix_(kept, kept)],
        drive[np.ix_(kept, driven)],
        looks[:, kept],
        whole[kept],
    )


def _check(crane: Crane, at: Mapping[str, float], needed: tuple[str, ...]) -> None:
    """Raise SpecError for a place where the crane can't be."""
    for name in needed:
        if name not in at:
            raise SpecError(
                f"at: needs {name}, where the model is to be; not only {', '.join(at) or 'nothing'}"
            )
    for name, place in at.items():
        axis = crane.axis(name)
        if not axis.lower <= place <= axis.upper:
            raise SpecError(
                f"at: {name} goes from {axis.lower:g} to {axis.upper:g} {axis.unit}, not to "
                f"{place:g}"
            )


def _check_turn(crane: Crane, axis: str, slewing_speed: float) -> None:
    """Raise SpecError for a turn [rad/s] that the axis can't make."""
    if slewing_speed:
        most = crane.axis(axis).max_speed
        if not abs(slewing_speed) <= most:
            raise SpecError(
                f"slewing_speed: must be within -{most:g} ... {most:g} rad/s, not {slewing_speed:g}"
            )


def rest_state(reach: float, travel: float, length: float, turn: float = 0.0) -> CraneState:
    """The state of rest below a trolley at a place [m; rad or m] while the jib turns [rad/s]; see
    above.

    SpecError for a turn with w^2 l at g or above.
    """
    if turn**2 * length >= GRAVITY:
        most = math.sqrt(GRAVITY / length)
        raise SpecError(
            f"slewing_speed: on {length:g} m of rope it must be below {most:g} rad/s, not {turn:g}"
        )
    sway = 0.0
    for _ in range(100):
        sway = math.atan(turn**2 * (reach + length * math.sin(sway)) / GRAVITY)
    return CraneState(reach, 0.0, travel, turn, length, 0.0, sway)


def jacobians(rest: CraneState, slews: bool, aside: float | None = None) -> tuple[Array, Array]:
    """A (10, 10) and B (10, 3) of the reduced crane about a state of :func:`rest_state`.

    ``aside`` is the length of the pendulum [m] in the tangential sway, where a crane has another.
    """
    a = np.zeros((10, 10))
    b = np.zeros((10, 3))
    for position in (REACH, TRAVEL, LENGTH, RADIAL, TANGENTIAL):
        a[position, position + 1] = 1.0
    for axis, rate in enumerate((REACH_RATE, TRAVEL_RATE, LENGTH_RATE)):
        b[rate, axis] = 1.0
    length = rest.length
    w = rest.travel_rate if slews else 0.0
    s = math.sin(rest.radial)
    c = math.cos(rest.radial)
    arm = rest.reach + length * s if slews else 1.0
    radial = a[RADIAL_RATE]
    tangential = a[TANGENTIAL_RATE]
    radial[RADIAL] = -GRAVITY / (length * c) + (w * c) ** 2
    aside = length if aside is None else aside
    tangential[TANGENTIAL] = -GRAVITY / (aside * c) + w**2
    if slews:
        radial[[REACH, TRAVEL_RATE, LENGTH]] = (
            c * w**2 / length,
            2.0 * c * w * arm / length,
            c * s * w**2 / length,
        )
        tangential[[REACH_RATE, LENGTH_RATE]] = -2.0 * w / aside, -2.0 * w * s / aside
        radial[TANGENTIAL_RATE] = 2.0 * c * w
        tangential[RADIAL_RATE] = -2.0 * c * w
    b[RADIAL_RATE, 0] = -c / length
    b[TANGENTIAL_RATE, 1] = -arm / aside
    return a, b


def outputs(rest: CraneState, slews: bool, share: float, aside: float) -> Array:
    """C (4, 10): the camera's readings, ``share`` of the falls' slope, and the load's way along and
    across.

    ``aside`` is the length of the pendulum in the tangential sway [m].
    """
    looks = np.zeros((4, 10))
    length = rest.length
    s = math.sin(rest.radial)
    c = math.cos(rest.radial)
    looks[0, RADIAL] = share
    looks[1, TANGENTIAL] = share / c
    looks[2, [REACH, LENGTH, RADIAL]] = 1.0, s, length * c
    looks[3, [TRAVEL, TANGENTIAL]] = rest.reach + length * s if slews else 1.0, aside
    return looks
