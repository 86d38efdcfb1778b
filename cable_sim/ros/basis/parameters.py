"""Parameters of the node: one table, from which they are declared, checked and documented.

The table has the parameters of every node. ``crane_parameters.py`` adds rows of the same kind that
depend on the crane, such as the limits of its axes. Nothing here needs ROS. ``parameter_server.py``
declares rows on a node, and ``parameter_page.py`` writes the page and the file from them.
"""

import contextlib
import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from cable_sim.errors import CableSimError

Value = bool | int | float | str

MOST_WIND = 100.0
"""Strongest wind of parameters and commands [m/s]: more than in any storm."""


class Row(NamedTuple):
    """One parameter; its type is that of the default. ``lower`` and ``upper`` include the ends.

    A number has to be finite, unless its default is infinite: no limit.
    """

    name: str
    default: Value
    unit: str
    description: str
    lower: float | None = None
    upper: float | None = None
    read_only: bool = False
    choices: tuple[str, ...] = ()

    @property
    def field(self) -> str:
        """Name in :class:`Settings`."""
        return self.name.replace(".", "_")

    @property
    def range(self) -> str:
        """Allowed values as text; empty where any value is allowed."""
        if self.choices:
            return ", ".join(self.choices)
        if self.lower is None or self.upper is None or math.isinf(self.lower):
            return ""
        if math.isinf(self.upper):
            return f"{_number_text(self.lower)} or more"
        return f"{_number_text(self.lower)} ... {_number_text(self.upper)}"


OFF = "off"
"""Choice that YAML reads as a boolean unless it is in quotes; see :func:`intended_value`."""

ANY = "any"
FIRST = "first"
"""Choices of ``command_source`` that are no names of nodes."""

_RATE = "0 switches it off; counted in simulated time, in whole ticks"


def _row(default: Any, *facts: Any, name: str = "", **more: Any) -> Any:
    """Return a field of :class:`Settings` with its row, under another ``name`` if given."""
    return field(default=default, metadata={"row": (name, (default, *facts), more)})


