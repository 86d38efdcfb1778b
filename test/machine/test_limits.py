"""Limiters in a running crane: what the published chart allows, and which way a stopped crane may
still go."""

import math
from dataclasses import replace

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.instruments import Instrument, Threshold
from cable_sim.errors import CommandError, ConfigError, SpecError
from cable_sim.machine.machine import Machine

HANGING = {"rig.start.state": "hanging", "rig.start.hook_depth": 30.0}
LAG = 0.2
"""Of the trolley's speed loop [s]: by so much a speed is behind its ramp."""
RAMPED = 1.0 - 0.4 + 0.4 * LAG * (1.0 - math.exp(-1.0 / LAG))
"""Speed after a second of the ramp of 0.4 m/s^2 down from 1 m/s [m/s]."""
CHART = {
    2: {30.0: 6000.0, 40.0: 5610.0, 50.0: 4240.0, 60.0: 3340.0},
    4: {20.0: 12000.0, 25.0: 9660.0, 30.0: 7780.0, 40.0: 5470.0, 50.0: 4110.0, 60.0: 3210.0},
}
"""Published capacities [kg] of the Zoomlion R275-12 with a jib of 70 m, by falls and radius [m]."""
POINTS = [(falls, radius) for falls, row in CHART.items() for radius in row]


def tower(**changes):
    return Machine(
        load_crane(
            "tower_12t", HANGING | {path.replace("__", "."): v for path, v in changes.items()}
        )
    )


def loaded(mass, radius=30.0, falls=2, **changes):
    return tower(rig__load__mass=mass, rig__start__radius=radius, reeving__n_falls=falls, **changes)


def run(machine, seconds, mode="speed", **values):
    """Repeat commands for a while; the last observation."""
    for _ in range(round(seconds / machine.tick_time)):
        for axis, value in values.items():
            machine.command(axis, value, mode)
        seen = machine.tick()
    return seen


def speed(machine, axis):
    return machine.axis_state(machine.observe(), axis).velocity


def position(machine, axis):
    return machine.axis_state(machine.observe(), axis).position


@pytest.mark.parametrize(("falls", "radius"), POINTS)
def test_the_moment_limiter_trips_at_the_published_capacity(falls, radius):
    """Within 0.5 %: not below it, and above."""
    exact = Threshold(trip=1.0, delay=0.2)
    for factor, state in ((0.995, "ok"), (1.005, "tripped")):
        machine = loaded(
            factor * CHART[falls][radius], radius, falls, limiters__load_moment_limiter=exact
        )
        run(machine, 1.0)
        assert machine.limits["load_moment_limiter"] == state
        assert machine.readings["load_moment"] == pytest.approx(factor, abs=4e-3)


def test_a_load_that_travels_out_is_warned_of_and_stopped():
    """4.24 t: nine tenths of the capacity are at 46.03 m, 105 % at 51.94 m, where it may go back
    and down.

    Wheels without loss, so that the rope's ends carry what the falls do.
    """
    machine, warned = loaded(4240.0, 45.0, reeving__sheave_efficiency=1.0), 0.0
    for _ in range(4000):
        machine.command("trolley", 0.3)
        machine.tick()
        if not warned and machine.limits["load_moment_limiter"] == "warning":
            warned = position(machine, "trolley")
        if machine.limits["load_moment_limiter"] == "tripped":
            break
    assert warned == pytest.approx(46.03, abs=0.1)
    assert position(machine, "trolley") == pytest.approx(
        51.94 + 0.3 * 1.0, abs=0.15
    )  # 1 s of delay
    run(machine, 4.0, trolley=1.0, hoist=-0.3)
    assert abs(speed(machine, "trolley")) < 1e-3 and abs(speed(machine, "hoist")) < 1e-3
    assert machine.limits["load_moment_limiter"] == "tripped"
    run(machine, 3.0, trolley=-0.3, hoist=0.2)
    assert speed(machine, "trolley") == pytest.approx(-0.3, rel=0.05)
    assert speed(machine, "hoist") == pytest.approx(0.2, rel=0.05)
    run(machine, 20.0, trolley=-0.5)
    assert machine.limits["load_moment_limiter"] == "ok"


