"""The falling chain of ``chains.py`` as MuJoCo models.

*Links*: every mass has three slides of its own and is tied to the one before by a tendon of fixed
    length, an equality
constraint: the coordinates and constraints of our chain. MuJoCo's constraints give way; these are
    as hard as its
manual allows, a time constant of two steps. *Tree*: every mass hangs on two hinges of the one
before, so that there are no constraints; the inertia matrix is full, and the cost per mass grows
with their number.
"""

from typing import Any
from xml.etree import ElementTree as Xml

import mujoco
import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Case

HARD = "0.9999 0.9999 0.001"
"""``solimp``: the largest impedance that MuJoCo takes."""
TIP = 1e-9
"""Moment of inertia of a mass of the tree [kg m^2]; zero is not allowed."""

MEMORY = "64M"
"""For constraints: 10,000 links need 17 MB, and what MuJoCo would take by itself is more than there
is."""


class MujocoChain:
    """The model ``root``, in which a site marks the held end and each of the masses."""

    def __init__(self, root: Xml.Element) -> None:
        self.model = mujoco.MjModel.from_xml_string(Xml.tostring(root, encoding="unicode"))
        self.data = mujoco.MjData(self.model)

    def case(self, steps: int) -> Case:
        """The first steps from rest, counted for each of the masses that move."""
        return Case(lambda: self.advance(steps), steps * (self.model.nsite - 1), self.reset)

    def reset(self) -> None:
        """Back to the start."""
        mujoco.mj_resetData(self.model, self.data)

    def advance(self, steps: int) -> None:
        """Take steps, all in one call; FloatingPointError if MuJoCo complains about them."""
        mujoco.mj_step(self.model, self.data, steps)
        if any(warning.number for warning in self.data.warning):
            raise FloatingPointError("the MuJoCo model is unstable")

    def curve(self) -> NDArray[np.float64]:
        """Where the held end and the masses are (n + 1, 3) [m]."""
        mujoco.mj_kinematics(self.model, self.data)
        return np.array(self.data.site_xpos)

    def pull(self) -> float:
        """Of the first link in the last step [N]; links only."""
        return float(-self.data.efc_force[0])


def links(places: NDArray[np.float64], mass: NDArray[np.float64], h: float) -> MujocoChain:
    """Masses on slides, tied by tendons."""
    root, world = document(h, jacobian="sparse")
    tendons = Xml.SubElement(root, "tendon")
    equalities = Xml.SubElement(root, "equality")
    for i, m in enumerate(mass, 1):
        body = Xml.SubElement(world, "body", pos=text(places[i]))
        Xml.SubElement(body, "inertial", pos="0 0 0", mass=repr(float(m)), diaginertia="1 1 1")
        for axis in np.eye(3):
            Xml.SubElement(body, "joint", type="slide", axis=text(axis))
        Xml.SubElement(body, "site", name=f"mass_{i}")
        tendon = Xml.SubElement(tendons, "spatial", name=f"link_{i}")
        Xml.SubElement(tendon, "site", site=f"mass_{i - 1}")
        Xml.SubElement(tendon, "site", site=f"mass_{i}")
        Xml.SubElement(
            equalities, "tendon", tendon1=f"link_{i}", solref=text((2.0 * h, 1.0)), solimp=HARD
        )
    return MujocoChain(root)


def tree(
    places: NDArray[np.float64], mass: NDArray[np.float64], h: float, integrator: str = "Euler"
) -> MujocoChain:
    """Masses each on two hinges at the one before."""
    root, parent = document(h, integrator=integrator)
    at = np.zeros(3)
    for i, m in enumerate(mass, 1):
        parent = Xml.SubElement(parent, "body", pos=text(at))
        at = places[i] - places[i - 1]
        across = np.cross(at, (0.0, 1.0, 0.0))
        for axis in ((0.0, 1.0, 0.0), across / np.linalg.norm(across)):
            Xml.SubElement(parent, "joint", type="hinge", axis=text(axis))
        Xml.SubElement(
            parent, "inertial", pos=text(at), mass=repr(float(m)), diaginertia=text((TIP, TIP, TIP))
        )
        Xml.SubElement(parent, "site", name=f"mass_{i}", pos=text(at))
    return MujocoChain(root)


def document(h: float, **options: str) -> tuple[Xml.Element, Xml.Element]:
    """A model with nothing in it but the site that the chain hangs on; and its world."""
    root = Xml.Element("mujoco")
    given = {"timestep": repr(h), "gravity": "0 0 -9.81", "integrator": "Euler"} | options
    option = Xml.SubElement(root, "option", given)
    Xml.SubElement(option, "flag", contact="disable")
    Xml.SubElement(root, "size", memory=MEMORY)
    world = Xml.SubElement(root, "worldbody")
    Xml.SubElement(world, "site", name="mass_0")
    return root, world


def text(values: Any) -> str:
    """Numbers as MJCF has them."""
    return " ".join(repr(float(value)) for value in values)
