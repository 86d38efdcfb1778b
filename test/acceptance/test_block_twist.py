"""Twist of the hook block by the torque of a laid rope, on the tower crane of the catalogue: acceptance scenario 7.

Falls S_t apart at the trolley and S_b at the block, h long, resist the block's yaw psi with W S_t S_b sin(psi) / (4 h)
under the weight W; on four falls, point-symmetric about the block and with sheaves of pitch diameter D, S_t S_b stands
for S_t D + D^2, which at equal spacing is the square of the diagonal. The rope's torque k_t d T + (GJ / L) twist acts
once per fall, and n falls have T = W / n and twist by -n psi. So the block rests where

    sin(psi) + b psi = a,    a = 4 h k_t d / S^2,    b = 4 h n^2 (GJ / L) / (S^2 W),    S^2 = S_t S_b or S_t D + D^2.

Beyond h = S^2 / (4 k_t d), where a = 1, it goes over the top and spins until the twist of the rope holds it, at the
next yaw that solves the equation: after several turns. Real falls would wrap around one another; here they pass
through. The sheaves are without loss: unequal tensions of the falls would turn a block on four falls by themselves.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.viewer.readouts import readings

SIX, THIRTY_FOUR = "6x36ws_iwrc", "34x7_rotation_resistant"
TORQUE_FACTOR, GJ = {SIX: 0.089, THIRTY_FOUR: 0.0076}, {SIX: 1.10e8 * 0.016**4, THIRTY_FOUR: 1.76e9 * 0.016**4}
D_ROPE, G, BLOCK_AXLE = 0.016, 9.81, 0.4
CARRIED = {2: 4350.0, 4: 4380.0}
"""Load and hook block [kg]."""
CASES = [
    (falls, top, wheel, rope, depth)
    for rope in (SIX, THIRTY_FOUR)
    for falls, top, wheel, depth in (
        (2, 0.4, 0.4, 25.0), (2, 1.2, 0.4, 40.0), (2, 1.2, 1.2, 40.0),
        (4, 0.4, 0.4, 40.0), (4, 1.2, 0.4, 40.0), (4, 1.2, 1.2, 40.0),
    )
]  # fmt: skip


class Lowered(NamedTuple):
    """A run: the machine, what it looks like at the end, and length h of the falls [m] and yaw [rad] on the way."""

    machine: Machine
    seen: Observation
    h: np.ndarray
    yaw: np.ndarray


def fall_length(seen: Observation) -> float:
    """From the block's axle up to the trolley's sheaves [m]."""
    return float(seen.body("trolley").position[2] - seen.body("hook_block").position[2] - BLOCK_AXLE)


@cache
def lowered(
    falls: int, top: float, wheel: float, rope: str, start: float, depth: float,
    speed: float = 1.0, hold: float = 30.0, drag: float = 40.0, swivel: bool = False, lay: str = "right",
) -> Lowered:  # fmt: skip
    """The crane lowers 4 t from one hook depth to another [m] with a speed [m/s], then holds for a time [s].

    ``drag`` brakes the block's turning [N m s/rad].
    """
    crane = load_crane("tower_12t", {
        "reeving.n_falls": falls, "reeving.fall_spacing": top, "reeving.sheave_diameter": wheel,
        "reeving.sheave_efficiency": 1.0, "reeving.swivel": swivel, "hoist_rope.construction": rope,
        "hoist_rope.lay": lay, "rig.start.state": "hanging", "rig.start.hook_depth": start,
    })  # fmt: skip
    machine = Machine(crane, dt=5e-3, substeps=10)
    seen, h, yaw = machine.observe(), [], []
    while machine.time < (depth - start) / speed + hold:
        machine.command("hoist", min(start + speed * machine.time, depth), "position")
        spin = seen.body("hook_block").angular_velocity[2]
        machine.simulator.push("hook_block", torque=(0.0, 0.0, -drag * spin))
        seen = machine.tick()
        h.append(fall_length(seen))
        yaw.append(machine.hook_yaw(seen))
    return Lowered(machine, seen, np.array(h), np.array(yaw))


def resting_yaws(falls: int, top: float, wheel: float, rope: str, run: Lowered) -> tuple[float, float]:
    """Closed form: the first yaw at which the block rests [rad], and the one without the rope's own stiffness."""
    spread = top * wheel if falls == 2 else top * wheel + wheel**2
    a = 4.0 * run.h[-1] * TORQUE_FACTOR[rope] * D_ROPE / spread
    length = run.seen.cable("hoist_rope").length_paid_out
    b = 4.0 * run.h[-1] * falls**2 * GJ[rope] / (length * spread * CARRIED[falls] * G)
    yaw = np.arange(0.0, 100.0, 1e-5)
    return float(yaw[np.argmax(np.sin(yaw) + b * yaw >= a)]), math.asin(min(a, 1.0))


