"""The simulator: a scene that can be commanded, stepped, read, saved and restored."""

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError, ModelError, StepError, check_above_0, check_kind, unknown
from cable_sim.kernels import status
from cable_sim.kernels.records.arrays import arrays_of, copy_record, replace_array
from cable_sim.kernels.records.devices import Truth
from cable_sim.kernels.records.machine import Axes, Plant
from cable_sim.kernels.records.world import Control, State
from cable_sim.model.cables.variants import shift_start
from cable_sim.model.drives import pack_motors
from cable_sim.model.machine import pack_axes
from cable_sim.pictured import Filmed
from cable_sim.sim.changes.cable_hooks import CableHooks
from cable_sim.sim.changes.carry_over import carry_over
from cable_sim.sim.changes.drives import Drives
from cable_sim.sim.changes.joint_locks import JointLocks
from cable_sim.sim.changes.live import Bodies, Cables, Joints
from cable_sim.sim.changes.losses import Losses
from cable_sim.sim.changes.model_change import ModelChanges
from cable_sim.sim.changes.model_switches import Switches
from cable_sim.sim.changes.overlaps import Overlap, find_overlaps
from cable_sim.sim.changes.wire_ends import WireEnds
from cable_sim.sim.culprits import name_culprits, take_catches
from cable_sim.sim.driving import Driver
from cable_sim.sim.laws import LawAtWork
from cable_sim.sim.observation import Observation, Report
from cable_sim.sim.reader import Reader
from cable_sim.sim.readings.touching import count_standing
from cable_sim.sim.recording.recording import Recording
from cable_sim.sim.running import READ, RunningScene, check_scene
from cable_sim.sim.sentences import explain
from cable_sim.sim.turns import in_turn
from cable_sim.spec import Scene

SOLVERS = ("auto", "envelope", "sparse")


class Snapshot(NamedTuple):
    """Everything that determines the future of a simulator; from :meth:`Simulator.save`."""

    state: State
    control: Control


