"""Packing of prescribed motions into one table."""

from typing import Any

import numpy as np

from cable_sim.model.bodies import BodyIndex
from cable_sim.model.frames import Array
from cable_sim.spec import Motion, Scene


def table(motion: Motion) -> Array:
    """(t, 6) rows of velocity and angular velocity, or of a drive's target and zeros."""
    values = np.zeros((len(motion.times), 6))
    if motion.values:
        values[:, 0] = motion.values
    if motion.velocities:
        values[:, :3] = motion.velocities
    if motion.angular_velocities:
        values[:, 3:] = motion.angular_velocities
    return values


def pack_motions(scene: Scene, index: BodyIndex) -> dict[str, Any]:
    """Model arrays of the motions."""
    drives = {drive.name: d for d, drive in enumerate(scene.drives)}
    return {
        "motions.body": np.array(
            [-1 if m.values else index.row[m.of] for m in scene.motions], dtype=np.int64
        ),
        "motions.drive": np.array(
            [drives[m.of] if m.values else -1 for m in scene.motions], dtype=np.int64
        ),
        "motions.start": np.cumsum([0, *(len(m.times) for m in scene.motions)], dtype=np.int64),
        "motions.time": np.array([t for m in scene.motions for t in m.times], dtype=float),
        "motions.value": np.concatenate([np.zeros((0, 6)), *(table(m) for m in scene.motions)]),
    }
