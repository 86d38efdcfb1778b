"""Spreaders, stacks, ends of the ground, scenery and shown solids of cranes of parts."""

import math
import warnings

import numpy as np
import pytest
from messages import naming

from cable_sim import Box, Cylinder, Polyhedron, Simulator
from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError, CableSimWarning, ConfigError
from cable_sim.machine.machine import Machine
from cable_sim.spec.files import to_yaml

G = 9.81
HANGING = {"rig.start.state": "hanging"}
EMPTY = HANGING | {"rig.load": None}
SLEWING = """
crane: {type: kit, kind: slewing_spreader, rated_load: 10000.0}
parts:
  post:
    at: [0.0, 0.0, 20.0]
    joint: {name: slewing, kind: hinge, axis: [0.0, 0.0, 1.0]}
    mass: 20000.0
    size: [2.0, 2.0, 4.0]
  arm:
    on: post
    at: [8.0, 0.0, 0.0]
    points: {below: [0.0, 0.0, 0.0]}
    wheels: {DRUMS}
ropes:
{ROPES}
hooks:
  frame:
    below: arm.below
    base: post
    ropes: [{NAMES}]
    mass: 2000.0
    size: [2.0, 6.0, 0.8]
    hook_below_axle: 1.0
    spreader: {centre: 0.4, inertia: [6000.0, 700.0, 6500.0]}
    wheels: {WHEELS}
axes:
  slewing: {on: slewing, v_max: 0.1, accel: 0.02, effort: 1.0e+6}
  hoist: {on: {FIRST}, v_max: 0.5, accel: 0.5, effort: 3.0e+5, limits: [1.5, 20.0]}
rig:
  load: {mass: 6000.0, size: [2.0, 6.0, 2.0], offset: OFFSET}
  start: {state: hanging, at: {slewing_deg: HEADING, hoist: 12.0}}
"""
SQUARE = ((0.8, 2.0), (-0.8, 2.0), (-0.8, -2.0), (0.8, -2.0))
TRIANGLE = ((1.0, 0.0), (-1.0, 2.0), (-1.0, -2.0))


def spreader_on(tmp_path, places, offset=(0.0, 0.0), heading=0.0):
    """A spreader below an arm that slews, on a rope with two falls at each of the places [m]."""
    eye = "{{at: [{x}, {y}, {z}], diameter: 0.6, half_turn: true, axis: [1.0, 0.0, 0.0]}}"
    drums, wheels, ropes = [], [], []
    for i, (x, y) in enumerate(places):
        drums.append(f"d{i}: {{at: [{x}, {y + 0.3}, 0.0], diameter: 0.6}}")
        drums.append(f"e{i}: {{at: [{x}, {y - 0.3}, 0.0], diameter: 0.6}}")
        wheels.append(f"s{i}: " + eye.format(x=x, y=y, z=0.6).replace("}", ", side: left}"))
        rope = f"path: [arm.d{i}, frame.s{i}, arm.e{i}], winch_mass: 500.0, winch: drum"
        ropes.append(f"  r{i}: {{rope: 26mm 6x36 1960, {rope}}}")
    text = SLEWING
    for word, made in {
        "{DRUMS}": "{" + ", ".join(drums) + "}",
        "{WHEELS}": "{" + ", ".join(wheels) + "}",
        "{ROPES}": "\n".join(ropes),
        "{NAMES}": ", ".join(f"r{i}" for i in range(len(places))),
        "{FIRST}": "r0",
        "OFFSET": str(list(offset)),
        "HEADING": str(float(heading)),
    }.items():
        text = text.replace(word, made)
    path = tmp_path / "slewing_spreader.yaml"
    path.write_text(text, encoding="utf-8")
    return load_crane(path)


def rests(crane):
    """Step a crane for three seconds, and return its first and last observations."""
    simulator = Simulator(crane.scene)
    start = simulator.observe()
    simulator.step(3000)
    return start, simulator.observe()


def balance(places, aside):
    """Return the share of each of three supports in a weight that is aside of the origin [m]."""
    rows = np.vstack([np.ones(3), np.array(places).T])
    return np.linalg.solve(rows, [1.0, *aside])


