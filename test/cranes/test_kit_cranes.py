"""Cranes of parts that the catalogue has, beside the luffing jib: against closed forms."""

import dataclasses
import math
import re
from pathlib import Path

import numpy as np
import pytest
from messages import naming
from scipy.optimize import fsolve
from transforms3d.quaternions import quat2mat

from cable_sim.cranes import crane_names, load_crane
from cable_sim.cranes.families.kit.words.parts import PartMotion
from cable_sim.cranes.operator_levers import find_levers
from cable_sim.errors import CableSimError, SpecError
from cable_sim.machine.machine import Machine
from cable_sim.ros.interface import axis_topic
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Body, Box, Motion, Scene, Sine

G = 9.81
ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "config"
LONGEST = 150
WITH_VARIANTS = 300
"""Most lines of the file of a crane of parts, and of one with variants or former paths."""


PLAIN = {"lab_gantry", "lab_inteco", "nehe_rope"}
"""Rigs of laboratories, and the rope in a hand: without limiters or a launch file of their own."""


def is_of_parts(name: str) -> bool:
    """Return True if a crane of the catalogue is one of parts that works for its living."""
    if name in PLAIN:
        return False
    return "type: kit" in (CONFIG / f"{name}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", filter(is_of_parts, sorted(set(crane_names().values()))))
def test_a_crane_of_parts_comes_with_all_that_belongs_to_it(name) -> None:
    """A short file, what its rated load is from, limiters, levers, launch file, RViz, its row."""
    text = (CONFIG / f"{name}.yaml").read_text(encoding="utf-8")
    crane = load_crane(name)
    more = crane.details.variants or crane.details.aliases
    assert len(text.splitlines()) <= (WITH_VARIANTS if more else LONGEST)
    rated = re.search(r"^(?:crane: .*rated_load|  q_max): .*# .*", text, re.MULTILINE)
    assert rated and re.search(r"\[\w+]|\([DKE]\)", rated[0])
    assert crane.details.rated_load and crane.details.limiters
    assert {"outward", "up"} <= set(find_levers(crane))
    assert all(crane.unit_of_reading(name) for name in crane.dials)
    told = re.fullmatch(r"(.+) below (.+)", crane.axis("hoist").reading)
    for body, word in zip(reversed(crane.suspension[1:3]), told.groups(), strict=True):
        assert body.replace("_", " ").startswith(word)
    files = [path.read_text(encoding="utf-8") for path in (ROOT / "launch").glob("*.launch.py")]
    alike = {"tower_5t": "tower_12t", "sts_51t": "rtg_41t"}.get(name, name)
    alike = "overhead_32t" if crane.family == "overhead_crane" else alike
    (display,) = {m for file in files for m in re.findall(rf'Bringup\("{alike}", "(\S+)"', file)}
    assert (ROOT / "rviz" / display).is_file()
    assert f"`{name}`" in (ROOT / "docs" / "howto" / "cranes.md").read_text(encoding="utf-8")


def moved(machine, axis, speed, seconds):
    """How far each body has gone [m], by a speed of an axis for so long."""
    before = machine.observe().body_position.copy()
    for tick in range(round((seconds + 1.0) / machine.tick_time)):
        machine.command(axis, speed if tick * machine.tick_time < seconds else 0.0)
        seen = machine.tick()
    return dict(zip(seen.names.bodies, seen.body_position - before, strict=True))


def test_each_hoist_moves_its_own_hook() -> None:
    machine = Machine(load_crane("overhead_32t"))
    ways = moved(machine, "auxiliary_hoist", 0.2, 5.0)
    assert ways["auxiliary_hook"][2] == pytest.approx(-0.9, abs=0.1)
    assert abs(ways["load"]).max() < 1e-6 > abs(ways["main_hook"]).max()
    ways = moved(machine, "hoist", -0.1, 5.0)
    assert ways["load"][2] == pytest.approx(0.4, abs=0.1)
    assert abs(ways["auxiliary_hook"][2]) < 0.02


def test_both_hooks_sway_with_the_trolley() -> None:
    """The empty one with 2 pi sqrt(h / g) of its block's middle, as the falls run round wheels."""
    crane = load_crane("overhead_32t")
    machine, sways = Machine(crane), []
    while machine.time < 30.0:
        machine.command("gantry", 0.5 if machine.time < 2.0 else 0.0)
        seen = machine.tick()
        sways.append([machine.sway(seen, hung).tangential for hung in crane.suspensions])
    own = np.array(sways)[600:, 1]
    up = np.flatnonzero((own[:-1] < 0.0) & (own[1:] >= 0.0))
    period = (up[-1] - up[0]) / (up.size - 1) * machine.tick_time
    depth = 3.0 - 0.6  # of the block's middle, over the hook
    assert np.abs(sways).max(axis=0).min() > 0.01
    assert period == pytest.approx(2.0 * math.pi * math.sqrt(depth / G), rel=0.05)
    assert axis_topic("auxiliary_hoist") == "auxiliary/winch_command"


