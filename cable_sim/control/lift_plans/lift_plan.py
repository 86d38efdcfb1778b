"""Lift plans: an operator's commands with their times, as a file that can be played again and
again.

A plan is a text of lines ``time,motion,speed``. From that time on [s] that motion is commanded that
speed, until another line says otherwise. Speeds are as operators count them: m/min for hoist
(positive: hoisting) and trolley (positive: outward), rpm for slewing (positive: anticlockwise from
above). The last line's time ends the plan. ``#`` starts a comment; some comments mean something
(what they say in brackets does not)::

    # crane: tower_12t                what the plan was made for
    # start_polar: 20 0               radius [m] and slewing angle [deg] that it begins at
    # target_polar: 45 120 3          radius [m], slewing angle [deg], height [m] of the place of
    # target: -22.5 38.97 3           the middle of the load's underside; or its x, y, z [m]
    time,motion,speed
    0,hoist,25                      # 25 m/min up
    12.5,hoist,0
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.cranes.family_spec import ask_family, load_axes_of
from cable_sim.errors import ConfigError, Problem, SpecError
from cable_sim.spec.files import read_text

Point = tuple[float, float, float]

COLUMNS = ("time", "motion", "speed")
MARKS = {"crane": 0, "start_polar": 2, "target_polar": 3, "target": 3}
"""Comments with a meaning, and the count of their numbers; the crane carries a name."""

_MARK = re.compile(rf"#\s*({'|'.join(MARKS)})\s*:\s*([^#(]*)")
_ROUNDING = 1e-3
"""Share by which a speed may be beyond the axis' limit [-].

80 m/min is 1.3333 m/s, and drives say 1.333.
"""


@dataclass(frozen=True)
class Course:
    """Commanded speeds of one motion: each of the ``speeds`` holds from its one of the ``times``
    [s] on.

    Speeds are those of the axis in its own sense [rad/s or m/s]; before the first time it is zero.
    """

    times: tuple[float, ...]
    speeds: tuple[float, ...]

    def speed_at(self, t: float) -> float:
        """Speed at the time t [s] of the plan."""
        i = bisect_right(self.times, t)
        return self.speeds[i - 1] if i else 0.0


@dataclass(frozen=True)
class LiftPlan:
    """The commands of one lift.

    Parameters
    ----------
    name: of the file, without its ending.
    courses: by the name of the motion.
    duration: time of the last command [s].
    crane: name of the crane that it was made for, or nothing.
    start: radius [m] and slewing angle [rad] that it begins at, or None.
    target: where the middle of the load's underside shall stand at the end, in the world [m], or
        None.
    """

    name: str
    courses: Mapping[str, Course]
    duration: float
    crane: str = ""
    start: tuple[float, float] | None = None
    target: Point | None = None

    def speeds_at(self, t: float) -> dict[str, float]:
        """Commanded speed of every motion of the plan at its time t [s], in the axis' sense [rad/s
        or m/s]."""
        return {motion: course.speed_at(t) for motion, course in self.courses.items()}


def read_plan(path: str | Path, crane: Crane) -> LiftPlan:
    """The plan of a file, for that crane.

    Raises ConfigError with everything that is wrong with it, each by file, line and column, and
    SpecError for a crane without the motions that plans are for.
    """
    return parse_plan(read_text(path), crane, str(path))


def parse_plan(text: str, crane: Crane, file: str = "<text>") -> LiftPlan:
    """The plan of a text; ``file`` is the name to use in errors. See :func:`read_plan`."""
    motions = [axis.name for axis in crane.axes]
    needed = _needed_motions(crane)
    if not set(needed) <= set(motions):
        raise SpecError(
            f"lift plans are for cranes with {', '.join(needed)}; {crane.name} has "
            f"{', '.join(motions)}"
        )
    return _Reader(crane, file).read(text)


def _needed_motions(crane: Crane) -> tuple[str, str, str]:
    """Return the motions that a crane needs for plans, whose places are polar."""
    moving = load_axes_of(crane)
    slewing = moving.across if moving.turns else "slewing"
    return slewing, moving.outward or "trolley", ask_family(crane).hoist_axis()


def crane_of(text: str) -> str:
    """Name of the crane that a plan's text says it was made for; empty if it says none."""
    marks = (_MARK.match(line.strip()) for line in text.splitlines())
    return next((mark[2].strip() for mark in marks if mark and mark[1] == "crane"), "")


