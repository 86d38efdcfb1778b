"""Metrics of a run: sway, settling, errors, effort, limiters.

*Times.* The start t_s is when the first planned move starts; without a move it is the run's. The
arrival t_a is when every axis that has moves is at its target and slow, and stays so to the end of
the run: off by no more than 2 % of its longest move, or 5 mm or 0.02 deg where that is more, and
not faster than 2 % of the fastest speed that its moves may have. A controller that still moves an
axis to calm the load has not arrived. Without a move t_a = t_s.

*Sway.* theta is the angle between the vertical and the line from trolley to hook, tan^2 theta =
tan^2 (radial) + tan^2 (tangential). It counts while the hoist rope is tight: while it pulls more
than 1 % of its largest pull. The period T = 2 pi sqrt(l / g) is that of the pendulum when all moves
are made. An axis that has arrived may still go at 2 % of its speed, and what it has yet to lose
makes sway, or takes it away. So what is left of the sway counts from t_r on, when the axes with
moves rest: the first time from t_a on at which each is slower than 0.1 % of the fastest speed that
its moves may have, or T / 2 after t_a where a controller does not let them rest. Without a move t_r
= t_a.

*Twist.* psi is the angle by which the load has turned about the vertical since the start,
anticlockwise from above, in the world: on slings below one hook it does not go round with a jib
that slews.

*Position.* The load's target p* hangs straight below the trolley with all axes at their last
targets, on a tower at radius and angle of those; if nothing moves, it is where the load was. e is
the horizontal distance of the load's centre from it.

A time that never comes is infinite, and what does not apply, such as the share of a way of no
length, is NaN. Integrals are by the trapezoidal rule over the ticks. The same run gives the same
bits; what depends on the clock on the wall is apart, in ``timing.py``.
"""

import dataclasses
import inspect
import math
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.pendulum import period_of
from cable_sim.control.profiles import Ramps
from cable_sim.control.run import Run
from cable_sim.control.trips import Trips, limiter_trips

Array = NDArray[np.float64]
Rows = NDArray[np.bool_]

ARRIVED = 0.02
SLOW = 0.02
RESTS = 0.001
"""Shares within which an axis has arrived, of its longest move and of its fastest speed, and rests,
of that speed [-]."""
LEAST_BAND = {"m": 0.005, "rad": math.radians(0.02), "1": 0.01}
"""Least distance from its target within which an axis has arrived, by its unit.

0.02 deg is 14 mm at 40 m.
"""
BAND = 0.05
BAND_SHARE = 0.02
"""Bands within which the load has settled: [m], as tenders of container cranes ask for, and over
its way [-]."""
SLACK = 0.01
"""Share of its largest pull up to which a rope is slack [-]."""


class AxisMetrics(NamedTuple):
    """The metrics of one axis.

    Parameters
    ----------
    overshoot: [m or rad] how far it went beyond its last target, in the sense of its last move; 0
        without a move.
    final_error: [m or rad] |q - q*| at the end of the run; NaN without a move.
    energy: [J] integral |F v| dt of effort and speed, what is taken back counted like what is
        given.
    peak_power: [W] largest |F v|.
    command_squared: [m^2/s or rad^2/s] integral u^2 dt of the commanded speeds, each held for its
        tick; NaN of an axis that was sent to places.
    """

    overshoot: float
    final_error: float
    energy: float
    peak_power: float
    command_squared: float


