"""Arrays of an observation, group by group, in the order of its fields.

They are views of a simulator's arrays; :func:`read_only_copies` makes them an observation's own.
"""

from typing import Any

import numpy as np

from cable_sim.kernels.boxes import POINTS
from cable_sim.kernels.cables.contact_path import SEVERED, STUCK
from cable_sim.kernels.drives import WORK
from cable_sim.model.types import Model, Readings, State, Workspace
from cable_sim.sim.curves import arcs


def body_arrays(s: State, o: Readings, count: int) -> tuple[Any, ...]:
    """Return ``body_position`` to ``body_contact_force``, without the world."""
    bodies = slice(1, 1 + count)
    return (
        s.bodies.position[bodies],
        s.bodies.orientation[bodies],
        s.bodies.velocity[bodies, :3],
        s.bodies.velocity[bodies, 3:],
        o.bodies.contact_force[bodies],
    )


def pair_arrays(m: Model, s: State, o: Readings, dt: float) -> tuple[Any, ...]:
    """Return ``pair_points`` to ``pair_force``, means over a step of ``dt`` [s]."""
    if not m.pairs.row.size:
        return np.zeros(0, np.int64), np.zeros(0), o.pairs.force
    impulse = s.rows.impulse[m.pairs.row[:, None] + 3 * np.arange(POINTS)]
    return (impulse > 0.0).sum(axis=1), impulse.sum(axis=1) / dt, o.pairs.force


def joint_arrays(s: State, o: Readings) -> tuple[Any, ...]:
    """Return ``joint_position`` to ``joint_open``."""
    return s.joints.position, o.joints.velocity, o.joints.force, o.joints.torque, s.joints.open


def drive_arrays(s: State, o: Readings) -> tuple[Any, ...]:
    """Return ``drive_position`` to ``drive_brake_work``."""
    return (
        o.drives.position,
        o.drives.velocity,
        s.drives.reference,
        o.drives.effort,
        o.drives.saturated,
        s.drives.brake_closed,
        s.drives.motion[:, WORK],
    )


def cable_arrays(m: Model, s: State, w: Workspace, o: Readings) -> tuple[Any, ...]:
    """Return ``cable_length_paid_out`` to ``segment_length``."""
    return (
        o.cables.length_paid_out,
        o.cables.length_rate,
        o.cables.slack,
        w.cables.twist,
        o.cables.torque,
        s.cables.wave_loss,
        o.spans.tension,
        arcs(m, s, w),
        o.segments.tension,
        o.segments.length,
    )


def node_arrays(s: State, w: Workspace, o: Readings) -> tuple[Any, ...]:
    """Return ``node_position`` to ``node_severed``."""
    return (
        w.nodes.position,
        o.nodes.force,
        o.nodes.torque,
        s.nodes.contact_solid,
        s.nodes.friction_state == STUCK,
        s.nodes.friction_state == SEVERED,
    )


def read_only_copies(*arrays: Any) -> list[Any]:
    """Return copies that can't be written."""
    copies = [array.copy() for array in arrays]
    for array in copies:
        array.setflags(False)  # not writable; in a fifth of the time of ``flags.writeable``
    return copies
