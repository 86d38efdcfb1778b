"""The tower crane: its load chart, what its drives are at the hook, and a start in equilibrium."""

import math

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import qmult

from cable_sim.cranes import load_crane
from cable_sim.cranes.families.kit.crane_file import KitCrane
from cable_sim.errors import ConfigError, SpecError
from cable_sim.spec.files import parse_spec, to_yaml

CHART_2 = {
    20.0: 6.0,
    25.0: 6.0,
    30.0: 6.0,
    37.8: 6.0,
    40.0: 5.61,
    50.0: 4.24,
    60.0: 3.34,
    70.0: 2.70,
}
CHART_4 = {
    20.0: 12.0,
    20.8: 12.0,
    25.0: 9.66,
    30.0: 7.78,
    40.0: 5.47,
    50.0: 4.11,
    60.0: 3.21,
    70.0: 2.57,
}
"""Published points of a 12 t crane with 70 m jib [m: t], rounded to 10 kg."""

HANGING = {"rig.start.state": "hanging", "rig.start.hook_depth": 40.0}
HELD = {"reeving.swivel": False}
"""The rope's dead end does not turn: its torque turns the block."""


def rotate(q, v):
    w, u = q[0], np.array(q[1:])
    return np.asarray(v) + 2.0 * np.cross(u, np.cross(u, v) + w * np.asarray(v))


def node_points(crane, cable):
    bodies = {body.name: body for body in crane.scene.bodies}
    return np.array(
        [
            np.add(bodies[node.body].position, rotate(bodies[node.body].orientation, node.position))
            for node in cable.nodes
        ]
    )


@pytest.mark.parametrize(("n", "chart"), [(2, CHART_2), (4, CHART_4)])
def test_rated_capacity_is_that_of_the_published_chart(n, chart):
    spec = load_crane("tower_12t", {"reeving.n_falls": n}).details
    for radius, capacity in chart.items():
        assert spec.chart.capacity(radius) == pytest.approx(1000.0 * capacity, abs=5.0), radius


def test_capacity_falls_with_radius_and_never_below_nothing():
    spec = load_crane("tower_12t").details
    capacities = [spec.chart.capacity(radius) for radius in np.linspace(3.0, 400.0, 200)]
    assert capacities == sorted(capacities, reverse=True)
    assert capacities[-1] == 0.0


@pytest.mark.parametrize("n", [2, 4])
def test_reach_is_where_the_capacity_falls_to_the_load(n):
    chart = load_crane("tower_12t", {"reeving.n_falls": n}).details.chart
    for load in np.linspace(500.0, chart.q_max, 20):
        reach = chart.reach(load)
        assert chart.capacity(reach) == pytest.approx(load, rel=1e-9)
        assert chart.capacity(reach + 0.1) < load
    assert chart.reach(chart.q_max + 1.0) == 0.0


@pytest.mark.parametrize(
    ("name", "power", "inertia", "rpm"),
    [("tower_12t", 45e3, 0.40, 1480.0), ("tower_5t", 22e3, 0.15, 1480.0)],
)
def test_hoists_follow_from_their_motors(name, power, inertia, rpm):
    """The pull F is that of the rated load on 2 or 4 falls, the larger; rope at P eta / F.

    The winch weighs J (omega / v)^2 at the rope, whatever the reeving.
    """
    two, four = (load_crane(name, {"reeving.n_falls": n}) for n in (2, 4))
    pull = max(
        (crane.details.chart.q_max + crane.details.hooks["hook_block"].mass) * 9.81 / n
        for n, crane in ((2, two), (4, four))
    )
    speed = 0.85 * power / pull
    hoist = two.details.axes["hoist"]
    assert hoist.rated_power == pytest.approx(0.85 * power)
    assert (hoist.power, hoist.effort) == pytest.approx((1.7 * power, 2.0 * pull), rel=1e-4)
    assert hoist.brake == pytest.approx(1.8 * pull, rel=1e-4)
    mass = inertia * (rpm * math.pi / 30.0 / speed) ** 2
    for crane in (two, four):
        assert crane.scene.winches[0].mass == pytest.approx(mass, rel=1e-4)