@pytest.mark.parametrize("heading", [0.0, 50.0])
@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.2, 0.5)])
def test_three_ropes_hold_a_spreader_by_the_balance_of_moments(tmp_path, heading, offset):
    """Three supports of a plate are determinate; the container has 6 of the 8 t."""
    crane = spreader_on(tmp_path, TRIANGLE, offset, heading)
    start, seen = rests(crane)
    np.testing.assert_allclose(seen.body_position, start.body_position, atol=1e-6)
    shares = balance(TRIANGLE, 0.75 * np.array(offset))
    pulls = [seen.cable(rope).tension for rope in crane.ropes]
    np.testing.assert_allclose(pulls, 0.5 * 8000.0 * G * shares, rtol=1e-5)


def test_a_turned_spreader_has_its_cargo_along_its_own_sides(tmp_path):
    crane = spreader_on(tmp_path, SQUARE, (0.3, 0.0), heading=90.0)
    bodies = {body.name: body for body in crane.scene.bodies}
    aside = np.subtract(bodies["cargo"].position, bodies["container"].position)
    np.testing.assert_allclose(aside, (0.0, 0.6, 0.0), atol=1e-12)
    assert bodies["cargo"].mass == bodies["container"].mass == 3000.0
    start, seen = rests(crane)
    np.testing.assert_allclose(seen.body_position, start.body_position, atol=1e-6)


def test_two_ropes_can_not_hold_a_spreader_with_a_load_aside(tmp_path):
    assert spreader_on(tmp_path, ((0.0, 2.0), (0.0, -2.0)), (0.0, 0.5)).suspension.n_falls == 4
    with pytest.raises(CableSimError, match=naming("hooks.frame.ropes hold spreader level")):
        spreader_on(tmp_path, ((0.0, 2.0), (0.0, -2.0)), (0.2, 0.5))


def test_the_file_of_a_crane_with_a_spreader_can_be_saved(tmp_path):
    crane = spreader_on(tmp_path, SQUARE)
    path = tmp_path / "again.yaml"
    path.write_text(to_yaml(crane.details), encoding="utf-8")
    assert load_crane(path).scene.bodies == crane.scene.bodies


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("tower_5t", {"rig.twistlocks": "locked"}, "rig.twistlocks spreader"),
        ("tower_5t", {"rig.load.offset": (0.1, 0.0)}, "rig.load.offset spreader"),
        ("tower_5t", {"rig.slings": None}, "slings load"),
        ("tower_5t", {"limiters.rope_monitor": {"trip": 1e3}}, "rope_monitor spreader"),
        ("tower_5t", {"limiters.eccentric_load": {"trip": 0.6}}, "eccentric_load"),
        (
            "tower_5t",
            {"parts.trolley.joint.wheels": {}, "parts.jib.joint.wheels": {}},
            "level slide",
        ),
        ("tower_5t", {"site.level": 1.0}, "level 0 platforms stacks 1"),
        ("tower_5t", {"parts.jib.scenery": True}, "scenery 'world'"),
        ("rtg_41t", {"rig.slings": {"rope": "16mm 6x36 1960"}}, "slings hook"),
        ("rtg_41t", {"axes.hoist.v_empty": 1.0}, "v_empty joint"),
        ("rtg_41t", {"hooks.spreader.ball": {"radius": 1.0}}, "place ball"),
        ("rtg_41t", {"parts.trolley.joint.wheels": {}}, "part wheels turn"),
        ("rtg_41t", {"hooks.container": {}}, "hooks"),
        (
            "rtg_41t",
            {"rig.twistlocks": "open", "rig.start.at": {"trolley": -9.0}},
            "at.hoist missing",
        ),
        (
            "rtg_41t",
            {"hooks.spreader.picture": ({"cylinder": (0.1, 1.0), "towards": "trolley.below"},)},
            "towards shape hook",
        ),
        ("rtg_41t", {"rig.twistlocks": "open", "rig.start.depth": 19.0}, "18.701 spreader"),
        ("rtg_41t", EMPTY | {"rig.twistlocks": "locked"}, "twistlocks 'locked' load"),
        ("rtg_41t", HANGING | {"rig.twistlocks": "open"}, "start.state 'on_ground'"),
        (
            "rtg_41t",
            EMPTY | {"rig.start.depth": 21.62, "axes.hoist.limits": (3.6, 30.0)},
            "spreader",
        ),
        ("sts_51t", {"site.ends": ((13.0, -45.0), (-75.0, 75.0))}, "increase 13 -45"),
        ("sts_51t", {"rig.start.trolley": 14.0}, "below load 14 0 m"),
        (
            "sts_51t",
            {
                "site.platforms": (
                    {"name": "pit", "size": (1.0, 1.0), "height": -1.0, "xy": (0, 0)},
                )
            },
            "'pit' height above 0 -1",
        ),
    ],
)
def test_what_does_not_fit_a_spreader_or_a_hook_is_told(name, changes, told):
    with pytest.raises(CableSimError, match=naming(told)):
        load_crane(name, changes)


