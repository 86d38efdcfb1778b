"""Parts of steel that bends: their nodes, cells and pictures in the scene of a crane."""

from collections.abc import Iterator
from dataclasses import asdict, replace

import numpy as np
from transforms3d.quaternions import mat2quat, qmult

from cable_sim.cranes.families.kit.look import draw
from cable_sim.cranes.families.kit.parts import Drawn
from cable_sim.cranes.families.kit.standing import Standing
from cable_sim.cranes.families.kit.tree import vector
from cable_sim.spec import Beam, Body, Joint, Visual


def beams(standing: Standing) -> Iterator[Beam]:
    """Yield the beams, straight under what they carry at the start."""
    tree, effort = standing.tree, standing.rest.effort
    for name, part in tree.parts.items():
        if part.beam is None:
            continue
        pose = tree.poses[name]
        ends = [freedom for freedom in tree.beam_ends() if freedom.part == name]
        held = [-effort[freedom.name] for freedom in ends]
        along, _, high = np.abs(pose.turn.T @ (ends[0].origin - pose.origin))
        leans = pose.turn[:, 0 if high > along else 2]
        yield Beam(
            name,
            start=vector(pose.origin),
            end=vector(ends[0].origin),
            up=vector(leans),
            carries=(vector(held[:3]), vector(held[3:])),
            collides=False,
            drawn=not part.picture,
            **asdict(part.beam),
        )


def bodies(standing: Standing) -> Iterator[Body]:
    """Yield the nodes of the beams."""
    for beam in beams(standing):
        yield from beam.bodies


def joints(standing: Standing) -> Iterator[Joint]:
    """Yield the cells of the beams, and the joints that clamp them below."""
    for beam in beams(standing):
        yield from beam.joints
        yield Joint(f"{beam.name}_root", "fixed", beam.at(0.0)[0], point=beam.start)


def visuals(standing: Standing) -> Iterator[Visual]:
    """Yield the pictures of the beams; lattices are cut at the middles of the cells."""
    for beam in beams(standing):
        for number, drawn in enumerate(standing.tree.parts[beam.name].picture, start=1):
            for node in range(beam.elements + 1):
                yield from _piece(standing, beam, f"{beam.name}_{number}", node, drawn)


def _piece(standing: Standing, beam: Beam, name: str, node: int, drawn: Drawn) -> Iterator[Visual]:
    """Yield what of a shape a node has: its piece of a lattice, or a shape that it is next to."""
    pose = standing.tree.poses[beam.name]
    along = pose.turn.T @ beam.axes[:, 0]
    low, high = (node - 0.5) * beam.cell, (node + 0.5) * beam.cell
    if drawn.lattice:
        start, end = (np.array(place) for place in drawn.lattice)
        at = float(start @ along), float(end @ along)
        first, last = (np.clip((low, high), *at) - at[0]) / (at[1] - at[0])
        if first == last:
            return
        way = end - start
        drawn = replace(drawn, lattice=(vector(start + first * way), vector(start + last * way)))
    elif round(float(along @ drawn.at) / beam.cell) != node:
        return
    body = beam.bodies[node]
    turn = beam.axes.T @ pose.turn
    for made in draw(f"{name}_{node}", body.name, (0.0, 0.0, 0.0), drawn):
        place = turn @ np.asarray(made.position) - beam.axes.T @ (body.position - pose.origin)
        facing = qmult(mat2quat(turn), made.orientation)
        yield replace(made, position=vector(place), orientation=tuple(facing.tolist()))
