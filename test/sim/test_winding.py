"""How wires that start wound are laid: all turns, in order, wherever the path is, or an error that
names the place."""

import dataclasses
import math
import warnings

import numpy as np
import pytest
from messages import naming

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.errors import CableSimError, CableSimWarning, ModelError
from cable_sim.spec import Hybrid, Obstacle, Polyhedron

HANGS, PITCH = -3.0, 0.1
POINTS = tuple[tuple[float, float, float], ...]


def helix(facets: int, corners: int, radius: float) -> POINTS:
    """A path around the y axis, over the top first, a point for each edge of a prism of so many
    facets."""
    angles = [math.pi - (i + 0.5) * 2.0 * math.pi / facets for i in range(corners)]
    return tuple(
        (radius * math.cos(a), PITCH * i / facets, radius * math.sin(a))
        for i, a in enumerate(angles)
    )


def prism(facets: int, radius: float = 1.0) -> Polyhedron:
    """One with these edges."""
    ring = helix(facets, facets, radius)
    return Polyhedron(tuple((x, y, z) for x, _, z in ring for y in (-2.0, 2.0)))


def hung(
    shape: Polyhedron, path: POINTS, diameter: float = 0.004, more: float = 0.0, contacts: int = 250
) -> Scene:
    """Two weights on the ends of a wire that goes along a path around a solid."""
    ends = [(path[0][0], path[0][1], HANGS), (path[-1][0], path[-1][1], HANGS)]
    length = (
        sum(math.dist(p, q) for p, q in zip((ends[0], *path), (*path, ends[1]), strict=True)) + more
    )
    wire = Cable(
        "wire",
        (Anchor("a"), Anchor("b")),
        ea=1e7,
        length=length,
        damping_time=0.02,
        diameter=diameter,
        touches=("solid",),
        contacts=contacts,
        hybrid=Hybrid(density=1e-7, most=0, wound=True, path=path),
    )
    bodies = tuple(
        Body(n, 100.0, shape=Sphere(0.05), position=p) for n, p in zip("ab", ends, strict=True)
    )
    return Scene(bodies=bodies, obstacles=(Obstacle("solid", shape),), cables=(wire,))


def turned(points: np.ndarray) -> np.ndarray:
    """Angle about the y axis of points that follow one another, its turns counted [rad]."""
    return np.unwrap(np.arctan2(points[:, 2], points[:, 0]))


@pytest.mark.parametrize(("facets", "halves"), [(4, 7), (32, 3), (56, 5), (60, 5), (128, 3)])
def test_no_turn_of_a_winding_is_lost(facets: int, halves: int) -> None:
    corners = facets * halves // 2
    grown = 1.0 + 0.002 / math.cos(math.pi / facets)
    wire = (
        Simulator(hung(prism(facets), helix(facets, corners, grown + 1e-4)), 0.01)
        .observe()
        .cable("wire")
    )
    assert len(wire.contact_position) == corners
    np.testing.assert_allclose(
        np.diff(turned(wire.contact_position)), -2.0 * math.pi / facets, atol=1e-9
    )
    np.testing.assert_allclose(np.hypot(*wire.contact_position[:, [0, 2]].T), grown, atol=1e-9)


@pytest.mark.parametrize("off", [-0.05, 0.0, 0.02, 0.5])
@pytest.mark.parametrize("points", [9, 15, 50])
def test_a_path_off_the_rim_gives_the_same_way(off: float, points: int) -> None:
    """However many points it has: a turn and a half over a prism of 32 edges."""
    angles = np.linspace(math.pi, -2.0 * math.pi, 3 * points)
    radius = 1.002 + off
    path = tuple(
        (radius * math.cos(a), 0.1 * i / len(angles), radius * math.sin(a))
        for i, a in enumerate(angles)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CableSimWarning)
        wire = Simulator(hung(prism(32), path), 0.01).observe().cable("wire")
    grown = 1.0 + 0.002 / math.cos(math.pi / 32.0)
    np.testing.assert_allclose(np.diff(turned(wire.contact_position)), -math.pi / 16.0, atol=1e-9)
    np.testing.assert_allclose(np.hypot(*wire.contact_position[:, [0, 2]].T), grown, atol=1e-9)
    assert len(wire.contact_position) in (46, 47, 48, 49, 50)


