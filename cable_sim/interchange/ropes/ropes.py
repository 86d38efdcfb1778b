"""Ropes in the step of another engine: the protocol, whatever the engine is."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import CommandError, SpecError, StepError, unknown
from cable_sim.interchange.ropes.building import Place, build_world, check_cables, winch_names
from cable_sim.interchange.ropes.condensation import couple_rows, solve_ropes, spring, take_free
from cable_sim.interchange.ropes.lengths import place_ropes
from cable_sim.interchange.ropes.records import Frames, Motion
from cable_sim.kernels.jit import entry, kernel
from cable_sim.kernels.pins import Pin, contents
from cable_sim.kernels.status import NOT_CONVERGED
from cable_sim.spec import Cable


class RopeReading(NamedTuple):
    """Readings of a rope in the last step.

    ``tension`` (s,) is that of each span [N], ``length`` that of the path [m], ``unstretched`` the
    rope paid out [m], ``slack`` the rope that hangs idle [m], ``energy`` that of the stretch [J].
    ``resolved`` is True where the step keeps the energy of its oscillation.
    """

    tension: NDArray[np.float64]
    length: float
    unstretched: float
    slack: float
    energy: float
    resolved: bool


@kernel
def place_all(pin: Any, _: int) -> int:
    """Place ropes; their wrenches are then those of the pose."""
    w = contents(pin)
    take_free(w.motion.acceleration, w.ropes)
    place_ropes(w)
    return 0


@kernel
def solve_all(pin: Any, _: int) -> int:
    """Find tensions from J and M^-1 J^T, and add their force."""
    w = contents(pin)
    couple_rows(w.ropes)
    return solve_ropes(w)


class EngineRopes:
    """Ropes over the bodies of an engine that hands over arrays, which are read at each step.

    Parameters
    ----------
    cables: massless, with ``ea``, ``stiffness`` or ``rope``; nodes name frames of the engine.
    locate: finds the frame of a name: body (0 is the world), position [m] and quaternion in it.
    frames, motion: arrays of the engine.

    Raises SpecError for what ropes here have not.
    """

    def __init__(
        self,
        cables: Sequence[Cable],
        locate: Callable[[str, str], Place],
        frames: Frames,
        motion: Motion,
        engine: Any = None,
    ) -> None:
        check_cables(cables)
        self._cables = {cable.name: c for c, cable in enumerate(cables)}
        self._winches = winch_names(cables)
        self._given = list(cables)
        self.world = build_world(cables, locate, frames, motion, engine)
        self._pin = Pin(self.world)
        self._place = entry(place_all)
        self._solve = entry(solve_all)

    def place(self) -> NDArray[np.float64]:
        """Place all ropes at the engine's frames; return their rows as wrenches (r, n, 6).

        A row's wrench on a node is the force [N] and the moment about the node [N m] on its body,
        per newton of the row.
        """
        self._place(self._pin, 0)
        return self.world.ropes.wrench

    def solve(self, h: float) -> None:
        """Find tensions for a step [s] from J and M^-1 J^T, and add their force.

        Raises StepError where no tensions are found.
        """
        self.world.step[0] = h
        self._check(self._solve(self._pin, 0))

    def _check(self, flags: int) -> None:
        """Raise StepError for flags of a step without a solution."""
        if flags & NOT_CONVERGED:
            names = ", ".join(self._cables)
            raise StepError(f"no tensions were found of the ropes {names}; give a smaller step")

    def command(self, winch: str, speed: float, acceleration: float = math.inf) -> None:
        """Set the speed at which a winch pays out [m/s], and the largest change of it [m/s^2].

        It holds until the next command. Raises CommandError for an unknown winch, a speed that is
        not finite and an acceleration that is not above 0.
        """
        if winch not in self._winches:
            raise CommandError(unknown("winch", winch, self._winches))
        if not math.isfinite(speed):
            raise CommandError(
                f"speed = {speed} m/s of winch {winch!r} is not allowed; give a finite one"
            )
        if not acceleration > 0.0:
            told = f"acceleration = {acceleration} m/s^2 of winch {winch!r} is not allowed"
            raise CommandError(f"{told}; it must be above 0")
        i = self._winches.index(winch)
        self.world.winches.command[i] = speed
        self.world.winches.ramp[i] = acceleration

    def read(self, name: str) -> RopeReading:
        """Return the readings of a rope in the last step; raise CommandError for an unknown one."""
        if name not in self._cables:
            raise CommandError(unknown("rope", name, self._cables))
        c = self._cables[name]
        ropes = self.world.ropes
        rows = range(ropes.row_start[c], ropes.row_start[c + 1])
        spans = np.arange(ropes.node_start[c], ropes.node_start[c + 1] - 1)
        tension = np.full(spans.size, ropes.tension[rows[0]])
        for r in rows[1:]:
            node = ropes.row_node[r]
            tension += ropes.tension[r] * ((spans >= node) - ropes.share[node])
        strain = float(ropes.path[c] - ropes.length[c])
        energy = 0.5 * spring(c, ropes) * max(strain, 0.0) ** 2
        return RopeReading(
            tension,
            float(ropes.path[c]),
            float(ropes.length[c]),
            max(-strain, 0.0),
            energy,
            bool(ropes.resolved[c]),
        )

    def lay(self) -> None:
        """Lay all ropes anew at the engine's frames, as their cables say, with winches at rest."""
        w = self.world
        contact = w.rims.state.contact
        w.ropes.tension[:] = w.table.state.impulse[:] = w.table.state.status[:] = 0
        w.winches.rate[:] = w.winches.command[:] = 0.0
        self.place()
        turns = [wheel.turns for cable in self._given for wheel in cable.wheels]
        wrap = (contact[:, 1] - contact[:, 0]) % (2.0 * math.pi)
        contact[:, 1] = contact[:, 0] + wrap + 2.0 * math.pi * np.array(turns)
        self.place()
        for c, cable in enumerate(self._given):
            ratio = cable.loss_ratio or 0.0
            w.ropes.damping_time[c] = -ratio if cable.damping_time is None else cable.damping_time
            w.ropes.length[c] = cable.length or _length(cable, float(w.ropes.path[c]))


def _length(cable: Cable, path: float) -> float:
    """Return the unstretched length of a cable with its pretension on a path [m]."""
    if cable.axial_rigidity is not None:
        return path / (1.0 + cable.pretension / cable.axial_rigidity)
    length = path - cable.pretension / (cable.stiffness or math.inf)
    if length > 0.0:
        return length
    told = f"pretension = {cable.pretension:g} N is not allowed"
    most = f"its path of {path:g} m has {path * (cable.stiffness or 0.0):g} N at most"
    raise SpecError(f"cable {cable.name!r}: {told}; {most}")
