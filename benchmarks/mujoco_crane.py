"""A scene of the tower crane as a MuJoCo model, for comparison of speed.

Jib on a hinge, trolley on a slide of the jib, hook block and load free, all with the scene's masses
and moments. Ropes are spatial tendons over sites at the scene's nodes, with the spring constant EA
/ length and its damping, slack below their length; they have no torsion, and so the hook block
turns back from the yaw that the hoist rope's torque gave it. The winch is a slide with the winch's
mass as armature, whose motion along the rope lengthens it. Drives are velocity servos with the
drives' largest efforts.
"""

import math
from typing import Any
from xml.etree import ElementTree as Xml

import mujoco
import numpy as np
from transforms3d.quaternions import rotate_vector

from benchmarks.mujoco_chain import text
from cable_sim import Cable, Scene

JOINTS = {"hinge": "hinge", "prismatic": "slide"}
SERVO_SLIP = 1e-2
"""Share of the largest speed by which a servo gives way at its largest effort."""
WINCH_DISTANCE = 100.0
"""From the winch's slide to the drum at the start [m]: more than what is paid out in any run."""


class MujocoCrane:
    """A model and its data; drives run at ``share`` of their largest speeds; steps of ``h`` [s]."""

    def __init__(self, scene: Scene, share: float, h: float = 1e-3) -> None:
        self.model = mujoco.MjModel.from_xml_string(to_mjcf(scene, h))
        self.data = mujoco.MjData(self.model)
        self.data.ctrl[:] = [share * drive.max_speed for drive in scene.drives]
        mujoco.mj_forward(self.model, self.data)

    def advance(self, count: int) -> None:
        """Take steps, all in one call."""
        mujoco.mj_step(self.model, self.data, count)
        if (
            not np.isfinite(self.data.qpos).all()
            or self.data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number
        ):
            raise FloatingPointError("the MuJoCo model is unstable")

    def save(self) -> tuple[Any, ...]:
        """Copies of what determines the future."""
        return tuple(np.copy(a) for a in (self.data.qpos, self.data.qvel, self.data.qacc_warmstart))

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Go back."""
        self.data.qpos[:], self.data.qvel[:], self.data.qacc_warmstart[:] = saved

    def load(self) -> Any:
        """Where the load is (3,) [m]."""
        mujoco.mj_kinematics(self.model, self.data)
        return np.array(self.data.body("load").xpos)


def to_mjcf(scene: Scene, h: float) -> str:
    """The model's file, with steps of ``h`` [s]; the scene is a crane at slewing angle zero."""
    root = Xml.Element("mujoco")
    Xml.SubElement(root, "compiler", angle="radian")
    Xml.SubElement(
        root, "option", timestep=repr(h), integrator="implicitfast", gravity=text(scene.gravity)
    )
    world = Xml.SubElement(root, "worldbody")
    Xml.SubElement(world, "geom", type="plane", size="100 100 1")
    places = {"world": (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))}
    places |= {
        body.name: (np.array(body.position), np.array(body.orientation)) for body in scene.bodies
    }
    elements = {"world": world} | _bodies(scene, world, places)
    tendons = Xml.SubElement(root, "tendon")
    for cable in scene.cables:
        _tendon(cable, tendons, elements, places)
    actuators = Xml.SubElement(root, "actuator")
    for drive in scene.drives:
        gain = drive.max_effort / (SERVO_SLIP * drive.max_speed)
        limit = drive.max_effort
        Xml.SubElement(
            actuators,
            "velocity",
            joint=drive.on,
            kv=repr(gain),
            forcelimited="true",
            forcerange=text((-limit, limit)),
        )
    return Xml.tostring(root, encoding="unicode")


def _bodies(scene: Scene, world: Any, places: dict[str, Any]) -> dict[str, Any]:
    """Jointed bodies inside their parents, the others free in the world."""
    joints = {joint.child: joint for joint in scene.joints}
    elements = {"world": world}
    for body in scene.bodies:
        joint = joints.get(body.name)
        parent = joint.parent if joint else "world"
        at = places[body.name][0] - places[parent][0]
        elements[body.name] = element = Xml.SubElement(
            elements[parent], "body", name=body.name, pos=text(at), quat=text(body.orientation)
        )
        moments = body.inertia if body.inertia is not None else body.shape.inertia(body.mass)
        Xml.SubElement(
            element, "inertial", pos="0 0 0", mass=repr(body.mass), diaginertia=text(moments)
        )
        if joint is None:
            Xml.SubElement(element, "freejoint")
        else:
            Xml.SubElement(
                element, "joint", name=joint.name, type=JOINTS[joint.kind], axis=text(joint.axis)
            )
        if body.collides:
            size = 0.5 * np.array([body.shape.x, body.shape.y, body.shape.z])
            Xml.SubElement(element, "geom", type="box", size=text(size))
    return elements


def _tendon(cable: Cable, tendons: Any, elements: dict[str, Any], places: dict[str, Any]) -> None:
    """Sites on the nodes' bodies and the tendon through them, from the winch if there is one."""
    points = [
        places[node.body][0] + rotate_vector(node.position, places[node.body][1])
        for node in cable.nodes
    ]
    path = sum(math.dist(a, b) for a, b in zip(points, points[1:], strict=False))
    assert cable.axial_rigidity is not None
    length = (
        cable.length
        if cable.length is not None
        else path / (1.0 + cable.pretension / cable.axial_rigidity)
    )
    stiffness = cable.axial_rigidity / length
    damping = stiffness * (cable.damping_time or 0.0)
    sites = []
    for k, node in enumerate(cable.nodes):
        sites.append(f"{cable.name}_{k}")
        Xml.SubElement(elements[node.body], "site", name=sites[-1], pos=text(node.position))
    if cable.winch:
        sites.insert(0, _winch(cable, elements))
        length += WINCH_DISTANCE
    tendon = Xml.SubElement(
        tendons,
        "spatial",
        stiffness=repr(stiffness),
        damping=repr(damping),
        springlength=text((0.0, length)),
    )
    for site in sites:
        Xml.SubElement(tendon, "site", site=site)


def _winch(cable: Cable, elements: dict[str, Any]) -> str:
    """A slide far behind the drum: moved towards the drum by x it has paid out x of rope; returns
    its site."""
    drum = cable.nodes[0]
    name = cable.winch.name
    at = np.array(drum.position) - (WINCH_DISTANCE, 0.0, 0.0)
    body = Xml.SubElement(elements[drum.body], "body", name=name, pos=text(at))
    Xml.SubElement(body, "inertial", pos="0 0 0", mass="1e-3", diaginertia="1e-3 1e-3 1e-3")
    Xml.SubElement(
        body, "joint", name=name, type="slide", axis="1 0 0", armature=repr(cable.winch.mass)
    )
    Xml.SubElement(body, "site", name=f"{name}_rope", pos="0 0 0")
    return f"{name}_rope"
