"""A machine whose drives are held back and whose sensors err in another way, while it runs."""

import dataclasses

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError, SpecError
from cable_sim.machine.machine import Machine


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t")


def with_axis(crane, name, **limits):
    """The crane with other limits of an axis."""
    axes = tuple(dataclasses.replace(a, **limits) if a.name == name else a for a in crane.axes)
    return dataclasses.replace(crane, axes=axes)


def with_drive(crane, name, **numbers):
    """The crane with other numbers of a drive."""
    drives = tuple(
        dataclasses.replace(d, **numbers) if d.name == name else d for d in crane.scene.drives
    )
    return dataclasses.replace(crane, scene=dataclasses.replace(crane.scene, drives=drives))


def with_sensor(crane, name, **errors):
    """The crane with other errors of a sensor."""
    sensors = tuple(
        dataclasses.replace(s, **errors) if s.name == name else s for s in crane.sensors
    )
    return dataclasses.replace(crane, sensors=sensors)


def drive(machine, seconds, axis, value, mode="speed"):
    """Positions and speeds of an axis that is ordered so."""
    rows = []
    for _ in range(round(seconds / machine.tick_time)):
        machine.command(axis, value, mode)
        rows.append(machine.axis_state(machine.tick(), axis)[:2])
    return np.array(rows).T


def test_a_retuned_machine_runs_like_one_built_with_the_values(crane):
    slow = with_drive(
        with_axis(crane, "trolley", max_speed=0.5),
        "trolley",
        max_acceleration=0.1,
        max_effort=900.0,
    )
    slow = with_sensor(
        slow, "trolley.position", noise=0.02, bias=1.0, quantum=0.0, dropout=0.3, seed=7
    )
    begun, turned = Machine(slow), Machine(crane)
    turned.retune(slow)
    for machine in (begun, turned):
        drive(machine, 2.0, "trolley", 1.0)
    assert turned.readings == begun.readings and turned.plc.lost == begun.plc.lost
    np.testing.assert_array_equal(turned.observe().body_position, begun.observe().body_position)
    plain = Machine(crane)
    assert (
        drive(plain, 2.0, "trolley", 1.0)[1].max()
        > 2.0 * turned.axis_state(turned.observe(), "trolley").velocity
    )


@pytest.mark.parametrize(
    ("value", "mode", "goes"),
    [(1.0, "speed", 0.15), (30.0, "position", 0.15), (1.0, "lever", 0.15), (0.525, "lever", 0.075)],
)
def test_a_lower_max_speed_holds_for_speed_position_and_lever(crane, value, mode, goes):
    """A lever has 5 % of dead band on each side of the middle."""
    machine = Machine(crane)
    drive(machine, 1.0, "trolley", value, mode)
    machine.retune(with_axis(crane, "trolley", max_speed=0.15))
    _, speed = drive(machine, 4.0, "trolley", value, mode)
    assert speed[-50:].max() == pytest.approx(goes, rel=0.02)


def test_a_faster_drive_is_held_to_the_max_speed_of_its_axis():
    crane = load_crane("tower_12t", {"rig.start.state": "hanging"})
    machine = Machine(crane)
    machine.retune(with_drive(crane, "trolley", max_speed=3.0))
    _, speed = drive(machine, 5.0, "trolley", 35.0, "position")
    assert speed.max() == pytest.approx(crane.axis("trolley").max_speed, rel=0.02)


def test_ramps_are_as_steep_as_the_drive_then_says(crane):
    machine = Machine(crane)
    machine.retune(with_drive(crane, "trolley", max_acceleration=0.1))
    _, speed = drive(machine, 3.0, "trolley", 1.3)
    rate = np.diff(speed[100:]) / machine.tick_time
    assert np.mean(rate) == pytest.approx(0.1, rel=0.02)


def test_a_motor_gives_no_more_than_its_new_limit(crane):
    machine = Machine(crane)
    machine.retune(with_drive(crane, "trolley", max_effort=300.0))
    drive(machine, 1.0, "trolley", 1.0)
    state = machine.observe().drive("trolley")
    assert state.effort == pytest.approx(300.0) and state.saturated


def test_a_mode_switched_off_is_refused_and_its_command_dropped(crane):
    machine = Machine(crane)
    drive(machine, 1.0, "trolley", 30.0, "position")
    machine.retune(with_axis(crane, "trolley", modes=("speed",)))
    assert machine.timed_out("trolley")
    with pytest.raises(CommandError, match=naming("'trolley' mode 'position' switched speed")):
        machine.command("trolley", 30.0, "position")
    assert machine.counts["rejected"] == 1
    machine.command("trolley", 0.5)


def test_seeded_noise_repeats_and_has_the_set_bias_and_deviation(crane):
    def readings(seed):
        machine = Machine(crane)
        machine.tick()
        machine.retune(
            with_sensor(crane, "slewing.position", noise=0.1, bias=2.0, quantum=0.0, seed=seed)
        )
        rows = []
        for _ in range(1500):
            machine.tick()
            rows.append(machine.readings["slewing.position"])
        return np.array(rows)

    first, again, other = readings(3), readings(3), readings(4)
    np.testing.assert_array_equal(first, again)
    assert (first != other).mean() > 0.99
    assert first.mean() == pytest.approx(2.0, abs=0.01) and first.std() == pytest.approx(
        0.1, rel=0.06
    )


@pytest.mark.parametrize(("rate", "samples"), [(100.0, 1000), (30.0, 300), (250.0, 1000)])
def test_lost_samples_are_counted_whatever_the_rate(crane, rate, samples):
    quiet = with_sensor(crane, "sway.radial", rate=rate, delay=0.0)
    machine = Machine(quiet)
    for _ in range(1000):
        machine.tick()
    assert set(machine.plc.lost.values()) == {0}
    machine = Machine(with_sensor(quiet, "sway.radial", dropout=0.25))
    for _ in range(1000):
        machine.tick()
    lost = machine.plc.lost
    assert lost.pop("sway.radial") == pytest.approx(
        0.25 * samples, abs=4.0 * np.sqrt(0.1875 * samples)
    )
    assert set(lost.values()) == {0}


def test_a_delay_can_not_be_changed_and_nothing_else_is(crane):
    machine = Machine(crane)
    machine.tick()
    other = with_axis(with_sensor(crane, "sway.radial", delay=0.5), "trolley", max_speed=0.1)
    with pytest.raises(SpecError, match="delay"):
        machine.retune(other)
    assert (
        machine.crane is crane
        and machine.motions["trolley"].axis.max_speed == crane.axis("trolley").max_speed
    )


def test_a_carriage_keeps_a_lower_speed_too():
    crane = load_crane("rtg_41t")
    machine = Machine(crane)
    machine.retune(with_axis(crane, "trim", max_speed=0.01))
    for value, mode in ((0.03, "speed"), (0.0, "position")):
        _, speed = drive(machine, 0.5, "trim", value, mode)
        assert np.abs(speed[5:-1]).max() == pytest.approx(0.01)


def test_an_expired_command_counts_once_and_a_zero_command_never(crane):
    machine = Machine(crane, command_timeout=0.1)
    machine.command("trolley", 0.5)
    machine.command("hoist", 0.0)
    for _ in range(50):
        machine.tick()
    assert machine.counts["stale"] == 1
    machine.command("trolley", 0.0)
    for _ in range(50):
        machine.tick()
    assert machine.counts["stale"] == 1
