"""Line of a cable, by which it goes on when it gets another model.

*Reading.* A massless cable is straight between its nodes, an elevation cable follows the curves of
its spans, a hybrid wire its masses. The line is kept as what it is off the straight lines, with the
velocity in excess of theirs.

*Laying.* A hybrid wire gets as many masses along the line as it may have, at equal lengths of rope.
Those that its tension does not allow go in the next step. The polygon over them is shorter than the
line. With its length S, the rope's L and the tension T, the account E makes up for that, and fades
(``kernels/cables/hybrid/hybrid.py``):

    E = min(S - L (1 + T / EA), 0).

An elevation cable gets the line as the displacements of its spans. They are multiplied by the
number with which the curves are L (1 + T / EA) long, by 0 if straight lines are longer. So tension
goes on, but for what friction at sheaves makes of it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import rotate_vector

from cable_sim.errors import CommandError
from cable_sim.kernels.cables.contact.contact_path import MASSIVE, SEVERED
from cable_sim.kernels.cables.elevation.chords import PLANAR
from cable_sim.kernels.records.world import State
from cable_sim.model.cables.waves import kind_of, start_normal
from cable_sim.sim.observation import Observation, Report
from cable_sim.sim.readings.views import CableView
from cable_sim.sim.running import RunningScene
from cable_sim.spec import Elevation

Array = NDArray[np.float64]
SHORTEST = -0.005
"""Least account of a hybrid wire, as a part of its rope [-]."""
STEEPEST = 10.0
"""Largest factor of the displacements of an elevation cable [-]."""


class Strand(NamedTuple):
    """Line of a cable between two of its nodes.

    Its n points, the two nodes among them, are at ``places`` (n,) of the straight line, from 0 to
    1, off that by ``offset`` (n, 3) [m], with ``velocity`` (n, 3) beyond that of the line [m/s].
    """

    places: Array
    offset: Array
    velocity: Array

    def at(self, places: Array, values: Array) -> Array:
        """Return values (n, 3) of its points at other places (m,) (m, 3)."""
        return np.stack([np.interp(places, self.places, column) for column in values.T], axis=1)


class Line(NamedTuple):
    """Line of a cable, the length of its rope [m], and its mean tension [N]."""

    strands: list[Strand]
    length: float
    tension: float


def read_line(running: RunningScene, name: str) -> Line:
    """Return the line of a cable.

    Raises CommandError for one that bends over edges, is off, has a loose end, or has parted.
    """
    seen = Observation(running.names, Report(0, 0.0, 0), running.picture()).cable(name)
    c = running.names.index("cables", name)
    own = running.names.nodes[c].start + running.names.own[c]
    _refuse(name, seen, running.state, own)
    strands = []
    for j, k in enumerate(own[:-1]):
        points = seen.curve[seen.curve_nodes[j] : seen.curve_nodes[j + 1] + 1]
        points = points[np.append(True, _steps(points) > 0.0)]
        chord = points[-1] - points[0]
        places = np.linspace(0.0, 1.0, len(points))
        offset = points - points[0] - np.outer(places, chord)
        strands.append(Strand(places, offset, _velocities(running, c, k, own[j + 1], places)))
    mean = np.average(seen.span_tension, weights=seen.span_length)
    return Line(strands, seen.length_paid_out, max(float(mean), 0.0))


def _refuse(name: str, seen: CableView, state: State, own: Any) -> None:
    """Refuse a cable whose model can't change as it lies."""
    problem = ""
    if len(seen.contact_position):
        problem = f"bends over {seen.contact_obstacle[0]!r}"
    elif seen.off or (state.nodes.friction_state[own[0] : own[-1] + 1] == SEVERED).any():
        problem = "is unhooked, or has parted"
    elif MASSIVE in state.nodes.contact_solid[own[[0, -1]]]:
        problem = "has a loose end"
    if problem:
        raise CommandError(f"cable {name!r} {problem}; its model can't change there")


def _velocities(running: RunningScene, c: int, k: int, far: int, places: Array) -> Array:
    """Return the velocities of the points of the strand behind node k in excess of the line's."""
    state = running.state
    masses = np.arange(k, far)[state.nodes.contact_solid[k:far] == MASSIVE]
    first = int(running.model.waves.start[k])
    found = np.zeros((len(places), 3))
    if len(masses) == len(places) - 2 > 0:
        found[1:-1] = (
            state.nodes.velocity[masses] - _along(_velocities_at(state, k, far), places)[1:-1]
        )
    elif first >= 0 and state.spans.waves[k]:
        across = _normals(state.spans.normal[k], _ends(state, k, far))
        found = state.waves.rate[:, first : first + len(places)].T @ across
    return found


def lay_line(running: RunningScene, name: str, line: Line, state: State) -> None:
    """Lay a cable of a scene along a line, in a state whose bodies are where they are to be."""
    c = running.names.index("cables", name)
    own = running.names.nodes[c].start + running.names.own[c]
    spans = running.names.spans[c]
    pull = running.dt * line.tension
    state.spans.tension_impulse[spans] = pull
    state.spans.elastic_impulse[spans] = pull
    state.spans.tension_before[spans] = line.tension
    row = int(running.model.cables.row[c])
    if row >= 0:
        state.rows.impulse[row] = pull
    softness = float(running.model.cables.compliance_per_length[c])
    stretched = line.length * (1.0 + softness * line.tension)
    layer: Any = running.scene.cables[c].model
    if layer.adaptive:
        finest = float(running.model.wires.finest[running.model.wires.cable == c][0])
        _lay_masses(finest, own, line, stretched, state)
    elif running.model.waves.oscillates[c]:
        _lay_curves(running, layer, own, line, stretched, state)


