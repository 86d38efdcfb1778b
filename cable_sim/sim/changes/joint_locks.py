"""Locking and unlocking of joints, and new directions of slides: changes of state between steps."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import CommandError
from cable_sim.kernels.multibody.drives import ON_JOINT
from cable_sim.kernels.records.joints import JointState
from cable_sim.model.basis.frames import rotation, triad
from cable_sim.sim.running import SceneOperations
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]

STANDING = 1e-3
"""Largest speed of a standing slide [m/s]: only at a standstill its wheels can turn."""


class JointLocks(SceneOperations):
    """Operations on the joints of a running scene."""

    def unlock(self, joint: str) -> None:
        """Unlock a joint: it has no rows until it is locked.

        A joint that a drive acts on can't be unlocked.
        """
        j = self.names.index("joints", joint)
        if self._state.joints.open[j]:
            raise CommandError(f"unlock {joint!r}: it is open already")
        if self.scene.joints[j].rail:
            raise CommandError(f"unlock {joint!r}: a slide on a rail stays on it")
        driven = np.flatnonzero(
            (self._model.drives.kind == ON_JOINT) & (self._model.drives.on == j)
        )
        if driven.size:
            drive = self.names.drives[driven[0]]
            raise CommandError(
                f"unlock {joint!r}: drive {drive!r} acts on it, which needs its coordinate"
            )
        self._state.joints.open[j] = True
        self._hold_anew()

    def lock(self, joint: str, reach: float | None = None, angle: float | None = None) -> None:
        """Lock an open joint in the present pose of its bodies; its coordinate continues.

        Raises CommandError, and changes nothing, when they are farther from where the scene has
        them joined than ``reach`` [m] or turned by more than ``angle`` [rad]; None allows any.
        """
        j = self.names.index("joints", joint)
        state = self._state
        if not state.joints.open[j]:
            raise CommandError(f"lock {joint!r}: it is locked already")
        away, turned = self._misfit(j)
        for name, value, limit, unit in (
            ("reach", away, reach, "m"),
            ("angle", turned, angle, "rad"),
        ):
            if limit is None:
                continue
            if not (math.isfinite(limit) and limit >= 0.0):
                raise CommandError(
                    f"lock {joint!r}: {name} {limit} is not allowed; it must be 0 or above"
                )
            if value > limit:
                raise CommandError(
                    f"lock {joint!r}: the bodies are {value:.3g} {unit} from where it joins them; "
                    f"{name} allows {limit:.3g} {unit}"
                )
        place, axes = self._frame(j, 0, self._start.state.joints)
        state.joints.open[j] = False
        self._set_frame(j, place, axes)
        self._hold_anew()

    def turn_axis(self, joint: str, axis: ArrayLike) -> None:
        """Turn a prismatic joint on the world to another axis (3,), through its child's place.

        Its coordinate continues, like the distance on a wheel, and its end stops keep their values
        on it. The axis is in the world, and its length does not matter. Raises CommandError, and
        changes nothing, unless the joint stands.
        """
        j = self.names.index("joints", joint)
        state = self._state
        made = self.scene.joints[j]
        if made.kind != "prismatic" or made.parent != WORLD:
            raise CommandError(
                f"turn_axis {joint!r}: only a prismatic joint on the world can be turned"
            )
        along = np.asarray(axis, dtype=float)
        if along.shape != (3,) or not np.isfinite(along).all() or not along.any():
            raise CommandError(
                f"turn_axis {joint!r}: axis {axis!r} is not a direction of three finite numbers"
            )
        place, axes = self._frame(j, 1, state.joints)
        b = self._model.joints.body[j, 1]
        velocity, spin = np.split(state.bodies.velocity[b], 2)
        speed = float((velocity + np.cross(spin, place - state.bodies.position[b])) @ axes[2])
        if abs(speed) > STANDING:
            raise CommandError(f"turn_axis {joint!r}: it goes at {speed:.3g} m/s; stop it first")
        self._set_frame(j, place, triad(along))
        self._running.intervene()

    def joint_axis(self, joint: str) -> tuple[float, float, float]:
        """Return a joint's axis, a unit vector in the frame of its parent or the world."""
        x, y, z = self._state.joints.axes[self.names.index("joints", joint), 0, 2].tolist()
        return x, y, z

    def _misfit(self, j: int) -> tuple[float, float]:
        """Return the misfit of the bodies of joint j [m, rad], without its free directions."""
        (near, parent), (far, child) = (
            self._frame(j, side, self._start.state.joints) for side in (0, 1)
        )
        kind = self.scene.joints[j].kind
        gap = far - near
        if kind == "prismatic":
            gap = gap - (gap @ parent[2]) * parent[2]
        if kind == "ball":
            cosine = 1.0
        else:
            cosine = (
                parent[2] @ child[2]
                if kind == "hinge"
                else 0.5 * (np.einsum("ij,ij->", parent, child) - 1.0)
            )
        return float(np.linalg.norm(gap)), math.acos(min(max(float(cosine), -1.0), 1.0))

    def _frame(self, j: int, side: int, frames: JointState) -> tuple[Array, Array]:
        """Return point [m] and axes of joint j in the world, from those in the body of one side."""
        b = self._model.joints.body[j, side]
        turn = rotation(self._state.bodies.orientation[b])
        point = self._state.bodies.position[b] + turn @ frames.point[j, side]
        return point, frames.axes[j, side] @ turn.T

    def _set_frame(self, j: int, place: Array, axes: Array) -> None:
        """Give both bodies of joint j the same frame in the world; its coordinate continues."""
        state = self._state
        for side, b in enumerate(self._model.joints.body[j]):
            turn = rotation(state.bodies.orientation[b])
            state.joints.point[j, side] = turn.T @ (place - state.bodies.position[b])
            state.joints.axes[j, side] = axes @ turn
        state.joints.offset[j] = state.joints.position[j]
