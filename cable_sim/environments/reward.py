"""Reward of a step of T seconds, from a state s to s' by the action a, after the action a_0.

    discount Phi(s') - Phi(s)  -  w_time T  -  w_sway T (theta / 0.1 rad)^2  -  w_change |a - a_0|^2
                               +  w_success, if the load has arrived
                               -  w_failure, if the load can no longer arrive

The potential is Phi = -w_progress * sum of |way_i| / v_i over the commanded axes. That sum is the
time [s] that the load's way to its target would take at the full speeds v_i. The way is counted by
axis (``environments/load_position.py``). A reward of that form leaves the optimal policy unchanged
for a learner with that discount (Ng, Harada, Russell 1999). Over an episode it adds up to a sum
that does not depend on the way,

    sum of discount^t (discount Phi(s_t+1) - Phi(s_t))  =  discount^n Phi(s_n) - Phi(s_0).

The theorem requires a potential of 0 in states in which an episode terminates. Here the potential
counts as it is: on success it is almost 0. A failure costs the more the farther it is from the
target, w_progress for each second of way. theta is the hook's sway, theta^2 = radial^2 +
tangential^2. All of these are true values, whatever is observed.
"""

from collections.abc import Mapping, Sequence

from cable_sim.environments.settings import Weights

SWAY = 0.1
"""Sway that costs ``Weights.sway`` a second [rad]."""


def potential(weights: Weights, ways: Mapping[str, float], speeds: Mapping[str, float]) -> float:
    """Return the potential Phi: 0 at the target, and lower the farther the load is from it.

    ``ways`` are the distances to go [m, rad], ``speeds`` the largest speeds [m/s, rad/s], by axis.
    """
    return -weights.progress * sum(abs(way) / speeds[axis] for axis, way in ways.items())


def progress(weights: Weights, before: float, after: float) -> float:
    """Return the shaping reward, from the potentials of two states."""
    return weights.discount * after - before


def costs(
    weights: Weights, seconds: float, sway: float, old: Sequence[float], new: Sequence[float]
) -> dict[str, float]:
    """Return the costs of a step, 0 or below, by part.

    ``seconds`` is the step's duration, ``sway`` the sway [rad]. The action changes from ``old``
    (n,) to ``new`` (n,) [-].
    """
    change = sum((b - a) ** 2 for a, b in zip(old, new, strict=True))
    return {
        "time": -weights.time * seconds,
        "sway": -weights.sway * seconds * (sway / SWAY) ** 2,
        "change": -weights.change * change,
    }


def terminal_reward(weights: Weights, success: bool, failure: bool) -> float:
    """Return the reward at the end of an episode."""
    return weights.success * success - weights.failure * failure
