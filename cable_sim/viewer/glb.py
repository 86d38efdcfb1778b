"""A mesh with a colour per vertex as binary glTF 2.0, the one format in which the page takes such colours.

Reference: Khronos Group, glTF 2.0 specification, section 4 (binary glTF) and 3.9 (materials);
KHR_materials_unlit for what shall not be shaded.
"""

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.viewer.meshes import Mesh

_FLOAT, _UNSIGNED = 5126, 5125
_VERTICES, _INDICES = 34962, 34963


def to_glb(mesh: Mesh, roughness: float = 0.6, metallic: float = 0.1, unlit: bool = False) -> bytes:
    """The mesh as the bytes of a ``.glb`` file.

    Parameters
    ----------
    mesh: at least one triangle; colours in sRGB, alpha below 1 makes the whole mesh transparent.
    roughness, metallic: of the surface, 0...1.
    unlit: draw the colours as they are, without light and shadow.
    """
    positions = np.ascontiguousarray(mesh.vertices, dtype="<f4")
    colors = np.ascontiguousarray(np.column_stack([linear(mesh.colors[:, :3]), mesh.colors[:, 3]]), dtype="<f4")
    indices = np.ascontiguousarray(mesh.faces.reshape(-1), dtype="<u4")
    blobs = [positions.tobytes(), colors.tobytes(), indices.tobytes()]
    accessors: list[dict[str, Any]] = [
        {"type": "VEC3", "min": positions.min(axis=0).tolist(), "max": positions.max(axis=0).tolist()},
        {"type": "VEC4"},
        {"type": "SCALAR"},
    ]
    views, offset = [], 0
    counts = (len(positions), len(colors), len(indices))
    for i, (blob, accessor, count) in enumerate(zip(blobs, accessors, counts, strict=True)):
        accessor.update(bufferView=i, componentType=_UNSIGNED if i == 2 else _FLOAT, count=count)
        target = _INDICES if i == 2 else _VERTICES
        views.append({"buffer": 0, "byteOffset": offset, "byteLength": len(blob), "target": target})
        offset += len(blob)
    material: dict[str, Any] = {"pbrMetallicRoughness": {"roughnessFactor": roughness, "metallicFactor": metallic}}
    if mesh.colors[:, 3].min() < 1.0:
        material["alphaMode"] = "BLEND"
    document: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 1}, "indices": 2, "material": 0}]}],
        "materials": [material],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": offset}],
    }
    if unlit:
        material["extensions"] = {"KHR_materials_unlit": {}}
        document["extensionsUsed"] = ["KHR_materials_unlit"]
    return _packed(document, b"".join(blobs))


def linear(srgb: ArrayLike) -> NDArray[np.float64]:
    """Colours from sRGB to linear light, as glTF wants them (IEC 61966-2-1)."""
    srgb = np.clip(np.asarray(srgb, dtype=float), 0.0, 1.0)
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def _packed(document: dict[str, Any], payload: bytes) -> bytes:
    """Header, JSON chunk and binary chunk; chunks are padded to four bytes."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    payload += b"\0" * (-len(payload) % 4)
    total = 12 + 8 + len(text) + 8 + len(payload)
    header = struct.pack("<4sII", b"glTF", 2, total)
    return header + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(payload), b"BIN\0") + payload