class _Reader:
    """Reader of one text, which collects its errors."""

    def __init__(self, crane: Crane, file: str) -> None:
        self.crane = crane
        self.file = file
        self.problems: list[Problem] = []
        self.marks: dict[str, tuple[float, ...]] = {}
        self.made_for = ""
        self.rows: dict[str, list[tuple[float, float]]] = {}
        self.last = -math.inf
        self.header = 0

    def read(self, text: str) -> LiftPlan:
        """The plan; ConfigError if there is any problem."""
        for number, line in enumerate(text.splitlines(), 1):
            mark = _MARK.match(line.strip())
            if mark:
                self._mark(number, line, *mark.groups())
            cells = list(_cells(line.partition("#")[0]))
            if not cells:
                continue
            if not self.header:
                self._header(number, cells)
            else:
                self._row(number, cells)
        if not self.rows and not self.problems:
            self._note_error(
                1,
                1,
                "",
                f"has no commands; it needs a line '{','.join(COLUMNS)}' and lines below it",
            )
        if self.problems:
            raise ConfigError(self.problems)
        courses = {motion: Course(*zip(*rows, strict=True)) for motion, rows in self.rows.items()}
        return LiftPlan(
            Path(self.file).stem, courses, self.last, self.made_for, self._start(), self._target()
        )

    def _header(self, number: int, cells: list[tuple[int, str]]) -> None:
        """The names of the columns."""
        self.header = number
        given = tuple(cell for _, cell in cells)
        if given != COLUMNS:
            self._note_error(
                number,
                cells[0][0],
                "header",
                f"must be '{','.join(COLUMNS)}', not '{','.join(given)}'",
            )

    def _row(self, number: int, cells: list[tuple[int, str]]) -> None:
        """One command."""
        if len(cells) != len(COLUMNS):
            given = f"{len(cells)} value{'s' * (len(cells) != 1)}"
            self._note_error(
                number,
                cells[0][0],
                "",
                f"must have {len(COLUMNS)} values ({','.join(COLUMNS)}), not {given}",
            )
            return
        time = self._time(number, *cells[0])
        axis = self._axis(number, *cells[1])
        speed = None if axis is None else self._speed(number, axis, *cells[2])
        if time is None or axis is None or speed is None:
            return
        rows = self.rows.setdefault(axis.name, [])
        if rows and rows[-1][0] == time:
            self._note_error(
                number, cells[0][0], "time", f"{axis.name} has a command at {time:g} s already"
            )
        rows.append((time, speed))

    def _time(self, number: int, column: int, text: str) -> float | None:
        """Time of a command [s]."""
        value = self._number(number, column, "time", text)
        if value is None:
            return None
        if value < 0.0:
            self._note_error(number, column, "time", f"must be 0 s or more, not {text}")
        elif value < self.last:
            self._note_error(
                number,
                column,
                "time",
                f"must not be before that of the command above, {self.last:g} s, not {text}",
            )
        self.last = max(self.last, value)
        return value

    def _axis(self, number: int, column: int, text: str) -> Axis | None:
        """The axis that a motion's name means."""
        for axis in self.crane.axes:
            if axis.name == text:
                return axis
        known = ", ".join(axis.name for axis in self.crane.axes)
        self._note_error(
            number, column, "motion", f"{text!r} is not known; {self.crane.name} has {known}"
        )
        return None

    def _speed(self, number: int, axis: Axis, column: int, text: str) -> float | None:
        """Speed of a command in the axis' sense and SI units."""
        value = self._number(number, column, "speed", text)
        if value is None:
            return None
        limit = axis.max_speed * abs(axis.trade_factor)
        if abs(value) > limit * (1.0 + _ROUNDING):
            allowed = (
                f"{axis.name} of {self.crane.name} goes from {-limit:.4g} to {limit:.4g} "
                f"{axis.trade_unit}"
            )
            self._note_error(
                number, column, "speed", f"{text} {axis.trade_unit} is too fast; {allowed}"
            )
        return min(max(value / axis.trade_factor, -axis.max_speed), axis.max_speed)

    def _number(self, number: int, column: int, name: str, text: str) -> float | None:
        """A finite number, or None and a problem."""
        try:
            value = float(text)
        except ValueError:
            self._note_error(number, column, name, f"must be a number, not {text!r}")
            return None
        if not math.isfinite(value):
            self._note_error(number, column, name, f"must be a finite number, not {text}")
            return None
        return value

    def _mark(self, number: int, line: str, name: str, text: str) -> None:
        """Read a comment with a meaning."""
        column = line.index(text) + 1 if text.strip() else len(line) + 1
        if name == "crane":
            self.made_for = text.strip()
            return
        words = text.split()
        if len(words) != MARKS[name]:
            self._note_error(
                number, column, name, f"must be {MARKS[name]} numbers, not {text.strip()!r}"
            )
            return
        values = [self._number(number, column, name, word) for word in words]
        if name.startswith("target") and any(other.startswith("target") for other in self.marks):
            self._note_error(number, column, name, "the target is given twice")
        self.marks[name] = tuple(value or 0.0 for value in values)

    def _start(self) -> tuple[float, float] | None:
        """Radius [m] and slewing angle [rad] of the beginning."""
        polar = self.marks.get("start_polar")
        return None if polar is None else (polar[0], math.radians(polar[1]))

    def _target(self) -> Point | None:
        """The target in the world [m]."""
        if "target_polar" in self.marks:
            radius, degrees, height = self.marks["target_polar"]
            angle = math.radians(degrees)
            return radius * math.cos(angle), radius * math.sin(angle), height
        if "target" in self.marks:
            x, y, z = self.marks["target"]
            return x, y, z
        return None

    def _note_error(self, line: int, column: int, field_name: str, problem: str) -> None:
        """Note an error."""
        self.problems.append(Problem(self.file, line, column, field_name, problem))


def _cells(text: str) -> Iterator[tuple[int, str]]:
    """Values of a line, each with the column that it begins at; none for an empty line."""
    if not text.strip():
        return
    column = 1
    for cell in text.split(","):
        stripped = cell.strip()
        yield column + (len(cell) - len(cell.lstrip()) if stripped else 0), stripped
        column += len(cell) + 1
