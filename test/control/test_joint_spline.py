"""Splines of joints against hand-computed polynomials and scipy's."""

import numpy as np
import pytest
from scipy.interpolate import BPoly

from cable_sim.control.joint_spline import JointSpline


def test_a_cubic_from_rest_to_rest_is_computed_by_hand():
    """x = 3 d (s / T)^2 - 2 d (s / T)^3, of d = 4 and T = 2."""
    spline = JointSpline([1.0, 3.0], [[[0.0], [0.0]], [[4.0], [0.0]]])
    assert spline.at(1.5)[:, 0] == pytest.approx([0.625, 2.25, 3.0])
    assert spline.at(2.0)[:, 0] == pytest.approx([2.0, 3.0, 0.0])


def test_a_quintic_from_rest_to_rest_is_computed_by_hand():
    """x = d (10 r^3 - 15 r^4 + 6 r^5), r = s / T; at r = 1/4: 106 / 1024 d, 270 / 256 d / T."""
    spline = JointSpline([0.0, 4.0], [np.zeros((3, 1)), [[2.0], [0.0], [0.0]]])
    assert spline.at(1.0)[:2, 0] == pytest.approx([2 * 106 / 1024, 2 / 4 * 270 / 256])


def test_a_line_has_the_mean_speed_and_no_acceleration():
    spline = JointSpline([0.0, 2.0, 3.0], [[[0.0]], [[1.0]], [[4.0]]])
    assert spline.at(1.0)[:, 0] == pytest.approx([0.5, 0.5, 0.0])
    assert spline.at(2.5)[:, 0] == pytest.approx([2.5, 3.0, 0.0])


@pytest.mark.parametrize("known", [1, 2, 3])
def test_any_spline_is_the_polynomial_of_its_ends(known):
    random = np.random.default_rng(known)
    times = np.cumsum(random.uniform(0.3, 2.0, 5))
    points = random.normal(size=(5, known, 2))
    spline = JointSpline(times, points)
    for joint in range(2):
        other = BPoly.from_derivatives(times, points[:, :, joint])
        for time in np.linspace(times[0], times[-1], 41)[:-1]:
            wanted = [other(time), other.derivative()(time), other.derivative(2)(time)]
            assert spline.at(time)[:, joint] == pytest.approx(np.array(wanted), abs=1e-9)


def test_joints_rest_at_the_last_point():
    spline = JointSpline([0.0, 1.0], [[[0.0, 1.0]], [[2.0, 3.0]]])
    assert spline.end == 1.0
    np.testing.assert_array_equal(spline.at(7.0), [[2.0, 3.0], [0.0, 0.0], [0.0, 0.0]])
