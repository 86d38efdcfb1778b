"""Several cranes in one world: names, places, what is common; and a beam on two hooks in
equilibrium."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.cranes.several.beam_shares import shares
from cable_sim.cranes.several.placing import Place, place_scene, prefix_names
from cable_sim.errors import CableSimError, ConfigError, SpecError
from cable_sim.machine.machine import Machine
from cable_sim.spec import (
    Anchor,
    Body,
    Cable,
    Joint,
    Obstacle,
    Scene,
    Sphere,
    Surface,
    Visual,
    Wheel,
)
from cable_sim.spec.files import parse_spec, to_yaml
from cable_sim.spec.scene import GRAVITY

PAIR = """
crane:
  type: several
  cranes:
    - {name: one, crane: tower_12t, xy: [0.0, 0.0], changes: {rig.start.state: hanging}}
    - {name: other, crane: tower_12t, xy: [200.0, -30.0], heading_deg: 90.0, changes: {rig.start.state: hanging}}
"""  # noqa: E501 (cases replace parts of a line)


def write(tmp_path: Path, text: str = PAIR) -> Path:
    path = tmp_path / "pair.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_crane_has_its_own_names(tmp_path: Path) -> None:
    pair, alone = load_crane(write(tmp_path)), load_crane("tower_12t")
    assert [axis.name for axis in pair.axes] == [
        f"{crane}_{axis.name}" for crane in ("one", "other") for axis in alone.axes
    ]
    for kind in ("bodies", "joints", "cables", "drives"):
        names = [thing.name for thing in getattr(alone.scene, kind)]
        assert [t.name for t in getattr(pair.scene, kind)] == [
            f"{c}_{n}" for c in ("one", "other") for n in names
        ]
    assert [surface.name for surface in pair.scene.surfaces] == [
        "ground",
        "one_platform",
        "other_platform",
    ]
    assert [hung.name for hung in pair.suspensions] == ["one", "other"]
    assert pair.suspension == pair.suspensions[0] and pair.falls(pair.suspensions[1]) == (
        "other_hoist_rope",
    )
    assert {limiter.name for limiter in pair.limiters} == {
        f"{crane}_{limiter.name}" for crane in ("one", "other") for limiter in alone.limiters
    }
    assert pair.family == alone.family and pair.name == "pair"


@pytest.mark.parametrize("mode", ["rigid", "flexible"])
def test_a_crane_in_its_place_moves_as_it_does_alone(tmp_path: Path, mode: str) -> None:
    """One of two, turned by a right angle and shifted, does what it does alone, seen from where it
    stands."""
    changes = {"rig.start.state": "hanging", "crane.structure.mode": mode}
    pair = PAIR.replace("state: hanging", f"state: hanging, crane.structure.mode: {mode}")
    two = Machine(load_crane(write(tmp_path, pair)), dt=2e-3, substeps=5)
    alone = Machine(load_crane("tower_12t", changes), dt=2e-3, substeps=5)
    for _ in range(300):
        for axis, speed in (("slewing", 0.05), ("trolley", 0.5), ("hoist", -0.3)):
            alone.command(axis, speed)
            two.command(f"other_{axis}", speed)
        mine, theirs = alone.tick(), two.tick()
    for body in ("jib", "trolley", "hook_block", "load"):
        here, there = mine.body(body), theirs.body(f"other_{body}")
        x, y, z = here.position
        assert there.position == pytest.approx([200.0 - y, -30.0 + x, z], abs=1e-7)
        u, v, w = here.velocity
        assert there.velocity == pytest.approx([-v, u, w], abs=1e-7)
    for axis in ("slewing", "trolley", "hoist"):
        ours = alone.axis_state(mine, axis)
        assert two.axis_state(theirs, f"other_{axis}") == pytest.approx(ours, rel=1e-6, abs=1e-4)
    here, there = alone.sway(mine), two.sway(theirs, two.crane.suspensions[1])
    assert here is not None and there is not None
    assert there == pytest.approx(here, abs=1e-8)
    assert abs(here.radial) > 1e-3
    still = two.sway(theirs)
    assert still is not None and abs(still.radial) < 1e-6, "the first crane has not been moved"


def test_everything_that_stands_in_the_world_is_placed() -> None:
    place = Place((10.0, 20.0), 90.0)
    scene = Scene(
        bodies=(
            Body(
                "ball",
                1.0,
                shape=Sphere(0.1),
                position=(1.0, 2.0, 3.0),
                velocity=(1.0, 0.0, 0.0),
                angular_velocity=(0.0, 1.0, 0.0),
            ),
        ),
        joints=(
            Joint(
                "rail",
                "prismatic",
                "ball",
                point=(1.0, 2.0, 3.0),
                axis=(1.0, 0.0, 0.0),
                position=4.0,
            ),
        ),
        cables=(
            Cable(
                "rope", (Anchor("world", (1.0, 0.0, 9.0)), Anchor("ball", (0.1, 0.0, 0.0))), ea=1e6
            ),
        ),
        surfaces=(Surface(), Surface("table", (1.0, 0.0, 2.0), extent=(3.0, 4.0))),
        obstacles=(
            Obstacle(
                "post",
                shape=load_crane("tower_12t").scene.bodies[-1].shape,
                position=(5.0, 0.0, 1.0),
            ),
        ),
        visuals=(
            Visual("flag", Sphere(0.2), position=(0.0, 1.0, 0.0)),
            Visual("dot", Sphere(0.2), "ball"),
        ),
    )
    moved = place_scene(scene, place)
    (ball,), (rail,), (rope,), (ground, table) = (
        moved.bodies,
        moved.joints,
        moved.cables,
        moved.surfaces,
    )
    assert ball.position == (8.0, 21.0, 3.0)
    assert ball.velocity == (0.0, 1.0, 0.0) and ball.angular_velocity == (-1.0, 0.0, 0.0)
    assert ball.orientation == pytest.approx((math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)))
    assert rail.point == (8.0, 21.0, 3.0) and rail.axis == (0.0, 1.0, 0.0) and rail.position == 4.0
    assert rope.nodes[0].position == (10.0, 21.0, 9.0) and rope.nodes[1].position == (0.1, 0.0, 0.0)
    assert ground == Surface() and table.point == (10.0, 21.0, 2.0) and table.extent == (4.0, 3.0)
    assert moved.obstacles[0].position == (10.0, 25.0, 1.0)
    assert moved.visuals[0].position == (9.0, 20.0, 0.0) and moved.visuals[1] == scene.visuals[1]
    assert place.to_local(place.point((3.0, -4.0, 5.0))) == (3.0, -4.0, 5.0)


def test_a_word_that_reads_like_a_name_is_left_alone() -> None:
    joint = Joint("hinge", "hinge", "arm")
    assert prefix_names(joint, "a_", {"hinge", "arm"}) == Joint("a_hinge", "hinge", "a_arm")


def test_wheels_in_the_world_turn_with_their_crane() -> None:
    wheel = Wheel("wheel", "world", (1.0, 0.0, 9.0), 0.5, (0.0, 1.0, 0.0), friction=0.2)
    rope = Cable("rope", [Anchor("a"), wheel, Anchor("b")])
    bodies = [Body(name, 1.0, shape=Sphere(0.1)) for name in ("a", "b")]
    placed = place_scene(Scene(bodies=bodies, cables=[rope]), Place((0.0, 5.0), 90.0))
    turned = placed.cables[0].nodes[1]
    assert turned.position == (0.0, 6.0, 9.0)
    assert turned.axis == (-1.0, 0.0, 0.0)


def test_what_does_not_fit_into_one_world_is_told(tmp_path: Path) -> None:
    friction = PAIR.replace("90.0, changes: {", "90.0, changes: {site.ground.friction: 0.2, ")
    with pytest.raises(SpecError, match=naming("ground cranes 'one' 'other' share world differ")):
        load_crane(write(tmp_path, friction))
    with pytest.raises(SpecError, match=naming("'other' heading_deg 90 30 'platform'")):
        load_crane(write(tmp_path, PAIR.replace("90.0,", "30.0,")))
    open_ground = PAIR.replace("90.0, changes: {", "30.0, changes: {site.platforms: [], ")
    assert len(load_crane(write(tmp_path, open_ground)).scene.surfaces) == 2
    with pytest.raises(SpecError, match=naming("crane 'one' rig.colour field 'colour'")):
        load_crane(write(tmp_path, PAIR.replace("rig.start.state: hanging", "rig.colour: red", 1)))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: other", "name: one", "name 'one'"),
        ("name: other", "name: 2nd", "name"),
        ("crane: tower_12t, xy: [200", "crane: tower_13t, xy: [200", "such tower_12t"),
        ("crane: tower_12t, xy: [200", "crane: two_towers, xy: [200", "'several' kit"),
        ("xy: [200.0, -30.0]", "xy: [200.0]", "missing"),
    ],
)
def test_a_mistake_in_the_file_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(CableSimError, match=naming(said)):
        load_crane(write(tmp_path, PAIR.replace(old, new)))


def test_the_file_is_written_and_read_back() -> None:
    for name in ("two_towers", "tandem_lift"):
        details = load_crane(name).details
        assert parse_spec(to_yaml(details), type(details)) == details


@pytest.mark.parametrize("tilt", [0.0, 35.0, -20.0])
@pytest.mark.parametrize("centre", [(0.0, 0.0), (0.7, -0.1)])
def test_shares_balance_forces_and_moments(tilt: float, centre: tuple[float, float]) -> None:
    first, second = np.array([-5.0, 0.3]) - centre, np.array([4.0, 2.0]) - centre
    one, two = shares(1000.0, tuple(first), tuple(second), tilt)
    assert one + two == pytest.approx(1000.0)
    angle = math.radians(tilt)
    level = np.array([math.cos(angle), math.sin(angle)])
    assert one * first @ level + two * second @ level == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {
            "rig.start.tilt_deg": 40.0,
            "rig.start.height": 12.0,
            "rig.beam.centre": (0.5, 0.1),
            "rig.start.xy": (26.0, 6.0),
            "rig.start.heading_deg": 20.0,
        },
    ],
)
def test_a_shared_beam_hangs_at_rest_from_the_start(changes: dict) -> None:
    crane = load_crane("tandem_lift", changes)
    machine, rig = Machine(crane), crane.details.rig
    begin = machine.observe()
    for _ in range(50):
        seen = machine.tick()
    for body in ("beam", "head_hook_block", "tail_hook_block", "head_trolley", "tail_jib"):
        assert seen.body(body).position == pytest.approx(begin.body(body).position, abs=1e-9)
    for i, share in enumerate(rig.shares(rig.start.tilt_deg), start=1):
        sling = seen.cable(f"beam_sling_{i}")
        assert sling.node_force[1] == pytest.approx([0.0, 0.0, share * GRAVITY], abs=1e-3)
    w, x, y, z = seen.body("beam").orientation
    assert math.degrees(math.asin(2.0 * (w * y - x * z))) == pytest.approx(
        rig.start.tilt_deg, abs=1e-6
    )
    assert [hung.load for hung in crane.suspensions] == ["beam", "beam"] and crane.watched == "beam"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rig.beam.centre": (5.5, 0.0)}, "centre mass between"),
        ({"rig.start.xy": (68.0, 0.0)}, "crane 'tail' rig.start.at.trolley 2.8"),
        ({"rig.start.height": 70.0}, "crane 'head' rig.start.at.hoist"),
    ],
)
def test_a_beam_that_can_not_hang_so_is_told(changes: dict, said: str) -> None:
    with pytest.raises(SpecError, match=naming(said)):
        load_crane("tandem_lift", changes)


def test_a_beam_needs_two_known_hooks() -> None:
    rig = load_crane("tandem_lift").details.rig
    same = dataclasses.replace(rig.lugs[1], crane="head")
    with pytest.raises(SpecError, match=naming("hook crane 'head'")):
        dataclasses.replace(rig, lugs=(rig.lugs[0], same))
    with pytest.raises(SpecError, match=naming("'wrong' head tail")):
        load_crane(
            "tandem_lift",
            {"rig.lugs": (rig.lugs[0], dataclasses.replace(rig.lugs[1], crane="wrong"))},
        )
    text = to_yaml(load_crane("tandem_lift").details).replace("crane: tower_12t", "crane: rtg_41t")
    with pytest.raises(ConfigError):
        parse_spec(
            text.replace("type: several", "type: pair"), type(load_crane("tandem_lift").details)
        )


@pytest.mark.parametrize("kind", ["saddle", "luffing"])
def test_cranes_of_parts_share_a_beam_at_rest(tmp_path: Path, kind: str) -> None:
    of = "luffing_12t" if kind == "luffing" else "tower_5t"
    details = load_crane("tandem_lift", {"rig.beam.mass": 2000.0, "rig.start.xy": (30.0, 2.0)})
    lifted = details.details
    cranes = [dataclasses.replace(m, crane=of, changes={}) for m in lifted.crane.cranes]
    made = dataclasses.replace(lifted, crane=dataclasses.replace(lifted.crane, cranes=cranes))
    path = tmp_path / "pair.yaml"
    path.write_text(to_yaml(made), encoding="utf-8")
    machine = Machine(load_crane(path))
    begin = machine.observe()
    for _ in range(50):
        seen = machine.tick()
    for body in ("beam", "head_hook_block", "tail_hook_block"):
        assert seen.body(body).position == pytest.approx(begin.body(body).position, abs=1e-8)
    for i, share in enumerate(lifted.rig.shares(lifted.rig.start.tilt_deg), start=1):
        sling = seen.cable(f"beam_sling_{i}")
        assert sling.node_force[1] == pytest.approx([0.0, 0.0, share * GRAVITY], abs=1e-2)


def test_only_cranes_that_slew_have_hooks_for_a_beam(tmp_path: Path) -> None:
    details = load_crane("tandem_lift").details
    member = dataclasses.replace(details.crane.cranes[1], crane="rtg_41t", changes={})
    cranes = dataclasses.replace(details.crane, cranes=(details.crane.cranes[0], member))
    path = tmp_path / "mixed.yaml"
    path.write_text(to_yaml(dataclasses.replace(details, crane=cranes)), encoding="utf-8")
    with pytest.raises(SpecError, match=naming("crane 'tail' gantry")):
        load_crane(path)


def test_one_emergency_stop_stops_all() -> None:
    machine = Machine(load_crane("two_towers"))
    for _ in range(100):
        for axis in ("east_slewing", "west_slewing"):
            machine.command(axis, 0.05)
        seen = machine.tick()
    moving = [machine.axis_state(seen, axis).velocity for axis in ("east_slewing", "west_slewing")]
    assert min(moving) > 1e-3
    machine.emergency_stop(True)
    for _ in range(400):
        seen = machine.tick()
    assert (
        max(abs(machine.axis_state(seen, axis.name).velocity) for axis in machine.crane.axes) < 1e-6
    )