@in_turn("retune", "cut", "release", "attach", "unhook", "part", "hook", "set_efficiency", "unlock")
@in_turn("lock", "turn_axis", "observe", "record", "use_law", "save", "restore", "reset")
@in_turn("change_model", "switch_when_slack", "replace_model", "go_on_in")
class Simulator(WireEnds, CableHooks, JointLocks, ModelChanges, Filmed):
    """Simulator of a scene at a fixed step.

    Parameters
    ----------
    scene: what to simulate.
    dt: step [s].
    stepper: ``spook`` (Servin et al. 2011: second order, no numerical damping of what the step
        resolves) or ``regularised`` (Servin and Lacoursiere 2007: damps stiff cables). Rigid parts
        and parts too stiff for the step are damped under both. That floor can't be switched off:
        there is no restitution but what a ``collision`` of the scene has.
    solver: ``envelope`` (compiled; cranes, chains), ``sparse`` (SuperLU; large nets, see
        ``sim/sparse.py``) or ``auto``, which takes the one that is faster for a scene of this size.
        Both solve the same equations.

    Raises ModelError for a step that is not positive, an unknown solver, and impossible scenes.
    """

    def __init__(
        self,
        scene: Scene,
        dt: float = 1e-3,
        stepper: str = "spook",
        solver: Literal["auto", "envelope", "sparse"] = "auto",
    ) -> None:
        if solver not in SOLVERS:
            raise ModelError(unknown("solver", solver, SOLVERS))
        check_above_0("dt", dt, "s")
        check_scene(scene)
        self.scene = scene
        self.dt = float(dt)
        self._stepper = stepper
        self._shared = False
        self._switches = Switches()
        running = RunningScene(scene, stepper, self.dt, solver)
        self._running = running
        self.turns = running.turns
        self.names = running.names
        self._state = running.state
        self._control = running.control
        self._work = running.work
        self.bodies = Bodies(
            running, frozenset(b.name for b in scene.bodies if b.motion == "prescribed")
        )
        self.cables = Cables(running)
        self.joints = Joints(running)
        self.drives = Drives(running)
        self._driver = Driver(running)
        self._losses = Losses(running)
        self._start = self.save()
        self.report = Report(0, 0.0, 0)
        self._missed: dict[str, float] = {}

    def __repr__(self) -> str:
        status = self.explain() or "all is well"
        return (
            f"Simulator of {self.scene.name!r} at t = {self.time:.6g} s, step {self.dt:g} s, "
            f"{self._stepper}, {self.solver}\n{self.scene.counts}\n{status}"
        )

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self._state.time[0])

    @property
    def rows(self) -> int:
        """Number of rows in the last step: the size of its Schur complement."""
        return int((self._work.solver.position >= 0).sum()) if self._state.steps[0] else 0

    def command(
        self,
        drive: str,
        target: float,
        mode: str | None = None,
        brake: bool = False,
        slip: float | None = None,
    ) -> None:
        """Set a drive's target in its own unit, and mode, brake and slip, until the next command.

        Raises CommandError, and changes nothing, for a mode that is not there, a target that is not
        finite, or a slip that is negative; SpecError for an unknown drive. A carriage is commanded
        in the same way, by speed or position.
        """
        self.drives[drive].command(target, mode, brake, slip)

    def retune(self, scene: Scene) -> None:
        """Continue with a scene that differs only in its motors: effort, speed, ramps."""
        motor = pack_motors(scene)
        motor.flags.writeable = False  # as all of a model: kernels are compiled for that
        self.scene = self._running.scene = scene
        self._running.replace_model(replace_array(self._model, "drives.motor", motor))
        self.drives.retune(self._model)

    def set_drive(
        self,
        drive: str,
        powered: bool | None = None,
        effort_share: float | None = None,
        brake_share: float | None = None,
    ) -> None:
        """Switch a drive's motor on or off, and set the remaining shares of motor and brake effort.

        The shares [-] go from 0 to 1, which is as new, and for a brake beyond. None keeps a value.
        Raises CommandError, and changes nothing, for a share that is not allowed; SpecError for an
        unknown drive.
        """
        self.drives.motor(drive).set(powered, effort_share, brake_share)

    def push(self, body: str, force: ArrayLike = (0, 0, 0), torque: ArrayLike = (0, 0, 0)) -> None:
        """Apply a force (3,) at the centre of mass [N] and a torque (3,) [N m], until changed.

        Both are in the world frame.
        """
        self.bodies[body].push(force, torque)

    def move(
        self, body: str, velocity: ArrayLike = (0, 0, 0), angular_velocity: ArrayLike = (0, 0, 0)
    ) -> None:
        """Set the velocities (3,) of a prescribed body [m/s, rad/s], world frame, until changed."""
        self.bodies[body].move(velocity, angular_velocity)

    def set_wind(self, velocity: ArrayLike) -> None:
        """Set the wind [m/s] at the reference height of the scene's ``air``, until changed.

        The velocity is in the world frame.

        Raises CommandError, and changes nothing, unless it is three finite numbers.
        """
        wind = np.asarray(velocity, dtype=float)
        if wind.shape != (3,) or not np.isfinite(wind).all():
            raise CommandError(f"wind: {velocity!r} is not a vector of three finite numbers [m/s]")
        self._control.wind[:] = wind

    @property
    def wind(self) -> NDArray[np.float64]:
        """Velocity (3,) of the air at the reference height [m/s]."""
        return self._control.wind.copy()

    def step(self, count: int = 1) -> Report:
        """Take ``count`` steps, with the envelope solver in one call into compiled code.

        Raises StepError when velocities stop being finite, a body gets faster than 1e5 m/s or 1e5
        rad/s, or a rope is torn out (``kernels/multibody/overstrain.py``); the state is that of the
        last good step. CommandError for a ``count`` < 0, for a law (:meth:`use_law`) whose output
        is not finite, and while a page runs the simulator in another thread.
        """
        if count < 0:
            raise CommandError(f"step: count {count} is not allowed; it must be 0 or above")
        return self._switches.step(self, count) if self._switches else self.take(count)

    def take(self, count: int) -> Report:
        """Take ``count`` steps with the models that all cables have now; see :meth:`step`."""
        self.turns.check()
        running = self._running
        taker = self._driver if self._driver.active else running
        report = taker.take(operator.index(count))
        if running.watched:
            report = running.look_now_and_then(report, count)
        self.report = report
        if report.status & (status.STOPS | status.CATCH_MISSED) or self._driver.active:
            self._conclude(report)
        return report

    @property
    def recorded(self) -> bool:
        """Return True if there is a recording or a law."""
        return self._driver.active

    def freshen(self) -> None:
        """Bring what is read up to date, for compiled code that reads it."""
        self._running.freshen(READ)

    def stepped(self, flags: int) -> Observation:
        """Observe after steps that compiled code has taken and read, and which had these flags.

        Raises StepError as :meth:`step` does.
        """
        self._driver.collect()
        self._conclude(self._running.taken(flags))
        return Observation(self.names, self.report, self._running.picture())

    def _conclude(self, report: Report) -> None:
        """Keep the report on some steps; raise StepError if they were stopped."""
        self.report = report
        if report.status & status.CATCH_MISSED:
            self._missed = take_catches(self.names, self._work)
        if self.report.status & status.STOPS:
            raise StepError(f"at t = {self.time:.6g} s: {self.explain()}")
        self._driver.check_law()

    @property
    def missed_catches(self) -> dict[str, float]:
        """Cables whose catches the last report says were missed, and steps that would do [s]."""
        return self._missed if self.report.status & status.CATCH_MISSED else {}

    def explain(self) -> str:
        """Return the status of the last report in words and names; an empty text if it is 0."""
        flags = self.report.status
        culprits = name_culprits(flags, self.names, self._model, self._state, self._work, self.dt)
        steps = [f"cable {name!r}: {step:.2g} s" for name, step in self.missed_catches.items()]
        return explain(flags) + culprits + (f" ({', '.join(steps)})" if steps else "")

    def observe(self) -> Observation:
        """Return the present scene; forces are means over the last step."""
        self._running.change()  # whoever writes to the state by hand is seen
        picture = self._running.picture()
        return Observation(self.names, self._running.add_balance(self.report), picture)

    @property
    def solver(self) -> str:
        """Solver of the steps: ``envelope`` or ``sparse``."""
        return "sparse" if self._running.sparse else "envelope"

    def record(self, channels: Sequence[str], every: int = 1) -> Recording:
        """Record channels such as ``load.position``, ``rope.tension`` or ``energy`` every so many
        steps, from now on.

        The first row is the present state, and the time [s] its first column. Units are those of
        :attr:`Recording.units <cable_sim.sim.recording.recording.Recording.units>`. What is looked
        for once a call of :meth:`step` is looked for at every row. Raises SpecError for a channel
        that is unknown or there twice, CommandError if a recording runs already or ``every`` is
        below 1, ModelError for the sparse solver.
        """
        return self._driver.record(channels, every)

    def reader(self, channels: Sequence[str]) -> Reader:
        """Return a reader of channels of observations, which gives their numbers in a row.

        Raises SpecError for a channel that is unknown or a flag.
        """
        return self._driver.reader(channels)

    def use_law(
        self,
        law: Callable[..., object] | None,
        reads: Sequence[str] = (),
        writes: Sequence[str] = (),
        memory: ArrayLike = (),
    ) -> LawAtWork | None:
        """Call a compiled law before each step: a controller, or a force that depends on the state.

        ``law(time, inputs, outputs, memory)`` gets the time [s], the values (i,) of the channels
        that it ``reads``, the values (o,) of those that it ``writes``, which it changes, and a
        ``memory`` (m,) of its own, kept from step to step, also by :meth:`restore` and
        :meth:`reset`. Each is in the unit of its channel. It reads the scene at the beginning of
        the step. It is compiled by numba without fast mathematics, so the bits are those of the
        same arithmetic in Python between steps. None ends it; what it wrote last stays.

        Raises SpecError for a channel that is unknown or written twice, ModelError for a function
        that can't be compiled and the sparse solver. A step before which an output is not finite,
        or the law raises an error, is not taken: CommandError.
        """
        return self._driver.use_law(law, reads, writes, memory)

    def save(self) -> Snapshot:
        """Return a copy of state and controls, from which the run continues bit for bit."""
        return Snapshot(copy_record(self._state), copy_record(self._control))

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this scene.

        Raises CommandError, and changes nothing, for a snapshot of another scene. Only array sizes
        are compared: two scenes that differ in numbers alone are alike.
        """
        check_kind("restore", snapshot, Snapshot, "what save() returned", CommandError)
        now = (self._state, self._control)
        then = (snapshot.state, snapshot.control)
        pairs = [*zip(arrays_of(now), arrays_of(then), strict=True)]
        if any(array.shape != values.shape for array, values in pairs):
            raise CommandError(
                f"restore: the snapshot is of another scene than {self.scene.name!r}"
            )
        for array, values in pairs:
            array[...] = values
        self._driver.skip_events()
        self._hold_anew()

    def continue_from(self, other: "Simulator") -> None:
        """Continue where another simulator stands, whose scene has other free bodies.

        Poses, velocities and forces of what is in both stay to the last bit; what is new stands as
        at its start. The scenes may differ in bodies that no cable holds, and in joints on them.
        Both need the same step and stepper. Raises ModelError for scenes that differ otherwise.
        """
        self.restore(Snapshot(*carry_over(other._running, self._running)))
        self.report = other.report

    def shift_bodies(self, snapshot: Snapshot, bodies: Iterable[str]) -> None:
        """Bring bodies of a snapshot to where it keeps them: half a step ahead of velocities.

        Their poses and velocities have been written there as they are to be observed.
        """
        rows = [self.names.index("bodies", body) + 1 for body in bodies]
        ahead = copy_record(snapshot.state)
        shift_start(self._model, ahead, self._control, self._work, self.dt)
        for name in ("position", "orientation", "velocity"):
            getattr(snapshot.state.bodies, name)[rows] = getattr(ahead.bodies, name)[rows]

    def overlaps(self) -> list[Overlap]:
        """Return the overlaps of shapes that may touch, at the present pose."""
        return find_overlaps(self._running)

    def reset(self) -> None:
        """Go back to the start."""
        self.restore(self._start)
        self.report = Report(0, 0.0, 0)

    def truth(self) -> Truth:
        """Return the quantities that sensors measure, as :meth:`observe` last computed them.

        The arrays are the simulator's own and must not be written. A new copy at every call would
        cost more than all sensors do.
        """
        return self._running.truth()

    def pack_axes(self, crane: Crane, tick: float) -> Axes:
        """Return the arrays of the axes of a crane of this scene, for ticks of ``tick`` [s]."""
        return pack_axes(crane, self.names, self._model, self.dt, tick)

    def plant(self) -> Plant:
        """Return what a machine reads and commands; the arrays are the simulator's own.

        Raises CommandError where cables switch their models.
        """
        if self._switches:
            raise CommandError("a machine can't run a scene whose cables switch their models")
        self._shared = True
        return self._running.plant()

    def standing_points(self, body: str) -> int:
        """Return the number of a body's points that bore on surfaces in the last step."""
        self.names.index("bodies", body)
        return count_standing(self._state.pool, self.names, body)

    def _hold_anew(self) -> None:
        """Update the damping ratios for the present joints and cables."""
        self._running.intervene()
        times = self._losses.times(self._state)
        if times is not self._model.rows.damping_time:
            self._running.replace_model(replace_array(self._model, "rows.damping_time", times))
