"""Scenes as URDF and SDF: trees of links, with meshes in files beside.

*URDF.* The frame of a link is at the point of its joint and has the axes of the body. Coordinates
of joints are those of the scene, and the file shows all of them at zero, as URDF knows no start.
With the pose T of a link and T_p of its parent at the start, and the motion M(q) of the joint by
its coordinate there, the origin of the joint is T_p^-1 T M(q)^-1.

*SDF.* All poses are those of the start in the world, so loops stay closed. Coordinates count from
there: limits and rests of springs are less by the coordinate at the start.

Ropes and winches are in neither; drives are in URDF alone, for ros2_control.
"""

from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np
import trimesh
from transforms3d.affines import compose
from transforms3d.euler import mat2euler
from transforms3d.quaternions import axangle2quat, quat2mat

from cable_sim.interchange.exports.elements import text_of
from cable_sim.interchange.exports.parts import (
    Solid,
    carrier_of,
    closing_joints,
    note_others,
    pieces_of,
    solids_of,
    stands,
)
from cable_sim.interchange.exports.urdf_elements import (
    add_color,
    add_inertial,
    add_origin,
    measures_of,
    moments_of,
    numbers,
)
from cable_sim.rendering.meshes import quaternions_from_z, shape_mesh
from cable_sim.spec import Body, Box, Cylinder, Drive, Joint, Scene, Sphere, Surface
from cable_sim.spec.quantities import WORLD

STRONG = 1e9
FAST = 1e3
"""Effort [N or N m] and speed [m/s or rad/s] of a joint without bounds; URDF needs numbers."""
FAR = 1e6
"""Bound of a slide that has none [m]."""
WIDE = 50.0
DEEP = 0.5
"""Half length of a plane without end, and thickness of a ground, as a box of URDF [m]."""
KINDS = {"hinge": "revolute", "prismatic": "prismatic", "fixed": "fixed", "ball": "ball"}
"""Words for joints; URDF has none for a ball."""
COMMANDS = {"speed": "velocity", "position": "position", "effort": "effort"}
"""Command interface of ros2_control for each mode of a drive."""
SCENERY = "scenery"
"""Model and link of what stands in the world."""


class TreeWriter:
    """A model as it grows.

    ``left_out`` tells by name what it can't say, ``meshes`` are the bytes of the files beside, by
    their paths.
    """

    def __init__(self, scene: Scene, stem: str) -> None:
        self.scene = scene
        self.left_out: list[str] = []
        self.meshes: dict[str, bytes] = {}
        self._folder = f"{stem}_meshes"
        self.own: dict[str, Body] = {body.name: body for body in scene.bodies}

    def note(self) -> None:
        """Note what neither format has."""
        note_others(self.scene, self.left_out)
        self.left_out += [f"cable {c.name!r}: ropes are left out" for c in self.scene.cables]
        for joint in self.scene.joints:
            for field in ("compliance", "stop_compliance", "rail"):
                if np.any(getattr(joint, field) or 0.0):
                    self.left_out.append(f"joint {joint.name!r}: {field} is left out")
        for body in self.scene.bodies:
            if not stands(body) and (any(body.velocity) or any(body.angular_velocity)):
                self.left_out.append(f"body {body.name!r}: its speed at the start is left out")

    def carrier(self, body: Body) -> Joint | None:
        """Return the joint that carries a body; None for one that is free or stands."""
        return None if stands(body) else carrier_of(self.scene, body.name)

    def mesh_of(self, solid: Solid) -> str:
        """Return the path of the file with the mesh of a solid."""
        path = f"{self._folder}/{solid.name}.stl"
        if path not in self.meshes:
            mesh = trimesh.Trimesh(*shape_mesh(solid.shape), process=False)
            self.meshes[path] = bytes(mesh.export(file_type="stl"))  # type: ignore[arg-type]
        return path

    def geometry(self, solid: Solid) -> tuple[str, dict[str, Any]]:
        """Return the kind of a solid's shape with its measures [m]."""
        if isinstance(solid.shape, Box | Sphere | Cylinder):
            return measures_of(solid.shape)
        return "mesh", {"filename": self.mesh_of(solid)}


