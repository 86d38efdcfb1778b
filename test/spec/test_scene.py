"""Scenes: names that fit together, and drives on joints, winches and cables."""

import pytest
from messages import naming

from cable_sim.errors import SpecError
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Drive,
    Drum,
    Joint,
    Motion,
    Scene,
    Visual,
    Winch,
)

CUBE = Box(1.0, 1.0, 1.0)
LOAD = Body("load", shape=CUBE, position=(0.0, 0.0, -5.0))
ENDS = (Anchor("world"), Anchor("load"))
ROPE = Cable("rope", ENDS)
DRIVEN = Cable("rope", ENDS, driven=True)


def wound(winch):
    return Cable("rope", (Drum("world"), ENDS[1]), winch=Winch(winch))


def scene(**parts):
    return Scene(**({"bodies": (LOAD,)} | parts))


def test_a_drive_may_act_on_a_joint_a_winch_or_a_cable():
    rail = Joint("rail", "prismatic", "load")
    drives = (Drive("travel", "rail"), Drive("hoist", "winch"), Drive("pull", "tug"))
    cables = (wound("winch"), Cable("tug", ENDS, driven=True))
    assert scene(joints=(rail,), cables=cables, drives=drives).drives == drives


def test_a_drive_may_pull_beside_the_stretch_of_a_cable():
    spring = Cable("rope", ENDS, ea=1e7)
    assert scene(cables=(spring,), drives=(Drive("pull", "rope"),)).cables == (spring,)


def test_the_drive_of_a_cable_follows_a_motion_like_any():
    motion = Motion("pull", times=(0.0, 1.0), values=(0.0, -0.2))
    made = scene(cables=(DRIVEN,), drives=(Drive("pull", "rope", slip=0.1),), motions=(motion,))
    assert made.motions == (motion,)


def test_a_name_that_no_drive_is_on_may_stand_for_two_things():
    ball = Joint("rope", "ball", "load")
    assert scene(joints=(ball,), cables=(wound("rope"),)).winches[0].name == "rope"


MISTAKES = {
    "node on nothing": (
        {"cables": (Cable("rope", (Anchor("world"), Anchor("laod"))),)},
        ["cable 'rope'", "node 1", "body 'laod'", "world load"],
    ),
    "joint of nothing": (
        {"joints": (Joint("rail", "prismatic", "laod"),)},
        ["joint 'rail'", "child 'laod'", "load"],
    ),
    "joint on nothing": (
        {"joints": (Joint("rail", "prismatic", "load", "cart"),)},
        ["joint 'rail'", "parent 'cart'", "world load"],
    ),
    "visual on nothing": (
        {"visuals": (Visual("look", CUBE, "laod"),)},
        ["visual 'look'", "body 'laod'", "world"],
    ),
    "two bodies of a name": ({"bodies": (LOAD, LOAD)}, ["bodies name 'load'"]),
    "two cables of a name": ({"cables": (ROPE, ROPE)}, ["cables name 'rope'"]),
    "joint and winch of a name": (
        {"joints": (Joint("winch", "hinge", "load"),), "cables": (wound("winch"),)},
        ["joints winches name 'winch'"],
    ),
    "two winches of a name": (
        {
            "cables": (
                wound("winch"),
                Cable("other", (Drum("world"), ENDS[1]), winch=Winch("winch", 500.0)),
            )
        },
        ["cable 'other'", "winch 'winch'", "mass 500 1000 cable 'rope'", "winches", "name"],
    ),
    "drive on nothing": (
        {
            "joints": (Joint("rail", "prismatic", "load"),),
            "cables": (wound("winch"),),
            "drives": (Drive("d", "x"),),
        },
        ["drive 'd'", "'x'", "rail winch rope"],
    ),
    "drive on a joint without coordinate": (
        {"joints": (Joint("weld", "fixed", "load"),), "drives": (Drive("d", "weld"),)},
        ["drive 'd'", "'weld'", "none"],
    ),
    "drive on a cable named like a joint": (
        {
            "joints": (Joint("rope", "ball", "load"),),
            "cables": (DRIVEN,),
            "drives": (Drive("d", "rope"),),
        },
        ["drive 'd'", "'rope' joint cable", "rename"],
    ),
    "drive on a cable named like its winch": (
        {"cables": (wound("rope"),), "drives": (Drive("d", "rope"),)},
        ["drive 'd'", "'rope' winch cable", "rename"],
    ),
    "driven by nothing": ({"cables": (DRIVEN,)}, ["cable 'rope'", "driven drive 'rope'", "none"]),
    "driven by two": (
        {"cables": (DRIVEN,), "drives": (Drive("a", "rope"), Drive("b", "rope"))},
        ["cable 'rope'", "driven 'a' 'b'", "one drive"],
    ),
    "motion of nothing": (
        {
            "cables": (DRIVEN,),
            "drives": (Drive("d", "rope"),),
            "motions": (Motion("rope", (0.0,), (1.0,)),),
        },
        ["motion", "'rope'", "d"],
    ),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_names_that_do_not_fit_together_are_refused(kind):
    parts, words = MISTAKES[kind]
    with pytest.raises(SpecError) as caught:
        scene(**parts)
    for word in words:
        assert naming(word).search(str(caught.value)), str(caught.value)
