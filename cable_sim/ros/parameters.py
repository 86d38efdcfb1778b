"""The node's parameters: one table, from which they are declared, checked and documented."""

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

from cable_sim.errors import CableSimError


class Row(NamedTuple):
    """One parameter; its type is that of the default. ``lower`` and ``upper`` include the ends."""

    name: str
    default: bool | int | float | str
    unit: str
    description: str
    lower: float | None = None
    upper: float | None = None
    read_only: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """The values of all parameters at one time, in the order of the table."""

    crane_config: str
    physics_step: float
    tick_rate: float
    stepper: str
    real_time_factor: float
    start_paused: bool
    publish_clock: bool
    publish_tf: str
    frame_prefix: str
    world_frame: str
    joint_state_rate: float
    cable_state_rate: float
    tf_rate: float
    marker_rate: float
    command_timeout: float
    diagnostics_period: float
    joystick: bool
    realtime_priority: int

    @property
    def substeps(self) -> int:
        """Physics steps per tick."""
        return round(1.0 / (self.tick_rate * self.physics_step))


_RATE = "0 switches it off; counted in simulated time, in whole ticks"
TABLE = (
    Row("crane_config", "tower_12t", "-", "the crane or scene: a name of the catalogues, or the path of a YAML file",
        read_only=True),
    Row("physics_step", 1e-3, "s", "time step of the solver; a whole number of them must make one tick",
        1e-4, 0.02, True),
    Row("tick_rate", 100.0, "Hz", "how often commands are taken and the state is published, in simulated "
        "time", 1.0, 1000.0, True),
    Row("stepper", "spook", "-", "time-stepping method of the solver: 'spook' is second order, 'regularised' "
        "damps stiff cables", read_only=True),
    Row("real_time_factor", 1.0, "-", "simulated time per wall time to keep to; 0 is as fast as possible",
        0.0, 100.0),
    Row("start_paused", False, "-", "wait for ~/pause false or ~/step before time runs", read_only=True),
    Row("publish_clock", True, "-", "be the graph's time source on /clock; one node may", read_only=True),
    Row("publish_tf", "all", "-", "which bodies to broadcast: 'all', or, beside a robot_state_publisher that "
        "does the rest, only the 'floating' ones that no joint holds", read_only=True,
        choices=("all", "floating")),
    Row("frame_prefix", "", "-", "in front of every frame but the world's, such as 'crane_1/'",
        read_only=True),
    Row("world_frame", "world", "-", "name of the fixed frame", read_only=True),
    Row("joint_state_rate", 100.0, "Hz", f"of joint_states, sway_state and payload_ground_truth; {_RATE}",
        0.0, 1000.0),
    Row("cable_state_rate", 100.0, "Hz", f"of cable_states; {_RATE}", 0.0, 1000.0),
    Row("tf_rate", 50.0, "Hz", f"of /tf; {_RATE}", 0.0, 1000.0),
    Row("marker_rate", 20.0, "Hz", "of cable_markers, in wall time because they are for eyes; 0 switches it "
        "off", 0.0, 60.0),
    Row("command_timeout", 0.5, "s", "simulated time without a command after which an axis ramps down and "
        "brakes", 0.01, 60.0),
    Row("diagnostics_period", 1.0, "s", "wall time between two messages on /diagnostics", 0.1, 60.0),
    Row("joystick", False, "-", "obey sensor_msgs/Joy on joy while button 0 is held: left stick slewing or "
        "gantry, and trolley, right stick hoist; of a hand left stick x and y, right stick z", read_only=True),
    Row("realtime_priority", 0, "-", "of the physics thread, before all that has none (SCHED_FIFO); 0 for none; where "
        "the system refuses it, the node says so and goes on without", 0, 99, True),
)  # fmt: skip


def declare(node: Node) -> Settings:
    """Declare every parameter on the node and return their values.

    Raises CableSimError, in words for the user, when a value given at the start is of the wrong type, out of
    range or does not fit the others.
    """
    for row in TABLE:
        try:
            node.declare_parameter(row.name, row.default, descriptor(row))
        except Exception as error:  # rclpy has half a dozen classes for this, not all of them public
            whole = isinstance(row.default, float) and "INTEGER" in str(error)
            hint = "; write the number with a decimal point" if whole else ""
            raise CableSimError(f"parameter {row.name!r}: {_sentence(error)}{hint}") from None
    settings = settings_of(node)
    problem = check(settings)
    if problem:
        raise CableSimError(problem)
    return settings


def settings_of(node: Node, changed: list[Parameter] | None = None) -> Settings:
    """The node's present parameters, with those in ``changed`` instead where given."""
    new = {parameter.name: parameter.value for parameter in changed or ()}
    names = (field.name for field in fields(Settings))
    return Settings(**{name: new[name] if name in new else node.get_parameter(name).value for name in names})


def check(settings: Settings) -> str:
    """What is wrong with the settings, for a person; empty when all is well.

    Ranges are checked here too, because those of the descriptors let NaN through.
    """
    for row in TABLE:
        value = getattr(settings, row.name)
        if row.choices and value not in row.choices:
            return f"parameter {row.name!r}: {value!r} is not one of {', '.join(row.choices)}"
        if row.lower is not None and not (row.lower <= value <= row.upper):
            return f"parameter {row.name!r}: {value} {row.unit} is outside {row.lower:g} ... {row.upper:g}"
    tick = 1.0 / settings.tick_rate
    if settings.substeps < 1 or not math.isclose(settings.substeps * settings.physics_step, tick, rel_tol=1e-9):
        return (
            f"parameter 'physics_step': a tick of {tick:g} s (1 / tick_rate) is no whole multiple of "
            f"{settings.physics_step:g} s"
        )
    for name in ("joint_state_rate", "cable_state_rate", "tf_rate"):
        rate = getattr(settings, name)
        if rate > settings.tick_rate:
            return f"parameter {name!r}: {rate:g} Hz is more than tick_rate, {settings.tick_rate:g} Hz"
    if not settings.world_frame:
        return "parameter 'world_frame': it can't be empty"
    return ""


def unknown_overrides(node: Node) -> list[str]:
    """Parameters given at the start that this node does not have: misspelt ones, mostly."""
    known = {row.name for row in TABLE} | {"use_sim_time", "start_type_description_service"}
    given = getattr(node, "_parameter_overrides", {})  # rclpy has no public way to ask
    return sorted(name for name in given if name not in known and not name.startswith("qos_overrides."))


def descriptor(row: Row) -> ParameterDescriptor:
    """The row as ROS shows it: description with unit, range, read-only flag."""
    unit = "" if row.unit == "-" else f" [{row.unit}]"
    made = ParameterDescriptor(description=row.description + unit, read_only=row.read_only)
    if row.choices:
        made.additional_constraints = "one of " + ", ".join(row.choices)
    if isinstance(row.default, int) and row.lower is not None and row.upper is not None:
        made.integer_range = [IntegerRange(from_value=int(row.lower), to_value=int(row.upper), step=1)]
    elif row.lower is not None and row.upper is not None:
        made.floating_point_range = [FloatingPointRange(from_value=row.lower, to_value=row.upper, step=0.0)]
    return made


def _sentence(error: Any) -> str:
    """The first line of an exception's text."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