@dataclass(frozen=True)
class Metrics:
    """The metrics of one run.

    The head of the file defines t_s, t_a, t_r, theta, psi, T, p* and e.

    Parameters
    ----------
    planned_time: [s] from t_s until the planned moves are at rest.
    arrival_time: [s] t_a - t_s, from start to arrival.
    settling_time: [s] from t_a until e <= 0.05 m for good; 0 if that was so before. *For good*
        means to the end, and for T / 2 at least, because a swing is in any band for a while.
    settling_time_from_start: [s] the same from t_s.
    settling_time_share: [s] as settling_time, within 2 % of the straight way from where the load
        was to p*; NaN for a way of less than 5 mm.
    transient_sway_deg: [deg] largest theta from t_s to t_a, to the end if the axes never arrive.
    residual_sway_deg: [deg] largest theta from t_r to the end.
    residual_sway_m: [m] largest horizontal distance of the load from below its trolley, from t_r to
        the end.
    periods_watched: [-] (end - t_r) / T: below 2 the residual sway may be larger than what was
        seen.
    twist_deg: [deg] largest |psi| from t_s to the end.
    residual_twist_deg: [deg] half of the difference between largest and least psi from t_r to the
        end.
    overshoot: [m] largest distance of the load beyond p* over all axes with moves. It is measured
        along the axis, in the sense of its last move and since that began; for slewing along the
        arc at the radius of p*.
    final_error: [m] horizontal distance from p* of the load's mean place over the last period T.
    final_error_height: [m] the same, vertical.
    position_iae: [m s] integral e dt from t_s to the end.
    position_ise: [m^2 s] integral e^2 dt.
    position_itae: [m s^2] integral (t - t_s) e dt.
    sway_iae: [deg s] integral theta dt from t_s to the end.
    sway_ise: [deg^2 s] integral theta^2 dt.
    sway_itae: [deg s^2] integral (t - t_s) theta dt.
    peak_pull: [N] largest pull of the first hoist rope at its drum.
    hoist_factor: [-] peak_pull over the static pull, the median of the pulls while the rope is
        tight.
    energy: [J] integral |F v| dt, effort and speed, summed over all axes.
    peak_power: [W] largest sum of |F v| over all axes at an instant.
    limiter_trips: [-] how often limiters, emergency stop or dead-man control began to act: to
        block, slow down or stop.
    limiter_time: [s] for how long they did, one added to the other.
    """

    planned_time: float
    arrival_time: float
    settling_time: float
    settling_time_from_start: float
    settling_time_share: float
    transient_sway_deg: float
    residual_sway_deg: float
    residual_sway_m: float
    periods_watched: float
    twist_deg: float
    residual_twist_deg: float
    overshoot: float
    final_error: float
    final_error_height: float
    position_iae: float
    position_ise: float
    position_itae: float
    sway_iae: float
    sway_ise: float
    sway_itae: float
    peak_pull: float
    hoist_factor: float
    energy: float
    peak_power: float
    limiter_trips: float
    limiter_time: float
    axes: dict[str, AxisMetrics]
    limiters: dict[str, Trips]

    def figures(self) -> dict[str, float]:
        """All numbers of the run as such, by name, in the units of :func:`definitions`."""
        return {name: getattr(self, name) for name in definitions()}

    def flatten(self) -> dict[str, float]:
        """The same and those of the axes, called ``trolley.energy``, in their units."""
        own = (
            (f"{axis}.{name}", value)
            for axis, found in self.axes.items()
            for name, value in found._asdict().items()
        )
        return self.figures() | dict(own)


class Definition(NamedTuple):
    """Unit and words of a metric."""

    unit: str
    words: str


def definitions(of: type = Metrics) -> dict[str, Definition]:
    """Return the definitions of a class of metrics by name, as its documentation has them."""
    _, _, listed = (inspect.getdoc(of) or "").partition("----------\n")
    items = re.findall(r"^(\w+): \[([^\]]*)\] (.*?)(?=^\w|\Z)", listed, re.MULTILINE | re.DOTALL)
    return {
        name: Definition(unit, " ".join(words.split()).rstrip(".")) for name, unit, words in items
    }


def metrics_of(run: Run) -> Metrics:
    """The metrics of a run."""
    start = min((travel.ramps.start for travel in run.travels), default=float(run.time[0]))
    planned = max((travel.ramps.end for travel in run.travels), default=start)
    arrived = max(_time_of_row(run.time, first_row_of(_arrival_mask(run))), start)
    period = period_of(run.pendulum)
    rests = _rests(run, arrived, period)
    watched = max(float(run.time[-1]) - rests, 0.0) / period
    power = np.abs(run.effort * run.velocity)
    trips = limiter_trips(run.events, float(run.time[-1]))
    found: dict[str, Any] = {
        "planned_time": planned - start,
        "arrival_time": arrived - start,
        "periods_watched": watched,
        **_sway(run, start, arrived, rests),
        **_twist(run, start, rests),
        **_position(run, start, arrived, period),
        **_pull(run.pull),
        "energy": float(np.trapezoid(power, run.time, axis=0).sum()),
        "peak_power": _largest_value(power.sum(axis=1)),
        "limiter_trips": float(sum(one.number for one in trips.values())),
        "limiter_time": sum((one.time for one in trips.values()), 0.0),
    }
    axes = {name: _axis(run, i, power[:, i]) for i, name in enumerate(run.axes)}
    return Metrics(**found, axes=axes, limiters=trips)


def inclination(run: Run) -> Array:
    """(n,) theta [rad]; NaN while the rope is slack."""
    theta = np.arctan(np.hypot(np.tan(run.sway[:, 0]), np.tan(run.sway[:, 1])))
    return np.where(run.pull <= SLACK * _largest_value(run.pull), np.nan, theta)


