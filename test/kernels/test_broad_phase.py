"""The boxes of the broad phase, against points drawn at random."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cable_sim.kernels.broad_phase import box_in_body, is_apart, is_within
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records import BodyState


@kernel
def seen(h, lower, upper, position, orientation, velocity):
    return box_in_body(h, 1, lower, upper, BodyState(position, orientation, velocity))


@pytest.mark.parametrize("seed", range(4))
def test_what_moves_past_a_turning_body_stays_in_its_box(seed: int) -> None:
    """Points of the box, carried back by the body's own motion of a step, and the box is not far
    larger than they need."""
    rng = np.random.default_rng(seed)
    h = 1.0 / 60.0
    corners = np.sort(rng.normal(size=(2, 3)), axis=0)
    pose = rng.normal(size=3)
    turn = Rotation.random(random_state=seed)
    motion = rng.normal(size=6) * (0.0 if seed == 0 else 3.0)
    position, velocity = np.zeros((2, 3)), np.zeros((2, 6))
    orientation = np.zeros((2, 4))
    position[1], velocity[1] = pose, motion
    orientation[:] = 1.0, 0.0, 0.0, 0.0
    orientation[1] = np.roll(turn.as_quat(), 1)
    lower, upper = map(np.array, seen(h, *map(tuple, corners), position, orientation, velocity))
    points = rng.uniform(*corners, size=(2000, 3))
    points = np.concatenate([points, corners[rng.integers(0, 2, (200, 3)), range(3)]])
    carried = motion[:3] + np.cross(motion[3:], points - pose)
    found = [
        turn.inv().apply(p - pose) for p in (points, points - h * carried, points + h * carried)
    ]
    assert all(((f > lower - 1e-12) & (f < upper + 1e-12)).all() for f in found)
    if seed == 0:
        assert np.abs(found[0].min(axis=0) - lower).max() < 1e-9
        assert np.abs(found[0].max(axis=0) - upper).max() < 1e-9


def test_boxes_are_apart_along_any_axis_and_nan_is_never_far() -> None:
    box = np.array([[-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]])
    assert not is_apart((1.0, 2.0, 3.0), (5.0, 5.0, 5.0), box)
    for k in range(3):
        lower = np.zeros(3)
        lower[k] = box[1, k] + 1e-9
        assert is_apart(tuple(lower), (9.0, 9.0, 9.0), box)
        upper = np.zeros(3)
        upper[k] = box[0, k] - 1e-9
        assert is_apart((-9.0, -9.0, -9.0), tuple(upper), box)
        assert not is_within(tuple(lower), tuple(lower), box)
    assert is_within(tuple(box[0]), tuple(box[1]), box)
    nothing = (float("nan"),) * 3
    assert not is_within(nothing, nothing, box) and not is_apart(nothing, nothing, box)
