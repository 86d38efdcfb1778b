"""Senses of a body in the frames of autopilots: north, east, down, and forward, right, down.

Ours are east, north, up and forward, left, up. So v of the earth is (v_y, v_x, -v_z) there, and of
the body (v_x, -v_y, -v_z). An accelerometer at the centre of mass reads R^T (a - g), with the mean
acceleration a over the last step.
"""

from typing import NamedTuple

import numpy as np
from transforms3d.quaternions import mat2quat, quat2mat

from cable_sim.interchange.robots.rotors import Array, Rotors

EARTH = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
BODY = np.diag([1.0, -1.0, -1.0])
"""Turns of vectors into north, east, down, and into forward, right, down."""


class Senses(NamedTuple):
    """Senses of a body: rates of turn [rad/s] and accelerometer [m/s^2] in its frame (3,); position
    [m] and velocity [m/s] (3,) and orientation (w, x, y, z) on the earth."""

    gyro: Array
    accelerometer: Array
    position: Array
    velocity: Array
    orientation: Array


def fly(rotors: Rotors, commands: Array, steps: int) -> Senses:
    """Take steps with commands (n,) from 0 to 1 [-]; return what the body of the rotors senses."""
    simulator = rotors.simulator
    view = simulator.bodies[rotors.body]
    rotors.step(commands, steps - 1)
    before = view.velocity.copy()
    rotors.step(commands)
    turn = quat2mat(view.orientation)
    felt = (view.velocity - before) / simulator.dt - np.array(simulator.scene.gravity)
    return Senses(
        BODY @ turn.T @ view.angular_velocity,
        BODY @ turn.T @ felt,
        EARTH @ view.position,
        EARTH @ view.velocity,
        mat2quat(EARTH @ turn @ BODY),
    )
