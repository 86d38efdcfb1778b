"""Pictures of an episode: the crane from the side, along its trolley's travel, and from above."""

import math

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from cable_sim.control.feedback import Point
from cable_sim.cranes.crane import Crane
from cable_sim.sim.observation import Observation

SIZE = (8.0, 4.0)
DPI = 100.0


class Picture:
    """Drawing of a crane whose load has its target at ``goal`` [m]."""

    def __init__(self, crane: Crane, goal: Point) -> None:
        assert crane.suspension is not None
        self._bodies = [getattr(crane.suspension, name) for name in ("trolley", "hook", "load")]
        self._turns = any(axis.name == "slewing" for axis in crane.axes)
        self._goal = goal
        self._canvas = FigureCanvasAgg(Figure(SIZE, dpi=DPI, layout="constrained"))
        side, plan = self._canvas.figure.subplots(1, 2)
        way = crane.axis("trolley")
        top = next(
            body.position[2] for body in crane.scene.bodies if body.name == crane.suspension.trolley
        )
        side.set(
            xlim=(way.lower - 5.0, way.upper + 5.0),
            ylim=(0.0, top + 5.0),
            xlabel="trolley's way [m]",
            ylabel="height [m]",
        )
        side.plot((way.lower, way.upper), (top, top), color="0.5", lw=3)
        far = way.upper if self._turns else max(-way.lower, way.upper) + 5.0
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
