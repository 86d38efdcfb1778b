"""The tutorial's rope as a MuJoCo model.

Every mass has three slides, and a spring to the one before: a tendon of stiffness k that pushes as
well. The friction of the tutorial acts on the whole relative velocity, so there are three more
tendons to each spring, with damping, of the difference of two slides. That of the air is the
slides' damping. The semi-implicit Euler step is that of the tutorial once its implicit treatment of
the slides' damping is off.
"""

from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
from numpy.typing import NDArray

from benchmarks.mujoco_chain import MujocoChain, document, text


def springs(places: NDArray[np.float64], constants: tuple[float, ...], h: float) -> MujocoChain:
    """Masses at ``places`` (n, 3) [m], the first held; ``constants`` as in ``rope.cpp``, steps of
    ``h`` [s]."""
    mass, stiffness, length, friction, gravity, air, *_ = constants
    root, world = document(h)
    flags = root.find("option/flag")
    assert flags is not None
    flags.set("eulerdamp", "disable")
    root.find("option").set("gravity", text((0.0, 0.0, -gravity)))  # type: ignore[union-attr]
    tendons = Xml.SubElement(root, "tendon")
    for i, place in enumerate(places[1:], 1):
        body = Xml.SubElement(world, "body", pos=text(place))
        Xml.SubElement(body, "inertial", pos="0 0 0", mass=repr(mass), diaginertia="1 1 1")
        for axis, direction in zip("xyz", np.eye(3), strict=True):
            Xml.SubElement(
                body,
                "joint",
                name=f"{axis}_{i}",
                type="slide",
                axis=text(direction),
                damping=repr(air),
            )
        Xml.SubElement(body, "site", name=f"mass_{i}")
        spring = Xml.SubElement(
            tendons, "spatial", stiffness=repr(stiffness), springlength=text((length, length))
        )
        for end in (i - 1, i):
            Xml.SubElement(spring, "site", site=f"mass_{end}")
        _friction(tendons, i, friction)
    return MujocoChain(root)


def _friction(tendons: Any, i: int, friction: float) -> None:
    """Between mass i and the one before, along all three axes; mass 0 is held and has no slides."""
    for axis in "xyz":
        tendon = Xml.SubElement(tendons, "fixed", damping=repr(friction))
        Xml.SubElement(tendon, "joint", joint=f"{axis}_{i}", coef="1")
        if i > 1:
            Xml.SubElement(tendon, "joint", joint=f"{axis}_{i - 1}", coef="-1")
