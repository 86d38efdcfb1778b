"""Packs the world, the rigid bodies, the winches and what couples the ends of chains into body rows."""

from itertools import combinations
from typing import Any

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels.bodies import COUPLING, DYNAMIC, JUNCTION, PRESCRIBED, WINCH
from cable_sim.kernels.cables.crossing import AT_ONCE
from cable_sim.model.frames import Array, rotation, unit
from cable_sim.spec import Body, Cable, Scene
from cable_sim.spec.quantities import WORLD

METHODS = ("tutorial", "springs", "chain")


def lumped_cables(scene: Scene) -> list[Cable]:
    """The cables made of masses, in the order of their methods."""
    return [cable for method in METHODS for cable in scene.cables if cable.lumped and cable.lumped.method == method]


def coupled(scene: Scene) -> list[Cable]:
    """The chains attached at both ends, whose end rows are coupled by a body."""
    chains = (cable for cable in lumped_cables(scene) if cable.lumped and cable.lumped.method == "chain")
    return [chain for chain in chains if all(node.kind != "loose" for node in chain.nodes)]


def hybrid_cables(scene: Scene) -> list[Cable]:
    """The hybrid wires."""
    return [cable for cable in scene.cables if cable.hybrid]


def exposed_rows(scene: Scene, cable: Cable) -> int:
    """How many pieces of a hybrid wire may touch moving bodies, or its winch, at a time.

    Friction divides a piece at every contact node.
    """
    moving = [obstacle for obstacle in scene.obstacles if obstacle.name in cable.touches and obstacle.body != WORLD]
    on_solids = cable.contacts + 1 if any(obstacle.friction > 0.0 for obstacle in moving) else 3 * len(moving)
    at_nodes = sum(node.body != WORLD for node in cable.nodes)
    if cable.hybrid and cable.hybrid.attaches:
        at_nodes = len(cable.nodes)
    crossed = AT_ONCE * sum(cable.name in pair for pair in crossings(scene))
    return at_nodes + 2 * crossed + on_solids + (cable.winch is not None)


def crossings(scene: Scene) -> list[tuple[str, str]]:
    """The pairs of hybrid wires that may cross."""
    wires = hybrid_cables(scene)
    named = {tuple(sorted((wire.name, other))) for wire in wires if wire.hybrid for other in wire.hybrid.crosses}
    return [(a.name, b.name) for a, b in combinations(wires, 2) if tuple(sorted((a.name, b.name))) in named]


def couplings(scene: Scene) -> dict[str, int]:
    """How many bodies couple rows of each cable: the ends of a chain, neighbouring exposed pieces of a hybrid wire; and
    stand for the places where each pair of wires crosses."""
    return (
        {chain.name: 1 for chain in coupled(scene)}
        | {wire.name: exposed_rows(scene, wire) + 1 for wire in hybrid_cables(scene)}
        | {" x ".join(pair): AT_ONCE for pair in crossings(scene)}
    )


def body_count(scene: Scene) -> int:
    """Rows of the body arrays."""
    return 1 + len(scene.bodies) + len(scene.winches) + sum(couplings(scene).values())


class BodyIndex:
    """Rows of the bodies by name, of those of the obstacles, and the bodies' poses at the start as numpy arrays."""

    def __init__(self, scene: Scene) -> None:
        self.row = {WORLD: 0} | {body.name: i + 1 for i, body in enumerate(scene.bodies)}
        self.winch = {winch.name: i + 1 + len(scene.bodies) for i, winch in enumerate(scene.winches)}
        self.coupling, first = {}, 1 + len(scene.bodies) + len(scene.winches)
        for name, count in couplings(scene).items():
            self.coupling[name], first = first, first + count
        self.crossings = crossings(scene)
        self.obstacle = {obstacle.name: self.row[obstacle.body] for obstacle in scene.obstacles}
        self.position = np.array([(0.0, 0.0, 0.0), *(body.position for body in scene.bodies)])
        self.rotation = [np.eye(3), *(rotation(body.orientation) for body in scene.bodies)]

    def crossings_of(self, cable: str) -> list[int]:
        """Rows of the bodies that stand for the places where a cable crosses others."""
        first = [self.coupling[" x ".join(pair)] for pair in self.crossings if cable in pair]
        return [body + i for body in first for i in range(AT_ONCE)]

    def to_body(self, name: str, point: Any) -> Array:
        """A point of the world in the frame of a body [m]."""
        i = self.row[name]
        return np.asarray(self.rotation[i].T @ (np.asarray(point) - self.position[i]), dtype=float)

    def to_world(self, name: str, point: Any) -> Array:
        """A point of a body in the world [m]."""
        i = self.row[name]
        return np.asarray(self.position[i] + self.rotation[i] @ np.asarray(point), dtype=float)


def inertia_of(body: Body) -> Array:
    """(3, 3) inertia in the body frame [kg m^2]; ModelError unless it is symmetric and positive definite.

    Moments that no solid has (one above the sum of the others) are let through: textbooks give such for motion in a
    plane, where only one of them matters.
    """
    given = body.inertia if body.inertia is not None else body.shape.inertia(body.mass)  # type: ignore[union-attr]
    tensor = np.diag(given) if np.ndim(given) == 1 else np.array(given)
    if not np.allclose(tensor, tensor.T) or np.linalg.eigvalsh(tensor)[0] <= 0.0:
        raise ModelError(f"body {body.name!r}: inertia {given} is not symmetric and positive definite")
    return np.asarray(tensor, dtype=float)


def pack_bodies(scene: Scene) -> dict[str, Any]:
    """Model arrays of the bodies."""
    count = body_count(scene)
    kind, inverse_mass = np.zeros(count, dtype=np.int64), np.zeros(count)
    inertia = np.tile(np.eye(3), (count, 1, 1))
    for i, body in enumerate(scene.bodies, start=1):
        inertia[i] = inertia_of(body)
        kind[i] = DYNAMIC if body.motion == "dynamic" else PRESCRIBED
        inverse_mass[i] = 1.0 / body.mass if body.motion == "dynamic" else 0.0
    for i, winch in enumerate(scene.winches, start=1 + len(scene.bodies)):
        kind[i], inverse_mass[i] = WINCH, 1.0 / winch.mass
    last = slice(count - sum(couplings(scene).values()), count)
    kind[last], inverse_mass[last] = COUPLING, 1.0
    kind[count - AT_ONCE * len(crossings(scene)) :] = JUNCTION
    return {
        "body_kind": kind, "body_inverse_mass": inverse_mass, "body_inertia": inertia,
        "body_inverse_inertia": np.linalg.inv(inertia),
    }  # fmt: skip


def start_bodies(scene: Scene, winch_length: dict[str, float]) -> dict[str, Array]:
    """State arrays of the bodies at the start."""
    count = body_count(scene)
    position, velocity = np.zeros((count, 3)), np.zeros((count, 6))
    orientation = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    for i, body in enumerate(scene.bodies, start=1):
        position[i], orientation[i] = body.position, unit(body.orientation)
        velocity[i] = (*body.velocity, *body.angular_velocity)
    for i, winch in enumerate(scene.winches, start=1 + len(scene.bodies)):
        position[i, 0], velocity[i, 0] = winch_length[winch.name], winch.rate
    return {"body_position": position, "body_orientation": orientation, "body_velocity": velocity}
