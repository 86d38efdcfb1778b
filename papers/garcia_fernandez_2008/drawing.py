"""Figure 7: a rope seen along the boom from the cabin, a few pixels wide at one end and a fraction
of one at the other."""

import itertools
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cable_sim import Anchor, Cable, Scene
from cable_sim.machine.bare import still_of
from cable_sim.rendering import meshes, raster
from cable_sim.rendering.camera import Camera
from cable_sim.rendering.renderer import ROPE_PIXELS, Renderer, extent_of
from validation.harness import Finding, Picture, Progress, Quantity, Result, at_least, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
WIDTH, HEIGHT = 480, 640
"""Of the picture [pixels]."""
EYES = (0.0, 0.0, 0.0)
NEAR, FAR = (1.0, 0.3, -0.6), (60.0, 0.3, -0.6)
"""Eyes of the driver, and ends of the rope [m]."""
DIAMETER = 0.01
"""Of the rope [m]."""
NO_GROUND = -1e3
"""Height of the ground [m], so low that the rope's shadow is not in the picture."""
BAND = 26
"""Rows over which a width is averaged: pixels are whole, widths are not."""
LINE = 2.5
"""Width of a line that is drawn alone [pixels]."""
BROAD = 4.0
"""Width from which on the rope is near [pixels]."""
SIDES = 8
"""Of the cylinder."""


def boom(diameter: float = DIAMETER) -> Scene:
    """A rope of that diameter [m] along the boom."""
    nodes = (Anchor("world", NEAR), Anchor("world", FAR))
    return Scene(
        name="boom", cables=(Cable("rope", nodes, ea=1e7, pretension=1e4, diameter=diameter),)
    )


def view() -> Camera:
    """What the driver sees."""
    target = np.array([1.0, 0.0, -0.15])
    return Camera(np.array(EYES), np.array(EYES) + target, WIDTH, HEIGHT)


def drawn(diameter: float = DIAMETER) -> NDArray[np.bool_]:
    """Pixels (height, width) that show the rope in a picture of the package without smoothing."""
    rope, nothing = still_of(boom(diameter)), still_of(Scene(name="nothing"))
    extent = extent_of(rope.crane, [rope.frame(rope.observe())])._replace(ground=NO_GROUND)
    pictures = []
    for machine in (rope, nothing):
        renderer = Renderer(machine.crane, extent, WIDTH, HEIGHT, samples=1)
        renderer.look(view())
        pictures.append(renderer.draw(machine.frame(machine.observe())))
    return np.asarray((pictures[0] != pictures[1]).any(axis=2))


def cylinders() -> NDArray[np.bool_]:
    """Pixels whose middles a cylinder covers, without anti-aliasing."""
    vertices, faces = meshes.bars([NEAR], [FAR], 0.5 * DIAMETER, sides=SIDES)
    return raster.covered_pixels(view().project(vertices)[faces], WIDTH, HEIGHT)


def line(width: float) -> NDArray[np.bool_]:
    """Pixels whose middles a line of the same width [pixels] all along covers."""
    (ends,) = view().project(np.array([[NEAR, FAR]]))
    along = ends[1, :2] - ends[0, :2]
    across = np.array([-along[1], along[0], 0.0]) * 0.5 * width / np.linalg.norm(along)
    a, b, c, d = ends[0] - across, ends[1] - across, ends[1] + across, ends[0] + across
    return raster.covered_pixels(np.array([[a, b, c], [a, c, d]]), WIDTH, HEIGHT)


def rows() -> NDArray[np.int64]:
    """Rows of the picture that the rope crosses from side to side, in whole bands."""
    first, last = np.sort(view().project(np.array([NEAR, FAR]))[:, 1])
    begin, end = int(np.ceil(first)) + 1, min(int(last), HEIGHT) - 1
    return np.arange(begin, begin + (end - begin) // BAND * BAND)


def width_in(rows: NDArray[np.int64]) -> Array:
    """Width of the rope across itself in rows of the picture [pixels]: f d over its distance."""
    near, far = view().project(np.array([NEAR, FAR]))
    along = (rows + 0.5 - near[1]) / (far[1] - near[1])
    nearness = near[2] + along * (far[2] - near[2])
    return np.asarray(view().focal_length * DIAMETER * nearness, dtype=float)


def true_width() -> Array:
    """The same on average in each band of :func:`rows` [pixels]."""
    return np.asarray(width_in(rows()).reshape(-1, BAND).mean(axis=1), dtype=float)


def width(covered: NDArray[np.bool_]) -> Array:
    """The same in a picture [pixels]."""
    near, far = view().project(np.array([NEAR, FAR]))[:, :2]
    steep = abs(far[1] - near[1]) / np.linalg.norm(far - near)
    counts = covered[rows()].sum(axis=1).reshape(-1, BAND)
    return np.asarray(counts.mean(axis=1) * steep, dtype=float)


def gaps(covered: NDArray[np.bool_]) -> float:
    """Share of the rows without a pixel of the rope, where it is thinner than one [-]."""
    thin = width_in(rows()) < 1.0
    return float(np.mean(~covered[rows()[thin]].any(axis=1)))


@cache
def pictures() -> dict[str, NDArray[np.bool_]]:
    """Pixels of the rope by the way to draw it."""
    return {"line alone": line(LINE), "cylinder alone": cylinders(), "as drawn here": drawn()}


def figure_7(progress: Progress) -> Result:
    """A rope of 10 mm along a boom of 60 m, seen from the cabin: eight pixels wide at one end and a
    sixth of one at the other. A line has one width all along. A cylinder is as wide as it should
    be, but where it is thinner than a pixel it is dashed without anti-aliasing. The paper draws
    both, one in the other; so do the page and RViz. Pictures and films draw the rope as a band that
    is never narrower than 1.7 pixels, which is the same.

    Counted are rows of the picture that have no pixel of the rope, and pixels across it, all
    without anti-aliasing.
    """
    seen = pictures()
    progress(1.0)
    true, ours = true_width(), width(seen["as drawn here"])
    near = true > BROAD
    least = np.maximum(true, ROPE_PIXELS)
    found: list[Finding] = [
        at_least("far rows that a cylinder alone leaves out", 0.2, gaps(seen["cylinder alone"])),
        at_most(
            "width of a line alone over the true one, near by",
            0.6,
            float(np.mean(width(seen["line alone"])[near] / true[near])),
        ),
        at_most("far rows without rope", 0.0, gaps(seen["as drawn here"])),
        Quantity(
            "width of the rope near by",
            None,
            float(true[near].mean()),
            float(ours[near].mean()),
            0.03,
            "pixels",
            "focal length times diameter over distance",
        ),
        at_most(
            "width off the larger of the true one and 1.7 pixels",
            0.5,
            float(np.abs(ours - least).max()),
            "pixels",
        ),
    ]
    caption = (
        "Figure 7. A line of one width, a cylinder alone, and the rope as pictures of the package "
        "show it: above its far end, below nearer by."
    )
    return Result(found, [Picture("figure_7", caption, draw)])


def draw() -> "Figure":
    """The three pictures."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 6.0))
    far, near = rows()[0] - 4, rows()[-1] - 76
    for axes, (start, name) in zip(
        figure.subplots(2, 3).flat, itertools.product((far, near), pictures()), strict=True
    ):
        part = pictures()[name][start : start + 80]
        columns = np.flatnonzero(part.any(axis=0))
        shown = part[:, columns[0] - 2 : columns[-1] + 3]
        axes.imshow(shown, cmap="gray_r", interpolation="nearest")
        axes.set_title(name, fontsize=9)
        axes.set_axis_off()
    return figure
