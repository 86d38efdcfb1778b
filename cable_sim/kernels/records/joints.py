"""Records of joints."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Joints(NamedTuple):
    """Joints between two bodies."""

    kind: Ints
    """(j,) FIXED, HINGE, PRISMATIC, BALL."""
    body: Ints
    """(j, 2) parent, child."""
    lower: Floats
    """(j,) end stops, infinite for none [rad or m]."""
    upper: Floats
    """(j,)."""
    rest: Floats
    """(j,) coordinate at which the spring is at rest [rad or m]."""
    dry_friction: Floats
    """(j,) [N or N m]."""
    row: Ints
    """(j,) first row."""
    end_row: Ints
    """(j,) the row behind its last one."""
    stop_row: Ints
    """(j,) row of the end stops, -1 for none."""
    spring_row: Ints
    """(j,) row of the spring, -1 for none."""
    damper_row: Ints
    """(j,) row of the damper, the first of three of a ball joint, -1 for none."""
    dry_row: Ints
    """(j,) row of dry friction, -1 for none."""
    rail_start: Ints
    """(j + 1,) first of the nodes of the rail that a slide runs along; none of other joints."""
    rail_body: Ints
    """(k,) bodies of these nodes."""
    rail_station: Floats
    """(k,) their places along the rail, increasing [m]."""
    rail_point: Floats
    """(k, 3) their points, in the frames of the bodies [m]."""
    rail_axes: Floats
    """(k, 2, 3) t1 and the tangent there, in the frames of the bodies [-]."""


class JointState(NamedTuple):
    """Frames and coordinates of joints."""

    point: Floats
    """(j, 2, 3) the joint's point in the frames of parent and child [m]."""
    axes: Floats
    """(j, 2, 3, 3) its axes t1, t2, a as rows, in the frames of parent and child."""
    offset: Floats
    """(j,) coordinate where these frames agree [rad or m]."""
    open: Flags
    """(j,) holds nothing at present."""
    position: Floats
    """(j,) coordinates with their turns [rad or m]."""


class JointReadings(NamedTuple):
    """Rates and reactions of joints."""

    velocity: Floats
    force: Floats
    torque: Floats
