"""Surroundings of the crane: sky, ground with grid, sun with shadow, and the load's plumb line.

All of it is made in this file: the page fetches no picture, font or environment map.
"""

from typing import Any

import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.parts.devices import Chart
from cable_sim.machine.pictures.extents import half_height
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import DRAWN_RADIUS, Extent
from cable_sim.rendering.ground import SUN, Rings, grid_step, ground_color
from cable_sim.rendering.meshes import Mesh
from cable_sim.rendering.rings import radius_rings
from cable_sim.spec import Scene
from cable_sim.viewer.drawing.glb import to_glb
from cable_sim.viewer.drawing.scale_figures import RIGHT, scale_figures

SKY = (
    (0.0, (0.93, 0.96, 0.99)),
    (0.08, (0.78, 0.90, 1.0)),
    (0.30, (0.48, 0.74, 1.0)),
    (1.0, (0.16, 0.48, 0.95)),
)
"""Colours of the sky by sine of the height above the horizon."""
LIFT = 5e-4
"""Height of what lies on the ground, in radii of the scene: else the two flicker."""
DOME = 14.0
"""Radius of the sky in radii of the scene."""


def build(api: Any, crane: Crane, extent: Extent) -> None:
    """Add sky, ground, grid, radius rings and lights to a viser scene, in units of the page."""
    scene = crane.scene
    api.configure_default_lights(enabled=False)
    api.configure_environment_map(hdri=None)
    foot = extent.scale * np.array([extent.center[0], extent.center[1], extent.ground])
    sky = to_glb(dome(DOME * DRAWN_RADIUS), unlit=True)
    api.add_glb("/sky", sky, position=foot, cast_shadow=False, receive_shadow=False)
    _ground(api, scene, foot, extent)
    for name, mesh in scale_figures(crane, extent).items():
        api.add_glb(f"/scale/{name}", to_glb(mesh), receive_shadow=False)
    found = radius_rings(scene)
    charts = [quantity.chart for quantity in crane.quantities if quantity.chart]
    for i, rings in enumerate(found):
        # of several cranes it is not said which chart is whose
        chart = charts[0] if len(charts) == len(found) == 1 else None
        _rings(api, f"/rings/{i}", rings, extent, ground_color(scene), chart)
    _lights(api)


def dome(radius: float) -> Mesh:
    """Return the sky from inside, from the zenith to below the horizon, coloured by height."""
    height = np.concatenate([[-1.0], np.linspace(-0.25, 1.0, 24) ** 3 * 0.999])
    height = np.unique(np.round(np.clip(height, -0.999, 0.999), 6))
    profile = [(radius * np.sqrt(1.0 - h * h), radius * h) for h in height]
    vertices, faces = meshes.revolve(profile, sides=48)
    level = vertices[:, 2] / radius
    at = [stop[0] for stop in SKY]
    colors = np.array([stop[1] for stop in SKY])
    rgb = np.stack([np.interp(level, at, colors[:, i]) for i in range(3)], axis=1)
    return Mesh(vertices, faces[:, ::-1], np.column_stack([rgb, np.ones(len(rgb))]))


def _ground(api: Any, scene: Scene, foot: Any, extent: Extent) -> None:
    """Add a plane that fades into the haze and looks endless, with a grid of round metres."""
    light = ground_color(scene)
    step = extent.scale * grid_step(extent.radius)
    width = 2.0 * DOME * DRAWN_RADIUS
    api.add_grid(
        "/ground",
        width=width,
        height=width,
        position=(0.0, 0.0, foot[2]),
        cell_size=step,
        cell_thickness=0.6,
        cell_color=_bytes(0.9 * light),
        section_size=5.0 * step,
        section_thickness=1.1,
        section_color=_bytes(0.78 * light),
        plane_color=_bytes(light),
        plane_opacity=1.0,
        shadow_opacity=0.6,
        fade_distance=0.45 * width,
        fade_strength=1.2,
        fade_from="origin",
    )


