"""A saddle jib as a crane of parts, against the tower crane of the family."""

from pathlib import Path

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import change_file
from cable_sim.cranes.families.kit.build import build_kit
from cable_sim.cranes.families.kit.crane_file import KitCrane
from cable_sim.errors import SpecError
from cable_sim.machine.machine import Machine
from cable_sim.spec.files import apply_changes, parse_spec

G = 9.81
TEXT = (Path(__file__).parent / "saddle_jib.yaml").read_text(encoding="utf-8")
FAMILY = {"brake.emergency_torque_factor": 1.8, "sensors": None, "limiters": None}
TAG = {"length": 20.0, "mass_per_metre": 0.3, "masses": 41, "friction": 0.5}
CASES = {
    "on_ground": ({}, {}),
    "hanging": ({"rig.start.state": "hanging"}, {}),
    "tag_line": ({"rig.start.state": "hanging", "rig.tag_line": TAG}, {}),
    "turned": (
        {"rig.start.state": "hanging", "rig.start.slewing_angle_deg": 50.0},
        {"rig.start.slewing_angle_deg": None, "rig.start.at.slewing_deg": 50.0},
    ),
    "four_falls": ({"rig.start.state": "hanging", "reeving.n_falls": 4}, {}),
    "laid": (
        {
            "rig.start.state": "hanging",
            "rig.start.slewing_angle_deg": 50.0,
            "reeving.swivel": False,
        },
        {
            "rig.start.slewing_angle_deg": None,
            "rig.start.at.slewing_deg": 50.0,
            "reeving.swivel": None,
            "ropes.hoist_rope.swivel": False,
        },
    ),
}
"""Starts: changes of the family's file, and those of the file of parts, where they differ."""


def pair(name, **other):
    """The crane of the family and the one of parts, at one start."""
    changes, own = CASES[name]
    ours = {path: value for path, value in (changes | own | other).items() if value is not None}
    family = load_crane("tower_5t", FAMILY | changes)
    return family, build_kit(change_file(parse_spec(TEXT, KitCrane), ours), "parts")


def drive(machines, seconds):
    """Yield what both show while all axes go to and fro."""
    for tick in range(round(seconds / machines[0].tick_time)):
        time = tick * machines[0].tick_time
        for machine in machines:
            machine.command("trolley", 1.0 if time < 5.0 else -0.5)
            machine.command("slewing", 0.05 if 2.0 < time < 7.0 else 0.0)
            machine.command("hoist", -0.5 if time < 4.0 else 0.4)
        yield [machine.tick() for machine in machines]


@pytest.mark.parametrize("name", CASES)
def test_a_saddle_jib_of_parts_moves_as_the_family_s(name):
    """But for damping, which the family takes at the rated load: 0.6 mm apart where the load hangs,
    and 4 mm with 3 % of the tension where it bounces after the lift-off."""
    cranes = pair(name)
    machines = [Machine(crane) for crane in cranes]
    apart, pulls = {}, []
    for both in drive(machines, 10.0):
        for body in ("jib", "trolley", "hook_block", "load"):
            first, second = (seen.body(body).position for seen in both)
            apart[body] = max(apart.get(body, 0.0), float(np.linalg.norm(first - second)))
        pulls.append([seen.cable("hoist_rope").tension for seen in both])
    moved = machines[0].seen.body("trolley").position - cranes[0].scene.bodies[1].position
    assert np.linalg.norm(moved) > 3.0
    assert max(apart.values()) < (6e-3 if name == "on_ground" else 1e-3), apart
    late = np.array(pulls[-100:])
    np.testing.assert_allclose(late[:, 1], late[:, 0], rtol=0.03)


@pytest.mark.parametrize("name", CASES)
def test_both_start_with_the_same_rope_on_the_same_drum(name):
    (family, *_), (parts, *_) = (crane.scene.cables for crane in pair(name))
    assert [type(node) for node in parts.nodes] == [type(node) for node in family.nodes]
    for ours, theirs in zip(parts.nodes, family.nodes, strict=True):
        assert ours.body == theirs.body
        np.testing.assert_allclose(ours.position, theirs.position, atol=1e-12)
    assert parts.pretension == pytest.approx(family.pretension, rel=1e-9)
    assert parts.winch.drum.wound == pytest.approx(family.winch.drum.wound, rel=1e-9)
    assert parts.winch.drum.turns == family.winch.drum.turns
    assert parts.twist == pytest.approx(family.twist, rel=1e-6)
    assert (parts.twist != 0.0) == (name == "laid")


