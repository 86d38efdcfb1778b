"""Cables: what they are made of in all the ways one may say it, and what contradicts itself."""

import dataclasses
import math
import re
from pathlib import Path

import pytest
from messages import naming

from cable_sim.errors import ModelError, SpecError
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.cables.paths import path_length
from cable_sim.spec import Anchor, Body, Box, Cable, Drum, Eye, Rope, Scene, Sheave, Winch
from cable_sim.spec.cables.ropes import Certificate

NODES = (Anchor("world"), Anchor("load"))
SWIVEL = (Anchor("world"), Anchor("load", swivel=True))
STEEL = Rope("solid", 0.01, material="steel")
WIRE = Rope("6x36ws_iwrc", 0.01, lay="left")


def resolved(cable):
    return (
        cable.axial_rigidity,
        cable.torsional_rigidity,
        cable.torque_arm,
        cable.twists,
        cable.measures_twist,
    )


MADE_OF = {
    "nothing said": (Cable("c", NODES), (None, None, 0.0, False, False)),
    "ea and gj": (Cable("c", NODES, ea=1e7, gj=50.0), (1e7, 50.0, 0.0, True, True)),
    "springs": (
        Cable("c", NODES, stiffness=1e4, twist_stiffness=7.0),
        (None, None, 0.0, True, True),
    ),
    "rod": (Cable("c", NODES, rope=STEEL), (STEEL.ea, STEEL.gj, 0.0, True, True)),
    "wire rope": (Cable("c", NODES, rope=WIRE), (WIRE.ea, WIRE.gj, -0.089 * 0.01, True, True)),
    "laid, no torsional stiffness": (
        Cable("c", NODES, ea=1e7, torque_factor=0.089, diameter=0.02),
        (1e7, None, 0.089 * 0.02, False, True),
    ),
    "wire rope on a swivel": (Cable("c", SWIVEL, rope=WIRE), (WIRE.ea, None, 0.0, False, False)),
    "swivel at the first end": (
        Cable("c", SWIVEL[::-1], rope=WIRE),
        (WIRE.ea, None, 0.0, False, False),
    ),
    "laid on a swivel": (
        Cable("c", SWIVEL, ea=1e7, torque_factor=0.089, diameter=0.02),
        (1e7, None, 0.0, False, False),
    ),
    "driven": (Cable("c", NODES, driven=True, twist_stiffness=7.0), (None, None, 0.0, True, True)),
}


@pytest.mark.parametrize("way", MADE_OF)
def test_what_a_cable_is_made_of(way):
    cable, expected = MADE_OF[way]
    assert resolved(cable) == pytest.approx(expected, rel=1e-12)


def test_a_10_mm_steel_cable_has_the_papers_spring_constants():
    cable = Cable("c", NODES, rope=STEEL, length=4.0)
    assert cable.axial_rigidity / cable.length == pytest.approx(3.93e6, rel=1e-3)
    assert cable.torsional_rigidity / cable.length == pytest.approx(18.9, rel=2e-3)


def test_a_wire_rope_is_less_than_a_third_as_stiff():
    cable = Cable("c", NODES, rope=WIRE, length=4.0)
    assert cable.axial_rigidity / cable.length == pytest.approx(1.21e6, rel=3e-3)


GUIDE = (Path(__file__).parents[2] / "docs" / "howto" / "cables.md").read_text(encoding="utf-8")
WAYS = re.findall(r"^\| (?:`(\w+=.*)`|nothing) \| .* \| (\S+) \| (\S+) \|$", GUIDE, re.MULTILINE)


