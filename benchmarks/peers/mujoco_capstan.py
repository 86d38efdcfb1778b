"""Two loads on a MuJoCo tendon that is wrapped around a cylinder; the tendon is a stiff spring,
damped."""

from xml.etree import ElementTree as Xml

import mujoco

from benchmarks.mujoco_chain import text
from benchmarks.timing import Case

RADIUS = 0.408
HANG = 3.0
"""Of the rope around the beam of ours, and of the loads below its axis [m]."""
H = 1.0 / 60.0
SECONDS = 0.5
STRETCH = 1e-2
DAMPING_TIME = 0.1
"""Of the tendon under the heavier load [m]; damping over stiffness [s]: so stiff that the step
still stands it."""


class Capstan:
    """One model for each friction, which the wrapped cylinder has as well as it can: as that of a
    geom."""

    def __init__(self, frictions: tuple[float, ...], load: float, ratio: float) -> None:
        self.runs = {mu: self._build(mu, load, ratio) for mu in frictions}

    def _build(self, mu: float, load: float, ratio: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
        root = Xml.Element("mujoco")
        Xml.SubElement(
            root, "option", timestep=repr(H), gravity="0 0 -9.81", integrator="implicitfast"
        )
        world = Xml.SubElement(root, "worldbody")
        Xml.SubElement(
            world,
            "geom",
            name="beam",
            type="cylinder",
            size=text((RADIUS, 1.0)),
            euler="90 0 0",
            friction=text((mu, 0.005, 0.0001)),
        )
        Xml.SubElement(world, "site", name="top", pos=text((0.0, 0.0, 2.0 * RADIUS)))
        for name, x, mass in (("left", -RADIUS, load), ("right", RADIUS, ratio * load)):
            body = Xml.SubElement(world, "body", pos=text((x, 0.0, -HANG)))
            Xml.SubElement(body, "inertial", pos="0 0 0", mass=repr(mass), diaginertia="1 1 1")
            Xml.SubElement(body, "joint", type="slide", axis="0 0 1")
            Xml.SubElement(body, "site", name=name)
        stiffness = load * 9.81 / STRETCH
        tendon = Xml.SubElement(
            Xml.SubElement(root, "tendon"),
            "spatial",
            name="rope",
            stiffness=repr(stiffness),
            damping=repr(DAMPING_TIME * stiffness),
        )
        for kind, given in (
            ("site", {"site": "left"}),
            ("geom", {"geom": "beam", "sidesite": "top"}),
            ("site", {"site": "right"}),
        ):
            Xml.SubElement(tendon, kind, given)
        model = mujoco.MjModel.from_xml_string(Xml.tostring(root, encoding="unicode"))
        return model, mujoco.MjData(model)

    def case(self) -> Case:
        """All of them, from rest."""
        return Case(self.advance, round(SECONDS / H) * len(self.runs), self.reset)

    def reset(self) -> None:
        """Back to the start."""
        for model, data in self.runs.values():
            mujoco.mj_resetData(model, data)

    def advance(self) -> None:
        """Half a second."""
        for model, data in self.runs.values():
            mujoco.mj_step(model, data, round(SECONDS / H))

    def ratios(self) -> dict[float, float]:
        """Of what the rope pulls the loads with: m (a + g)."""
        found = {}
        for mu, (model, data) in self.runs.items():
            mujoco.mj_forward(model, data)
            left, right = (model.body_mass[i + 1] * (data.qacc[i] + 9.81) for i in range(2))
            found[mu] = float(left / right)
        return found
