"""Loads let go at once: they fall as bodies do, and what holds them is found on every crane."""

import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY

HELD = {
    "tower_12t": {"sling_1", "sling_2", "sling_3", "sling_4"},
    "rtg_41t": {"twistlocks"},
    "tandem_lift": {"beam_sling_1", "beam_sling_2"},
    "two_towers": {f"{name}_sling_{i}" for name in ("east", "west") for i in (1, 2, 3, 4)},
}


@pytest.mark.parametrize("name", HELD)
def test_what_holds_a_load_is_found(name: str) -> None:
    machine = Machine(load_crane(name))
    assert set(machine.let_go()) == HELD[name]
    with pytest.raises(CommandError, match=naming("load held")):
        machine.let_go()
    machine.reset()
    assert set(machine.let_go()) == HELD[name]


@pytest.mark.parametrize("name", ["lab_inteco", "nehe_rope"])
def test_an_empty_hook_and_a_rope_have_nothing_to_let_go(name: str) -> None:
    with pytest.raises(CommandError, match=naming("load release")):
        Machine(load_crane(name)).let_go()


def test_a_load_that_was_let_go_falls_and_its_hook_springs_up() -> None:
    """By g t^2 / 2 but for the air, whose c v^2 holds back a quarter of t times the lost speed."""
    machine = Machine(load_crane("tower_12t", {"rig.start.state": "hanging"}))
    for _ in range(10):
        seen = machine.tick()
    height, hook = seen.body("load").position[2], seen.body("hook_block").position[2]
    machine.let_go()
    for _ in range(50):
        seen = machine.tick()
    load, fell = seen.body("load"), -0.5 * GRAVITY * 0.5**2
    lost = load.velocity[2] + GRAVITY * 0.5
    assert 0.0 < lost < 5e-3
    assert load.position[2] - height == pytest.approx(fell + 0.25 * 0.5 * lost, abs=1e-5)
    assert seen.body("hook_block").position[2] > hook + 0.01


def test_a_magnet_that_is_let_go_drops_its_slab_at_once() -> None:
    """By g t^2 / 2, on the shipped crane with its slab just over the ground; it stays off."""
    machine = Machine(load_crane("magnet_8t"))
    with pytest.raises(CommandError, match=naming("load held")):
        machine.let_go()
    for axis, target, seconds in (
        ("hoist", 11.45, 4.0),
        ("magnet", 1.0, 1.5),
        ("hoist", 10.9, 6.0),
    ):
        for _ in range(round(seconds / machine.tick_time)):
            machine.command(axis, target, "position")
            seen = machine.tick()
    height = seen.body("load").position[2]
    assert height > 0.4
    assert machine.let_go() == ("magnet",)
    for _ in range(round(0.2 / machine.tick_time)):
        seen = machine.tick()
    assert seen.body("load").position[2] - height == pytest.approx(
        -0.5 * GRAVITY * 0.2**2, abs=0.01
    )
    assert seen.carriage("magnet").position == 0.0
    assert seen.contact("magnet", "load").points == 0
