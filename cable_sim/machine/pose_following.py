"""Prescribed bodies that follow poses from outside: stamped samples, played back with a delay.

Between two samples the pose goes by the cubic of their values and slopes, which are the mean rates
of the pieces at both sides (Catmull and Rom); before the first and behind the last it is held.
Rotations are rotation vectors from the piece's first sample.

A tick of the time T ends at the pose of its end: the body's rate is the way to it over T. So there
is no drift, whatever came before. With the rate f of the samples and the error e of the body at the
tick's start, the rate u is bounded to

    |u - f| <= sqrt(a |e|) + a T / 2,        |u - u_before| <= a T,        |u| <= v,

with the largest rate v and acceleration a: it comes to rest at a pose that jumped, and does not
overshoot.
"""

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import axangle2quat, qconjugate, qmult

from cable_sim.cranes.parts.following import Following
from cable_sim.errors import CommandError
from cable_sim.sim.simulator import Simulator

Array = NDArray[np.float64]
KEPT = 1000
"""Largest number of samples ahead of the body."""
UNIT = 1e-3
"""Largest deviation of a quaternion's length from 1 [-]."""
FAR = 1e6
"""Largest coordinate [m]."""


class PoseCommand(NamedTuple):
    """Pose of a body's frame in the world at a time [s]: position [m], quaternion (w, x, y, z)."""

    body: str
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    time: float


class _Sample(NamedTuple):
    time: float
    position: Array
    orientation: Array


class PoseFollower:
    """A body of a machine that follows poses."""

    def __init__(self, simulator: Simulator, body: str, how: Following) -> None:
        self.how = how
        self._body = simulator.bodies[body]
        self._samples: deque[_Sample] = deque(maxlen=KEPT)
        self._rate = np.zeros(6)

    def silent(self, now: float) -> bool:
        """Return True if there is no pose for a time [s], so that the body rests at the newest."""
        return self.newest is not None and self.newest < now - self.how.delay

    @property
    def newest(self) -> float | None:
        """Time of the newest pose [s]; None before the first."""
        return self._samples[-1].time if self._samples else None

    def reset(self) -> None:
        """Forget all poses."""
        self._samples.clear()
        self._rate[:] = 0.0

    def take(self, command: PoseCommand) -> bool:
        """Take a pose; return True if it is farther from the one before than the body may go.

        One of the same time replaces the one before. Raises CommandError, and changes nothing, for
        one that is not a pose or comes too late.
        """
        told = f"pose of {command.body!r}"
        position = np.array(command.position)
        if not np.abs(position).max() <= FAR:  # NaN, too
            raise CommandError(
                f"{told}: position {command.position} is outside {-FAR:g} ... {FAR:g} m"
            )
        length = float(np.linalg.norm(command.orientation))
        if not abs(length - 1.0) <= UNIT:
            raise CommandError(f"{told}: the quaternion's length is {length:g}; it must be 1")
        if self.newest is not None and not command.time >= self.newest:
            raise CommandError(
                f"{told}: its time, {command.time:.3f} s, is before that of the last one, "
                f"{self.newest:.3f} s"
            )
        if command.time == self.newest:
            self._samples.pop()
        sample = _Sample(command.time, position, np.array(command.orientation) / length)
        before = self._samples[-1] if self._samples else None
        self._samples.append(sample)
        if before is None:
            return False
        ways = _way(before, sample)
        most = np.array((self.how.speed, self.how.turning)) * (sample.time - before.time)
        return bool((np.linalg.norm(ways.reshape(2, 3), axis=1) > most).any())

    def look(self, now: float, tick: float) -> None:
        """Set the body's rates for the tick that begins [s]."""
        body = _Sample(now, self._body.position.copy(), self._body.orientation.copy())
        error, wanted, rate = np.zeros((3, 6))
        if self._samples:
            error = _way(body, self._at(now - self.how.delay)[0])
            pose, rate = self._at(now + tick - self.how.delay)
            wanted = _way(body, pose) / tick
        for i, most, change in (
            (slice(0, 3), self.how.speed, self.how.acceleration),
            (slice(3, 6), self.how.turning, self.how.turning_acceleration),
        ):
            step = change * tick
            lag = (change * float(np.linalg.norm(error[i]))) ** 0.5 + 0.5 * step
            u = rate[i] + _bounded(wanted[i] - rate[i], lag)
            u = self._rate[i] + _bounded(u - self._rate[i], step)
            self._rate[i] = _bounded(u, most)
        self._body.move(self._rate[:3], self._rate[3:])

    def _at(self, time: float) -> tuple[_Sample, Array]:
        """Return the pose at a time [s] and its rates (6,)."""
        samples = self._samples
        k = bisect_right(samples, time, key=lambda sample: sample.time)
        while k >= 3 and len(samples) > 3:
            samples.popleft()
            k -= 1
        if k == 0 or k == len(samples):
            return samples[max(k - 1, 0)], np.zeros(6)
        a, b = samples[k - 1], samples[k]
        span = b.time - a.time
        way = _way(a, b)
        ends = [way / span, way / span]
        if k >= 2:
            ends[0] = 0.5 * (ends[0] + _way(samples[k - 2], a) / (a.time - samples[k - 2].time))
        if k + 1 < len(samples):
            ends[1] = 0.5 * (ends[1] + _way(b, samples[k + 1]) / (samples[k + 1].time - b.time))
        s = (time - a.time) / span
        left = 1.0 - s
        offset = s * s * (3.0 - 2.0 * s) * way
        offset += span * s * left * (left * ends[0] - s * ends[1])
        rate = 6.0 * s * left * way / span + left * (1.0 - 3.0 * s) * ends[0]
        rate += s * (3.0 * s - 2.0) * ends[1]
        angle = float(np.linalg.norm(offset[3:]))
        turned = axangle2quat(offset[3:] / angle, angle, True) if angle else np.eye(4)[0]
        pose = _Sample(time, a.position + offset[:3], qmult(turned, a.orientation))
        return pose, rate


class PoseFollowers(dict[str, PoseFollower]):
    """The bodies of a machine that follow poses, by name."""

    def __init__(self, simulator: Simulator, following: Mapping[str, Following]) -> None:
        super().__init__(
            {body: PoseFollower(simulator, body, how) for body, how in following.items()}
        )

    def take(self, command: PoseCommand) -> bool:
        """Take a pose as its body does; raise CommandError for a body that follows none."""
        if command.body not in self:
            known = ", ".join(self) or "none"
            raise CommandError(f"{command.body!r} follows no poses; those that do: {known}")
        return self[command.body].take(command)

    def look(self, now: float, tick: float) -> None:
        """Set the rates of all bodies for the tick that begins [s]."""
        for follower in self.values():
            follower.look(now, tick)

    def reset(self) -> None:
        """Forget all poses."""
        for follower in self.values():
            follower.reset()


def _way(a: _Sample, b: _Sample) -> Array:
    """Return the way (6,) from a pose to another: displacement [m], rotation vector [rad]."""
    turn = qmult(b.orientation, qconjugate(a.orientation))
    turn = turn if turn[0] >= 0.0 else -turn
    length = float(np.linalg.norm(turn[1:]))
    angle = 2.0 * math.atan2(length, turn[0])
    turned = turn[1:] * (angle / length) if length else np.zeros(3)
    return np.concatenate([b.position - a.position, turned])


def _bounded(vector: Array, most: float) -> Array:
    """Return a vector with at most that length."""
    length = float(np.linalg.norm(vector))
    return vector * (most / length) if length > most else vector
