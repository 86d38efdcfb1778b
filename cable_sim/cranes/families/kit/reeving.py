"""Reevings of a crane of parts: from named places to the nodes of a cable."""

import math

from cable_sim.cranes.families.kit.tree import Place, Tree
from cable_sim.cranes.families.kit.words.parts import Wheel
from cable_sim.cranes.families.kit.words.spec import Falls, KitFile
from cable_sim.cranes.rigging.tackle import ACROSS, ALONG, half_turn
from cable_sim.errors import SpecError
from cable_sim.spec import Anchor, Drum, Eye, Sheave
from cable_sim.spec import Wheel as Friction
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.quantities import Vector


def winch_name(file: KitFile, rope: str) -> str:
    """Return the name of the winch of a rope."""
    return file.ropes[rope].winch or f"{rope}_winch"


def ropes_on_winch(file: KitFile, rope: str) -> list[str]:
    """Return the names of the ropes that are on the winch of a rope; none for what is no rope."""
    return [
        other
        for other in file.ropes
        if rope in file.ropes and winch_name(file, other) == winch_name(file, rope)
    ]


def touched_parts(file: KitFile, rope: str) -> set[str]:
    """Return the names of the parts and hooks that a rope runs over."""
    ends: list[str] = []
    for entry in file.ropes[rope].path:
        ends += [entry] if isinstance(entry, str) else [entry.upper, entry.lower]
    return {end.rpartition(".")[0] for end in ends}


def friction_wheels(file: KitFile) -> dict[str, str]:
    """Return the part of each wheel with friction, by the wheel's name."""
    return {
        name: part
        for part, made in file.parts.items()
        for name, wheel in made.wheels.items()
        if wheel.friction
    }


def hauled_part(file: KitFile, wheel: str) -> str:
    """Return the free part on which the rope ends that runs over a wheel with friction; empty
    without one."""
    place = f"{friction_wheels(file).get(wheel, '')}.{wheel}"
    for rope in file.ropes.values():
        if place in rope.path and isinstance(rope.path[-1], str):
            part = rope.path[-1].rpartition(".")[0]
            return part if part in file.parts and file.parts[part].free else ""
    return ""


def find_place(file: KitFile, tree: Tree, reference: str) -> Place:
    """Return the place that ``part.place`` names, on its body."""
    name, _, place = reference.rpartition(".")
    if name in file.hooks:
        return Place(name, file.hooks[name].places[place])
    return tree.place(name, file.parts[name].places[place])


def rope_nodes(file: KitFile, tree: Tree, name: str) -> tuple[Node, ...]:
    """Return the nodes of a rope from its winch, or first end, to its dead end."""
    rope = file.ropes[name]
    nodes: list[Node] = []
    for entry in rope.path:
        nodes += (
            _between(file, tree, entry) if isinstance(entry, str) else _falls(file, tree, entry)
        )
    first, last = nodes[0], nodes[-1]
    drum = rope.drum.pitch_diameter if rope.drum else rope.drum_diameter
    nodes[0] = (
        Drum(first.body, first.position, 0.5 * drum, getattr(first, "axis", ACROSS))
        if rope.winch_mass
        else Anchor(first.body, first.position)
    )
    swivel = rope.swivel or rope.model == "hybrid"  # with masses it carries no torque
    nodes[-1] = Anchor(last.body, last.position, swivel=swivel)
    return tuple(nodes)


def line_tie(file: KitFile, tree: Tree, name: str) -> Anchor:
    """Return the node where a line is tied."""
    return Anchor(*find_place(file, tree, file.lines[name].tie))


def _between(file: KitFile, tree: Tree, reference: str) -> tuple[Node, ...]:
    """Return the nodes of a place: an eye, a sheave, a wheel with friction, or both tangent points
    of a half turn."""
    body, position = find_place(file, tree, reference)
    name, _, place = reference.rpartition(".")
    wheel = file.owner(name).wheels.get(place)
    if wheel is None:
        return (Eye(body, position),)
    radius = 0.5 * wheel.diameter
    if wheel.friction:
        return (
            Friction(
                place,
                body,
                position,
                radius,
                wheel.axis,
                friction=wheel.friction,
                inertia=wheel.inertia,
                turns=wheel.turns,
            ),
        )
    if not wheel.half_turn:
        return (Sheave(body, position, wheel.efficiency, radius, wheel.axis),)
    return tangent_points(wheel, body, position, below=name in file.hooks)


def tangent_points(wheel: Wheel, body: str, middle: Vector, below: bool) -> tuple[Sheave, Eye]:
    """Return the points at which a rope runs on and off a half turn, the first with its loss.

    The wheel has its ``middle`` in the frame of a body [m], and the rope passes ``below`` it or
    above. On its lowest point the rim moves along -(axis x up), so there the rope comes in on the
    side of axis x up.
    """
    a, b, _ = wheel.axis
    x, y, z = middle
    size = math.hypot(a, b)
    if size == 0.0:
        raise SpecError(f"a wheel's axis must not be upright, as {wheel.axis} on {body!r} is")
    out = 0.5 * wheel.diameter / size * (1.0 if below == (wheel.side == "right") else -1.0)
    first = (x + out * b, y - out * a, z)
    second = (x - out * b, y + out * a, z)
    return half_turn(body, first, second, wheel.efficiency, wheel.axis)


def _falls(file: KitFile, tree: Tree, falls: Falls) -> list[Node]:
    """Return the nodes of parts of line, side by side along y.

    The wheels have their axles along x, so the falls stay parallel on a jib that luffs.
    """
    upper = find_place(file, tree, falls.upper)
    lower = find_place(file, tree, falls.lower)
    loss = falls.efficiency
    rows = [falls.spacing * (i - 0.5 * (falls.falls - 1)) for i in range(falls.falls)]

    def point(place: Place, row: float) -> tuple[str, tuple[float, float, float]]:
        x, y, z = place.position
        return place.body, (x, y + row, z)

    radius = 0.5 * falls.spacing
    nodes: list[Node] = [Sheave(*point(upper, rows[0]), loss, radius)]
    for i, row in enumerate(rows):
        end = lower if i % 2 == 0 else upper
        if i + 1 == len(rows):
            nodes.append(Eye(*point(end, row)))
        else:
            body, first = point(end, row)
            _, second = point(end, rows[i + 1])
            nodes += half_turn(body, first, second, loss, ALONG)
    return nodes
