"""Packing of the world, rigid bodies, winches and couplings of chains' ends into body rows."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels.cables.crossing.crossing_rows import AT_ONCE
from cable_sim.kernels.multibody.bodies import COUPLING, DYNAMIC, JUNCTION, PRESCRIBED, WINCH
from cable_sim.model.basis.chains import coupled_chains
from cable_sim.model.basis.crossings import crossing_wires, exposed_rows, hybrid_cables, most_runs
from cable_sim.model.basis.frames import Array, rotation, unit
from cable_sim.spec import Body, Cable, Scene
from cable_sim.spec.quantities import WORLD


class BodyIndex:
    """Rows of bodies and obstacles by name, and the bodies' poses at the start as numpy arrays.

    ``cable`` has the row of each cable. ``exposed`` has the number of rows of each hybrid wire for
    segments that touch moving bodies, ``runs`` that of its parts that stretch as one rope,
    ``grips`` that of the places where friction may hold each other cable. ``coupling`` has the
    first of the bodies that couple rows of each cable: the ends of a chain, neighbouring exposed
    segments and the runs of a hybrid wire, or the parts of a rope over wheels or grips. It also has
    the first of those that stand for the places where each pair of wires
    crosses. ``count`` is the number of all bodies.

    ``own`` is the scene without the room that its cables have for contact nodes and masses.
    """

    def __init__(self, scene: Scene, own: Scene) -> None:
        self.row = {WORLD: 0} | {body.name: i + 1 for i, body in enumerate(scene.bodies)}
        self.winch = {
            winch.name: i for i, winch in enumerate(scene.winches, start=1 + len(scene.bodies))
        }
        self.cable = {cable.name: c for c, cable in enumerate(scene.cables)}
        self.obstacle = {obstacle.name: self.row[obstacle.body] for obstacle in scene.obstacles}
        self.crossings = crossing_wires(scene)
        crossed = Counter(name for pair in self.crossings for name in pair)
        self.exposed = {
            wire.name: exposed_rows(scene, wire, crossed[wire.name]) for wire in hybrid_cables(own)
        }
        self.runs = {wire.name: most_runs(wire) for wire in hybrid_cables(own)}
        self.grips = {c.name: n for c in own.cables if (n := most_grips(own, c)) > 0}
        self.coupling = self._couple(scene)
        self._crossed: dict[str, list[int]] = {}
        self._places: dict[str, list[Array]] = {}
        for pair in self.crossings:
            first = self.coupling[" x ".join(pair)]
            for name in pair:
                self._crossed.setdefault(name, []).extend(range(first, first + AT_ONCE))
        self.position = np.array([(0.0, 0.0, 0.0), *(body.position for body in scene.bodies)])
        self.rotation = [np.eye(3), *(rotation(body.orientation) for body in scene.bodies)]

    def _couple(self, scene: Scene) -> dict[str, int]:
        """Return the first rows of the bodies that couple; set the number of all bodies."""
        needed = {chain.name: 1 for chain in coupled_chains(scene)}
        needed |= {name: count + 1 + self.runs[name] for name, count in self.exposed.items()}
        needed |= {
            cable.name: len(cable.wheels) + (0 if cable.closed else 1)
            for cable in scene.cables
            if cable.wheels
        }
        needed |= {name: count + 1 for name, count in self.grips.items()}
        needed |= {" x ".join(pair): AT_ONCE for pair in self.crossings}
        self.first_coupling = 1 + len(scene.bodies) + len(scene.winches)
        first = np.cumsum([self.first_coupling, *needed.values()]).tolist()
        self.count = int(first[-1])
        return dict(zip(needed, first, strict=False))

    def crossings_of(self, cable: str) -> list[int]:
        """Return the rows of the bodies that stand for the places where a cable crosses others."""
        return self._crossed.get(cable, [])

    def chords(self, cable: Cable) -> list[tuple[Array, Array, bool]]:
        """Return both ends of every span of a cable [m], and True if they are in one place."""
        return [(a, b, a is b or bool((a == b).all())) for a, b in pairwise(self.places(cable))]

    def to_body(self, name: str, point: Any) -> Array:
        """A point of the world in the frame of a body [m]."""
        i = self.row[name]
        return np.asarray(self.rotation[i].T @ (np.asarray(point) - self.position[i]), dtype=float)

    def places(self, cable: Cable) -> list[Array]:
        """World positions of the nodes of a cable [m]; found once, and room behind a node is one
        and the same."""
        found = self._places.get(cable.name)
        if found is None:
            found = self._places.setdefault(cable.name, [])
            before = None
            for node in cable.nodes:
                point = node.body, node.position
                found.append(found[-1] if point == before else self.to_world(*point))
                before = point
        return found

    def to_world(self, name: str, point: Any) -> Array:
        """A point of a body in the world [m]."""
        i = self.row[name]
        return np.asarray(self.position[i] + self.rotation[i] @ np.asarray(point), dtype=float)


def most_grips(scene: Scene, cable: Cable) -> int:
    """Return the number of places of a cable of a scene without room for friction to hold it at.

    They are its contact nodes and its sheaves with losses. It is 0 for a cable that none of its
    obstacles rubs, and for a hybrid wire, which has friction of its own.
    """
    rough = any(o.friction > 0.0 and o.name in cable.touches for o in scene.obstacles)
    if cable.made_of_masses or not (rough and cable.feels_friction):
        return 0
    lossy = sum(node.kind == "sheave" and node.efficiency < 1.0 for node in cable.nodes)
    return cable.contacts * (len(cable.nodes) - 1) + lossy


def inertia_of(body: Body) -> Array:
    """Return the (3, 3) inertia in the body frame [kg m^2].

    ModelError unless it is symmetric and positive definite. Moments that no solid has (one above
    the sum of the others) are allowed: textbooks give such for motion in a plane, where only one of
    them matters.
    """
    tensor = body.tensor
    if not _is_positive_definite(tensor):
        raise ModelError(
            f"body {body.name!r}: inertia {body.inertia} is not symmetric and positive definite"
        )
    return tensor


def _is_positive_definite(tensor: Array) -> bool:
    """Return True if a matrix is symmetric and positive definite."""
    return bool(np.allclose(tensor, tensor.T) and np.linalg.eigvalsh(tensor)[0] > 0.0)


def pack_bodies(scene: Scene, index: BodyIndex) -> dict[str, Any]:
    """Model arrays of the bodies."""
    count = index.count
    kind = np.zeros(count, dtype=np.int64)
    inverse_mass = np.zeros(count)
    inertia = np.tile(np.eye(3), (count, 1, 1))
    for i, body in enumerate(scene.bodies, start=1):
        inertia[i] = inertia_of(body)
        kind[i] = DYNAMIC if body.motion == "dynamic" else PRESCRIBED
        inverse_mass[i] = 1.0 / body.mass if body.motion == "dynamic" else 0.0
    for i, winch in enumerate(scene.winches, start=1 + len(scene.bodies)):
        kind[i] = WINCH
        inverse_mass[i] = 1.0 / winch.mass
    kind[index.first_coupling :] = COUPLING
    inverse_mass[index.first_coupling :] = 1.0
    kind[count - AT_ONCE * len(index.crossings) :] = JUNCTION
    return {
        "bodies.kind": kind,
        "bodies.inverse_mass": inverse_mass,
        "bodies.inertia": inertia,
        "bodies.inverse_inertia": np.linalg.inv(inertia),
        **principal(inertia),
    }


def principal(inertia: Array) -> dict[str, Array]:
    """Return the model arrays of the principal axes of inertias (b, 3, 3).

    Their order is the one of ``kernels/multibody/bodies.py``.
    """
    moments, axes = np.linalg.eigh(inertia)
    inverse = 1.0 / moments
    least_first = inverse[:, 0] + inverse[:, 2] >= 2.0 * inverse[:, 1]
    order = np.where(least_first[:, None], [0, 2, 1], [2, 0, 1])
    axes = np.take_along_axis(axes, order[:, None, :], axis=2)
    axes[:, :, 1] *= np.linalg.det(axes)[:, None]  # right-handed
    moments = np.take_along_axis(moments, order, axis=1)
    return {
        "bodies.axes": axes,
        "bodies.momentum": moments[:, :, None] * axes.transpose(0, 2, 1),
        "bodies.inverse_moments": 1.0 / moments,
    }


def start_bodies(
    scene: Scene, index: BodyIndex, winch_length: dict[str, float]
) -> dict[str, Array]:
    """State arrays of the bodies at the start."""
    count = index.count
    position = np.zeros((count, 3))
    velocity = np.zeros((count, 6))
    orientation = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    for i, body in enumerate(scene.bodies, start=1):
        position[i], orientation[i] = body.position, unit(body.orientation)
        velocity[i] = (*body.velocity, *body.angular_velocity)
    for i, winch in enumerate(scene.winches, start=1 + len(scene.bodies)):
        position[i, 0] = winch_length[winch.name]
        velocity[i, 0] = winch.rate
    return {
        "bodies.position": position,
        "bodies.orientation": orientation,
        "bodies.velocity": velocity,
    }
