"""A spreader that picks a container up and puts it on a stack, and the interlock of its
twistlocks."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim.control.methods.shaping import zv
from cable_sim.cranes import load_crane
from cable_sim.cranes.container.stacks import Stack
from cable_sim.errors import CommandError, SpecError
from cable_sim.machine.machine import Machine

STACK = Stack("stack", (-4.0, 0.0), 2)
OPEN = {
    "rig.twistlocks": "open",
    "rig.start.trolley": -9.0,
    "rig.start.depth": 17.5,
    "site.stacks": (STACK,),
}
HANGING = {"rig.twistlocks": "locked", "rig.start.state": "hanging"}


def gantry(**changes) -> Machine:
    return Machine(
        load_crane("rtg_41t", OPEN | {path.replace("__", "."): v for path, v in changes.items()}),
        dt=2e-3,
    )


def run(machine: Machine, seconds: float, **speeds: float):
    for _ in range(round(seconds / machine.tick_time)):
        for axis, speed in speeds.items():
            machine.command(axis, speed)
        seen = machine.tick()
    return seen


def lowered(machine: Machine, speed: float, seconds: float):
    """Lower until the slack-rope switch stops that; what is seen then, standing."""
    end = machine.time + seconds
    while machine.limits["slack_rope_switch"] != "tripped":
        assert machine.time < end, "nothing was touched"
        run(machine, machine.tick_time, hoist=speed)
    return run(machine, 1.0, hoist=speed)


def carried(machine: Machine, way: float):
    """Move the trolley by a way without leaving sway [m]."""
    falls = machine.axis_state(machine.observe(), "hoist").position - 1.6
    begin, speed, ramp = machine.time, 0.5, 4.0

    def ramps(time: float) -> tuple[float, float, float]:
        return (
            0.0,
            speed * min(max(min(time, abs(way) / speed + ramp - time) / ramp, 0.0), 1.0),
            0.0,
        )

    shape = zv(2.0 * math.pi * math.sqrt(falls / 9.81) * 1.01)
    move, ends = shape(ramps), begin + abs(way) / speed + ramp + shape.longer
    while machine.time < ends:
        machine.command("trolley", math.copysign(move(machine.time - begin)[1], way))
        seen = machine.tick()
    return seen


def test_a_cycle_from_the_truck_lane_to_a_stack() -> None:
    """Pick, carry, land, unlock, leave: the container stands on the stack, and stays there."""
    machine = gantry()
    start = machine.tick().body("container").position.copy()
    assert machine.readings["twistlocks.unlocked"] == 1.0
    landed = lowered(machine, 0.2, 10.0)
    assert landed.body("container").position == pytest.approx(start, abs=1e-3)
    assert machine.readings["spreader.landed"] == 1.0
    machine.twistlocks(True)
    assert (machine.readings["twistlocks.locked"], machine.readings["twistlocks.unlocked"]) == (
        1.0,
        0.0,
    )
    run(machine, 5.0, hoist=-0.1)
    hung = run(machine, 20.0, hoist=-0.4)
    assert machine.readings["load"] == pytest.approx(41000.0, rel=0.02)
    assert hung.body("container").position[2] - start[2] > 6.0
    over = carried(machine, 5.0)
    assert over.body("container").position[:2] == pytest.approx((-4.0, 0.0), abs=0.1)
    run(machine, 3.0, hoist=0.3)
    lowered(machine, 0.1, 30.0)
    assert machine.readings["spreader.landed"] == 1.0
    machine.twistlocks(False)
    left = run(machine, 8.0, hoist=-0.3)
    container = left.body("container").position
    sunk = 41000.0 * 9.81 / 4e8
    assert container[2] == pytest.approx(2 * 2.90 + 1.45 - sunk, abs=1e-4)
    assert container[:2] == pytest.approx((-4.0, 0.0), abs=0.1)
    assert left.contact("container", "stack").points == 4
    assert left.body("spreader").position[2] - container[2] > 3.0
    assert machine.readings["load"] == pytest.approx(0.0, abs=300.0)
    assert machine.stop_category is None


def test_twistlocks_do_not_open_under_a_load_that_hangs() -> None:
    machine = gantry(
        **{"rig__twistlocks": "locked", "rig__start__state": "hanging", "rig__start__depth": 12.0}
    )
    machine.tick()
    with pytest.raises(CommandError, match=naming("unlock 0 4 corners landed")):
        machine.twistlocks(False)
    assert machine.counts["rejected"] == 1
    with pytest.raises(CommandError, match=naming("twistlocks locked")):
        machine.twistlocks(True)
    assert not machine.observe().joint("twistlocks").open


def test_twistlocks_do_not_open_while_the_ropes_pull() -> None:
    """It stands on four corners, and the ropes carry the spreader and some of the container."""
    machine = gantry(rig__twistlocks="locked")
    machine.tick()
    for _ in range(400):
        run(machine, machine.tick_time, hoist=-0.02)
        assert machine.spreader is not None
        if machine.spreader.lift(machine.observe()) > 1e4:
            break
    assert machine.spreader.corners(machine.observe()) == 4
    with pytest.raises(CommandError, match=naming("unlock ropes pull container")):
        machine.twistlocks(False)


@pytest.mark.parametrize(("off", "words"), [(0.07, "reach allows 0.05 m"), (0.04, "")])
def test_twistlocks_need_the_castings_below_them(off: float, words: str) -> None:
    """A spreader that has come down beside its place by more than 50 mm does not lock."""
    machine = gantry(rig__start__depth=18.6)
    machine.tick()
    for _ in range(1500):
        machine.command("trolley", -9.0 + off, "position")
        machine.tick()
    lowered(machine, 0.1, 10.0)
    assert machine.readings["spreader.landed"] == 1.0
    if words:
        with pytest.raises(CommandError, match=words):
            machine.twistlocks(True)
        return
    machine.twistlocks(True)
    assert machine.readings["twistlocks.locked"] == 1.0


def test_reset_and_snapshots_know_the_twistlocks() -> None:
    machine = gantry()
    lowered(machine, 0.2, 10.0)
    before = machine.save()
    machine.twistlocks(True)
    machine.restore(before)
    assert machine.readings["twistlocks.unlocked"] == 1.0
    machine.twistlocks(True)
    machine.reset()
    assert machine.readings["twistlocks.unlocked"] == 1.0


def test_twistlocks_that_turn_change_nothing_of_what_hangs() -> None:
    """The boxes that then touch pull on nothing: the same tensions, to the drift of the rigid
    joint."""
    pulls = []
    for turning in (HANGING, {"rig.start.state": "hanging"}):
        machine = Machine(load_crane("rtg_41t", turning))
        seen = run(machine, 0.5)
        pulls.append([seen.cable(rope).tension for rope in machine.crane.ropes])
    np.testing.assert_allclose(pulls[0], pulls[1], rtol=1e-6)


def test_a_position_is_approached_no_faster_than_the_load_allows() -> None:
    """The drive could hoist an empty spreader twice as fast, which overspeed protection takes for a
    load that runs."""
    machine = Machine(
        load_crane("rtg_41t", {"rig.start.state": "hanging", "rig.start.depth": 12.0}), dt=4e-3
    )
    axis, fastest = machine.crane.axis("hoist"), 0.0
    while machine.time < 4.0:
        machine.command("hoist", 8.0, "position")
        fastest = max(fastest, abs(machine.axis_state(machine.tick(), "hoist").velocity))
    assert fastest == pytest.approx(axis.max_speed, rel=0.02)
    assert machine.limits["overspeed_trip"] == "ok"


def test_twistlocks_that_are_not_there_are_refused() -> None:
    machine = Machine(load_crane("rtg_41t"))
    with pytest.raises(CommandError, match=naming("twistlocks turn rig.twistlocks")):
        machine.twistlocks(False)
    with pytest.raises(CommandError, match=naming("slings none")):
        machine.unhook()
    for changes, words in (
        (HANGING | {"rig.twistlocks": "open"}, "'open' start.state 'on_ground' 'hanging'"),
        (HANGING | {"rig.load": None}, "'locked' load"),
    ):
        with pytest.raises(SpecError, match=naming(words)):
            load_crane("rtg_41t", changes)


def test_contacts_of_what_a_joint_holds_settle() -> None:
    """Locked, spreader and container touch with rounding alone, whose friction nobody needs."""
    machine = Machine(load_crane("rtg_41t", HANGING | {"rig.start.depth": 17.0}))
    for _ in range(100):
        machine.command("trolley", 1.0)
        assert machine.tick().report.status == 0