@dataclass(frozen=True)
class Settings:
    """Values of all parameters at one time, in the order of the table; a dot in a name is a ``_``.

    ``own`` has those that depend on the crane, by name.
    """

    crane_config: str = _row(
        "tower_12t",
        "-",
        "the crane or scene: a name of the catalogues, or the path of a YAML file",
        read_only=True,
    )
    physics_step: float = _row(
        1e-3,
        "s",
        "time step of the solver; a whole number of them must make one tick",
        1e-4,
        0.02,
        True,
    )
    tick_rate: float = _row(
        100.0,
        "Hz",
        "rate of ticks: commands are read and states published, in simulated time",
        1.0,
        1000.0,
        True,
    )
    stepper: str = _row(
        "spook",
        "-",
        "time-stepping method of the solver: 'spook' is second order, 'regularised' "
        "damps stiff cables",
        read_only=True,
        choices=("spook", "regularised"),
    )
    real_time_factor: float = _row(
        1.0,
        "-",
        "target ratio of simulated time to wall time; 0 is as fast as possible",
        0.0,
        100.0,
    )
    start_paused: bool = _row(
        False, "-", "wait for ~/pause false or ~/step before time runs", read_only=True
    )
    managed: bool = _row(
        False,
        "-",
        "be a lifecycle node, which waits for a manager to configure and activate it",
        read_only=True,
    )
    lockstep: str = _row(
        "off",
        "-",
        "what advances time: 'off', the wall clock; 'service', ~/step only; 'command', a command "
        "for each tick, stamped at or after the state before it",
        choices=(OFF, "service", "command"),
    )
    lockstep_timeout: float = _row(
        5.0,
        "s",
        "wall time to wait for that command before the node pauses; 0 waits forever",
        0.0,
        3600.0,
    )
    publish_clock: bool = _row(
        True,
        "-",
        "be the time source of the graph on /clock; only one node may be it",
        read_only=True,
    )
    follow_clock: bool = _row(
        False,
        "-",
        "follow the /clock of another node instead of the wall clock, for several cranes in one "
        "graph; only without publish_clock",
        read_only=True,
    )
    publish_tf: str = _row(
        "all",
        "-",
        "frames to broadcast: 'all', or only those of 'floating' bodies, if a "
        "robot_state_publisher publishes the others",
        read_only=True,
        choices=("all", "floating"),
    )
    publish_joint_states: bool = _row(
        True,
        "-",
        "publish joint_states; false if another node does, such as a joint_state_broadcaster",
        read_only=True,
    )
    frame_prefix: str = _row(
        "", "-", "prefix of every frame except the world frame, such as 'crane_1/'", read_only=True
    )
    world_frame: str = _row("world", "-", "name of the fixed frame", read_only=True)
    joint_state_rate: float = _row(
        100.0,
        "Hz",
        f"rate of joint_states, sway_state and payload_ground_truth; {_RATE}",
        0.0,
        1000.0,
    )
    cable_state_rate: float = _row(100.0, "Hz", f"rate of cable_states; {_RATE}", 0.0, 1000.0)
    tf_rate: float = _row(50.0, "Hz", f"rate of /tf; {_RATE}", 0.0, 1000.0)
    marker_rate: float = _row(
        20.0, "Hz", "rate of cable_markers, in wall time; 0 switches it off", 0.0, 60.0
    )
    marker_points: int = _row(
        200,
        "-",
        "maximum number of points per line in cable_markers; longer lines are thinned out",
        2,
        100000,
        True,
    )
    command_timeout: float = _row(
        0.5,
        "s",
        "simulated time without a command after which an axis ramps down and brakes",
        0.01,
        60.0,
    )
    command_source: str = _row(
        ANY,
        "-",
        "sender whose commands an axis obeys: 'any', the newest; 'first', the first one until it "
        "is "
        "silent for command_timeout; or the name of a node; every sender may brake",
    )
    diagnostics_period: float = _row(
        1.0, "s", "wall time between two messages on /diagnostics", 0.1, 60.0
    )
    wind_speed: float = _row(
        0.0,
        "m/s",
        "steady wind, added to that of the crane file; of these parameters and wind_command, the "
        "last one set counts",
        0.0,
        MOST_WIND,
        name="wind.speed",
    )
    wind_direction: float = _row(
        0.0,
        "rad",
        "direction in which this wind and its gust blow, anticlockwise from the world's x axis",
        -2.0 * math.pi,
        2.0 * math.pi,
        name="wind.direction",
    )
    wind_gust_speed: float = _row(
        0.0,
        "m/s",
        "peak speed of a gust above that wind; 0 for no gust",
        0.0,
        MOST_WIND,
        name="wind.gust_speed",
    )
    wind_gust_start: float = _row(
        0.0,
        "s",
        "simulated time until the gust, from the start, a reset, or a change of these parameters",
        0.0,
        1e6,
        name="wind.gust_start",
    )
    wind_gust_duration: float = _row(
        7.0,
        "s",
        "duration of the gust, which has the shape 1 - cos",
        0.1,
        1e6,
        name="wind.gust_duration",
    )
    faults_enabled: bool = _row(
        True,
        "-",
        "accept ~/inject_fault; switching it off also clears all faults",
        name="faults.enabled",
    )
    joystick: bool = _row(
        False,
        "-",
        "obey sensor_msgs/Joy on joy while button 0 is held: left stick slewing or gantry, and "
        "trolley, right stick hoist; hand: left stick x and y, right stick z",
        read_only=True,
    )
    realtime_priority: int = _row(
        0,
        "-",
        "real-time priority of the physics thread (SCHED_FIFO); 0 for none; if the system refuses "
        "it, the node reports that and runs without it",
        0,
        99,
        True,
    )
    ros2_control_socket: str = _row(
        "",
        "-",
        "path of the local socket that the node makes for the hardware component of "
        "cable_sim_ros2_control; empty for none",
        read_only=True,
    )
    own: Mapping[str, Value] = field(default_factory=dict)

    @property
    def substeps(self) -> int:
        """Physics steps per tick."""
        return round(1.0 / (self.tick_rate * self.physics_step))


TABLE: tuple[Row, ...] = tuple(
    Row(name or one.name, *facts, **more)
    for one in fields(Settings)
    if one.metadata
    for name, facts, more in [one.metadata["row"]]
)
"""Parameters of every node; a dot in a name is a ``_`` in :class:`Settings`."""


