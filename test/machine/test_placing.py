"""Bodies that are put elsewhere while a machine runs: what moves along, what follows, and what is
refused."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.machine.machine import Machine
from cable_sim.machine.placing import connected_bodies, place
from cable_sim.scenes.basics import pendulum
from cable_sim.scenes.machines import load_machine


@pytest.fixture(scope="module")
def tower():
    return Machine(load_crane("tower_12t"))


@pytest.fixture
def machine(tower):
    tower.reset()
    return tower


def swung(seen, angle):
    """Where the load is when the whole fall is turned about the trolley, across the jib."""
    trolley = seen.body("trolley").position
    x, y, z = seen.body("load").position - trolley
    cos, sin = math.cos(angle), math.sin(angle)
    return trolley + np.array([x, cos * y - sin * z, sin * y + cos * z])


def same(a, b):
    """Whether two states are the same to the bit."""
    pairs = zip(arrays_of(a.simulator.state), arrays_of(b.simulator.state), strict=True)
    return all(np.array_equal(x, y) for x, y in pairs)


def test_what_hangs_together_goes_along_and_keeps_its_slings(machine):
    before = machine.observe()
    assert connected_bodies(machine.crane.scene, before, "load") == ("hook_block", "load")
    half = 0.5 * math.radians(5.0)
    after = place(
        machine, "load", swung(before, 2 * half), (math.cos(half), math.sin(half), 0.0, 0.0)
    )
    assert np.array_equal(after.body("load").position, swung(before, 2 * half))
    for name in ("sling_1", "sling_2", "sling_3", "sling_4"):
        assert after.cable(name).length == pytest.approx(before.cable(name).length, abs=1e-9)
    assert after.cable("hoist_rope").length == pytest.approx(
        before.cable("hoist_rope").length, abs=0.05
    )
    for name in ("jib", "trolley"):
        assert np.array_equal(after.body(name).position, before.body(name).position)
    assert after.time == before.time


def test_a_placed_pendulum_swings_with_its_theoretical_period():
    """Too long by (omega h)^2 / 12 = 1.6e-7, and the series leaves out 173 angle^6 / 737280 =
    1.7e-7."""
    length, angle = 5.0, 0.3
    machine = Machine(scene_machine(pendulum(length=length, angle=0.0)))
    place(machine, "ball", (length * math.sin(angle), 0.0, -length * math.cos(angle)))
    period = (
        2.0
        * math.pi
        * math.sqrt(length / 9.81)
        * (1.0 + angle**2 / 16.0 + 11.0 * angle**4 / 3072.0)
    )
    crossings, last = [], machine.observe()
    while machine.time < 1.1 * period:
        seen = machine.tick()
        a, b = last.body("ball").position[0], seen.body("ball").position[0]
        if a * b < 0.0:
            crossings.append(last.time + (seen.time - last.time) * a / (a - b))
        last = seen
    assert crossings[0] == pytest.approx(0.25 * period, rel=5e-7)
    assert crossings[1] - crossings[0] == pytest.approx(0.5 * period, rel=5e-7)


def test_a_body_placed_with_its_velocity_continues_the_swing():
    """Pose and velocity are of one instant. The rope forgets its pull, from which it foresees its
    turn: that is right within ``path_growth.SAME`` of the weight, so 1e-4 h^2 g a step."""
    length = 5.0
    free = Machine(scene_machine(pendulum(length=length, angle=0.3)))
    put = Machine(scene_machine(pendulum(length=length, angle=0.3)))
    for _ in range(40):
        there = free.tick().body("ball")
    place(put, "ball", there.position, there.orientation, there.velocity, there.angular_velocity)
    for _ in range(200):
        a, b = free.tick().body("ball"), put.tick().body("ball")
    assert b.position == pytest.approx(a.position, abs=2e-8)


def test_a_twist_is_that_of_one_rigid_body(machine):
    after = place(machine, "load", velocity=(0.1, 0.2, 0.0), angular_velocity=(0.2, 0.1, 0.3))
    load, hook = after.body("load"), after.body("hook_block")
    assert load.velocity == pytest.approx(
        (0.1, 0.2, 0.0)
    ) and load.angular_velocity == pytest.approx((0.2, 0.1, 0.3))
    x, y, height = hook.position - load.position
    assert (x, y) == pytest.approx((0.0, 0.0), abs=1e-9) and height > 1.0
    assert hook.velocity == pytest.approx((0.1 + 0.1 * height, 0.2 - 0.2 * height, 0.0))
    assert np.array_equal(after.body("trolley").velocity, np.zeros(3))


def test_a_hook_placed_at_its_trolley_has_finite_sway_and_falls(machine):
    at = machine.observe().body("trolley").position
    with pytest.raises(CommandError, match=naming("0.* m 'truss'")):
        place(machine, "hook_block", at)
    hollow = {"parts.jib.solids": {}, "parts.trolley.solids": {}}
    machine = Machine(load_crane("tower_12t", hollow))
    after = place(machine, "hook_block", at)
    assert machine.sway(after).length == 0.0 and machine.sway(after)[2:4] == (0.0, 0.0)
    for _ in range(20):
        seen = machine.tick()
    assert np.isfinite(machine.sway(seen)).all() and seen.body("hook_block").velocity[2] < -1.0


def test_several_cranes_on_one_load_hang_together():
    crane = load_crane("tandem_lift")
    seen = Machine(crane).observe()
    assert connected_bodies(crane.scene, seen, "beam") == (
        "beam",
        "head_hook_block",
        "tail_hook_block",
    )
    two = load_crane("two_towers")
    assert connected_bodies(two.scene, Machine(two).observe(), "east_load") == (
        "east_hook_block",
        "east_load",
    )


@pytest.mark.parametrize(
    "body, pose, words",
    [
        ("jib", {"position": (0.0, 0.0, 40.0)}, ("jib", "slewing", "axis")),
        ("trolley", {"velocity": (1.0, 0.0, 0.0)}, ("trolley", "axis")),
        ("load", {"position": (25.0, 0.0, 0.5)}, ("hoist_rope", "long")),
        ("load", {"position": (20.0, 0.0, -1.0)}, ("hoist_rope", "long")),
        ("load", {"velocity": (0.0, 0.0, 101.0)}, ("101 m/s", "100")),
        ("load", {"angular_velocity": (0.0, 200.0, 0.0)}, ("200 rad/s", "100")),
    ],
)
def test_what_can_not_be_is_refused_and_changes_nothing(machine, body, pose, words):
    before = machine.save()
    with pytest.raises(CommandError) as refused:
        place(machine, body, **pose)
    assert all(word in str(refused.value) for word in words)
    assert same(machine.save(), before)


def test_nothing_is_put_into_the_ground(machine):
    machine.simulator.part("hoist_rope")
    scene, ground = machine.crane.scene, machine.crane.scene.surfaces[0]
    seen = machine.observe()
    height = float(seen.body("load").position[2] - ground.point[2])
    with pytest.raises(CommandError, match="ground"):
        place(machine, "load", (20.0, 0.0, ground.point[2]))
    assert place(machine, "load", (20.0, 3.0, height)).body("load").position == pytest.approx(
        (20.0, 3.0, height)
    )
    assert connected_bodies(scene, seen, "load") == ("hook_block", "load")


def test_nothing_is_put_into_a_box():
    machine = Machine(load_machine("stacked_boxes"))
    top, below = (machine.observe().body(name) for name in ("box_5", "box_4"))
    with pytest.raises(CommandError, match="box_4"):
        place(machine, "box_5", below.position + [0.1, 0.0, 0.1])
    above = top.position + [0.0, 0.0, 0.5]
    assert place(machine, "box_5", above).body("box_5").position == pytest.approx(above)


def test_ropes_that_would_stay_behind_are_named():
    machine = Machine(load_machine("chain_on_hook"))
    chain = next(cable for cable in machine.crane.scene.cables if cable.lumped)
    body = next(node.body for node in chain.nodes if node.kind != "loose" and node.body != "world")
    with pytest.raises(CommandError, match=naming("hook 'rope' masses")):
        place(machine, body, machine.observe().body(body).position + 0.1)


def test_an_unknown_body_is_named_with_the_known_ones(machine):
    with pytest.raises(SpecError, match="hook_block"):
        place(machine, "bucket")