def test_a_load_below_a_ship_that_heaves_is_pulled() -> None:
    """By m (g +- a w^2 s), s = 1 / (1 - (w / w_n)^2) of the rope's and slings' stretch."""
    period, amplitude = 7.0, 1.5
    w = 2.0 * math.pi / period
    heave = PartMotion(sines=(Sine(w, (0.0, 0.0, amplitude, 0.0, 0.0, 0.0)),), ramp=14.0)
    path = load_crane("offshore_25t").details.ropes["hoist_rope"].path
    smooth = (*path[:-1], dataclasses.replace(path[-1], efficiency=1.0))
    changes = {"parts.ship.motion": heave, "ropes.hoist_rope.path": smooth}
    crane = load_crane("offshore_25t", changes | {"parts.house.wheels.foot.efficiency": 1.0})
    machine, pulls = Machine(crane), []
    while machine.time < 49.0:
        seen = machine.tick()
        if machine.time > 28.0:
            pulls.append(seen.cable("hoist_rope").tension)
    mass = 10000.0 + 900.0
    rope = crane.details.ropes["hoist_rope"].rope
    length = seen.cable("hoist_rope").length
    natural = math.sqrt(16.0 * rope.ea / length / mass)
    share = 1.0 / (1.0 - (w / natural) ** 2)
    expected = mass * amplitude * w**2 * share / 4.0
    assert 0.5 * np.ptp(pulls) == pytest.approx(expected, rel=0.01)
    assert np.mean(pulls) == pytest.approx(0.25 * mass * G, rel=0.01)


def test_a_crane_on_a_ship_goes_with_it() -> None:
    """Its sway is told in the axes of its house, its rated load is that of its radius."""
    crane = load_crane("offshore_25t")
    machine = Machine(crane)
    for _ in range(3000):
        seen = machine.tick()
    ship = seen.body("ship").orientation
    assert 3e-4 < abs(ship[1]) < 0.1
    assert abs(seen.body("ship").position[2]) < 1.5
    assert machine.readings["radius"] == pytest.approx(
        2.0 + 40.0 * math.cos(math.radians(45.0)), abs=0.01
    )
    assert abs(machine.sway(seen).radial) < 0.2
    assert abs(machine.readings["structure.inclination.y"]) < 0.1


@pytest.mark.parametrize(("frequency", "off"), [(0.3, 0.01), (0.5, 0.1)])
def test_a_long_wave_passes_the_ship_from_starboard_ahead(frequency, off) -> None:
    """The deck lies in the water's surface: a place is ahead of the middle by k times its way."""
    motion = load_crane("offshore_25t").details.parts["ship"].motion
    response = np.array(motion.rao.respond(frequency))
    wave = Motion(
        "ship",
        sines=(Sine(frequency, tuple(np.abs(response)), tuple(np.angle(response))),),
        ramp=20.0,
    )
    ship = Body("ship", 3e6, shape=Box(60.0, 16.0, 8.0), motion="prescribed")
    simulator = Simulator(Scene(bodies=(ship,), motions=(wave,)), dt=0.02)
    places = {"middle": (0, 0, 0), "starboard": (0, -8, 0), "bow": (30, 0, 0)}
    seen = []
    while simulator.time < 20.0 + 4.0 * math.pi / frequency:
        simulator.step(5)
        body = simulator.bodies["ship"]
        turn = quat2mat(body.orientation)
        heights = [(body.position + turn @ place)[2] for place in places.values()]
        seen.append((simulator.time, *heights))
    time, *heights = np.array([row for row in seen if row[0] > 20.0]).T
    base = np.stack([np.sin(frequency * time), np.cos(frequency * time)], axis=1)
    fits = [np.linalg.lstsq(base, height, rcond=None)[0] for height in heights]
    middle, starboard, bow = (math.atan2(cosine, sine) for sine, cosine in fits)
    assert middle == pytest.approx(0.0, abs=1e-3)
    k = frequency**2 / G
    along = math.hypot((starboard - middle) / 8.0, (bow - middle) / 30.0)
    assert min(starboard, bow) > 0.0
    assert along == pytest.approx(k, rel=off)