def check(settings: Settings, own: Iterable[Row] = ()) -> str:
    """Return the first problem of the settings as text; empty if there is none.

    ``own`` are the crane's rows. Ranges are checked here too, because descriptors of some releases
    of ROS let NaN through.
    """
    wrong = (
        *(complaint(row, getattr(settings, row.field)) for row in TABLE),
        *(complaint(row, settings.own[row.name]) for row in own),
    )
    return next(filter(None, wrong), "") or _contradiction(settings)


def _contradiction(settings: Settings) -> str:
    """Return a text on settings that are valid alone but inconsistent with each other."""
    tick = 1.0 / settings.tick_rate
    if settings.substeps < 1 or not math.isclose(
        settings.substeps * settings.physics_step, tick, rel_tol=1e-9
    ):
        return (
            f"parameter 'physics_step': a tick of {tick:g} s (1 / tick_rate) is no whole multiple "
            f"of {settings.physics_step:g} s"
        )
    for name in ("joint_state_rate", "cable_state_rate", "tf_rate"):
        rate = getattr(settings, name)
        if rate > settings.tick_rate:
            return (
                f"parameter {name!r}: {rate:g} Hz is more than tick_rate, {settings.tick_rate:g} Hz"
            )
    if settings.follow_clock and settings.publish_clock:
        return (
            "parameter 'follow_clock': a node can't follow a clock that it publishes; set "
            "publish_clock to false"
        )
    for name in ("world_frame", "command_source"):
        if not getattr(settings, name):
            return f"parameter {name!r}: it can't be empty"
    return ""


def complaint(row: Row, value: object) -> str:
    """Return the problem of a value for a row as text; empty if the value is valid."""
    value = intended_value(row, value)
    if row.choices and value not in row.choices:
        return f"parameter {row.name!r}: {value!r} is not one of {row.range}"
    if type(value) is not type(row.default):
        return f"parameter {row.name!r}: {value!r} is not {_TYPES[type(row.default)]}"
    if row.lower is None or row.upper is None or isinstance(value, str):
        return ""
    number = float(value)
    infinite = math.isinf(number) and not math.isinf(float(row.default))
    if infinite or not row.lower <= number <= row.upper:
        unit = "" if row.unit == "-" else f" {row.unit}"
        return (
            f"parameter {row.name!r}: {value}{unit} is outside {row.range or 'the finite numbers'}"
        )
    return ""


def intended_value(row: Row, value: object) -> object:
    """Return a value as intended.

    YAML and command lines read 'off' as False. rclpy reads a number such as 1e-05 as text.
    """
    if isinstance(value, str) and isinstance(row.default, float):
        with contextlib.suppress(ValueError):
            return float(value)
    return OFF if value is False and OFF in row.choices else value


_TYPES = {
    bool: "true or false",
    int: "a whole number",
    str: "text",
    float: "a number with a decimal point",
}


def refusal(rows: Mapping[str, Row], changes: Iterable[tuple[str, object]]) -> str:
    """Return the reason why a running node can't change parameters; empty if each can be changed.

    It comes before ROS' own checks, whose messages name neither the value nor the allowed ones.
    ``rows`` are all, by name.
    """
    for name, value in changes:
        row = rows.get(name)
        if row is None:
            return f"parameter {name!r} is not known{suggestion(name, rows)}"
        wrong = complaint(row, value)
        if wrong:
            return wrong
        if row.read_only:
            return (
                f"parameter {name!r}: {value!r} can't be set now: it is read-only once the "
                "node has started"
            )
    return ""


def _number_text(number: float) -> str:
    """Return a number as text; a whole one with all its digits."""
    return str(int(number)) if float(number).is_integer() else f"{number:g}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a question with the known names nearest to an unknown one; empty if none is near."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.7)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def settings_from(values: Mapping[str, Value], own: Sequence[Row] = ()) -> Settings:
    """Return settings from values by parameter name.

    Missing ones have the defaults of the table and of the crane's rows. Raises CableSimError, in
    words for the user, for a value that is invalid or inconsistent with others.
    """
    given = {row.field: intended_value(row, values.get(row.name, row.default)) for row in TABLE}
    settings = Settings(**given, own={row.name: values.get(row.name, row.default) for row in own})  # type: ignore[arg-type]
    problem = check(settings, own)
    if problem:
        raise CableSimError(problem)
    return settings