class UrdfWriter(TreeWriter):
    """A scene as URDF; the world is its first link."""

    def write(self) -> str:
        """Return the text of the file."""
        self.root = Element("robot", name=self.scene.name)
        self.links = {WORLD: SubElement(self.root, "link", name=WORLD)}
        for body in self.scene.bodies:
            self._add_link(body)
        for joint in closing_joints(self.scene, self.left_out):
            self.left_out.append(f"joint {joint.name!r}: closes a loop, which URDF has not")
        grounds = (_slab(surface) for surface in self.scene.surfaces)
        for solid in (*solids_of(self.scene), *grounds):
            for piece in pieces_of(solid):
                self._add_piece(piece)
        if self.scene.collision:
            self.left_out.append("collision: friction and all else of touching are left out")
        self._add_drives()
        self.note()
        return text_of(self.root)

    def _add_link(self, body: Body) -> None:
        """Add the link of a body, and the joint to its parent."""
        link = self.links[body.name] = SubElement(self.root, "link", name=body.name)
        add_inertial(link, body, np.linalg.inv(self._frame(body)) @ pose(body))
        joint = self.carrier(body)
        if joint and joint.kind == "ball":
            told = f"URDF has no ball joint; {body.name!r} is free"
            self.left_out.append(f"joint {joint.name!r}: {told}")
            joint = None
        kind = KINDS[joint.kind] if joint else "fixed" if stands(body) else "floating"
        if joint and joint.kind == "hinge" and not joint.stops:
            kind = "continuous"
        name = joint.name if joint else f"{body.name}_in_world"
        made = SubElement(self.root, "joint", name=name, type=kind)
        parent = joint.parent if joint else WORLD
        above = self._frame(self.own[parent]) if parent != WORLD else np.eye(4)
        add_origin(
            made, np.linalg.inv(above) @ self._frame(body) @ np.linalg.inv(self._motion(body))
        )
        SubElement(made, "parent", link=parent)
        SubElement(made, "child", link=body.name)
        if joint and joint.has_coordinate:
            self._add_axis(made, joint, kind)

    def _add_axis(self, made: Element, joint: Joint, kind: str) -> None:
        """Add axis, limits and dynamics of a joint."""
        SubElement(made, "axis", xyz=numbers(axis_of(self.own[joint.child], joint)))
        drive = self._drive(joint)
        effort = min(drive.max_effort, STRONG) if drive else STRONG
        speed = min(drive.max_speed, FAST) if drive else FAST
        limit = {"effort": repr(float(effort)), "velocity": repr(float(speed))}
        if kind != "continuous":
            ends = np.clip([joint.lower, joint.upper], -FAR, FAR).tolist()
            limit |= {"lower": repr(ends[0]), "upper": repr(ends[1])}
        SubElement(made, "limit", limit)
        dynamics = {"damping": repr(joint.damping), "friction": repr(joint.dry_friction)}
        SubElement(made, "dynamics", dynamics)
        if joint.stiffness:
            self.left_out.append(f"joint {joint.name!r}: its spring is left out")
        if joint.position:
            told = f"starts at {joint.position:.9g}, which is no part of URDF; it shows 0"
            self.left_out.append(f"joint {joint.name!r}: {told}")

    def _frame(self, body: Body) -> Any:
        """Return the pose (4, 4) of a body's link at the start."""
        joint = self.carrier(body)
        point = joint.point if joint else body.position
        return compose(point, quat2mat(body.orientation), np.ones(3))

    def _motion(self, body: Body) -> Any:
        """Return the motion (4, 4) by the coordinate of a body's joint at the start."""
        joint = self.carrier(body)
        if joint is None or not joint.has_coordinate:
            return np.eye(4)
        axis = axis_of(body, joint)
        if joint.kind == "prismatic":
            return compose(axis * joint.position, np.eye(3), np.ones(3))
        return compose(np.zeros(3), quat2mat(axangle2quat(axis, joint.position)), np.ones(3))

    def _add_piece(self, solid: Solid) -> None:
        """Add a shape to the link of its body, where it is drawn and where it touches."""
        link = self.links[solid.body]
        place = compose(solid.position, quat2mat(solid.orientation), np.ones(3))
        if solid.body != WORLD:
            body = self.own[solid.body]
            place = np.linalg.inv(self._frame(body)) @ pose(body) @ place
        for tag, wanted in (("visual", solid.drawn), ("collision", solid.touches)):
            if not wanted:
                continue
            made = SubElement(link, tag, name=f"{solid.name}_{len(link)}")
            add_origin(made, place)
            SubElement(SubElement(made, "geometry"), *self.geometry(solid))
            if tag == "visual":
                add_color(made, f"{solid.body}_{len(link)}", solid.color)

    def _drive(self, joint: Joint) -> Drive | None:
        """Return the drive of a joint, if there is one."""
        return next((drive for drive in self.scene.drives if drive.on == joint.name), None)

    def _add_drives(self) -> None:
        """Add the drives of joints for ros2_control."""
        carried = {j.name for body in self.scene.bodies if (j := self.carrier(body))}
        told = [drive for drive in self.scene.drives if drive.on not in carried]
        self.left_out += [f"drive {drive.name!r}: acts on {drive.on!r}; left out" for drive in told]
        driven = [drive for drive in self.scene.drives if drive.on in carried]
        if driven:
            system = SubElement(self.root, "ros2_control", name="drives", type="system")
        for drive in driven:
            made = SubElement(system, "joint", name=drive.on)
            SubElement(made, "command_interface", name=COMMANDS[drive.mode])


