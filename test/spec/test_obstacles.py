"""Obstacles: what is refused, in words that name it, and scenes with them in files."""

import math

import pytest
from messages import naming

from cable_sim.errors import CableSimWarning, SpecError
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Elevation,
    Obstacle,
    Polyhedron,
    Scene,
)
from cable_sim.spec.files import parse_spec, to_yaml

NODES = (Anchor("world"), Anchor("world", (4.0, 0.0, 0.0)))
BLOCK = Obstacle("block", Box(1.0, 1.0, 1.0))
TETRAHEDRON = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def scene(*obstacles: Obstacle, touches: tuple[str, ...] = ("block",)) -> Scene:
    return Scene(
        bodies=(Body("crate", shape=Box(1.0, 1.0, 1.0)),),
        obstacles=obstacles,
        cables=(Cable("rope", NODES, touches=touches),),
    )


MISTAKES = {
    "unknown obstacle": (
        lambda: scene(BLOCK, touches=("blok",)),
        ["cable 'rope' touches 'blok'", "block"],
    ),
    "no obstacle at all": (lambda: scene(), ["cable 'rope' touches 'block'", "none"]),
    "unknown body": (
        lambda: scene(Obstacle("block", Box(1.0, 1.0, 1.0), body="create")),
        ["obstacle 'block' body 'create'", "world crate"],
    ),
    "name twice": (lambda: scene(BLOCK, BLOCK), ["visuals obstacles name 'block'"]),
    "flat polyhedron": (
        lambda: Polyhedron(tuple((x, y, 0.0) for x, y, _ in (*TETRAHEDRON, (1.0, 1.0, 0.0)))),
        ["corners lie plane", "four"],
    ),
    "three corners": (lambda: Polyhedron(TETRAHEDRON[:3]), ["corners", "4 items", "3"]),
    "corner that is no number": (
        lambda: Polyhedron((*TETRAHEDRON, (math.nan, 0.0, 0.0))),
        ["corners.4.0", "finite", "nan"],
    ),
    "no room": (
        lambda: Cable("rope", NODES, touches=("block",), contacts=0),
        ["Cable 'rope' contacts", "0"],
    ),
    "too much room": (lambda: Cable("rope", NODES, contacts=257), ["contacts", "256", "257"]),
    "half a node": (lambda: Cable("rope", NODES, contacts=1.5), ["contacts", "1.5"]),
    "beside torque": (
        lambda: Cable("rope", NODES, gj=50.0, touches=("block",)),
        ["Cable 'rope' touches block rope carries torque", "hybrid"],
    ),
    "beside the form of 2007": (
        lambda: Cable("rope", NODES, touches=("block",), elevation=Elevation(1.0, variant="2007")),
        ["Cable 'rope' touches 2007 variant", "2008"],
    ),
    "segments": (
        lambda: Obstacle("block", {"kind": "segments"}),
        ["Obstacle 'block'", "shape", "polyhedron"],
    ),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_names_the_thing_the_value_and_what_is_allowed(kind: str) -> None:
    make, parts = MISTAKES[kind]
    with pytest.raises(SpecError) as caught:
        make()
    for part in parts:
        assert naming(part).search(str(caught.value)), str(caught.value)


def test_scenes_with_obstacles_survive_yaml() -> None:
    made = scene(
        BLOCK,
        Obstacle(
            "peg",
            Cylinder(0.1, 2.0),
            body="crate",
            position=(0.0, 0.5, 0.0),
            orientation=(0.6, 0.8, 0.0, 0.0),
        ),
        Obstacle("wedge", Polyhedron(TETRAHEDRON), color=(0.1, 0.2, 0.3)),
        touches=("block", "wedge"),
    )
    assert parse_spec(to_yaml(made), Scene) == made


def test_obstacles_are_drawn_where_they_are() -> None:
    drawn = scene(
        BLOCK, Obstacle("wedge", Polyhedron(TETRAHEDRON), body="crate", position=(1.0, 2.0, 3.0))
    ).drawn
    assert [(visual.name, visual.body, visual.position) for visual in drawn] == [
        ("block", "world", (0.0, 0.0, 0.0)),
        ("wedge", "crate", (1.0, 2.0, 3.0)),
    ]


def test_an_obstacle_of_its_bodys_shape_is_not_drawn_twice() -> None:
    """One beside it, or of another size, is."""
    edges = Obstacle("edges", Box(1.0, 1.0, 1.0), body="crate")
    beside = Obstacle("beside", Box(1.0, 1.0, 1.0), body="crate", position=(0.0, 0.0, 1.0))
    assert [visual.name for visual in scene(BLOCK, edges, beside).drawn] == ["block", "beside"]


def test_obstacle_for_all_ropes_is_touched_by_all_but_its_own() -> None:
    """Once each; what can't touch anything is told; written out and read in it is the same."""
    solid = Obstacle("solid", Box(1.0, 1.0, 1.0), body="load", ropes="all")
    load = Body("load", 10.0, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -5.0))
    cables = (
        Cable("own", (Anchor("world"), Anchor("load", (0.0, 0.0, 0.5)))),
        Cable("beside", (Anchor("world", (2.0, 0.0, 0.0)), Anchor("world", (2.0, 0.0, -9.0)))),
        Cable(
            "named",
            (Anchor("world", (3.0, 0.0, 0.0)), Anchor("world", (3.0, 0.0, -9.0))),
            touches=("solid",),
        ),
    )
    scene = Scene(bodies=(load,), obstacles=(solid,), cables=cables)
    assert [cable.touches for cable in scene.cables] == [(), ("solid",), ("solid",)]
    assert parse_spec(to_yaml(scene), Scene) == scene
    twisted = Cable(
        "twisted",
        (Anchor("world", (4.0, 0.0, 0.0)), Anchor("world", (4.0, 0.0, -9.0))),
        gj=10.0,
        length=9.1,
    )
    with pytest.warns(CableSimWarning, match=naming("'solid' ropes Cable 'twisted'")):
        Scene(bodies=(load,), obstacles=(solid,), cables=(twisted,))
