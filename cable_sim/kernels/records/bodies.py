"""Records of bodies, their motion and the wind on them."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Bodies(NamedTuple):
    """World, rigid bodies, winches, and couplings of chains and crossings, in this order."""

    kind: Ints
    """(b,) world 0, DYNAMIC, PRESCRIBED, WINCH, COUPLING, JUNCTION."""
    inverse_mass: Floats
    """(b,) [1/kg], zero for what does not obey forces; of a winch at the rope in its first
    layer."""
    inertia: Floats
    """(b, 3, 3) body frame [kg m^2]."""
    inverse_inertia: Floats
    """(b, 3, 3) body frame [1/(kg m^2)]."""
    axes: Floats
    """(b, 3, 3) principal axes a, c, b of ``kernels/multibody/bodies.py`` as columns, body
    frame."""
    momentum: Floats
    """(b, 3, 3) angular momentum along them per angular velocity in the body frame [kg m^2]."""
    inverse_moments: Floats
    """(b, 3) about them [1/(kg m^2)]."""


class BodyState(NamedTuple):
    """Poses and velocities."""

    position: Floats
    """(b, 3) centres of mass in the world; of a winch (paid-out length, 0, 0) [m], see
    ``kernels/multibody/drums.py``."""
    orientation: Floats
    """(b, 4) unit quaternions (w, x, y, z)."""
    velocity: Floats
    """(b, 6) linear [m/s], angular [rad/s], world frame; of a winch (rate, 0, ...)."""


class Moving(NamedTuple):
    """Poses and velocities of bodies, and their inverse masses and inertias, see their records."""

    position: Floats
    orientation: Floats
    velocity: Floats
    inverse_mass: Floats
    world_inverse_inertia: Floats


class BodyWork(NamedTuple):
    """Inertia in the world, and velocities at the end of the step."""

    inverse_inertia: Floats
    """(b, 3, 3); zero but for dynamic bodies, which is part of the model."""
    next_velocity: Floats
    """(b, 6)."""
    trial_velocity: Floats
    """(b, 6) with the impulses of a solution that may be revised (``cables/friction_work.py``)."""


class BodyControl(NamedTuple):
    """Forces from outside, and velocities of prescribed bodies."""

    wrench: Floats
    """(b, 6) force at the centre of mass [N] and torque [N m] from outside, world frame."""
    prescribed_velocity: Floats
    """(b, 6) of prescribed bodies."""


class BodyReadings(NamedTuple):
    """Forces of contacts on bodies."""

    contact_force: Floats
    """(b, 3)."""


class Motions(NamedTuple):
    """Tables of prescribed motion."""

    body: Ints
    """(o,) body row, -1 for a motion of a drive."""
    drive: Ints
    """(o,) drive, -1 for a motion of a body."""
    start: Ints
    """(o + 1,) first row in the table."""
    time: Floats
    """(t,) [s]."""
    value: Floats
    """(t, 6) velocity, angular velocity; or target of the drive and zeros; or offset of the pose:
    x, y, z [m], roll, pitch, yaw [rad]."""
    slope: Floats
    """(t, 6) rate of such an offset."""
    sine_start: Ints
    """(o + 1,) first sine of a motion by poses."""
    sine: Floats
    """(s, 13) angular frequency [rad/s]; six factors of its cosine, and six of its sine, in the
    units of an offset."""
    poses: Flags
    """(o,) tells poses, and not rates."""
    ramp: Floats
    """(o,) time in which poses are let in [s]."""
    position: Floats
    """(o, 3) of the body in the scene [m]."""
    orientation: Floats
    """(o, 4) of the body in the scene."""


class Drag(NamedTuple):
    """Patches and cables that the wind blows on."""

    profile: Floats
    """(3,) reference height [m], exponent, most impulses of the wind on one body."""
    drag_body: Ints
    """(p,) body of each patch that the wind blows on."""
    drag_patch: Floats
    """(p, 6) 1/2 rho cd A along the body's axes [kg/m], centre in the body's frame [m]."""
    cable_drag: Floats
    """(c,) 1/2 rho cd d [kg/m^2], zero of cables made of masses."""
    rope_drag: Floats
    """(n,) 1/2 rho cd d of these over their density [1/m]."""