@pytest.mark.parametrize("mode", ["speed", "position", "effort"])
def test_an_overload_can_be_lowered_but_not_hoisted_in_any_mode(mode):
    machine = loaded(6600.0)
    run(machine, 1.5)
    assert machine.limits["load_limiter"] == machine.limits["load_moment_limiter"] == "tripped"
    before = machine.axis_state(machine.observe(), "hoist")
    weight = -(6600.0 + 350.0) * 9.81
    up, down = {
        "speed": (-0.3, 0.3),
        "position": (20.0, 40.0),
        "effort": (1.1 * weight, 0.9 * weight),
    }[mode]
    run(machine, 3.0, mode, hoist=up)
    assert position(machine, "hoist") == pytest.approx(before.position, abs=0.02)
    assert machine.limits["load_limiter"] == "tripped"
    run(machine, 1.5, mode, hoist=down)
    assert position(machine, "hoist") > before.position + 0.1


def test_a_rated_load_is_hoisted_at_full_speed_without_tripping():
    """Its bounce and the ramp go beyond 105 % for less than the delay."""
    machine, loads = loaded(6000.0), []
    for _ in range(500):
        run(machine, machine.tick_time, hoist=-1.0)
        loads.append(machine.readings["load.share"])
    assert max(loads) > 1.05
    assert speed(machine, "hoist") == pytest.approx(
        -machine.crane.axis("hoist").max_speed, rel=0.05
    )
    assert machine.limits["load_limiter"] in ("ok", "warning", "pending")


def test_a_dead_load_pin_blocks_what_it_guards_and_nothing_else():
    machine = loaded(2000.0)
    run(machine, 0.5, hoist=-0.3)
    machine.plc.fault("hoist_rope.pull", dead=True)
    run(machine, 3.0, hoist=-0.3, trolley=0.3)
    states = machine.limits
    assert {
        states[name] for name in ("load_limiter", "load_moment_limiter", "slack_rope_switch")
    } == {"invalid"}
    assert math.isnan(machine.readings["load"]) and any(
        "invalid" in notice for notice in machine.notices
    )
    assert abs(speed(machine, "hoist")) < 1e-3 and abs(speed(machine, "trolley")) < 1e-3
    run(machine, 2.0, trolley=-0.3)
    assert speed(machine, "trolley") == pytest.approx(-0.3, rel=0.05)
    machine.plc.fault("hoist_rope.pull")
    run(machine, 3.0, hoist=-0.3)
    assert speed(machine, "hoist") == pytest.approx(-0.3, rel=0.05)


def test_a_wrong_number_of_falls_in_the_control_doubles_the_load():
    machine = loaded(4000.0)
    machine.plc.miscalibrate("load", 2.0)
    run(machine, 1.5)
    assert machine.readings["load"] == pytest.approx(2.0 * 4350.0 - 350.0, rel=5e-3)
    assert machine.limits["load_limiter"] == "tripped"


def test_the_hook_slows_down_before_its_upper_limit():
    machine = tower(rig__start__hook_depth=8.0)
    top, passed = machine.crane.axis("hoist").lower, []
    limit = machine.crane.axis("hoist").max_speed
    while machine.time < 30.0:
        run(machine, machine.tick_time, hoist=-1.0)
        state = machine.axis_state(machine.observe(), "hoist")
        passed.append((state.position - top, -state.velocity))
    room, up = np.array(passed).T
    assert up[(room > 2.1) & (room < 2.6)].max() > 0.9 * limit
    assert up[room < 1.0].max() == pytest.approx(0.3 * limit, rel=0.05)
    assert 0.0 < room[-1] < 5e-3
    assert machine.limits["hoist_upper_slow_down"] == "tripped"


