"""Packing of wheels in ropes: contacts and wraps of the rope at the start, shares of its length."""

import math
from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels.cables.massless.tangents import common_tangent
from cable_sim.kernels.multibody.vec3 import Vector
from cable_sim.kernels.records.world import Model
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import flags, floats, ints, offsets
from cable_sim.model.basis.frames import Array, unit
from cable_sim.spec import Cable, Scene, Wheel

WIDEST = 5.0 / 3.0 * math.pi
"""Wrap below a full turn that is refused [rad]: as a rule that of an axis the wrong way round."""


class Round(NamedTuple):
    """The way of a cable over its wheels at the start."""

    length: float
    """Of the whole way [m]."""
    wrap: list[float]
    """Of each wheel, with full turns [rad]."""
    ahead: list[Array]
    """Direction in the middle of each wrap, in the world."""
    beyond: list[float]
    """Way behind the middle of each wrap [m]."""


class _Rim(NamedTuple):
    """A node as the rope sees it: centre and axis in the world, and radius, 0 of a point."""

    center: Vector
    axis: Vector
    radius: float
    wheel: Wheel | None = None


def bearing_loss(efficiency: float) -> float:
    """Return kappa of a sheave or wheel of some efficiency [-], see ``node_law.py``."""
    return 2.0 * (1.0 - efficiency) / (1.0 + efficiency)


def way_round(cable: Cable, index: BodyIndex) -> Round:
    """Return the way of a cable over its wheels; ModelError where there is none."""
    rims = [
        _rim(node, point, index)
        for node, point in zip(cable.nodes, index.places(cable), strict=True)
    ]
    lengths = []
    comes: list[Array] = []
    leaves: list[Array] = []
    for k, (near, far) in enumerate(zip(rims, rims[1:], strict=False)):
        _refuse_inside(cable, k, near, far)
        start, end, _, _ = common_tangent(*near[:3], *far[:3])
        gap = np.array(far.center) + far.radius * np.array(end) - near.center
        lengths.append(float(np.linalg.norm(gap - near.radius * np.array(start))))
        leaves.append(np.array(start))
        comes.append(np.array(end))
    wrap, ahead, half = [], [], [0.0] * len(rims)
    for k, rim in enumerate(rims[:-1]):
        if rim.wheel is not None:
            angle = _wrap(cable, rim.wheel, comes[k - 1], leaves[k], rim)
            wrap.append(angle)
            ahead.append(_turned(comes[k - 1], rim, 0.5 * angle))
            half[k] = 0.5 * rim.radius * angle
    half[-1] = half[0]  # of an endless rope
    ways = np.array(lengths) + half[:-1] + half[1:]
    behind = np.cumsum(ways[::-1])[::-1]
    beyond = [float(way) for way, rim in zip(behind, rims[:-1], strict=True) if rim.wheel]
    return Round(float(behind[0]), wrap, ahead, beyond)


def rope_behind(cable: Cable, way: Round) -> list[float]:
    """Return the unstretched length of a cable, and of what of it is behind each wheel [m].

    It carries its tensions at the start; one without an EA is of the length of its way, less what
    its ``stiffness`` gives under its pretension.
    """
    ways = [way.length, *way.beyond, 0.0]
    if cable.axial_rigidity is None:
        slack = cable.pretension / cable.stiffness if cable.stiffness else 0.0
        return [part * (1.0 - slack / way.length) for part in ways[:-1]]
    tension = cable.pretension
    parts = []
    for wheel, (start, end) in zip([None, *cable.wheels], pairwise(ways), strict=True):
        if wheel is not None and wheel.tension_behind is not None:
            tension = wheel.tension_behind
        parts.append((start - end) / (1.0 + tension / cable.axial_rigidity))
    return [sum(parts[j:]) for j in range(len(parts))]


def _rim(node: Any, point: Array, index: BodyIndex) -> _Rim:
    """Return a node as the rope sees it."""
    x, y, z = point.tolist()
    if not isinstance(node, Wheel):
        return _Rim((x, y, z), (0.0, 0.0, 0.0), 0.0)
    a, b, c = (index.rotation[index.row[node.body]] @ unit(node.axis)).tolist()
    return _Rim((x, y, z), (a, b, c), node.radius, node)


def _refuse_inside(cable: Cable, k: int, near: _Rim, far: _Rim) -> None:
    """Refuse nodes k and k + 1 of which one is inside of the other one's wheel."""
    for rim, other in ((near, far), (far, near)):
        if rim.wheel is None:
            continue
        away = np.subtract(other.center, rim.center)
        off = float(np.linalg.norm(away - (away @ rim.axis) * np.array(rim.axis)))
        if off <= rim.radius + other.radius * abs(float(np.dot(rim.axis, other.axis))):
            raise ModelError(
                f"cable {cable.name!r}: nodes {k} and {k + 1} are {off:.4g} m apart in the plane "
                f"of wheel {rim.wheel.name!r}, whose radius is {rim.radius:g} m; the rope "
                "needs a free length between them"
            )


