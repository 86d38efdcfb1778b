"""Files of models: their kinds, the lines of their elements, and the meshes that they name."""

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from cable_sim.errors import CableSimError, ConfigError, Problem
from cable_sim.spec.files import read_text

READ_BY_MUJOCO = (".stl", ".obj", ".msh")
"""Endings of meshes that MuJoCo reads; others go through trimesh."""
MOST_TRIANGLES = 200_000
"""Most triangles of an STL file that MuJoCo reads."""
SUFFIXES = (".urdf", ".xacro", ".sdf", ".xml", ".mjcf", ".world")
"""Endings of files of models."""
ROOTS = {"robot": "URDF", "sdf": "SDF", "mujoco": "MJCF"}
"""Formats by the root element."""


def needed(package: str) -> Any:
    """Return a package of the extra ``models``; raise CableSimError, which names it, without."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        told = f"{error.name} is not installed: pip install 'cable_sim[models]'"
        raise CableSimError(told) from None


def problem(path: Path, line: int, what: str, text: str) -> ConfigError:
    """Return the error about an element of a file."""
    return ConfigError([Problem(str(path), line, 1, what, text)])


def parse(path: Path, text: str) -> ElementTree.Element:
    """Return the root of XML text; raise ConfigError with the line where it is none."""
    if "<!ENTITY" in text:
        line = text.count("\n", 0, text.index("<!ENTITY")) + 1
        raise problem(path, line, "", "defines entities, which are not read")
    try:
        return ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        told = str(error).partition(":")[0]
        raise problem(path, error.position[0], "", f"is not XML: {told}") from None


def text_of(path: Path) -> str:
    """Return the text of a file, a xacro file expanded.

    Raises ConfigError for a file that can't be read or expanded.
    """
    text = read_text(path)
    if path.suffix.lower() != ".xacro":
        return text
    xacro = needed("xacro")
    try:
        expanded: str = xacro.process_file(str(path)).toprettyxml(indent="  ")
    except Exception as error:  # its own classes, and those of Python's eval
        raise problem(path, 1, "", f"xacro can't expand it: {error}") from None
    return expanded


def line_of(text: str, tag: str, name: str) -> int:
    """Return the line of an element with a name in XML text; 1 if there is none."""
    found = re.search(rf"<{tag}\b[^>]*\bname\s*=\s*[\"']{re.escape(name)}[\"']", text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def unread(
    path: Path, text: str, root: ElementTree.Element, known: Mapping[str, str]
) -> list[Problem]:
    """Return notes on the elements of a file that are no known children of known elements.

    ``known`` are the tags, and the tags of the children of each.
    """
    bare = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    found = []

    def look(element: ElementTree.Element, owner: str) -> None:
        for child in element:
            name = child.get("name") or child.get("reference") or ""
            if child.tag in known[element.tag].split():
                if child.tag in known:
                    look(child, name or owner)
                continue
            places = [m.start() for m in re.finditer(rf"<{child.tag}(?=[\s/>])", bare)]
            number = next(i for i, one in enumerate(root.iter(child.tag)) if one is child)
            line = bare.count("\n", 0, places[number]) + 1 if number < len(places) else 1
            what = f"{child.tag} {name!r}" if name else f"{child.tag} of {owner!r}"
            found.append(Problem(str(path), line, 1, what, "is left out"))

    look(root, root.get("name", ""))
    return found


def find_mesh(path: Path, uri: str, line: int) -> Path:
    """Return the file of a mesh's address in a model: a path, or package://, model://, file://.

    A package is a folder of that name above the model, or one that the environment of ROS or Gazebo
    names. Raises ConfigError for one that is missing.
    """
    scheme, _, rest = uri.rpartition("://")
    above = [path.absolute().parent, *path.absolute().parent.parents]
    inside = rest.partition("/")[2]
    tries = [path.absolute().parent / rest]
    if scheme in ("package", "model"):
        tries = [folder / rest for folder in above] + [folder / inside for folder in above]
    for candidate in tries:
        if candidate.is_file():
            return candidate
    try:
        return Path(needed("resolve_robotics_uri_py").resolve_robotics_uri(uri))
    except FileNotFoundError:
        told = f"there is no file {uri!r}; looked for {tries[0]}"
        raise problem(path, line, "mesh", told) from None


def mesh_asset(path: Path, found: Path, line: int) -> bytes | None:
    """Return a mesh as the bytes of a binary STL file, or None if MuJoCo reads it as it is.

    One of more triangles than MuJoCo takes is its convex hull. Raises ConfigError for a file that
    can't be read.
    """
    suffix = found.suffix.lower()
    if suffix in READ_BY_MUJOCO and not (suffix == ".stl" and _is_unfit(found)):
        return None
    trimesh = needed("trimesh")
    try:
        made = trimesh.load(found, force="mesh")
        made = made.convex_hull if len(made.faces) > MOST_TRIANGLES else made
        data: bytes = made.export(file_type="stl")
    except Exception as error:  # each of its readers raises errors of its own
        raise problem(path, line, "mesh", f"{found}: can't be read: {error}") from None
    if not len(made.faces):
        raise problem(path, line, "mesh", f"{found}: has no triangles")
    return data


def _is_unfit(found: Path) -> bool:
    """Return True for an STL file that is text, or has too many triangles for MuJoCo."""
    with found.open("rb") as file:
        count = int.from_bytes(file.read(84)[80:], "little")
    return found.stat().st_size != 84 + 50 * count or count > MOST_TRIANGLES
