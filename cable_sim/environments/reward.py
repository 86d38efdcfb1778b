"""The reward of a step of T seconds, from a state s to s' by the action a, the one before being
a_0:

    discount Phi(s') - Phi(s)  -  w_time T  -  w_sway T (theta / 0.1 rad)^2  -  w_change |a - a_0|^2
                               +  w_success, if the load has arrived
                               -  w_failure, if that can't be any more

The potential is Phi = -w_progress * sum of |way_i| / v_i over the commanded axes: the seconds that
the load's way to its target, by axis (``environments/load_position.py``), would take at their full
speeds v_i. A reward of that form leaves the best policy as it is for a learner with that discount
(Ng, Harada, Russell 1999), because over an episode it adds up to what does not depend on the way,

    sum of discount^t (discount Phi(s_t+1) - Phi(s_t))  =  discount^n Phi(s_n) - Phi(s_0).

For the theorem the potential of a state in which an episode terminates has to be 0. Here it counts
as it is: it is next to 0 on success, and a failure is the worse the farther it is from the target,
    by w_progress a second of way. theta is
the hook's sway, theta^2 = radial^2 + tangential^2. All of it is the truth, whatever is observed.
"""

from collections.abc import Mapping, Sequence

from cable_sim.environments.settings import Weights

SWAY = 0.1
"""Sway that costs ``Weights.sway`` a second [rad]."""


def potential(weights: Weights, ways: Mapping[str, float], speeds: Mapping[str, float]) -> float:
    """Phi: 0 at the target, and lower the farther the load is from it.

    ``ways`` to go [m, rad] and largest ``speeds`` [m/s, rad/s], by axis.
    """
    return -weights.progress * sum(abs(way) / speeds[axis] for axis, way in ways.items())


def progress(weights: Weights, before: float, after: float) -> float:
    """The shaping, from the potentials of two states."""
    return weights.discount * after - before


def costs(
    weights: Weights, seconds: float, sway: float, old: Sequence[float], new: Sequence[float]
) -> dict[str, float]:
    """What a step of so many ``seconds`` costs, 0 or below, by part: of ``sway`` [rad], and of a
    change from an old action (n,) to a new one [-]."""
    change = sum((b - a) ** 2 for a, b in zip(old, new, strict=True))
    return {
        "time": -weights.time * seconds,
        "sway": -weights.sway * seconds * (sway / SWAY) ** 2,
        "change": -weights.change * change,
    }


def ending(weights: Weights, success: bool, failure: bool) -> float:
    """What the end of an episode is worth."""
    return weights.success * success - weights.failure * failure