@pytest.mark.parametrize("mass", [100.0, 1500.0, 2500.0])
def test_the_rated_speed_of_a_hoist_is_that_of_its_load(mass):
    """P / ((m + m_hook) g), up to the largest."""
    family, parts = (
        next(axis for axis in crane.axes if axis.name == "hoist")
        for crane in pair("hanging", **{"rig.load.mass": mass})
    )
    assert parts.max_speed == pytest.approx(min(1.333, 18700.0 / ((mass + 200.0) * G)))
    assert parts.emergency_brake == pytest.approx(family.emergency_brake) == pytest.approx(1.0)
    assert (parts.lower, parts.upper, parts.ratio) == pytest.approx((2.7, 42.7, 2.0))
    assert parts.zero == pytest.approx(family.zero, abs=5e-3)  # the falls lean by 0.6 deg


def test_two_soft_modes_are_joints_with_springs():
    """The family's torsion of the tower and pitch of the jib: their springs' numbers are copied,
    but for how far they are wound up, which the statics of the parts say."""
    soft = load_crane("tower_5t", FAMILY | CASES["hanging"][0] | {"crane.structure.mode": "soft"})
    bodies = {body.name: body for body in soft.scene.bodies}
    joints = {joint.name: joint for joint in soft.scene.joints}
    plain = parse_spec(TEXT, KitCrane)

    def part(name, joint, axis, **others):
        spring = {"stiffness": joints[joint].stiffness, "damping": joints[joint].damping}
        hinge = {"name": joint, "kind": "hinge", "axis": axis} | spring
        body = {"mass": bodies[name].mass, "inertia": bodies[name].inertia}
        return body | {"joint": hinge} | others

    up, level = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)
    jib = plain.parts["jib"]
    ours = {
        "tower_head": part("tower_head", "tower_torsion", up, at=jib.at),
        "slewing_part": part("slewing_part", "slewing", up, on="tower_head"),
        "jib": part("jib", "jib_pitch", level, on="slewing_part", points=jib.points)
        | {"wheels": jib.wheels},
        "trolley": plain.parts["trolley"],
    }
    changes = {"parts": ours, "rig.start.state": "hanging"}
    parts = build_kit(apply_changes(plain, changes), "parts")
    (pitch,) = [joint for joint in parts.scene.joints if joint.name == "jib_pitch"]
    assert pitch.rest == pytest.approx(joints["jib_pitch"].rest, rel=2e-3)
    machines = [Machine(soft), Machine(parts)]
    turned = []
    for both in drive(machines, 10.0):
        turned.append([seen.joint("tower_torsion").position for seen in both])
        first, second = (seen.body("load").position for seen in both)
        assert np.linalg.norm(first - second) < 0.02
    turned = np.array(turned)
    assert np.ptp(turned[:, 0]) > 1e-3
    np.testing.assert_allclose(turned[:, 1], turned[:, 0], atol=0.02 * np.ptp(turned[:, 0]))


def test_ropes_of_parts_run_over_platforms_that_catch_them():
    """They ran through them without a word."""
    platform = {"name": "roof", "size": (6.0, 6.0), "height": 35.0, "xy": (12.0, 0.0)}
    changes = {"site.platforms": ({**platform, "catches_ropes": True},)}
    crane = build_kit(change_file(parse_spec(TEXT, KitCrane), changes), "parts")
    family = load_crane("tower_5t", FAMILY | changes)
    assert crane.scene.cables[0].touches == family.scene.cables[0].touches == ("roof_block",)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"reeving.n_falls": 3}, "reeving.n_falls: must be one of 2, 4, not 3"),
        (
            {"rig.start.state": "hanging", "rig.start.at.hoist": 42.0},
            r"rig.start.at.hoist: must be at most 40.39\d* \(load on its support\), not 42",
        ),
        ({"rig.load.size": (2.0, 2.0, 39.5)}, "too high to stand under .* 2.7 m is the least"),
        ({"axes.trolley.rated_power": 1e3}, "rated_power: is for the rope of a hook"),
        (
            {"ropes.hoist_rope.drum.layers": 1, "rig.start.state": "hanging"},
            "ropes.hoist_rope.drum: 1 layers of",
        ),
        ({"rig.load": None, "rig.slings": None}, "start.state: without a load"),
        (
            {
                "rig.load": None,
                "rig.slings": None,
                "rig.tag_line": TAG,
                "rig.start.state": "hanging",
            },
            "tag_line: is tied to a load",
        ),
        ({"ropes.hoist_rope.winch_mass": None}, "drum: belongs to a winch"),
        ({"hooks.hook_block.wheels.axle": {"at": (0.0, 0.0, 0.0), "diameter": 0.3}}, "wheels.axle"),
    ],
)
def test_a_wrong_file_is_told(changes, told):
    with pytest.raises(SpecError, match=told):
        build_kit(change_file(parse_spec(TEXT, KitCrane), changes), "parts")