def test_an_encoder_that_lies_is_caught_by_its_limit_switch():
    """The control reads 5 m less than there are: it stops there, and lets down again."""
    machine = tower(rig__start__hook_depth=9.0)
    machine.plc.fault("hoist.position", bias=-5.0)
    run(machine, 12.0, hoist=-1.0)
    assert machine.limits["hoist_upper_limit"] == "tripped"
    assert position(machine, "hoist") == pytest.approx(
        machine.crane.axis("hoist").lower + 5.0, abs=0.3
    )
    run(machine, 2.0, hoist=0.3)
    assert speed(machine, "hoist") == pytest.approx(0.3, rel=0.05)


def test_overspeed_closes_the_brakes_until_somebody_resets_it():
    machine = loaded(6000.0)
    run(machine, 4.0, hoist=1.0)
    rated = speed(machine, "hoist")
    machine.plc.fault("hoist.speed", scale=1.2)
    run(machine, 0.05, hoist=1.0)
    assert machine.limits["overspeed_trip"] == "tripped" and machine.plc.records[3].stop[1]
    assert machine.stop_category == 0
    run(machine, 3.0, hoist=1.0, trolley=0.5)
    assert machine.limits["overspeed_trip"] == "latched"
    assert abs(speed(machine, "hoist")) < 1e-3 * rated and abs(speed(machine, "trolley")) < 1e-3
    machine.plc.fault("hoist.speed")
    machine.reset_latches()
    run(machine, 4.0, hoist=1.0)
    assert speed(machine, "hoist") == pytest.approx(rated, rel=0.02)


def test_a_command_from_before_a_latch_reset_is_not_obeyed():
    machine = tower()
    run(machine, 0.5)
    machine.plc.fault("hoist.speed", bias=5.0)
    run(machine, 0.1)
    machine.plc.fault("hoist.speed")
    run(machine, 0.1, trolley=0.5)
    assert machine.limits["overspeed_trip"] == "latched"
    machine.reset_latches()
    run(machine, 0.4)
    assert machine.stop_category is None and abs(speed(machine, "trolley")) < 1e-3


def test_wind_ramps_all_motions_down_until_new_commands_come():
    machine = tower()
    run(machine, 5.0, trolley=1.0)
    machine.plc.set_wind(25.0)
    while machine.limits["wind"] != "tripped":
        run(machine, machine.tick_time, trolley=1.0)
    assert machine.time == pytest.approx(
        5.0 + 3.0 * math.log(25.0 / (25.0 - 20.0)), abs=0.3
    )  # 3 s of the filter
    run(machine, 1.0)
    assert speed(machine, "trolley") == pytest.approx(RAMPED, abs=1e-6)
    machine.plc.set_wind(5.0)
    run(machine, 10.0)
    assert machine.limits["wind"] == "ok" and machine.stop_category is None
    assert speed(machine, "trolley") == pytest.approx(0.0, abs=1e-6)


def test_stops_by_category():
    """Category 0 takes what the brakes take, category 1 and the dead-man control the ramp's 0.4
    m/s^2."""
    left = {}
    for name, stop in (
        ("brakes", lambda machine: machine.emergency_stop(True)),
        ("ramps", lambda machine: machine.emergency_stop(True, category=1)),
        ("hand", lambda machine: machine.enable(False)),
    ):
        machine = tower()
        run(machine, 5.0, trolley=1.0)
        stop(machine)
        run(machine, 1.0, trolley=1.0)
        left[name] = speed(machine, "trolley")
        assert machine.limits["enable" if name == "hand" else "estop"] == "tripped"
        run(machine, 3.0)
        assert abs(speed(machine, "trolley")) < 1e-6
        machine.emergency_stop(False)
        machine.reset_latches()
        machine.enable(True)
        assert abs(speed(machine, "trolley")) < 1e-6
        run(machine, 3.0, trolley=0.5)
        assert speed(machine, "trolley") == pytest.approx(0.5, rel=0.02)
    assert left["ramps"] == left["hand"] == pytest.approx(RAMPED, abs=1e-6)
    assert abs(left["brakes"]) < 0.1