@pytest.mark.parametrize(("say", "stretch", "twist"), WAYS)
def test_the_table_of_the_documentation(say, stretch, twist):
    cable = Cable(
        **(
            {"name": "c", "nodes": NODES}
            | eval(f"dict({say})", {"Rope": Rope, "swivelling": SWIVEL})
        )
    )
    c_s = cable.axial_rigidity / 4.0 if cable.axial_rigidity else cable.stiffness
    c_t = cable.torsional_rigidity / 4.0 if cable.torsional_rigidity else cable.twist_stiffness
    assert c_s == (None if stretch == "rigid" else pytest.approx(float(stretch), rel=5e-3))
    assert c_t == (None if twist == "none" else pytest.approx(float(twist), rel=5e-3))
    assert cable.twists == (twist != "none")


def test_the_table_of_the_documentation_was_found():
    assert len(WAYS) == 11


def test_the_rope_s_damping_holds_where_none_is_given():
    rope = dataclasses.replace(STEEL, damping_ratio=0.07)
    assert Cable("c", NODES, rope=rope).loss_ratio == 0.07
    assert Cable("c", NODES, rope=rope, damping_ratio=0.0).loss_ratio == 0.0
    assert Cable("c", NODES, rope=rope, damping_time=0.1).loss_ratio is None
    assert Cable("c", NODES, ea=1e7, damping_ratio=0.3).loss_ratio == 0.3
    assert Cable("c", NODES, ea=1e7).loss_ratio is None


def test_diameter_and_breaking_force_are_the_rope_s_unless_given():
    rope = Rope(
        "solid", 0.03, material="nylon", certificate=Certificate(minimum_breaking_force=4e4)
    )
    assert (Cable("c", NODES).diameter, Cable("c", NODES).breaking_force) == (0.016, math.inf)
    assert (Cable("c", NODES, rope=rope).diameter, Cable("c", NODES, rope=rope).breaking_force) == (
        0.03,
        4e4,
    )
    given = Cable("c", NODES, rope=WIRE, diameter=0.02, breaking_force=1e5)
    assert (given.diameter, given.breaking_force) == (0.02, 1e5)
    assert (
        given.torque_arm == WIRE.torque_arm
    )  # the rope's torque is in terms of the rope's diameter


def test_a_copy_takes_the_diameter_of_a_rope_unless_one_is_given():
    cable = Cable("c", NODES, rope=WIRE)
    assert (cable.diameter, cable.breaking_force) == (0.01, WIRE.minimum_breaking_force)
    thick = dataclasses.replace(cable, rope=dataclasses.replace(WIRE, diameter=0.02))
    assert (thick.diameter, thick.breaking_force) == (
        0.02,
        pytest.approx(4.0 * WIRE.minimum_breaking_force),
    )
    bare = dataclasses.replace(thick, rope=None)
    assert (bare.diameter, bare.breaking_force) == (0.016, math.inf)
    given = dataclasses.replace(Cable("c", NODES, diameter=0.02, breaking_force=1e5), rope=WIRE)
    assert (given.diameter, given.breaking_force) == (0.02, 1e5)


def test_a_number_from_the_rope_equals_the_same_number_given():
    given = Cable("c", NODES, rope=WIRE, diameter=0.01, breaking_force=WIRE.minimum_breaking_force)
    assert given == Cable("c", NODES, rope=WIRE)
    assert hash(given) == hash(Cable("c", NODES, rope=WIRE))