def mobile(**start):
    """The crane on outriggers, with other coordinates at its start."""
    return {f"rig.start.at.{name}": value for name, value in start.items()}


def outriggers(machine):
    """Forces of the four outriggers [N]."""
    return np.array([machine.readings[f"outrigger_{i}"] for i in (1, 2, 3, 4)])


@pytest.mark.parametrize("slewing", [0.0, 60.0, 150.0])
def test_outriggers_carry_the_crane_as_equal_springs(slewing) -> None:
    """F_i = W (1 / 4 + x x_i / sum x_i^2 + y y_i / sum y_i^2), of what is over the jacks."""
    machine = Machine(load_crane("mobile_32t", mobile(slewing_deg=slewing)))
    for _ in range(100):
        machine.tick()
    s, q, way = math.radians(slewing), math.radians(50.0), 3.0
    out = {14500.0: 0.0, 9000.0: -1.5, 2600.0: -1.2 + 4.2 * math.cos(q)}
    out |= {1900.0: -1.2 + (5.2 + way) * math.cos(q), 4303.0: -1.2 + (9.23 + way) * math.cos(q)}
    weight = sum(out) * G
    radius = sum(mass * r for mass, r in out.items()) / sum(out)
    places = np.array([(3.2, 3.355), (3.2, -3.355), (-3.2, -3.355), (-3.2, 3.355)])
    centre = radius * np.array((math.cos(s), math.sin(s)))
    expected = weight * (0.25 + places @ (centre / (places**2).sum(axis=0)))
    assert outriggers(machine) == pytest.approx(expected, rel=2e-3)
    shares = [2.0 * (0.25 + abs(c) / (4.0 * p)) for c, p in zip(centre, places[0], strict=True)]
    assert machine.readings["tipping"] == pytest.approx(max(shares), rel=2e-3)


def test_a_crane_that_would_tip_over_is_refused() -> None:
    with pytest.raises(SpecError, match=naming("parts.jack_* pulled down crane tips")):
        load_crane("mobile_32t", {"rig.load.mass": 14000.0} | mobile(luffing_deg=20.0, hoist=4.5))


@pytest.mark.parametrize("guarded", [True, False])
def test_limiters_keep_a_crane_from_tipping_over(guarded) -> None:
    """With 12 t over its side, the boom goes down until they stop it, or the crane turns over."""
    start = mobile(slewing_deg=90.0, luffing_deg=48.0, telescoping=5.0, hoist=4.0)
    machine = Machine(load_crane("mobile_32t", {"rig.load.mass": 12000.0} | start))
    if not guarded:
        for limiter in ("tipping", "load_moment_limiter"):
            machine.plc.bypass(limiter, True)
    worst = roll = 0.0
    while machine.time < 16.0:
        machine.command("luffing", -0.03)
        roll = max(roll, 2.0 * abs(machine.tick().body("carrier").orientation[1]))
        worst = max(worst, machine.readings["tipping"]) if machine.time > 1.0 else 0.0
    assert (machine.limits["load_moment_limiter"] == "tripped") == guarded
    assert (worst < 0.97, roll < 0.01) == (guarded, guarded), (worst, roll)


def test_telescoping_takes_the_load_outward_and_up() -> None:
    """By its way along the boom; a sixth of it is taken from the falls."""
    machine = Machine(load_crane("mobile_32t", mobile(slewing_deg=0.0)))
    ways = moved(machine, "telescoping", 0.2, 10.0)
    extended = machine.axis_state(machine.seen, "telescoping").position - 3.0
    q = math.radians(50.0)
    assert extended == pytest.approx(2.0, abs=0.1)
    assert machine.readings["radius"] == pytest.approx(
        -1.2 + (12.23 + extended) * math.cos(q), abs=0.01
    )
    assert ways["load"][2] == pytest.approx(extended * (math.sin(q) + 1.0 / 6.0), abs=0.05)


def turning(arm, force):
    """Moment of a force [N] at an arm [m] about the axis across the plane of both [N m]."""
    return arm[0] * force[1] - arm[1] * force[0]


