"""The cables as tubes on the page.

All cables of a scene are instances of one unit tube. A frame sends start, direction, length and
colour of each piece (43 bytes a piece), never a mesh. A line of constant width in pixels runs along
the tube's middle. Near by the tube hides it. From afar it fills the gaps between the tube's pixels
(Garcia-Fernandez, Pla-Castells & Martinez-Dura 2008, section 4.3). A dark line that is wider lies
behind it as an outline, so that a rope stands out before steel of any colour.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import Array, Extent
from cable_sim.rendering.ropes import SceneRopes
from cable_sim.spec import Scene
from cable_sim.viewer.drawing.glb import linear

PIXELS = 2.5
"""Width of the line in a tube [pixels]: a rope of 16 mm is below one from 20 m on."""
OUTLINE = 2.0
"""By how much an outline is wider than the line [pixels]: a dark edge of one on either side."""
DARK = (22, 24, 30)
"""Colour of outlines."""
BEHIND = 2e-4
"""Distance of an outline behind its rope, over that from the eye [-].

Depths of two lines in one place differ by rounding, of some 1e-6. Between this and a rope's radius
nothing else is drawn.
"""
TURNED = 0.2
"""Motion of an eye, over its distance, after which outlines are placed anew for it [-].

Until then they are off by 4e-5 of the distance, which is less than a twentieth of a pixel.
"""
STILL = 5e-4
"""Largest motion [m] of a piece that is not sent again."""


class Ropes:
    """All cables of a scene in a viser scene.

    Parameters
    ----------
    api: scene of a viser server.
    scene: whose cables.
    extent: of the whole scene.
    """

    def __init__(self, api: Any, scene: Scene, extent: Extent) -> None:
        self._api = api
        self._scale = extent.scale
        self._ropes = SceneRopes(scene)
        self._tubes: Any = None
        self._line: Any = None
        self._sent = np.zeros((0, 2, 3))

    @property
    def lines(self) -> Array:
        """Ends (n, 2, 3) of the pieces that are drawn, in units of the page."""
        return self._scale * self._sent

    def update(self, frame: Frame) -> bool:
        """Draw the cables of the frame; return True if anything was sent."""
        lines, radii, colors = self._ropes.pieces(frame)
        if not len(lines) and not len(self._sent):
            return False
        return self._send(lines, radii, to_linear_light(colors))

    def _send(self, lines: Array, radii: Array, colors: NDArray[np.uint8]) -> bool:
        """Send pieces (n, 2, 3) that moved or changed colour; a new number is a new node."""
        if self._tubes is None or len(lines) != len(self._sent):
            self._add(lines, radii, colors)
            return True
        moved = np.abs(lines - self._sent).max() > STILL
        if moved:
            positions, turns, scales = instances(self._scale * lines, self._scale * radii)
            self._tubes.batched_positions = positions
            self._tubes.batched_wxyzs = turns
            self._tubes.batched_scales = scales
            self._line.points = (self._scale * lines).astype(np.float32)
            self._sent = lines
        self._tubes.batched_colors = colors  # viser compares and drops what is the same
        self._line.colors = _end_colors(colors)
        return bool(moved)

    def _add(self, lines: Array, radii: Array, colors: NDArray[np.uint8]) -> None:
        """Make tubes and line, in place of older ones."""
        positions, turns, scales = instances(self._scale * lines, self._scale * radii)
        vertices, faces = meshes.bars([[0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]], 1.0, sides=8)
        self._tubes = self._api.add_batched_meshes_simple(
            "/ropes",
            vertices,
            faces,
            batched_wxyzs=turns,
            batched_positions=positions,
            batched_scales=scales,
            batched_colors=colors,
            lod="off",
            side="double",
        )
        self._line = self._api.add_line_segments(
            "/rope_lines",
            points=(self._scale * lines).astype(np.float32),
            colors=_end_colors(colors),
            thickness=PIXELS,
            thickness_units="screen",
        )
        self._sent = lines


class Outlines:
    """Dark edges of the cables on each page, a little farther from its eye than the cables.

    From that eye they lie exactly behind the cables, and stay there while it moves a little. So
    each page has its own.

    Parameters
    ----------
    server: of viser.
    ropes: cables that are drawn.
    """

    def __init__(self, server: Any, ropes: Ropes) -> None:
        self._server = server
        self._ropes = ropes
        self._pages: dict[int, _Outline] = {}

    def update(self, _: Frame) -> bool:
        """Follow the cables, and eyes that went far; return True if anything was sent."""
        clients = self._server.get_clients()
        pages = self._pages
        self._pages = {n: pages.get(n) or _Outline(client) for n, client in clients.items()}
        return any([page.update(self._ropes.lines) for page in self._pages.values()])


class _Outline:
    """Outline of all cables on the page of one client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._drawn: Any = None
        self._lines = np.zeros((0, 2, 3))
        self._eye = np.zeros(3)

    def update(self, lines: Array) -> bool:
        """Lie behind pieces (n, 2, 3) of the page's units; return True if anything was sent."""
        eye = np.asarray(self._client.camera.position, dtype=float)
        if not self._is_off(lines, eye):
            return False
        points = (lines + BEHIND * (lines - eye)).astype(np.float32)
        if self._drawn is None or len(lines) != len(self._lines):
            self._drawn = self._client.scene.add_line_segments(
                "/rope_outlines",
                points=points,
                colors=DARK,
                thickness=PIXELS + OUTLINE,
                thickness_units="screen",
            )
        else:
            self._drawn.points = points
        self._lines, self._eye = lines, eye
        return True

    def _is_off(self, lines: Array, eye: Array) -> bool:
        """Return True if the outline of those pieces is elsewhere for an eye."""
        if len(lines) != len(self._lines) or (lines != self._lines).any():
            return True
        away = np.linalg.norm(lines[:, 0] - eye, axis=1)
        return bool(np.linalg.norm(eye - self._eye) > TURNED * away.min(initial=np.inf))


def to_linear_light(colors: Array) -> NDArray[np.uint8]:
    """Convert colours (n, 3) in 0...1 for batches: linear light in 0...255, not sRGB."""
    return np.rint(255.0 * linear(colors)).astype(np.uint8)


def _end_colors(colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the colours of pieces (n, 3) for both ends of each (n, 2, 3)."""
    return np.repeat(colors[:, None], 2, axis=1)


def instances(
    lines: Array, radii: Array
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Return unit tubes along z as pieces: positions (n, 3), orientations (n, 4), scales (n, 3)."""
    along = lines[:, 1] - lines[:, 0]
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-6)
    turns = meshes.quaternions_from_z(along)
    scales = np.column_stack([radii, radii, length])
    return lines[:, 0].astype(np.float32), turns.astype(np.float32), scales.astype(np.float32)
