"""Anderson's mixing: the fixed point x = g(x) of the tensions of segments that slip, from the
guesses made so far.

A guess x_n is missed by f_n = g(x_n) - x_n. Where g is linear, a change of the guess by dx changes
what is missed by a df, and the same combination of both holds for all. With the changes made so
far, orthonormalised among the df_j,

    x_n+1 = x_n + f_n - sum (f_n . df_j) (dx_j + df_j),

which leaves of f_n what no change so far has any effect on, and takes that as the plain iteration x
+ f does. That is GMRES for a linear g: n unknowns come out in n + 1 guesses, whether or not the
plain iteration contracts. It does not, where light masses lie between nodes that slip: each segment
hands the error on to its neighbours.

A change among those known tells nothing new. If it is missed by as much as the one before, what is
known is not good enough: g comes out of a solution with other friction, which is as accurate as it
has to be and starts from the last one. All is forgotten, and the plain iteration begins anew.

Anderson, D. G. (1965). Iterative procedures for nonlinear integral equations. Journal of the ACM
12(4), 547-560.
"""

from cable_sim.kernels.cables.hybrid.segments import (
    APPLIED,
    APPLIED_BEFORE,
    CHANGES,
    DEPTH,
    MISSED,
    MISSED_BEFORE,
    MISSES,
    MIXED,
    NEXT,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats

DEPENDENT = 1e-20
"""Square of the least new part of a change. One with less is among those known."""
SHRINKING = 0.25
"""Largest square of what a guess is missed by, over that of the guess before, of one that helps."""


@kernel
def column_product(begin: int, end: int, one: int, other: int, number: Floats) -> float:
    """Scalar product of two columns."""
    total = 0.0
    for i in range(begin, end):
        total += number[i, one] * number[i, other]
    return total


@kernel
def remove_component(begin: int, end: int, j: int, last: int, number_out: Floats) -> None:
    """Take the part along change j out of the last change."""
    share = column_product(begin, end, MISSES + j, MISSES + last, number_out)
    for i in range(begin, end):
        number_out[i, CHANGES + last] -= share * number_out[i, CHANGES + j]
        number_out[i, MISSES + last] -= share * number_out[i, MISSES + j]


@kernel
def add_change(begin: int, end: int, known: int, number_out: Floats) -> int:
    """Add the change from the last guess to this one to the known changes; return their number.

    It is 0 if nothing new is known, and what is known does not help.
    """
    last = known if known < DEPTH else 0
    for i in range(begin, end):
        number_out[i, CHANGES + last] = number_out[i, APPLIED] - number_out[i, APPLIED_BEFORE]
        number_out[i, MISSES + last] = number_out[i, MISSED] - number_out[i, MISSED_BEFORE]
    whole = column_product(begin, end, MISSES + last, MISSES + last, number_out)
    for j in range(last):
        remove_component(begin, end, j, last, number_out)
    square = column_product(begin, end, MISSES + last, MISSES + last, number_out)
    if square <= DEPENDENT * whole:
        missed = column_product(begin, end, MISSED, MISSED, number_out)
        before = column_product(begin, end, MISSED_BEFORE, MISSED_BEFORE, number_out)
        return last if missed < SHRINKING * before else 0
    for i in range(begin, end):
        number_out[i, CHANGES + last] /= square**0.5
        number_out[i, MISSES + last] /= square**0.5
    return last + 1


@kernel
def mix_guesses(begin: int, end: int, number_out: Floats) -> None:
    """Compute NEXT, the next guess for APPLIED, from MISSED.

    The known changes are forgotten when MIXED is -1.
    """
    known = int(number_out[begin, MIXED])
    known = add_change(begin, end, known, number_out) if known >= 0 else 0
    for i in range(begin, end):
        number_out[i, NEXT] = number_out[i, APPLIED] + number_out[i, MISSED]
        number_out[i, APPLIED_BEFORE] = number_out[i, APPLIED]
        number_out[i, MISSED_BEFORE] = number_out[i, MISSED]
    for j in range(known):
        share = column_product(begin, end, MISSED, MISSES + j, number_out)
        for i in range(begin, end):
            number_out[i, NEXT] -= share * (number_out[i, CHANGES + j] + number_out[i, MISSES + j])
    number_out[begin, MIXED] = known