@pytest.mark.parametrize(("falls", "top", "wheel", "rope", "depth"), CASES)
def test_the_block_rests_at_the_closed_form(falls: int, top: float, wheel: float, rope: str, depth: float) -> None:
    """S_t = ``top`` at the trolley, S_b = D = ``wheel`` at the block: within 0.5 %; without the rope's GJ within 10 %.

    The rope's twist is n times as much as the yaw, backwards.
    """
    run = lowered(falls, top, wheel, rope, 10.0, depth)
    expected, without_stiffness = resting_yaws(falls, top, wheel, rope, run)
    assert run.h[-1] == pytest.approx(depth - 1.0, abs=0.2)
    assert np.ptp(run.yaw[-100:]) < 0.01 * expected
    assert run.yaw[-1] == pytest.approx(expected, rel=5e-3)
    assert run.yaw[-1] == pytest.approx(without_stiffness, rel=0.1)
    block = run.seen.body("hook_block").orientation
    assert 2.0 * math.atan2(block[3], block[0]) == pytest.approx(run.yaw[-1], rel=1e-9)
    assert run.seen.cable("hoist_rope").twist == pytest.approx(-falls * run.yaw[-1], rel=5e-3)


@pytest.mark.parametrize(("rope", "degrees"), [(SIX, 9.1), (THIRTY_FOUR, 0.8)])
def test_nine_degrees_against_one(rope: str, degrees: float) -> None:
    """S = 1.2 m at trolley and block, 40 m, 16 mm, two falls: 9.1 and 0.8 degrees, to the digits of the scenario."""
    run = lowered(2, 1.2, 1.2, rope, 10.0, 41.0)
    assert run.h[-1] == pytest.approx(40.0, abs=0.2)
    assert math.degrees(run.yaw[-1]) == pytest.approx(degrees, abs=0.05 if rope == THIRTY_FOUR else 0.1)


@pytest.mark.parametrize(("falls", "spread", "limit"), [(2, 0.4**2, 28.1), (4, 0.4**2 + 0.4**2, 56.2)])
def test_beyond_the_cabling_length_the_block_spins(falls: int, spread: float, limit: float) -> None:
    """S = 0.4 m at trolley and block, six strands, lowered slowly: 28.1 m on two falls, on four by the diagonal 56.2 m.

    Just before it stands below 90 degrees. Within 3 % beyond it goes over the top, passes several turns, which the
    machine counts, and comes to rest where the twist of the rope holds it; the page says that the falls cross.
    """
    assert spread / (4.0 * TORQUE_FACTOR[SIX] * D_ROPE) == pytest.approx(limit, abs=0.05)
    run = lowered(falls, 0.4, 0.4, SIX, 0.85 * limit, 1.05 * limit + 1.0, speed=0.08, hold=200.0)
    over_the_top = run.h[np.argmax(run.yaw > 0.5 * math.pi)]
    assert limit < over_the_top < 1.03 * limit
    expected, _ = resting_yaws(falls, 0.4, 0.4, SIX, run)
    assert expected > 4.0 * math.pi
    assert run.yaw[-1] == pytest.approx(expected, rel=1e-3)
    assert np.abs(np.diff(run.yaw)).max() < 0.5 * math.pi
    lines = [line.name for line in readings(run.machine.crane, run.machine.frame(run.seen), 0.0, 0.5)]
    assert "falls cross: the block is cabled" in lines


@pytest.mark.parametrize("falls", [2, 4])
def test_a_rotation_resistant_rope_stays_stable_down_to_the_ground(falls: int) -> None:
    """S = 0.4 m: 34x7 would cable at 329 m on two falls; at 58 m the block is turned by less than asin(58 / 329)."""
    run = lowered(falls, 0.4, 0.4, THIRTY_FOUR, 20.0, 59.0)
    assert 0.5 < math.degrees(run.yaw[-1]) < math.degrees(math.asin(58.0 / 329.0))
    assert run.yaw[-1] == pytest.approx(resting_yaws(falls, 0.4, 0.4, THIRTY_FOUR, run)[0], rel=0.02)
    assert not any("cabled" in line.name for line in readings(run.machine.crane, run.machine.frame(run.seen), 0.0, 0.5))


@pytest.mark.parametrize("falls", [2, 4])
def test_a_swivel_at_the_dead_end_lets_the_torque_go(falls: int) -> None:
    """Six strands and S = 0.4 m, lowered beyond the cabling length: the block does not turn, the rope has no torque."""
    run = lowered(falls, 0.4, 0.4, SIX, 20.0, 60.0, swivel=True)
    assert run.h[-1] > 56.2
    assert np.abs(run.yaw).max() < 1e-9
    assert run.seen.cable("hoist_rope").torque == 0.0


def test_left_hand_lay_turns_the_block_the_other_way() -> None:
    right, left = (lowered(2, 1.2, 0.4, SIX, 10.0, 40.0, lay=lay) for lay in ("right", "left"))
    assert left.yaw[-1] == pytest.approx(-right.yaw[-1], rel=1e-6)
    assert right.yaw[-1] > 0.4  # anticlockwise from above
