"""Ropes of a crane that are loaded beyond their breaking force between two looks."""

import pytest

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine

HANGING = {"rig.start.state": "hanging", "rig.start.hook_depth": 30.0}


@pytest.fixture(scope="module")
def jerked() -> Machine:
    """A tower crane whose hook was pulled down hard within a tick, and then let go."""
    machine = Machine(load_crane("tower_12t", HANGING))
    machine.tick(5)
    rope = next(c for c in machine.crane.scene.cables if c.name == machine.crane.ropes[0])
    hook = machine.crane.suspension.hook
    for tick in range(60):
        strong = 20.0 * rope.breaking_force if tick == 20 else 0.0
        machine.simulator.push(hook, (0.0, 0.0, -strong))
        machine.tick()
    return machine


def test_overload_is_told_once_with_its_figures(jerked) -> None:
    rope = jerked.crane.ropes[0]
    cable = next(c for c in jerked.crane.scene.cables if c.name == rope)
    peak = jerked.overloads[rope]
    told = [text for text in jerked.notices if "breaking force" in text and repr(rope) in text]
    assert len(told) == 1
    assert f"{cable.breaking_force:.4g} N" in told[0]
    assert "parts" in told[0]
    assert peak.utilisation > 1.0
    assert 0.24 < peak.time < 0.4
    assert jerked.limits[f"{rope}.overload"] == "warning"


def test_overload_goes_with_save_restore_and_reset(jerked) -> None:
    saved = jerked.save()
    before = dict(jerked.overloads)
    jerked.reset()
    assert jerked.overloads == {}
    assert not any(name.endswith(".overload") for name in jerked.limits)
    jerked.restore(saved)
    assert dict(jerked.overloads) == before
    told = sum("breaking force" in text for text in jerked.notices)
    jerked.tick(3)
    assert sum("breaking force" in text for text in jerked.notices) == told
