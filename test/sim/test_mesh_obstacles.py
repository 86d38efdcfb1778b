"""Ropes and loads on meshes of any shape, which are divided into convex parts."""

import itertools
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator
from cable_sim.errors import CableSimWarning
from cable_sim.model.shapes import decomposition, parts
from cable_sim.spec import Hybrid, Mesh, Obstacle, Sphere

trimesh = pytest.importorskip("trimesh", reason="needs trimesh: pip install 'cable_sim[meshes]'")
pytest.importorskip("coacd", reason="needs coacd: pip install 'cable_sim[meshes]'")

RADIUS = 0.02
"""Radius of the ropes [m]."""
STEP = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
VALLEY = [(0, 0), (4, 0), (4, 2), (2, 1), (0, 2)]
TEE = [(1.9, -1), (2.1, -1), (2.1, 0), (4, 0), (4, 0.3), (0, 0.3), (0, 0), (1.9, 0)]
"""Outlines, anticlockwise: x and z [m]."""
FANS = {
    "step": (STEP, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]),
    "valley": (VALLEY, [(0, 1, 3), (1, 2, 3), (0, 3, 4)]),
    "tee": (TEE, [(0, 1, 2), (0, 2, 7), (5, 6, 7), (5, 7, 2), (5, 2, 4), (2, 3, 4)]),
}


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory):
    """A cache of parts for these tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decomposition, "_folder", lambda: folder / "meshes")
        folder = tmp_path_factory.mktemp("cache")
        folder.chmod(0o700)
        yield folder / "meshes"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Prisms over the outlines, in three formats; the tee is 1 m wide, the others 8 m."""
    folder = tmp_path_factory.mktemp("meshes")
    found = {}
    for (name, (outline, fan)), suffix in zip(FANS.items(), ("stl", "obj", "ply"), strict=True):
        n = len(outline)
        half = 0.5 if name == "tee" else 4.0
        corners = [(x, y, z) for y in (-half, half) for x, z in outline]
        faces = [*fan, *(tuple(n + i for i in face[::-1]) for face in fan)]
        for i in range(n):
            j = (i + 1) % n
            faces += [(i, i + n, j), (j, i + n, j + n)]
        solid = trimesh.Trimesh(np.array(corners, float), np.array(faces), process=False)
        found[name] = str(folder / f"{name}.{suffix}")
        solid.export(found[name])
    return found


def rope_over(mesh: Mesh, start: tuple, end: tuple, **more: object) -> Simulator:
    """A rope between two points of the world over a mesh."""
    rope = Cable(
        "rope",
        (Anchor("world", start), Anchor("world", end)),
        ea=1e6,
        pretension=100.0,
        diameter=2.0 * RADIUS,
        touches=("mesh",),
        **more,
    )
    return Simulator(Scene(cables=(rope,), obstacles=(Obstacle("mesh", mesh),)), dt=0.005)


def bent_at(simulator: Simulator) -> np.ndarray:
    """Return where the rope bends, in order (n, 2)."""
    seen = simulator.observe().cable("rope")
    return np.array(seen.contact_position).reshape(-1, 3)[:, [0, 2]]


def test_rope_takes_the_shortest_way_over_a_step(files: dict[str, str]) -> None:
    """Its corners stand off by the radius on both faces; the rope reaches over the step's foot."""
    simulator = rope_over(Mesh(files["step"]), (-0.3, 0.1, 1.9), (2.3, 0.1, 0.6))
    r = RADIUS
    expected = np.array([(-r, 2.0 + r), (1.0 + r, 2.0 + r), (2.0 + r, 1.0 + r)])
    assert bent_at(simulator) == pytest.approx(expected, abs=1e-6)
    path = np.array([(-0.3, 1.9), *expected, (2.3, 0.6)])
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    assert simulator.observe().cable("rope").length == pytest.approx(length, abs=1e-6)


def test_rope_spans_a_valley(files: dict[str, str]) -> None:
    """From rim to rim, whose corners are those of two faces that are moved out by the radius."""
    simulator = rope_over(Mesh(files["valley"]), (-0.5, 0.0, 1.4), (4.5, 0.0, 1.4))
    slope = math.atan(0.5)
    rise = RADIUS / math.cos(slope) + RADIUS * math.tan(slope)
    assert bent_at(simulator) == pytest.approx(
        np.array([(-RADIUS, 2.0 + rise), (4.0 + RADIUS, 2.0 + rise)]), abs=1e-6
    )
    simulator.step(20)
    assert len(bent_at(simulator)) == 2


def test_load_draws_a_rope_into_the_valley(files: dict[str, str]) -> None:
    """A heavy ring runs to its floor and lies there, by its end alone; the energy never rises."""
    rope = Cable(
        "rope",
        (Anchor("world", (-0.5, 0.0, 3.0)), Anchor("load")),
        ea=1e6,
        length=3.2,
        damping_ratio=0.1,
        diameter=2.0 * RADIUS,
        touches=("mesh",),
    )
    load = Body("load", 50.0, shape=Sphere(0.2), position=(0.9, 0.0, 2.6))
    solid = Obstacle("mesh", Mesh(files["valley"]), body_friction=0.0)
    simulator = Simulator(Scene(bodies=(load,), cables=(rope,), obstacles=(solid,)), dt=0.002)
    energies = []
    for _ in range(300):
        assert not simulator.step(10).status
        energies.append(simulator.observe().energy.total)
    assert (np.diff(energies) < 1e-3).all()
    x, _, z = simulator.observe().body("load").position
    assert (x, z) == pytest.approx((2.0, 1.0 + 0.2 / math.cos(math.atan(0.5))), abs=0.02)


