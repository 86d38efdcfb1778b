"""Two parts of one solid, side by side: nothing rests on their inner faces, and nothing slips
between them."""

import numpy as np
import pytest

from cable_sim.kernels.cables.contact.polyhedron import (
    INSIDE,
    clip_segment,
    depth,
    exit_point,
    is_beside_face,
    is_path_free,
    outward_normal,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records import Touches, record_of
from cable_sim.model.cables.obstacles import _pack_edges, _pack_faces
from cable_sim.model.shapes import parts
from cable_sim.model.shapes.heightfields import grow_heightfield
from cable_sim.spec import Heightfield

RADIUS = 0.01


class Slab:
    """In place of a mesh: a slab of 4 m x 2 m x 1 m in two parts that meet at x = 0."""

    concavity = 0.1
    file = ""
    corners = triangles = staticmethod(lambda: None)


@pytest.fixture(scope="module")
def slab() -> Touches:
    with pytest.MonkeyPatch.context() as patch:
        corners = np.array([(x, y, z) for x in (0, 2) for y in (-1, 1) for z in (-1, 0)], float)
        patch.setattr(parts, "convex_parts", lambda *_: [corners, corners - (2.0, 0.0, 0.0)])
        made = parts._grow_parts(Slab(), RADIUS, 0)
    arrays = {
        name.removeprefix("touches."): array
        for name, array in (_pack_faces(made) | _pack_edges(made)).items()
    }
    none = np.zeros(2, dtype=np.int64)
    whole = np.array([[0, 2], [0, 2]])
    more = {"body": none, "row_entry": none, "friction": np.zeros(2), "whole": whole}
    return record_of(Touches, **arrays, **more)


@kernel
def keeps_out(solids, t, e, start, end):
    return is_beside_face(solids, t, e, start, end)


def test_depth_is_that_below_the_outer_faces(slab: Touches) -> None:
    """A point next to the seam is as deep as it is below the top, and gets out there."""
    for t, x in ((0, 0.001), (1, -0.001)):
        deep, face = depth(slab, t, (x, 0.0, -0.2))
        assert deep == pytest.approx(0.2 + RADIUS)
        assert slab.face_normal[face] == pytest.approx((0.0, 0.0, 1.0))
        _, face = exit_point(slab, t, (x, 0.0, -0.2), (-500.0 * x, 0.0, 0.2))
        assert not slab.face_inner[face]
        assert depth(slab, t, (-0.1 if t == 0 else 0.1, 0.0, -0.2))[0] == pytest.approx(
            -0.1, abs=1e-4
        )
    assert slab.face_inner.sum() == 2
    on_seam = outward_normal(slab, 0, (0.0, 0.0, RADIUS))
    assert on_seam == pytest.approx((0.0, 0.0, 1.0))


def test_a_line_in_the_seam_is_in_a_part(slab: Touches) -> None:
    """No matter how exactly it runs in the plane between them."""
    for x in (0.0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-5):
        start, end = (x, -3.0, -0.3), (x, 3.0, -0.3)
        inside = [clip_segment(slab, t, start, end)[2] for t in (0, 1)]
        kept = [keeps_out(slab, t, -1, start, end) for t in (0, 1)]
        assert max(inside) > INSIDE and not all(kept)
        assert any(deep > INSIDE and not beside for deep, beside in zip(inside, kept, strict=True))


def test_no_path_goes_through_the_other_part(slab: Touches) -> None:
    """Over the seam's end, clear of one part, it is not free; over the top it is."""
    below = (-1.0, 0.0, -0.3)
    above = (1.0, 0.0, 1.0)
    seam = (0.0, 0.0, RADIUS)
    assert clip_segment(slab, 0, below, seam)[2] <= INSIDE
    assert not is_path_free(slab, 0, below, seam, above)
    assert is_path_free(slab, 0, (-3.0, 0.0, 0.5), seam, above)


def test_no_edge_is_left_where_the_surface_goes_up() -> None:
    """The floor of a valley is none, a ridge is one of both of its sides, and so is a flat seam."""
    for middle, count in ((-1.0, 0), (1.0, 2)):
        field = Heightfield(4.0, 4.0, [[0.0, middle, 0.0]] * 2)
        edges = [edge for part in grow_heightfield(field, RADIUS, 0) for edge in part.edges]
        along = [a for a, b in edges if max(abs(a[0]), abs(b[0])) < 1e-3]
        assert len(along) == count
