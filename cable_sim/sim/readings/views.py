"""Views: all values of one object of an observation."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class BodyView(NamedTuple):
    """One body in the world frame.

    It has the position of the centre of mass [m], the orientation (w, x, y, z), velocities
    [m/s, rad/s], and ``contact_force`` [N] of surfaces, other boxes and obstacles on the body.
    """

    position: Array
    orientation: Array
    velocity: Array
    angular_velocity: Array
    contact_force: Array


class TouchEvent(NamedTuple):
    """Begin or end of a touch: time of the step's end [s], both names, and the impact [m/s].

    The impact is the largest speed at which points of the two approached; 0 of an end.
    """

    time: float
    first: str
    second: str
    begins: bool
    speed: float


class Contact(NamedTuple):
    """Two things that touch: both names, places of the points that bear (n, 3) [m], forces of the
    first on the second there (n, 3) [N], unit vectors out of the first into the second (n, 3), and
    the sum of the forces along these [N].

    Places are those of the step's beginning.
    """

    first: str
    second: str
    position: Array
    force: Array
    normal: Array
    normal_force: float


class ContactView(NamedTuple):
    """One pair of boxes.

    ``points`` is the number of bearing points, at most four. ``normal_force`` [N] is the sum of the
    forces along the normal there. ``force`` [N], world frame, is that of the first box on the
    second, with friction.
    """

    points: int
    normal_force: float
    force: Array


class JointView(NamedTuple):
    """One joint: coordinate [rad or m], its rate [rad/s or m/s], loads; ``open`` or not.

    ``force`` [N] acts at the joint's point on the child, ``torque`` [N m] is about that point, both
    in the world frame; drives are not included. The child exerts the opposite on the parent.
    """

    position: float
    velocity: float
    force: Array
    torque: Array
    open: bool


class DriveView(NamedTuple):
    """One drive: coordinate [rad or m], rate and reference [rad/s or m/s], effort [N m or N].

    ``saturated`` says that the effort is at its limit, ``brake_closed`` that the brake holds.
    ``brake_work`` [J] is the work that the brake has turned into heat so far.
    """

    position: float
    velocity: float
    reference: float
    effort: float
    saturated: bool
    brake_closed: bool
    brake_work: float

    @property
    def power(self) -> float:
        """Present power of the drive into its coordinate [W]; negative if it takes power."""
        return self.effort * self.velocity


class CarriageView(NamedTuple):
    """One carriage: position [rad or m] and rate [rad/s or m/s]."""

    position: float
    velocity: float


class WheelView(NamedTuple):
    """One wheel that a rope sticks to or slips on.

    ``rim_position`` [m] and ``rim_speed`` [m/s] are the way and the speed of the rim past the body
    that carries it, positive towards the last node, and 0 of a wheel fixed to that body; ``slip``
    [m/s] is the speed of the rope past the rim in the last step. The rope has the
    ``tension_before`` the wheel and ``tension_behind`` it [N]; it turns by ``wrap`` [rad]. ``heat``
    [J] is the work of the friction between rope and rim so far.
    """

    slip: float
    rim_position: float
    rim_speed: float
    tension_before: float
    tension_behind: float
    wrap: float
    heat: float


class CableView(NamedTuple):
    """One cable.

    ``curve`` (n, 3) [m] is the line to draw, world frame, with the same number of points all the
    time; on a straight span these are its nodes. ``curve_nodes`` (m,) are the indices of the nodes
    among its points.

    ``energy_lost`` [J] is the heat of the friction of massless and elevation cables across the
    edges of obstacles, and the energy of waves that were straightened because the explicit scheme
    was not stable under their tension. That counts their motion beyond that of the chord, and the
    rope that their curves drew in, but not the work of gravity on them. ``length_lost`` [m] is
    their length in excess of their chords.

    ``length_paid_out`` is its unstretched length [m], ``length_rate`` the speed at which a winch
    pays it out [m/s], ``length`` that of the path [m]. ``span_tension`` [N] and ``span_length`` [m]
    go from the first of the cable's own nodes to the last, of a cable made of masses from each mass
    to the next; ``tension_dead_end`` [N] is that at the last node. A tension below zero is
    compression. A rod (``pulls_only=False``), the tutorial's springs and a hybrid wire that
    resists bending carry it; every other cable goes slack instead.

    ``node_position`` (n, 3) [m], ``node_force`` (n, 3) [N], the force of the cable on the body that
    carries the node, and ``node_torque`` (n, 3) [N m], its couple, are in the world frame.

    Present contacts with obstacles have a ``contact_position`` (m, 3) [m], a ``contact_force`` (m,
    3) on the obstacle [N], both in the world frame, the obstacle ``contact_obstacle``, and
    ``contact_sticks`` (m,), True where friction holds the rope. ``mass_position`` (n, 3) [m] are
    the present masses of a hybrid wire, ``mass_twist`` (n,) [rad] the angles by which its rope is
    twisted from the first node to each of them. Behind the points ``severed`` (k,) of the curve the
    cable has broken or was cut: there is no rope up to the next point.

    ``off`` says that it is unhooked or has parted, so it pulls on nothing and is not drawn.
    ``parted`` says that this is for good. ``slack`` says that it carries no tension.
    ``peak_utilisation`` [-] is the largest tension of any step so far, anywhere along the cable,
    over the breaking force, and ``peak_time`` [s] when that was; 0 without a breaking force.

    ``twist`` [rad], with its turns, is positive when the last node's end is turned right-handed
    about the direction from first to last, and so is ``torque`` [N m], which resists it. A cable
    that carries no torque does not measure its twist either.
    """

    length_paid_out: float
    length_rate: float
    length: float
    slack: bool
    twist: float
    torque: float
    span_tension: Array
    span_length: Array
    node_position: Array
    node_force: Array
    node_torque: Array
    curve: Array
    curve_nodes: NDArray[np.int64]
    energy_lost: float
    length_lost: float
    contact_position: Array
    contact_force: Array
    contact_obstacle: tuple[str, ...]
    contact_sticks: NDArray[np.bool_]
    severed: NDArray[np.int64]
    mass_position: Array
    mass_twist: Array
    tension_dead_end: float
    off: bool
    parted: bool
    peak_utilisation: float
    peak_time: float

    @property
    def tension_nodes(self) -> NDArray[np.int64]:
        """Indices of the curve's points between which the tensions stand.

        They are its nodes, or all masses of a cable made of masses.
        """
        known = len(self.span_tension) == len(self.curve_nodes) - 1
        return self.curve_nodes if known else np.arange(len(self.curve))

    @property
    def tension(self) -> float:
        """Tension at the first node, where a winch pulls [N]."""
        return float(self.span_tension[0])
