"""Parts of steel that bends: their nodes, cells and pictures in the scene of a crane."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from transforms3d.quaternions import mat2quat, qmult

from cable_sim.cranes.families.kit.look import draw
from cable_sim.cranes.families.kit.standing import Standing
from cable_sim.cranes.families.kit.strands import node_point
from cable_sim.cranes.families.kit.tree import Array, vector
from cable_sim.cranes.families.kit.words.parts import Drawn, Part
from cable_sim.spec import Beam, Body, Joint, Loose, Visual
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.quantities import WORLD, Vector
from cable_sim.spec.scene import GRAVITY

FREE = 1e-4
"""Compliance of what a support lets move or turn [m/N, rad/(N m)]: as nothing beside a girder."""
Load = tuple[float, Vector, Vector]
Loads = tuple[Load, ...]


def beams(standing: Standing) -> Iterator[Beam]:
    """Yield the beams, straight under what they carry at the start."""
    tree = standing.tree
    for name, part in tree.parts.items():
        if part.beam is None:
            continue
        pose = tree.poses[name]
        if part.beam.span:
            start, end = (pose.point(place) for place in part.beam.span)
            loads = _loads(standing, name, start, end)
            if part.beam.supported:
                loads = (
                    *loads,
                    _far_support(loads, part.beam.hung[0], end - start, pose.turn[:, 1]),
                )
            held: dict[str, Any] = {"loads": loads}
            leans = pose.turn[:, 2]
        else:
            ends = [freedom for freedom in tree.beam_ends() if freedom.part == name]
            start, end = pose.origin, ends[0].origin
            held = {"carries": _wrench(standing, name)}
            along, _, high = np.abs(pose.turn.T @ (end - start))
            leans = pose.turn[:, 0 if high > along else 2]
        steel = asdict(part.beam)
        del steel["span"], steel["supported"], steel["soil"]
        yield Beam(
            name,
            start=vector(start),
            end=vector(end),
            up=vector(leans),
            collides=False,
            drawn=not part.picture,
            **held,
            **steel,
        )


def _wrench(standing: Standing, name: str) -> tuple[Vector, Vector]:
    """Return force [N] and moment [N m] of what stands on a mast, or slides, on what carries it."""
    held = [-standing.rest.effort[f"{name}.{i}"] for i in range(6)]
    return vector(held[:3]), vector(held[3:])


def _loads(standing: Standing, name: str, start: Array, end: Array) -> Loads:
    """Return the loads of a part's beam: of slides where they are, and of ropes on its nodes."""
    tree = standing.tree
    way = end - start
    long = float(way @ way)
    made = []
    for rider in tree.parts:
        if tree.rail_of(rider) == name:
            place = tree.poses[rider].origin - start
            fraction = float(place @ way) / long
            force, moment = _wrench(standing, rider)
            aside = place - fraction * way
            made.append((fraction, force, vector(np.add(moment, np.cross(aside, force)))))
    for rope, nodes in standing.nodes.items():
        points = [node_point(tree, standing.hooks, node) for node in nodes]
        for k, node in enumerate(nodes):
            fraction = float((points[k] - start) @ way) / long
            if node.body != name or fraction <= 0.0:
                continue
            others = [points[i] for i in (k - 1, k + 1) if 0 <= i < len(nodes)]
            ways = [(other - points[k]) / np.linalg.norm(other - points[k]) for other in others]
            pull = standing.rest.tension[rope] * np.sum(ways, axis=0)
            at = _nearest(tree.parts[name], fraction)
            arm = points[k] - start - at * way
            made.append((at, vector(pull), vector(np.cross(arm, pull))))
    return tuple(made)


def _far_support(loads: Loads, mass: float, way: Array, across: Array) -> Load:
    """Return the load of the second support of a girder with its own mass [kg]; ``across`` is y."""
    pulls = [(0.5, (0.0, 0.0, -mass * GRAVITY), (0.0, 0.0, 0.0)), *loads]
    moment = sum(np.cross(at * way, force) + turn for at, force, turn in pulls)
    up = np.cross(way, across) / float(way @ way)
    return 1.0, vector(float(moment @ across) * up), (0.0, 0.0, 0.0)


def _nearest(part: Part, fraction: float) -> float:
    """Return the fraction of the length of the node that is nearest to a place [-]."""
    assert part.beam is not None
    return min(round(fraction * part.beam.elements), part.beam.elements) / part.beam.elements


def put_on_beam(standing: Standing, steel: Sequence[Beam], node: Node) -> Node:
    """Return a node of a rope on the nearest node of the beam of its part, if it has one there."""
    if isinstance(node, Loose):
        return node
    for beam in steel:
        part = standing.tree.parts[beam.name]
        if node.body != beam.name or part.is_mast:
            continue
        point = node_point(standing.tree, standing.hooks, node)
        fraction = float((point - beam.start) @ beam.axes[:, 0]) / beam.length
        nearest = round(_nearest(part, fraction) * beam.elements)
        if fraction > 0.0 and nearest >= _first(part):
            body = beam.bodies[nearest]
            place = vector(beam.axes.T @ (point - body.position))
            return replace(node, body=body.name, position=place)
    return node