def test_an_emergency_stop_gets_stricter_and_not_milder():
    machine = tower()
    machine.emergency_stop(True, category=1)
    assert machine.stop_category == 1
    machine.emergency_stop(True)
    machine.emergency_stop(True, category=1)
    assert machine.stop_category == 0
    with pytest.raises(CommandError, match=naming("0 1")):
        machine.emergency_stop(True, category=2)


def test_a_restored_machine_goes_on_to_the_bit():
    machine = loaded(4000.0, 45.0)
    run(machine, 1.0, trolley=0.5, hoist=-0.2)
    machine.plc.fault("hoist_rope.pull", drift=6000.0)
    run(machine, 1.0, trolley=0.5)
    saved, found = machine.save(), []
    for _ in range(2):
        for _ in range(300):
            machine.command("trolley", 0.7)
            seen = machine.tick()
        found.append(
            (
                seen.body_position.tobytes(),
                seen.span_tension.tobytes(),
                machine.readings,
                machine.limits,
            )
        )
        machine.restore(saved)
    assert found[0] == found[1]
    assert "tripped" in found[0][3].values()
    assert machine.time == pytest.approx(2.0)


def test_an_order_whose_mode_is_switched_off_does_not_come_back():
    machine = tower()
    run(machine, 0.1)
    machine.command("trolley", 40.0, "position")
    saved = machine.save()
    axes = tuple(
        replace(axis, modes=("speed",)) if axis.name == "trolley" else axis
        for axis in machine.crane.axes
    )
    machine.retune(replace(machine.crane, axes=axes))
    machine.restore(saved)
    before = machine.axis_state(machine.observe(), "trolley").position
    for _ in range(100):
        seen = machine.tick()
    assert machine.axis_state(seen, "trolley").position == pytest.approx(before, abs=1e-3)


def test_reset_lets_go_of_faults_and_latches():
    machine = tower()
    machine.plc.fault("hoist.speed", bias=5.0)
    run(machine, 0.2)
    assert machine.limits["overspeed_trip"] == "tripped"
    machine.enable(False)
    machine.reset()
    assert set(machine.limits.values()) == {"ok"} and all(
        map(math.isnan, machine.readings.values())
    )
    run(machine, 0.2)
    assert set(machine.limits.values()) == {"ok"}


def gantry(**changes):
    return Machine(load_crane("rtg_41t", {"rig.start.state": "hanging"} | changes))


def test_the_gantry_weighs_its_load_and_stops_an_overload():
    for mass, state in ((41000.0 * 1.095, "warning"), (41000.0 * 1.105, "tripped")):
        machine = gantry(**{"rig.load.mass": mass})
        run(machine, 1.0)
        assert machine.limits["load_limiter"] == state
        assert machine.readings["load"] == pytest.approx(mass, rel=2e-3)


def test_an_eccentric_load_is_not_hoisted():
    """A torque of W b on the spreader moves W by b towards one pair of ropes, which are 4 m apart:
    62 % there."""
    machine = gantry()
    weight = 51000.0 * 9.81
    for share in np.linspace(0.0, 0.12, 100):  # slowly, so that it does not rock
        machine.simulator.push("spreader", torque=(weight * share * 4.0, 0.0, 0.0))
        run(machine, 0.03)
    run(machine, 1.0)
    assert machine.readings["eccentricity"] == pytest.approx(0.62, abs=0.005)
    assert machine.limits["eccentric_load"] == "tripped"
    before = position(machine, "hoist")
    run(machine, 2.0, hoist=-0.3)
    assert position(machine, "hoist") == pytest.approx(before, abs=0.01)


def test_a_snag_closes_the_brakes_within_its_delay():
    """What holds the empty spreader: pulled down with ten times its weight, each pin rises by 123
    kN."""
    machine = gantry(**{"rig.load": None})
    run(machine, 2.0, hoist=-0.5)
    machine.simulator.push("spreader", force=(0.0, 0.0, -1.0e6))
    for _ in range(5):
        machine.command("hoist", -0.5)
        machine.tick()
    assert (
        machine.limits["snag_protection"] in ("tripped", "latched") and machine.stop_category == 0
    )
    machine.simulator.push("spreader")
    run(machine, 4.0, hoist=-0.5)  # the ropes spring back through the brakes
    assert machine.limits["snag_protection"] == "latched"
    assert abs(speed(machine, "hoist")) < 5e-3


