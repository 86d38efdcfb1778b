"""Cables and obstacles that do not fit together at the start: refused in words that name cable,
node and obstacle."""

import dataclasses
import warnings

import numpy as np
import pytest
from messages import naming
from scipy.spatial.transform import Rotation

from cable_sim import Simulator
from cable_sim.errors import CableSimWarning, ModelError
from cable_sim.kernels.status import CONTACTS_FULL
from cable_sim.model.cables.obstacles import solid
from cable_sim.model.cables.variants import Run
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Elevation,
    Eye,
    Hybrid,
    Obstacle,
    Polyhedron,
    Scene,
)

BLOCK = Obstacle("block", Box(2.0, 2.0, 2.0))
DRUM = Obstacle("block", Cylinder(1.0, 4.0))


def scene(obstacle: Obstacle, *nodes, bodies: tuple[Body, ...] = (), **more) -> Scene:
    settings = {"ea": 1e5, "pretension": 100.0, "touches": ("block",), "diameter": 0.016} | more
    return Scene(
        bodies=bodies,
        obstacles=(obstacle,),
        cables=(Cable("rope", nodes, **settings),),
        gravity=(0, 0, 0),
    )


def at(*place: float) -> Anchor:
    return Anchor("world", place)


ON_CRATE = Body(
    "crate", shape=Box(2.0, 2.0, 2.0), position=(0.0, 0.0, 5.0), orientation=(0.5, 0.5, 0.5, 0.5)
)
MISTAKES = {
    "end inside": (
        lambda: scene(BLOCK, at(-3.0, 0.0, 0.0), at(0.0, 0.0, 0.5)),
        ["cable 'rope' node 1 anchor 'world' 0.508 m inside obstacle 'block'", "radius 0.008 m"],
    ),
    "eye on the surface": (
        lambda: scene(BLOCK, at(-3.0, 0.0, 0.0), Eye("world", (0.0, 0.0, 1.0)), at(3.0, 0.0, 0.0)),
        ["cable 'rope' node 1 eye 'world' 0.008 m inside", "move outside", "cable's touches"],
    ),
    "end inside of a body's obstacle, which lies on its side": (
        lambda: scene(
            dataclasses.replace(BLOCK, body="crate", position=(0.0, 0.0, 0.3)),
            at(-3.0, 0.0, 0.0),
            Anchor("crate", (0.0, 0.0, -0.6)),
            bodies=(ON_CRATE,),
        ),
        ["node 1 anchor 'crate' 0.108 m inside obstacle 'block'"],
    ),
    "too little room": (
        lambda: scene(DRUM, at(-3.0, 0.01, 0.0), at(3.0, 0.1, 0.2), contacts=4),
        ["cable 'rope' contacts 4 few bends 6 edges", "6 256"],
    ),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_names_cable_node_obstacle_and_depth(kind: str) -> None:
    make, parts = MISTAKES[kind]
    with pytest.raises(ModelError) as caught:
        Simulator(make())
    for part in parts:
        assert naming(part).search(str(caught.value)), str(caught.value)


def test_as_many_contacts_as_the_error_asks_for_are_enough() -> None:
    built = scene(DRUM, at(-3.0, 0.01, 0.0), at(3.0, 0.1, 0.2), contacts=6)
    simulator = Simulator(built)
    assert len(simulator.observe().cable("rope").contact_obstacle) == 6
    assert not simulator.step(10).status & CONTACTS_FULL


def test_more_room_than_there_can_be_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cable_sim.model.compile.MOST_CONTACTS", 4)
    with pytest.raises(ModelError, match=naming("cable 'rope' 4 contacts start eyes")):
        Simulator(scene(DRUM, at(-3.0, 0.01, 0.0), at(3.0, 0.1, 0.2), contacts=4))


def test_an_end_that_just_clears_the_obstacle_is_allowed() -> None:
    seen = Simulator(
        scene(BLOCK, at(-3.0, 0.0, 0.0), Eye("world", (0.0, 0.0, 1.008)), at(3.0, 0.0, 0.0))
    ).observe()
    assert len(seen.cable("rope").contact_obstacle) == 2


@pytest.mark.parametrize("seed", range(10))
def test_a_rope_built_deep_through_a_solid_ends_up_outside(seed: int) -> None:
    """Hulls of 20 points near a sphere, and lines that pass near their middle."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(20, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    along = random.normal(size=3)
    along *= 3.0 / np.linalg.norm(along)
    ends = np.array([-along, along]) + random.uniform(-0.1, 0.1, (2, 3))
    ball = Obstacle("block", Polyhedron(tuple(map(tuple, points))))
    simulator = Simulator(scene(ball, *(at(*end) for end in ends), contacts=40))
    model, seen = simulator._model, simulator.observe().cable("rope")
    way = np.vstack([ends[:1], seen.contact_position, ends[1:]])
    assert len(way) > 2
    for start, end in zip(way, way[1:], strict=False):
        line = start + np.linspace(0.0, 1.0, 200)[:, None] * (end - start)
        assert (model.touches.face_offset - line @ model.touches.face_normal.T).min(
            axis=1
        ).max() < 3e-5


def test_a_cable_that_stays_inside_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has not been seen to: here it is not laid at all."""
    monkeypatch.setattr(Run, "settle", lambda around: around.look() or 0)
    with pytest.raises(ModelError, match=naming("cable 'rope' 0.* m deep obstacle 'block' way")):
        Simulator(scene(BLOCK, at(-3.0, 0.0, 0.2), at(3.0, 0.0, 0.1)))


CUBE = np.array(
    [
        (x, y, z)
        for z in (-1.0, 1.0)
        for x, y in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    ]
)
SQUARES = ((3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
HALVES = tuple(part for a, b, c, d in SQUARES for part in ((a, b, c), (a, c, d)))


@pytest.mark.parametrize("faces", [SQUARES, HALVES], ids=["squares", "triangles"])
@pytest.mark.parametrize("seed", range(5))
def test_a_box_as_a_mesh_in_single_precision_is_a_box(faces: tuple, seed: int) -> None:
    """8 corners, 12 edges, 6 faces, and the same way over it."""
    turn, at_ = Rotation.random(random_state=seed), np.array([10.37, -2.11, 3.3])
    mesh = (CUBE @ turn.as_matrix().T + at_).astype(np.float32)
    ends = [at(*(turn.apply(end) + at_)) for end in ((-3.0, 0.2, 0.9), (3.0, 0.1, 0.4))]
    as_box = dataclasses.replace(
        BLOCK, position=tuple(at_), orientation=tuple(np.roll(turn.as_quat(), 1))
    )
    as_mesh = Obstacle("block", Polyhedron(mesh, faces))
    made, seen = solid(as_mesh, 0.008), []
    assert [len(part) for part in made[:3]] == [6, 8, 12]
    for obstacle in (as_box, as_mesh):
        seen.append(Simulator(scene(obstacle, *ends)).observe().cable("rope"))
    np.testing.assert_allclose(seen[1].contact_position, seen[0].contact_position, atol=1e-4)
    assert seen[1].length == pytest.approx(seen[0].length, abs=1e-5)


@pytest.mark.parametrize("kind", [{}, {"elevation": Elevation(1.0, 9, 1.0)}])
def test_friction_that_a_cable_does_not_have_is_warned_of(kind: dict) -> None:
    """A cable that pushes slides; all others feel it."""
    ends = at(-3.0, 0.0, 1.2), at(3.0, 0.0, 1.2)
    rough = dataclasses.replace(BLOCK, friction=0.3)
    words = "cable 'rope' slides obstacle 'block' friction obstacle's 0.3"
    with pytest.warns(CableSimWarning, match=naming(words)):
        Simulator(scene(rough, *ends, pulls_only=False))
    with warnings.catch_warnings():
        warnings.simplefilter("error", CableSimWarning)
        Simulator(scene(BLOCK, *ends, pulls_only=False))
        Simulator(scene(rough, *ends, **kind))
        Simulator(scene(rough, *ends, hybrid=Hybrid(density=1.0)))
