"""Text and figures of the page: pure functions from a frame to text."""

import math
from html import escape
from typing import NamedTuple

import numpy as np

from cable_sim.cranes.crane import Axis, Crane, Suspension
from cable_sim.machine.faults import ESTOP
from cable_sim.machine.pictures.frame import CablePicture, Frame
from cable_sim.sim.readings.colors import (
    DEFAULT_FULL_SCALE,
    SLACK_COLOR,
    color_limits,
    tension_colors,
)
from cable_sim.spec import Scene

GREY = "#7a828e"
GREEN = "#1f9d55"
AMBER = "#c77700"
RED = "#d6242b"
STALE = 1.5
"""Age [s] from which a frame is marked stale while the clock should run."""
LIMIT_COLORS = {
    "tripped": RED,
    "latched": RED,
    "invalid": RED,
    "warning": AMBER,
    "pending": AMBER,
    "bypassed": AMBER,
}
"""Colours of a limiter's states other than ``ok``."""
IN_TIME = 0.03
"""Deviation of the pace from the clock's [-] up to which a run counts as one in real time."""
NEARLY_FULL = 0.9
"""Share of the capacity from which the load is amber [-]; above 1 it is red."""
DIALS = {"1": (100.0, "%", 0), "rad": (math.degrees(1.0), "°", 1), "N": (1e-3, "kN", 1)}
"""Size, unit and decimals in which a reading is shown, by its unit."""
HINTS = 12
"""Largest number of cables whose limit a hint has."""
CABLED = 0.5 * math.pi
"""Yaw of the hook block [rad] at which the falls resist most; beyond it they wrap together."""


class Status(NamedTuple):
    """State of the simulation in a word and a colour, and additional text."""

    word: str
    color: str
    detail: str = ""


class Reading(NamedTuple):
    """One line of the instruments; a warning has a colour."""

    name: str
    value: str
    unit: str
    color: str = ""


def status(frame: Frame | None, age: float, problem: str = "") -> Status:
    """Return the state for a frame of ``age`` [s]; ``problem`` is an error of the connection."""
    if frame is None:
        return Status("waiting for the simulation", GREY, problem)
    clock = f"{frame.time:.1f} s"
    if frame.emergency_stop:
        return Status("EMERGENCY STOP", RED, problem or f"{clock}, release it to move")
    if frame.paused:
        return Status("paused", AMBER, problem or clock)
    if age > STALE:
        return Status("no data", AMBER, problem or f"for {age:.0f} s, last at {clock}")
    return Status("running", GREEN, problem or f"{clock}{_pace(frame.real_time_factor)}")


def _pace(factor: float) -> str:
    """Return the pace of simulated time in words; nothing where it is not known, which is 0."""
    if factor <= 0.0:
        return ""
    if abs(factor - 1.0) <= IN_TIME:
        return ", in real time"
    return f", {factor:.2g} × real time: {'slow motion' if factor < 1.0 else 'time lapse'}"


def readings(crane: Crane, frame: Frame, ground: float | None, below: float) -> list[Reading]:
    """Return the instruments of a crane.

    Parameters
    ----------
    ground: its height in the world [m]; None without one, when heights are those in the world.
    below: distance from the load's centre to its underside [m].
    """
    lines = [
        _axis_reading(axis, frame.axes[axis.name].position)
        for axis in crane.axes
        if axis.name in frame.axes
    ]
    name = crane.suspension.hook if crane.suspension else crane.watched
    hook = name.replace("_", " ")
    above = "above sea" if crane.suspension and crane.scene.motions else "above ground"
    if name in frame.poses:
        height = frame.poses[name][0][2] - (ground or 0.0)
        where = above if crane.suspension or ground is not None else "height"
        lines.append(Reading(f"{hook} {where}", _number(height, 2), "m"))
    if crane.watched in frame.poses and crane.watched != name:
        clear = frame.poses[crane.watched][0][2] - below - (ground or 0.0)
        value = _number(0.0 if abs(clear) < 0.005 else clear, 2)
        lines.append(Reading(f"load {above}", value, "m"))
    if crane.suspension:
        radius = frame.readings.get(crane.radius_reading(crane.suspension))
        lines += _load_readings(frame.readings, crane.suspension, radius)
    lines += _dials(crane, frame)
    ropes = [frame.cables[rope] for rope in crane.ropes if rope in frame.cables]
    lines += _tension_readings(ropes)
    if frame.sway is not None:
        whose = f"{crane.suspension.name} " if crane.suspension and crane.suspension.name else ""
        for way, angle in (("radial", frame.sway.radial), ("tangential", frame.sway.tangential)):
            lines.append(Reading(f"{whose}sway {way}", _number(math.degrees(angle), 2), "°"))
    if frame.hook_yaw is not None:
        lines.append(Reading(f"{hook} yaw", _number(math.degrees(frame.hook_yaw), 1), "°"))
        if abs(frame.hook_yaw) > CABLED:
            lines.append(Reading("falls cross: the block is cabled", "", "", RED))
    return lines