@pytest.mark.parametrize(("name", "side"), [("tower_12t", 2.3), ("tower_5t", 1.15)])
def test_soft_modes_have_the_frequencies_of_the_empty_crane(name, side):
    """k = (2 pi f)^2 I and c = 2 zeta k / (2 pi f), with the moment I behind each hinge."""
    rigid, soft = (load_crane(name, {"crane.structure.mode": mode}) for mode in ("rigid", "soft"))
    whole = next(body for body in rigid.scene.bodies if body.name == "jib")
    bodies = {body.name: body for body in soft.scene.bodies}
    joints = {joint.name: joint for joint in soft.scene.joints}
    radius = joints["trolley"].position
    shares = (bodies["tower_head"].mass / whole.mass, bodies["slewing_part"].mass / whole.mass)
    assert shares == pytest.approx((0.05, 12.0 / 45.0))
    top, table = (share * whole.mass * side**2 / 6.0 for share in shares)
    trolley, block = bodies["trolley"].mass, bodies["hook_block"].mass
    behind = {
        "tower_torsion": (0.35, whole.inertia[2] + top + trolley * radius**2),
        "jib_pitch": (0.45, whole.inertia[2] - table + (trolley + block) * radius**2),
    }
    for joint, (frequency, inertia) in behind.items():
        omega = 2.0 * math.pi * frequency
        assert joints[joint].stiffness == pytest.approx(omega**2 * inertia, rel=1e-4)
        assert joints[joint].damping == pytest.approx(0.02 * omega * inertia, rel=1e-4)
    assert bodies["jib"].mass + bodies["slewing_part"].mass == pytest.approx(whole.mass)
    assert bodies["jib"].inertia[2] + table == pytest.approx(whole.inertia[2])


@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize("angle", [0.0, 75.0])
def test_a_hanging_start_is_in_equilibrium(n, angle):
    mass = {2: 6000.0, 4: 12000.0}[n]
    crane = load_crane(
        "tower_12t",
        {
            **HANGING,
            **HELD,
            "reeving.n_falls": n,
            "rig.load.mass": mass,
            "rig.start.slewing_angle_deg": angle,
        },
    )
    forces = {body.name: np.array([0.0, 0.0, -9.81 * body.mass]) for body in crane.scene.bodies}
    torques = {body.name: np.zeros(3) for body in crane.scene.bodies}
    origins = {body.name: np.array(body.position) for body in crane.scene.bodies}
    for cable in crane.scene.cables:
        points = node_points(crane, cable)
        spans = np.diff(points, axis=0)
        lengths = np.linalg.norm(spans, axis=1)
        tension = cable.pretension or cable.ea * (lengths.sum() / cable.length - 1.0)
        assert tension > 1000.0
        torque = 0.0
        if cable.name == crane.ropes[0]:
            slack = (lengths.sum() + cable.torque_arm * cable.twist) / (
                1.0 + tension / cable.axial_rigidity
            )
            torque = cable.torque_arm * tension + cable.torsional_rigidity / slack * cable.twist
            assert torque > 1.0
        for i, (span, length) in enumerate(zip(spans, lengths, strict=True)):
            for node, point, sign in (
                (cable.nodes[i], points[i], 1.0),
                (cable.nodes[i + 1], points[i + 1], -1.0),
            ):
                pull = sign * tension * span / length
                forces[node.body] += pull
                torques[node.body] += (
                    np.cross(point - origins[node.body], pull) + sign * torque * span / length
                )
    weight = 9.81 * mass
    for body in ("hook_block", "load"):
        assert forces[body] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9 * weight)
        assert torques[body] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9 * weight)
    assert forces["trolley"][:2] == pytest.approx([0.0, 0.0], abs=1e-9 * weight)


def test_a_standing_start_has_slack_slings_and_taut_hoist_rope():
    crane = load_crane("tower_crane")
    rope, *slings = crane.scene.cables
    assert [sling.name for sling in slings] == ["sling_1", "sling_2", "sling_3", "sling_4"]
    for sling in slings:
        points = node_points(crane, sling)
        assert sling.length - math.dist(*points) == pytest.approx(0.01, rel=1e-6)
    assert rope.pretension == pytest.approx(350.0 * 9.81 / 2.0, rel=1e-4)
    assert rope.breaking_force == pytest.approx(1.596e5, rel=3e-4)
    assert rope.diameter == 0.016
    load = next(body for body in crane.scene.bodies if body.name == "load")
    assert load.position == pytest.approx((20.0, 0.0, 0.5), abs=2e-4)