def _rings(
    api: Any, name: str, rings: Rings, extent: Extent, light: Any, chart: Chart | None
) -> None:
    """Add radius rings, with radius and capacity on the right as seen in the first view.

    Both are one label: of two, one above the other, one would hide the other from the cab.
    """
    angle = np.linspace(0.0, 2.0 * np.pi, 97)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    level = extent.scale * extent.ground + LIFT * DRAWN_RADIUS
    height = 0.12 * extent.scale * rings.step
    for number in range(1, rings.number + 1):
        radius = number * rings.step
        plan = extent.scale * (rings.center + radius * circle)
        points = np.column_stack([plan, np.full(len(plan), level)])
        line = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
        api.add_line_segments(
            f"{name}/{number}", line, _bytes(0.6 * light), thickness=1.5, thickness_units="screen"
        )
        capacity = "" if chart is None else f": {1e-3 * chart.capacity(radius):.1f} t"
        place = extent.scale * (rings.center + radius * RIGHT)
        api.add_label(
            f"{name}/{number}/label",
            f"{radius:g} m{capacity}",
            position=(*place, level),
            font_size_mode="scene",
            font_scene_height=height,
            depth_test=True,
            anchor="bottom-center",
        )


def _lights(api: Any) -> None:
    """Add a sun that casts soft shadows, light from the sky, and a weak fill light from behind."""
    sun = SUN / np.linalg.norm(SUN)
    api.add_light_directional(
        "/sun", position=sun, color=(255, 246, 228), intensity=4.0, cast_shadow=True
    )
    api.add_light_hemisphere(
        "/sky_light", sky_color=(214, 230, 255), ground_color=(150, 145, 130), intensity=2.3
    )
    api.add_light_directional(
        "/fill", position=(-1.0, 0.6, 0.5), color=(225, 235, 255), intensity=0.7
    )


class PlumbLine:
    """A thin line from a body to the ground, with a ring at its foot below the load."""

    def __init__(self, api: Any, scene: Scene, load: str, extent: Extent) -> None:
        body = next(body for body in scene.bodies if body.name == load)
        self._load = load
        self._below = half_height(body)
        self._ground = extent.ground
        self._scale = extent.scale
        vertices, faces = meshes.bars([[0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]], 1.0, sides=6)
        color = (60, 66, 78)
        self._line = api.add_batched_meshes_simple(
            "/plumb/line",
            vertices,
            faces,
            np.array([[1.0, 0.0, 0.0, 0.0]]),
            np.zeros((1, 3)),
            lod="off",
            batched_scales=np.full((1, 3), 1e-3),
            batched_colors=color,
            opacity=0.55,
            cast_shadow=False,
        )
        flat = meshes.lathe([(DRAWN_RADIUS * radius, 0.0) for radius in (0.022, 0.017)], 40)
        ring = meshes.place_mesh(flat, np.array(color) / 255, opacity=0.7)
        self._ring = api.add_glb(
            "/plumb/ring", to_glb(ring, unlit=True), cast_shadow=False, receive_shadow=False
        )
        self._radius = 0.0005 * DRAWN_RADIUS
        self._sent = np.full(3, np.inf)

    def update(self, frame: Frame) -> None:
        """Move the line below the load of the frame."""
        if self._load not in frame.poses:
            return
        position = np.asarray(frame.poses[self._load][0], dtype=float)
        if (
            not np.isfinite(position).all()
            or np.abs(position - self._sent).max() * self._scale < 1e-4
        ):
            return
        self._sent = position.copy()
        foot = self._scale * np.array([position[0], position[1], self._ground])
        foot[2] += LIFT * DRAWN_RADIUS
        length = max(self._scale * (position[2] - self._below - self._ground), 1e-4)
        self._line.batched_positions = foot[None].astype(np.float32)
        self._line.batched_scales = np.array(
            [[self._radius, self._radius, length]], dtype=np.float32
        )
        self._ring.position = foot
        self._ring.visible = length > 0.01 * DRAWN_RADIUS


def _bytes(color: Any) -> tuple[int, int, int]:
    """Return a colour of 0...1 in viser's form."""
    red, green, blue = np.rint(255.0 * np.clip(color, 0.0, 1.0)).astype(int)
    return int(red), int(green), int(blue)
