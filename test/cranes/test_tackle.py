"""Tackles: what they gain in closed form and in the simulator, hoisting and lowering; any number of
falls."""

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.cranes.families.kit.reeving import tangent_points
from cable_sim.cranes.families.kit.words.parts import Wheel
from cable_sim.cranes.rigging.reeving_checks import falls_of
from cable_sim.cranes.rigging.tackle import advantage, lead_line_factor
from cable_sim.errors import SpecError
from cable_sim.machine.machine import Machine
from cable_sim.spec import Sheave

G = 9.81


def test_the_published_tackle_of_four_parts():
    """Field rules print 3.25 and 0.309 for 4 parts at 0.917 per sheave, the lead sheave
    included."""
    assert advantage(4, 0.917) == pytest.approx(3.25, rel=5e-3)
    assert lead_line_factor(4, 0.917) == pytest.approx(0.309, rel=5e-3)
    assert advantage(4, 0.917) == pytest.approx(0.917 * (1.0 - 0.917**4) / (1.0 - 0.917), rel=1e-12)


def test_without_losses_the_falls_are_the_advantage_both_ways():
    assert advantage(7, 1.0) == advantage(7, 1.0, lowering=True) == 7.0


@pytest.mark.parametrize("leads", [0, 1])
def test_hoisting_and_lowering_mirror_each_other(leads):
    """Falls' tensions run as E^k from the drum, or as E^-k: sums of the same powers, of opposite
    sign."""
    up, down = advantage(4, 0.9, leads), advantage(4, 0.9, leads, lowering=True)
    assert down / up == pytest.approx(0.9 ** -(2 * leads + 3))


def falls_entry(n_falls, efficiency):
    """So many falls between trolley and block, in a rope's path."""
    ends = {"upper": "trolley.below", "lower": "hook_block.axle", "spacing": 0.05}
    return {"falls": n_falls, "efficiency": efficiency, **ends}


def tackle(n_falls, efficiency=0.917):
    """A crane of the laboratory with a block of 20 kg on so many falls, and a wheel before them."""
    return load_crane(
        "lab_inteco",
        {
            "ropes.hoist_rope.path": ("trolley.drum", falls_entry(n_falls, efficiency)),
            "hooks.hook_block.mass": 20.0,
            "hooks.hook_block.ball.axle": 0.1,
            "axes.hoist.effort": 1000.0,
            "axes.hoist.brake": 1000.0,
        },
    )


@pytest.mark.parametrize(("speed", "lowering"), [(-0.005, False), (0.005, True)])
def test_the_simulated_tackle_of_four_parts_gains_as_much(speed, lowering):
    """Quasi-static: weight over pull at the drum, 3.236 hoisting and 4.991 lowering, to half a
    percent."""
    machine = Machine(tackle(4))
    pulls, falls = [], []
    for _ in range(600):
        machine.command("hoist", speed)
        seen = machine.tick()
        pulls.append(seen.cable("hoist_rope").tension)
        falls.append(seen.cable("hoist_rope").span_tension)
    pull = np.mean(pulls[300:])
    expected = advantage(4, 0.917, 1, lowering)
    assert 20.0 * G / pull == pytest.approx(expected, rel=2e-3)
    if not lowering:
        assert 20.0 * G / pull == pytest.approx(3.25, rel=5e-3)
        assert pull / (20.0 * G) == pytest.approx(0.309, rel=5e-3)
    ratio = (
        falls[-1][3] / falls[-1][1]
    )  # the second fall over the first: a wheel of the block is between them
    assert ratio == pytest.approx(1.0 / 0.917 if lowering else 0.917, rel=2e-3)


@pytest.mark.parametrize("n", range(1, 17))
def test_a_path_has_the_falls_that_were_asked_for(n):
    nodes = tackle(n, 0.98).scene.cables[0].nodes
    falls = falls_of(nodes)
    assert len(falls) == len(set(falls)) == n
    upper, lower = (np.array([fall[end] for fall in falls]) for end in (0, 1))
    np.testing.assert_allclose(upper[:, :2], lower[:, :2], atol=1e-12)  # the falls are upright
    np.testing.assert_allclose(
        lower[:, :2].mean(axis=0), 0.0, atol=1e-12
    )  # and hold the block in its middle
    assert sum(isinstance(node, Sheave) for node in nodes) == n  # one lead sheave and n - 1 wheels
    assert nodes[-1].body == ("hook_block" if n % 2 else "trolley")