def twist(run: Run) -> Array:
    """(n,) psi [rad]; NaN where it is not known."""
    psi = np.full(run.time.size, np.nan)
    known = (
        np.isfinite(run.heading) if run.heading.size else np.zeros(run.time.size, dtype=np.bool_)
    )
    if known.any():
        turned = np.unwrap(run.heading[known])
        psi[known] = turned - turned[0]
    return psi


def target(run: Run) -> Array | None:
    """(3,) p* [m]; None where it is not known."""
    if run.plumb is None:
        return None
    return np.asarray(run.plumb.below(_targets(run))[0])


def first_row_of(holds: Rows) -> int:
    """The first row from which on something holds to the end; the number of rows if it does not at
    the end."""
    fails = np.flatnonzero(~holds)
    return int(fails[-1]) + 1 if fails.size else 0


def _targets(run: Run) -> Array:
    """(a,) coordinates of the axes when all moves are made [m, rad]."""
    ends = np.array(run.position[0])
    for travel in run.travels:
        ends[run.axes.index(travel.axis)] = travel.target
    return ends


def _arrival_mask(run: Run) -> Rows:
    """Return a mask (n,), True while all axes with moves are at their targets and slow."""
    there = _slowness_mask(run, SLOW)
    ends = _targets(run)
    for i, ways in _moves(run).items():
        band = max(ARRIVED * max(abs(way.distance) for way in ways), LEAST_BAND[run.units[i]])
        there &= np.abs(run.position[:, i] - ends[i]) <= band
    return there


def _slowness_mask(run: Run, share: float) -> Rows:
    """Return a mask (n,), True while all axes with moves are slow.

    Slow is no faster than a share [-] of the fastest speed that their moves may have.
    """
    slow = np.ones(run.time.size, dtype=np.bool_)
    for i, ways in _moves(run).items():
        slow &= np.abs(run.velocity[:, i]) <= share * max(way.speed for way in ways)
    return slow


def _moves(run: Run) -> dict[int, list[Ramps]]:
    """The moves by column of their axis."""
    found: dict[int, list[Ramps]] = {}
    for travel in run.travels:
        found.setdefault(run.axes.index(travel.axis), []).append(travel.ramps)
    return found


def _rests(run: Run, arrived: float, period: float) -> float:
    """t_r, for the arrival and the period of the sway [s]."""
    latest = arrived + (0.5 * period if math.isfinite(period) else 0.0)
    at_rest = np.flatnonzero(_slowness_mask(run, RESTS) & (run.time >= arrived))
    return min(float(run.time[at_rest[0]]), latest) if at_rest.size else latest


def _sway(run: Run, start: float, arrived: float, rests: float) -> dict[str, float]:
    """Metrics of the sway."""
    theta = np.degrees(inclination(run))
    after = run.time >= rests
    moving = (run.time >= start) & (run.time < arrived)
    aside = np.full(run.time.size, np.nan)
    if run.plumb is not None:
        aside = np.hypot(*(run.load - run.plumb.below(run.position))[:, :2].T)
    return {
        "transient_sway_deg": _largest_value(theta[moving]),
        "residual_sway_deg": _largest_value(theta[after]),
        "residual_sway_m": _largest_value(aside[after]),
        **_integrals("sway", run.time, theta, start),
    }


def _twist(run: Run, start: float, rests: float) -> dict[str, float]:
    """Metrics of the load's turning about the vertical."""
    psi = np.degrees(twist(run))
    after = psi[run.time >= rests]
    return {
        "twist_deg": _largest_value(np.abs(psi[run.time >= start])),
        "residual_twist_deg": 0.5 * (_largest_value(after) + _largest_value(-after)),
    }


def _position(run: Run, start: float, arrived: float, period: float) -> dict[str, float]:
    """Metrics of where the load is."""
    goal = target(run)
    if goal is None or run.plumb is None:
        goal = np.full(3, np.nan)
    off = run.load - goal
    last = run.time > run.time[-1] - (period if math.isfinite(period) else 0.0)
    error = np.hypot(off[:, 0], off[:, 1])
    mean = off[last | (run.time == run.time[-1])].mean(axis=0)
    latest = run.time[-1] - (0.5 * period if math.isfinite(period) else 0.0)
    way = math.dist(run.plumb.below(run.position[0])[0, :2], goal[:2]) if run.plumb else math.nan
    settled = (
        _settling_time(run.time, error, BAND, latest) if np.isfinite(error).any() else math.nan
    )
    shared = (
        _settling_time(run.time, error, BAND_SHARE * way, latest)
        if way > LEAST_BAND["m"]
        else math.nan
    )
    return {
        "settling_time": _lateness(settled, arrived),
        "settling_time_from_start": _lateness(settled, start),
        "settling_time_share": _lateness(shared, arrived),
        "overshoot": _overshoot(run),
        "final_error": math.hypot(mean[0], mean[1]),
        "final_error_height": abs(float(mean[2])),
        **_integrals("position", run.time, error, start),
    }