@pytest.mark.parametrize("n", [2, 4])
def test_the_hoist_axis_reads_the_hooks_depth(n):
    crane = load_crane("tower_12t", {**HANGING, "reeving.n_falls": n, "rig.load.mass": 1.0})
    rope, axis = crane.scene.cables[0], crane.axis("hoist")
    points = node_points(crane, rope)
    path = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    unstretched = path / (1.0 + rope.pretension / rope.axial_rigidity)
    reading = (unstretched - axis.zero) / axis.ratio
    assert reading == pytest.approx(40.0, abs=0.02)  # stretch by the block and slope of the falls
    hook = next(body for body in crane.scene.bodies if body.name == "hook_block")
    sling = crane.scene.cables[1].nodes[0]
    sheaves = next(body for body in crane.scene.bodies if body.name == "trolley").position[2]
    assert sheaves - (hook.position[2] + sling.position[2]) == pytest.approx(40.0)


def test_axes_speak_the_trades_language():
    crane = load_crane("tower_12t")
    slewing, trolley, hoist = crane.axes
    assert (slewing.name, trolley.name, hoist.name) == ("slewing", "trolley", "hoist")
    assert slewing.max_speed * slewing.trade_factor == pytest.approx(0.7, abs=1e-3)
    assert trolley.max_speed * trolley.trade_factor == pytest.approx(80.0, abs=0.1)
    assert (trolley.lower, trolley.upper) == (2.8, 69.5)
    assert hoist.trade_factor < 0.0 < hoist.ratio
    assert hoist.ratio == 2.0
    sheaves = crane.details.parts["jib"].at[2]
    assert (sheaves - hoist.lower, sheaves - hoist.upper) == pytest.approx((60.0, 0.0))


@pytest.mark.parametrize(("n", "fast"), [(2, 1.333), (4, 0.667)])
def test_gear_limits_hoisting_light_loads_and_power_heavy_ones(n, fast):
    light = load_crane("tower_12t", {"reeving.n_falls": n, "rig.load.mass": 500.0})
    heavy = load_crane("tower_12t", {"reeving.n_falls": n, "rig.load.mass": 6000.0})
    assert light.axis("hoist").max_speed == pytest.approx(fast)
    gross = 6000.0 + heavy.details.hooks["hook_block"].mass
    assert heavy.axis("hoist").max_speed * gross * 9.81 == pytest.approx(45e3 * 0.85, rel=1e-9)
    drive = next(d for d in heavy.scene.drives if d.name == "hoist")
    assert drive.max_speed == pytest.approx(n * fast)
    assert drive.max_acceleration == pytest.approx(n * fast / 2.0)
    assert drive.max_effort == pytest.approx(2.0 * 31.147e3, rel=1e-4)
    assert drive.brake_effort == pytest.approx(1.8 * 31.147e3, rel=1e-4)


def test_the_slewing_angle_turns_everything():
    straight = load_crane("tower_12t")
    turned = load_crane("tower_12t", {"rig.start.slewing_angle_deg": 30.0})
    quaternion = (math.cos(math.radians(15.0)), 0.0, 0.0, math.sin(math.radians(15.0)))
    for before, after in zip(straight.scene.bodies, turned.scene.bodies, strict=True):
        assert after.orientation == pytest.approx(qmult(quaternion, before.orientation))
        assert after.position == pytest.approx(rotate(quaternion, before.position))
    slewing, trolley = turned.scene.joints
    assert slewing.position == pytest.approx(math.radians(30.0))
    assert trolley.axis == pytest.approx((math.cos(math.radians(30.0)), 0.5, 0.0))
    assert trolley.position == 20.0


def test_the_slewing_part_has_the_inertia_of_the_file():
    jib = load_crane("tower_12t").scene.bodies[0]
    assert (jib.name, jib.mass, jib.inertia[2]) == ("jib", 45000.0, 2.8e7)
    assert jib.position[:2] == (0.0, 0.0)
    x, y, z = jib.inertia
    assert x + y >= z


def test_names_of_the_crane_are_names_of_the_scene():
    crane = load_crane("tower_12t")
    bodies = {body.name for body in crane.scene.bodies}
    assert {*crane.suspension[:4], crane.watched} <= bodies
    assert crane.ropes[0] in {cable.name for cable in crane.scene.cables}
    assert {axis.drive for axis in crane.axes} == {drive.name for drive in crane.scene.drives}
    assert crane.suspension.n_falls == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({**HANGING, "rig.start.hook_depth": 63.0}, "load support"),
        ({**HANGING, "rig.start.hook_depth": 2.0}, "rig.start.at.hoist 3.5"),
        ({"rig.start.slewing_angle_deg": 700.0}, "540"),
        ({"crane.hook_height": 80}, "crane.hook_height 60 75 80"),
        ({"friction.slewing.damping": 1.0}, "friction"),
        ({"drives.hoist.power": 30e3}, "drives"),
        ({"rig.load.size": (2.0, 2.0, 70.0)}, "high 3.5 m"),
    ],
)
def test_what_cannot_be_built_is_refused(changes, message):
    with pytest.raises(SpecError, match=naming(message)):
        load_crane("tower_12t", changes)


