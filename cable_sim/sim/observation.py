"""Observations of the simulator: named, in SI units, immutable."""

from dataclasses import FrozenInstanceError
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError
from cable_sim.kernels.cables.breakage import ON, PARTED
from cable_sim.kernels.cables.contact_path import MASSIVE, UNUSED
from cable_sim.kernels.status import LOST_PIVOT, NOT_CONVERGED, NOT_FINITE
from cable_sim.model.names import Names
from cable_sim.sim.energy import Energy, EnergyBalance
from cable_sim.sim.picture import FIELDS, MEANS, NODE_MEANS, Picture

Array = NDArray[np.float64]


class Report(NamedTuple):
    """Accuracy of the last step.

    Parameters
    ----------
    status: 0 when all is well; otherwise see :func:`cable_sim.sim.sentences.explain`.
    residual: largest violation of the complementarity conditions, relative [-].
    iterations: largest number of pivoting rounds that a step of this tick took.
    """

    status: int
    residual: float
    iterations: int

    @property
    def exact(self) -> bool:
        """Return True if the solver solved its equations; all other flags are about the scene."""
        return not self.status & (NOT_CONVERGED | LOST_PIVOT | NOT_FINITE)


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


class CableView(NamedTuple):
    """One cable.

    ``curve`` (n, 3) [m] is the line to draw, world frame, with the same number of points all the
    time; on a straight span these are its nodes. ``curve_nodes`` (m,) are the indices of the nodes
    among its points.

    ``energy_lost`` [J] is the energy of waves that were straightened because the explicit scheme
    was not stable under their tension. It counts their motion beyond that of the chord, and the
    rope that their curves drew in, but not the work of gravity on them. ``length_lost`` [m] is
    their length in excess of their chords.

    ``length_paid_out`` is its unstretched length [m], ``length_rate`` the speed at which a winch
    pays it out [m/s], ``length`` that of the path [m]. ``span_tension`` [N] and ``span_length`` [m]
    go from the first of the cable's own nodes to the last, of a cable made of masses from each mass
    to the next; ``tension_dead_end`` [N] is that at the last node. A tension below zero is
    compression. A rod (``pulls_only=False``), a chain of masses, the tutorial's springs and a
    hybrid wire that resists bending carry it; every other cable goes slack instead.

    ``node_position`` (n, 3) [m], ``node_force`` (n, 3) [N], the force of the cable on the body that
    carries the node, and ``node_torque`` (n, 3) [N m], its couple, are in the world frame.

    Present contacts with obstacles have a ``contact_position`` (m, 3) [m], a ``contact_force`` (m,
    3) on the obstacle [N], both in the world frame, the obstacle ``contact_obstacle``, and
    ``contact_sticks`` (m,), True where friction holds the rope. ``mass_position`` (n, 3) [m] are
    the present masses of a hybrid wire. Behind the points ``severed`` (k,) of the curve the cable
    has broken or was cut: there is no rope up to the next point.

    ``off`` says that it is unhooked or has parted, so it pulls on nothing and is not drawn.
    ``parted`` says that this is for good. ``slack`` says that it carries no tension.

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
    tension_dead_end: float
    off: bool
    parted: bool

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


_FIELDS = FIELDS | {
    "energy": lambda p: Energy(*p.array("readings.energy").tolist()),
    "energy_balance": lambda p: EnergyBalance(
        p.array("readings.balance.gained").item(), p.array("readings.balance.at_play").item()
    ),
}


class Observation:
    """The scene at one instant.

    Arrays follow the order of ``names`` and can't be written. Each is made when it is first read.
    Most programs use :meth:`body`, :meth:`joint`, :meth:`drive` and :meth:`cable`, which return all
    values of one object by name. Vectors are in the world frame, forces are means over the last
    step. There are b bodies, p pairs of boxes, j joints, d drives, c cables and g carriages; the
    other lengths n are sums over all cables.

    Parameters
    ----------
    names: names of all objects, in the order of the arrays.
    time: simulated, since the start [s].
    steps: number of steps since the start.
    report: accuracy of the last step.
    energy: energies of the whole scene [J].
    energy_balance: energy that a scene has gained that nothing drives [J].
    body_position, body_velocity, body_angular_velocity, body_contact_force: (b, 3) [m, m/s,
        rad/s, N]; see BodyView.
    body_orientation: (b, 4) unit quaternions (w, x, y, z).
    pair_points: (p,) number of bearing points; see ContactView.
    pair_normal_force, pair_force: (p,) and (p, 3) [N].
    joint_position, joint_velocity: (j,) coordinate and its rate [rad or m, rad/s or m/s].
    joint_force, joint_torque: (j, 3) of the parent on the child [N, N m].
    joint_open: (j,) True if the joint holds nothing.
    drive_position, drive_velocity, drive_reference: (d,) coordinate, its rate, and the speed
        reference [rad or m, rad/s or m/s].
    drive_effort: (d,) [N m or N].
    drive_saturated, drive_brake_closed: (d,) True if the effort is at its limit, and if the brake
        holds.
    drive_brake_work: (d,) work that the brake has turned into heat [J].
    cable_length_paid_out, cable_length_rate: (c,) unstretched length and its rate [m, m/s].
    cable_slack: (c,) True if it carries no tension.
    cable_twist, cable_torque: (c,) [rad, N m].
    cable_lost: (c, 2) energy and length of waves that were straightened [J, m].
    span_tension, span_length: (n,) of all spans of all cables, those to contact nodes included [N,
        m].
    segment_tension, segment_length: (n,) between the masses of cables made of masses [N, m].
    node_position, node_force, node_torque: (n, 3) of all nodes, with room for contact nodes [m, N,
        N m].
    node_touch: (n,) number of the obstacle that a contact node is on; below 0 for other nodes.
    node_sticks, node_severed: (n,) True if friction holds the rope there, and if it is cut behind
        the node.
    cable_off: (c,) 0 for a cable that pulls; else unhooked or parted.
    carriage_position, carriage_velocity: (g,) [rad or m, rad/s or m/s].
    wave_position: (n, 3) points of all sagging spans [m].
    """

    names: Names
    time: float
    steps: int
    report: Report
    energy: Energy
    energy_balance: EnergyBalance
    body_position: Array
    body_orientation: Array
    body_velocity: Array
    body_angular_velocity: Array
    body_contact_force: Array
    pair_points: NDArray[np.int64]
    pair_normal_force: Array
    pair_force: Array
    joint_position: Array
    joint_velocity: Array
    joint_force: Array
    joint_torque: Array
    joint_open: NDArray[np.bool_]
    drive_position: Array
    drive_velocity: Array
    drive_reference: Array
    drive_effort: Array
    drive_saturated: NDArray[np.bool_]
    drive_brake_closed: NDArray[np.bool_]
    drive_brake_work: Array
    cable_length_paid_out: Array
    cable_length_rate: Array
    cable_slack: NDArray[np.bool_]
    cable_twist: Array
    cable_torque: Array
    cable_lost: Array
    span_tension: Array
    span_length: Array
    segment_tension: Array
    segment_length: Array
    node_position: Array
    node_force: Array
    node_torque: Array
    node_touch: NDArray[np.int64]
    node_sticks: NDArray[np.bool_]
    node_severed: NDArray[np.bool_]
    cable_off: NDArray[np.int64]
    carriage_position: Array
    carriage_velocity: Array
    wave_position: Array

    def __init__(self, names: Names, report: Report, picture: Picture) -> None:
        self.__dict__.update(names=names, report=report, _picture=picture)

    def __getattr__(self, name: str) -> Any:
        """Make an array that has not been read before."""
        if name not in _FIELDS:
            raise AttributeError(f"an observation has no {name!r}")
        value = _FIELDS[name](self._picture)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, _: Any) -> NoReturn:
        raise FrozenInstanceError(f"an observation can't be changed: {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"an observation can't be changed: {name!r}")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what pickle or copy has made, whose arrays could be written."""
        self.__dict__.update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__annotations__})

    def replaced(self, **fields: Any) -> "Observation":
        """Return this observation with other values of some fields.

        Raises AttributeError for a field that no observation has.
        """
        unknown = fields.keys() - self.__annotations__.keys()
        if unknown:
            raise AttributeError(f"an observation has no {', '.join(sorted(unknown))}")
        other = Observation(self.names, self.report, self._picture)
        other.__dict__.update(self.__dict__, **fields)
        return other

    def numbers(self, places: NDArray[np.int64]) -> list[float]:
        """Return the numbers at places (k,) of channels, in their units; ``sim/channels.py``."""
        return self._picture.numbers(places)

    def at_its_time(self, following: "Observation") -> "Observation":
        """Return this observation with forces of its own time, given that of the next step.

        They are the means of the steps before and behind it, of second order in the step. Forces of
        nodes of which a contact has come or gone in between stay those of the last step. Raises
        SpecError if ``following`` is not one step later.
        """
        if following.names is not self.names or following.steps != self.steps + 1:
            raise SpecError(
                f"following observation: step {following.steps} is not allowed; it must be step "
                f"{self.steps + 1} of the same simulator"
            )
        same = (self.node_touch == following.node_touch)[:, np.newaxis]
        forces = {name: 0.5 * (getattr(self, name) + getattr(following, name)) for name in MEANS}
        for name in NODE_MEANS:
            mean = 0.5 * (getattr(self, name) + getattr(following, name))
            forces[name] = np.where(same, mean, getattr(self, name))
        for array in forces.values():
            array.flags.writeable = False
        return self.replaced(**forces)

    def body(self, name: str) -> BodyView:
        """Return the body of that name; raise SpecError if there is none."""
        i = self.names.index("bodies", name)
        return BodyView(
            self.body_position[i],
            self.body_orientation[i],
            self.body_velocity[i],
            self.body_angular_velocity[i],
            self.body_contact_force[i],
        )

    def contact(self, box: str, other: str) -> ContactView:
        """Return the pair of boxes of these names, in either order.

        Raises SpecError if the scene's contacts do not have it.
        """
        swapped = (other, box) in self.names.contacts
        i = self.names.pair(other, box) if swapped else self.names.pair(box, other)
        force = -self.pair_force[i] if swapped else self.pair_force[i]
        return ContactView(int(self.pair_points[i]), float(self.pair_normal_force[i]), force)

    def joint(self, name: str) -> JointView:
        """Return the joint of that name; raise SpecError if there is none."""
        i = self.names.index("joints", name)
        position = float(self.joint_position[i])
        velocity = float(self.joint_velocity[i])
        return JointView(
            position, velocity, self.joint_force[i], self.joint_torque[i], bool(self.joint_open[i])
        )

    def drive(self, name: str) -> DriveView:
        """Return the drive of that name, or the carriage, which has no effort.

        Raises SpecError if there is none.
        """
        if name in self.names.carriages:
            place = self.carriage(name)
            return DriveView(place.position, place.velocity, place.velocity, 0.0, False, False, 0.0)
        i = self.names.index("drives", name)
        return DriveView(
            float(self.drive_position[i]),
            float(self.drive_velocity[i]),
            float(self.drive_reference[i]),
            float(self.drive_effort[i]),
            bool(self.drive_saturated[i]),
            bool(self.drive_brake_closed[i]),
            float(self.drive_brake_work[i]),
        )

    def carriage(self, name: str) -> CarriageView:
        """Return the carriage of that name; raise SpecError if there is none."""
        i = self.names.index("carriages", name)
        return CarriageView(float(self.carriage_position[i]), float(self.carriage_velocity[i]))

    def cable(self, name: str) -> CableView:
        """Return the cable of that name; raise SpecError if there is none."""
        i = self.names.index("cables", name)
        spans = self.names.spans[i]
        nodes = self.names.nodes[i]
        own = self.names.own[i]
        touch = self.node_touch[nodes]
        tensions, lengths = self._stretches(i)
        last = self.span_tension[spans] if self.names.segments[i] is None else tensions
        contacts = np.flatnonzero(touch >= 0)
        masses = np.flatnonzero(touch == MASSIVE)
        curve, curve_nodes = self._curve(i)
        severed = curve_nodes[np.flatnonzero(self.node_severed[nodes])]
        energy_lost, length_lost = map(float, self.cable_lost[i])
        off = bool(self.cable_off[i] != ON)
        return CableView(
            float(self.cable_length_paid_out[i]),
            float(self.cable_length_rate[i]),
            float(lengths.sum()),
            bool(self.cable_slack[i]),
            float(self.cable_twist[i]),
            float(self.cable_torque[i]),
            tensions,
            lengths,
            self.node_position[nodes][own],
            self._own_forces(i),
            self.node_torque[nodes][own],
            curve,
            curve_nodes[own],
            energy_lost,
            length_lost,
            self.node_position[nodes][contacts],
            self.node_force[nodes][contacts],
            tuple(self.names.touches[t] for t in touch[contacts]),
            self.node_sticks[nodes][contacts],
            np.arange(len(curve) - 1) if off else severed,
            self.node_position[nodes][masses],
            float(last[-1]),
            off,
            bool(self.cable_off[i] == PARTED),
        )

    def tension(self, name: str) -> float:
        """Return the tension [N] of the cable of that name at its first node, where a winch pulls.

        It equals ``cable(name).tension`` but costs less. Raises SpecError if there is no such
        cable.
        """
        i = self.names.index("cables", name)
        segments = self.names.segments[i]
        if segments is not None:
            return float(self.segment_tension[segments.start])
        return float(self.span_tension[self.names.spans[i].start + self.names.own[i][0]])

    def _stretches(self, i: int) -> tuple[Array, Array]:
        """Return tensions [N] and lengths [m] between cable i's own nodes, or its masses."""
        segments = self.names.segments[i]
        if segments is not None:
            return self.segment_tension[segments], self.segment_length[segments]
        spans = self.names.spans[i]
        begin = self.names.own[i][:-1]
        return self.span_tension[spans][begin], np.add.reduceat(self.span_length[spans], begin)

    def _own_forces(self, i: int) -> Array:
        """Return the forces [N] of cable i on the bodies that carry its own nodes."""
        nodes = self.names.nodes[i]
        own = self.names.own[i]
        touch = self.node_touch[nodes]
        force = np.zeros((len(own), 3))
        # room that is not in use feels for the node that it stands on
        free = np.union1d(np.flatnonzero(touch == UNUSED), own)
        np.add.at(force, np.searchsorted(own, free), self.node_force[nodes][free])
        force[touch[own] == MASSIVE] = 0.0  # a free end is on no body
        return force

    def _curve(self, i: int) -> tuple[Array, NDArray[np.int64]]:
        """Return the line of cable i and the indices of its nodes, with unused contact nodes."""
        nodes = self.node_position[self.names.nodes[i]]
        parts = []
        for k, curve in enumerate(self.names.curves[i]):
            parts.append(nodes[k : k + 1] if curve is None else self.wave_position[curve][:-1])
        return np.concatenate([*parts, nodes[-1:]]), np.cumsum([0, *map(len, parts)])
