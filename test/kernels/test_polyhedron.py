"""Convex solids as cables meet them: against sampling, minimisation and exact numbers, on random
hulls."""

from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import linprog, minimize, minimize_scalar
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from cable_sim.kernels.cables.contact import swept_edges
from cable_sim.kernels.cables.contact.polyhedron import (
    BARRED,
    INSIDE,
    bearing_normal,
    clip_segment,
    depth,
    detour,
    edge_detour,
    exit_point,
    face_line,
    find_contact_edge,
    is_beside_face,
    is_out_of_reach,
    is_supported,
    outward_normal,
    pulls_into,
    shortest_coordinate,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records import Touches, record_of
from cable_sim.model.cables.obstacles import FACET_ERROR, corners, faces_at, solid
from cable_sim.model.shapes.hulls import edges, grow
from cable_sim.spec import Box, Cylinder, Obstacle, Polyhedron

SEEDS = range(6)
NO_SIDE = (0.0, 0.0, 0.0)


class Hull(NamedTuple):
    """A solid in the arrays of the kernel, and what they were made of."""

    solids: Touches
    points: np.ndarray
    faces: np.ndarray
    edges: list


def hull(points: np.ndarray, distance: float = 0.0) -> Hull:
    faces, points = grow(points, distance)
    lines = [edge for edge, _ in edges(faces, points)]
    start, end = (np.array([line[i] for line in lines]) for i in range(2))
    length = np.linalg.norm(end - start, axis=1)
    centre = points.mean(axis=0)
    at_edges = [faces_at(line, faces) for line in lines]
    solids = record_of(
        Touches,
        body=np.zeros(1, np.int64),
        row_entry=np.zeros(1, np.int64),
        centre=centre[None],
        radius=np.array([np.linalg.norm(points - centre, axis=1).max()]),
        face_start=np.array([0, len(faces)]),
        face_normal=np.ascontiguousarray(faces[:, :3]),
        face_offset=np.ascontiguousarray(faces[:, 3]),
        face_inner=np.zeros(len(faces), dtype=bool),
        whole=np.array([[0, 1]]),
        edge_start=np.array([0, len(lines)]),
        edge_point=start,
        edge_direction=(end - start) / length[:, None],
        edge_length=length,
        edge_face_start=np.cumsum([0, *map(len, at_edges)]),
        edge_face=np.concatenate(at_edges),
        friction=np.zeros(1),
    )
    return Hull(solids, points, faces, lines)


def edge_normal(solid: Hull, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Unit vector along the sum of the normals of the faces at the middle of an edge."""
    normal = np.array(outward_normal(solid.solids, 0, tuple(0.5 * (start + end))))
    return normal / np.linalg.norm(normal)


def random_hull(seed: int, count: int = 12) -> tuple[Hull, np.random.Generator]:
    """A hull of points near a sphere, away from the origin."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(count, 3))
    points *= (random.uniform(0.8, 1.0, count) / np.linalg.norm(points, axis=1))[:, None]
    return hull(points * (1.0, 0.7, 1.3) + (3.0, -2.0, 1.0)), random


def inside(solid: Hull, points: np.ndarray) -> np.ndarray:
    """Which points are weighted means of the corners: by linear programming, without any face."""
    matrix = np.vstack([solid.points.T, np.ones(len(solid.points))])
    return np.array(
        [
            linprog(np.zeros(len(solid.points)), A_eq=matrix, b_eq=np.append(point, 1.0)).status
            == 0
            for point in points
        ]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_depth_is_positive_inside_and_to_the_nearest_face(seed: int) -> None:
    solid, random = random_hull(seed)
    points = random.uniform(solid.points.min(axis=0) - 0.1, solid.points.max(axis=0) + 0.1, (60, 3))
    found = np.array([depth(solid.solids, 0, tuple(point)) for point in points])
    np.testing.assert_array_equal(found[:, 0] > 0.0, inside(solid, points))
    triangles = ConvexHull(solid.points)
    room = (-triangles.equations[:, 3] - points @ triangles.equations[:, :3].T).min(axis=1)
    np.testing.assert_allclose(found[:, 0], room, atol=1e-12)
    for point, (deep, face) in zip(points, found, strict=True):
        on_face = point + deep * solid.faces[int(face), :3]
        assert on_face @ solid.faces[int(face), :3] == pytest.approx(
            solid.faces[int(face), 3], abs=1e-12
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_cut_is_the_part_of_a_segment_whose_points_are_inside(seed: int) -> None:
    """Ends within a sample of 20000; the depth is that in the middle, and at least half of the
    largest on the way."""
    solid, random = random_hull(seed)
    met = 0
    for _ in range(60):
        a, b = solid.points.mean(axis=0) + random.uniform(-2.0, 2.0, (2, 3))
        x = np.linspace(0.0, 1.0, 20001)
        room = (solid.faces[:, 3] - (a + x[:, None] * (b - a)) @ solid.faces[:, :3].T).min(axis=1)
        enters, leaves, deep = clip_segment(solid.solids, 0, tuple(a), tuple(b))
        if not (room > 0.0).any():
            assert leaves - enters < 1e-4 and deep < 1e-4
            continue
        met += 1
        assert enters == pytest.approx(x[room > 0.0][0], abs=6e-5)
        assert leaves == pytest.approx(x[room > 0.0][-1], abs=6e-5)
        middle, _ = depth(solid.solids, 0, tuple(a + 0.5 * (enters + leaves) * (b - a)))
        assert deep == pytest.approx(middle, abs=1e-12)
        if enters > 0.0 and leaves < 1.0:
            assert 0.5 * room.max() - 1e-9 <= deep <= room.max() + 1e-9
    assert met > 5


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clear_line_misses_the_solid_and_a_far_line_is_clear(seed: int) -> None:
    solid, random = random_hull(seed)
    clear = 0
    for _ in range(40):
        a, b = solid.points.mean(axis=0) + random.uniform(-2.0, 2.0, (2, 3))
        reach = random.uniform(0.0, 0.3)
        weights = minimize(
            lambda v, a=a, b=b: np.sum((solid.points.T @ v[1:] - a - v[0] * (b - a)) ** 2),
            np.full(len(solid.points) + 1, 1 / 12),
            bounds=[(0.0, 1.0)] * (len(solid.points) + 1),
            constraints={"type": "eq", "fun": lambda v: v[1:].sum() - 1.0},
        )
        if is_out_of_reach(solid.solids, 0, tuple(a), tuple(b), reach):
            clear += 1
            assert weights.fun**0.5 > reach - 1e-4
    assert clear > 5
    centre = solid.points.mean(axis=0)
    assert is_out_of_reach(
        solid.solids, 0, tuple(centre + (9.0, 0.0, 0.0)), tuple(centre + (0.0, 9.0, 0.0)), 0.1
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_shortest_way_over_a_line_is_that_of_a_minimisation(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(20):
        point, a, b = random.normal(size=(3, 3))
        direction = random.normal(size=3)
        direction /= np.linalg.norm(direction)
        lower, upper = np.sort(random.uniform(-1.5, 1.5, 2))

        def way(z: float, point=point, a=a, b=b, direction=direction) -> float:
            p = point + z * direction
            return np.linalg.norm(p - a) + np.linalg.norm(b - p)

        z = shortest_coordinate(tuple(point), tuple(direction), lower, upper, tuple(a), tuple(b))
        free = minimize_scalar(
            way, bounds=(-5.0, 5.0), method="bounded", options={"xatol": 1e-10}
        ).x
        assert z == pytest.approx(np.clip(free, lower, upper), abs=1e-6)
        assert way(z) <= min(way(np.clip(free, lower, upper)), way(lower), way(upper)) + 1e-14


def test_between_points_on_the_line_any_point_is_shortest() -> None:
    assert (
        shortest_coordinate(
            (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), -5.0, 5.0, (0.0, 0.0, 1.0), (0.0, 0.0, 3.0)
        )
        == 2.0
    )
    assert (
        shortest_coordinate(
            (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), -5.0, 1.5, (0.0, 0.0, 1.0), (0.0, 0.0, 3.0)
        )
        == 1.5
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_over_edge_gives_the_nearest_point_and_its_detour(seed: int) -> None:
    solid, random = random_hull(seed)
    for e, (start, end) in enumerate(solid.edges):
        a, b = solid.points.mean(axis=0) + random.uniform(-2.0, 2.0, (2, 3))

        def way(x: float, start=start, end=end, a=a, b=b) -> float:
            p = start + x * (end - start)
            return np.linalg.norm(p - a) + np.linalg.norm(b - p)

        p, extra = edge_detour(solid.solids, e, tuple(a), tuple(b))
        least = minimize_scalar(way, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-11})
        assert extra == pytest.approx(
            min(least.fun, way(0.0), way(1.0)) - np.linalg.norm(b - a), abs=1e-9
        )
        x = np.dot(p - start, end - start) / np.dot(end - start, end - start)
        assert -1e-12 <= x <= 1.0 + 1e-12
        np.testing.assert_allclose(p, start + x * (end - start), atol=1e-12)


def exact_detour(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """The same numbers with 60 digits."""
    with localcontext() as context:
        context.prec = 60

        def distance(x: np.ndarray, y: np.ndarray) -> Decimal:
            return sum(
                (Decimal(float(u)) - Decimal(float(v))) ** 2 for u, v in zip(x, y, strict=True)
            ).sqrt()

        return float(distance(p, a) + distance(p, b) - distance(a, b))


@pytest.mark.parametrize("height", [1.0, 1e-3, 1e-6, 1e-9, 1e-12])
def test_a_tiny_detour_has_all_its_digits(height: float) -> None:
    """Near the axis, where points are exact: 1e-12 relative, also where the difference of lengths
    has no digit left.

    Far from it the detour of a point that is off the line by d is as well known as d: to d's own
    rounding.
    """
    random = np.random.default_rng(0)
    for _ in range(20):
        x, y, z = random.uniform(0.5, 20.0, 3)
        a = np.array([-x, 0.0, 0.0])
        b = np.array([y, 0.0, 0.0])
        p = height * np.array([z, 1.0, -0.7])
        assert detour(tuple(p), tuple(a), tuple(b)) == pytest.approx(
            exact_detour(p, a, b), rel=1e-12
        )
        turn = Rotation.random(random_state=random).as_matrix()
        a, b, p = (turn @ q + (30.0, -10.0, 5.0) for q in (a, b, p))
        assert detour(tuple(p), tuple(a), tuple(b)) == pytest.approx(
            exact_detour(p, a, b), rel=3e-14 / height + 1e-12
        )
    assert detour((1.0, 2.0, 3.0), (1.0, 2.0, 3.0), (5.0, 5.0, 5.0)) == 0.0


def pulled_over(solid: Hull, a: np.ndarray, b: np.ndarray) -> float:
    """Detour of the shortest way from a to b outside of a solid, by one of its edges: the best edge
    that leaves both parts outside."""
    least = np.inf
    for e in range(len(solid.edges)):
        p, extra = edge_detour(solid.solids, e, tuple(a), tuple(b))
        free = all(clip_segment(solid.solids, 0, tuple(q), tuple(p))[2] < 1e-9 for q in (a, b))
        if free:
            least = min(least, extra)
    return least


@pytest.mark.parametrize("seed", range(20))
def test_a_shallow_cut_goes_over_the_edge_of_the_taut_path(seed: int) -> None:
    """A line just under an edge: of all edges the one over which the way outside is shortest."""
    solid, random = random_hull(seed)
    tried = 0
    for e, (start, end) in enumerate(solid.edges):
        normal = edge_normal(solid, start, end)
        direction = (end - start) / np.linalg.norm(end - start)
        along = np.cross(direction, normal) + random.uniform(-0.8, 0.8) * direction
        middle = (
            start + random.uniform(0.35, 0.65) * (end - start) - random.uniform(2e-4, 2e-3) * normal
        )
        a, b = middle - random.uniform(1.5, 3.0) * along, middle + random.uniform(1.5, 3.0) * along
        if clip_segment(solid.solids, 0, tuple(a), tuple(b))[2] <= INSIDE:
            continue
        tried += 1
        found = find_contact_edge(solid.solids, 0, tuple(a), tuple(b), (1e-4, 1e-4), NO_SIDE)
        assert found == e
        p, extra = edge_detour(solid.solids, e, tuple(a), tuple(b))
        assert extra == pytest.approx(pulled_over(solid, a, b), rel=1e-9)
        assert pulls_into(tuple(normal), tuple(p), tuple(a), tuple(b))
    assert tried > 10


@pytest.mark.parametrize("seed", range(20))
def test_a_cut_goes_over_the_shortest_free_edge_on_a_given_side(seed: int) -> None:
    """Lines anywhere through a solid: of all edges to that side, with both parts outside, the one
    with the least detour; and no other side is taken as long as there is one."""
    solid, random = random_hull(seed)
    tried = 0
    for _ in range(60):
        middle = random.dirichlet(np.ones(len(solid.points))) @ solid.points
        along = random.normal(size=3)
        a = middle - 4.0 * along / np.linalg.norm(along)
        b = middle + 4.0 * along / np.linalg.norm(along)
        side = np.cross(along, random.normal(size=3))
        best, least = -1, np.inf
        for e in range(len(solid.edges)):
            p, extra = edge_detour(solid.solids, e, tuple(a), tuple(b))
            offset = np.array(p) - a
            offset -= offset @ along * along / (along @ along)
            free = all(
                clip_segment(solid.solids, 0, tuple(q), tuple(p))[2] <= INSIDE for q in (a, b)
            )
            if free and extra < least and offset @ side > 0.0:
                best, least = e, extra
        if best < 0:
            continue
        tried += 1
        found = find_contact_edge(
            solid.solids, 0, tuple(a), tuple(b), (1e-4, 1e-4), tuple(side / np.linalg.norm(side))
        )
        _, extra = edge_detour(solid.solids, found, tuple(a), tuple(b))
        assert extra == pytest.approx(least, rel=1e-9)
    assert tried > 5


def taut_detour(solid: Hull, a: np.ndarray, b: np.ndarray, across: np.ndarray) -> float:
    """Detour of the shorter taut way from a to b round the section of a solid in their plane along
    ``across``."""
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    across = np.cross(np.cross(along, across), along)
    across /= np.linalg.norm(across)
    heights = [
        (p, q, (p - a) @ np.cross(along, across), (q - a) @ np.cross(along, across))
        for p, q in solid.edges
    ]
    section = np.array([p + u / (u - v) * (q - p) for p, q, u, v in heights if u * v < 0.0]) - a
    ring = np.vstack([section @ np.column_stack([along, across]), (0.0, 0.0), (length, 0.0)])
    corner = list(ConvexHull(ring).vertices)
    start = corner.index(len(ring) - 2)
    corner = [*corner[start:], *corner[: start + 1]]
    end = corner.index(len(ring) - 1)
    ways = [
        np.linalg.norm(np.diff(ring[part], axis=0), axis=1).sum()
        for part in (corner[: end + 1], corner[end:])
    ]
    return float(min(ways)) - length


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 12))]
)
def test_a_line_near_a_rim_goes_over_no_edge_past_the_taut_path(seed: int) -> None:
    """Near a rim many edges pass the line at a hair's breadth without keeping it out: none of them
    tells the side."""
    random = np.random.default_rng(seed)
    count, radius, half = random.integers(8, 40), random.uniform(0.3, 0.6), random.uniform(0.3, 1.0)
    circle = radius * np.exp(2j * np.pi * np.arange(count) / count)
    solid = hull(np.array([(p.real, p.imag, z) for p in circle for z in (-half, half)]))
    tried = 0
    for _ in range(25):
        angle, (within, below), along = (
            random.uniform(0.0, 6.3),
            random.uniform(0.0, 0.1, 2),
            random.normal(size=3),
        )
        middle = np.array(
            [(radius - within) * np.cos(angle), (radius - within) * np.sin(angle), half - below]
        )
        along /= np.linalg.norm(along)
        a, b = middle - random.uniform(0.5, 3.0) * along, middle + random.uniform(0.5, 3.0) * along
        ends_in = max(depth(solid.solids, 0, tuple(q))[0] for q in (a, b)) > 0.0
        if ends_in or clip_segment(solid.solids, 0, tuple(a), tuple(b))[2] <= INSIDE:
            continue
        tried += 1
        found = find_contact_edge(solid.solids, 0, tuple(a), tuple(b), (1e-4, 1e-4), NO_SIDE)
        _, extra = edge_detour(solid.solids, found, tuple(a), tuple(b))
        assert extra < BARRED * min(
            taut_detour(solid, a, b, random.normal(size=3)) for _ in range(8)
        )
    assert tried > 10


@pytest.mark.parametrize("seed", SEEDS)
def test_the_way_out_ends_on_the_surface_and_names_its_face(seed: int) -> None:
    solid, random = random_hull(seed)
    for _ in range(20):
        point = random.dirichlet(np.ones(len(solid.points))) @ solid.points
        target = point + 10.0 * random.normal(size=3)
        part, face = exit_point(solid.solids, 0, tuple(point), tuple(target))
        leaves = point + part * (target - point)
        deep, nearest = depth(solid.solids, 0, tuple(leaves))
        assert deep == pytest.approx(0.0, abs=1e-12)
        assert nearest == face
        assert solid.faces[face, :3] @ (target - point) > 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_line_across_a_face_ends_at_its_rim(seed: int) -> None:
    solid, random = random_hull(seed)
    for f, face in enumerate(solid.faces):
        on_face = solid.points[np.abs(solid.points @ face[:3] - face[3]) < 1e-9]
        weights = random.dirichlet(np.ones(len(on_face)))
        point, along = weights @ on_face, random.normal(size=3)
        direction, lower, upper = face_line(solid.solids, 0, f, tuple(point), tuple(along))
        assert np.dot(direction, face[:3]) == pytest.approx(0.0, abs=1e-12)
        assert np.dot(direction, along) == pytest.approx(0.0, abs=1e-12)
        assert np.linalg.norm(direction) == pytest.approx(1.0)
        assert lower <= 0.0 <= upper
        for z in (lower, upper):
            assert depth(solid.solids, 0, tuple(point + z * np.array(direction)))[
                0
            ] == pytest.approx(0.0, abs=1e-12)
            beyond = point + (1.001 * z + np.copysign(1e-6, z)) * np.array(direction)
            assert depth(solid.solids, 0, tuple(beyond))[0] < -1e-9


TURN = tuple(np.roll(Rotation.from_euler("xyz", (0.4, -0.9, 1.7)).as_quat(), 1))
SOLIDS = {
    "box": Box(2.0, 1.0, 0.5),
    "cylinder": Cylinder(0.4, 2.0),
    "thin cylinder": Cylinder(0.01, 0.3),
    "wedge": Polyhedron(
        (
            (0.0, 0.0, 0.0),
            (2.0, 0.0, 0.0),
            (0.0, 1.0, 0.0),
            (2.0, 1.0, 0.0),
            (0.0, 0.0, 1.0),
            (0.0, 1.0, 1.0),
        )
    ),
    "cube and points on it": Polyhedron(
        (
            *((x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)),
            (0.5, 0.5, 1.0),
            (0.5, 0.0, 0.0),
        )
    ),
    "hull": Polyhedron(tuple(map(tuple, random_hull(3)[0].points))),
}
COUNTS = {"box": (8, 12, 6), "wedge": (6, 9, 5), "cube and points on it": (8, 12, 6)}


@pytest.mark.parametrize("distance", [0.0, 0.008, 0.3])
@pytest.mark.parametrize("name", SOLIDS)
def test_packed_solids_are_closed_and_stand_off_by_the_rope(name: str, distance: float) -> None:
    """Euler's formula, unit normals that point outward, every edge on two faces, faces moved out by
    the distance."""
    obstacle = Obstacle("o", SOLIDS[name], position=(5.0, -3.0, 2.0), orientation=TURN)
    before = corners(obstacle)
    solid = hull(before, distance)
    counts = len(solid.points), len(solid.edges), len(solid.faces)
    assert counts[0] - counts[1] + counts[2] == 2
    assert counts == COUNTS.get(name, counts)
    np.testing.assert_allclose(np.linalg.norm(solid.faces[:, :3], axis=1), 1.0, rtol=1e-12)
    centre = before.mean(axis=0)
    assert (solid.faces[:, :3] @ centre < solid.faces[:, 3]).all()
    reach = (before @ solid.faces[:, :3].T).max(axis=0)
    np.testing.assert_allclose(solid.faces[:, 3], reach + distance, atol=1e-9)
    for start, end in solid.edges:
        normal = edge_normal(solid, start, end)
        for point in (start, end, 0.5 * (start + end)):
            room = np.sort(solid.faces[:, 3] - solid.faces[:, :3] @ point)
            assert room[0] > -1e-8 and room[1] < 1e-8
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        assert normal @ (0.5 * (start + end) - centre) > 0.0
        if (
            np.linalg.norm(end - start) > 1e-3
        ):  # a face as narrow as this has more than two at the middle of an edge
            assert normal @ (end - start) == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("distance", [0.0, 0.25, 2.0])
@pytest.mark.parametrize("radius", [0.0005, 0.005, 0.05, 0.5, 5.0])
def test_a_prism_has_the_girth_of_its_cylinder(radius: float, distance: float) -> None:
    """So has the cylinder about which the middle of a rope lies, however thick the rope is.

    The edges stand off the middles of facets by 2 mm at most, and where facets are fewer than that
    takes, by less than the kernels tell apart.
    """
    grown = solid(Obstacle("peg", Cylinder(radius, 1.0)), distance * radius)
    out = (1.0 + distance) * radius
    ring = grown.corners[grown.corners[:, 2] > 0.0]
    ring = ring[np.argsort(np.arctan2(ring[:, 1], ring[:, 0]))]
    girth = np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1).sum()
    assert girth == pytest.approx(2.0 * np.pi * out, rel=1e-9)
    assert grown.corners[:, 2].max() == pytest.approx(0.5 + distance * radius)
    sides = [face for face in grown.faces if abs(face[2]) < 0.5]
    edge = np.hypot(*ring[0, :2])
    assert len(sides) == len(ring)
    assert edge - min(face[3] for face in sides) < max(FACET_ERROR, 0.006 * out) * 1.001
    assert len(ring) >= min(32, int(np.pi * np.sqrt(0.5 * out / INSIDE)))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cable_leans_on_edges_and_corners_that_its_chord_cuts(seed: int) -> None:
    """Against a dense sampling of the chord; a kink that presses on all faces there is enough."""
    solid, random = random_hull(seed)
    counts = {True: 0, False: 0}
    for place in (*solid.points, *(0.5 * (start + end) for start, end in solid.edges)):
        meeting = solid.faces[np.abs(solid.faces[:, 3] - solid.faces[:, :3] @ place) < 1e-9]
        for _ in range(10):
            a, b = place + random.normal(size=(2, 3))
            chord = a + np.linspace(0.0, 1.0, 4001)[:, None] * (b - a)
            deepest = (meeting[:, 3] - chord @ meeting[:, :3].T).min(axis=1).max()
            if abs(deepest) < 1e-3:
                continue
            expected = bool(deepest > 0.0)
            assert is_supported(solid.solids, 0, -1, tuple(place), tuple(a), tuple(b)) == expected
            kink = (b - place) / np.linalg.norm(b - place) - (place - a) / np.linalg.norm(place - a)
            normal, most = bearing_normal(solid.solids, 0, -1, tuple(place), tuple(kink))
            assert normal == pytest.approx(meeting[:, :3].sum(axis=0))
            assert most == pytest.approx((meeting[:, :3] @ kink).max())
            assert expected or most >= 0.0
            counts[expected] += 1
    assert min(counts.values()) > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_at_an_edge_the_faces_near_it_tell_all(seed: int) -> None:
    """To the last bit, at its ends as well; and what is beside one of them is not inside."""
    solid, random = random_hull(seed, 30)
    clear = {True: 0, False: 0}
    for e, (start, end) in enumerate(solid.edges):
        assert np.diff(solid.solids.edge_face_start)[e] < len(solid.faces)
        for part in (0.0, 1e-5, 0.5, 1.0):
            place = tuple(start + part * (end - start))
            a, b, kink = (tuple(place + random.normal(size=3)) for _ in range(3))
            assert bearing_normal(solid.solids, 0, e, place, kink) == bearing_normal(
                solid.solids, 0, -1, place, kink
            )
            assert is_supported(solid.solids, 0, e, place, a, b) == is_supported(
                solid.solids, 0, -1, place, a, b
            )
            found = is_beside_face(solid.solids, 0, e, place, a)
            assert not found or clip_segment(solid.solids, 0, place, a)[2] <= INSIDE
            clear[found] += 1
        on_both = (
            np.abs(solid.faces[:, 3] - np.array([start, end]) @ solid.faces[:, :3].T) < 1e-9
        ).all(axis=0)
        normal, offset = solid.faces[on_both][0, :3], solid.faces[on_both][0, 3]
        for corner in solid.points[np.abs(offset - solid.points @ normal) < 1e-9]:
            assert is_beside_face(solid.solids, 0, e, tuple(0.5 * (start + end)), tuple(corner))
    assert min(clear.values()) > 20


@kernel
def first_edge(solids, piece):
    """Where a piece first meets the only solid."""
    return swept_edges.find_first_edge(solids, 0, piece, (0.0, 0.0), 1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_moving_line_meets_the_edge_where_it_first_gets_in(seed: int) -> None:
    """Any lines through the space about a solid, their ends outside: against their depth at many
    moments."""
    solid, random = random_hull(seed)
    moments, met, passed = np.linspace(0.0, 1.0, 401), 0, 0
    for _ in range(60):
        along, move = 8.0 * unit_vector(random), 6.0 * unit_vector(random)
        middle = solid.points.mean(axis=0) + random.normal(size=3) - random.uniform(0.2, 0.8) * move
        a, b = middle - 0.5 * along, middle + 0.5 * along
        moves = move, move + 1.5 * random.normal(size=3)
        lines = [(a + s * moves[0], b + s * moves[1]) for s in moments]
        if max(depth(solid.solids, 0, tuple(end))[0] for line in lines for end in line) > -0.01:
            continue  # an end gets in through a face
        deep = np.array([clip_segment(solid.solids, 0, *map(tuple, line))[2] for line in lines])
        if deep[0] > 0.0:
            continue
        piece = (tuple(a), tuple(b), *map(tuple, moves))
        s, x, z, e = first_edge(solid.solids, piece)
        if deep.max() == 0.0:
            passed += 1
            line = tuple(a + s * moves[0]), tuple(b + s * moves[1])
            assert s == swept_edges.NEVER or clip_segment(solid.solids, 0, *line)[2] < 1e-3
            continue
        met += 1
        assert moments[deep > 0.0][0] - moments[1] <= s <= moments[deep > 0.0][0]
        start, end = solid.edges[e]
        on_edge = start + z * (end - start) / np.linalg.norm(end - start)
        assert a + s * moves[0] + x * (b + s * moves[1] - a - s * moves[0]) == pytest.approx(
            on_edge, abs=1e-9
        )
    assert met > 10
    assert passed > 3


def unit_vector(random: np.random.Generator) -> np.ndarray:
    vector = random.normal(size=3)
    return vector / np.linalg.norm(vector)