def test_platform_names_must_differ():
    text = to_yaml(load_crane("tower_12t").details).replace("name: platform", "name: ground")
    with pytest.raises(ConfigError, match="platforms"):
        parse_spec(text, KitCrane)


def start_yaw(crane):
    """Angle of the block from the jib at the start [rad]."""
    turns = {body.name: body.orientation for body in crane.scene.bodies}
    jib, block = turns[crane.suspension.base], turns[crane.suspension.hook]
    return 2.0 * math.atan2(block[3], block[0]) - 2.0 * math.atan2(jib[3], jib[0])


def test_the_hoist_rope_carries_torque_and_the_slings_do_not():
    rope, *slings = load_crane("tower_12t", HELD).scene.cables
    assert rope.torque_arm == pytest.approx(0.0076 * 0.016)
    assert rope.torsional_rigidity == pytest.approx(1.76e9 * 0.016**4)
    assert rope.axial_rigidity == pytest.approx(1.0957e7, rel=1e-4)
    assert not any(sling.measures_twist for sling in slings)
    assert slings[0].axial_rigidity == pytest.approx(0.46 * 105e9 * 0.016**2)


def height_of_hook(crane):
    """Height of the hook at the start [m]."""
    block = next(body for body in crane.scene.bodies if body.name == "hook_block")
    return block.position[2] + crane.details.hook_point()[2]


@pytest.mark.parametrize(
    ("state", "depth", "mass"), [("hanging", 40.0, 4350.0), ("on_ground", 60.713, 350.0)]
)
def test_the_block_starts_where_the_ropes_torque_turns_it(state, depth, mass):
    """W S_t S_b sin(yaw) / (4 h) = k_t d W - n^2 GJ / L yaw, with falls 1.2 m apart on top and 0.4
    m at the block.

    The rope's own stiffness takes 2 % of the torque under 4 t, and a quarter of it under the empty
    block.
    """
    crane = load_crane("tower_12t", HELD | {"rig.start.state": state, "rig.start.hook_depth": 40.0})
    assert crane.axis("hoist").upper - height_of_hook(crane) == pytest.approx(depth, abs=1e-3)
    h, yaw, weight, length = depth - 1.0, start_yaw(crane), 9.81 * mass, 80.4 + 2.0 * (depth - 1.0)
    laid, own = 0.0076 * 0.016 * weight, 4.0 * 1.76e9 * 0.016**4 / length * yaw
    assert weight * 1.2 * 0.4 * math.sin(yaw) / (4.0 * h) == pytest.approx(laid - own, rel=2e-3)
    assert own / laid == pytest.approx({350.0: 0.25, 4350.0: 0.022}[mass], abs=0.003)
    left = load_crane("tower_12t", HELD | {"rig.start.state": state, "hoist_rope.lay": "left"})
    assert start_yaw(left) == pytest.approx(-start_yaw(crane), rel=1e-9)
    assert left.scene.cables[0].twist == pytest.approx(-crane.scene.cables[0].twist, rel=1e-9)


def test_a_block_that_would_cable_or_swivels_starts_straight():
    wheels = "parts.trolley.wheels."
    close = {f"{wheels}inner.at": (-0.2, 0.0, 0.0), f"{wheels}outer.at": (0.2, 0.0, 0.0)}
    six = {**HANGING, **HELD, **close, "hoist_rope.construction": "6x36ws_iwrc"}
    assert start_yaw(load_crane("tower_12t", {**six, "rig.start.hook_depth": 25.0})) > math.radians(
        50.0
    )
    assert start_yaw(load_crane("tower_12t", {**six, "rig.start.hook_depth": 31.0})) == 0.0
    free = load_crane("tower_12t", {**six, "rig.start.hook_depth": 25.0, "reeving.swivel": True})
    assert start_yaw(free) == 0.0
    assert not free.scene.cables[0].measures_twist
