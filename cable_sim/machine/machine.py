"""The crane between operator and physics: axis commands, watchdog, brakes, one tick at a time."""

import functools
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from cable_sim.cranes.crane import Crane, Suspension
from cable_sim.errors import CommandError, ModelError, check_kind, unknown
from cable_sim.kernels.devices.actuation import TIMEOUT
from cable_sim.kernels.machine import HELD
from cable_sim.machine.actuation import Mode, Motion, Order, note_clamp
from cable_sim.machine.external_wrenches import ExternalWrenches
from cable_sim.machine.faults import ENABLE, ESTOP, Faults
from cable_sim.machine.pictures.frame import Frame
from cable_sim.machine.pictures.pictures import describe_machine, picture_machine
from cable_sim.machine.plc import Plc
from cable_sim.machine.pose_following import PoseCommand, PoseFollowers
from cable_sim.machine.readout import Readout
from cable_sim.machine.restart_lock import RestartLock
from cable_sim.machine.rigging.overloads import Overloads
from cable_sim.machine.rigging.rigging import Rigging
from cable_sim.machine.rigging.slack_ropes import SlackRopes
from cable_sim.machine.rigging.spreader import Spreader
from cable_sim.machine.rigging.wheels import Wheels
from cable_sim.machine.running import RunningMachine
from cable_sim.machine.snapshot import MachineSnapshot
from cable_sim.machine.states import AxisState, Sway, speed_and_direction
from cable_sim.machine.sway import measure_sway, measure_yaw
from cable_sim.machine.wind import History
from cable_sim.pictured import Filmed
from cable_sim.sim.observation import Array, Observation
from cable_sim.sim.simulator import Simulator
from cable_sim.sim.turns import in_turn
from cable_sim.spec.wind import Wind

T = TypeVar("T")
ACTING = ("tripped", "latched", "invalid")
"""States in which a limiter forbids a motion."""


