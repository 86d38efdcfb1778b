"""Twist of the hook block by the torque of a laid rope, on the tower crane of the catalogue;
theory: scenario 7."""

import math

import numpy as np
import pytest
from messages import naming
from slow_cases import slow_but

from cable_sim.viewer.readouts import readings
from validation.acceptance.block_twist import SIX, THIRTY_FOUR, lower_block, resting_yaws

TORQUE_FACTOR, D_ROPE = {SIX: 0.089, THIRTY_FOUR: 0.0076}, 0.016
CASES = [
    (falls, top, wheel, rope, depth)
    for rope in (SIX, THIRTY_FOUR)
    for falls, top, wheel, depth in (
        (2, 0.4, 0.4, 25.0),
        (2, 1.2, 0.4, 40.0),
        (2, 1.2, 1.2, 40.0),
        (4, 0.4, 0.4, 40.0),
        (4, 1.2, 0.4, 40.0),
        (4, 1.2, 1.2, 40.0),
    )
]

QUICK = {
    (2, 0.4, 0.4, SIX, 25.0),
    (4, 1.2, 0.4, SIX, 40.0),
    (2, 1.2, 0.4, THIRTY_FOUR, 40.0),
    (4, 1.2, 1.2, THIRTY_FOUR, 40.0),
}


@pytest.mark.parametrize(("falls", "top", "wheel", "rope", "depth"), slow_but(QUICK, CASES))
def test_the_block_rests_at_the_closed_form(
    falls: int, top: float, wheel: float, rope: str, depth: float
) -> None:
    """S_t = ``top`` at the trolley, S_b = D = ``wheel`` at the block: within 0.5 %; without the
    rope's GJ within 10 %.

    The rope's twist is n times as much as the yaw, backwards.
    """
    run = lower_block(falls, top, wheel, rope, 10.0, depth)
    expected, without_stiffness = resting_yaws(falls, top, wheel, run)
    assert run.h[-1] == pytest.approx(depth - 1.0, abs=0.2)
    assert np.ptp(run.yaw[-100:]) < 0.01 * expected
    assert run.yaw[-1] == pytest.approx(expected, rel=5e-3)
    assert run.yaw[-1] == pytest.approx(without_stiffness, rel=0.1)
    block = run.seen.body("hook_block").orientation
    assert 2.0 * math.atan2(block[3], block[0]) == pytest.approx(run.yaw[-1], rel=1e-9)
    assert run.seen.cable("hoist_rope").twist == pytest.approx(-falls * run.yaw[-1], rel=5e-3)


@pytest.mark.parametrize(("rope", "degrees"), [(SIX, 9.1), (THIRTY_FOUR, 0.8)])
def test_nine_degrees_against_one(rope: str, degrees: float) -> None:
    """S = 1.2 m at trolley and block, 40 m, 16 mm, two falls: 9.1 and 0.8 degrees, to the digits of
    the scenario."""
    run = lower_block(2, 1.2, 1.2, rope, 10.0, 41.0)
    assert run.h[-1] == pytest.approx(40.0, abs=0.2)
    assert math.degrees(run.yaw[-1]) == pytest.approx(
        degrees, abs=0.05 if rope == THIRTY_FOUR else 0.1
    )


@pytest.mark.parametrize(
    ("falls", "spread", "limit"),
    slow_but([(2, 0.4**2, 28.1)], [(2, 0.4**2, 28.1), (4, 0.4**2 + 0.4**2, 56.2)]),
)
def test_beyond_the_cabling_length_the_block_spins(falls: int, spread: float, limit: float) -> None:
    """S = 0.4 m at trolley and block, six strands, lowered slowly: 28.1 m on two falls, on four by
    the diagonal 56.2 m.

    Just before it stands below 90 degrees. Within 3 % beyond it goes over the top, passes several
    turns, which the machine counts, and comes to rest where the twist of the rope holds it; the
    page says that the falls cross.
    """
    assert spread / (4.0 * TORQUE_FACTOR[SIX] * D_ROPE) == pytest.approx(limit, abs=0.05)
    run = lower_block(
        falls, 0.4, 0.4, SIX, 0.85 * limit, 1.05 * limit + 1.0, speed=0.08, hold=200.0
    )
    over_the_top = run.h[np.argmax(run.yaw > 0.5 * math.pi)]
    assert limit < over_the_top < 1.03 * limit
    expected, _ = resting_yaws(falls, 0.4, 0.4, run)
    assert expected > 4.0 * math.pi
    assert run.yaw[-1] == pytest.approx(expected, rel=1e-3)
    assert np.abs(np.diff(run.yaw)).max() < 0.5 * math.pi
    lines = [
        line.name for line in readings(run.machine.crane, run.machine.frame(run.seen), 0.0, 0.5)
    ]
    assert any(map(naming("falls cross block cabled").search, lines))


@pytest.mark.parametrize("falls", [2, 4])
def test_a_block_on_rotation_resistant_rope_does_not_cable(falls: int) -> None:
    """S = 0.4 m: 34x7 would cable at 329 m on two falls; at 58 m the block is turned by less than
    asin(58 / 329)."""
    run = lower_block(falls, 0.4, 0.4, THIRTY_FOUR, 20.0, 59.0)
    assert 0.5 < math.degrees(run.yaw[-1]) < math.degrees(math.asin(58.0 / 329.0))
    assert run.yaw[-1] == pytest.approx(resting_yaws(falls, 0.4, 0.4, run)[0], rel=0.02)
    assert not any(
        "cabled" in line.name
        for line in readings(run.machine.crane, run.machine.frame(run.seen), 0.0, 0.5)
    )


@pytest.mark.parametrize("falls", [2, 4])
def test_a_swivel_at_the_dead_end_lets_the_torque_go(falls: int) -> None:
    """Six strands and S = 0.4 m, lowered beyond the cabling length: the block does not turn, the
    rope has no torque."""
    run = lower_block(falls, 0.4, 0.4, SIX, 20.0, 60.0, swivel=True)
    assert run.h[-1] > 56.2
    assert np.abs(run.yaw).max() < 1e-9
    assert run.seen.cable("hoist_rope").torque == 0.0


def test_left_hand_lay_turns_the_block_the_other_way() -> None:
    right, left = (lower_block(2, 1.2, 0.4, SIX, 10.0, 40.0, lay=lay) for lay in ("right", "left"))
    assert left.yaw[-1] == pytest.approx(-right.yaw[-1], rel=1e-6)
    assert right.yaw[-1] > 0.4  # anticlockwise from above
