"""A hand on the page that pulls at a body, by a spring from a point of the body to the pointer.

The spring and its damper are those of a mass m at its own natural frequency w, critically damped,

    F = m (w^2 (target - point) - 2 w v),        |F| <= m MOST,

so light and heavy bodies follow alike. The force acts at the centre of mass and turns nothing.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.machine.bare import BareMachine
from cable_sim.machine.external_wrenches import Push
from cable_sim.machine.machine import Machine
from cable_sim.rendering.meshes import rotation_matrix

Array = NDArray[np.float64]
FREQUENCY = 8.0
"""Natural frequency w [rad/s]: a ball follows in half a second."""
MOST = 30.0
"""Largest force over the mass [m/s^2]: three times the weight, enough to lift and not to throw."""

COLOR = (214, 36, 43)
PIXELS = 3.0
"""Colour and width [pixels] of the line from a body to the pointer that pulls at it."""


class Grip(NamedTuple):
    """A body held: its name, the point in its frame and the pointer in the world (3,) [m]."""

    body: str
    point: Array
    target: Array


class Hand:
    """The hand of all pages on the bodies of one machine; it holds one body at a time."""

    def __init__(self, machine: Machine | BareMachine) -> None:
        self._machine = machine
        self._grip: Grip | None = None

    @property
    def line(self) -> Array | None:
        """Ends (2, 3) [m] of the spring in the world, or None while nothing is held."""
        grip = self._grip
        return None if grip is None else np.stack([self._place(grip), grip.target])

    def pull(self, body: str, target: Array, point: Array | None = None) -> None:
        """Pull at a body towards a target (3,) [m]; a new ``point`` (3,) [m] takes hold there.

        Both are in the world.
        """
        held = self._grip
        if held is None or held.body != body:
            self.release()
            seen = self._machine.simulator.bodies[body]
            place = target if point is None else point
            turn = rotation_matrix(seen.orientation)
            held = Grip(body, turn.T @ (place - seen.position), target)
        self._grip = held._replace(target=target)

    def release(self) -> None:
        """Let go, and end the force."""
        if self._grip is not None:
            self._push(self._grip.body, np.zeros(3))
        self._grip = None

    def act(self) -> None:
        """Set the force of the present instant; call it before every tick."""
        grip = self._grip
        if grip is None:
            return
        velocity = self._machine.simulator.bodies[grip.body].velocity
        wanted = FREQUENCY**2 * (grip.target - self._place(grip)) - 2.0 * FREQUENCY * velocity
        size = float(np.linalg.norm(wanted))
        mass = next(b.mass for b in self._machine.crane.scene.bodies if b.name == grip.body)
        self._push(grip.body, mass * wanted * min(1.0, MOST / max(size, MOST)))

    def _place(self, grip: Grip) -> Array:
        """Return the held point in the world [m]."""
        seen = self._machine.simulator.bodies[grip.body]
        return np.asarray(seen.position + rotation_matrix(seen.orientation) @ grip.point)

    def _push(self, body: str, force: Array) -> None:
        """Apply a force (3,) [N] at a body's centre of mass."""
        x, y, z = force.tolist()
        machine = self._machine
        if isinstance(machine, BareMachine):
            machine.simulator.push(body, (x, y, z))
        else:
            machine.pushes.give(Push(body, (x, y, z), (0.0, 0.0, 0.0)), machine.time)


class HandLine:
    """A line in a viser scene, which is there while a body is pulled at."""

    def __init__(self, api: Any, scale: float) -> None:
        self._api = api
        self._scale = scale
        self._line: Any = None

    def update(self, ends: Array | None) -> None:
        """Draw the line between its ends (2, 3) [m], or take it away."""
        if ends is None or not np.isfinite(ends).all():
            if self._line is not None:
                self._line.remove()
            self._line = None
            return
        points = (self._scale * ends[None]).astype(np.float32)
        if self._line is None:
            colors = np.tile(np.array(COLOR, dtype=np.uint8), (1, 2, 1))
            self._line = self._api.add_line_segments(
                "/hand", points=points, colors=colors, thickness=PIXELS, thickness_units="screen"
            )
        self._line.points = points