def test_a_crane_without_sensors_and_limiters_has_no_control():
    machine = tower(sensors=None, limiters=None)
    run(machine, 0.1)
    assert machine.plc is None and machine.readings == {}
    assert machine.limits == {"estop": "ok", "enable": "ok"}


def test_a_limiter_needs_what_measures_for_it():
    with pytest.raises(SpecError) as error:
        load_crane("tower_12t", {"sensors.load_pin": None})
    assert all(
        word in str(error.value) for word in ("slack_rope_switch", "hoist_rope.pull", "sensors")
    )
    with pytest.raises((SpecError, ConfigError), match=naming("warn trip 1.05 1.2")):
        load_crane("tower_12t", {"limiters.load_limiter": Threshold(trip=1.05, warn=1.2)})
    load_crane("tower_12t", {"sensors.camera": Instrument(delay=0.04), "limiters.wind": None})


ZONE = {"name": "school", "axis": "trolley", "lower": 20.0, "upper": 40.0}


def test_an_axis_slows_down_before_its_zone_ends_and_stays_in_it():
    """1 m/s with 0.5 m/s^2 from 35 m: at 3/10 of the full speed within 4 m of 40 m, at rest within
    0.2 m of it."""
    slow = {"distance": 4.0, "share": 0.3}
    machine = tower(rig__start__radius=34.0, limiters__zones=[ZONE | {"slow_down": slow}])
    run(machine, 9.0, trolley=1.3)
    assert 36.0 < position(machine, "trolley") < 40.0
    assert speed(machine, "trolley") == pytest.approx(
        0.3 * machine.crane.axis("trolley").max_speed, rel=0.02
    )
    assert (
        machine.limits["zone_school_upper_slow_down"] == "tripped"
        and machine.limits["zone_school_upper"] == "ok"
    )
    run(machine, 12.0, trolley=1.3)
    assert 40.0 < position(machine, "trolley") < 40.4 and abs(speed(machine, "trolley")) < 1e-3
    assert (
        machine.limits["zone_school_upper"] == "tripped"
        and machine.limits["zone_school_lower"] == "ok"
    )
    run(machine, 30.0, trolley=-1.3)
    assert (
        19.6 < position(machine, "trolley") < 20.0
        and machine.limits["zone_school_lower"] == "tripped"
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"lower": None, "upper": None}, "zone"),
        ({"lower": 50.0}, "upper above lower 50 40"),
        ({"axis": "luffing"}, "luffing"),
    ],
)
def test_a_zone_that_cannot_be_is_refused(changed, said):
    with pytest.raises((ConfigError, SpecError), match=naming(said)):
        tower(limiters__zones=[ZONE | changed])


@pytest.mark.parametrize("turned", [-2.0, 2.0])
def test_a_block_that_is_wound_up_is_not_hoisted(turned):
    """It may be lowered, and hoisted again once it has turned back and somebody says so."""
    machine = tower(rig__load__mass=2000.0)
    run(machine, 0.5)
    begin = position(machine, "hoist")
    machine.plc.fault("hook.skew", bias=turned)
    run(machine, 1.0)
    assert machine.limits["hook_twist"] == "tripped"
    machine.plc.fault("hook.skew")
    run(machine, 3.0, hoist=-0.3)
    assert machine.limits["hook_twist"] == "latched"
    assert position(machine, "hoist") == pytest.approx(begin, abs=1e-3)
    run(machine, 3.0, hoist=0.3)
    assert position(machine, "hoist") > begin + 0.5
    machine.reset_latches()
    run(machine, 4.0, hoist=-0.3)
    assert position(machine, "hoist") < begin + 0.5 and machine.limits["hook_twist"] == "ok"
