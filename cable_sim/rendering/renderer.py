"""Pictures of frames in pixels: bodies in sun and skylight, ropes coloured by tension, and shadow.

Everything is triangles (``raster.py``). Bars and ropes are ribbons that face the camera. They have
a least width in pixels, because a thinner line would be dashed. A picture is drawn larger and
averaged.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.machine.pictures.extents import half_height
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import bodies, meshes, raster
from cable_sim.rendering.bodies import NO_BARS, Array, Bars, Extent
from cable_sim.rendering.camera import Camera, overview_camera, overview_direction
from cable_sim.rendering.clipping import clip_bars, clip_triangles, split_bars
from cable_sim.rendering.contact_arrows import ContactArrows, arrow_mesh
from cable_sim.rendering.ground import SUN, visible_ground
from cable_sim.rendering.meshes import Mesh
from cable_sim.rendering.rings import radius_rings
from cable_sim.rendering.ropes import SceneRopes
from cable_sim.rendering.wire_nodes import ball_radii, balls_of
from cable_sim.spec import Visual

SAMPLES = 2
"""Usual number of samples per pixel in either direction."""
ROPE_PIXELS = 1.7
BAR_PIXELS = 1.0
"""Least width of ropes and bars [pixels]."""
CLIPPED = 2.0
"""Depth at which is cut off what reaches behind the camera, over the least visible one [-]."""
SHADE = 0.80
"""Light on the ground in shadow over that in the sun [-]."""
AMBIENT = 0.36
SKY = 0.26
SUNLIGHT = 0.50
"""Light from everywhere, from above, and from the sun."""
PLUMB = 0.8
PLUMB_COLOR = (0.45, 0.48, 0.54)
DASHES = 24
"""Width [pixels], colour, and number of dashes of the line below a load."""


class Triangles(NamedTuple):
    """Corners (n, 3, 3), and colours with opacity (n, 4) in 0...1."""

    corners: Array
    colors: Array


def extent_of(crane: Crane, frames: Iterable[Frame]) -> Extent:
    """Return the extent of bodies and cables in all of several frames."""
    scene = crane.scene
    drawn = bodies.body_meshes(crane.scene)
    world = bodies.take_world(scene, drawn)
    points = [bodies.NONE]
    for frame in frames:
        points.append(bodies.corners(scene, drawn, frame.poses))
        points += [picture.points for picture in frame.cables.values()]
    found = np.concatenate(points)
    return bodies.extent_around(scene, found[np.isfinite(found).all(axis=1)], world)


class Renderer:
    """Renderer of a crane's frames, from the same place until :meth:`look` chooses another.

    Parameters
    ----------
    crane: the drawn crane; its names identify the frames' bodies and cables.
    extent: the region to show, such as :func:`extent_of` all frames.
    width, height: size of the picture [pixels].
    along: direction of the view; left out, that of the page's first view.
    samples: samples per pixel in either direction; with 1, edges are jagged.
    arrows: of contact forces; None draws none.
    """

    def __init__(
        self,
        crane: Crane,
        extent: Extent,
        width: int,
        height: int,
        along: tuple[float, float, float] | None = None,
        samples: int = SAMPLES,
        arrows: ContactArrows | None = None,
    ) -> None:
        self.crane = crane
        self.scene = crane.scene
        self.extent = extent
        self._samples = samples
        self._arrows = arrows
        self.look(overview_camera(extent, width, height, along or overview_direction(crane)))
        self._solids = bodies.body_meshes(self.scene, lattices=False)
        self._lattices = bodies.lattice_bars(self.scene)
        self._ropes = SceneRopes(self.scene)
        self._others: tuple[tuple[Visual, ...], dict[str, Mesh]] = (), {}
        self._balls = ball_radii(self.scene, extent)
        self._ball = meshes.sphere(1.0, sides=12)

    def look(self, camera: Camera) -> None:
        """Draw from another place, in pictures of that camera's size."""
        self.camera: Camera = camera.enlarged(self._samples)
        rings = radius_rings(self.scene)
        self._ground = visible_ground(self.camera, self.scene, self.extent, rings)

    def draw(self, frame: Frame) -> NDArray[np.uint8]:
        """Return the picture (height, width, 3) of a frame: red, green, blue."""
        solid = self._solid(frame)
        bars = self._bars(frame)
        ropes = self._ropes.pieces(frame)
        shadow = self._shadow(solid, [bars, ropes])
        lines = (
            self._ribbons(bars, BAR_PIXELS, _bar_colors(bars)),
            self._ribbons(ropes, ROPE_PIXELS, ropes.colors),
            *(self._ribbons(line, PLUMB, line.colors) for line in self._plumb_lines(frame)),
        )
        corners, whose = self._seen(solid.vertices[solid.faces])
        facing = _faces_camera(corners)
        drawn = [Triangles(corners[facing], _mesh_colors(solid)[whose[facing]]), *lines]
        return self._develop(self._compose(_join(drawn), shadow))

    def _solid(self, frame: Frame) -> Mesh:
        """Return all bodies and the nodes of wires as one mesh in the world."""
        parts = []
        if frame.visuals is not self._others[0]:
            self._others = frame.visuals, bodies.visual_meshes(frame.visuals)
        for name, mesh in (*self._solids.items(), *self._others[1].items()):
            position, orientation = bodies.pose_of(self.scene, name, frame.poses)
            if np.isfinite(position).all() and np.isfinite(orientation).all():
                turned = mesh.vertices @ meshes.rotation_matrix(orientation).T + position
                parts.append(mesh._replace(vertices=turned))
        for ball in balls_of(self._balls, frame):
            vertices, faces = self._ball
            parts.append(meshes.place_mesh((ball[3] * vertices, faces), ball[4:], ball[:3]))
        if self._arrows:
            parts.append(arrow_mesh(self._arrows.of(frame)))
        return meshes.merge(parts)

    def _bars(self, frame: Frame) -> Bars:
        """Return the bars of all lattices in the world."""
        parts = [NO_BARS]
        for name, bars in self._lattices.items():
            position, orientation = bodies.pose_of(self.scene, name, frame.poses)
            parts.append(
                bars._replace(ends=bars.ends @ meshes.rotation_matrix(orientation).T + position)
            )
        return Bars(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _plumb_lines(self, frame: Frame) -> Iterable[Bars]:
        """Yield a dashed line from below each load to the ground."""
        for hung in self.crane.suspensions:
            if hung.load in frame.poses:
                body = next(body for body in self.scene.bodies if body.name == hung.load)
                top = np.asarray(frame.poses[hung.load][0], dtype=float) - (
                    0.0,
                    0.0,
                    half_height(body),
                )
                if np.isfinite(top).all():
                    yield dashes(top, self.extent.ground, self.extent.radius)

    def _seen(self, corners: Array) -> tuple[Array, NDArray[np.int64]]:
        """Return the triangles before the camera (n, 3, 3) [pixels, 1/m], and what each is of."""
        near = CLIPPED * self.camera.near
        clipped, whose = clip_triangles(corners, self.camera.depth(corners), near)
        return self.camera.project(clipped), whose

    def _ribbons(self, bars: Bars, least: float, colors: Array) -> Triangles:
        """Return bars as ribbons across the view, as wide as the bars and at least ``least``.

        A ribbon's edges are straight, so one that is too thin from some depth on is split there.
        """
        near = CLIPPED * self.camera.near
        clipped, whose = clip_bars(bars.ends, self.camera.depth(bars.ends), near)
        thin = self.camera.focal_length * bars.radii[whose] / (0.5 * self._samples * least)
        clipped, parts = split_bars(clipped, self.camera.depth(clipped), thin)
        whose = whose[parts]
        ends = self.camera.project(clipped)
        along = ends[:, 1, :2] - ends[:, 0, :2]
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
        half = np.maximum(
            self.camera.focal_length * bars.radii[whose, None] * ends[:, :, 2],
            0.5 * self._samples * least,
        )
        offset = np.zeros((len(ends), 2, 3))
        offset[:, :, :2] = half[:, :, None] * across[:, None]
        a, b = np.moveaxis(ends - offset, 1, 0)
        c, d = np.moveaxis(ends + offset, 1, 0)
        quads = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
        return Triangles(
            quads, np.column_stack([np.tile(colors[whose], (2, 1)), np.ones(len(quads))])
        )

    def _shadow(self, solid: Mesh, lines: list[Bars]) -> NDArray[np.bool_]:
        """Return the pixels in shadow, as if they showed the ground.

        The scene is projected along the sun's rays to the ground.
        """
        corners = self._seen(self._shadow_points(solid.vertices)[solid.faces])[0]
        # a ray through a closed body enters as often as it leaves: one side's shadow is the whole
        parts = [corners[_faces_camera(corners)]]
        for bars in lines:
            parts.append(
                self._ribbons(
                    bars._replace(ends=self._shadow_points(bars.ends)), BAR_PIXELS, bars.colors
                ).corners
            )
        return raster.covered_pixels(np.concatenate(parts), self.camera.width, self.camera.height)

    def _shadow_points(self, points: Array) -> Array:
        """Return the shadows of points (..., 3) on the ground; points below the ground stay."""
        above = np.maximum(points[..., 2:] - self.extent.ground, 0.0)
        return points - above / SUN[2] * SUN

    def _compose(self, drawn: Triangles, shadow: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the colours (h, w, 3) of all samples: ground, solid, then transparent parts."""
        shaded = shadow & (self._ground.inverse > 0.0)
        colors = (
            self._ground.colors * np.where(shaded, np.float32(SHADE), np.float32(1.0))[..., None]
        )
        flat = colors.reshape(-1, 3)
        behind = self._ground.inverse.ravel().copy()
        solid = drawn.colors[:, 3] >= 1.0
        for layer in (solid, ~solid):
            corners = drawn.corners[layer]
            shades = drawn.colors[layer].astype(np.float32)
            if len(corners):
                found = raster.visible_triangles(corners, self.camera.width, self.camera.height)
                before = (found.owner >= 0) & (found.inverse >= behind)
                pixels = np.flatnonzero(before)
                paint = np.take(shades, found.owner[pixels], axis=0)
                if layer is not solid:
                    under = flat[pixels]
                    paint[:, :3] = under + paint[:, 3:] * (paint[:, :3] - under)
                for i in range(3):  # channels one by one are twice as fast as rows
                    flat[pixels, i] = paint[:, i]
                np.copyto(behind, found.inverse, where=before, casting="same_kind")
        return colors

    def _develop(self, colors: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return samples averaged to pixels, as bytes."""
        n = self._samples
        samples = [colors[i::n, j::n] for i in range(n) for j in range(n)]
        averaged = np.float32(1.0 / n**2) * sum(samples)
        return np.rint(255.0 * np.clip(averaged, 0.0, 1.0)).astype(np.uint8)


def dashes(top: Array, ground: float, size: float) -> Bars:
    """Return dashes from a point straight down to the ground, and a ring there.

    The dashes have one length in a scene of radius ``size`` [m].
    """
    length = max(float(top[2]) - ground, 0.0)
    pitch = size / DASHES
    heights = top[2] - pitch * np.arange(int(length / pitch) + 1)
    ends = np.tile(top, (len(heights), 2, 1))
    ends[:, 0, 2] = heights
    ends[:, 1, 2] = np.maximum(heights - 0.5 * pitch, ground)
    angle = np.linspace(0.0, 2.0 * np.pi, 33)
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(33)]) * 0.02 * size + (
        top[0],
        top[1],
        ground,
    )
    lines = np.concatenate([ends, np.stack([ring[:-1], ring[1:]], axis=1)])
    return Bars(lines, np.zeros(len(lines)), np.tile(PLUMB_COLOR, (len(lines), 1)))


