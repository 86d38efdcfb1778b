"""Magnet, grab and skip against statics: shipped cranes that take up loads without slings."""

import math

import numpy as np
import pytest

from cable_sim import Machine, Simulator, load_crane
from cable_sim.errors import SpecError
from cable_sim.spec.scene import GRAVITY

SLAB = 6029.0 * GRAVITY
BLOCK = 2800.0 * GRAVITY


def drive(machine: Machine, seconds: float, **commands):
    """Tick with commands, each a value or a value and a mode; return what is seen then."""
    for _ in range(round(seconds / machine.tick_time)):
        for axis, value in commands.items():
            machine.command(axis, *(value if isinstance(value, tuple) else (value,)))
        seen = machine.tick()
    return seen


def weigh(machine: Machine) -> float:
    """Return the mean pull of the hoist rope on what hangs on it in two seconds [N], upward."""
    pulls = [
        machine.tick().cable("hoist_rope").node_force[:, 2].clip(min=0.0).sum() for _ in range(200)
    ]
    return sum(pulls) / len(pulls)


def magnet_on_slab(**changes) -> Machine:
    """Return the magnet on its slab, with all its current."""
    machine = Machine(load_crane("magnet_8t", changes))
    down = 11.6 - 0.16
    drive(machine, 4.0, hoist=(down + 0.01, "position"))
    drive(machine, 1.5, magnet=(1.0, "position"))
    return machine


def test_a_magnet_lifts_its_slab_and_lets_it_go() -> None:
    machine = magnet_on_slab()
    drive(machine, 3.0, hoist=-0.2)
    seen = drive(machine, 4.0)
    assert seen.body("load").position[2] > 0.4
    assert weigh(machine) == pytest.approx(SLAB + 2200.0 * GRAVITY, rel=0.005)
    touch = machine.seen.contact("magnet", "load")
    assert touch.force[2] + touch.normal_force == pytest.approx(160e3, rel=1e-3), "nearly level"
    assert touch.force[2] == pytest.approx(SLAB, rel=0.1), "it still bounces on the rope"
    machine.emergency_stop(True)
    seen = drive(machine, 1.0)
    assert seen.contact("magnet", "load").points == 4, "no stop lets a load go"
    machine.emergency_stop(False)
    machine.reset_latches()
    drive(machine, 1.5, magnet=-1.0)
    seen = drive(machine, 1.0)
    assert seen.body("load").position[2] == pytest.approx(0.08, abs=1e-3)
    last = [e for e in seen.events if {e.first, e.second} == {"magnet", "load"}][-1]
    assert not last.begins


@pytest.mark.parametrize(("share", "lifts"), [(0.97, False), (1.4, True)])
def test_a_magnet_lifts_what_it_holds(share, lifts) -> None:
    machine = magnet_on_slab(**{"hooks.magnet.magnet.force": share * SLAB})
    seen = drive(machine, 4.0, hoist=-0.05)
    assert (seen.body("load").position[2] > 0.1) == lifts


def grab_on_block(effort: float) -> Machine:
    """Return the grab closed on its block with a pull at its drum [N]."""
    machine = Machine(load_crane("grab_3t", {"axes.grab.effort": effort}))
    drive(machine, 6.0, hoist=(10.42, "position"))
    drive(machine, 5.0, grab=-0.3)
    return machine


def pressed(seen) -> float:
    """Return the force of each pad on the block [N]."""
    forces = [seen.contact(f"pad_{side}", "load").normal_force for side in ("left", "right")]
    assert forces[0] == pytest.approx(forces[1], rel=0.05)
    return sum(forces) / 2.0


def test_a_grab_presses_as_its_levers_say_and_lifts() -> None:
    machine = grab_on_block(40e3)
    seen = machine.seen
    tension = seen.cable("closing_rope").tension
    # about the hinge: two parts at 0.5 m, the jaw's weight at 0.25 m; a pad presses from 1.0 to
    # 1.2 m down, more where the jaw turns farther in
    lever = (1.0**2 + 1.2**2) / (1.0 + 1.2)
    by_hand = (2.0 * tension * 0.5 - 400.0 * GRAVITY * 0.25) / lever
    assert pressed(seen) == pytest.approx(by_hand, rel=0.03)
    drive(machine, 4.0, hoist=-0.1, grab=-0.3)
    seen = drive(machine, 3.0, grab=-0.3)
    assert seen.body("load").position[2] > 0.6
    assert weigh(machine) == pytest.approx(BLOCK + 1700.0 * GRAVITY, rel=0.005)
    seen = drive(machine, 4.0)
    assert seen.body("load").position[2] > 0.6, "the brake of its winch keeps it closed"
    drive(machine, 3.0, grab=0.3)
    seen = drive(machine, 1.0)
    assert seen.body("load").position[2] == pytest.approx(0.375, abs=2e-3)