@pytest.mark.parametrize("n", [1, 2, 3, 8, 16])
def test_a_block_on_n_falls_hangs_at_rest_and_follows_the_drum(n):
    machine = Machine(tackle(n, efficiency=1.0))
    start = machine.observe()
    for _ in range(100):
        seen = machine.tick()
    assert seen.cable("hoist_rope").tension == pytest.approx(20.0 * G / n, rel=1e-9)
    np.testing.assert_allclose(seen.body_position, start.body_position, atol=1e-9)
    for _ in range(200):
        machine.command("hoist", 0.1)
        seen = machine.tick()
    sunk = start.body("hook_block").position[2] - seen.body("hook_block").position[2]
    ramp, lag = (
        0.1,
        machine.crane.details.axes["hoist"].tau,
    )  # each half of the ramp and the speed loop cost some way
    assert sunk == pytest.approx(0.1 * (2.0 - 0.5 * ramp - lag), abs=4e-3)  # the line stretches


@pytest.mark.parametrize("n", [0, 17])
def test_a_tackle_has_one_to_sixteen_falls(n):
    with pytest.raises(SpecError, match=f"falls: .*, not {n}"):
        tackle(n)


def test_a_ball_on_falls_hangs_below_their_axle():
    with pytest.raises(SpecError, match=naming("axle above 0 fall")):
        load_crane("lab_inteco", {"ropes.hoist_rope.path": (falls_entry(2, 1.0),)})


def test_a_wheel_is_two_tangent_points_on_the_side_that_it_turns():
    """Right-handed about y the lowest point of the rim moves along -x, so the rope comes in at +x;
    on top along +x."""
    at = (1.0, 2.0, 3.0)
    wheel = Wheel((0.0, 0.0, 0.0), 0.4, efficiency=0.95)
    first, second = tangent_points(wheel, "hook_block", at, below=True)
    assert (first.position, second.position) == ((1.2, 2.0, 3.0), (0.8, 2.0, 3.0))
    assert first.efficiency == 0.95
    assert tangent_points(wheel, "trolley", at, below=False)[0].position == (0.8, 2.0, 3.0)
    other = Wheel((0.0, 0.0, 0.0), 0.4, side="left")
    assert tangent_points(other, "hook_block", at, below=True)[0].position == (0.8, 2.0, 3.0)
    with pytest.raises(SpecError, match=naming("axis upright")):
        upright = Wheel((0.0, 0.0, 0.0), 0.4, axis=(0.0, 0.0, 1.0))
        tangent_points(upright, "hook_block", at, below=True)


def test_a_path_of_wheels_is_the_usual_one():
    """Two falls by a drum over the first, a wheel in the block, and a dead end over the second."""
    places = {"over": (0.025, 0.0, 0.0), "end": (-0.025, 0.0, 0.0)}
    low = {"at": (0.0, 0.0, 0.1), "diameter": 0.05, "half_turn": True}
    changes = {
        "parts.trolley.points": places | {"below": (0.0, 0.0, 0.0)},
        "hooks.hook_block.wheels": {"low": low},
        "ropes.hoist_rope.path": ("trolley.over", "hook_block.low", "trolley.end"),
        "hooks.hook_block.ball.axle": 0.1,
    }
    crane = load_crane("lab_inteco", changes)
    usual = {"ropes.hoist_rope.path": (falls_entry(2, 1.0),), "hooks.hook_block.ball.axle": 0.1}
    for made in (crane, load_crane("lab_inteco", usual)):
        assert made.axis("hoist").ratio == 2.0 and len(made.scene.cables[0].nodes) == 4
        seen = Machine(made).tick()
        assert seen.cable("hoist_rope").tension == pytest.approx(0.5 * G, rel=1e-9)