def test_what_is_wound_back_is_not_wound() -> None:
    """A turn forth and half a turn back leave the load on half a turn, over a thin bar and with
    points far off."""
    angles = np.concatenate(
        [np.linspace(math.pi, -2.0 * math.pi, 25), np.linspace(-1.8 * math.pi, 0.0, 15)]
    )
    path = tuple((math.cos(a), 0.001 * i, math.sin(a)) for i, a in enumerate(angles))
    with pytest.warns(CableSimWarning, match=naming("cable 'wire' hybrid wound m slack 1%")):
        wire = Simulator(hung(prism(4, 0.03), path), 0.01).observe().cable("wire")
    assert len(wire.contact_position) == 2
    assert wire.contact_position[0, 0] < 0.0 < wire.contact_position[1, 0]


@pytest.mark.parametrize(
    ("base", "out", "diameter"), [(0.05, 6e-5, 1e-4), (0.5, 6e-5, 1e-4), (0.05, 0.009, 0.016)]
)
def test_a_path_that_cuts_a_sharp_edge_holds_its_loads(
    base: float, out: float, diameter: float
) -> None:
    """The corners of a wedge that is grown by the rope's radius stand out further than the rope
    that goes over them."""
    c = math.sqrt(0.5)
    corners = [(-c, c), (c, c), (base, -base), (-base, -base)]
    wedge = Polyhedron(tuple((x, y, z) for x, z in corners for y in (-1.0, 1.0)))
    simulator = Simulator(
        hung(wedge, ((-c - out, 0.0, c + out), (c + out, 0.0, c + out)), diameter), 0.01
    )
    wire = simulator.observe().cable("wire")
    assert len(wire.contact_position) == 2
    assert wire.contact_position[0, 0] < -c < c < wire.contact_position[1, 0]
    assert simulator.step(100).status == 0
    assert np.abs(simulator.observe().body_position[:, 2] - HANGS).max() < 0.05


def test_what_can_not_be_wound_names_the_place() -> None:
    path = helix(32, 48, 1.0 + 0.002 / math.cos(math.pi / 32.0) + 1e-4)
    with pytest.raises(ModelError, match=naming("'wire' contacts 38 few way point 4* path")):
        Simulator(hung(prism(32), path, contacts=38), 0.01)
    through = (*path[:10], (0.3, 0.04, 0.2), *path[20:])
    with pytest.raises(ModelError, match=naming("way point 10 path deep obstacle 'solid'")):
        Simulator(hung(prism(32), through), 0.01)
    with pytest.raises(CableSimError, match=naming("wound contact nodes edges")):
        Hybrid(density=1.0, wound=True, edges=False, path=path)


def test_a_winding_that_is_loose_is_warned_of() -> None:
    path = helix(32, 48, 1.0 + 0.002 / math.cos(math.pi / 32.0) + 1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CableSimWarning)
        Simulator(hung(prism(32), path), 0.01)
        Simulator(hung(prism(32), path, more=0.1), 0.01)
    with pytest.warns(CableSimWarning, match=naming("0.2* m slack 1%")):
        Simulator(hung(prism(32), path, more=0.2), 0.01)


def test_masses_that_cut_a_path_short_are_warned_of() -> None:
    """Two of them on six metres do not follow the turns about a thin bar."""
    path = helix(4, 7, 0.03)
    thin = hung(prism(4, 0.02), path)
    masses = Hybrid(density=0.1, most=2, path=path)
    with pytest.warns(CableSimWarning, match=naming("cable 'wire' hybrid path m long wire's way")):
        Simulator(
            dataclasses.replace(thin, cables=(dataclasses.replace(thin.cables[0], hybrid=masses),)),
            0.01,
        )