@pytest.mark.parametrize(("part", "lifts"), [(0.96, False), (1.04, True)])
def test_a_grab_that_presses_too_little_slips(part, lifts) -> None:
    press = part * BLOCK / (2.0 * 0.6)  # of each pad, with the friction of the site
    effort = 1.02 * (1.109 * press + 400.0 * GRAVITY * 0.25)  # the drive gives a little less
    machine = grab_on_block(effort)
    assert pressed(machine.seen) == pytest.approx(press, rel=0.03)
    drive(machine, 8.0, hoist=-0.02, grab=-0.3)
    seen = drive(machine, 6.0, hoist=-0.05, grab=-0.3)
    assert (seen.body("load").position[2] > 0.5) == lifts


def test_a_skip_that_tilts_loses_the_weight_of_its_stones() -> None:
    crane = load_crane("skip_2t")
    machine = Machine(crane)
    own = (250.0 + 300.0) * GRAVITY
    stones = [body for body in crane.scene.bodies if body.name.startswith("stone")]
    seen = drive(machine, 4.0)
    full = own + sum(body.mass for body in stones) * GRAVITY
    assert weigh(machine) == pytest.approx(full, rel=0.005)
    assert machine.readings["load"] == pytest.approx(full / GRAVITY - 550.0, rel=0.06)
    drive(machine, 7.0, tilt=0.4)
    seen = drive(machine, 4.0)
    assert weigh(machine) == pytest.approx(own, rel=0.005)
    assert all(seen.body(body.name).position[2] < 0.5 for body in stones)


@pytest.mark.parametrize(
    ("crane", "changes", "told"),
    [
        ("magnet_8t", {"rig.start.state": "hanging"}, "must be 'on_ground', not 'hanging'"),
        ("magnet_8t", {"hooks.magnet.magnet.force": -1.0}, "hooks.magnet.magnet.force"),
        ("magnet_8t", {"hooks.magnet.ball": {"radius": 0.2}}, "in place of a ball or spreader"),
        ("magnet_8t", {"rig.slings": {"rope": "16mm 6x36 1960"}}, "a magnet holds the load"),
        ("grab_3t", {"parts.jaw_left.on": "grap"}, "part or hook 'grap'.*did you mean grab"),
        ("grab_3t", {"hooks.grab.below": "jaw_left.inner"}, "hangs on, a hook"),
        ("skip_2t", {"parts.stone_1.on": "skipp"}, "'skipp'.*did you mean skip"),
        ("skip_2t", {"parts.stone_1.centre": (0.1, 0.0, 0.0)}, "loose: needs a size or a ball"),
    ],
)
def test_what_can_not_be_is_refused_with_a_word(crane, changes, told) -> None:
    with pytest.raises(SpecError, match=told):
        load_crane(crane, changes)


@pytest.mark.parametrize(
    ("name", "most"), [("magnet_8t", 1e-8), ("grab_3t", 1e-8), ("skip_2t", 1e-5)]
)
def test_cranes_that_take_loads_up_start_at_rest(name, most) -> None:
    """The stones of the skip sink into their soft ground by their weight."""
    simulator = Simulator(load_crane(name).scene)
    start = simulator.observe().body_position.copy()
    simulator.step(2000)
    assert np.abs(simulator.observe().body_position - start).max() < most


def test_jaws_at_rest_are_held_by_the_closing_rope() -> None:
    machine = Machine(load_crane("grab_3t"))
    turn = math.radians(20.0)
    arm = 0.25 * math.cos(turn) - 0.6 * math.sin(turn)
    seen = drive(machine, 2.0)
    assert seen.joint("jaw_left").position == pytest.approx(turn, abs=1e-9)
    tension = seen.cable("closing_rope").tension
    lever = 0.5 * math.cos(turn) - 0.1 * math.sin(turn)
    assert 2.0 * tension * lever == pytest.approx(400.0 * GRAVITY * arm, rel=0.02)
