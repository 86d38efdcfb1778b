"""Pictures: copies of what an observation shows, of which an array is made when it is read."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.cables.contact.contact_path import SEVERED, STUCK
from cable_sim.kernels.multibody.carriages import LOWER, UPPER
from cable_sim.kernels.records.world import Model
from cable_sim.sim.readings.block import Place
from cable_sim.sim.readings.quantities import TENSIONS, Quantity, of_rows

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
SINGULAR = {
    "bodies": "body",
    "joints": "joint",
    "drives": "drive",
    "carriages": "carriage",
    "cables": "cable",
    "wheels": "wheel",
}
"""Words with which the fields of an observation begin, by kind."""
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


def _rows(kind: str, made: Quantity) -> Any:
    """Return the function of a picture that returns a quantity of all objects of a kind."""
    if kind == "bodies":  # without the world before them, and rotors of wheels behind them
        return lambda p: made.part(p.array(made.array), slice(1, 1 + p.bodies))
    return lambda p: made.part(p.array(made.array), slice(None))


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
    f"{singular}_{name}": _rows(kind, made)
    for kind, singular in SINGULAR.items()
    for name, made in of_rows(kind).items()
} | {
    "time": lambda p: float(p.array("seen.time")[0]),
    "steps": lambda p: int(p.array("seen.steps")[0]),
    "cable_lost": _whole("seen.cables.wave_loss"),
    "span_tension": _whole(TENSIONS),
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
    "wheel_rim": _rims,
    "wheel_tension": lambda p: p.array(TENSIONS)[p.model.wheels.span],
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