def _faces_camera(corners: Array) -> NDArray[np.bool_]:
    """Return which triangles (n, 3, 3) [pixels, 1/m] show their outer side.

    Bodies are closed, so the others are hidden, except from a camera inside: it looks out.
    """
    one = corners[:, 1, :2] - corners[:, 0, :2]
    two = corners[:, 2, :2] - corners[:, 0, :2]
    outside: NDArray[np.bool_] = one[:, 0] * two[:, 1] < one[:, 1] * two[:, 0]
    return outside


def _mesh_colors(mesh: Mesh) -> Array:
    """Return the colours (n, 4) of a mesh's triangles in the light of sun and sky."""
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    colors = mesh.colors[mesh.faces[:, 0]].copy()
    sun = np.clip(normal @ SUN / np.linalg.norm(SUN), 0.0, None)
    light = AMBIENT + SKY * (0.5 + 0.5 * normal[:, 2]) + SUNLIGHT * sun
    colors[:, :3] = np.clip(colors[:, :3] * light[:, None], 0.0, 1.0)
    return colors


def _bar_colors(bars: Bars) -> Array:
    """Return the colours (n, 3) of round bars, as of the side that faces the sun most."""
    along = bars.ends[:, 1] - bars.ends[:, 0]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    sun = np.sqrt(np.clip(1.0 - (along @ SUN / np.linalg.norm(SUN)) ** 2, 0.0, 1.0))
    light = AMBIENT + 0.5 * SKY + 0.7 * SUNLIGHT * sun
    return np.clip(bars.colors * light[:, None], 0.0, 1.0)


def _join(parts: Iterable[Triangles]) -> Triangles:
    """Return all triangles together."""
    corners, colors = zip(*parts, strict=True)
    return Triangles(np.concatenate(corners), np.concatenate(colors))
