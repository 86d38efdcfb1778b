"""Records of ropes made of masses."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Ropes(NamedTuple):
    """Ropes made of masses: of the tutorial, of springs, and chains."""

    kinds: Ints
    """(2,) numbers of ropes of the tutorial, and of springs, the tutorial's included."""
    cable: Ints
    """(n,) the cable that each rope is; the tutorial's first, then springs, then chains."""
    start: Ints
    """(n + 1,) first particle; its segments stand in the rows of their first particles."""
    attached: Flags
    """(n, 2) first and last end hang on something."""
    row: Ints
    """(n, 2) CONDENSED rows of a chain's attached ends, -1 for none."""
    inertia_row: Ints
    """(n, 2) first of three INERTIA rows of the masses at attached ends, -1 for none."""
    stiffness: Floats
    """(n,) of a spring [N/m]."""
    compliance: Floats
    """(n,) of a chain 1/EA [1/N]."""
    damping_time: Floats
    """(n,) of a chain [s]."""
    rest_length: Floats
    """(n,) of a segment [m]."""
    friction: Floats
    """(n,) of a spring [N s/m]."""
    air_friction: Floats
    """(n,) of a mass [N s/m]."""
    bending: Floats
    """(n,) EI [N m^2]."""
    objective: Flags
    """(n,) friction along the springs only."""
    pull_only: Flags
    """(n,) springs, or segments of a chain, carry no compression."""
    largest_step: Floats
    """(n,) [s]."""
    ground_point: Floats
    """(n, 3) [m]."""
    ground_normal: Floats
    """(n, 3) zero for no ground."""
    ground_friction: Floats
    """(n,) mu; of the tutorial's slide friction [N s/m]."""
    height: Floats
    """(n,) of the tutorial's ground, minus infinity for none [m]."""
    repulsion: Floats
    """(n,) [N/m]."""
    absorption: Floats
    """(n,) [N s/m]."""
    particle_mass: Floats
    """(p,) [kg]; that of an attached end moves with its body, the tutorial has none there."""
    particle_inverse_mass: Floats
    """(p,) [1/kg], 0 at attached ends."""
    segment_rest_length: Floats
    """(p,) [m]."""


class ParticleState(NamedTuple):
    """Masses of ropes."""

    position: Floats
    """(p, 3) of ropes made of masses [m]."""
    velocity: Floats
    """(p, 3) [m/s]."""
    segment_impulse: Floats
    """(p,) of chains in the last step [N s]: to report."""


class RopeWork(NamedTuple):
    """Scratch of ropes made of masses."""

    particle_position: Floats
    """(p, 3) of springs, at the end of the step."""
    particle_velocity: Floats
    """(p, 3)."""
    particle_force: Floats
    """(p, 3)."""
    end_velocity: Floats
    """(n, 2, 3) at the start of the step."""
    end_next_velocity: Floats
    """(n, 2, 3) of attached ends of chains at the end of the step."""
    end_force: Floats
    """(n, 2, 3) of springs, mean of the step [N]."""
    end_impulse: Floats
    """(n, 2)."""
    end_active: Flags
    """(n, 2)."""
    end_softness: Floats
    """(n, 2)."""
    end_demand: Floats
    """(n, 2)."""
    end_coupling: Floats
    """(n,)."""
    particle_mobility: Floats
    """(p,) of a chain w = 1 / (m + h b) [1/kg]."""
    particle_slowing: Floats
    """(p,) of a chain m w [-], 0 at attached ends."""
    segment_diagonal: Floats
    """(p,) of a chain w_k + w_{k+1} + sigma [1/kg]."""
    segment_rate_share: Floats
    """(p,) of a chain a in rhs = a J v - b g [-]."""
    segment_recovery: Floats
    """(p,) of a chain b [1/s]."""
    segment_rate: Floats
    """(p,) of a chain J v [m/s], and J v~."""
    segment_free_rate: Floats
    segment_state: Ints
    """(p,) of a chain TAUT, CAUGHT, either plus HELD, or APART of
    ``kernels/cables/particles/slack_segments.py``."""
    segment_catch: Floats
    """(p, 2) of a CAUGHT one w_k + w_{k+1} + sigma [1/kg] and rhs [m/s]."""
    segment_impulse: Floats
    """(p,) of a chain, of a solution that may be reviewed [N s]."""
    middle_fill: Floats
    """(n, 2) parts of the end impulses in that of the middle segment."""
    segment_direction: Floats
    """(p, 3)."""
    segment_length: Floats
    """(p,) at the start of the step [m]."""
    segment_demand: Floats
    """(p,) y, then y / D."""
    segment_fill: Floats
    """(p,) q / D."""
    segment_share: Floats
    """(p,) o, then o / D."""


class SegmentReadings(NamedTuple):
    """Tension and length of segments."""

    tension: Floats
    """(p,) of ropes made of masses."""
    length: Floats
    """(p,)."""
