"""Machines, bodies and cables of an observation as a frame shows them."""

from typing import Any

from cable_sim.machine.pictures.frame import Array, CablePicture, Frame
from cable_sim.pictured import listed
from cable_sim.sim.observation import Observation


def picture_machine(machine: Any, observation: Observation) -> Frame:
    """Return an observation of a ``Machine``, whose module imports this one, for viewers."""
    return Frame(
        observation.time,
        picture_bodies(observation),
        picture_cables(observation),
        {axis.name: machine.axis_state(observation, axis.name) for axis in machine.crane.axes},
        machine.sway(observation),
        machine.hook_yaw(observation),
        emergency_stop=machine.stopped,
        limits=machine.limits if machine.plc else {},
        readings=machine.readings,
        faults=tuple(fault.name for fault in machine.faults.active),
        contacts=observation.contacts,
        events=observation.events,
        brakes={a.name: observation.drive(a.drive).brake_closed for a in machine.crane.axes},
    )


def describe_machine(machine: Any, observation: Observation) -> str:
    """Return a ``Machine`` in three lines: its time, where its axes are, which limiters act."""
    axes = ((axis, machine.axis_state(observation, axis.name)) for axis in machine.crane.axes)
    places = [f"{a.name} {s.position:.4g} {a.unit}".removesuffix(" 1") for a, s in axes]
    acting = [f"{name} {state}" for name, state in machine.limits.items() if state != "ok"]
    return (
        f"Machine of {machine.crane.name!r} at t = {observation.time:.6g} s, "
        f"tick {machine.tick_time:g} s\naxes: {listed(places) or 'none'}\n"
        f"limits: {listed(acting) or 'all ok'}"
    )


def picture_bodies(observation: Observation) -> dict[str, tuple[Array, Array]]:
    """Return position [m] and orientation (w, x, y, z) of all bodies in the world, by name."""
    return {
        name: (observation.body_position[i], observation.body_orientation[i])
        for i, name in enumerate(observation.names.bodies)
    }


def picture_cables(observation: Observation) -> dict[str, CablePicture]:
    """Return the curves of all cables, by name."""
    names = observation.names
    slips = dict.fromkeys(names.cables, 0.0)
    for around, slip in zip(names.wheel_spans, observation.wheel_slip, strict=True):
        own = (n for n, s in zip(names.cables, names.spans, strict=True) if s.stop > around[0])
        cable = next(own)
        slips[cable] = max(slips[cable], abs(float(slip)))
    return {name: CablePicture.of(observation.cable(name), slip) for name, slip in slips.items()}
