"""The tutorial's rope beside a loop written from its text, and beside the numbers that follow from
its constants."""

import numpy as np
import pytest
from ropes import GRAVITY, one
from tutorial_loop import Rope

from cable_sim.kernels.cables.particles import tutorial
from cable_sim.kernels.records.arrays import record_of
from cable_sim.kernels.records.ropes import Ropes, RopeWork


def work_of(x, v, hand, pull):
    """Scratch of these arrays."""
    return record_of(
        RopeWork,
        particle_position=x,
        particle_velocity=v,
        particle_force=np.full_like(x, np.nan),
        end_velocity=hand,
        end_force=pull,
    )


class Kernel:
    """The same rope in the kernel, z up: our (x, y, z) is the tutorial's (x, -z, y)."""

    def __init__(
        self, count=80, friction=0.2, air=0.02, height=-1.5, largest=0.002, held=(True, False)
    ):
        self.ropes = record_of(
            Ropes,
            start=np.array([0, count]),
            attached=one(held),
            largest_step=one(largest),
            stiffness=one(1e4),
            rest_length=one(0.05),
            friction=one(friction),
            air_friction=one(air),
            repulsion=one(100.0),
            ground_friction=one(0.2),
            absorption=one(2.0),
            height=one(height),
            particle_mass=np.full(count, 0.05),
        )
        self.x, self.v = np.zeros((count, 3)), np.zeros((count, 3))
        self.x[:, 0] = 0.05 * np.arange(count)
        self.hand, self.pull = np.zeros((1, 2, 3)), np.full((1, 2, 3), np.nan)
        self.gravity = GRAVITY

    def update(self, dt, count=1):
        for _ in range(count):
            tutorial.run(
                dt, self.gravity, 1, self.ropes, work_of(self.x, self.v, self.hand, self.pull)
            )


def turned(rope):
    """Positions of the tutorial's masses in our frame."""
    pos = np.array([mass.pos for mass in rope.masses])
    return np.stack([pos[:, 0], -pos[:, 2], pos[:, 1]], axis=1)


def test_falls_as_the_tutorials_loop_does() -> None:
    """From the horizontal, one end held, frames of 1/60 s: the tip and all others after 0.5, 1, 2
    and 5 s."""
    rope, kernel, frame = Rope(), Kernel(), 1.0 / 60.0
    done = 0
    for seconds in (0.5, 1.0, 2.0, 5.0):
        while done < round(seconds / frame):
            rope.update(frame)
            done += 1
            kernel.update(frame)
        np.testing.assert_allclose(
            kernel.x[-1], turned(rope)[-1], atol=1e-9, err_msg=f"tip at {seconds} s"
        )
        np.testing.assert_allclose(kernel.x, turned(rope), atol=1e-9)
    assert kernel.x[-1, 2] < -1.5  # it has come to the ground


def test_the_hand_moves_and_stays_above_the_ground() -> None:
    """Dragged along, down to the ground and up again, also sideways."""
    rope, kernel, frame = Rope(count=12, height=-0.2), Kernel(count=12, height=-0.2), 0.01
    for velocity in ((0.3, -1.0, 0.4), (-0.5, -0.3, 0.0), (0.0, 2.0, -1.0)):
        rope.hand_velocity = list(velocity)
        kernel.hand[0, 0] = (velocity[0], -velocity[2], velocity[1])
        for _ in range(50):
            rope.update(frame)
            kernel.update(frame)
        np.testing.assert_allclose(kernel.x, turned(rope), atol=1e-9)
        assert kernel.x[0, 2] >= -0.2 and (kernel.hand[0, 0, 2] == 0.0) == (velocity[1] < 0.0)


def test_an_end_that_is_taken_below_the_ground_stays_there() -> None:
    """As its body is there: on the ground it would pull at another place than the body is pulled
    at."""
    kernel = Kernel(count=12, height=-0.2)
    kernel.x[:, 2] = -0.3
    kernel.hand[0, 0] = (0.0, 0.0, -1.0)
    kernel.update(0.01, 5)
    np.testing.assert_allclose(kernel.x[0], (0.0, 0.0, -0.35), atol=1e-12)
    assert kernel.hand[0, 0, 2] == -1.0


def test_a_frame_of_the_largest_step_takes_two() -> None:
    assert [tutorial.substeps(dt, 0.002) for dt in (0.0019, 0.002, 0.0041, 1.0 / 60.0)] == [
        1,
        2,
        3,
        9,
    ]
    fine, coarse = Kernel(largest=0.1), Kernel()
    fine.update(0.001, 10)
    coarse.update(0.002, 5)
    np.testing.assert_array_equal(fine.x, coarse.x)


def test_static_hang() -> None:
    """Misprint 28: 79 masses on the top spring, 3.875 mm; 0.1550 m in all; and the hand carries all
    80."""
    kernel = Kernel(height=-100.0, air=0.5)
    kernel.x[:, 0], kernel.x[:, 2] = 0.0, -0.05 * np.arange(80)
    kernel.update(0.1, 600)
    assert -kernel.x[1, 2] - 0.05 == pytest.approx(3.875e-3, abs=1e-6)
    assert -kernel.x[-1, 2] - 79 * 0.05 == pytest.approx(0.1550, abs=5e-5)
    assert kernel.pull[0, 0, 2] == pytest.approx(-80 * 0.05 * 9.81, rel=1e-6)


def test_a_free_rope_keeps_its_momentum() -> None:
    kernel = Kernel(air=0.0, held=(False, False), height=-100.0)
    kernel.gravity = (0.0, 0.0, 0.0)
    kernel.v[:] = np.random.default_rng(1).normal(size=(80, 3))
    before = kernel.v.sum(axis=0)
    kernel.update(0.5)
    np.testing.assert_allclose(kernel.v.sum(axis=0), before, atol=1e-10)


def test_ropes_in_one_call_are_ropes_alone() -> None:
    """Two ropes with different steps."""
    long, short = Kernel(count=20), Kernel(count=5, largest=0.0005)
    made = {name: getattr(long.ropes, name) for name in Ropes._fields}
    made = {
        name: np.concatenate([array, getattr(short.ropes, name)])
        for name, array in made.items()
        if array is not None
    }
    ropes = record_of(Ropes, **made | {"start": np.array([0, 20, 25])})
    x, v = np.concatenate([long.x, short.x]), np.zeros((25, 3))
    hand, pull = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
    for _ in range(30):
        tutorial.run(0.01, GRAVITY, 2, ropes, work_of(x, v, hand, pull))
        long.update(0.01)
        short.update(0.01)
    np.testing.assert_array_equal(x, np.concatenate([long.x, short.x]))
    np.testing.assert_array_equal(pull, np.concatenate([long.pull, short.pull]))
