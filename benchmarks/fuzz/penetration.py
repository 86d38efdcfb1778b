"""How deep loads, hooks and spreaders are in anything, as another engine finds it.

The shapes of a running machine are given to ``coal`` (hpp-fcl's successor), at the poses that are
observed. So a pair that the simulator's own search has missed shows, too. Left out are pairs that
never touch, by the crane's own build or because they overlapped at the start, and those that a
closed joint holds together.
"""

from typing import Any

import coal
import numpy as np
from transforms3d.quaternions import quat2mat

from cable_sim.kernels.collision.candidates import IGNORED, find_material
from cable_sim.kernels.collision.shapes import BALL, BOX, CAPSULE, CYLINDER, HALF_SPACE
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation

Array = Any


def shape_for_coal(shapes: Any, i: int) -> Any:
    """Return a shape of coal of row i, with its margin all round."""
    kind = shapes.kind[i]
    half = shapes.half[i] + shapes.margin[i]
    if kind == BALL:
        return coal.Sphere(float(shapes.margin[i]))
    if kind == CAPSULE:
        return coal.Capsule(float(shapes.margin[i]), 2.0 * float(shapes.half[i, 2]))
    if kind == BOX:
        return coal.Box(*(2.0 * half).tolist())
    if kind == CYLINDER:
        return coal.Cylinder(float(half[0]), 2.0 * float(half[2]))
    if kind == HALF_SPACE:
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    points = coal.StdVec_Vec3s()
    for vertex in shapes.vertex[shapes.vertex_start[i] : shapes.vertex_start[i + 1]]:
        points.append(vertex)
    return coal.Convex.convexHull(points, False, "Qt")


class Penetration:
    """Largest depth of what hangs on a machine in all that is near it.

    ``worst`` is that depth [m], the names, and its time [s].
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        running: Any = machine.simulator._running
        self.pool = running.model.pool
        self.shapes = running.model.shapes
        self.open = running.state.joints.open
        self.names = machine.simulator.names.shapes
        self.solids = [shape_for_coal(self.shapes, i) for i in range(len(self.names))]
        self.radius = np.linalg.norm(self.shapes.half, axis=1) + self.shapes.margin
        self.radius[self.shapes.kind == HALF_SPACE] = np.inf
        self.pairs = self._pairs()
        self.request = coal.DistanceRequest()
        self.request.enable_signed_distance = True
        self.worst = (0.0, "", 0.0)

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the pairs to look at: hanging bodies with all others."""
        crane = self.machine.crane
        hung = {name for one in crane.suspensions for name in (one.hook, one.load)}
        bodies = self.machine.simulator.names.bodies
        own = [i for i, b in enumerate(self.pool.body) if b > 0 and bodies[b - 1] in hung]
        return [
            (i, j)
            for i in own
            for j in range(len(self.names))
            if self.pool.body[i] != self.pool.body[j] and (j not in own or i < j)
        ]

    def place(self, seen: Observation, i: int) -> tuple[Array, Array]:
        """Return position [m] and rotation matrix of shape i."""
        place = self.pool.place[i]
        body = int(self.pool.body[i])
        if body == 0:
            return place[0], place[1:].T
        turn = quat2mat(seen.body_orientation[body - 1])
        return turn @ place[0] + seen.body_position[body - 1], turn @ place[1:].T

    def look(self, seen: Observation, pressed: dict[tuple[int, int], float]) -> None:
        """Find the depths of an observation, beyond what is ``pressed`` in [m] of some pairs."""
        places: dict[int, tuple[Array, Array]] = {}
        for i, j in self.pairs:
            for one in (i, j):
                if one not in places:
                    places[one] = self.place(seen, one)
            gap = float(np.linalg.norm(places[i][0] - places[j][0]))
            if gap > self.radius[i] + self.radius[j]:
                continue
            if find_material(i, j, self.pool, self.open) == IGNORED:
                continue
            frames = [coal.Transform3s(places[one][1], places[one][0]) for one in (i, j)]
            found = coal.DistanceResult()
            solids = self.solids[i], self.solids[j]
            depth = -coal.distance(solids[0], frames[0], solids[1], frames[1], self.request, found)
            depth -= max(pressed.get((i, j), 0.0), pressed.get((j, i), 0.0))
            if depth > self.worst[0]:
                self.worst = (depth, f"{self.names[i]} in {self.names[j]}", seen.time)
