"""Everything around the crane: sky, ground with grid, sun with shadow, and the plumb line below the load.

All of it comes out of this file: the page fetches no picture, font or environment map from anywhere.
"""

from typing import Any

import numpy as np

from cable_sim.machine.frame import Frame
from cable_sim.spec import Scene
from cable_sim.viewer import meshes
from cable_sim.viewer.drawing import Extent, half_height
from cable_sim.viewer.glb import to_glb
from cable_sim.viewer.meshes import Mesh

HAZE = (0.87, 0.91, 0.95)
SKY = ((0.0, HAZE), (0.10, (0.76, 0.86, 0.95)), (0.35, (0.53, 0.72, 0.91)), (1.0, (0.27, 0.51, 0.80)))
"""Colours of the sky by sine of the height above the horizon."""
SUN = np.array([0.42, -0.55, 0.95])
"""Direction to the sun: from behind the first camera's left shoulder, so that the crane is lit and its shadow
falls sideways into the picture."""
DOME = 14.0
"""Radius of the sky in radii of the scene."""


def build(api: Any, scene: Scene, extent: Extent) -> None:
    """Put sky, ground, grid and lights into a viser scene."""
    size = extent.radius
    api.configure_default_lights(enabled=False)
    api.configure_environment_map(hdri=None)
    foot = np.array([extent.center[0], extent.center[1], extent.ground])
    api.add_glb("/sky", to_glb(dome(DOME * size), unlit=True), position=foot, cast_shadow=False, receive_shadow=False)
    _ground(api, scene, foot, size)
    _lights(api, extent)


def dome(radius: float, rings: int = 24, sides: int = 48) -> Mesh:
    """The sky from inside, from straight up to below the horizon, coloured by height."""
    height = np.concatenate([[-1.0], np.linspace(-0.25, 1.0, rings) ** 3 * 0.999])
    height = np.unique(np.round(np.clip(height, -0.999, 0.999), 6))
    profile = [(radius * np.sqrt(1.0 - h * h), radius * h) for h in height]
    vertices, faces = meshes.revolved(profile, sides)
    level = vertices[:, 2] / radius
    at, colors = [stop[0] for stop in SKY], np.array([stop[1] for stop in SKY])
    rgb = np.stack([np.interp(level, at, colors[:, i]) for i in range(3)], axis=1)
    return Mesh(vertices, faces[:, ::-1], np.column_stack([rgb, np.ones(len(rgb))]))


def grid_step(size: float) -> float:
    """Width of a grid cell [m]: 1, 2 or 5 times a power of ten, some ten to a scene of that radius [m]."""
    rough = max(size, 1e-3) / 10.0
    power = 10.0 ** np.floor(np.log10(rough))
    return float(next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= 0.999 * rough))


def _ground(api: Any, scene: Scene, foot: Any, size: float) -> None:
    """An endless looking plane that fades into the haze, with a grid of round metres on it."""
    color = next((np.array(s.color) for s in scene.surfaces if not np.isfinite(s.extent[0])), np.array([0.6] * 3))
    step = grid_step(size)
    api.add_grid(
        "/ground", width=2.0 * DOME * size, height=2.0 * DOME * size, position=(0.0, 0.0, foot[2]),
        cell_size=step, cell_thickness=0.6, cell_color=_bytes(0.88 * color),
        section_size=5.0 * step, section_thickness=1.1, section_color=_bytes(0.70 * color),
        plane_color=_bytes(0.5 * color + 0.35), plane_opacity=1.0, shadow_opacity=0.45,
        fade_distance=0.9 * DOME * size, fade_strength=1.2, fade_from="origin",
    )  # fmt: skip


def _lights(api: Any, extent: Extent) -> None:
    """A sun that casts one soft shadow over the whole scene, light from the sky, and a weak fill.

    The sun is a spot light from afar because the page casts shadows of a directional one only 20 m deep.
    Its shadow map reaches 500 m, so it stands as far off as that allows.
    """
    direction = SUN / np.linalg.norm(SUN)
    distance = min(5.0 * extent.radius, 480.0 - extent.radius)
    angle = float(np.arctan(1.25 * extent.radius / distance))
    target = np.array([extent.center[0], extent.center[1], 0.6 * extent.ground + 0.4 * extent.center[2]])
    api.add_light_spot(
        "/sun", position=target + distance * direction, direction=tuple(-direction), color=(255, 246, 228),
        intensity=3.4, decay=0.0, angle=angle, penumbra=0.25, cast_shadow=True,
    )  # fmt: skip
    api.add_light_hemisphere("/sky_light", sky_color=(214, 230, 255), ground_color=(150, 145, 130), intensity=1.5)
    api.add_light_directional("/fill", position=(-1.0, 0.6, 0.5), color=(225, 235, 255), intensity=0.7)


class PlumbLine:
    """A thin line from the load down to the ground with a ring at its foot: where the load would come down."""

    def __init__(self, api: Any, scene: Scene, load: str, extent: Extent) -> None:
        body = next(body for body in scene.bodies if body.name == load)
        self._load, self._below, self._ground = load, half_height(body), extent.ground
        size = extent.radius
        vertices, faces = meshes.bars([[0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]], 1.0, sides=6)
        color = (60, 66, 78)
        self._line = api.add_batched_meshes_simple(
            "/plumb/line", vertices, faces, np.array([[1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 3)), lod="off",
            batched_scales=np.full((1, 3), 1e-3), batched_colors=color, opacity=0.55, cast_shadow=False,
        )  # fmt: skip
        ring = meshes.placed(_ring(0.022 * size, 0.017 * size), (0, 0, 0), (1, 0, 0, 0), np.array(color) / 255, 0.7)
        self._ring = api.add_glb("/plumb/ring", to_glb(ring, unlit=True), cast_shadow=False, receive_shadow=False)
        self._radius = max(0.01, 0.0005 * size)
        self._sent = np.full(3, np.inf)

    def update(self, frame: Frame) -> None:
        """Hang the line below the load of the frame."""
        if self._load not in frame.poses:
            return
        position = np.asarray(frame.poses[self._load][0], dtype=float)
        if not np.isfinite(position).all() or np.abs(position - self._sent).max() < 0.01:
            return
        self._sent = position.copy()
        foot = np.array([position[0], position[1], self._ground + 0.02])
        length = max(position[2] - self._below - self._ground, 1e-3)
        self._line.batched_positions = foot[None].astype(np.float32)
        self._line.batched_scales = np.array([[self._radius, self._radius, length]], dtype=np.float32)
        self._ring.position = foot


def _ring(outer: float, inner: float, sides: int = 40) -> tuple[Any, Any]:
    """A flat ring that looks up."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(sides)])
    i = np.arange(sides)
    j = (i + 1) % sides
    faces = np.concatenate([np.column_stack([i, j, sides + j]), np.column_stack([i, sides + j, sides + i])])
    return np.concatenate([inner * circle, outer * circle]), faces[:, ::-1]


def _bytes(color: Any) -> tuple[int, int, int]:
    """A colour of 0...1 as viser wants it."""
    red, green, blue = np.rint(255.0 * np.clip(color, 0.0, 1.0)).astype(int)
    return int(red), int(green), int(blue)
