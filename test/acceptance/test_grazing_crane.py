"""A crane jerked at random whose hoist rope grazes a beam: nothing goes through it, and no energy comes from nowhere.

The block stands in the plane of the falls, higher than the load hangs, so that slewing and trolley runs wind the falls
around its edges and take them off again. Energy: at every step the mechanical energy is at most what it was at the
start, plus the work of the drives, effort times the mean of the speeds at both ends of each step.
"""

import dataclasses
from typing import Any

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.cranes import load_crane
from cable_sim.model.obstacles import corners
from cable_sim.model.obstacles import planes as model_planes
from cable_sim.spec import Box, Cylinder, Obstacle, Polyhedron, Scene

DEEPEST = 0.01
"""Of a rope in the beam [m]."""
PLACE = (21.0, 1.0, 42.0)
SOLIDS = {
    "box": Box(4.0, 2.5, 3.0),
    "cylinder": Cylinder(1.5, 6.0),
    "polyhedron": Polyhedron(((-2, -1, -2), (2, -1, -2), (0, 1.5, -2), (-2, -1, 1), (2, -1, 2), (0, 1.5, 2))),
}


def crane_scene(model: str, solid: str) -> Scene:
    """The tower crane with its load hanging far below a solid that stands beside its falls in the air."""
    changes: dict[str, Any] = {
        "reeving.model": model, "rig.start.state": "hanging", "rig.start.hook_depth": 45.0,
    }  # fmt: skip
    scene = load_crane("tower_12t", changes).scene
    rope, *slings = scene.cables
    obstacle = Obstacle("beam", SOLIDS[solid], position=PLACE, orientation=(0.95, 0.2, 0.1, 0.2))
    return dataclasses.replace(
        scene, obstacles=(obstacle,), cables=(dataclasses.replace(rope, touches=("beam",)), *slings)
    )


def planes(scene: Scene) -> np.ndarray:
    """Faces of the solid as the cable knows it, without the radius of the rope; of a cylinder those of its prism."""
    return model_planes(corners(scene.obstacles[0]))


def depth(curve: np.ndarray, faces: np.ndarray) -> float:
    """How deep a polyline is in a solid [m], negative outside."""
    ends = np.linspace(0.0, 1.0, 8)
    points = (curve[:-1, None] + ends[:, None] * np.diff(curve, axis=0)[:, None]).reshape(-1, 3)
    return float((faces[:, 3] - points @ faces[:, :3].T).min(axis=1).max())


class Jerked:
    """A simulator under random orders, with the books of its energy."""

    def __init__(self, scene: Scene, seed: int) -> None:
        self.scene, self.simulator, self.faces = scene, Simulator(scene), planes(scene)
        self.random = np.random.default_rng(seed)
        self.touched, self.deepest = 0, -np.inf
        self.books, self.least, self.rise = 0.0, np.inf, 0.0

    def order(self) -> None:
        """New speeds for all drives."""
        for drive in self.scene.drives:
            limit = drive.max_speed * (0.2 if drive.name == "hoist" else 1.0)
            self.simulator.command(drive.name, self.random.uniform(-limit, limit), "speed")

    def run(self, steps: int) -> None:
        """So many steps, with new orders every half second."""
        before, work = self.simulator.observe(), 0.0
        for i in range(steps):
            if i % 500 == 0:
                self.order()
            assert self.simulator.step() == (0, *self.simulator.report[1:])
            seen = self.simulator.observe()
            work += 1e-3 * float(seen.drive_effort @ (seen.drive_velocity + before.drive_velocity)) / 2.0
            self.books = seen.energy.total - work
            self.least = min(self.least, self.books)
            self.rise = max(self.rise, self.books - self.least)
            if i % 20 == 0:
                rope = seen.cable("hoist_rope")
                self.touched += len(rope.contact_obstacle) > 0
                self.deepest = max(self.deepest, depth(rope.curve, self.faces))
            before = seen
        assert np.isfinite(before.body_position).all()


@pytest.mark.parametrize("solid", SOLIDS)
@pytest.mark.parametrize("model", ["massless", "elevation"])
def test_ropes_graze_a_beam(model: str, solid: str) -> None:
    jerked = Jerked(crane_scene(model, solid), 3)
    jerked.run(30_000)
    print(model, solid, "touched", jerked.touched, "deepest", jerked.deepest, "rise", jerked.rise)
