"""Records of spans that oscillate."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Waves(NamedTuple):
    """Spans of elevation cables that oscillate."""

    oscillates: Flags
    """(c,) has spans that oscillate."""
    damping: Floats
    """(c,) b [1/s]."""
    kind: Ints
    """(c,) FREE, PLANAR, HORIZONTAL of ``kernels/cables/elevation/chords.py``."""
    mixed_term: Flags
    """(c,) takes the growth of its spans into account."""
    scheme: Ints
    """(c,) EXPLICIT, IMPLICIT of ``kernels/cables/elevation/elevation.py``."""
    start: Ints
    """(k,) first point of the span from each node, -1 for one that stays straight."""
    intervals: Ints
    """(k,) intervals between its points."""
    shortest: Floats
    """(c,) spans between contact nodes that are shorter stay straight [m]."""


class WaveState(NamedTuple):
    """Displacements of oscillating spans."""

    displacement: Floats
    """(2, p) displacements of the points of all spans along their two normals [m]."""
    rate: Floats
    """(2, p) [m/s]."""


class WaveWork(NamedTuple):
    """Scratch of oscillating spans."""

    scratch: Floats
    """(3, p)."""
    trace: Floats
    """(n, 7) curves of two spans while a contact node comes or goes: place, displacement, rate."""


class Curves(NamedTuple):
    """The curves of all spans: where each begins, its intervals, u, its rate, first normal, chord,
    and scratch."""

    start: Ints
    intervals: Ints
    displacement: Floats
    rate: Floats
    normal: Floats
    length: Floats
    direction: Floats
    scratch: Floats
