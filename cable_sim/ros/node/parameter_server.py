"""Parameters of a node: declaration of the table's rows, and their values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import rclpy.subscription
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

from cable_sim.errors import CableSimError
from cable_sim.ros.basis.parameters import (
    ANY,
    FIRST,
    OFF,
    TABLE,
    Row,
    Settings,
    Value,
    complaint,
    intended_value,
    settings_from,
    suggestion,
)


def declare(node: Node, own: Sequence[Row] = ()) -> Settings:
    """Declare the table's parameters, or later those of a crane; returns the values of all.

    Raises CableSimError, in words for the user, for an invalid value given at the start. It may be
    of the wrong type, out of range or inconsistent with others.
    """
    for row in own or TABLE:
        problem = complaint(row, given.value) if (given := _overrides(node).get(row.name)) else ""
        if problem:
            raise CableSimError(problem)
        try:
            told = descriptor(row)
            # rclpy would keep those that are read-only after a cleanup, too
            told.read_only &= not is_managed(node)
            node.declare_parameter(row.name, row.default, told)
        except Exception as error:  # rclpy has half a dozen for this, not all of them public
            raise CableSimError(f"parameter {row.name!r}: {_sentence(error)}") from None
    return settings_of(node, own)


def undeclare(node: Node, own: Iterable[Row]) -> None:
    """Take a crane's parameters back; those of a node that isn't managed stay until it ends."""
    for row in own if is_managed(node) else ():
        node.undeclare_parameter(row.name)


def is_managed(node: Node) -> bool:
    """Return True if the node is asked at its start to wait for a manager of lifecycles."""
    given = _overrides(node).get("managed")
    return given is not None and given.value is True


def settings_of(node: Node, own: Sequence[Row] = (), changed: Iterable[Parameter] = ()) -> Settings:
    """Return the node's present parameters, replaced by those in ``changed``.

    Raises CableSimError when they are inconsistent, or can't be obeyed with this rclpy.
    """
    values: dict[str, Value] = {
        row.name: node.get_parameter(row.name).value for row in (*TABLE, *own)
    }
    given = {parameter.name: parameter.value for parameter in changed}
    settings = settings_from(values | given, own)
    named = settings.command_source not in (ANY, FIRST) and not settings.ros2_control_socket
    if named and not senders_told():
        raise CableSimError(
            f"parameter 'command_source': {settings.command_source!r} can't be told from other "
            f"nodes, as rclpy tells the senders of messages since Kilted; give {ANY} or {FIRST}"
        )
    return settings


def changes(node: Node, rows: Mapping[str, Row], given: Iterable[Parameter]) -> Iterator[Parameter]:
    """Yield the given parameters as they are meant, except those that have that value already.

    So what ``ros2 param dump`` wrote can be loaded, although it has read-only parameters.
    """
    for parameter in given:
        name, value = parameter.name, parameter.value
        if name in rows:
            value = intended_value(rows[name], value)
        present = node.get_parameter_or(name).value
        if type(value) is type(present) and value == present:
            continue
        yield parameter if value is parameter.value else Parameter(name, value=value)


def senders_told() -> bool:
    """Return True if rclpy tells the publisher of a message; Jazzy's has no such class at all."""
    info = getattr(rclpy.subscription, "MessageInfo", None)
    return "publisher_gid" in getattr(info, "__annotations__", {})


def unknown_overrides(node: Node, own: Sequence[Row]) -> list[str]:
    """Return warnings of unknown parameters given at the start, mostly misspelt ones.

    They are no errors: a file for all nodes, ``/**``, has those of others, too.
    """
    known = [row.name for row in (*TABLE, *own)]
    return [
        f"parameter {name!r} is not known and has no effect{suggestion(name, known)}"
        for name in sorted(_overrides(node))
        if not node.has_parameter(name)
    ]


def descriptor(row: Row) -> ParameterDescriptor:
    """Return the row's ROS descriptor: description with unit, range, read-only flag."""
    unit = "" if row.unit == "-" else f" [{row.unit}]"
    made = ParameterDescriptor(description=row.description + unit, read_only=row.read_only)
    # else rclpy refuses false, which is off; complaint() refuses all else
    made.dynamic_typing = OFF in row.choices
    if row.choices:
        made.additional_constraints = f"one of {row.range}"
    if row.lower is not None and row.upper is not None:
        if isinstance(row.default, int):
            made.integer_range = [
                IntegerRange(from_value=int(row.lower), to_value=int(row.upper), step=1)
            ]
        else:
            made.floating_point_range = [
                FloatingPointRange(from_value=row.lower, to_value=row.upper, step=0.0)
            ]
    return made


def _overrides(node: Node) -> dict[str, Any]:
    """Return the values given at the start, by name; rclpy has no public way to ask."""
    return getattr(node, "_parameter_overrides", {})


def _sentence(error: Any) -> str:
    """Return the first line of an exception's text."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