def _wrap(cable: Cable, wheel: Wheel, comes: Array, leaves: Array, rim: _Rim) -> float:
    """Return the wrap of a wheel [rad]."""
    angle = math.atan2(float(np.dot(rim.axis, np.cross(comes, leaves))), float(comes @ leaves))
    angle %= 2.0 * math.pi
    if angle > WIDEST and wheel.turns == 0:
        raise ModelError(
            f"cable {cable.name!r}: wheel {wheel.name!r}: the rope would turn by "
            f"{math.degrees(angle):.0f} degrees right-handed about its axis {wheel.axis}; allowed "
            f"are {math.degrees(WIDEST):.0f}; turn the axis round, or give turns"
        )
    return angle + 2.0 * math.pi * wheel.turns


def _turned(vector: Array, rim: _Rim, angle: float) -> Array:
    """Return a vector across the axis of a wheel turned about it by an angle [rad]."""
    return math.cos(angle) * vector + math.sin(angle) * np.cross(rim.axis, vector)


def pack_wheels(scene: Scene, index: BodyIndex, lengths: Array) -> dict[str, Any]:
    """Model arrays of the wheels, and ``wheels.beyond`` of the state.

    ``lengths`` are the unstretched lengths of the cables [m].
    """
    made: list[Wheel] = [wheel for cable in scene.cables for wheel in cable.wheels]
    ways = [way_round(cable, index) if cable.wheels else None for cable in scene.cables]
    ahead = [direction for way in ways if way for direction in way.ahead]
    beyond = [
        length * part / whole
        for cable, way, length in zip(scene.cables, ways, lengths, strict=True)
        if way
        for whole, *parts in [rope_behind(cable, way)]
        for part in parts
    ]
    return {
        "cables.wheel_start": offsets(cable.wheels for cable in scene.cables),
        "cables.closed": flags(cable.closed for cable in scene.cables),
        **_places(scene, len(made)),
        "wheels.rotor": ints(_rotor(wheel, index) for wheel in made),
        "wheels.back": ints(
            _rotor(cable.wheels[0], index) if cable.closed and i > 0 else -1
            for cable in scene.cables
            for i in range(len(cable.wheels))
        ),
        "wheels.radius": floats(wheel.radius for wheel in made),
        "wheels.axis": floats([unit(wheel.axis) for wheel in made], 3),
        "wheels.ahead": floats(
            [
                index.rotation[index.row[wheel.body]].T @ direction
                for wheel, direction in zip(made, ahead, strict=True)
            ],
            3,
        ),
        "wheels.wrap": floats(angle for way in ways if way for angle in way.wrap),
        "wheels.friction": floats(
            -1.0 if wheel.friction is None else wheel.friction for wheel in made
        ),
        "wheels.loss": floats(bearing_loss(wheel.efficiency or 1.0) for wheel in made),
        "wheels.beyond": np.array(beyond),
    }


def _rotor(wheel: Wheel, index: BodyIndex) -> int:
    """Return the body row of the rim of a wheel, -1 of one that stands."""
    return index.winch[wheel.name] if wheel.rotor else -1


def _places(scene: Scene, count: int) -> dict[str, Any]:
    """Return the nodes of the wheels and the spans at them, and the wheels of the nodes."""
    of_node: list[int] = []
    node = []
    span = []
    for cable in scene.cables:
        first = len(of_node)
        last = first + len(cable.nodes) - 1
        for k, at in enumerate(cable.nodes, start=first):
            again = cable.closed and k == last
            if isinstance(at, Wheel) and not again:
                node.append(k)
                span.append([last - 1 if k == first else k - 1, k])
            of_node.append(len(node) - 1 if isinstance(at, Wheel) else -1)
            if again:
                of_node[-1] = of_node[first]
    return {
        "wheels.node": ints(node),
        "wheels.of_node": np.array(of_node if count else [], dtype=np.int64),
        "wheels.span": ints(span, 2),
    }


def wheel_names(scene: Scene) -> tuple[str, ...]:
    """Return the names of all wheels; one of several on a shaft has its cable's before it."""
    named = [(cable.name, wheel.name) for cable in scene.cables for wheel in cable.wheels]
    count = Counter(name for _, name in named)
    return tuple(name if count[name] == 1 else f"{cable}.{name}" for cable, name in named)


def start_wheels(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the state arrays of the wheels, of which one is taken out of the model's arrays."""
    beyond = arrays.pop("wheels.beyond")
    return {
        "wheels.beyond": beyond,
        "wheels.slip": np.zeros(beyond.size),
        "wheels.end_slip": np.zeros(beyond.size),
        "wheels.share": np.zeros(beyond.size),
        "wheels.heat": np.zeros(beyond.size),
        "wheels.contact": np.outer(arrays["wheels.wrap"], [-0.5, 0.5]),
    }


def wheel_scratch(model: Model) -> dict[str, Any]:
    """Return the shapes of the scratch of wheels."""
    count = model.wheels.node.size
    spans = model.wheels.of_node.size
    return {
        "spans.groove_force": (spans, 3),
        "spans.groove_couple": (spans, 2, 3),
        "wheels.comes": (count, 3),
        "wheels.leaves": (count, 3),
        "wheels.axis": (count, 3),
        "wheels": count,
        "wheels.contact": (count, 2),
    }