@in_turn("command", "follow", "emergency_stop", "enable", "rig", "reset_latches", "frame")
@in_turn("save", "restore", "reset", "retune", "go_on_as")
class Machine(Filmed):
    """A crane that takes commands and runs in ticks.

    A crane with sensors or limiters has a control, ``plc``, which runs once a tick after the
    physics. Its decisions apply from the next tick on.

    Parameters
    ----------
    crane: what to run.
    dt: physics step [s].
    substeps: physics steps per tick; commands are held over a tick.
    command_timeout: simulated time [s] without a command after which an axis ramps down and brakes.
    stepper: see :class:`~cable_sim.sim.simulator.Simulator`.
    wind: present winds, see :attr:`wind`; the crane's own when left out.

    Raises ModelError for ``substeps`` below 1 and a ``command_timeout`` below 0.
    """

    def __init__(
        self,
        crane: Crane,
        dt: float = 1e-3,
        substeps: int = 10,
        command_timeout: float = 0.5,
        stepper: str = "spook",
        wind: Wind | Sequence[Wind] | None = None,
    ) -> None:
        check_kind("crane", crane, Crane, "a Crane, such as load_crane(name)")
        wanted = ("substeps", substeps, 1), ("command_timeout", command_timeout, 0)
        for name, value, least in wanted:
            if not value >= least:  # NaN, too
                raise ModelError(f"{name}: must be {least} or more, not {value}")
        self.crane = crane
        self.simulator = Simulator(crane.scene, dt=dt, stepper=stepper)
        self.turns = self.simulator.turns
        self._safety = Plc(crane, self.simulator, dt * substeps)
        self.plc = self._safety if crane.sensors or crane.quantities or crane.limiters else None
        self.running = RunningMachine(
            crane, self.simulator, self._safety, substeps, command_timeout
        )
        self.motions = {axis.name: Motion(axis, self.simulator) for axis in crane.axes}
        self.wheels = Wheels(crane.wheels, self.simulator) if crane.wheels else None
        self.rigging = Rigging(crane, self.simulator)
        self.faults = Faults(self)
        self.pushes = ExternalWrenches(self.simulator, self.running.state)
        self.followers = PoseFollowers(self.simulator, crane.following)
        self.counts: Counter[str] = Counter()
        self.notices: deque[str] = deque(maxlen=20)
        self.restart = RestartLock(self.notices.append)
        self.slack_ropes = SlackRopes(self)
        self.overloads = Overloads(self)
        self.wind = crane.wind if wind is None else wind
        self._start()

    def __repr__(self) -> str:
        return describe_machine(self, self._seen)

    @property
    def substeps(self) -> int:
        """Physics steps per tick."""
        return self.running.settings.substeps.item(0)

    @substeps.setter
    def substeps(self, count: int) -> None:
        self.running.settings.substeps[0] = count

    @property
    def command_timeout(self) -> float:
        """Simulated time without a command after which an axis ramps down and brakes [s]."""
        return self.running.settings.times.item(TIMEOUT)

    @command_timeout.setter
    def command_timeout(self, seconds: float) -> None:
        self.running.settings.times[TIMEOUT] = seconds

    @property
    def tick_time(self) -> float:
        """Simulated time of one tick [s]."""
        return self.simulator.dt * self.substeps

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.simulator.time

    @property
    def wind(self) -> tuple[Wind, ...]:
        """Present winds, which add up. Set one, several, or none with ``()`` or None.

        Raises ConfigError, and changes nothing, for a file that can't be read.
        """
        return self._winds

    @wind.setter
    def wind(self, winds: Wind | Sequence[Wind] | None) -> None:
        given: Any = winds
        blowing = tuple(given) if isinstance(given, Sequence) else () if given is None else (given,)
        with self.turns.lock:
            self._history = History(blowing)
            self._winds = blowing
            self.running.blow(self._history.records)
            self._blow()

    @property
    def wind_now(self) -> Array:
        """Velocity (3,) of the air in the last tick [m/s], at the reference height."""
        return self.simulator.wind

    def reset(self) -> None:
        """Go back to the start: state, commands, emergency stop, faults, bypasses.

        The counters stay, and ropes have the models of the crane's file.
        """
        self.slack_ropes.adopt(frozenset())
        self._start()

    def _start(self) -> None:
        """Go back to the start with the present models of ropes."""
        self.simulator.reset()
        self.running.reset()
        self._safety.reset()
        self._blow()
        self.faults.reset()
        self.restart.reset()
        self.followers.reset()
        self._limits = self.plc.limits if self.plc else {}
        self._look()

    def follow(self, command: PoseCommand) -> None:
        """Have a body follow poses, of which this is the next; a jump counts as clamped.

        Raises CommandError, and changes nothing, for other bodies, and where it is no pose or late.
        """
        if self.followers.take(command):
            self.counts["clamped"] += 1
            self.notices.append(f"{command.body!r}: the pose jumps; approached at bounded rates")

    def command(self, axis: str, value: float, mode: Mode = "speed", brake: bool = False) -> bool:
        """Command an axis to a speed, position or effort, in its sense and SI units, or by a lever.

        A lever is -1 to 1. Returns True if the value was beyond the axis' limit and was clamped,
        which is counted and noted. Raises CommandError, and changes nothing, for an unknown axis or
        mode or a value that is not finite.
        """
        if axis not in self.motions:
            raise self._reject(unknown("axis", axis, self.motions))
        refusal = self.motions[axis].refusal(mode, value)
        if refusal:
            raise self._reject(f"axis {axis!r}: {refusal}")
        if self.restart.ignores(axis, Order(mode, value, brake), self.stopped):
            return False
        allowed = self.motions[axis].clamp(mode, value)
        self.running.order(axis, Order(mode, allowed, brake, self.time))
        if allowed == value:
            return False
        self.counts["clamped"] += 1
        note_clamp(self.notices, f"axis {axis!r}: {mode} ", f"{value:g} clamped to {allowed:g}")
        return True

    @property
    def orders(self) -> dict[str, Order]:
        """Last commands by axis."""
        return self.running.orders

    @property
    def stopped(self) -> bool:
        """Return True if the emergency stop is engaged."""
        return self.running.emergency is not None

    @property
    def enabled(self) -> bool:
        """Return True if the operator holds the dead-man control."""
        return bool(self.running.state.requests[HELD])

    def emergency_stop(self, engaged: bool, category: Literal[0, 1] = 0) -> None:
        """Engage the stop, so that commands are ignored, or release it; see ``RestartLock``.

        In category 0 of IEC 60204 every brake closes at once; in category 1 axes ramp to rest
        first. An engaged stop can get stricter, but not milder. Raises CommandError for another
        category.
        """
        if category not in (0, 1):
            raise self._reject(f"emergency stop: category {category!r} unknown; known are 0, 1")
        if engaged and ESTOP in self.faults.bypassed:
            return
        if engaged and not self.stopped:
            self.restart.lock(self.motions)
        if engaged != self.stopped:
            self.notices.append(f"emergency stop {'engaged' if engaged else 'released'}")
        before = category if self.running.emergency is None else self.running.emergency
        self.running.emergency = min(category, before) if engaged else None
        self.running.forget_orders()

    def enable(self, held: bool) -> None:
        """Set the operator's dead-man control.

        Once it is released, all axes stop by category 1 and wait for new commands.
        """
        if held == self.enabled or (not held and ENABLE in self.faults.bypassed):
            return
        if not held:
            self.notices.append("dead-man control released")
        self.running.forget_orders()
        self.running.state.requests[HELD] = held

    @property
    def spreader(self) -> Spreader | None:
        """Spreader with twistlocks that turn; None for a crane without one."""
        return self.rigging.spreader

    def twistlocks(self, locked: bool) -> None:
        """Turn the spreader's twistlocks.

        The spreader has to be landed: see :class:`~cable_sim.machine.rigging.spreader.Spreader`.
        Raises CommandError with the reason when the interlock forbids it.
        """
        done = "locked" if locked else "unlocked"
        self.rig(lambda: self.rigging.turn(locked, self._seen), f"twistlocks {done}")

    def hook_on(self) -> None:
        """Hook all slings on; raise CommandError when the hook is too far from the load."""
        self.rig(lambda: self.rigging.hook_on(self._seen), "slings hooked on")

    def unhook(self) -> None:
        """Take all slings off the hook; raise CommandError above 5 % of the load on them."""
        self.rig(lambda: self.rigging.unhook(self._seen), "slings unhooked")

    def let_go(self) -> tuple[str, ...]:
        """Release all loads at once, without an interlock.

        Returns the names of the slings and joints that held them. Raises CommandError where nothing
        holds a load.
        """
        return self.rig(lambda: self.rigging.let_go(self._seen), "load released")

    @property
    def stop_category(self) -> int | None:
        """Strictest stop that emergency stop, dead-man control and limiters request, or None."""
        return self.running.stop_category

    @property
    def readings(self) -> dict[str, float]:
        """Values that the crane's control reads and computes, by name, in SI units; NaN if invalid.

        Nothing is valid before the first tick. A spreader's switches read 1 or 0.
        """
        return (self.plc.readings if self.plc else {}) | self.rigging.readings(self._seen)

    @property
    def limits(self) -> dict[str, str]:
        """States by name: of limiters, ``estop``, the dead-man ``enable``, and ``overloads``."""
        acts = {ESTOP: self.stopped, ENABLE: not self.enabled}
        own = {name: "tripped" if act else "ok" for name, act in acts.items()}
        if self.restart.waiting and not self.stopped:
            own[ESTOP] = "latched"
        own |= dict.fromkeys(own.keys() & self.faults.bypassed, "bypassed")
        return (self.plc.limits if self.plc else {}) | own | self.overloads.limits

    def reset_latches(self) -> None:
        """Reset latched limiters and the emergency stop; stopped axes wait for new commands."""
        self.restart.reset()
        if self.plc:
            self.plc.reset_latches()
            self._note_limits(self.plc)
            if self.plc.stop is not None:  # it ends with the next look, at which no limiter changes
                self.running.forget_orders()

    def save(self) -> MachineSnapshot:
        """Return a copy of all that determines the future."""
        return MachineSnapshot(
            self.simulator.save(),
            self.running.save(),
            self._safety.save(),
            self.faults.save(),
            self._winds,
            self.slack_ropes.slack,
            self.restart.waiting,
        )

    def restore(self, snapshot: MachineSnapshot) -> Observation:
        """Go back to a snapshot of this machine and observe; counters and notices stay, and bodies
        that follow poses wait for new ones."""
        if self._winds != snapshot.winds:
            self.wind = snapshot.winds
        self.slack_ropes.adopt(snapshot.slack)
        self.simulator.restore(snapshot.simulator)
        self.running.restore(snapshot.machine)
        self._refuse_modes()
        self._safety.restore(snapshot.plc)
        self.faults.restore(snapshot.faults)
        self.restart.waiting = snapshot.waiting
        self.followers.reset()
        self._limits = self.plc.limits if self.plc else {}
        return self._look()

    def tick(self, count: int = 1) -> Observation:
        """Advance one tick, or several with the same commands, and observe; only the page's thread
        may while a page runs the machine: CommandError."""
        together = count if self.plain else 1
        for _ in range(0, count, together):
            self.prepare()
            self.conclude(self.running.tick(together))
        return self._seen

    def prepare(self) -> None:
        """Do what comes before a tick: change models of ropes, turn wheels, begin and end faults.

        Then compiled code may take it, see :attr:`running`; of a machine of which :attr:`plain` is
        true several in a row.
        """
        self.turns.check()
        self.slack_ropes.look()
        if self.wheels:
            blocked = self.wheels.look()
            self.running.settings.blocked[:] = [axis.drive in blocked for axis in self.crane.axes]
        self.faults.update()
        self.followers.look(self.time, self.tick_time)
        self.simulator.freshen()

    @property
    def plain(self) -> bool:
        """Return True if nothing has to be done between two ticks.

        Wheels that turn, bodies that follow poses, ropes that change their models, and faults that
        begin or end need :meth:`prepare`, and a recording is emptied after each tick.
        """
        waiting = self.faults.waiting or self.simulator.recorded or self.slack_ropes
        return not (self.wheels or self.followers or waiting)

    def conclude(self, flags: int) -> Observation:
        """Observe after ticks that compiled code has taken, whose steps had these status flags.

        Counts and notes what happened. Raises StepError as :meth:`tick` does.
        """
        stale, changed = self.running.news()
        if stale:
            self.counts["stale"] += stale
        self._seen = self.simulator.stepped(flags)
        self.overloads.tell(flags, self._seen)
        if changed and self.plc:
            self._note_limits(self.plc)
        return self._seen

    @functools.cached_property
    def readout(self) -> Readout:
        """Reader of the true state of axes, sway, load and pull."""
        return Readout(self.crane, self.simulator, self.motions)

    @property
    def seen(self) -> Observation:
        """Newest observation: of the last tick, restore, reset or work on slings."""
        return self._seen

    def observe(self) -> Observation:
        """Observe without advancing."""
        return self.simulator.observe()

    def retune(self, crane: Crane) -> None:
        """Continue as a crane that differs only in limits of drives, errors of sensors, and wind.

        A command that its axis does not accept any more is forgotten. The present winds stay until
        :attr:`wind` is set. Raises SpecError, and changes nothing, when a sensor's delay differs.
        """
        crane = self.slack_ropes.as_present(crane)
        self._safety.retune(crane)
        if crane.scene is not self.crane.scene:
            self.simulator.retune(crane.scene)
        self.running.retune(crane)
        for axis in crane.axes:
            self.motions[axis.name].axis = axis
        self._refuse_modes()
        self.crane = crane

    def go_on_as(self, crane: Crane, anew: bool = False) -> None:
        """Continue as a crane whose ropes have other models, as it stands or ``anew`` at its start.

        Commands, faults, readers and recordings go on; CommandError for a rope that can't change.
        """
        self.simulator.go_on_in(crane.scene, anew)
        self.crane = crane
        self._safety.retune(crane)
        self.running.retune(crane)
        self.faults.renew()
        self._look()

    def timed_out(self, axis: str) -> bool:
        """Return True if the axis has had no command for longer than the timeout."""
        return self.orders[axis].time < self.time - self.command_timeout

    def axis_state(self, observation: Observation, name: str) -> AxisState:
        """Return coordinate, speed and effort of an axis."""
        return self.motions[self.crane.axis(name).name].state(observation)

    def sway(self, observation: Observation, suspension: Suspension | None = None) -> Sway | None:
        """Return the sway of a suspension's hook below its trolley; None if nothing hangs on falls.

        The first suspension is the default.
        """
        hung = suspension or self.crane.suspension
        return measure_sway(hung, observation.body) if hung else None

    def hook_yaw(
        self, observation: Observation, suspension: Suspension | None = None
    ) -> float | None:
        """Return the angle of the hook block from the trolley about the vertical [rad], with turns.

        It is anticlockwise from above, and None where nothing hangs on falls. The first suspension
        is the default.
        """
        hung = suspension or self.crane.suspension
        return measure_yaw(hung, self.crane.falls(hung), observation) if hung else None

    def frame(self, observation: Observation) -> Frame:
        """Return the observation as a frame for viewers."""
        return picture_machine(self, observation)

    def _blow(self) -> None:
        """Set the wind of the tick, by default that of the scene."""
        wind = self._history(self.time) if self._winds else self.simulator.scene.air.wind
        self.simulator.set_wind(wind)
        self._safety.set_wind(*speed_and_direction(wind))

    def _look(self) -> Observation:
        """Return the simulator's observation, and keep it for commands."""
        self._seen = self.simulator.observe()
        self.overloads.take(self._seen)
        return self._seen

    def _refuse_modes(self) -> None:
        """Forget commands in modes that their axes do not take."""
        for name, order in self.orders.items():
            if order.mode not in self.motions[name].axis.modes:
                self.running.order(name, Order())

    def rig(self, act: Callable[[], T], done: str) -> T:
        """Return an action's result on the rigging, and note it; a refusal is counted."""
        try:
            result = act()
        except CommandError as error:
            raise self._reject(str(error)) from None
        self.notices.append(done)
        self._look()
        return result

    def _note_limits(self, plc: Plc) -> None:
        """Note the limiters that began or ended to act."""
        before = self._limits
        self._limits = plc.limits
        for name, state in self._limits.items():
            if (state in ACTING) != (before[name] in ACTING) or state == "invalid" != before[name]:
                self.notices.append(f"limiter {name!r}: {state}")

    def _reject(self, message: str) -> CommandError:
        """Count and note a refused command; return the error for the caller to raise."""
        self.counts["rejected"] += 1
        self.notices.append(message)
        return CommandError(message)