def bodies(standing: Standing, steel: Sequence[Beam]) -> Iterator[Body]:
    """Yield the nodes of the beams, but of those that are clamped the first."""
    for beam in steel:
        yield from beam.bodies[_first(standing.tree.parts[beam.name]) :]


def _first(part: Part) -> int:
    """Return the first node of a beam that is a body of its own: 1 where something clamps it."""
    return 0 if part.beam and (part.beam.supported or part.beam.soil) else 1


def joints(standing: Standing, steel: Sequence[Beam]) -> Iterator[Joint]:
    """Yield the cells of the beams, the first on what clamps them, and what else holds them."""
    for beam in steel:
        first, *others = beam.joints
        made = standing.tree.parts[beam.name].beam
        assert made is not None
        if made.soil:
            yield beam.footing(made.soil.compliance)
        elif not made.supported:
            first = replace(first, parent=_clamp(standing, beam)[0])
        else:
            yield from _supports(beam)
        yield from (first, *others)


def _supports(beam: Beam) -> Iterator[Joint]:
    """Yield the joints of both ends of a girder with its part; the second lets it go along."""
    along, across = (vector(axis) for axis in beam.axes.T[:2])
    for fraction, slides in ((0.0, 0.0), (1.0, FREE)):
        yield Joint(
            f"{beam.name}_support_{fraction:.0f}",
            "fixed",
            beam.at(fraction)[0],
            beam.name,
            point=vector(beam.start + fraction * beam.length * beam.axes[:, 0]),
            axis=along,
            across=across,
            compliance=(0.0, 0.0, slides, FREE, 0.0, 0.0),
        )


def _clamp(standing: Standing, beam: Beam) -> tuple[str, Array]:
    """Return the body that clamps a beam, and where its origin is in the world (3,) [m]."""
    if standing.tree.parts[beam.name].is_mast:
        return WORLD, np.zeros(3)
    return beam.name, standing.tree.centre(beam.name)


def rail_on(standing: Standing, beam: Beam) -> tuple[tuple[str, Vector], ...]:
    """Return the rail along the beam of a part, of one that is clamped from the part itself on."""
    if not _first(standing.tree.parts[beam.name]):
        return beam.rail
    _, *others = beam.rail
    name, origin = _clamp(standing, beam)
    return ((name, vector(beam.axes.T @ (beam.start - origin))), *others)


def visuals(standing: Standing, steel: Sequence[Beam]) -> Iterator[Visual]:
    """Yield the pictures of the beams; lattices are cut at the middles of the cells."""
    for beam in steel:
        for number, drawn in enumerate(standing.tree.parts[beam.name].picture, start=1):
            for node in () if drawn.towards else range(beam.elements + 1):
                yield from _piece(standing, beam, f"{beam.name}_{number}", node, drawn)


def _piece(standing: Standing, beam: Beam, name: str, node: int, drawn: Drawn) -> Iterator[Visual]:
    """Yield what of a shape a node has: its piece of a lattice, or a shape that it is next to."""
    pose = standing.tree.poses[beam.name]
    along = pose.turn.T @ beam.axes[:, 0]
    first = float(along @ (pose.turn.T @ (beam.start - pose.origin)))
    low, high = (first + (node + side) * beam.cell for side in (-0.5, 0.5))
    low = low if node else -math.inf
    high = high if node < beam.elements else math.inf
    start, end = (np.array(place) for place in drawn.lattice or np.zeros((2, 3)))
    at = float(start @ along), float(end @ along)
    cut = 0.0, 1.0
    if not math.isclose(*at, abs_tol=1e-6):  # one across the beam is not cut
        first_cut, last_cut = ((np.clip((low, high), *at) - at[0]) / (at[1] - at[0])).tolist()
        if first_cut == last_cut:
            return
        cut = first_cut, last_cut
    elif not low <= _middle(drawn, along) < high:
        return
    body, origin, axes = beam.bodies[node].name, np.array(beam.bodies[node].position), beam.axes
    if node < _first(standing.tree.parts[beam.name]):
        body, origin = _clamp(standing, beam)
        axes = np.eye(3) if body == WORLD else pose.turn
    turn = axes.T @ pose.turn
    for made in draw(f"{name}_{node}", body, (0.0, 0.0, 0.0), drawn, cut):
        place = turn @ np.asarray(made.position) - axes.T @ (origin - pose.origin)
        facing = qmult(mat2quat(turn), made.orientation)
        yield replace(made, position=vector(place), orientation=tuple(facing.tolist()))


def _middle(drawn: Drawn, along: Array) -> float:
    """Return the place of a shape along a beam [m]."""
    points = [point for chain in drawn.bars or () for point in chain]
    points += [*(drawn.corners or drawn.lattice or ())]
    return float(along @ np.mean(points or [drawn.at], axis=0))