class SdfWriter(TreeWriter):
    """A scene as SDF 1.7: a model of bodies that joints connect each, and one that stands."""

    def write(self) -> str:
        """Return the text of the file."""
        root = Element("sdf", version="1.7")
        world = SubElement(root, "world", name=self.scene.name)
        _put(world, "gravity", numbers(self.scene.gravity))
        self.models: dict[str, Element] = {}
        self.links: dict[str, Element] = {}
        for group in self._connected():
            model = SubElement(world, "model", name=f"{group[0]}_model")
            self.models |= dict.fromkeys(group, model)
        # the first link of a model is its canonical one, from which readers begin
        for body in sorted(self.scene.bodies, key=lambda one: self.carrier(one) is not None):
            self._add_link(body)
        closing = closing_joints(self.scene, self.left_out)
        carried = (joint for body in self.scene.bodies if (joint := self.carrier(body)))
        for joint in (*carried, *closing):
            self._add_joint(joint)
        standing = SubElement(world, "model", name=SCENERY)
        _put(standing, "static", "true")
        self.links[WORLD] = SubElement(standing, "link", name=SCENERY)
        _put(self.links[WORLD], "pose", pose_text(np.eye(4)))
        for solid in solids_of(self.scene):
            for piece in pieces_of(solid):
                self._add_piece(piece)
        for surface in self.scene.surfaces:
            self._add_plane(surface)
        if len(self.links[WORLD]) == 1:
            world.remove(standing)
        drives = self.scene.drives
        self.left_out += [f"drive {drive.name!r}: SDF has none; it is left out" for drive in drives]
        self.note()
        return text_of(root)

    def _connected(self) -> list[list[str]]:
        """Return the names of bodies in groups that closed joints connect."""
        group = {name: [name] for name in self.own}
        for joint in self.scene.joints:
            if joint.open or joint.parent == WORLD:
                continue
            one, other = group[joint.parent], group[joint.child]
            if one is not other:
                one += other
                group |= dict.fromkeys(other, one)
        return list({id(names): names for names in group.values()}.values())

    def _add_link(self, body: Body) -> None:
        """Add the link of a body."""
        link = self.links[body.name] = SubElement(self.models[body.name], "link", name=body.name)
        _put(link, "pose", pose_text(pose(body)))
        inertial = SubElement(link, "inertial")
        _put(inertial, "mass", repr(float(body.mass)))
        inertia = SubElement(inertial, "inertia")
        for name, moment in moments_of(body).items():
            _put(inertia, name, moment)
        if stands(body):
            self._connect(f"{body.name}_in_world", "fixed", WORLD, body.name)

    def _connect(self, name: str, kind: str, parent: str, child: str) -> Element:
        """Return a joint between two links."""
        made = SubElement(self.models[child], "joint", name=name, type=kind)
        _put(made, "parent", parent)
        _put(made, "child", child)
        return made

    def _add_joint(self, joint: Joint) -> None:
        """Add a joint; its frame has the axes of the child."""
        child = self.own[joint.child]
        name = joint.name
        if name in self.own:
            name = f"{name}_joint"
            told = f"is called {name!r}, as a link has its name"
            self.left_out.append(f"joint {joint.name!r}: {told}")
        made = self._connect(name, KINDS[joint.kind], joint.parent, joint.child)
        at = compose(joint.point, quat2mat(child.orientation), np.ones(3))
        _put(made, "pose", pose_text(np.linalg.inv(pose(child)) @ at))
        if not joint.has_coordinate:
            return
        axis = SubElement(made, "axis")
        _put(axis, "xyz", numbers(axis_of(child, joint)))
        limit = SubElement(axis, "limit")
        for end in ("lower", "upper"):
            bound = getattr(joint, end) - joint.position
            _put(limit, end, repr(float(np.clip(bound, -1e16, 1e16))))
        dynamics = SubElement(axis, "dynamics")
        _put(dynamics, "damping", repr(joint.damping))
        _put(dynamics, "friction", repr(joint.dry_friction))
        _put(dynamics, "spring_reference", repr(joint.rest - joint.position))
        _put(dynamics, "spring_stiffness", repr(joint.stiffness))
        if joint.position:
            told = f"its coordinate counts from {joint.position:.9g}, where it starts"
            self.left_out.append(f"joint {joint.name!r}: {told}")

    def _add_piece(self, solid: Solid) -> None:
        """Add a shape to the link of its body, where it is drawn and where it touches."""
        place = compose(solid.position, quat2mat(solid.orientation), np.ones(3))
        kind, measures = self.geometry(solid)
        told = {"uri" if field == "filename" else field: m for field, m in measures.items()}
        self._add_shape(solid, place, kind, told)

    def _add_shape(self, solid: Solid, place: Any, kind: str, measures: dict[str, str]) -> None:
        """Add a shape of some kind and measures at a pose (4, 4) on its link."""
        link = self.links[solid.body]
        for tag, wanted in (("visual", solid.drawn), ("collision", solid.touches)):
            if not wanted:
                continue
            made = SubElement(link, tag, name=f"{solid.name}_{len(link)}")
            _put(made, "pose", pose_text(place))
            shape = SubElement(SubElement(made, "geometry"), kind)
            for name, measure in measures.items():
                _put(shape, name, measure)
            if tag == "visual":
                _put(SubElement(made, "material"), "diffuse", numbers(solid.color))
            else:
                ode = SubElement(SubElement(SubElement(made, "surface"), "friction"), "ode")
                _put(ode, "mu", repr(float(solid.friction)))

    def _add_plane(self, surface: Surface) -> None:
        """Add a surface as a plane; one that ends as a box."""
        solid = _slab(surface)._replace(friction=surface.friction)
        if np.isfinite(surface.extent).any():
            self._add_piece(solid)
            return
        turn = quat2mat(quaternions_from_z(surface.normal))
        measures = {"normal": "0 0 1", "size": numbers((2.0 * WIDE, 2.0 * WIDE))}
        place = compose(surface.point, turn, np.ones(3))
        self._add_shape(solid._replace(drawn=False), place, "plane", measures)


