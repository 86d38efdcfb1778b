"""Convex decomposition of meshes by CoACD, with a cache of the parts on disk.

CoACD (Wei et al. 2022, "Approximate Convex Decomposition for 3D Meshes with Collision-Aware
Concavity and Tree Search") cuts a mesh with planes until each part differs from its convex hull by
less than a given part of its size. It works on a copy that is scaled and shaken a little: of a mesh
with flat faces, the corners of parts are off by some 1e-4 of its size. So a corner that is within
``SNAP`` of a corner of the mesh is put there, and else onto the planes of faces that it is near.
"""

import functools
import hashlib
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError
from cable_sim.kernel_cache import KernelCache
from cable_sim.model.basis.frames import Array

SNAP = 3e-4
"""Distance over the size of the mesh within which corners of parts belong to its surface [-]."""
CONVEX = 1e-6
"""Part of the volume of its convex hull that a convex mesh may lack [-]."""
MOST_PLANES = 3
"""Most planes that a corner is put onto."""
SAME_PLANE = 1e-6
"""Difference of planes below which two triangles are in one face, over the size of the mesh [-]."""
SEED = 0


def convex_parts(corners: Array, triangles: NDArray[np.int64], concavity: float) -> list[Array]:
    """Return the corners (n, 3) of convex solids that together make a closed mesh [m].

    ``concavity`` is by how much they may differ from it, as a part of its size. Raises ModelError
    where there is none, and ModuleNotFoundError, which says what to install, without coacd.
    """
    from scipy.spatial import ConvexHull  # slow to import, and most scenes have no meshes

    hull = ConvexHull(corners)
    if hull.volume - _volume(corners, triangles) < CONVEX * hull.volume:
        return [corners[hull.vertices]]
    text = hashlib.sha256(f"{_coacd().__name__} {_version()} {concavity!r} {SEED}".encode())
    for array in (corners, triangles):
        text.update(np.ascontiguousarray(array).tobytes())
    name = f"parts-{text.hexdigest()[:32]}.npz"
    cache = _cache(_folder())
    found = cache.load(name, _read)
    if found is None:
        found = _decompose(corners, triangles, concavity)
        cache.save(name, _written(found))
    return [_snap(part, corners, _planes(corners, triangles)) for part in found]


def _decompose(corners: Array, triangles: NDArray[np.int64], concavity: float) -> list[Array]:
    """Return the corners of the parts that CoACD finds."""
    coacd = _coacd()
    coacd.set_log_level("error")
    mesh = coacd.Mesh(np.array(corners), np.array(triangles, dtype=np.int32))
    parts = coacd.run_coacd(mesh, threshold=concavity, seed=SEED)
    if not parts:
        raise ModelError("a mesh has no convex parts; is it one closed solid?")
    return [np.asarray(part[0], dtype=float) for part in parts]


def _snap(part: Array, corners: Array, planes: Array) -> Array:
    """Return the corners of a part, put onto corners and faces of the mesh that they are near."""
    near = SNAP * float(np.ptp(corners, axis=0).max())
    snapped = part.copy()
    for i, point in enumerate(part):
        distances = np.linalg.norm(corners - point, axis=1)
        if distances.min() < near:
            snapped[i] = corners[distances.argmin()]
            continue
        off = planes[:, 3] - planes[:, :3] @ point
        close = np.flatnonzero(np.abs(off) < near)
        if 0 < len(close) <= MOST_PLANES:
            move = np.linalg.lstsq(planes[close, :3], off[close], rcond=0.1)[0]
            snapped[i] = point + move if np.linalg.norm(move) < 2.0 * near else point
    return snapped


def _planes(corners: Array, triangles: NDArray[np.int64]) -> Array:
    """Return the planes of a mesh's faces (f, 4): unit normals and distances from the origin."""
    a, b, c = (corners[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    size = float(np.ptp(corners, axis=0).max())
    planes = np.column_stack([normals, (normals * a).sum(axis=1)])
    _, first = np.unique(
        np.round(planes / (1.0, 1.0, 1.0, size) / SAME_PLANE), axis=0, return_index=True
    )
    return planes[np.sort(first)]


def _volume(corners: Array, triangles: NDArray[np.int64]) -> float:
    """Return the volume of a closed mesh [m^3]."""
    a, b, c = (corners[triangles[:, i]] for i in range(3))
    return float((a * np.cross(b, c)).sum() / 6.0)


def _written(parts: list[Array]) -> bytes:
    """Return parts as the bytes of an .npz file."""
    held = io.BytesIO()
    np.savez(held, *parts)
    return held.getvalue()


def _read(data: bytes) -> list[Array]:
    """Return the parts in the bytes of an .npz file."""
    with np.load(io.BytesIO(data), allow_pickle=False) as held:
        return [held[f"arr_{i}"] for i in range(len(held.files))]


def _folder() -> Path:
    """Return the folder of the cache: in ``CABLE_SIM_CACHE`` or the user's cache folder."""
    given = os.environ.get("CABLE_SIM_CACHE")
    root = given or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "cable_sim")
    return Path(os.path.expanduser(root)) / "meshes"


@functools.cache
def _cache(folder: Path) -> KernelCache:
    """Return the cache of a folder."""
    return KernelCache(folder, "mesh cache", "the mesh divided", "divides")


@functools.cache
def _version() -> str:
    """Return the version of coacd."""
    from importlib.metadata import version

    return version("coacd")


def _coacd() -> Any:
    """Return the module coacd; raise ModuleNotFoundError, which says what to install."""
    try:
        import coacd
    except ModuleNotFoundError:
        message = (
            "a mesh that is not convex: coacd is not installed; pip install 'cable_sim[meshes]'"
        )
        raise ModuleNotFoundError(message, name="coacd") from None
    return coacd