STARTS = {
    "over": ((1.0, 0.3, 1.5), (4.2, 0.62, -2.0)),
    "under": ((2.0, -1.0, 1.5), (3.0, 0.9, -2.0)),
}
"""Anchor and load of a rope over a beam's top, and of one round its bottom [m]."""


def swing_along(obstacle: Obstacle, way: str) -> list[tuple[float, float, float]]:
    """Return where a load is that swings along a beam, on a rope that leans on the beam."""
    anchor, place = STARTS[way]
    rope = Cable(
        "rope",
        (Anchor("world", anchor), Anchor("load", (0.0, 0.0, 0.2))),
        ea=1e6,
        damping_ratio=0.1,
        diameter=2.0 * RADIUS,
        touches=("beam",),
    )
    load = Body("load", 50.0, shape=Sphere(0.2), position=place)
    scene = Scene(bodies=(load,), cables=(rope,), obstacles=(obstacle,))
    simulator = Simulator(scene, dt=0.002)
    found = []
    for _ in range(100):
        assert not simulator.step(20).status
        found.append(tuple(simulator.observe().body("load").position))
    assert "beam" in simulator.observe().cable("rope").contact_obstacle
    return found


def cut_askew(*_: object) -> list[np.ndarray]:
    """The web of the tee, and its flange cut by two planes askew, one by one end, one by both."""
    cuts = [(0.0, 0.0), (1.1, 1.9), (2.9, 2.3), (4.0, 4.0)]
    slabs = [
        np.array(
            [(cut[k], y, z) for cut in pair for k, y in ((0, -0.5), (1, 0.5)) for z in (0, 0.3)]
        )
        for pair in itertools.pairwise(cuts)
    ]
    web = np.array([(x, y, z) for x in (1.9, 2.1) for y in (-0.5, 0.5) for z in (-1.0, 0.0)])
    return [web, *slabs]


@pytest.mark.parametrize("way", STARTS)
def test_rope_slides_over_seams_as_over_one_box(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """To and fro over the seams of a tee in parts, within 0.1 mm in 4 s."""
    monkeypatch.setattr(parts, "convex_parts", cut_askew)
    tee = Mesh(files["tee"], concavity=0.5)
    assert [part.inner.sum() for part in parts._parts_of(tee)] == [1, 1, 2, 1]
    divided = swing_along(Obstacle("beam", tee, stops_bodies=False), way)
    box = Obstacle("beam", Box(4.0, 1.0, 0.3), position=(2.0, 0.0, 0.15), stops_bodies=False)
    whole = swing_along(box, way)
    assert np.ptp(np.array(whole)[:, 0]) > 1.5
    assert np.array(divided) == pytest.approx(np.array(whole), abs=1e-4)


def test_masses_of_a_wire_lie_on_the_seams(files: dict[str, str]) -> None:
    """A slack wire that falls across the flat top of the tee rests there, and not in it."""
    wire = Cable(
        "rope",
        (Anchor("world", (-0.3, 0.0, 1.0)), Anchor("world", (4.3, 0.0, 1.0))),
        ea=1e5,
        length=5.6,
        diameter=2.0 * RADIUS,
        touches=("mesh",),
        hybrid=Hybrid(1.0, least=24, most=24),
    )
    scene = Scene(cables=(wire,), obstacles=(Obstacle("mesh", Mesh(files["tee"])),))
    simulator = Simulator(scene, dt=0.005)
    simulator.step(1200)
    seen = simulator.observe().cable("rope").mass_position
    above = seen[(seen[:, 0] > 0.05) & (seen[:, 0] < 3.95)]
    assert len(above) > 10
    assert above[:, 2].min() > 0.3 + RADIUS - 2e-3
    assert np.median(above[:, 2]) < 0.3 + RADIUS + 2e-3


def test_parts_come_from_the_cache(files: dict[str, str], own_cache: Path, monkeypatch) -> None:
    """Without CoACD, and a torn file is told and made anew."""
    shape = Mesh(files["step"])
    made = decomposition.convex_parts(shape.corners, shape.triangles(), 0.05)
    newest = max(own_cache.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    with monkeypatch.context() as patch:
        patch.setattr(decomposition, "_decompose", lambda *_: pytest.fail("not from the cache"))
        again = decomposition.convex_parts(shape.corners, shape.triangles(), 0.05)
    assert all((a == b).all() for a, b in zip(made, again, strict=True))
    newest.write_bytes(newest.read_bytes()[:-7])
    with pytest.warns(CableSimWarning, match=naming("mesh cache damaged divided")):
        anew = decomposition.convex_parts(shape.corners, shape.triangles(), 0.05)
    assert all((a == b).all() for a, b in zip(made, anew, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        decomposition.convex_parts(shape.corners, shape.triangles(), 0.05)


def test_convex_meshes_need_no_coacd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "box.stl")
    monkeypatch.setattr(decomposition, "_coacd", lambda: pytest.fail("called"))
    (one,) = parts._parts_of(Mesh(str(tmp_path / "box.stl"), scale=0.5))
    assert np.ptp(one.corners, axis=0) == pytest.approx((0.5, 1.0, 1.5))