def _settling_time(time: Array, error: Array, band: float, latest: float) -> float:
    """Return the time from which an error stays within a band [s]; infinite if it is later than
    ``latest``."""
    at = _time_of_row(time, first_row_of(error <= band))
    return at if at <= latest else math.inf


def _overshoot(run: Run) -> float:
    """Return the overshoot of the load beyond its target [m]; 0 without a move, NaN where it is not
    known."""
    if run.plumb is None:
        return math.nan
    ends = _targets(run)
    coordinates = run.plumb.coordinates(run.load)
    axes = {run.axes.index(travel.axis) for travel in run.travels}
    return max(
        (_overshoot_beyond(run, coordinates[:, i], i) * run.plumb.lever(i, ends) for i in axes),
        default=0.0,
    )


def _overshoot_beyond(run: Run, coordinate: Array, axis: int) -> float:
    """Return the overshoot of a coordinate beyond the last target of an axis; 0 without a move.

    It is counted in the sense of the axis' last move.
    """
    moves = [travel for travel in run.travels if travel.axis == run.axes[axis]]
    if not moves:
        return 0.0
    last = moves[-1]
    beyond = math.copysign(1.0, last.ramps.distance) * (coordinate - last.target)
    return max(_largest_value(beyond[run.time >= last.ramps.start]), 0.0)


def _pull(pull: Array) -> dict[str, float]:
    """Metrics of the hoist rope."""
    peak = _largest_value(pull)
    tight = pull[pull > SLACK * peak]
    factor = peak / float(np.median(tight)) if tight.size else math.nan
    return {"peak_pull": peak, "hoist_factor": factor}


def _axis(run: Run, axis: int, power: Array) -> AxisMetrics:
    """Metrics of one axis; ``power`` is its |F v| (n,) [W]."""
    moves = any(travel.axis == run.axes[axis] for travel in run.travels)
    error = abs(float(run.position[-1, axis] - _targets(run)[axis])) if moves else math.nan
    squared = float((_hold_commands(run.wanted[1:, axis]) ** 2 * np.diff(run.time)).sum())
    return AxisMetrics(
        _overshoot_beyond(run, run.position[:, axis], axis),
        error,
        float(np.trapezoid(power, run.time)),
        _largest_value(power),
        math.nan if run.axes[axis] in run.by_place else squared,
    )


def _hold_commands(wanted: Array) -> Array:
    """Commands, each until the next one, and 0 before the first."""
    given = np.isfinite(wanted)
    latest = np.maximum.accumulate(np.where(given, np.arange(wanted.size), -1))
    return np.where(latest >= 0, wanted[latest], 0.0)


def _integrals(name: str, time: Array, error: Array, start: float) -> dict[str, float]:
    """Integrals of an error from the start, of its square, and weighted with time; NaN does not
    count."""
    rows = time >= start
    t = time[rows]
    e = np.nan_to_num(error[rows], nan=0.0)
    known = bool(np.isfinite(error).any())
    found = {"iae": e, "ise": e**2, "itae": (t - start) * e}
    return {
        f"{name}_{kind}": float(np.trapezoid(y, t)) if known else math.nan
        for kind, y in found.items()
    }


def _time_of_row(time: Array, row: int) -> float:
    """The time of a row [s]; infinite behind the last one."""
    return float(time[row]) if row < time.size else math.inf


def _lateness(time: float, than: float) -> float:
    """Time by which one time is later than another one [s], 0 if it is not; infinite if one never
    comes."""
    if math.isnan(time):
        return math.nan
    return math.inf if math.inf in (time, than) else max(time - than, 0.0)


def _largest_value(values: Array) -> float:
    """The largest one, NaN left out; NaN if there is none."""
    return float(np.nanmax(values)) if np.isfinite(values).any() else math.nan


assert {field.name for field in dataclasses.fields(Metrics)} == {*definitions(), "axes", "limiters"}
"""Every number is defined."""