def test_a_rope_luffs_the_boom() -> None:
    """Eight parts of line hold boom, load and the pull of the hoist rope about the hinge; and the
    boom's angle follows from their length, but for their stretch."""
    machine = Machine(load_crane("crawler_50t"))
    q = math.radians(55.0)
    along, up = np.array((math.cos(q), math.sin(q))), np.array((-math.sin(q), math.cos(q)))
    gantry, foot = np.array((-1.7, 4.4)), np.array((0.0, 0.35))
    tip, eye = 30.0 * along, 29.2 * along + 0.35 * up
    falls = 3100.0 * G
    hoist = 0.25 * falls * (foot - tip) / math.hypot(*(foot - tip), 0.45)
    moment = 4200.0 * G * 14.0 * along[0] + falls * tip[0] - turning(tip, hoist)
    lever = turning(eye, (gantry - eye) / np.linalg.norm(gantry - eye))
    seen = machine.tick()
    assert seen.cable("boom_rope").tension == pytest.approx(moment / lever / 8.0, rel=1e-4)
    moved(machine, "luffing", -0.8, 8.0)
    paid = machine.axis_state(machine.seen, "luffing").position
    q = machine.seen.joint("boom_hinge").position
    along, up = np.array((math.cos(q), math.sin(q))), np.array((-math.sin(q), math.cos(q)))
    way = np.linalg.norm(gantry - 29.2 * along - 0.35 * up) - np.linalg.norm(gantry - eye)
    assert math.degrees(q) > 65.0
    assert paid == pytest.approx(8.0 * way, abs=0.15)
    assert machine.readings["radius"] == pytest.approx(1.1 + 30.0 * math.cos(q), abs=0.02)


def test_an_overload_may_only_be_luffed_up() -> None:
    """5 t at 18.3 m, where the chart has 3.4: a rope that pays out would lower the boom."""
    machine = Machine(load_crane("crawler_50t", {"rig.load.mass": 5000.0}))
    moved(machine, "luffing", 0.0, 2.0)
    assert machine.limits["load_moment_limiter"] == "tripped"
    for speed, moves in ((0.5, False), (-0.5, True)):
        start = machine.axis_state(machine.seen, "luffing").position
        moved(machine, "luffing", speed, 2.0)
        way = machine.axis_state(machine.seen, "luffing").position - start
        assert (abs(way) > 0.1) == moves, speed
    lever = find_levers(machine.crane)["outward"]
    assert (lever.axis.name, lever.sense_of_coordinate) == ("luffing", 1)


def test_a_hook_may_hang_on_two_ropes_of_one_drum(tmp_path) -> None:
    """Each in half of the falls, with the tension of one rope in all of them."""
    text = (CONFIG / "overhead_32t.yaml").read_text(encoding="utf-8")
    begin, end = text.index("  main_rope:"), text.index("  auxiliary_rope:")
    one = text[begin:end].replace("falls: 8", "falls: 4")
    one = one.replace("    winch_mass", "    winch: main_winch\n    winch_mass")
    other = one.replace("main_rope", "other_rope").replace("trolley.main", "trolley.other")
    text = text[:begin] + one + other + text[end:]
    text = text.replace("ropes: [main_rope]", "ropes: [main_rope, other_rope]")
    text = text.replace("      main: [-0.9", "      other: [-0.9, 0.3, 0.6]\n      main: [-0.9")
    path = tmp_path / "two_ropes.yaml"
    path.write_text(text, encoding="utf-8")
    crane, usual = load_crane(path), load_crane("overhead_32t")
    hung = crane.suspension
    assert (hung.n_falls, hung.ropes) == (8, ("main_rope", "other_rope"))
    assert len(crane.scene.winches) == 2
    pulls = {cable.name: cable.pretension for cable in crane.scene.cables}
    usual_pull = next(c.pretension for c in usual.scene.cables if c.name == "main_rope")
    assert pulls["main_rope"] == pytest.approx(usual_pull, rel=3e-3)
    assert pulls["other_rope"] == pytest.approx(pulls["main_rope"], rel=3e-3)
    machine = Machine(crane)
    assert moved(machine, "hoist", -0.1, 3.0)["load"][2] == pytest.approx(0.25, abs=0.05)


SPAN, TOP = 615.0, 175.0
"""Of the cableway: its span, and the height of both ends of the track rope [m]."""
EA, LENGTH = 160e9 * 3.58e-3, 616.6
"""Of its track rope [N, m]."""


def track(load, x, weight):
    """Sag at a load [N] that a frictionless wheel puts on a rope at x, tension and force along x of
    the rope on it [N], by two parabolas (Irvine 1981, chapter 2).

    A part of the chord c over the level way a has the slope s / a - w a / 2 H at the wheel, and the
    length c + w^2 a^3 / 24 H^2; the lengths are L0 (1 + T / EA).
    """
    ways = np.array((0.5 * SPAN + x, 0.5 * SPAN - x))

    def slopes(sag, tension):
        return np.arctan(sag / ways - weight * ways / 2.0 / tension)

    def off(unknown):
        sag, tension = unknown * (SPAN, load)
        parts = np.hypot(ways, sag) + weight**2 * ways**3 / 24.0 / tension**2
        lift = tension * np.sin(slopes(sag, tension)).sum()
        return lift / load - 1.0, parts.sum() / LENGTH - 1.0 - tension / EA

    sag, tension = fsolve(off, (0.05, 6.0), xtol=1e-12) * (SPAN, load)
    left, right = np.cos(slopes(sag, tension))
    return sag, tension, tension * (right - left)


