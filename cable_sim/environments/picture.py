"""Pictures of an episode: the crane from the side, along its trolley's travel, and from above."""

import math

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from transforms3d.quaternions import rotate_vector

from cable_sim.control.feedback import Point
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import load_axes_of
from cable_sim.cranes.parts.pendulum import place
from cable_sim.sim.observation import Observation

SIZE = (8.0, 4.0)
DPI = 100.0


class Picture:
    """Drawing of a crane whose load has its target at ``goal`` [m]."""

    def __init__(self, crane: Crane, goal: Point) -> None:
        assert crane.suspension is not None
        hung = crane.suspension
        self._bodies = (hung.trolley, hung.hook, hung.load)
        self._trolley_point = hung.trolley_point
        moving = load_axes_of(crane)
        self._turns = moving.turns
        self._goal = goal
        self._canvas = FigureCanvasAgg(Figure(SIZE, dpi=DPI, layout="constrained"))
        side, plan = self._canvas.figure.subplots(1, 2)
        way = crane.axis(moving.outward)
        near, outer = sorted(moving.course.radius(np.array((way.lower, way.upper))))
        trolley = next(body for body in crane.scene.bodies if body.name == hung.trolley)
        top = place(trolley, hung.trolley_point)[2]
        straight = moving.course.straight
        side.set(
            xlim=(near - 5.0, outer + 5.0),
            ylim=(0.0, top + (5.0 if straight else outer)),
            xlabel=f"{moving.outward}'s way [m]" if straight else "radius [m]",
            ylabel="height [m]",
        )
        if straight:
            side.plot((near, outer), (top, top), color="0.5", lw=3)
        far = outer if self._turns else max(-near, outer) + 5.0
        plan.set(xlim=(-far, far), ylim=(-far, far), xlabel="x [m]", ylabel="y [m]", aspect="equal")
        plan.plot(*goal[:2], "x", color="C3", ms=10, label="target")
        (self._target,) = side.plot([], [], "x", color="C3", ms=10)
        (self._falls,) = side.plot([], [], "s-", color="C0", ms=5)
        (self._jib,) = plan.plot([], [], color="0.5", lw=3)
        (self._loads,) = plan.plot([], [], "s-", color="C0", ms=5, label="trolley to load")
        self._title = side.set_title("")
        plan.legend(loc="upper right")

    def draw(self, seen: Observation) -> NDArray[np.uint8]:
        """Return the picture (400, 800, 3): red, green, blue."""
        points = np.array([seen.body(name).position for name in self._bodies])
        points[0] += rotate_vector(self._trolley_point, seen.body(self._bodies[0]).orientation)
        heading = math.atan2(points[0, 1], points[0, 0]) if self._turns else 0.0
        along = np.array([math.cos(heading), math.sin(heading)])
        self._falls.set_data(points[:, :2] @ along, points[:, 2])
        self._target.set_data([np.dot(self._goal[:2], along)], [self._goal[2]])
        self._loads.set_data(points[:, 0], points[:, 1])
        if self._turns:
            self._jib.set_data((0.0, points[0, 0]), (0.0, points[0, 1]))
        self._title.set_text(f"{seen.time:.1f} s")
        self._canvas.draw()
        return np.array(self._canvas.buffer_rgba())[:, :, :3]
