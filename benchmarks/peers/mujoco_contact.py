"""Free bodies that touch, on slings or not, as a MuJoCo model."""

from typing import Any
from xml.etree import ElementTree as Xml

import mujoco
import numpy as np
from numpy.typing import NDArray

from benchmarks.mujoco_chain import text
from cable_sim import Body, Scene
from cable_sim.spec import Obstacle

Array = NDArray[np.float64]
WAYS = ("usual softness", "hard")


class Touching:
    """A model that has settled.

    Parameters
    ----------
    scene: of bodies, obstacles, ground and massless cables between two anchors.
    h: step [s].
    friction: of all [-].
    settling: time until it rests [s].
    way: of WAYS.
    """

    def __init__(self, scene: Scene, h: float, friction: float, settling: float, way: str) -> None:
        root = Xml.Element("mujoco")
        Xml.SubElement(
            root, "option", timestep=repr(h), gravity="0 0 -9.81", cone="elliptic", impratio="10"
        )
        look = {"friction": text((friction, 0.0, 0.0)), "condim": "3"}
        if way == "hard":
            look |= {"solimp": "0.95 0.9999 0.001", "solref": text((2.0 * h, 1.0))}
        Xml.SubElement(Xml.SubElement(root, "default"), "geom", look)
        assets = Xml.SubElement(root, "asset")
        world = Xml.SubElement(root, "worldbody")
        Xml.SubElement(world, "geom", type="plane", size="0 0 1")
        for obstacle in scene.obstacles:
            place = Xml.SubElement(
                world, "body", pos=text(obstacle.position), quat=text(obstacle.orientation)
            )
            _geom(obstacle, place, assets)
        for body in scene.bodies:
            made = Xml.SubElement(
                world, "body", name=body.name, pos=text(body.position), quat=text(body.orientation)
            )
            Xml.SubElement(made, "freejoint")
            _geom(body, made, assets, mass=repr(body.mass))
        _tendons(scene, root, world)
        self.model = mujoco.MjModel.from_xml_string(Xml.tostring(root, encoding="unicode"))
        self.data = mujoco.MjData(self.model)
        for i, body in enumerate(scene.bodies):
            self.data.qvel[6 * i : 6 * i + 3] = body.velocity
        self.advance(round(settling / h))
        self.start = tuple(map(np.copy, self._state()))

    def _state(self) -> tuple[Array, Array, Array]:
        """Return what determines the future."""
        return self.data.qpos, self.data.qvel, self.data.qacc_warmstart

    def advance(self, count: int) -> None:
        """Take steps."""
        mujoco.mj_step(self.model, self.data, count)

    def restore(self) -> None:
        """Go back to what has settled."""
        for own, saved in zip(self._state(), self.start, strict=True):
            own[:] = saved
        mujoco.mj_forward(self.model, self.data)

    def places(self) -> Array:
        """Return where the bodies are (n, 3) [m]."""
        return self.data.qpos.reshape(-1, 7)[:, :3].copy()

    def depth(self) -> float:
        """Return the deepest overlap [m]."""
        mujoco.mj_forward(self.model, self.data)
        return float(-self.data.contact.dist.min(initial=0.0))


def _geom(thing: Body | Obstacle, parent: Any, assets: Any, **more: str) -> None:
    """Add the shape of a body or obstacle."""
    shape: Any = thing.shape
    if shape.kind == "box":
        size = text((0.5 * shape.x, 0.5 * shape.y, 0.5 * shape.z))
        Xml.SubElement(parent, "geom", type="box", size=size, **more)
    elif shape.kind == "sphere":
        Xml.SubElement(parent, "geom", type="sphere", size=repr(shape.radius), **more)
    else:
        points = np.array(shape.corners)
        Xml.SubElement(assets, "mesh", name=thing.name, vertex=text(points.ravel()))
        Xml.SubElement(parent, "geom", type="mesh", mesh=thing.name, **more)


def _tendons(scene: Scene, root: Any, world: Any) -> None:
    """Add the cables between two anchors as springs that are slack below their length."""
    if not scene.cables:
        return
    tendons = Xml.SubElement(root, "tendon")
    elements = {body.get("name"): body for body in world.iter("body")} | {"world": world}
    bodies = {body.name: body for body in scene.bodies}
    for cable in scene.cables:
        ends = []
        for k, node in enumerate(cable.nodes):
            at = np.array(node.position)
            site = f"{cable.name}_{k}"
            Xml.SubElement(elements[node.body], "site", name=site, pos=text(at))
            ends.append(at + (bodies[node.body].position if node.body in bodies else 0.0))
        length = float(np.linalg.norm(ends[1] - ends[0]))
        stiffness = float(cable.ea) / length  # type: ignore[arg-type]
        mass = sum(body.mass for body in scene.bodies) / len(scene.cables)
        damping = 2.0 * float(cable.damping_ratio or 0.0) * np.sqrt(stiffness * mass)
        spring = Xml.SubElement(
            tendons,
            "spatial",
            springlength=text((0.0, length)),
            stiffness=repr(stiffness),
            damping=repr(float(damping)),
        )
        for k in range(2):
            Xml.SubElement(spring, "site", site=f"{cable.name}_{k}")
