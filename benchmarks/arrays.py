"""What a careful user writes with numpy: the rope of the tutorial, the chain and the layer of
waves, a step a pass.

The same arithmetic as the kernels and the C++ beside this file, one array operation where these
have a loop. The elimination of the chain goes from mass to mass and has no such form: LAPACK's
tridiagonal solver does it.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dptsv

Array = NDArray[np.float64]


def tutorial_rope(
    constants: tuple[float, ...], steps: int, h: float, position: Array, velocity: Array
) -> None:
    """Springs between masses over a soft ground, the first mass held; ``constants`` in the order of
    ``rope.cpp``."""
    mass, stiffness, length, friction, gravity, air, repulsion, slide, absorption, height = (
        constants
    )
    for _ in range(steps):
        reach = position[:-1] - position[1:]
        drift = velocity[:-1] - velocity[1:]
        distance = np.sqrt(np.einsum("ij,ij->i", reach, reach))
        pull = (-stiffness * (distance - length) / distance)[:, None] * reach - friction * drift
        force = -air * velocity
        force[:, 2] -= mass * gravity
        force[:-1] += pull
        force[1:] -= pull
        depth = height - position[:, 2]
        under = np.flatnonzero(depth > 0.0)
        if under.size:
            force[under, :2] -= slide * velocity[under, :2]
            force[under, 2] += repulsion * depth[under] - absorption * np.minimum(
                velocity[under, 2], 0.0
            )
        velocity[1:] += (h / mass) * force[1:]
        position[1:] += h * velocity[1:]


def chain(
    h: float,
    gravity: float,
    compliance: float,
    damping_time: float,
    steps: int,
    inverse_mass: Array,
    rest: Array,
    position: Array,
    velocity: Array,
) -> None:
    """Masses at distances ``rest`` [m], the first of them held; ``compliance`` 1 / EA [1/N], 0 for
    a rigid chain."""
    rigid = max(damping_time, 2.0 * h) if compliance == 0.0 else damping_time
    weight = 1.0 / (1.0 + 4.0 * rigid / h)
    diagonal = 4.0 * compliance * weight / (h * h) * rest + inverse_mass[:-1] + inverse_mass[1:]
    fall = np.array([0.0, 0.0, -gravity * h])
    pull = np.zeros((rest.size + 2, 3))
    for _ in range(steps):
        reach = position[1:] - position[:-1]
        length = np.sqrt(np.einsum("ij,ij->i", reach, reach))
        along = reach / length[:, None]
        free = velocity + fall
        free[0] = 0.0
        rate = np.einsum("ij,ij->i", along, velocity[:-1] - velocity[1:])
        wanted = weight * (rate - 4.0 * (rest - length) / h) - np.einsum(
            "ij,ij->i", along, free[:-1] - free[1:]
        )
        beside = -np.einsum("ij,ij->i", along[:-1], along[1:]) * inverse_mass[1:-1]
        impulse = dptsv(diagonal, beside, wanted)[2] if rest.size > 1 else wanted / diagonal
        pull[1:-1] = impulse[:, None] * along
        velocity[1:] = free[1:] + inverse_mass[1:, None] * (pull[2:] - pull[1:-1])
        position[1:] += h * velocity[1:]


def layer(
    steps: int,
    h: float,
    length: float,
    stiffness: float,
    damping: float,
    loads: Array,
    wave: Array,
    rate: Array,
    arc: Array,
) -> None:
    """Waves (2, spans, points) [m], ``loads`` (2, 2) of a component at both ends [m/s^2], ``arc``
    (spans,) [m]."""
    intervals = wave.shape[2] - 1
    keep = (1.0 - 0.5 * h * damping) / (1.0 + 0.5 * h * damping)
    gain = h / (1.0 + 0.5 * h * damping)
    square = (length / intervals) ** 2
    x = np.arange(1, intervals) / intervals
    pushed = (loads[:, :1] + (loads[:, 1:] - loads[:, :1]) * x)[:, None]
    for _ in range(steps):
        bend = wave[:, :, 2:] - 2.0 * wave[:, :, 1:-1] + wave[:, :, :-2]
        inner = rate[:, :, 1:-1]
        inner *= keep
        inner += gain * (stiffness * bend + pushed)
        wave[:, :, 1:-1] += h * inner
        piece = wave[:, :, 1:] - wave[:, :, :-1]
        np.sqrt(square + piece[0] ** 2 + piece[1] ** 2).sum(axis=1, out=arc)
