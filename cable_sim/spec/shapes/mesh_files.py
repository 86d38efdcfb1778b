"""Meshes in files: STL, OBJ, glTF and others that trimesh reads."""

import contextlib
import functools
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError

SUFFIXES = (".stl", ".obj", ".glb", ".gltf", ".ply", ".off")
Y_UP = (".glb", ".gltf")
"""Formats whose y axis points up, by their standard."""
_FOLDER: ContextVar[Path | None] = ContextVar("folder", default=None)


@contextlib.contextmanager
def relative_to(folder: Path) -> Iterator[None]:
    """Let relative paths in specs start from a folder: that of the file that is being read."""
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def find_file(path: str) -> str:
    """Return the absolute path of a file.

    Raises ValueError for one that is missing.
    """
    found = Path(_FOLDER.get() or Path(), Path(path).expanduser()).absolute()
    if not found.is_file():
        raise ValueError(f"file: there is no file {found}")
    return str(found)


def check_format(path: str) -> None:
    """Refuse a file of an unknown format."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise ValueError(f"file: {path}: the format has to be one of {', '.join(SUFFIXES)}")


def read_mesh(path: str, scale: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return corners (n, 3) [m] and triangles (m, 3) of a closed mesh, anticlockwise from outside.

    ``scale`` is the length of the file's unit [m]. Raises SpecError for a file that can't be read
    or is not closed, and ModuleNotFoundError, which says what to install, without trimesh.
    """
    return _read_mesh(path, scale, Path(path).stat().st_mtime_ns)


@functools.lru_cache(maxsize=32)
def _read_mesh(
    path: str, scale: float, _changed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Do :func:`read_mesh` for a file as it was changed last."""
    trimesh = _trimesh(path)
    try:
        mesh = trimesh.load(path, force="mesh", process=False)
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
    except Exception as error:  # each of its readers raises errors of its own
        raise SpecError(f"mesh {path}: can't be read: {error}") from None
    if not len(mesh.faces):
        raise SpecError(f"mesh {path}: has no triangles")
    mesh.update_faces(mesh.nondegenerate_faces())
    if not mesh.is_watertight:
        edges = np.sort(mesh.edges, axis=1)
        count = int((np.unique(edges, axis=0, return_counts=True)[1] != 2).sum())
        raise SpecError(
            f"mesh {path}: is not closed: {count} of its edges are not in two triangles; close it, "
            "or make several closed solids of it"
        )
    if not mesh.is_winding_consistent:
        raise SpecError(f"mesh {path}: neighbouring triangles run in different senses")
    corners = scale * np.array(mesh.vertices, dtype=float)
    triangles = np.array(mesh.faces, dtype=np.int64)
    if mesh.volume < 0.0:
        triangles = triangles[:, ::-1]
    if Path(path).suffix.lower() in Y_UP:
        corners = np.column_stack([corners[:, 0], -corners[:, 2], corners[:, 1]])
    corners.flags.writeable = triangles.flags.writeable = False
    return corners, triangles


def _trimesh(path: str) -> Any:
    """Return the module trimesh; raise ModuleNotFoundError, which says what to install."""
    try:
        import trimesh
    except ModuleNotFoundError:
        message = f"mesh {path}: trimesh is not installed; pip install 'cable_sim[meshes]'"
        raise ModuleNotFoundError(message, name="trimesh") from None
    return trimesh