def _dials(crane: Crane, frame: Frame) -> list[Reading]:
    """Return the further readings of a crane, in the colour of the limiter that watches them."""
    lines = []
    states = {one.quantity: frame.limits.get(one.name, "") for one in crane.limiters}
    for name in crane.dials:
        unit = crane.unit_of_reading(name)
        size, shown, digits = DIALS.get(unit, (1.0, unit, 2))
        value = _number(size * frame.readings.get(name, math.nan), digits)
        title = name.replace("_", " ").replace(".", " ")
        lines.append(Reading(title, value, shown, LIMIT_COLORS.get(states.get(name, ""), "")))
    return lines


def _load_readings(read: dict[str, float], hung: Suspension, radius: float | None) -> list[Reading]:
    """Return load, share of the capacity and wind from the control of the (first) crane.

    A load below zero is shown as none: a spreader or hook block that stands on something is lighter
    than the tare that is taken off.
    """
    load, moment, share, wind = (
        read.get(hung.own_name(name))
        for name in ("load", "load_moment", "load.share", "wind.speed")
    )
    lines = []
    if load is not None:
        lines.append(Reading("load", _number(max(1e-3 * load, 0.0), 2), "t"))
    share = share if moment is None else moment
    if share is not None:
        at = "" if moment is None or radius is None else f" at {_number(radius, 1)} m"
        color = RED if share > 1.0 else AMBER if share > NEARLY_FULL else ""
        lines.append(Reading(f"utilisation{at}", _number(max(100.0 * share, 0.0), 0), "%", color))
    if wind is not None:
        lines.append(Reading("wind", _number(wind, 1), "m/s"))
    return lines


def tension_scale(crane: Crane) -> float:
    """Return the tension [N] at which the crane's first rope's colours end."""
    limits = color_limits(crane.scene)
    return next((limits[r].tension for r in crane.ropes if r in limits), DEFAULT_FULL_SCALE)


def tension_unit(scale: float) -> tuple[str, float]:
    """Return the unit for tensions up to ``scale`` [N], and its size [N]."""
    return ("kN", 1e3) if scale >= 1e3 else ("N", 1.0)


def _tension_readings(ropes: list[CablePicture]) -> list[Reading]:
    """Return the tension at the drum, or the least and the largest of several hoist ropes.

    Both are in kN if the largest is 1 kN or more, else in N.
    """
    ropes = [rope for rope in ropes if len(rope.tension)]
    if not ropes:
        return []
    pulls = [0.0 if rope.slack else float(rope.tension[0]) for rope in ropes]
    unit, size = tension_unit(max(pulls))
    least, most = (
        ("slack", "") if pull == 0.0 else (_number(pull / size, 1), unit)
        for pull in (min(pulls), max(pulls))
    )
    if len(ropes) == 1:
        return [Reading("rope tension", *most)]
    return [Reading("rope tension, largest", *most), Reading("rope tension, smallest", *least)]


def _axis_reading(axis: Axis, position: float) -> Reading:
    """Return an axis' coordinate; angles in degrees, parts of a whole in percent."""
    name = axis.reading or axis.name.replace("_", " ")
    size, unit, decimals = DIALS.get(axis.unit, (1.0, axis.unit, 2))
    return Reading(name, _number(size * position, decimals), unit)


def status_html(title: str, state: Status, note: str = "") -> str:
    """Return the title with the state below it, and two lines for a note.

    The height is always the same, so that nothing below it moves.
    """
    told = (
        f'<div style="font-size:0.72rem;line-height:1.25;height:2.5em;overflow-y:auto;'
        f'color:{GREY};margin-top:3px">{escape(note)}</div>'
    )
    return (
        f'<div style="padding:0.5rem 0.75rem 0.1rem">'
        f'<div style="font-size:1.05rem;font-weight:700">{escape(title)}</div>'
        f'<div style="display:flex;align-items:center;gap:0.5rem;margin-top:4px;height:1.5rem;'
        f'overflow:hidden" title="{escape(state.detail)}">'
        f'<span style="background:{state.color};color:#fff;border-radius:999px;padding:1px 10px;'
        f'font-size:0.76rem;font-weight:600;white-space:nowrap">{escape(state.word)}</span>'
        "<span "
        f'style="font-size:0.78rem;white-space:nowrap;font-variant-numeric:tabular-nums">'
        f"{escape(state.detail)}</span></div>{told}</div>"
    )


