"""The cantilever of ``beam.py`` in MuJoCo: rigid rods between hinges with the springs of a beam.

A rod of the length l reaches from the middle of a cell to that of the next one, so each hinge has
the spring EI / l of a cell, and the first and last rod are half as long.
"""

from xml.etree import ElementTree as Xml

import mujoco
import numpy as np
from numpy.typing import NDArray

from benchmarks.beams import DENSITY, EI, LONG
from benchmarks.peers import beam
from benchmarks.timing import Case


class MujocoMast:
    """A cantilever of so many hinges, with steps of ``h`` [s] and one of MuJoCo's integrators."""

    def __init__(self, cells: int, h: float, integrator: str) -> None:
        root = Xml.Element("mujoco")
        Xml.SubElement(
            root,
            "option",
            timestep=repr(h),
            integrator=integrator,
            gravity=f"0 0 {-beam.GRAVITY}",
            jacobian="sparse",
        )
        parent = Xml.SubElement(root, "worldbody")
        cell = LONG / cells
        at = 0.5 * cell
        for i in range(cells):
            long = cell if i < cells - 1 else 0.5 * cell
            parent = Xml.SubElement(parent, "body", pos=f"{at} 0 0")
            inertia = DENSITY * long**3 / 12.0
            Xml.SubElement(
                parent,
                "inertial",
                pos=f"{0.5 * long} 0 0",
                mass=repr(DENSITY * long),
                diaginertia=f"{inertia} {inertia} {inertia}",
            )
            Xml.SubElement(
                parent, "joint", type="hinge", axis="0 1 0", stiffness=repr(EI / cell), name=f"h{i}"
            )
            at = long
        Xml.SubElement(parent, "site", name="tip", pos=f"{0.5 * cell} 0 0")
        self.h = h
        self.model = mujoco.MjModel.from_xml_string(Xml.tostring(root, encoding="unicode"))
        self.data = mujoco.MjData(self.model)

    def _reset(self) -> None:
        """Return to the start."""
        mujoco.mj_resetData(self.model, self.data)

    def _advance(self, steps: int) -> None:
        """Take steps; raise FloatingPointError if MuJoCo complains about them."""
        mujoco.mj_step(self.model, self.data, steps)
        if any(warning.number for warning in self.data.warning):
            raise FloatingPointError("the MuJoCo model is unstable")

    def case(self, seconds: float) -> Case:
        """Return the first seconds from the start."""
        steps = round(seconds / self.h)
        return Case(lambda: self._advance(steps), steps, self._reset)

    def track(self, seconds: float) -> NDArray[np.float64]:
        """Return heights of the tip after each step [m]."""
        self._reset()
        found = []
        for _ in range(round(seconds / self.h)):
            self._advance(1)
            mujoco.mj_kinematics(self.model, self.data)
            found.append(self.data.site_xpos[0, 2])
        return np.array(found)
