"""Observations of the simulator: named, in SI units, immutable."""

import operator
from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError
from cable_sim.kernels.cables.contact.contact_path import MASSIVE, UNUSED
from cable_sim.kernels.cables.massless.breakage import ON, PARTED
from cable_sim.kernels.status import LOST_PIVOT, NOT_CONVERGED, NOT_FINITE
from cable_sim.model.basis.names import Names
from cable_sim.pictured import MOST, listed, table
from cable_sim.sim.readings.energy import Energy, EnergyBalance
from cable_sim.sim.readings.picture import FIELDS, MEANS, NODE_MEANS, Picture, wheel_arc
from cable_sim.sim.readings.touching import read_contact, read_contacts, read_events
from cable_sim.sim.readings.views import (
    BodyView,
    CableView,
    CarriageView,
    Contact,
    ContactView,
    DriveView,
    JointView,
    TouchEvent,
    WheelView,
)

Array = NDArray[np.float64]


class Report(NamedTuple):
    """Accuracy of the last step.

    Parameters
    ----------
    status: 0 when all is well; otherwise see :func:`cable_sim.sim.sentences.explain`.
    residual: largest violation of the complementarity conditions, relative [-]; of a heap largest
        change of a speed by the last sweep, over the largest demand.
    iterations: largest number of pivoting rounds, or sweeps of a heap, that a step took.
    """

    status: int
    residual: float
    iterations: int

    @property
    def exact(self) -> bool:
        """Return True if the solver solved its equations; all other flags are about the scene."""
        return not self.status & (NOT_CONVERGED | LOST_PIVOT | NOT_FINITE)


_FIELDS = FIELDS | {
    "energy": lambda p: Energy(*p.array("readings.energy").tolist()),
    "energy_balance": lambda p: EnergyBalance(
        p.array("readings.balance.gained").item(), p.array("readings.balance.at_play").item()
    ),
}

_BODY = operator.attrgetter(*(f"body_{name}" for name in BodyView._fields))
_JOINT = operator.attrgetter(*(f"joint_{name}" for name in JointView._fields))
_DRIVE = operator.attrgetter(*(f"drive_{name}" for name in DriveView._fields))
"""Arrays of an observation, in the order of the views of one object."""


