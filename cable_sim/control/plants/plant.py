"""The plant: a crane in lockstep with its controller, one call a tick.

    plant = LocalPlant(load_crane("tower_12t"))
    seen = plant.reset()
    while seen.time < 60.0:
        seen = plant.step({"trolley": 0.5, "hoist": -0.2})

Where the crane runs in another process, ``cable_sim.ros.lockstep.plant.RosPlant`` has the same
methods and gives the same numbers.
"""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from cable_sim.control.feedback import Command, Control, Feedback, feedback_of
from cable_sim.control.plants.load_pushes import LoadPush, force_on_load
from cable_sim.control.scenario import Scenario
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimWarning, CommandError, check_above_0, check_kind
from cable_sim.machine.external_wrenches import Push
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.machine.sway import heading_of
from cable_sim.pictured import Filmed
from cable_sim.sim.observation import Observation
from cable_sim.sim.recording.recording import Recording


class Plant(Protocol):
    """A crane that waits for its controller.

    ``crane`` is what runs, ``period`` the time between two calls of the controller [s].
    """

    crane: Crane
    period: float

    @property
    def heading(self) -> float:
        """Return the heading of the load about the vertical, anticlockwise from above [rad].

        It is that of the state that was seen last; NaN if it is not known.
        """

    @property
    def latencies(self) -> Sequence[float]:
        """Return the waiting times of states for their commands to be sent, on the wall's clock
        [s].

        They are those since the reset, but for the first state; empty where neither has a way to
        go.
        """

    def reset(self) -> Feedback:
        """Go back to the start, and return the feedback there, before the faults to come are
        injected."""

    def step(self, control: Control) -> Feedback:
        """Command axes, let a period pass, and return the feedback then.

        CommandError for commands that are not possible.
        """

    def close(self) -> None:
        """Release what it holds."""


class LocalPlant(Filmed):
    """A crane in this process.

    Parameters
    ----------
    crane: to run.
    dt: physics step [s].
    period: between two calls of the controller [s], in which it runs as many steps as fit.
    faults: that come, each at its time after the start.
    pushes: on the load, in that time.

    Attributes
    ----------
    observation: everything there is to see, from the newest tick.
    """

    latencies: Sequence[float] = ()

    def __init__(
        self,
        crane: Crane,
        dt: float = 1e-3,
        period: float = 1e-2,
        faults: Iterable[Fault] = (),
        pushes: Sequence[LoadPush] = (),
    ) -> None:
        check_above_0("dt", dt, "s")
        check_above_0("period", period, "s")
        self.crane = crane
        self._faults = tuple(faults)
        self._pushes = tuple(pushes)
        self.machine = Machine(crane, dt=dt, substeps=max(1, round(period / dt)))
        self.period = self.machine.tick_time
        self.observation: Observation = self.machine.observe()
        hung = crane.suspension
        self._clamped: set[str] = set()
        turned = [f"bodies.{hung.load}.orientation"] if hung else []
        self._orientation = self.machine.simulator.reader(turned)

    @classmethod
    def of(cls, scenario: Scenario) -> "LocalPlant":
        """The plant of a scenario; ConfigError, SpecError or CommandError for one that can't be."""
        return cls(scenario.build(), scenario.dt, scenario.period, scenario.faults, scenario.pushes)

    def __repr__(self) -> str:
        return f"LocalPlant, period {self.period:g} s\n{self.machine!r}"

    @property
    def heading(self) -> float:
        """Angle of the load about the vertical [rad], see :class:`Plant`; NaN where nothing hangs
        on falls."""
        if self.crane.suspension is None:
            return math.nan
        return heading_of(self._orientation(self.observation))

    def reset(self) -> Feedback:
        """Go back to the start, and return the feedback there; CommandError for a fault that this
        crane can't have."""
        self.machine.reset()
        self.observation = self.machine.observe()
        first = feedback_of(self.machine, self.observation)
        for fault in self._faults:
            self.machine.faults.inject(fault)
        return first

    def step(self, control: Control) -> Feedback:
        """Command axes and let a period pass.

        Raises CommandError, before time passes, for an axis that is not there, a value that is not
        finite, and while a page runs the crane. Values beyond what an axis allows are clamped, with
        one warning for each axis.
        """
        self.machine.turns.check()
        self._command(control)
        self._push()
        self.machine.tick()
        return self.look()

    def look(self) -> Feedback:
        """Return the feedback of the newest tick."""
        self.observation = self.machine.seen
        return feedback_of(self.machine, self.observation)

    def record(self, channels: Sequence[str] = (), every: int | None = None) -> Recording:
        """Record channels from now on, which :meth:`Recording.plot` draws.

        Without any, they are the load's position and the tensions of the crane's ropes. A row is
        written every so many physics steps, of a period for None. Raises as
        :meth:`Simulator.record <cable_sim.sim.simulator.Simulator.record>`.
        """
        load = [f"{self.crane.watched}.position"] if self.crane.watched else []
        rows = self.machine.substeps if every is None else every
        usual = [*load, *(f"{rope}.tension" for rope in self.crane.ropes)]
        return self.machine.simulator.record(channels or usual, rows)

    def close(self) -> None:
        """Do nothing: nothing is held."""

    def _command(self, control: Control) -> None:
        """Command axes."""
        check_kind(
            "step", control, Mapping, "commands by axis, such as {'trolley': 0.5}", CommandError
        )
        for axis, wanted in control.items():
            value, mode = wanted if isinstance(wanted, Command) else Command(wanted)
            if self.machine.command(axis, value, mode) and axis not in self._clamped:
                self._clamped.add(axis)
                warnings.warn(self.machine.notices[-1], CableSimWarning, stacklevel=3)

    def _push(self) -> None:
        """Give the load the push of the coming tick."""
        time = self.machine.time
        force = force_on_load(self._pushes, time, self.period) if self._pushes else None
        if force is not None:
            self.machine.pushes.give(Push(self.crane.watched, force, (0.0, 0.0, 0.0)), time)