def limits_html(limits: dict[str, str], faults: tuple[str, ...] = ()) -> str:
    """Return limiters that are not ``ok``, by name, and faults; a green word if there are none.

    The height is always the same, two rows; more of them scroll.
    """
    shown = {ESTOP: "emergency stop"}
    pills = [
        (f"{shown.get(name, name).replace('_', ' ')}: {state}", LIMIT_COLORS[state])
        for name, state in limits.items()
        if state != "ok"
    ]
    pills += [(f"fault: {fault.replace('_', ' ', 1)}", AMBER) for fault in faults]
    if limits and not pills:
        pills = [("all limiters clear", GREEN)]
    spans = "".join(
        f'<span style="background:{color};color:#fff;border-radius:999px;padding:0 '
        f'8px">{escape(text)}</span>'
        for text, color in pills
    )
    row = (
        "display:flex;flex-wrap:wrap;align-content:flex-start;gap:3px;margin:0.1rem 0.75rem 0.2rem;"
        "font-size:0.72rem;line-height:1.3;height:2.9em;overflow-y:auto"
    )
    return f'<div style="{row}">{spans}</div>'


def readings_html(lines: list[Reading]) -> str:
    """Return the instruments as a table."""
    cell = "padding:2px 0;border-bottom:1px solid rgba(128,128,128,0.18)"
    rows = "".join(
        f'<tr style="color:{line.color or "inherit"}"><td style="{cell}">{escape(line.name)}</td>'
        f'<td style="{cell};text-align:right;font-weight:600;font-variant-numeric:tabular-nums">'
        f"{escape(line.value)}</td>"
        f'<td style="{cell};padding-left:6px;width:2rem;color:{GREY}">'
        f"{escape(line.unit)}</td></tr>"
        for line in lines
    )
    return (
        '<div style="padding:0 0.75rem 0.3rem"><table style="width:100%;border-collapse:collapse;'
        f'font-size:0.8rem;line-height:1.25">{rows}</table></div>'
    )


def scale_html(scene: Scene) -> str:
    """Return the colour scale of all drawn cables, as a strip; an empty text without any.

    The colours of each rope end at a limit of its own. The strip holds for all of them: the range
    of the limits stands below it, with the reasons for them, and a hint has that of each rope.
    """
    limits = color_limits(scene)
    if not limits:
        return ""
    ends = [limit.tension for limit in limits.values()]
    least, most = _tension(min(ends)), _tension(max(ends))
    told = most if least == most else f"{least} to {most}"
    reasons = ", or ".join(dict.fromkeys(limit.reason for limit in limits.values()))
    hints = [f"{n.replace('_', ' ')} {_tension(limit.tension)}" for n, limit in limits.items()]
    bar = "height:9px;border-radius:2px"
    stops = ",".join(_css(color) for color in tension_colors(np.linspace(0.01, 1.0, 7), 1.0))
    return (
        f'<div style="padding:0.1rem 0.75rem 0.4rem;font-size:0.7rem" '
        f'title="{escape("; ".join(hints[:HINTS]))}">'
        '<div style="display:flex;gap:4px;align-items:center">ropes: slack'
        f'<span style="{bar};width:14px;background:{_css(np.array(SLACK_COLOR))}"></span>'
        f'<span style="{bar};flex:1;background:linear-gradient(to right,{stops})"></span>'
        f'at limit</div><div style="color:{GREY}">limit {told}, {reasons}</div></div>'
    )


def _tension(tension: float) -> str:
    """Return a tension [N] as text."""
    unit, size = tension_unit(tension)
    value = tension / size
    return f"{value:.0f} {unit}" if value >= 100.0 else f"{value:.3g} {unit}"


def _number(value: float, digits: int) -> str:
    """Return a figure with a fixed number of decimals, a real minus sign and no minus zero."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def _css(color: np.ndarray) -> str:
    """Return a colour of 0...1 for a style sheet."""
    return "#" + "".join(f"{round(255 * float(c)):02x}" for c in color)