def pose(body: Body) -> Any:
    """Return the pose (4, 4) of a body's centre of mass at the start."""
    return compose(body.position, quat2mat(body.orientation), np.ones(3))


def axis_of(child: Body, joint: Joint) -> Any:
    """Return the unit axis (3,) of a joint in the axes of its child."""
    return quat2mat(child.orientation).T @ np.array(joint.axis) / np.linalg.norm(joint.axis)


def pose_text(place: Any) -> str:
    """Return a pose (4, 4) as x, y, z, and roll, pitch and yaw about fixed axes."""
    return numbers((*place[:3, 3], *mat2euler(place[:3, :3], "sxyz")))


def _slab(surface: Surface) -> Solid:
    """Return a surface as a box that touches."""
    half = [min(side, WIDE) for side in surface.extent]
    deep = min(surface.thickness, DEEP)
    up = np.array(surface.normal) / np.linalg.norm(surface.normal)
    place = surface.point - 0.5 * deep * up
    shape = Box(2.0 * half[0], 2.0 * half[1], deep)
    turn = tuple(quaternions_from_z(up))
    color = (*surface.color, 1.0)
    return Solid(surface.name, WORLD, shape, tuple(place), turn, color, True, True, 0.0)


def _put(parent: Element, tag: str, text: str) -> None:
    """Add an element with a text."""
    SubElement(parent, tag).text = text
