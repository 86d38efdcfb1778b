"""Pseudo-random numbers as a function of a seed, a stream and a count.

Philox 2x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2,
3", SC11, 2011): ten rounds of

    (l, r) -> (hi(M l) xor k xor r, lo(M l)),      k -> k + W,       M = 0xD256D193, W = 0x9E3779B9

on a counter of two words of 32 bits under a key of one. There is no state to carry along but the
count, so a copy of the count is a copy of the generator. Two words u, v in (0, 1) make a normal
number by Box and Muller's

    sqrt(-2 ln u) cos(2 pi v),

at most 6.7 standard deviations, since u is 2^-33 at least. Integers are masked to 32 bits after
each product, so that compiled code, which wraps around at 64, and Python, which does not, agree.
"""

from math import cos, log, pi, sqrt

from cable_sim.kernels.jit import kernel

MULTIPLIER = 0xD256D193
WEYL = 0x9E3779B9
WORD = 0xFFFFFFFF
ROUNDS = 10
DROPPING = 0x5F356495
"""Mask that turns the key of a sensor's noise into that of its drop-outs."""


@kernel
def philox(key: int, count: int, stream: int) -> tuple[int, int]:
    """Two words of 32 bits from a key and a counter of two words."""
    left = int(count) & WORD
    right = int(stream) & WORD
    k = int(key) & WORD
    for _ in range(ROUNDS):
        product = MULTIPLIER * left
        left = ((product >> 32) & WORD) ^ k ^ right
        right = product & WORD
        k = (k + WEYL) & WORD
    return left, right


@kernel
def uniform(word: int) -> float:
    """A number in (0, 1) from a word of 32 bits."""
    return (word + 0.5) / 4294967296.0


@kernel
def normal(seed: int, count: int, stream: int) -> float:
    """A number of the standard normal distribution."""
    u, v = philox(seed, count, stream)
    return sqrt(-2.0 * log(uniform(u))) * cos(2.0 * pi * uniform(v))


@kernel
def chance(seed: int, count: int, stream: int) -> float:
    """Return a uniformly distributed number in (0, 1), independent of :func:`normal`."""
    u, _ = philox(int(seed) ^ DROPPING, count, stream)
    return uniform(u)
