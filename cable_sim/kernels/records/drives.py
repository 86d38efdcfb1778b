"""Records of drives and carriages."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Drives(NamedTuple):
    """Drives and their brakes."""

    kind: Ints
    """(d,) ON_JOINT, ON_WINCH, ON_CABLE."""
    on: Ints
    """(d,) the joint, the winch's body row, or the cable."""
    motor: Floats
    """(d, 9) bounds and time constants; columns in ``kernels/multibody/drives.py``."""
    brakes: Floats
    """(d, 4) holding effort of the brake, its delays and wear; columns in the same file."""
    row: Ints
    """(d,)."""
    jumps: Flags
    """(d,) the held speed jumps with the set-point, at the start of a step: nothing ramps."""


class DriveState(NamedTuple):
    """References of drives, and their brakes."""

    reference: Floats
    """(d,) speed that the drive follows [rad/s or m/s]."""
    motion: Floats
    """(d, 7) of the reference, the row and the brake; columns in
    ``kernels/multibody/drives.py``."""
    brake_closed: Flags
    """(d,) the brake holds; it follows its command by its delays."""


class DriveControl(NamedTuple):
    """Commands of drives."""

    mode: Ints
    """(d,) BY_SPEED, BY_POSITION, BY_EFFORT."""
    target: Floats
    """(d,)."""
    brake: Flags
    """(d,) is to be closed."""
    powered: Flags
    """(d,) the motor is energised."""
    effort_share: Floats
    """(d,) of its efforts that the motor can give."""
    brake_share: Floats
    """(d,) of its effort that the brake holds."""
    slip: Floats
    """(d,) [m/s/N or rad/s/(N m)]."""


class DriveReadings(NamedTuple):
    """Coordinates and efforts of drives."""

    position: Floats
    velocity: Floats
    effort: Floats
    saturated: Flags


class Carriages(NamedTuple):
    """Carriages, which move nodes of cables on their body."""

    turns: Flags
    """(g,) turns about its axis; others slide along it."""
    frame: Floats
    """(g, 2, 3) axis and point, in the frame of the body that it moves on [m]."""
    limit: Floats
    """(g, 3) least and largest position, largest speed [rad or m, per second]."""
    node_start: Ints
    """(g + 1,) first of the nodes that it carries."""
    node: Ints
    """(q,) those nodes."""
    room: Ints
    """(q,) number of nodes with room for contacts and masses before each."""
    node_point: Floats
    """(q, 3) their places at position 0, in the body's frame [m]."""


class CarriageState(NamedTuple):
    """Places of carriages."""

    position: Floats
    """(g,) [rad or m]."""


class CarriageControl(NamedTuple):
    """Commands of carriages."""

    target: Floats
    """(g,) position to go to, beyond its range for one to go on at a speed [rad or m]."""
    speed: Floats
    """(g,) speed to go there [rad/s or m/s]."""
