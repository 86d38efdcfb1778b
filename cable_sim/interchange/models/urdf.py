"""URDF made ready for MuJoCo's reader, and the drives that it names for ros2_control.

MuJoCo reads links, joints and geometry. It gets the meshes as it can read them and is told to keep
visuals and fixed links. URDF has no actuators: joints of ``ros2_control`` and ``transmission``
elements get drives here, with the limits of effort and velocity of the joint.
"""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco

from cable_sim.errors import Problem
from cable_sim.interchange.models.files import (
    find_mesh,
    line_of,
    mesh_asset,
    parse,
    problem,
    unread,
)
from cable_sim.interchange.models.source import HIDDEN, Source
from cable_sim.spec import Drive

MODES = {"position": "position", "velocity": "speed", "effort": "effort"}
"""Our mode of each command interface of ros2_control."""
KNOWN = {
    "robot": "link joint material ros2_control transmission mujoco",
    "link": "inertial visual collision",
    "inertial": "origin mass inertia",
    "visual": "origin geometry material",
    "collision": "origin geometry",
    "geometry": "box sphere cylinder capsule mesh",
    "material": "color",
    "joint": "origin parent child axis limit dynamics mimic",
}
"""Elements that are read, with their children; MuJoCo makes an equality of mimic, which is told."""
KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


def spec_of_urdf(path: Path, text: str) -> tuple[Any, list[Problem]]:
    """Return the spec of a URDF, and what is left out of it.

    Raises ConfigError for a mesh that is missing, a joint of another kind, and a link that is not
    there or the child of two joints.
    """
    root = parse(path, text)
    _check_joints(path, text, root)
    assets: dict[str, bytes] = {}
    for number, mesh in enumerate(root.iter("mesh")):
        uri = mesh.get("filename", "")
        line = _line_of_file(text, uri)
        found = find_mesh(path, uri, line)
        data = mesh_asset(path, found, line)
        name = str(found) if data is None else f"mesh_{number}.stl"
        assets |= {} if data is None else {name: data}
        mesh.set("filename", name)
    for known in root.findall("mujoco"):
        root.remove(known)
    options = {"discardvisual": "false", "fusestatic": "false", "strippath": "false"}
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", options)
    notes = unread(path, text, root, KNOWN)
    made = ElementTree.tostring(root, encoding="unicode")
    spec = mujoco.MjSpec.from_string(made, assets=assets)
    # a link has the inertia that it is given, and none of its shapes
    spec.compiler.inertiafromgeom = int(mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE)
    for mesh in spec.meshes:
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    for body in spec.bodies:  # what touches is not drawn over what is drawn
        touching = [geom for geom in body.geoms if geom.contype]
        for geom in touching if len(touching) < len(body.geoms) else ():
            geom.group = HIDDEN
    return spec, notes


def _line_of_file(text: str, uri: str) -> int:
    """Return the line in which an address stands."""
    return text.count("\n", 0, max(text.find(uri), 0)) + 1


def _check_joints(path: Path, text: str, root: ElementTree.Element) -> None:
    """Refuse joints of unknown kinds, on unknown links, and loops."""
    links = [link.get("name", "") for link in root.findall("link")]
    parents: dict[str, str] = {}
    for joint in root.findall("joint"):
        name = joint.get("name", "")
        where = path, line_of(text, "joint", name), f"joint {name!r}"
        if joint.get("type") not in KINDS:
            told = f"type {joint.get('type')!r} is not known; known are {', '.join(KINDS)}"
            raise problem(*where, told)
        for end in ("parent", "child"):
            element = joint.find(end)
            link = "" if element is None else element.get("link", "")
            if link not in links:
                told = f"{end} {link!r} is no link; links are {', '.join(links) or 'none'}"
                raise problem(*where, told)
        if link in parents:
            told = f"closes a loop: {link!r} is the child of {parents[link]!r} already"
            raise problem(*where, f"{told}; URDF is a tree, a loop needs MJCF")
        parents[link] = name


def drives_of_urdf(source: Source, text: str) -> list[Drive]:
    """Return the drives of the joints that ros2_control or transmissions name.

    A joint with several command interfaces has the first one of position, velocity and effort.
    """
    root = parse(source.path, text)
    modes: dict[str, str] = {}
    for joint in root.findall("ros2_control/joint"):
        given = [one.get("name", "") for one in joint.findall("command_interface")]
        modes |= {joint.get("name", ""): MODES[word] for word in reversed(MODES) if word in given}
    for transmission in root.findall("transmission"):
        for joint in transmission.findall("joint"):
            words = " ".join(one.text or "" for one in transmission.iter("hardwareInterface"))
            mode = next((MODES[word] for word in MODES if word in words.lower()), "effort")
            modes.setdefault(joint.get("name", ""), mode)
    limits = {joint.get("name", ""): joint.find("limit") for joint in root.findall("joint")}
    drives = []
    for j in range(source.model.njnt):
        name = source.given("joint", j)
        limit = limits.get(name)
        if name in modes:
            drives.append(_drive(source, j, modes[name], limit))
        elif limit is not None:
            effort, velocity = (limit.get(word, "0") for word in ("effort", "velocity"))
            told = f"effort {effort} and velocity {velocity} are left out: no element drives it"
            source.note("joint", j, told)
    return drives


def _drive(source: Source, j: int, mode: Any, limit: ElementTree.Element | None) -> Drive:
    """Return the drive of a joint, which holds where it starts."""
    model = source.model
    name = source.names["joint", j]
    bounds = {}
    for field, word in (("max_effort", "effort"), ("max_speed", "velocity")):
        given = float(limit.get(word, 0.0)) if limit is not None else 0.0
        if given > 0.0:
            bounds[field] = given
    start = float(source.data.qpos[model.jnt_qposadr[j]])
    return Drive(name, name, mode, start if mode == "position" else 0.0, **bounds)
