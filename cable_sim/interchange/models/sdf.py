"""SDF as a spec of MuJoCo: the package rod reads it and resolves its frames.

Poses of links, joints and frames come from ``rod.kinematics``. What rod drops is read here beside
it, as text: friction of surfaces, and the names of what is left out. Versions 1.5 and 1.6 differ
from 1.7, the least that rod takes, in the frame of axes alone: ``use_parent_model_frame`` says then
that an axis is in the frame of its model.
"""

from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import mujoco
import numpy as np

from cable_sim.errors import Problem
from cable_sim.interchange.models.bodies import quaternion
from cable_sim.interchange.models.files import (
    find_mesh,
    line_of,
    mesh_asset,
    needed,
    parse,
    problem,
    unread,
)
from cable_sim.interchange.models.source import HIDDEN, Array

KINDS = {
    "revolute": mujoco.mjtJoint.mjJNT_HINGE,
    "continuous": mujoco.mjtJoint.mjJNT_HINGE,
    "prismatic": mujoco.mjtJoint.mjJNT_SLIDE,
    "ball": mujoco.mjtJoint.mjJNT_BALL,
}
"""MuJoCo's kind of joints of SDF; ``fixed`` has none."""
OURS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "prismatic",
    "ball": "ball",
    "fixed": "fixed",
}
"""Our kind of joints of SDF, for those that close a loop."""
OLD = ("1.5", "1.6")
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
KNOWN = {
    "sdf": "world model",
    "world": "model gravity",
    "model": "pose link joint frame static model",
    "link": "pose inertial collision visual",
    "collision": "pose geometry surface",
    "visual": "pose geometry material",
    "surface": "friction",
    "friction": "ode",
    "ode": "mu",
    "material": "diffuse",
    "joint": "parent child pose axis",
    "axis": "xyz limit dynamics use_parent_model_frame",
    "limit": "lower upper",
    "dynamics": "damping friction spring_reference spring_stiffness",
}
"""Elements that are read, with their children."""
ENDLESS = 1e15
"""Limit of a joint that stands for none [rad or m]."""


class Loop(NamedTuple):
    """A joint that closes a loop: kind, links, and point [m] and axis in the frame of the child."""

    name: str
    kind: Any
    child: str
    parent: str
    point: Array
    axis: Array


def spec_of_sdf(path: Path, text: str) -> tuple[Any, list[Problem], list[Loop]]:
    """Return the spec of all models of an SDF file, what is left out of it, and its loops.

    Raises ConfigError for what rod can't read, a joint of another kind, and a mesh that is missing.
    """
    rod = needed("rod")
    root = parse(path, text)
    _to_version_17(root)
    try:
        sdf = rod.Sdf.load(ElementTree.tostring(root, encoding="unicode"), is_urdf=False)
    except Exception as error:  # its own, those of mashumaro and of xmltodict
        raise problem(path, 1, "", f"rod can't read it as SDF: {error}") from None
    made = _Writer(path, text, root)
    for model in [*sdf.models(), *(one for world in sdf.worlds() for one in world.models())]:
        made.add(model)
    for world in sdf.worlds():
        if world.gravity is not None:
            made.spec.option.gravity = world.gravity
    return made.spec, made.notes, made.loops


def _to_version_17(root: ElementTree.Element) -> None:
    """Write an older file, and what is left out of a link or a spring, as rod wants them.

    A link that says no inertia has SDF's 1 kg, and 1 kg m^2 about each axis.
    """
    for link in root.iter("link"):
        if link.find("inertial") is None:
            inertial = ElementTree.SubElement(link, "inertial")
            ElementTree.SubElement(inertial, "mass").text = "1"
            inertia = ElementTree.SubElement(inertial, "inertia")
            for moment, value in zip(MOMENTS, "100101", strict=True):
                ElementTree.SubElement(inertia, moment).text = value
    if root.get("version") in OLD:
        root.set("version", "1.7")
    for axis in root.iter("axis"):
        in_model = axis.find("use_parent_model_frame")
        xyz = axis.find("xyz")
        if in_model is not None and xyz is not None and in_model.text in ("1", "true"):
            xyz.set("expressed_in", "__model__")
        dynamics = axis.find("dynamics")
        for word in ("spring_reference", "spring_stiffness"):
            if dynamics is not None and dynamics.find(word) is None:
                ElementTree.SubElement(dynamics, word).text = "0"