class Observation:
    """The scene at one instant.

    Arrays follow the order of ``names`` and can't be written. Each is made when it is first read.
    Most programs use :meth:`body`, :meth:`joint`, :meth:`drive` and :meth:`cable`, which return all
    values of one object by name. Vectors are in the world frame, forces are means over the last
    step. There are b bodies, j joints, d drives, c cables and g carriages; the
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
    node_twist: (n,) angle by which the rope is twisted from its cable's first node [rad].
    node_touch: (n,) number of the obstacle that a contact node is on; below 0 for other nodes.
    node_sticks, node_severed: (n,) True if friction holds the rope there, and if it is cut behind
        the node.
    cable_off: (c,) 0 for a cable that pulls; else unhooked or parted.
    cable_peak_utilisation, cable_peak_time: (c,) see CableView [-, s].
    wheel_slip, wheel_wrap, wheel_heat: (w,) of all wheels of all cables [m/s, rad, J].
    wheel_rim, wheel_tension: (w, 2) way and speed of the rim [m, m/s]; tensions before and behind
        it [N].
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
    node_twist: Array
    node_touch: NDArray[np.int64]
    node_sticks: NDArray[np.bool_]
    node_severed: NDArray[np.bool_]
    cable_off: NDArray[np.int64]
    cable_peak_utilisation: Array
    cable_peak_time: Array
    wheel_slip: Array
    wheel_wrap: Array
    wheel_heat: Array
    wheel_rim: Array
    wheel_tension: Array
    carriage_position: Array
    carriage_velocity: Array
    wave_position: Array

    def __init__(self, names: Names, report: Report, picture: Picture) -> None:
        self.__dict__.update(names=names, report=report, _picture=picture)

    if TYPE_CHECKING:
        _picture: Picture
    else:  # with it, type checkers would believe in any field

        def __getattr__(self, name):
            """Make an array that has not been read before."""
            if name not in _FIELDS:
                raise AttributeError(f"an observation has no {name!r}")
            value = _FIELDS[name](self._picture)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            self.__dict__[name] = value
            return value

    def __setattr__(self, name: str, _: Any = None) -> NoReturn:
        raise FrozenInstanceError(f"an observation can't be changed: {name!r}")

    __delattr__ = __setattr__

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what pickle or copy has made, whose arrays could be written."""
        self.__dict__.update(state)
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__annotations__})

    def __repr__(self) -> str:
        ropes = [f"{name} {self.cable(name).tension:.4g} N" for name in self.names.cables[:MOST]]
        ropes += self.names.cables[MOST:]
        return (
            f"Observation at t = {self.time:.6g} s, step {self.steps}\n"
            f"bodies: {listed(self.names.bodies) or 'none'}\n"
            f"tensions: {listed(ropes) or 'none'}\nenergy: {self.energy.total:.6g} J"
        )

    def _repr_html_(self) -> str:
        """Return the tables that a notebook shows: all bodies and cables."""
        seen = {name: self.body(name) for name in self.names.bodies}
        bodies = [(name, *one.position, *one.velocity) for name, one in seen.items()]
        ropes = {name: self.cable(name) for name in self.names.cables}
        cables = [(name, one.tension, one.length, one.slack) for name, one in ropes.items()]
        return (
            f"<p>t = {self.time:.6g} s</p>"
            + table(("body", "x [m]", "y [m]", "z [m]", "vx [m/s]", "vy [m/s]", "vz [m/s]"), bodies)
            + table(("cable", "tension [N]", "length [m]", "slack"), cables)
        )

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
        """Return the numbers at places (k,) of ``sim/readings/channels.py``, in their units."""
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
        means = (*MEANS, *NODE_MEANS)
        forces = {name: 0.5 * (getattr(self, name) + getattr(following, name)) for name in means}
        for name in NODE_MEANS:
            forces[name] = np.where(same, forces[name], getattr(self, name))
        for array in forces.values():
            array.flags.writeable = False
        return self.replaced(**forces)

    def body(self, name: str) -> BodyView:
        """Return the body of that name; raise SpecError if there is none."""
        i = self.names.index("bodies", name)
        return BodyView._make([array[i] for array in _BODY(self)])

    @property
    def events(self) -> tuple[TouchEvent, ...]:
        """Begins and ends of touches, the last 256."""
        kept = self._picture.array("seen.pool.event")
        return read_events(self.event_count, kept, self._picture.step, self.names.shapes)

    @property
    def event_count(self) -> int:
        """Number of begins and ends of touches since the start."""
        return int(self._picture.array("seen.pool.events")[0])

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """All pairs that touch, with their points and forces."""
        return read_contacts(self._picture, self.names.shapes)

    def contact(self, box: str, other: str) -> ContactView:
        """Return the pair of these names, in either order.

        Raises SpecError if the scene does not have it.
        """
        self.names.check_pair(box, other)
        return read_contact(self._picture, self.names.shapes, box, other)

    def joint(self, name: str) -> JointView:
        """Return the joint of that name; raise SpecError if there is none."""
        i = self.names.index("joints", name)
        return JointView._make([a[i] if a.ndim > 1 else a.item(i) for a in _JOINT(self)])

    def drive(self, name: str) -> DriveView:
        """Return the drive of that name, or the carriage, which has no effort.

        Raises SpecError if there is none.
        """
        if name in self.names.carriages:
            place = self.carriage(name)
            return DriveView(place.position, place.velocity, place.velocity, 0.0, False, False, 0.0)
        i = self.names.index("drives", name)
        return DriveView._make([array.item(i) for array in _DRIVE(self)])

    def carriage(self, name: str) -> CarriageView:
        """Return the carriage of that name; raise SpecError if there is none."""
        i = self.names.index("carriages", name)
        return CarriageView(self.carriage_position.item(i), self.carriage_velocity.item(i))

    def wheel(self, name: str) -> WheelView:
        """Return the wheel of that name, of several on one shaft ``cable.name``.

        Raises SpecError if there is none.
        """
        i = self.names.index("wheels", name)
        position, speed = map(float, self.wheel_rim[i])
        before, behind = map(float, self.wheel_tension[i])
        return WheelView(
            float(self.wheel_slip[i]),
            position,
            speed,
            before,
            behind,
            float(self.wheel_wrap[i]),
            float(self.wheel_heat[i]),
        )

    def cable(self, name: str) -> CableView:
        """Return the cable of that name; raise SpecError if there is none."""
        i = self.names.index("cables", name)
        nodes = self.names.nodes[i]
        own = self.names.own[i]
        touch = self.node_touch[nodes]
        tensions, lengths = self._stretches(i)
        contacts = np.flatnonzero(touch >= 0)
        masses = np.flatnonzero(touch == MASSIVE)
        curve, curve_nodes = self._curve(i)
        severed = curve_nodes[np.flatnonzero(self.node_severed[nodes])]
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
            float(self.cable_lost[i, 0]),
            float(self.cable_lost[i, 1]),
            self.node_position[nodes][contacts],
            self.node_force[nodes][contacts],
            tuple(self.names.touches[t] for t in touch[contacts]),
            self.node_sticks[nodes][contacts],
            np.arange(len(curve) - 1) if off else severed,
            self.node_position[nodes][masses],
            self.node_twist[nodes][masses],
            self._dead_end_tension(i),
            off,
            bool(self.cable_off[i] == PARTED),
            float(self.cable_peak_utilisation[i]),
            float(self.cable_peak_time[i]),
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

    def _dead_end_tension(self, i: int) -> float:
        """Return the tension at the last node of cable i [N]."""
        if self.names.segments[i] is None:
            return float(self.span_tension[self.names.spans[i]][-1])
        return float(self._stretches(i)[0][-1])

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
        # room that is not in use feels for the node behind it, on which it stands
        felt = touch == UNUSED
        felt[own] = True
        first = np.cumsum(felt)[own[:-1]]
        force = 0.0 + np.add.reduceat(self.node_force[nodes][felt], [0, *first])
        force[touch[own] == MASSIVE] = 0.0  # a free end is on no body
        return force

    def _curve(self, i: int) -> tuple[Array, NDArray[np.int64]]:
        """Return the line of cable i and the indices of its nodes, with unused contact nodes."""
        nodes = self.node_position[self.names.nodes[i]]
        if not (any(self.names.curves[i]) or self.names.wheel_spans):
            return nodes, np.arange(len(nodes))
        parts = []
        for k, curve in enumerate(self.names.curves[i]):
            parts.append(nodes[k : k + 1] if curve is None else self.wave_position[curve][:-1])
        parts.append(nodes[-1:])
        at = np.zeros(len(parts), dtype=np.int64)
        for k, arc, middle in self._arcs(i):
            parts[k] = arc
            at[k] = middle
        return np.concatenate(parts), at + np.cumsum([0, *map(len, parts[:-1])])

    def _arcs(self, i: int) -> list[tuple[int, Array, int]]:
        """Return node, points on the wheel and middle of these for each wheel of cable i.

        An endless rope begins and ends in the middle of its first wheel.
        """
        found = []
        nodes = self.names.nodes[i]
        for wheel, (before, node) in enumerate(self.names.wheel_spans):
            if not nodes.start <= node < nodes.stop:
                continue
            arc = wheel_arc(self._picture, wheel)
            middle = len(arc) // 2
            if before < node:
                found.append((node - nodes.start, arc, middle))
            else:
                found.append((0, arc[middle:], 0))
                found.append((nodes.stop - nodes.start - 1, arc[: middle + 1], middle))
        return found
