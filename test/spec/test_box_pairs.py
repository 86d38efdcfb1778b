"""Contacts of boxes: what is refused, in words that name it; neighbours; files."""

import pytest
from messages import naming

from cable_sim.errors import SpecError
from cable_sim.spec import Body, Box, BoxContact, Obstacle, Scene, Sphere, neighbours
from cable_sim.spec.files import parse_spec, to_yaml

CUBE = Box(1.0, 1.0, 1.0)
BOXES = [Body(name, shape=CUBE, position=(1.2 * i, 0.0, 0.0)) for i, name in enumerate("abc")]
BALL = Body("ball", shape=Sphere(0.5))
WALL = Obstacle("wall", CUBE, position=(0.0, 1.1, 0.0))
LUG = Obstacle("lug", Box(0.1, 0.1, 0.1), body="a", position=(0.0, 0.0, 0.5))


def scene(*contacts: BoxContact) -> Scene:
    return Scene(bodies=[*BOXES, BALL], obstacles=[WALL, LUG], contacts=contacts)


MISTAKES = {
    "unknown box": (lambda: scene(BoxContact("d", ["a"])), ["contact box 'd'", "wall lug b c"]),
    "unknown other": (lambda: scene(BoxContact("a", ["d"])), ["'a' others 'd'", "wall lug"]),
    "no box": (lambda: scene(BoxContact("a", ["ball"])), ["'a' others 'ball'"]),
    "same body": (lambda: scene(BoxContact("a", ["lug"])), ["'lug' same body 'a'"]),
    "pair twice": (
        lambda: scene(BoxContact("a", ["b"]), BoxContact("b", ["c", "a"])),
        ["others 'a' 'b' pair"],
    ),
    "itself": (lambda: BoxContact("a", ["b", "a"]), ["'a' 'a' itself"]),
    "other twice": (lambda: BoxContact("a", ["b", "b"]), ["'a' touches 'b' itself"]),
    "no others": (lambda: BoxContact("a", []), ["others", "1 item"]),
    "stiffness": (lambda: BoxContact("a", ["b"], stiffness=0.0), ["stiffness", "0 0.0"]),
    "friction": (lambda: BoxContact("a", ["b"], friction=-0.1), ["friction", "-0.1"]),
    "neighbour that is a ball": (lambda: neighbours([BALL]), ["neighbours 'ball' box"]),
    "neighbour on a body": (lambda: neighbours([LUG]), ["obstacle 'lug' body 'a'", "world"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(mistake: str) -> None:
    make, words = MISTAKES[mistake]
    with pytest.raises(SpecError) as caught:
        make()
    for word in words:
        assert naming(word).search(str(caught.value))


def test_neighbours_are_those_within_a_distance() -> None:
    """a, b, c stand 0.2 m apart in a row, the wall 0.1 m beside a."""
    found = neighbours([*BOXES, WALL], within=0.3, friction=0.7)
    assert found == (BoxContact("a", ["b", "wall"], 0.7), BoxContact("b", ["c", "wall"], 0.7))
    assert neighbours([*BOXES, WALL], within=0.15) == (BoxContact("a", ["wall"]),)
    assert neighbours([WALL, Obstacle("other", CUBE)], within=5.0) == ()


def test_neighbours_know_how_boxes_are_turned() -> None:
    """A bar of 3 m along x, turned by 45 degrees, reaches 1.06 + 0.35 m along y."""
    bar = Body("bar", shape=Box(3.0, 1.0, 1.0), orientation=(0.92388, 0.0, 0.0, 0.38268))
    other = Body("other", shape=CUBE, position=(0.0, 2.0, 0.0))
    assert neighbours([bar, other], within=0.09) == (BoxContact("bar", ["other"]),)
    assert neighbours([bar, other], within=0.08) == ()


def test_contacts_survive_yaml() -> None:
    said = scene(BoxContact("a", ["b", "wall"], 0.3, 1e7, 0.01), BoxContact("c", ["lug"]))
    assert parse_spec(to_yaml(said), Scene) == said