class _Writer:
    """Spec of MuJoCo that models of SDF are added to."""

    def __init__(self, path: Path, text: str, root: ElementTree.Element) -> None:
        self._path = path
        self._text = text
        self._frictions = {
            shape.get("name", ""): float(mu.text or 0.0)
            for shape in root.iter("collision")
            if (mu := shape.find("surface/friction/ode/mu")) is not None
        }
        self.spec: Any = mujoco.MjSpec()
        self.spec.compiler.inertiafromgeom = int(mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE)
        self.spec.compiler.degree = False
        self.loops: list[Loop] = []
        self.notes = unread(path, text, root, KNOWN)
        self._frames: Any = None

    def add(self, model: Any) -> None:
        """Add a model with its links and joints."""
        if model.models():
            line = line_of(self._text, "model", model.models()[0].name)
            raise problem(self._path, line, "model", "models inside of models are not read")
        transforms = needed("rod.kinematics.tree_transforms")
        self._frames = transforms.TreeTransforms.build(model=model)
        above: dict[str, Any] = {}
        for joint in model.joints():
            where = self._path, line_of(self._text, "joint", joint.name), f"joint {joint.name!r}"
            if joint.type not in (*KINDS, "fixed"):
                told = f"type {joint.type!r} is not read; allowed are {', '.join(KINDS)}, fixed"
                if joint.child not in above:  # without it the link would be loose
                    raise problem(*where, told)
                self.notes.append(Problem(str(where[0]), where[1], 1, where[2], told))
            elif joint.child in above:
                self.loops.append(self._loop(joint))
            else:
                above[joint.child] = joint
        bodies: dict[str, Any] = {"world": self.spec.worldbody}
        links = {link.name: link for link in model.links()}
        while len(bodies) <= len(links):
            ready = [
                link
                for name, link in links.items()
                if name not in bodies and (name not in above or above[name].parent in bodies)
            ]
            if not ready:
                left = ", ".join(name for name in links if name not in bodies)
                raise problem(self._path, 1, "model", f"joints of {left} have no known parent")
            for link in ready:
                bodies[link.name] = self._link(model, link, above.get(link.name), bodies)

    def _link(self, model: Any, link: Any, joint: Any, bodies: dict[str, Any]) -> Any:
        """Return the body of a link with its joint and shapes."""
        own = self._frames.transform(link.name)
        above = "world" if joint is None else joint.parent
        parent = bodies[above]
        relative = own
        if above != "world":
            relative = np.linalg.inv(self._frames.transform(above)) @ own
        turn = quaternion(relative[:3, :3])
        body = parent.add_body(name=link.name, pos=relative[:3, 3], quat=turn)
        if joint is None and not model.static:
            body.add_freejoint()
        elif joint is not None and joint.type != "fixed":
            self._joint(body, joint, own)
        self._inertial(body, link)
        for shape in link.collisions():
            self._geom(body, shape, own, touches=True, hidden=bool(link.visuals()))
        for shape in link.visuals():
            self._geom(body, shape, own, touches=False)
        return body

    def _place(self, joint: Any, own: Array) -> tuple[Array, Array]:
        """Return point [m] and axis of a joint in the frame of its child."""
        frame = np.linalg.inv(own) @ self._frames.transform(joint.name)
        if joint.axis is None:
            return frame[:3, 3], frame[:3, 2]
        into = frame
        if expressed := joint.axis.xyz.expressed_in:
            into = np.linalg.inv(own) @ self._frames.transform(expressed)
        return frame[:3, 3], into[:3, :3] @ np.array(joint.axis.xyz.xyz, dtype=float)

    def _loop(self, joint: Any) -> "Loop":
        """Return a joint whose child has another one already."""
        point, axis = self._place(joint, self._frames.transform(joint.child))
        kind = OURS[joint.type]
        return Loop(joint.name, kind, joint.child, joint.parent, point, axis)

    def _joint(self, body: Any, joint: Any, own: Array) -> None:
        """Add a joint to the body of its child."""
        point, axis = self._place(joint, own)
        made = body.add_joint(name=joint.name, type=KINDS[joint.type], pos=point, axis=axis)
        if joint.axis is None:
            return
        if dynamics := joint.axis.dynamics:
            made.damping = [dynamics.damping or 0.0, 0.0, 0.0]
            made.frictionloss = dynamics.friction or 0.0
            made.stiffness = [dynamics.spring_stiffness, 0.0, 0.0]
            made.springref = dynamics.spring_reference
        limit = joint.axis.limit
        if limit is None or joint.type == "continuous":
            return
        lower = -ENDLESS if limit.lower is None else limit.lower
        upper = ENDLESS if limit.upper is None else limit.upper
        if min(-lower, upper) < ENDLESS:
            made.range = [lower, upper]
            made.limited = True

    def _inertial(self, body: Any, link: Any) -> None:
        """Give a body the mass and inertia of its link."""
        body.explicitinertial = True
        frame = link.inertial.pose.transform() if link.inertial.pose else np.eye(4)
        tensor = frame[:3, :3] @ link.inertial.inertia.matrix() @ frame[:3, :3].T
        body.mass = link.inertial.mass
        body.ipos = frame[:3, 3]
        body.fullinertia = [*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]

    def _geom(self, body: Any, shape: Any, own: Array, touches: bool, hidden: bool = False) -> None:
        """Add a collision or visual to a body."""
        frame = shape.pose.transform() if shape.pose else np.eye(4)
        if shape.pose and shape.pose.relative_to:
            frame = np.linalg.inv(own) @ self._frames.transform(shape.pose.relative_to) @ frame
        fields: dict[str, Any] = {"pos": frame[:3, 3], "quat": quaternion(frame[:3, :3])}
        measures = self._measures(shape)
        if measures is None:
            tag = "collision" if touches else "visual"
            line = line_of(self._text, tag, shape.name)
            note = Problem(str(self._path), line, 1, f"{tag} {shape.name!r}", "is left out")
            self.notes.append(note)
            return
        geom = body.add_geom(name=f"{body.name}/{shape.name}", **fields, **measures)
        geom.contype = geom.conaffinity = int(touches)
        geom.group = HIDDEN if touches and hidden else 0
        if touches:
            geom.friction[0] = self._frictions.get(shape.name, 1.0)
        if not touches and shape.material and shape.material.diffuse:
            geom.rgba = [*shape.material.diffuse, 1.0][:4]

    def _measures(self, shape: Any) -> dict[str, Any] | None:
        """Return kind and sizes of a geometry, or None for one that is not read."""
        one = shape.geometry
        kind = mujoco.mjtGeom
        if one.box:
            return {"type": kind.mjGEOM_BOX, "size": 0.5 * np.array(one.box.size)}
        if one.sphere:
            return {"type": kind.mjGEOM_SPHERE, "size": [one.sphere.radius, 0.0, 0.0]}
        for word in ("cylinder", "capsule"):
            if round_one := getattr(one, word):
                size = [round_one.radius, 0.5 * round_one.length, 0.0]
                return {"type": getattr(kind, f"mjGEOM_{word.upper()}"), "size": size}
        if one.ellipsoid:
            return {"type": kind.mjGEOM_ELLIPSOID, "size": one.ellipsoid.radii}
        if one.plane:
            return {"type": kind.mjGEOM_PLANE, "size": [0.0, 0.0, 1.0]}
        return {"type": kind.mjGEOM_MESH, "meshname": self._mesh(one.mesh)} if one.mesh else None

    def _mesh(self, mesh: Any) -> str:
        """Return the name of a mesh that is added to the spec."""
        line = self._text.count("\n", 0, max(self._text.find(mesh.uri), 0)) + 1
        found = find_mesh(self._path, mesh.uri, line)
        name = f"mesh_{len(self.spec.meshes)}"
        made = self.spec.add_mesh(name=name, file=str(found), scale=mesh.scale or [1.0, 1.0, 1.0])
        made.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        data = mesh_asset(self._path, found, line)
        if data is not None:
            made.file = f"{name}.stl"
            self.spec.assets[made.file] = data
        return name