def cableway(mass, x, rope):
    """Sag [m] and tension [N] of the track at the carriage, and what the haul wheel holds [N].

    Hoist and haul rope pull at the carriage, too, along the lines to their towers.
    """
    ends, falls, held = 0.5 * SPAN + 2.0, 0.5 * (mass + 1000.0) * G, 0.0
    load = weight = (mass + 5000.0) * G
    for _ in range(30):
        sag, tension, slope = track(load, x, rope)
        pulls = (
            (falls, -ends - x + 0.9, sag + 3.0),
            (falls, ends - x - 0.9, sag + 3.0),
            (90e3 + held, -ends - x, sag - 0.4),
            (90e3, ends - x, sag + 0.6),
        )
        along, up = sum(p * np.array((h, v)) / math.hypot(h, v) for p, h, v in pulls)
        held += along + slope
        load = weight - up
    return sag, tension, held


@pytest.mark.parametrize("model", ["massless", "elevation"])
@pytest.mark.parametrize(("mass", "x"), [(20000.0, 0.0), (20000.0, -200.0), (1.0, 120.0)])
def test_a_cableway_sags_and_pulls_as_in_theory(model, mass, x) -> None:
    """The elevation cable is for small slopes: its pulls are off by 0.3 % of the tension."""
    start = {"rig.load.mass": mass, "rig.start.at.travel": x, "rig.start.at.hoist": 20.0}
    for wheel, along in (("near", -0.05), ("far", 0.05)):  # as if on one
        start[f"parts.carriage.wheels.{wheel}.at"] = (along, 0.0, 0.9)
    machine = Machine(load_crane("cableway_20t", start | {"ropes.track_rope.model": model}))
    for _ in range(100):
        seen = machine.tick()
    carriage, travel = seen.body("carriage"), machine.axis_state(seen, "travel")
    sag, tension, held = cableway(mass, x, 29.75 * G if model == "elevation" else 0.0)
    off = 3e-4 if model == "massless" else 3e-3
    assert carriage.position[:2] == pytest.approx((x, 0.0), abs=1e-4)
    assert TOP - carriage.position[2] - 0.9 == pytest.approx(sag, rel=off)
    assert seen.cable("track_rope").tension == pytest.approx(tension, rel=off)
    assert -travel.effort == pytest.approx(held, abs=off * tension)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"parts.head.wheels.haul_wheel.inertia": None}, "friction inertia"),
        ({"parts.head.wheels.haul_wheel.efficiency": 0.9}, "friction place half_turn"),
        ({"parts.carriage.wheels.near.turns": 1}, "turns wheel friction inertia"),
        ({"ropes.haul_rope.pretension": None}, "pretension missing [N]"),
        ({"ropes.track_rope.pretension": 1e6}, "pretension length"),
        (
            {"ropes.haul_rope.path": ("carriage.haul", "head.haul_wheel")},
            "place friction before after wheel",
        ),
        ({"axes.travel.limits": None}, "limits missing drive rope wheel"),
        ({"axes.travel.on": "wheel"}, "joint rope winch wheel 'wheel'"),
        ({"rig.start.at.travel": 300.0}, "-270 270 300"),
        ({"ropes.hoist_rope.winch_mass": None}, "joint rope winch wheel 'hoist_rope'"),
        (
            {
                "ropes.track_rope.length": None,
                "ropes.track_rope.pretension": 1e4,
                "ropes.haul_rope.pretension": 1e3,
            },
            "parts.carriage ropes hold near 'at'",
        ),
    ],
)
def test_a_cableway_that_can_not_be_is_refused(changes, told) -> None:
    with pytest.raises(CableSimError) as caught:
        load_crane("cableway_20t", changes)
    assert naming(told).search(str(caught.value))


def test_the_levers_of_a_cableway_move_its_carriage() -> None:
    crane = load_crane("cableway_20t")
    lever = find_levers(crane)["outward"]
    assert (lever.axis.name, lever.sense_of_coordinate) == ("travel", 1)
    assert axis_topic("travel") == "travel_command"
    assert "haul_wheel - carriage.haul <- travel" in crane.details.outline()
