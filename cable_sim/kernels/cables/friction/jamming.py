"""Friction that would pull rope along, and tensions that it keeps at nothing.

A segment that slips takes the friction (w_k - 1) T du_k from outside, with a guess for its T
(``friction.py``). The T that comes out goes with the guess by a slope s,

    s = - J M^-1 K^T / (J M^-1 J^T + its compliance),    K = sum (w_k - 1) du_k,

and T = T_0 / (1 - s), T_0 that without friction. Where the ends of the rope are on different
bodies, as on a capstan, s is 1 - w_min at most. But rope that ends at its own eye holds a light
shackle with three legs. Near their balance J is nothing there, and K is not: a little friction
changes T by a lot, and for s >= 1 there is none that fits. That is Painlevé's paradox: what slips
stops at once there. A step would let the rope run against its friction, which would do work on it.
So a segment with s beyond that of a capstan has so much of its friction only that s = ``LESS`` (1 -
w_min); its tensions are within Coulomb's bound. Rope that has run against its friction sticks from
the next step on.

*Slack.* Where friction holds a rope back so much that it is slack, s < 0, T = 0 comes out of each
guess above some value. Then the next guess is halfway back to the last one that left it taut. That
one counts no longer when both are the same but for ``CLOSE`` of its T: other segments have become
slack or taut since.

Painlevé, P. (1895). Sur les lois du frottement de glissement. Comptes rendus 121, 112-115.
"""

from cable_sim.kernels.cables.contact.contact_path import LANDED, MASSIVE
from cable_sim.kernels.cables.hybrid.segments import (
    APPLIED,
    APPLIED_BEFORE,
    BEFORE,
    IMPULSE,
    MISSED,
    MISSED_BEFORE,
    MIXED,
    NEXT,
    NODE,
    PULLED,
    RUBS,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes

LESS = 0.6
"""Slope that is left, as a part of the largest one on a capstan."""
STEEP = 0.9
"""Distance of the slope from 1 within which friction jams, as a part of w_min."""
CLOSE = 1e-4
"""Distance of two guesses that are the same, as a part of the tension."""
LESSENED = 2.0
"""Value of RUBS of a segment with less friction than Coulomb's."""


@kernel
def goes_slack(begin: int, end: int, number: Floats) -> bool:
    """Return True if a segment that the guess before left taut is slack by its own friction."""
    if number[begin, MIXED] < 0.0:
        return False
    for i in range(begin, end):
        if number[i, RUBS] == 0.0 or number[i, IMPULSE] > 0.0 or number[i, APPLIED] <= 0.0:
            continue
        before = number[i, APPLIED_BEFORE] + number[i, MISSED_BEFORE]
        if before > 0.0 and abs(number[i, APPLIED] - number[i, APPLIED_BEFORE]) > CLOSE * before:
            return True
    return False


@kernel
def find_missed(begin: int, end: int, tolerance: float, back: bool, number_out: Floats) -> bool:
    """Find how far slipping segments' tensions miss their guesses; return whether any does.

    ``tolerance`` is a part of the largest tension. Where a segment has become slack or taut, the
    knowledge of earlier guesses no longer holds, unless the next one goes ``back``.
    """
    missed = False
    largest = 0.0
    for i in range(begin, end):
        largest = max(largest, abs(number_out[i, IMPULSE]))
    for i in range(begin, end):
        pulls = 1.0 if number_out[i, IMPULSE] > 0.0 else 0.0
        if pulls != number_out[i, PULLED] and not back:
            number_out[begin, MIXED] = -1.0
            number_out[i, PULLED] = pulls
        rubs = number_out[i, RUBS] > 0.0
        more = number_out[i, IMPULSE] - number_out[i, APPLIED]
        missed |= rubs and abs(more) > tolerance * largest
        number_out[i, MISSED] = more if rubs else 0.0
    return missed


@kernel
def go_halfway_back(begin: int, end: int, number_out: Floats) -> None:
    """Set the next guesses halfway back to those before."""
    for i in range(begin, end):
        number_out[i, NEXT] = 0.5 * (number_out[i, APPLIED] + number_out[i, APPLIED_BEFORE])


@kernel
def only_slipping(begin: int, end: int, number: Floats) -> int:
    """Return the only segment of a wire that slips with friction, -1 for none or several."""
    only = -1
    for i in range(begin, end):
        if number[i, RUBS] > 0.0:
            if only >= 0:
                return -1
            only = i
    return only


@kernel
def least_ratio(i: int, nodes: Nodes) -> float:
    """Return the least w_k of segment i."""
    least = 1.0
    for k in range(nodes.mark[i, NODE], nodes.mark[i + 1, BEFORE] + 1):
        least = min(least, nodes.tension_ratio[k])
    return least


@kernel
def moves_with_bodies(i: int, nodes: Nodes) -> bool:
    """Return True if all nodes of segment i are points of bodies.

    At masses, and crossings off solids, a large slope is nothing unusual: ``mixing.py`` copes.
    """
    for k in range(nodes.mark[i, NODE], nodes.mark[i + 1, NODE] + 1):
        if LANDED < nodes.contact_solid[k] <= MASSIVE:
            return False
    return True


@kernel
def lessen_friction(begin: int, end: int, nodes_out: Nodes) -> bool:
    """Lessen the friction of the only segment that slips, if it jams; return True if it did."""
    number = nodes_out.number
    i = only_slipping(begin, end, number)
    if i < 0 or number[i, RUBS] == LESSENED or not moves_with_bodies(i, nodes_out):
        return False
    change = number[i, APPLIED] - number[i, APPLIED_BEFORE]
    if number[begin, MIXED] < 0.0 or change == 0.0 or number[i, IMPULSE] <= 0.0:
        return False
    slope = 1.0 + (number[i, MISSED] - number[i, MISSED_BEFORE]) / change
    least = least_ratio(i, nodes_out)
    if slope <= 1.0 - STEEP * least:
        return False
    part = LESS * (1.0 - least) / slope
    for k in range(nodes_out.mark[i, NODE], nodes_out.mark[i + 1, BEFORE] + 1):
        nodes_out.tension_ratio[k] = 1.0 - part * (1.0 - nodes_out.tension_ratio[k])
    number[i, RUBS] = LESSENED
    number[i, APPLIED] /= part
    number[i, MISSED] = number[i, IMPULSE] - number[i, APPLIED]
    number[begin, MIXED] = -1.0
    return True
