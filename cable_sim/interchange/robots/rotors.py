"""Rotors on a body.

At the speed w a rotor thrusts with T = k_T w |w| along its axis, and its drag turns the body with
Q = -s k_Q w |w| about that axis, s = 1 for one that spins anticlockwise seen from where it thrusts
to. Its speed follows the command w_c with the time constant tau; over a step h exactly
w' = w_c + (w - w_c) e^(-h / tau). On the body act the force sum T a and the torque
sum r x T a + Q a, with the axes a and arms r of the body's frame, turned into the world at the
beginning of each step.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import quat2mat

from cable_sim.errors import SpecError
from cable_sim.sim.simulator import Simulator
from cable_sim.spec.quantities import NonNegative, Positive, Vector, spec

Array = NDArray[np.float64]


@spec
class Rotor:
    """A rotor that is fixed to a body.

    Parameters
    ----------
    position: in the body's frame [m].
    thrust: thrust over the square of the speed k_T [N s^2].
    drag: torque over the square of the speed k_Q [N m s^2].
    max_speed: at full command [rad/s].
    anticlockwise: the sense in which it spins, seen from where it thrusts to.
    time_constant: with which its speed follows the command [s].
    axis: along which it thrusts, in the body's frame; its length does not matter.
    """

    position: Vector
    thrust: Positive
    drag: NonNegative
    max_speed: Positive
    anticlockwise: bool = True
    time_constant: NonNegative = 0.02
    axis: Vector = (0.0, 0.0, 1.0)


class Rotors:
    """Rotors of a body of a simulator, which they push at every step.

    Parameters
    ----------
    simulator: that runs the body.
    body: its name.
    rotors: in the order of their commands.

    Raises SpecError for a body that is not known and an axis of zero.
    """

    def __init__(self, simulator: Simulator, body: str, rotors: Sequence[Rotor]) -> None:
        simulator.names.index("bodies", body)
        self.simulator = simulator
        self.body = body
        axes = np.array([rotor.axis for rotor in rotors], float).reshape(-1, 3)
        lengths = np.linalg.norm(axes, axis=1)
        if (lengths == 0.0).any():
            raise SpecError(f"rotors.{int(np.argmin(lengths))}.axis: an axis can't be zero")
        axes /= lengths[:, None]
        thrust = np.array([rotor.thrust for rotor in rotors])
        spin = np.array([1.0 if rotor.anticlockwise else -1.0 for rotor in rotors])
        drag = spin * [rotor.drag for rotor in rotors]
        arms = np.array([rotor.position for rotor in rotors], float).reshape(-1, 3)
        self._force = thrust[:, None] * axes
        self._torque = np.cross(arms, self._force) - drag[:, None] * axes
        self._most = np.array([rotor.max_speed for rotor in rotors])
        times = np.array([rotor.time_constant for rotor in rotors])
        with np.errstate(divide="ignore"):
            self._kept = np.exp(-simulator.dt / times)
        self.speeds = np.zeros(len(self._most))
        """Speeds (n,) of the rotors [rad/s]."""

    def step(self, commands: Sequence[float] | Array, count: int = 1) -> None:
        """Take steps with commands (n,), shares of the full speeds from 0 to 1, or back from -1.

        Raises SpecError for another number of commands, and for one that is no number from -1 to 1.
        """
        wanted = np.asarray(commands, float)
        if wanted.shape != self._most.shape or not (np.abs(wanted) <= 1.0).all():
            told = f"{len(self._most)} numbers from -1 to 1"
            raise SpecError(f"commands: {wanted.tolist()} is not allowed; give {told}")
        view = self.simulator.bodies[self.body]
        goal = wanted * self._most
        for _ in range(count):
            self.speeds = goal + (self.speeds - goal) * self._kept
            squares = self.speeds * np.abs(self.speeds)
            turn = quat2mat(view.orientation)
            view.push(turn @ (squares @ self._force), turn @ (squares @ self._torque))
            self.simulator.step()


def hover_share(rotor: Rotor, load: float) -> float:
    """Return the command at which a rotor carries a load [N]: sqrt(load / k_T) / max_speed [-].

    Raises SpecError for more than it can carry.
    """
    share = math.sqrt(load / rotor.thrust) / rotor.max_speed
    if not share <= 1.0:
        most = rotor.thrust * rotor.max_speed**2
        raise SpecError(f"load: {load:g} N is not allowed; the rotor carries up to {most:g} N")
    return share
