"""The compiled tick of a machine: the same in one crossing, and by its address in other code."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError
from cable_sim.kernels.devices.actuation import ACCELERATION, stopping_speed
from cable_sim.kernels.devices.limiters import NO_STOP
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.machine import stop_category
from cable_sim.kernels.pins import ADDRESS, call
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.kernels.status import SOLVED
from cable_sim.machine.external_wrenches import Push
from cable_sim.machine.machine import Machine
from cable_sim.spec.wind import Gust, Turbulence

TICKS = 60


@kernel
def run_all(code, pins, n):
    """Run many worlds; return all their status flags."""
    flags = SOLVED
    for k in range(pins.size):
        flags |= call(code[0], pins[k], n)
    return flags


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t")


def busy(crane, shift: float) -> Machine:
    """A machine in wind with orders, a push, and a fast axis near its end."""
    machine = Machine(crane, wind=(Gust(20.0, start=0.1), Turbulence(8.0, direction_deg=30.0)))
    machine.command("trolley", 3.0 + shift, "position")
    machine.command("slewing", 0.02 - shift)
    machine.command("hoist", -0.4, "lever")
    machine.pushes.give(Push("load", (500.0, 100.0 * shift, 0.0), (0.0,) * 3, own=True), 0.0)
    return machine


def arrays(machine: Machine) -> list[np.ndarray]:
    """All that determines the future of a machine."""
    saved = machine.save()
    parts = (*saved.simulator, saved.machine, *saved.plc)
    return [array for part in parts for array in arrays_of(part)]


def test_machines_in_one_crossing_have_the_bits_of_their_ticks(crane):
    one_by_one = [busy(crane, shift) for shift in (0.0, 0.01)]
    together = [busy(crane, shift) for shift in (0.0, 0.01)]
    for machine in one_by_one:
        for _ in range(TICKS):
            machine.tick()
    for machine in together:
        machine.prepare()
    code = np.array([together[0].running.code.address], ADDRESS)
    pins = np.array([machine.running.pin for machine in together], ADDRESS)
    flags = run_all(code, pins, TICKS)
    for alone, crossed in zip(one_by_one, together, strict=True):
        assert crossed.plain and crossed.conclude(flags).time == alone.time
        assert alone.running.state.stale.any() and not alone.running.state.pushed.any()
        for wanted, found in zip(arrays(alone), arrays(crossed), strict=True):
            assert wanted.tobytes() == found.tobytes()
        assert crossed.counts == alone.counts and alone.counts["stale"] == 3


@pytest.mark.parametrize("room", [1e-6, 0.01, 0.5, 7.0])
def test_a_ramp_ends_within_its_room(crane, room):
    """v T + v^2 / 2 a = s, and a little way back without room."""
    running = Machine(crane).running
    axes, tick = running.pin.records.axes, 0.01
    i = [axis.name for axis in crane.axes].index("trolley")
    lasts = tick + 2.0 * crane.axes[i].control.s_time
    v = stopping_speed(i, room, tick, axes)
    assert v * lasts + 0.5 * v**2 / axes.number[i, ACCELERATION] == pytest.approx(room)
    assert stopping_speed(i, -room, tick, axes) == -room / tick


def test_the_strictest_stop_counts():
    for hand, held, limiters in itertools.product((NO_STOP, 0, 1), (0, 1), (NO_STOP, 0, 1)):
        asked = {hand, limiters, NO_STOP if held else 1} - {NO_STOP}
        wanted = min(asked, default=NO_STOP)
        assert stop_category(np.array([hand, held]), limiters) == wanted


def test_an_axis_slows_down_as_its_recurrence_says(crane):
    """A speed is the largest that the ramp from the present place, with what the lag adds, ends
    within a millimetre of the end."""
    machine = Machine(dataclasses.replace(crane, limiters=()))
    axis = crane.axis("trolley")
    drive = next(drive for drive in crane.scene.drives if drive.name == axis.drive)
    h, tick = machine.simulator.dt, machine.tick_time
    q = math.exp(-h / drive.lag) if drive.lag else 0.0
    c = h * q / (1.0 - q) + 0.5 * h
    row = machine.simulator.names.index("drives", axis.drive)
    state, control = machine.simulator._state.drives, machine.simulator._control.drives
    lost = axis.max_acceleration * (tick + 2.0 * axis.control.s_time)
    slowed = 0
    for _ in range(6000):
        at = machine.simulator.drives[axis.drive].position
        w, u = state.reference[row], state.motion[row, 1]
        at = (at + drive.lag * w + c * (u - w) - axis.zero) / axis.ratio
        room = axis.upper - at - 1e-3
        most = math.sqrt(lost**2 + 2.0 * axis.max_acceleration * room) - lost if room > 0.0 else 0.0
        machine.command("trolley", axis.max_speed)
        machine.tick()
        if 0.0 < most < axis.max_speed:
            slowed += 1
            assert control.target[row] == pytest.approx(axis.ratio * most, abs=1e-9)
    assert slowed > 100


def test_a_machine_records_and_obeys_laws_in_its_ticks() -> None:
    """The rows are those of plain steps; a law's push moves the load."""
    machine = Machine(load_crane("tower_crane"))
    still = Machine(load_crane("tower_crane"))
    with machine.simulator.record(
        ["hook_block.position", "hoist_rope.tension"], every=4
    ) as recording:
        machine.simulator.use_law(push_east, writes=["hook_block.force"])
        for _ in range(10):
            machine.tick()
            still.tick()
        machine.tick(5)
    assert recording.time.tolist() == pytest.approx([*np.arange(0, 149, 4) * 1e-3])
    assert (np.diff(recording["hook_block.position.y"])[3:] > 0.0).all()
    last = (
        machine.simulator.bodies["hook_block"].position[1] - recording["hook_block.position.y"][-1]
    )
    assert 0.0 < last < 1e-3
    assert still.simulator.bodies["hook_block"].position[1] == pytest.approx(0.0, abs=1e-9)
    before = machine.simulator.time
    machine.simulator.use_law(spoil, writes=["hook_block.force"])
    with pytest.raises(CommandError, match=naming("output 'hook_block.force.x' nan")):
        machine.tick()
    assert machine.simulator.time == before


def push_east(time, inputs, outputs, memory):
    outputs[1] = 500.0


def spoil(time, inputs, outputs, memory):
    outputs[0] = math.nan
