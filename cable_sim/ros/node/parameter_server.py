"""Puts rows of the parameter table on a node, and reads them back."""

from collections.abc import Iterable, Sequence
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

from cable_sim.errors import CableSimError
from cable_sim.ros.node.parameters import (
    OFF,
    TABLE,
    Row,
    Settings,
    Value,
    complaint,
    meant,
    settings_from,
)


def declare(node: Node, own: Sequence[Row] = ()) -> Settings:
    """Declare the table's parameters, or those of a crane when the table's are there; the values of
    all.

    Raises CableSimError, in words for the user, when a value given at the start is of the wrong
    type, out of range or does not fit the others.
    """
    for row in own or TABLE:
        problem = complaint(row, given.value) if (given := _overrides(node).get(row.name)) else ""
        if problem:
            raise CableSimError(problem)
        try:
            node.declare_parameter(row.name, row.default, descriptor(row))
        except (
            Exception
        ) as error:  # rclpy has half a dozen classes for this, not all of them public
            raise CableSimError(f"parameter {row.name!r}: {_sentence(error)}") from None
    return settings_of(node, own)


def settings_of(node: Node, own: Sequence[Row] = (), changed: Iterable[Parameter] = ()) -> Settings:
    """The node's present parameters, with those in ``changed`` instead where given.

    Raises CableSimError when they do not fit together.
    """
    values: dict[str, Value] = {
        row.name: node.get_parameter(row.name).value for row in (*TABLE, *own)
    }
    return settings_from(values | {parameter.name: parameter.value for parameter in changed}, own)


def unknown_overrides(node: Node, own: Sequence[Row]) -> list[str]:
    """What to say of parameters given at the start that this node does not have: misspelt ones,
    mostly.

    They are no errors: a file for all nodes, ``/**``, has those of others, too.
    """
    known = [row.name for row in (*TABLE, *own)]
    return [
        f"parameter {name!r} is not known and has no effect{meant(name, known)}"
        for name in sorted(_overrides(node))
        if not node.has_parameter(name)
    ]


def descriptor(row: Row) -> ParameterDescriptor:
    """The row as ROS shows it: description with unit, range, read-only flag."""
    unit = "" if row.unit == "-" else f" [{row.unit}]"
    made = ParameterDescriptor(description=row.description + unit, read_only=row.read_only)
    made.dynamic_typing = (
        OFF in row.choices
    )  # else rclpy refuses false, which is off; complaint() refuses all else
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
    """What was given at the start, by name; rclpy has no public way to ask."""
    return getattr(node, "_parameter_overrides", {})


def _sentence(error: Any) -> str:
    """The first line of an exception's text."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