EYE, SHEAVE = Eye("world", (1.0, 0.0, 0.0)), Sheave("world", (1.0, 0.0, 0.0))
TURNING = dataclasses.replace(SHEAVE, half_turn=True)
ROPE_SAYS = ["together rope", "cable"]
NO_LENGTH = ["together driven", "length"]
NO_TORQUE = ["together swivels", "torque"]
MISTAKES = {
    "one node": ({"nodes": NODES[:1]}, ["nodes", "2 items", "1"]),
    "slides at an end": ({"nodes": (EYE, NODES[1])}, ["nodes.0", "anchor drum", "eye"]),
    "held between": (
        {"nodes": (NODES[0], Drum("world"), NODES[1])},
        ["nodes.1", "eye sheave wheel anchor", "drum"],
    ),
    "half turn to a dead end": (
        {"nodes": (NODES[0], TURNING, NODES[1])},
        ["nodes.1 half_turn", "eye sheave anchor"],
    ),
    "half turn to another body": (
        {"nodes": (NODES[0], TURNING, Eye("load"), NODES[1])},
        ["nodes.1 half_turn", "point 'world'", "'load'"],
    ),
    "half turn of no width": (
        {"nodes": (NODES[0], TURNING, EYE, NODES[1])},
        ["nodes.1 half_turn", "point 'world' 1.0 0.0 0.0"],
    ),
    "half turn on half a turn": (
        {"nodes": (NODES[0], TURNING, TURNING, NODES[1])},
        ["nodes.2 half_turn", "runs wheel node before"],
    ),
    "zero ea": ({"ea": 0.0}, ["ea", "0", "0.0"]),
    "negative stiffness": ({"stiffness": -1.0}, ["stiffness", "0", "-1.0"]),
    "zero length": ({"length": 0.0}, ["length", "0", "0.0"]),
    "negative length": ({"length": -4.0}, ["length", "0", "-4.0"]),
    "infinite length": ({"length": math.inf}, ["length", "finite", "inf"]),
    "NaN stiffness": ({"stiffness": math.nan}, ["stiffness", "0", "nan"]),
    "negative gj": ({"gj": -50.0}, ["gj", "0", "-50.0"]),
    "infinite gj": ({"gj": math.inf}, ["gj", "finite", "inf"]),
    "zero twist_stiffness": ({"twist_stiffness": 0.0}, ["twist_stiffness", "0", "0.0"]),
    "NaN twist": ({"twist": math.nan, "gj": 1.0}, ["twist", "finite", "nan"]),
    "NaN torque_factor": ({"torque_factor": math.nan}, ["torque_factor", "finite", "nan"]),
    "zero diameter": ({"diameter": 0.0}, ["diameter", "0", "0.0"]),
    "NaN diameter": ({"diameter": math.nan}, ["diameter", "0", "nan"]),
    "negative breaking_force": ({"breaking_force": -1.0}, ["breaking_force", "0", "-1.0"]),
    "weightless winch": ({"winch": {"name": "w", "mass": 0.0}}, ["winch.mass", "0", "0.0"]),
    "two stiffnesses": ({"ea": 1e7, "stiffness": 2e5}, ["stiffness 200000.0 ea 10000000.0", "one"]),
    "two torsional stiffnesses": (
        {"gj": 50.0, "twist_stiffness": 7.0},
        ["twist_stiffness 7.0 gj 50.0", "one"],
    ),
    "two dampings": (
        {"damping_ratio": 0.1, "damping_time": 0.0},
        ["damping_time 0.0 damping_ratio 0.1", "one"],
    ),
    "two lengths": ({"ea": 1.0, "length": 4.0, "pretension": 9.0}, ["pretension 9.0 length 4.0"]),
    "tight and inextensible": ({"pretension": 9.0}, ["pretension 9.0 ea stiffness rope"]),
    "rope and ea": ({"rope": STEEL, "ea": 1e7}, ["ea 10000000.0", *ROPE_SAYS]),
    "rope and stiffness": ({"rope": STEEL, "stiffness": 2e5}, ["stiffness 200000.0", *ROPE_SAYS]),
    "rope and gj": ({"rope": STEEL, "gj": 50.0}, ["gj 50.0", *ROPE_SAYS]),
    "rope and twist_stiffness": (
        {"rope": STEEL, "twist_stiffness": 7.0},
        ["twist_stiffness 7.0", *ROPE_SAYS],
    ),
    "rope and torque_factor": (
        {"rope": STEEL, "torque_factor": 0.1, "diameter": 0.01},
        ["torque_factor 0.1", *ROPE_SAYS],
    ),
    "twist that nothing resists": (
        {"ea": 1e7, "twist": 3.0},
        ["twist 3.0 gj twist_stiffness rope"],
    ),
    "twist of a cable that is only laid": (
        {"torque_factor": 0.1, "diameter": 0.01, "twist": 3.0},
        ["twist 3.0 gj twist_stiffness rope"],
    ),
    "torque_factor of an unknown diameter": (
        {"torque_factor": 0.1},
        ["torque_factor 0.1", "diameter"],
    ),
    "swivel and gj": ({"nodes": SWIVEL, "gj": 50.0}, ["gj 50.0", *NO_TORQUE]),
    "swivel and twist_stiffness": (
        {"nodes": SWIVEL, "twist_stiffness": 7.0},
        ["twist_stiffness 7.0", *NO_TORQUE],
    ),
    "swivel and twist": ({"nodes": SWIVEL, "rope": STEEL, "twist": 3.0}, ["twist 3.0", *NO_TORQUE]),
    "driven with ea": ({"driven": True, "ea": 1e7}, ["ea 10000000.0", *NO_LENGTH]),
    "driven with stiffness": (
        {"driven": True, "stiffness": 2e5},
        ["stiffness 200000.0", *NO_LENGTH],
    ),
    "driven with length": ({"driven": True, "length": 4.0}, ["length 4.0", *NO_LENGTH]),
    "driven with pretension": ({"driven": True, "pretension": 9.0}, ["pretension 9.0", *NO_LENGTH]),
    "driven with winch": ({"driven": True, "winch": Winch("w")}, ["winch driven", *NO_LENGTH]),
    "driven with rope": ({"driven": True, "rope": STEEL}, ["rope driven", *NO_LENGTH]),
    "driven with damping_ratio": (
        {"driven": True, "damping_ratio": 0.1},
        ["damping_ratio 0.1", *NO_LENGTH],
    ),
    "driven with gj": ({"driven": True, "gj": 50.0}, ["gj 50.0", *NO_LENGTH, "twist_stiffness"]),
    "driven and laid": (
        {"driven": True, "torque_factor": 0.1, "diameter": 0.01},
        ["torque_factor 0.1 driven", "stretch"],
    ),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_names_the_cable_the_value_and_what_is_allowed(kind):
    wrong, parts = MISTAKES[kind]
    with pytest.raises(SpecError) as caught:
        Cable("hoist_rope", **({"nodes": NODES} | wrong))
    message = str(caught.value)
    assert message.startswith("Cable 'hoist_rope': ")
    for part in parts:
        assert naming(part).search(message), message
    assert "Anchor(" not in message  # whole nodes would drown the sentence


def test_what_is_allowed_beside_the_mistakes():
    assert Cable("c", (NODES[0], EYE, SHEAVE, NODES[1]), gj=50.0, twist=-7.0).twist == -7.0
    assert Cable("c", NODES, rope=WIRE, twist=20.0).twists
    assert Cable("c", NODES, twist_stiffness=7.0, twist=1.0, ea=1e7).twists
    assert Cable(
        "c", NODES, ea=1e7, torque_factor=-0.089, diameter=0.01
    ).torque_arm == pytest.approx(-8.9e-4)
    assert Cable(
        "c", NODES, driven=True, twist_stiffness=7.0, damping_time=0.1, pulls_only=False
    ).driven
    assert (
        Cable(
            "c", (Drum("world"), NODES[1]), rope=WIRE, winch=Winch("w"), pretension=1e3
        ).winch.name
        == "w"
    )


def test_coincident_nodes_are_refused_with_cable_and_position():
    at = (1.0, 2.0, 3.0)
    cable = Cable("hoist_rope", (Anchor("world"), Eye("load"), Anchor("world", at)))
    scene = Scene(bodies=(Body("load", shape=Box(1.0, 1.0, 1.0), position=at),), cables=(cable,))
    with pytest.raises(ModelError) as caught:
        path_length(cable, BodyIndex(scene, scene))
    for part in ("cable 'hoist_rope'", "nodes 1 and 2", "[1.0, 2.0, 3.0]", "above 0 m"):
        assert part in str(caught.value)
