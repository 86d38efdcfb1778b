"""Weight and inertia that the model of elevation cables leaves out, for the account of their
energy.

Only the part across its chord of what a span weighs acts in the model, and half an interval at each
end has no inertia (docs/theory/elevation_cable.md). The work of the first is no potential: with x
the points of a span, each with its share m of the mass, g' the gravity across the chord, it is W =
sum m g' . dx. So the account takes -W in place of the rope's potential, and leaves out the kinetic
energy that the ends have across the chord, and all points of a planar cable across its plane. A
span that carries nothing, because it lies straight on a solid, has neither.

Velocities of ends are those of their bodies; of points between they are means over the last step.
Where contact nodes come and go the points are others: for that step the potential itself counts.
"""

from typing import Any, NamedTuple

import numpy as np

from cable_sim.model.basis.frames import Array
from cable_sim.sim.observation import Observation
from cable_sim.sim.readings.views import CableView
from cable_sim.spec import Cable, Scene

JUMP = 0.3
"""An end of a span that goes farther than this in a step [m] is that of another span."""
STRAIGHT = 1e-9
"""A curve that is nearer to its chord than this [m] does not oscillate; points nearer to one
another are room."""


class Span(NamedTuple):
    """Points of a span [m], mass of each [kg], unit vectors along its chord and across the plane it
    oscillates in; velocities of its two ends [m/s]."""

    points: Array
    mass: Array
    chord: Array
    aside: Array
    ends: Array

    def is_straight(self) -> bool:
        """Return True where nothing is off the chord."""
        x = np.linspace(0.0, 1.0, len(self.points))[:, None]
        offset = self.points - (1.0 - x) * self.points[0] - x * self.points[-1]
        return bool(np.abs(offset).max() < STRAIGHT)

    def follows(self, before: "Span") -> bool:
        """Return True if this is the same span a step later."""
        same = len(self.points) == len(before.points)
        return same and bool(np.abs((self.points - before.points)[[0, -1]]).max() < JUMP)

    def transverse(self, vectors: Array) -> Array:
        """The part of vectors across the chord."""
        return vectors - (vectors @ self.chord)[..., None] * self.chord


class LeftOut:
    """What the readings of kinetic and potential energy have that the model has not, step by
    step."""

    def __init__(self, scene: Scene) -> None:
        self.gravity = np.array(scene.gravity)
        self.cables = [cable for cable in scene.cables if cable.elevation]
        self.before: tuple[list[Span], float] | None = None
        self.work = 0.0

    def energies(self, seen: Observation) -> tuple[float, float]:
        """Return kinetic and potential energy that do not belong to the model [J]."""
        spans = [span for cable in self.cables for span in _spans(cable, seen)]
        potential = self._height(spans)
        before = self.before
        self.before = (spans, seen.time)
        if before is None or not before[0] or not spans:
            self.work = -potential  # the reading of the start is kept
            return 0.0, 0.0
        old = before[0]
        duration = seen.time - before[1]
        if len(old) != len(spans) or not all(a.follows(b) for a, b in zip(spans, old, strict=True)):
            self.work -= potential - self._height(old) * _mass(spans) / _mass(old)
            return 0.0, potential + self.work
        kinetic = 0.0
        for span, earlier in zip(spans, old, strict=True):
            moved = span.points - earlier.points
            velocity = moved / duration
            velocity[[0, -1]] = span.ends
            across = (span.transverse(velocity) ** 2).sum(axis=1)
            aside = (velocity @ span.aside) ** 2
            if span.is_straight():
                aside = across
            aside[[0, -1]] = across[[0, -1]]
            kinetic += 0.5 * float(span.mass @ aside)
            if not span.is_straight():
                across = 0.5 * (earlier.transverse(self.gravity) + span.transverse(self.gravity))
                self.work += float(0.5 * (earlier.mass + span.mass) @ (moved @ across))
        return kinetic, potential + self.work

    def _height(self, spans: list[Span]) -> float:
        """Potential energy of spans [J]."""
        return -sum(float(span.mass @ (span.points @ self.gravity)) for span in spans)


def _mass(spans: list[Span]) -> float:
    return sum(float(span.mass.sum()) for span in spans)


def _spans(cable: Cable, seen: Observation) -> list[Span]:
    """Spans of a cable that have a grid and a length; room for contact nodes has none."""
    view = seen.cable(cable.name)
    found: list[Span] = []
    if view.off:
        return found
    at = np.concatenate([view.curve_nodes, _contacts(view)])
    order = np.argsort(at, kind="stable")
    velocities = [
        _velocity(node.body, place, seen)
        for node, place in zip(cable.nodes, view.node_position, strict=True)
    ] + [np.zeros(3)] * len(view.contact_position)
    nodes = at[order]
    ends = [velocities[i] for i in order]
    for k, (begin, end) in enumerate(zip(nodes, nodes[1:], strict=False)):
        points = view.curve[begin : end + 1]
        points = points[np.append(True, np.abs(np.diff(points, axis=0)).max(axis=1) > STRAIGHT)]
        chord = points[-1] - points[0]
        length = float(np.linalg.norm(chord))
        intervals = len(points) - 1
        if intervals < 2 or length == 0.0:
            continue
        mass = np.full(intervals + 1, cable.density * length / intervals)
        mass[[0, -1]] *= 0.5
        aside = _side_vector(cable, chord)
        found.append(Span(points, mass, chord / length, aside, np.array(ends[k : k + 2])))
    return found


def _contacts(view: CableView) -> Any:
    """Indices of the points of a cable's curve that are its contact nodes; solids are at rest."""
    near = np.abs(view.curve[:, None] - view.contact_position[None]).max(axis=2)
    return near.argmin(axis=0) if len(view.contact_position) else np.zeros(0, int)


def _velocity(body: str, place: Array, seen: Observation) -> Array:
    """Velocity of a point of a body, which is at ``place`` [m/s]."""
    if body == "world":
        return np.zeros(3)
    view = seen.body(body)
    return view.velocity + np.cross(view.angular_velocity, place - view.position)


def _side_vector(cable: Cable, chord: Array) -> Array:
    """Unit vector across the vertical plane of a planar cable's span; zero for a cable that
    oscillates to all sides."""
    assert cable.elevation is not None
    across = np.cross((0.0, 0.0, 1.0), chord)
    length = float(np.linalg.norm(across))
    planar = cable.elevation.planar or cable.elevation.variant == "2007"
    return across / length if planar and length > 0.0 else np.zeros(3)