def test_other_ropes_keep_their_lays():
    """Four ropes of the same lay would turn the spreader."""
    crane = load_crane("rtg_41t", {"hoist_rope": "28mm 6x36 1960"})
    assert [cable.rope.lay for cable in crane.scene.cables] == ["right", "left", "right", "left"]
    assert {cable.rope.diameter for cable in crane.scene.cables} == {0.028}


def test_ropes_have_the_damping_and_the_waves_of_their_file():
    waves = {"reeving.model": "elevation", "reeving.damping_time": 0.01}
    cables = load_crane("rtg_41t", waves).scene.cables
    assert {(c.damping_time, c.elevation.points, c.elevation.damping) for c in cables} == {
        (0.01, 9, 2.09994)
    }
    assert load_crane("tower_5t").scene.cables[0].damping_time is None


@pytest.mark.parametrize("changes", [{"reeving.model": "hybrid"}, {"reeving.when_slack": "hybrid"}])
def test_a_wire_with_masses_has_a_dead_end_that_swivels(changes):
    """Taut and massless it holds the rope's torque."""
    crane = load_crane("rtg_41t", changes)
    wires = [pair.slack for pair in crane.when_slack] or crane.scene.cables
    assert all(wire.nodes[-1].swivel for wire in wires) and len(wires) == 4
    assert crane.when_slack == () or not crane.scene.cables[0].nodes[-1].swivel


def test_a_tag_line_hangs_from_an_empty_spreader_at_rest():
    """7 m of 0.3 kg/m, and 10 t, on eight falls."""
    line = {"length": 7.0, "mass_per_metre": 0.3, "masses": 15}
    crane = load_crane("rtg_41t", EMPTY | {"rig.tag_line": line})
    cable = next(cable for cable in crane.scene.cables if cable.name == "tag_line")
    assert cable.nodes[0].body == "spreader"
    assert crane.scene.cables[0].pretension == pytest.approx((10e3 + 2.1) * G / 8.0)


def test_the_ground_ends_and_a_hold_is_below_it():
    site = load_crane("sts_51t").details.site
    heights = {(0.0, 0.0): 0.0, (4.0, 0.0): 2.9, (22.0, 14.5): 9.8, (38.0, 0.0): -17.5}
    assert {at: site.support_height(*at) for at in heights} == pytest.approx(heights)
    assert site.support_height(14.0, 0.0) == site.support_height(0.0, 80.0) == -math.inf
    ground, *tops, hold = load_crane("sts_51t").scene.surfaces
    assert (ground.point, ground.extent) == ((-16.0, 0.0, 0.0), (29.0, 75.0))
    assert (hold.name, hold.point[2], hold.thickness) == ("hold", -17.5, 2.0)
    assert all(top.thickness == top.point[2] for top in tops)


def test_stacks_are_drawn_tier_by_tier_and_stand_as_platforms():
    stacks = (
        {"name": "a", "xy": (0.0, 5.0), "tiers": 2},
        {"name": "b", "xy": (3.0, 5.0), "base": 1.5},
    )
    crane = load_crane("tower_5t", {"site.stacks": stacks})
    drawn = {visual.name: visual for visual in crane.scene.visuals}
    assert drawn["a_tier_2"].position == pytest.approx((0.0, 5.0, 1.5 * 2.9))
    assert drawn["b_tier_1"].position[2] == pytest.approx(1.5 + 0.5 * 2.9)
    tops = {surface.name: surface for surface in crane.scene.surfaces}
    assert (tops["a"].point[2], tops["b"].point[2]) == pytest.approx((5.8, 4.4))
    assert tops["a"].color == drawn["a_tier_2"].color != drawn["a_tier_1"].color
    assert list(tops) == ["ground", "a", "b", "platform"]


