"""Meshes with vertex colours as binary glTF 2.0, the only such format that the page takes.

Reference: Khronos Group, glTF 2.0 specification, section 4 (binary glTF) and 3.9 (materials);
KHR_materials_unlit for surfaces that shall not be shaded.
"""

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.rendering.meshes import Mesh

SURFACE = {"roughnessFactor": 0.6, "metallicFactor": 0.1}
_FLOAT = 5126
_UNSIGNED = 5125
_VERTICES = 34962
_INDICES = 34963


def to_glb(mesh: Mesh, unlit: bool = False) -> bytes:
    """Return the mesh as the bytes of a ``.glb`` file.

    Parameters
    ----------
    mesh: at least one triangle; colours in sRGB, alpha below 1 makes the whole mesh transparent.
    unlit: draw the colours as they are, without light and shadow.
    """
    positions = np.ascontiguousarray(mesh.vertices, dtype="<f4")
    rgba = np.column_stack([linear(mesh.colors[:, :3]), mesh.colors[:, 3]])
    low = positions.min(axis=0).tolist()
    high = positions.max(axis=0).tolist()
    indices = np.ascontiguousarray(mesh.faces.reshape(-1), dtype="<u4")
    arrays: tuple[tuple[NDArray[Any], dict[str, Any], int], ...] = (
        (positions, {"type": "VEC3", "componentType": _FLOAT, "min": low, "max": high}, _VERTICES),
        (
            np.ascontiguousarray(rgba, dtype="<f4"),
            {"type": "VEC4", "componentType": _FLOAT},
            _VERTICES,
        ),
        (indices, {"type": "SCALAR", "componentType": _UNSIGNED}, _INDICES),
    )
    payload = b""
    accessors: list[dict[str, Any]] = []
    views: list[dict[str, int]] = []
    for i, (array, accessor, target) in enumerate(arrays):
        views.append(
            {"buffer": 0, "byteOffset": len(payload), "byteLength": array.nbytes, "target": target}
        )
        accessors.append({**accessor, "bufferView": i, "count": len(array)})
        payload += array.tobytes()
    material: dict[str, Any] = {"pbrMetallicRoughness": SURFACE}
    if mesh.colors[:, 3].min() < 1.0:
        material["alphaMode"] = "BLEND"
    if unlit:
        material["extensions"] = {"KHR_materials_unlit": {}}
    return _pack(_document(material, accessors, views, len(payload)), payload)


def _document(
    material: dict[str, Any], accessors: list[Any], views: list[Any], size: int
) -> dict[str, Any]:
    """Return the JSON part: one node with one mesh."""
    primitive = {"attributes": {"POSITION": 0, "COLOR_0": 1}, "indices": 2, "material": 0}
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "materials": [material],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": size}],
        **({"extensionsUsed": list(material["extensions"])} if "extensions" in material else {}),
    }


def linear(srgb: ArrayLike) -> NDArray[np.float64]:
    """Convert colours from sRGB to linear light, as glTF needs them (IEC 61966-2-1)."""
    light = np.clip(np.asarray(srgb, dtype=float), 0.0, 1.0)
    return np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)


def _pack(document: dict[str, Any], payload: bytes) -> bytes:
    """Return header, JSON chunk and binary chunk, both padded to four bytes."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    payload += b"\0" * (-len(payload) % 4)
    total = 12 + 8 + len(text) + 8 + len(payload)
    header = struct.pack("<4sII", b"glTF", 2, total)
    return (
        header
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(payload), b"BIN\0")
        + payload
    )
