"""Pictures: copies of what an observation shows, of which an array is made when it is read."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.cables.contact_path import SEVERED, STUCK
from cable_sim.kernels.carriages import LOWER, UPPER
from cable_sim.kernels.drives import WORK
from cable_sim.model.types import Model
from cable_sim.sim.block import Place

WORKSPACE = (
    "work.nodes.position",
    "work.spans.length",
    "work.spans.arc",
    "work.spans.direction",
    "work.spans.normal",
    "work.cables.twist",
    "work.wheels.wrap",
    "work.wheels.comes",
    "work.wheels.axis",
)
"""Arrays of the workspace that observations show."""
BEND = 0.25
LEAST_CHORDS = 4
"""Turn of a chord of the rope on a wheel [rad]; least number of chords of half a wrap."""


class Picture(NamedTuple):
    """Memory of a simulator's state and readings at one instant.

    ``places`` are those of the arrays in ``memory``, by names such as ``seen.bodies.position``.
    """

    memory: bytes
    places: Mapping[str, Place]
    model: Model
    bodies: int
    """Number of bodies without the world."""
    step: float
    """Step [s]."""

    def array(self, name: str) -> NDArray[Any]:
        """Return an array, which can't be written, as its memory can't."""
        return self.places[name].view(self.memory)

    def numbers(self, places: NDArray[np.int64]) -> list[float]:
        """Return the numbers at places (k,), counted in words of eight bytes."""
        numbers: list[float] = np.frombuffer(self.memory).take(places).tolist()
        return numbers


def _body_rows(name: str) -> Any:
    return lambda p: p.array(name)[1 : 1 + p.bodies]


def _velocity(columns: slice) -> Any:
    return lambda p: p.array("seen.bodies.velocity")[1 : 1 + p.bodies, columns]


def _whole(name: str) -> Any:
    return lambda p: p.array(name)


def arcs(p: Picture) -> NDArray[Any]:
    """Return the lengths (k,) of spans along their curves, to the middle of their wheels [m]."""
    length = p.array("work.spans.length")
    wheels = p.model.wheels
    if wheels.node.size > 0:
        half = 0.5 * wheels.radius * p.array("work.wheels.wrap")
        length = length.copy()
        np.add.at(length, wheels.span, half[:, None])
    if p.places["seen.waves.displacement"].shape[1] == 0:
        return length
    return np.where(p.model.waves.start >= 0, p.array("work.spans.arc"), length)


def curves(p: Picture) -> NDArray[Any]:
    """Return the points (p, 3) of all waves in the world, in model order, then all masses [m]."""
    particles = p.array("seen.particles.position")
    displacement = p.array("seen.waves.displacement")[:, :, None]
    if displacement.size == 0:
        return particles
    waves = p.model.waves
    nodes = p.array("work.nodes.position")
    normal = p.array("work.spans.normal")
    spans = np.flatnonzero(waves.start >= 0)
    k = np.repeat(spans, waves.intervals[spans] + 1)
    points = np.arange(k.size) - waves.start[k]
    x = (points / np.maximum(waves.intervals[k], 1))[:, None]
    chord = (1.0 - x) * nodes[k] + x * nodes[np.minimum(k + 1, len(nodes) - 1)]
    second = np.cross(p.array("work.spans.direction")[k], normal[k])
    waved = chord + displacement[0] * normal[k] + displacement[1] * second
    return np.concatenate([waved, particles])


def wheel_arc(p: Picture, i: int) -> NDArray[Any]:
    """Return points (n, 3) of the rope on wheel i, from where it comes to where it leaves [m].

    Their number is odd and does not change.
    """
    wheels = p.model.wheels
    halves = max(LEAST_CHORDS, int(np.ceil(0.5 * wheels.wrap[i] / BEND)))
    angle = p.array("work.wheels.wrap")[i] * np.linspace(0.0, 1.0, 2 * halves + 1)[:, None]
    comes = p.array("work.wheels.comes")[i]
    across = np.cross(p.array("work.wheels.axis")[i], comes)
    center = p.array("work.nodes.position")[wheels.node[i]]
    return np.asarray(center + wheels.radius[i] * (np.cos(angle) * comes + np.sin(angle) * across))


def _rims(p: Picture) -> NDArray[Any]:
    """Return ways and speeds (w, 2) of the rims of wheels [m, m/s]."""
    rotor = p.model.wheels.rotor
    way = p.array("seen.bodies.position")[rotor, 0]
    speed = p.array("seen.bodies.velocity")[rotor, 0]
    return np.where(rotor >= 0, [way, speed], 0.0).T


def _carriage_rates(p: Picture) -> NDArray[Any]:
    """Return the present rates (g,) of the carriages [rad/s or m/s]."""
    limits = p.model.carriages.limit
    wanted = np.clip(p.array("control.carriages.target"), limits[:, LOWER], limits[:, UPPER])
    away = wanted - p.array("seen.carriages.position")
    return p.array("control.carriages.speed") * np.sign(away)


FIELDS: dict[str, Any] = {
    "time": lambda p: float(p.array("seen.time")[0]),
    "steps": lambda p: int(p.array("seen.steps")[0]),
    "body_position": _body_rows("seen.bodies.position"),
    "body_orientation": _body_rows("seen.bodies.orientation"),
    "body_velocity": _velocity(slice(3)),
    "body_angular_velocity": _velocity(slice(3, 6)),
    "body_contact_force": _body_rows("readings.bodies.contact_force"),
    "joint_position": _whole("seen.joints.position"),
    "joint_velocity": _whole("readings.joints.velocity"),
    "joint_force": _whole("readings.joints.force"),
    "joint_torque": _whole("readings.joints.torque"),
    "joint_open": _whole("seen.joints.open"),
    "drive_position": _whole("readings.drives.position"),
    "drive_velocity": _whole("readings.drives.velocity"),
    "drive_reference": _whole("seen.drives.reference"),
    "drive_effort": _whole("readings.drives.effort"),
    "drive_saturated": _whole("readings.drives.saturated"),
    "drive_brake_closed": _whole("seen.drives.brake_closed"),
    "drive_brake_work": lambda p: p.array("seen.drives.motion")[:, WORK],
    "cable_length_paid_out": _whole("readings.cables.length_paid_out"),
    "cable_length_rate": _whole("readings.cables.length_rate"),
    "cable_slack": _whole("readings.cables.slack"),
    "cable_twist": _whole("work.cables.twist"),
    "cable_torque": _whole("readings.cables.torque"),
    "cable_lost": _whole("seen.cables.wave_loss"),
    "span_tension": _whole("readings.spans.tension"),
    "span_length": arcs,
    "segment_tension": _whole("readings.segments.tension"),
    "segment_length": _whole("readings.segments.length"),
    "node_position": _whole("work.nodes.position"),
    "node_force": _whole("readings.nodes.force"),
    "node_torque": _whole("readings.nodes.torque"),
    "node_twist": _whole("readings.nodes.twist"),
    "node_touch": _whole("seen.nodes.contact_solid"),
    "node_sticks": lambda p: p.array("seen.nodes.friction_state") == STUCK,
    "node_severed": lambda p: p.array("seen.nodes.friction_state") == SEVERED,
    "cable_off": _whole("seen.cables.attachment"),
    "cable_peak_utilisation": _whole("seen.cables.peak_utilisation"),
    "cable_peak_time": _whole("seen.cables.peak_time"),
    "wheel_slip": _whole("seen.wheels.slip"),
    "wheel_wrap": _whole("work.wheels.wrap"),
    "wheel_heat": _whole("seen.wheels.heat"),
    "wheel_rim": _rims,
    "wheel_tension": lambda p: p.array("readings.spans.tension")[p.model.wheels.span],
    "carriage_position": _whole("seen.carriages.position"),
    "carriage_velocity": _carriage_rates,
    "wave_position": curves,
}
"""Functions of a picture that return the fields of an observation."""

MEANS = (
    "body_contact_force",
    "joint_force",
    "joint_torque",
    "drive_effort",
    "cable_torque",
    "span_tension",
    "segment_tension",
    "wheel_tension",
)
NODE_MEANS = "node_force", "node_torque"
"""Fields of an observation that are means over its last step; those of nodes, which come and go."""
