"""Plant over ROS: the crane runs in a simulator node of another process, and its controller here.

    scenario = read_scenario("config/scenarios/tower_trolley_operator.yaml")
    with closing(RosPlant.of(scenario)) as plant:
        result = run(scenario, plant)

In lockstep the node takes no tick before its state was answered. So the run is the one that a
:class:`~cable_sim.control.plants.plant.LocalPlant` makes, to the last bit. At a node that runs in
real time an answer may come too late; :attr:`RosPlant.deadlines` counts these.
"""

import math
import time
from array import array
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sensor_msgs.msg import JointState

from cable_sim.control.feedback import Command, Control, Feedback
from cable_sim.control.plants.load_pushes import LoadPush, force_on_load
from cable_sim.control.scenario import Scenario
from cable_sim.cranes.catalogue import save_crane
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, CommandError, unknown
from cable_sim.machine.actuation import refusal_of
from cable_sim.machine.faults import Fault, check_target, targets
from cable_sim.ros.basis.crane_parameters import rows_of
from cable_sim.ros.basis.messages import set_time
from cable_sim.ros.launch.processes import Child, free_domain, isolated_environment, node_command
from cable_sim.ros.lockstep.plant_link import PlantLink, State

START_PATIENCE = 300.0
MEETING_PATIENCE = 30.0
"""Times within which a started node, and a running one, must be heard [s, wall time].

A started node may have to compile its kernels. On a busy machine a running node may miss some
announcements, which Fast DDS by itself makes every 3 s.
"""

FIELDS = {"speed": "velocity", "position": "position", "effort": "effort"}
"""Arrays of a JointState by the kind of command."""

NO_FORCE = (0.0, 0.0, 0.0)
RENEWED = 0.25
"""Interval at which a push is repeated [s]: before ``command_timeout`` ends it."""

RATES = ("joint_state_rate", "cable_state_rate", "tf_rate")
"""Rates of a node's topics beside feedback; the first is also that of the load's ground truth."""


@dataclass
class Deadlines:
    """Timing of a controller.

    Parameters
    ----------
    answered: states that it answered.
    missed: answered states whose answer came later than a tick after them, and states that it never
        saw; 0 in lockstep.
    latencies: wall time from the sending of each state to its answer [s], except for the first,
        which waits for the controller to begin.
    """

    answered: int = 0
    missed: int = 0
    latencies: list[float] = field(default_factory=list)

    @property
    def slowest(self) -> float:
        """Longest answer time [s]; 0 before the first answer."""
        return max(self.latencies, default=0.0)