def _lay_masses(finest: float, own: Any, line: Line, stretched: float, state: State) -> None:
    """Set masses along a line, and the rope and the accounts of its spans."""
    lengths = np.zeros(own[-1] - own[0])
    for k, far, strand in zip(own[:-1], own[1:], line.strands, strict=True):
        places = _mass_places(finest, strand, _ends(state, k, far), int(far - k - 1))
        points = _along(_ends(state, k, far), places) + strand.at(places, strand.offset)
        velocities = _along(_velocities_at(state, k, far), places)
        velocities += strand.at(places, strand.velocity)
        masses = slice(k + 1, k + len(places) - 1)
        state.nodes.point[masses] = points[1:-1]
        state.nodes.velocity[masses] = velocities[1:-1]
        state.nodes.body[masses] = 0
        state.nodes.row_entry[masses] = -1
        state.nodes.contact_solid[masses] = MASSIVE
        first = k - own[0]
        lengths[first : first + len(places) - 1] = _steps(points)
    whole = float(lengths.sum())
    account = max(min(whole - stretched, 0.0), SHORTEST * line.length)
    spans = slice(own[0], own[-1])
    state.spans.rest_length[spans] = line.length * lengths / whole
    state.nodes.path_offset[spans] = account * lengths / whole


def _mass_places(finest: float, strand: Strand, ends: Array, room: int) -> Array:
    """Return the places of masses on a strand, and of its ends, at equal lengths of rope."""
    way = np.append(0.0, np.cumsum(_steps(_along(ends, strand.places) + strand.offset)))
    most = int(way[-1] / finest + 1e-9) - 1 if len(way) > 2 else 0
    count = min(max(most, 0), room)
    return np.interp(np.linspace(0.0, way[-1], count + 2), way, strand.places)


def _lay_curves(
    running: RunningScene, layer: Elevation, own: Any, line: Line, stretched: float, state: State
) -> None:
    """Set the displacements and rates of the spans of an elevation cable along a line."""
    curves: list[Curve] = []
    for k, far, strand in zip(own[:-1], own[1:], line.strands, strict=True):
        ends = _ends(state, k, far)
        first = int(running.model.waves.start[k])
        points = int(running.model.waves.intervals[k]) + 1 if first >= 0 else 0
        grid = slice(first, first + points)
        curves.append(Curve(float(_steps(ends)[0]), state.waves.displacement[:, grid]))
        if points == 0:
            continue
        state.spans.normal[k] = start_normal(layer, *ends)
        across = _normals(state.spans.normal[k], ends)
        chord = ends[1] - ends[0]
        ahead = np.maximum.accumulate(strand.places + strand.offset @ chord / (chord @ chord))
        flat = strand._replace(places=ahead)
        x = np.linspace(0.0, 1.0, points)
        state.waves.displacement[:, grid] = across @ flat.at(x, strand.offset).T
        state.waves.rate[:, grid] = across @ flat.at(x, strand.velocity).T
        if kind_of(layer) == PLANAR:
            state.waves.displacement[1, grid] = state.waves.rate[1, grid] = 0.0
    factor = _fitting_factor(curves, stretched)
    for curve in curves:
        curve.displacement[...] *= factor


class Curve(NamedTuple):
    """A span: its chord [m], and the displacements (2, p) of its points; p is 0 of a straight
    one."""

    chord: float
    displacement: Array

    def length(self, factor: float) -> float:
        """Return its length [m] with the displacements multiplied by a factor."""
        steps = np.diff(factor * self.displacement, axis=1)
        if steps.size == 0:
            return self.chord
        return float(np.hypot(self.chord / steps.shape[1], np.linalg.norm(steps, axis=0)).sum())


def _fitting_factor(curves: list[Curve], length: float) -> float:
    """Return the factor of displacements with which curves have a length [m] together."""
    from scipy.optimize import brentq  # a fifth of the start of a node, and few change models

    def excess(factor: float) -> float:
        return sum(curve.length(factor) for curve in curves) - length

    if excess(0.0) >= 0.0:
        return 0.0
    return float(brentq(excess, 0.0, STEEPEST)) if excess(STEEPEST) > 0.0 else 1.0


def _ends(state: State, *nodes: int) -> Array:
    """Return the places of a cable's own nodes in the world (n, 3) [m]."""
    bodies = state.bodies
    return np.array(
        [
            bodies.position[b] + rotate_vector(state.nodes.point[k], bodies.orientation[b])
            for k, b in zip(nodes, state.nodes.body[[*nodes]], strict=True)
        ]
    )


def _velocities_at(state: State, *nodes: int) -> Array:
    """Return the velocities of a cable's own nodes in the world (n, 3) [m/s]."""
    on = state.nodes.body[[*nodes]]
    arms = _ends(state, *nodes) - state.bodies.position[on]
    velocity = state.bodies.velocity[on]
    return np.asarray(velocity[:, :3] + np.cross(velocity[:, 3:], arms))


def _along(ends: Array, places: Array) -> Array:
    """Return values (n, 3) between those of two ends (2, 3)."""
    return np.asarray(ends[0] + np.outer(places, ends[1] - ends[0]))


def _steps(points: Array) -> Array:
    """Return the distances from point to point."""
    return np.linalg.norm(np.diff(points, axis=0), axis=1)


def _normals(normal: Array, ends: Array) -> Array:
    """Return both normals (2, 3) of a span between its ends (2, 3), whose first one is given."""
    chord = ends[1] - ends[0]
    return np.stack([normal, np.cross(chord / np.linalg.norm(chord), normal)])