def test_shown_solids_are_drawn_once_and_touch():
    solids = {
        "beam": {"bars": (((0.0, 0.0, 0.0), (3.0, 0.0, 4.0)),), "radius": 0.2, "shown": True},
        "wedge": {
            "corners": ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0)),
            "color": "navy",
            "shown": True,
        },
        "hidden": {"cylinder": (0.5, 2.0), "along": "x"},
    }
    scene = load_crane("tower_5t", {"parts.trolley.solids": solids}).scene
    own = {one.name: one for one in scene.obstacles if one.name in solids}
    assert own["beam"].shape == Box(5.0, 0.4, 0.4) and isinstance(own["hidden"].shape, Cylinder)
    assert isinstance(own["wedge"].shape, Polyhedron) and not own["wedge"].drawn
    drawn = {one.name: one.color for one in scene.visuals if one.name in solids}
    assert drawn == {"beam": (0.96, 0.72, 0.08), "wedge": (0.20, 0.24, 0.30)}


def test_a_crane_can_run_into_scenery_but_not_into_itself():
    scene = load_crane("sts_51t").scene
    (own,) = scene.collision.ignore
    assert {"girder_left", "cab"} <= set(own) and not {"hull_aft", "cabins"} & set(own)


def test_a_load_ends_at_the_ship_s_cabins():
    """The container goes along the ship towards its cabins, whose near wall is at y = 33 m."""
    start = {"rig.start.trolley": 31.0, "rig.start.gantry": 22.0, "rig.start.depth": 30.0}
    machine = Machine(load_crane("sts_51t", HANGING | start))
    met = False
    for _ in range(1000):
        machine.command("gantry", 0.8)
        met = met or any("cabins" in (e.first, e.second) for e in machine.tick().events)
    assert met


def test_a_file_with_a_wrong_lay_names_the_rope(tmp_path):
    text = to_yaml(load_crane("rtg_41t").details)
    (tmp_path / "wrong.yaml").write_text(text.replace("lay: left", "lay: aslant", 1))
    with pytest.raises(ConfigError, match=naming("ropes.hoist_rope_2.lay 'right' 'left'")):
        load_crane(tmp_path / "wrong.yaml")


@pytest.mark.parametrize(
    ("mirrored", "places"),
    [
        (False, [(1, 2)]),
        (True, [(1, 2), (1, -2)]),
        ("x", [(1, 2), (-1, 2)]),
        ("xy", [(1, 2), (1, -2), (-1, 2), (-1, -2)]),
    ],
)
def test_a_mirrored_shape_is_drawn_on_the_other_sides(mirrored, places):
    shapes = (
        {"box": (0.1, 0.2, 0.3), "at": (1.0, 2.0, 3.0)},
        {"bars": (((1.0, 2.0, 3.0), (1.0, 2.0, 4.0)),)},
        {"corners": ((1, 2, 3), (1, 2, 4), (1, 2.5, 3), (1.5, 2, 3.0))},
    )
    picture = tuple({**shape, "mirrored": mirrored} for shape in shapes)
    scene = load_crane("tower_5t", {"parts.trolley.picture": picture}).scene
    names = [
        f"trolley_{i}{end}"
        for i in (1, 2, 3)
        for end in ("", "_mirrored", "_mirrored_2", "_mirrored_3")
    ]
    drawn = {one.name: one for one in scene.visuals if one.name in names}
    assert len(drawn) == 3 * len(places)
    for i, first in enumerate(
        (lambda v: v.position, lambda v: v.shape.ends[0][0], lambda v: v.shape.corners[0]), start=1
    ):
        own = [one for name, one in drawn.items() if name.startswith(f"trolley_{i}")]
        assert [tuple(first(one)) for one in own] == [(*place, 3) for place in places]


@pytest.mark.parametrize(("effort", "warns"), [(249e3, True), (251e3, False)])
def test_a_drive_has_to_hold_all_ropes_of_its_drum(effort, warns):
    """51 t g on two falls a rope are 250.2 kN at the drum."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load_crane("rtg_41t", HANGING | {"axes.hoist.effort": effort})
    told = [str(warning.message) for warning in caught]
    assert any("axes.hoist.effort: " in text and "2.502e+05" in text for text in told) == warns


def test_four_ropes_on_a_drum_are_told_of_once():
    """A drum that is too wide, and ropes that are too weak."""
    for changes in ({"drum.width": 4.0}, {"reeving.design_factor": 8.0}):
        with pytest.warns(CableSimWarning) as caught:
            load_crane("rtg_41t", changes)
        assert len(caught) == 1
