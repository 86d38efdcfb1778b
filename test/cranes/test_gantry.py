"""The gantry crane: its file is checked, it starts at rest, its ropes share the load, and its axes
read right."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim import Body, Box, Joint, Simulator, Winch
from cable_sim.cranes import load_crane
from cable_sim.cranes.container.stacks import Stack
from cable_sim.errors import ConfigError, SpecError
from cable_sim.machine.machine import Machine
from validation.acceptance.gantry import hoist_rope, space_ropes

G = 9.81
FILE = Path(__file__).parents[2] / "config" / "rtg_41t.yaml"
WATER = (0.18, 0.32, 0.42)
HANGING = {"rig.start.state": "hanging"}
IDEAL = HANGING | {"reeving.sheave_efficiency": 1.0}
MODELS = pytest.mark.parametrize("model", ["massless", "elevation"])

MISTAKES = {
    "size: [23.47, ": ("size: [-23.47, ", "parts.gantry.size", ["0", "-23.47"]),
    "limits: [-60.0, 60.0]": (
        "limits: [60.0, -60.0]",
        "parts.gantry.joint",
        ["increase", "60 -60"],
    ),
    "axis: [0.0, 1.0, 0.0]": (
        "axis: [0.0, 1.0, 0.1]",
        "parts.gantry.joint",
        ["wheels", "level slide"],
    ),
    "trolley: -9.0,": ("trolley: -9.7,", "rig.start.at.trolley", ["-9.5 9.5", "-9.7"]),
    "efficiency: 0.98": (
        "efficiency: 1.02",
        "parts.trolley.wheels.sheave_1.efficiency",
        ["1", "1.02"],
    ),
    "lay: right ": ("lay: wrong ", "ropes.hoist_rope_1.lay", ["'right'", "'wrong'"]),
    "model: massless": (
        "model: heavy",
        "ropes.hoist_rope_1.model",
        ["'elevation' 'hybrid'", "'heavy'"],
    ),
    "v_empty: 2.167": ("v_empty: -2.0", "axes.gantry.v_empty", ["0", "-2.0"]),
    "centre: 0.5664": ("centre: 0.0", "hooks.spreader.spreader.centre", ["0"]),
    "tiers: 3": ("tiers: 0", "site.stacks[1].tiers", ["1", "0"]),
    "name: stack_2": ("name: stack_1", "site", ["differ"]),
    "state: on_ground ": (
        "state: flying ",
        "rig.start.state",
        ["'hanging' 'on_ground'", "'flying'"],
    ),
    "catalogue: 26mm 6x36 1960": (
        "catalogue: 26mm 6x37",
        "ropes.hoist_rope_1.rope",
        ["28mm 6x36 1960", "'26mm 6x37'"],
    ),
    "mass: 41000.0": ("mass: heavy", "rig.load.mass", ["number", "'heavy'"]),
}
"""What stands in the file, what is written instead, the field at fault, and words of the
message."""


def falls_of(crane, seen):
    """Tension of every fall [N]: the spans between trolley and spreader."""
    return np.concatenate([seen.cable(rope).span_tension[[1, 3]] for rope in crane.ropes])


@pytest.mark.parametrize("right", MISTAKES)
def test_a_mistake_names_the_field_the_value_and_what_is_allowed(tmp_path, right):
    wrong, field, words = MISTAKES[right]
    text = FILE.read_text(encoding="utf-8")
    assert text.count(right) >= 1
    (tmp_path / "crane.yaml").write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_crane(tmp_path / "crane.yaml")
    problem, *others = caught.value.problems
    assert all(other[1:3] == problem[1:3] for other in others)  # of ropes that are alike
    assert problem.field.startswith(field)
    for word in words:
        assert naming(word).search(str(problem)), str(problem)


def test_an_empty_spreader_can_not_stand_under_a_container():
    with pytest.raises(SpecError, match=naming("start.state load 'hanging'")):
        load_crane("rtg_41t", {"rig.load": None})


@pytest.mark.parametrize("depth", [3.5, 18.75, 18.9])
def test_a_start_beyond_limit_switch_or_ground_is_refused(depth):
    told = "must be within 3.6 ... 21.6" if depth < 3.6 else "must be at most 18.7 "
    with pytest.raises(SpecError, match=f"rig.start.at.hoist: {told}"):
        load_crane("rtg_41t", HANGING | {"rig.start.depth": depth})


def test_a_load_too_high_for_the_raised_spreader_is_refused():
    """Six high, with a seventh to stand on them: 20.3 m, where the sheaves are 21.6 m and the
    spreader 18 m high."""
    high = {"rig.start.trolley": 7.2, "site.stacks": (Stack("high", (7.2, 0.0), 6),)}
    with pytest.raises(SpecError, match=naming("rig.load.size high 1.30* m below 3.6")):
        load_crane("rtg_41t", high)


@MODELS
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rig.start.trolley": -4.0},
        HANGING,
        HANGING | {"rig.load": None},
        HANGING | space_ropes(head_block=(1.2, 3.2)),
    ],
    ids=["on the ground", "on a stack", "hanging", "empty", "sloping falls"],
)
def test_it_starts_in_equilibrium(model, changes):
    frictionless = {
        "reeving.sheave_efficiency": 1.0,
        "reeving.model": model,
    }  # friction would hide a small mistake
    simulator = Simulator(load_crane("rtg_41t", changes | frictionless).scene)
    start = simulator.observe()
    simulator.step(5000)
    seen = simulator.observe()
    np.testing.assert_allclose(seen.body_position, start.body_position, atol=1e-8)
    np.testing.assert_allclose(seen.body_orientation, start.body_orientation, atol=1e-9)
    assert simulator.report.exact


@MODELS
@pytest.mark.parametrize("mass", [41000.0, 5000.0, None])
def test_each_of_eight_falls_carries_an_eighth(model, mass):
    load = {"rig.load.mass": mass} if mass else {"rig.load": None}
    crane = load_crane("rtg_41t", IDEAL | load | {"reeving.model": model})
    simulator = Simulator(crane.scene)
    simulator.step(2000)
    seen = simulator.observe()
    np.testing.assert_allclose(
        falls_of(crane, seen), (10_000.0 + (mass or 0.0)) * G / 8.0, rtol=1e-6
    )
    assert seen.drive("hoist").effort == pytest.approx(
        -(10_000.0 + (mass or 0.0)) * G / 2.0, rel=1e-6
    )


def test_a_standing_container_leaves_the_spreader_to_the_ropes():
    crane = load_crane("rtg_41t", {"reeving.sheave_efficiency": 1.0})
    simulator = Simulator(crane.scene)
    simulator.step(1000)
    seen = simulator.observe()
    np.testing.assert_allclose(falls_of(crane, seen), 10_000.0 * G / 8.0, rtol=1e-6)
    assert seen.body("container").contact_force[2] == pytest.approx(41_000.0 * G, rel=1e-6)


@pytest.mark.parametrize("at", [(0.0, 1.2), (0.4, 0.0), (0.3, -0.8)])
def test_an_eccentric_load_is_shared_as_by_hand(at):
    """T_i = W / 4 per rope pair of falls (1 + x x_i / a^2 + y y_i / b^2) / 2, for the centre of all
    weights at (x, y).

    10 t of ballast stand in the container beside its middle. Four equally stiff ropes on one drum:
    the spreader stays plane, so forces go linearly with the place. It tilts by some milliradians,
    which shifts the centre a little.
    """
    crane = load_crane("rtg_41t", IDEAL | {"rig.load.mass": 20_000.0})
    x, y, z = next(body.position for body in crane.scene.bodies if body.name == "container")
    ballast = Body(
        "ballast", 10_000.0, shape=Box(0.5, 0.5, 0.5), position=(x + at[0], y + at[1], z)
    )
    lashing = Joint("lashing", "fixed", "ballast", "container", point=(x, y, z))
    scene = dataclasses.replace(
        crane.scene, bodies=(*crane.scene.bodies, ballast), joints=(*crane.scene.joints, lashing)
    )
    simulator = Simulator(scene, dt=2e-3, stepper="regularised")
    for axis in crane.axes:
        simulator.command(axis.drive, 0.0, "speed", brake=True)
    tensions = []
    for _ in range(120):  # 60 s: nothing damps the small sway, so the mean counts
        simulator.step(250)
        tensions.append([simulator.observe().cable(rope).tension for rope in crane.ropes])
    weight = 40_000.0 * G
    center = np.array(at) * 10_000.0 / 40_000.0
    corners = np.array([(0.8, 2.0), (-0.8, 2.0), (-0.8, -2.0), (0.8, -2.0)])
    expected = weight / 8.0 * (1.0 + corners @ (center / (0.8**2, 2.0**2)))
    assert expected.sum() == pytest.approx(weight / 2.0)
    np.testing.assert_allclose(np.mean(tensions[20:], axis=0), expected, rtol=0.02)


@MODELS
@pytest.mark.parametrize("offset", [(0.0, 0.4), (0.2, -0.5)])
def test_an_eccentric_load_starts_at_rest_with_unequal_ropes(model, offset):
    """W (1 + x / a + y / b) / 8 by hand, x and y of the common centre with the spreader, at corners
    of their signs."""
    crane = load_crane("rtg_41t", IDEAL | {"rig.load.offset": offset, "reeving.model": model})
    simulator = Simulator(crane.scene)
    start = simulator.observe()
    simulator.step(3000)
    seen = simulator.observe()
    np.testing.assert_allclose(seen.body_position, start.body_position, atol=1e-8)
    x, y = 41.0 / 51.0 * np.array(offset)
    corners = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
    expected = 51_000.0 * G / 8.0 * (1.0 + corners @ (x / 0.8, y / 2.0))
    np.testing.assert_allclose(
        [seen.cable(rope).tension for rope in crane.ropes], expected, rtol=1e-6
    )


def test_sixty_to_forty_by_the_offset_of_the_load():
    """y / b = 0.2 for the common centre: 0.4 m, which takes 0.4 x 51 / 41 of the container."""
    offset = (0.0, 0.4 * 51.0 / 41.0)
    simulator = Simulator(load_crane("rtg_41t", IDEAL | {"rig.load.offset": offset}).scene)
    simulator.step(500)
    pulls = [simulator.observe().cable(f"hoist_rope_{i}").tension for i in (1, 2, 3, 4)]
    assert sum(pulls[:2]) / sum(pulls) == pytest.approx(0.6, rel=1e-6)


@pytest.mark.parametrize(
    ("offset", "says"),
    [((0.0, 2.5), "offset y -2.438 2.438 2.5"), ((0.4, 1.5), "ropes.hoist_rope_3 push")],
)
def test_a_centre_that_no_four_ropes_can_carry_is_refused(offset, says):
    with pytest.raises(SpecError) as caught:
        load_crane("rtg_41t", IDEAL | {"rig.load.offset": offset})
    assert naming(says).search(str(caught.value))


def test_a_ship_to_shore_crane_lands_on_quay_stack_and_hold():
    """What is below the load says where it stands at the start: the quay, a stack on deck, the
    floor of the hold."""
    for (x, y), height in {
        (-4.0, 0.0): 0.0,
        (22.0, 14.5): 4.0 + 2 * 2.9,
        (30.0, 0.0): -17.5,
    }.items():
        crane = load_crane("sts_51t", {"rig.start.trolley": x, "rig.start.gantry": y})
        simulator = Simulator(crane.scene)
        simulator.step(200)
        seen = simulator.observe().body("container")
        assert seen.position[2] == pytest.approx(height + 1.45, abs=2e-3)
        assert seen.contact_force[2] == pytest.approx(30_000.0 * G, rel=1e-6)


def test_the_drum_is_what_four_locked_drums_would_be():
    """The crane beside one with a rotor of a quarter and a drive of its own for each rope: hoisting
    and trolleying."""
    crane = load_crane("rtg_41t", HANGING | {"rig.start.depth": 8.0})
    hoist = crane.scene.drives[2]
    quarter = crane.scene.winches[0].mass / 4.0
    cables = tuple(
        dataclasses.replace(cable, winch=Winch(f"winch_{i}", quarter))
        for i, cable in enumerate(crane.scene.cables)
    )
    drives = tuple(dataclasses.replace(hoist, name=f"hoist_{i}", on=f"winch_{i}") for i in range(4))
    locked = dataclasses.replace(
        crane.scene, cables=cables, drives=(*crane.scene.drives[:2], *drives)
    )
    one, four = Simulator(crane.scene), Simulator(locked)
    for simulator, names in ((one, ["hoist"]), (four, [drive.name for drive in drives])):
        simulator.command("trolley", 1.0, "speed")
        for name in names:
            simulator.command(name, -0.8, "speed")
        simulator.step(3000)
    a, b = one.observe(), four.observe()
    for body in ("trolley", "spreader", "container"):
        np.testing.assert_allclose(a.body(body).position, b.body(body).position, atol=1e-8)
    assert a.drive("hoist").effort == pytest.approx(
        sum(b.drive(drive.name).effort for drive in drives), rel=1e-6
    )
    assert a.drive("hoist").velocity == pytest.approx(-0.8, rel=1e-6)


def test_the_hoist_axis_reads_the_depth_of_the_twistlocks():
    machine = Machine(load_crane("rtg_41t", IDEAL | {"rig.load": None, "rig.start.depth": 10.0}))
    seen = machine.observe()
    stretch = 10_000.0 * G / 8.0 / hoist_rope().ea * (2.0 * 8.4 + 3.2) / 2.0
    assert machine.axis_state(seen, "hoist").position == pytest.approx(10.0 - stretch, abs=1e-5)
    twistlocks = seen.body("spreader").position[2] - machine.crane.details.spreader.centre
    assert twistlocks == pytest.approx(21.6 - 10.0, rel=1e-12)


def test_the_spreader_moves_with_half_the_drums_speed():
    machine = Machine(load_crane("rtg_41t", IDEAL))
    before = machine.observe()
    for _ in range(800):
        machine.command("hoist", -0.3)
        seen = machine.tick()
    assert seen.drive("hoist").velocity == pytest.approx(-0.6, rel=1e-6)
    assert seen.cable("hoist_rope_3").length_rate == pytest.approx(-0.6, rel=1e-6)
    assert seen.body("spreader").velocity[2] == pytest.approx(0.3, rel=2e-3)
    paid = machine.axis_state(seen, "hoist").position - machine.axis_state(before, "hoist").position
    rise = seen.body("spreader").position[2] - before.body("spreader").position[2]
    strain = 51_000.0 * G / 8.0 / hoist_rope().ea  # a shorter rope is stretched by less
    assert rise == pytest.approx(-paid * (1.0 + strain), abs=2e-4)


def test_what_follows_from_the_file():
    """By hand: 217 kW; J (omega / v)^2 = 4 (188.5 / 1.734)^2; 51 t g / 2 on the drum; speed by
    power."""
    crane = load_crane("rtg_41t")
    rotor = 4.0 * (60.0 * np.pi / (2.0 * 0.867)) ** 2
    assert crane.scene.winches[0].mass == pytest.approx(rotor, rel=1e-5)
    hoist = crane.details.axes["hoist"]
    assert (hoist.effort, hoist.brake) == pytest.approx([2.0 * 51_000.0 * G / 2.0] * 2)
    assert hoist.power == pytest.approx(2.0 * hoist.rated_power)
    assert crane.axis("hoist").max_speed == pytest.approx(0.433)
    light = load_crane("rtg_41t", {"rig.load.mass": 24_000.0})
    assert light.axis("hoist").max_speed == pytest.approx(0.433 * 51.0 / 34.0)
    empty = load_crane("rtg_41t", HANGING | {"rig.load": None})
    assert [empty.axis(name).max_speed for name in ("hoist", "gantry")] == [0.867, 2.167]
    ramps = [
        one.axis("gantry").max_speed / one.axis("gantry").max_acceleration for one in (crane, empty)
    ]
    assert ramps == pytest.approx([6.0, 6.0])


@pytest.mark.parametrize(
    ("axis", "sense", "end"),
    [("trolley", 1, 9.5), ("trolley", -1, -9.5), ("gantry", 1, 8.0), ("hoist", -1, 3.6)],
)
def test_axes_end_at_their_limits(axis, sense, end):
    start = {"rig.start.trolley": 1.6, "rig.start.depth": 6.0, "crane.runway": (-5.0, 8.0)}
    machine = Machine(load_crane("rtg_41t", HANGING | start))
    for _ in range(3000):
        machine.command(axis, sense * machine.crane.axis(axis).max_speed)
        seen = machine.tick()
    state = machine.axis_state(seen, axis)
    assert state.position == pytest.approx(end, abs=0.02)
    assert abs(state.velocity) < 0.01


@pytest.mark.parametrize(
    ("axis", "effort", "end"),
    [("trolley", 20e3, 9.5), ("trolley", -20e3, -9.5), ("gantry", 50e3, 4.0)],
)
def test_end_stops_hold_a_drive_that_pushes(axis, effort, end):
    start = {"rig.start.trolley": 1.6, "rig.start.depth": 5.0, "crane.runway": (-4.0, 4.0)}
    machine = Machine(load_crane("rtg_41t", HANGING | start))
    furthest = 0.0
    for _ in range(3000):
        machine.command(axis, effort, "effort")
        furthest = max(
            furthest, np.sign(effort) * machine.axis_state(machine.tick(), axis).position
        )
    assert abs(end) < furthest < abs(end) + 0.5  # stops are buffers


def test_bodies_ropes_and_cab_are_in_the_scene():
    for changes in ({}, HANGING | {"rig.load": None}):
        crane = load_crane("rtg_41t", changes)
        bodies = {body.name for body in crane.scene.bodies}
        assert {*crane.suspension[:4], crane.watched, crane.cab.body} <= bodies
        assert set(crane.ropes) == {cable.name for cable in crane.scene.cables}
        assert (crane.suspension.n_falls, len(crane.ropes), len(crane.scene.winches)) == (8, 4, 1)
        assert {visual.body for visual in crane.scene.visuals} == bodies | {"world"}
    assert [axis.name for axis in crane.axes] == [
        "gantry",
        "trolley",
        "hoist",
        "skew",
        "trim",
        "wheel_turn",
    ]
    assert sorted(cable.rope.lay for cable in crane.scene.cables) == [
        "left",
        "left",
        "right",
        "right",
    ]


def test_the_ropes_clear_girders_and_the_container_the_legs():
    crane = load_crane("rtg_41t")
    parts = {visual.name: visual for visual in crane.scene.visuals}
    girder = parts["girder_left"]
    outermost = max(abs(node.position[1]) for cable in crane.scene.cables for node in cable.nodes)
    assert outermost + 0.4 < girder.position[1] - 0.5 * girder.shape.y
    legs = np.array(parts["leg_outer_left"].shape.ends)
    half = 0.5 * crane.details.rig.load.size[0]
    assert (
        crane.axis("trolley").upper + half
        < legs[..., 0].min() - parts["leg_outer_left"].shape.radius
    )
    lowest = 21.6 + girder.position[2] - 0.5 * girder.shape.z
    assert lowest > 18.0


def test_the_ship_floats_and_its_hold_is_dry():
    """Water stands around the hull between keel and deck; over the floor of the hold is nothing."""
    crane = load_crane("sts_51t")
    drawn = [v for v in crane.scene.visuals if v.body == "world" and isinstance(v.shape, Box)]

    def at(x, y, z):
        """Return what the blocks around a point are, by name or colour."""
        return {
            "water" if v.color == WATER else v.name
            for v in drawn
            if np.all(
                np.abs(np.subtract((x, y, z), v.position))
                < 0.5 * np.array([v.shape.x, v.shape.y, v.shape.z])
            )
        }

    near, far, middle = 15.0, 61.0, 38.0
    below, above = -3.1, -2.9
    for x, y in ((near - 1.0, 0.0), (far + 1.0, 0.0), (near + 0.1, -50.0), (middle, 50.0)):
        assert at(x, y, below) == {"water"} and at(x, y, above) == set()
    assert at(middle, 20.0, below) == at(middle, 20.0, above) == {"hull_aft"}
    assert at(middle, -20.0, above) == {"hull_fore"} and at(middle, -20.0, 5.0) == set()
    assert not any(at(middle, 0.0, z) for z in np.linspace(-17.0, 3.5, 30))
