"""A ship that follows poses which come one by one: where it is, how fast, and what is refused."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.cranes.families.kit.words.parts import PartMotion
from cable_sim.cranes.parts.following import Following
from cable_sim.errors import CableSimError, CommandError
from cable_sim.machine.machine import Machine
from cable_sim.machine.pose_following import PoseCommand

HOME = (8.0, 6.0, 0.0)
LEVEL = (1.0, 0.0, 0.0, 0.0)
HOW = Following(delay=0.2)


@pytest.fixture(scope="module")
def ship():
    made = Machine(load_crane("offshore_25t", {"parts.ship.motion": PartMotion(poses=HOW)}))
    start = made.save()

    def anew():
        made.restore(start)
        return made

    return anew


def wave(t):
    """Pose and rates of a ship in a wave that rises slowly: heave 1.2 m and roll 3 degrees."""
    w, share = 0.8, 1.0 - math.exp(-((t / 2.0) ** 3)) if t > 0.0 else 0.0
    heave, roll = 1.2 * share * math.sin(w * t), math.radians(3.0) * share * math.cos(w * t)
    return (HOME[0], HOME[1], heave), (math.cos(0.5 * roll), math.sin(0.5 * roll), 0.0, 0.0)


def run(machine, poses, seconds):
    """Tick for so long; ``poses`` yields commands by the time. Returns height and speed each."""
    seen = []
    waiting = list(poses)
    while machine.time < seconds - 1e-9:
        while waiting and waiting[0].time <= machine.time + 1e-9:
            machine.follow(waiting.pop(0))
        body = machine.tick().body("ship")
        seen.append((*body.position, *body.velocity, *body.angular_velocity))
    return np.array(seen)


@pytest.mark.parametrize("rate", [10.0, 50.0])
def test_it_is_where_it_was_told_to_be(ship, rate) -> None:
    """With the delay, within a millimetre, for ever: rates alone would drift."""
    machine = ship()
    times = np.arange(0.0, 20.0, 1.0 / rate)
    seen = run(machine, [PoseCommand("ship", *wave(t), float(t)) for t in times], 20.0)
    told = np.array([wave(k * 0.01 - HOW.delay)[0] for k in range(1, len(seen) + 1)])
    assert seen[:, :3] == pytest.approx(told, abs=1e-3)
    (x, y, _, _), roll = wave(20.0 - HOW.delay)[1], machine.seen.body("ship").orientation
    assert roll == pytest.approx((x, y, 0.0, 0.0), abs=1e-4)
    jerks = np.abs(np.diff(seen[:, 5])) / 0.01
    assert jerks.max() < 1.5 * 1.2 * 0.8**2 + 0.5


def test_a_jump_is_approached_at_bounded_rates(ship) -> None:
    machine = ship()
    poses = [PoseCommand("ship", HOME, LEVEL, 0.0)]
    poses += [PoseCommand("ship", (8.0, 6.0, 40.0), LEVEL, 0.1 * k) for k in range(1, 120)]
    before = machine.counts["clamped"]
    seen = run(machine, poses, 12.0)
    assert machine.counts["clamped"] == before + 1
    assert any(map(naming("'ship' pose jumps").search, machine.notices))
    assert 0.99 * HOW.speed < seen[:, 5].max() < HOW.speed + 1e-9
    assert np.abs(np.diff(seen[:, 5])).max() < 1.001 * HOW.acceleration * 0.01
    assert seen[:, 2].max() < 40.01
    assert seen[-1, 2] == pytest.approx(40.0, abs=1e-3)


def test_it_comes_to_rest_where_no_more_poses_come(ship) -> None:
    """At the last one, from 2 m/s, without a jerk; and goes on with the next."""
    machine = ship()
    poses = [
        PoseCommand("ship", (8.0, 6.0, 2.0 * t * t / (t + 1.0)), LEVEL, float(t))
        for t in np.arange(0.0, 4.0, 0.05)
    ]
    seen = run(machine, poses, 4.0)
    assert not machine.followers["ship"].silent(machine.time)
    seen = np.concatenate([seen, run(machine, [], 8.0)])
    assert machine.followers["ship"].silent(machine.time)
    assert np.abs(np.diff(seen[:, 5])).max() < 1.001 * HOW.acceleration * 0.01
    assert seen[-1, 2] == pytest.approx(poses[-1].position[2], abs=1e-3)
    assert np.abs(seen[-1, 3:]).max() < 1e-3
    machine.follow(PoseCommand("ship", (8.0, 6.0, 0.0), LEVEL, 8.0))
    assert run(machine, [], 20.0)[-1, 2] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"body": "boom"}, "'boom' follows poses ship"),
        ({"position": (math.nan, 0.0, 0.0)}, "position outside -1e+06 1e+06 m"),
        ({"orientation": (0.0,) * 4}, "quaternion's length 0 1"),
        ({"orientation": (math.nan,) * 4}, "quaternion's length nan 1"),
        ({"time": 0.5}, "time 0.500 s before last 1.000"),
    ],
)
def test_what_is_no_pose_is_refused(ship, change, told) -> None:
    machine = ship()
    first = PoseCommand("ship", HOME, LEVEL, 1.0)
    machine.follow(first)
    with pytest.raises(CommandError, match=naming(told)):
        machine.follow(first._replace(**change))
    machine.follow(first._replace(position=(8.0, 6.0, 0.1)))  # of the same time: it replaces
    assert run(machine, [], 4.0)[-1, 2] == pytest.approx(0.1, abs=1e-3)


def test_a_motion_is_one_of_three() -> None:
    with pytest.raises(CableSimError, match=naming("sea rao sines poses")):
        load_crane("offshore_25t", {"parts.ship.motion.poses": {}})