class RosPlant:
    """Crane in a simulator node.

    Parameters
    ----------
    crane, dt, period, faults, pushes: as for :class:`~cable_sim.control.plants.plant.LocalPlant`.
    namespace: namespace of a running node with the same crane; by default a node is started.
    reset: whether to reset a running node to its start. Otherwise time counts from its present
        state.
    private: whether to start the node on an unused ROS domain, where it publishes only what a
        controller needs. Otherwise it is on the domain of the environment, to be watched.
    real_time_factor: of a node that is started; 0 is as fast as possible.
    patience: wall time within which the node must answer [s].

    Attributes
    ----------
    deadlines: timing since the last reset.
    """

    def __init__(
        self,
        crane: Crane,
        dt: float = 1e-3,
        period: float = 1e-2,
        faults: Iterable[Fault] = (),
        pushes: Sequence[LoadPush] = (),
        *,
        namespace: str | None = None,
        reset: bool = True,
        private: bool = True,
        real_time_factor: float = 0.0,
        patience: float = 30.0,
    ) -> None:
        self.crane = crane
        self.dt = dt
        self._faults = tuple(faults)
        self._pushes = tuple(pushes)
        self.period = dt * max(1, round(period / dt))
        self.deadlines = Deadlines()
        self._own = namespace is None
        self._rewinds = namespace is None or reset
        self._met = self._first = False
        self._lockstep = True
        self._limit = math.inf
        self._begin = 0.0
        self._pushed = NO_FORCE, -math.inf
        self._node: Child | None = None
        self._state: State | None = None
        with ExitStack() as made:
            domain = free_domain() if self._own and private else None
            self._link = PlantLink(namespace or "", domain, self._end_reason, patience)
            made.callback(self._link.close)
            if self._own:
                self._start(made, domain, real_time_factor)
            self._leave = made.pop_all()

    @classmethod
    def of(cls, scenario: Scenario, **options: Any) -> "RosPlant":
        """Return the plant of a scenario; ``options`` are the parameters from ``namespace`` on."""
        what = scenario.build(), scenario.dt, scenario.period, scenario.faults, scenario.pushes
        return cls(*what, **options)

    def reset(self) -> Feedback:
        """Reset the crane to its start, unless ``reset`` is False; returns the feedback there.

        The feedback is from before the injection of faults to come. Raises CommandError for a fault
        that this crane can't have. Raises CableSimError if there is no node, or one that does not
        match this plant.
        """
        known = targets(self.crane)
        for fault in self._faults:
            check_target(fault, known)
        self._meet()
        if self._rewinds:
            self._link.pause(True)
            self._state = self._link.reset()
        else:
            self._state = self._link.state
        assert self._state is not None
        self._begin = 0.0 if self._rewinds else self._state.seen.time
        self._link.inject(self._faults)
        self.deadlines = Deadlines()
        self._first = True
        self._pushed = (NO_FORCE, -math.inf)
        return self._last_feedback()

    def step(self, control: Control) -> Feedback:
        """Answer the last state, and wait for the next one; returns its feedback.

        Raises CommandError, before time passes, for an unknown axis or a value that is not finite.
        Raises StepError if the simulation failed. Raises CableSimError if the node does not go on,
        or not tick by tick.
        """
        if self._state is None:
            raise CableSimError("a plant has to be reset before its first step")
        message = joint_commands(self.crane, control)
        set_time(message.header.stamp, self._state.stamp)
        first = self._first
        self._first = False
        if self._pushes:
            self._push(self._last_feedback().time)
        if first and self._rewinds:
            self._link.pause(False)
        self._link.answer(message)
        took = 1e-9 * (time.time_ns() - self._state.sent)
        before = self._state
        self._state = self._link.next_state(self._state.stamp)
        passed = self._ticks_between(before.seen.time, self._state.seen.time)
        self._note(None if first else took, 1 if first else passed)
        return self._last_feedback()

    @property
    def heading(self) -> float:
        """Heading of the load about the vertical [rad].

        It is NaN in real time, and at a node that publishes the load's pose less often. See
        :class:`~cable_sim.control.plants.plant.Plant`.
        """
        state = self._state
        told = self._link.heading
        return told.angle if state and told and told.stamp == state.stamp else math.nan

    @property
    def latencies(self) -> Sequence[float]:
        """(k,) waiting times of states for their commands [s].

        See :class:`~cable_sim.control.plants.plant.Plant`.
        """
        return self.deadlines.latencies

    def close(self) -> None:
        """Leave the graph, and end the node if it was started here; may be called twice."""
        self._leave.close()

    def _start(self, made: ExitStack, domain: int | None, real_time_factor: float) -> None:
        """Start a node."""
        folder = Path(made.enter_context(TemporaryDirectory(prefix="cable_sim_")))
        file = folder / f"{self.crane.name}.yaml"
        save_crane(self.crane, file)
        tick_rate = 1.0 / self.period
        environment = {}
        parameters = {
            "physics_step": self.dt,
            "tick_rate": tick_rate,
            "real_time_factor": float(real_time_factor),
            "lockstep": "command",
            "lockstep_timeout": 0.0,
            "start_paused": True,
            **{name: min(100.0, tick_rate) if domain is None else 0.0 for name in RATES},
            RATES[0]: tick_rate,
        }
        self._link.whole = self.crane.suspension is not None
        if domain is not None:
            sensors = (
                row.name for row in rows_of(self.crane) if row.name.startswith("sensor_rates.")
            )
            parameters |= {"marker_rate": 0.0, **dict.fromkeys(sensors, 0.0)}
            environment = isolated_environment(domain)
        self._node = Child("node", node_command(str(file), parameters), environment=environment)
        made.callback(self._node.end)

    def _end_reason(self) -> str:
        """Return the reason why the started node has ended; empty if it has not."""
        return self._node.fate if self._node else ""

    def _meet(self) -> None:
        """Wait for the node, and check that it matches this plant."""
        if self._met:
            return
        self._link.meet(START_PATIENCE if self._own else MEETING_PATIENCE)
        assert self._link.state is not None
        theirs = list(self._link.state.seen.axes)
        mine = [axis.name for axis in self.crane.axes]
        if theirs != mine:
            raise CableSimError(
                f"the node's crane has the axes {', '.join(theirs)}, and not {', '.join(mine)}"
            )
        if not self._own:
            self._compare()
        self._met = True

    def _compare(self) -> None:
        """Check the parameters of a node that was not started here."""
        told = self._link.parameters(
            "physics_step",
            "tick_rate",
            "lockstep",
            "real_time_factor",
            "faults.enabled",
            "command_timeout",
            RATES[0],
        )
        for name, wanted in (("physics_step", self.dt), ("tick_rate", 1.0 / self.period)):
            if not math.isclose(told[name], wanted, rel_tol=1e-9):
                raise CableSimError(
                    f"the node's {name} is {told[name]:g}; start it with -p {name}:={wanted}"
                )
        if told["lockstep"] == "service":
            raise CableSimError(
                "the node's lockstep is 'service', so commands do not advance time; set "
                "'command' or "
                "'off'"
            )
        if self._faults and not told["faults.enabled"]:
            raise CableSimError(
                "the node's faults.enabled is false, and there are faults to come; set it to true"
            )
        if self._pushes and told["command_timeout"] <= RENEWED + self.period:
            least = (
                f"pushes are renewed every {RENEWED:g} s; set it to more than "
                f"{RENEWED + self.period:g}"
            )
            raise CableSimError(
                f"the node's command_timeout is {told['command_timeout']:g} s, and {least}"
            )
        self._lockstep = told["lockstep"] == "command"
        factor = told["real_time_factor"]
        every_tick = told[RATES[0]] == told["tick_rate"]
        self._link.whole = self._lockstep and every_tick and self.crane.suspension is not None
        self._limit = math.inf if self._lockstep or not factor else self.period / factor

    def _push(self, now: float) -> None:
        """Publish the push of the tick that begins now [s].

        It is sent when it changes, and before it would time out.
        """
        force = force_on_load(self._pushes, now, self.period) or NO_FORCE
        before, since = self._pushed
        if force != before or (force != NO_FORCE and now - since > RENEWED):
            self._link.push(force)
            self._pushed = force, now

    def _ticks_between(self, before: float, now: float) -> int:
        """Return the number of ticks between two states [s]; CableSimError if it is impossible."""
        passed = round((now - before) / self.period)
        if passed < 1:
            raise CableSimError(
                f"the simulator went from {before:g} s back to {now:g} s while its controller ran"
            )
        if passed > 1 and self._lockstep:
            raise CableSimError(
                f"{passed} ticks passed after an answer at {before:g} s: another controller "
                f"answers, too"
            )
        return passed

    def _note(self, took: float | None, passed: int) -> None:
        """Record an answer's duration [s], except the first's, and the ticks to the next state."""
        done = self.deadlines
        done.answered += 1
        done.missed += passed - 1
        if took is not None:
            done.latencies.append(took)
            done.missed += took > self._limit

    def _last_feedback(self) -> Feedback:
        """Return the last state, in this plant's time."""
        assert self._state is not None
        seen = self._state.seen
        return seen._replace(time=seen.time - self._begin) if self._begin else seen


def joint_commands(crane: Crane, control: Control) -> JointState:
    """Return the message that commands axes; CommandError with a reason for invalid ones."""
    axes = {axis.name: axis for axis in crane.axes}
    orders = [
        (name, wanted if isinstance(wanted, Command) else Command(wanted))
        for name, wanted in control.items()
    ]
    for name, (value, mode) in orders:
        if name not in axes:
            raise CommandError(unknown("axis", name, axes))
        if why := refusal_of(axes[name], mode, value, FIELDS):
            raise CommandError(f"axis {name!r}: {why}")
    message = JointState(name=[axes[name].joint for name, _ in orders])
    for mode in {order.mode for _, order in orders}:
        values = [order.value if order.mode == mode else math.nan for _, order in orders]
        setattr(message, FIELDS[mode], array("d", values))
    return message
