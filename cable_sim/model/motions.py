"""Packing of prescribed motions into one table, and one of sines."""

from typing import Any

import numpy as np

from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import flags, floats, ints, offsets
from cable_sim.model.basis.frames import Array
from cable_sim.spec import Motion, Scene


def table(motion: Motion) -> Array:
    """(t, 6) rows of velocity and angular velocity, of a drive's target and zeros, or of poses."""
    values = np.zeros((len(motion.times), 6))
    if motion.values:
        values[:, 0] = motion.values
    if motion.velocities:
        values[:, :3] = motion.velocities
    if motion.angular_velocities:
        values[:, 3:] = motion.angular_velocities
    if motion.poses:
        values[:] = motion.poses
    return values


def slopes(motion: Motion) -> Array:
    """(t, 6) rates of the natural cubic spline through a table of poses; else zeros."""
    values = table(motion)
    if not motion.poses or len(values) < 2:
        return np.zeros_like(values)
    from scipy.interpolate import CubicSpline  # slow to import

    spline = CubicSpline(motion.times, values, bc_type="natural")
    return np.asarray(spline(np.array(motion.times), 1))


def sines(motion: Motion) -> Array:
    """(s, 13) angular frequencies, and factors of cosine and sine."""
    rows = np.zeros((len(motion.sines), 13))
    for row, sine in zip(rows, motion.sines, strict=True):
        row[0] = sine.frequency
        row[1:7] = np.array(sine.amplitude) * np.sin(sine.phase)
        row[7:] = np.array(sine.amplitude) * np.cos(sine.phase)
    return rows


def pack_motions(scene: Scene, index: BodyIndex) -> dict[str, Any]:
    """Model arrays of the motions."""
    drives = {drive.name: d for d, drive in enumerate(scene.drives)}
    given = scene.motions
    return {
        "motions.body": ints(-1 if m.values else index.row[m.of] for m in given),
        "motions.drive": ints(drives[m.of] if m.values else -1 for m in given),
        "motions.start": offsets(m.times for m in given),
        "motions.time": floats(t for m in given for t in m.times),
        "motions.value": np.concatenate([np.zeros((0, 6)), *map(table, given)]),
        "motions.slope": np.concatenate([np.zeros((0, 6)), *map(slopes, given)]),
        "motions.sine_start": offsets(m.sines for m in given),
        "motions.sine": np.concatenate([np.zeros((0, 13)), *map(sines, given)]),
        **_pack_poses(scene),
    }


def _pack_poses(scene: Scene) -> dict[str, Any]:
    """Arrays of motions by poses: where their bodies stand in the scene; zeros of the others."""
    count = len(scene.motions)
    position = np.zeros((count, 3))
    orientation = np.zeros((count, 4))
    bodies = {body.name: body for body in scene.bodies}
    for m, motion in enumerate(scene.motions):
        if motion.by_poses:
            position[m] = bodies[motion.of].position
            orientation[m] = bodies[motion.of].orientation
            orientation[m] /= np.linalg.norm(orientation[m])
    return {
        "motions.poses": flags(m.by_poses for m in scene.motions),
        "motions.ramp": floats(m.ramp for m in scene.motions),
        "motions.position": position,
        "motions.orientation": orientation,
    }
