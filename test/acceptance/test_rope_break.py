"""The statics of scenario 10 in their limits; the numbers themselves: scenario 10."""

import pytest

from validation.acceptance.gantry import hoist_rope
from validation.acceptance.rope_break import statics, weight


def test_stiff_ropes_leave_all_of_the_load_to_the_diagonal() -> None:
    stiff = statics(300.0 * hoist_rope().ea)
    assert stiff.tension == pytest.approx(
        [0.0, weight() / 4.0, 0.0, weight() / 4.0], abs=1e-3 * weight()
    )
    assert stiff.tilt < 1e-3


def test_three_ropes_carry_the_load_and_its_tilt_loads_the_third() -> None:
    """T_3 e = W H phi about the diagonal, e the corner's distance from it, with T_3 the tension of
    both its parts."""
    ropes = statics(3.0 * hoist_rope().ea)
    assert 2.0 * ropes.tension.sum() == pytest.approx(weight(), rel=1e-3)
    half_x, half_y, below = 0.8, 2.0, (10e3 * (1.6 - 0.354 * 1.6) + 41e3 * (1.6 + 1.45)) / 51e3
    away = 2.0 * half_x * half_y / (half_x**2 + half_y**2) ** 0.5
    assert 2.0 * ropes.tension[2] * away == pytest.approx(weight() * below * ropes.tilt, rel=0.05)
