"""Operations on the machine by messages, services and parameters, except those on time.

Used by the physics thread only. Each method for a service returns whether it succeeded, and a
sentence.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError, describe_error
from cable_sim.machine.external_wrenches import Push
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import ACTING, Machine
from cable_sim.machine.spawning import Loads
from cable_sim.ros.basis.crane_parameters import winds
from cable_sim.ros.basis.parameters import Settings
from cable_sim.ros.command.command_barrier import Answer
from cable_sim.ros.command.commands import AxisSetpoint, StampedPose
from cable_sim.ros.command.trajectories import (
    Code,
    Outcome,
    Trajectory,
    TrajectoryError,
    TrajectoryFollower,
    brake_axes,
)
from cable_sim.ros.physics.timeline import Timeline
from cable_sim.ros.publish.publishers import Publishers
from cable_sim.spec.wind import Steady

T = TypeVar("T")
Command = AxisSetpoint | Fault | Steady | Push | StampedPose | Trajectory
"""What messages have the machine do."""


REST = 1e-3
"""Share of an axis' largest speed below which it rests [-]."""


class Operations:
    """Commands, switches of the crane's control, and operations on its load.

    Parameters
    ----------
    timeline: machine that is operated, and its ROS time.
    publishers: publishers that count refusals and send notices.
    loads: loads that were spawned.
    faults_enabled: whether faults are accepted.
    """

    def __init__(
        self, timeline: Timeline, publishers: Publishers, loads: Loads, faults_enabled: bool = True
    ) -> None:
        self.timeline = timeline
        self.publishers = publishers
        self._loads = loads
        self.faults_enabled = faults_enabled
        self.trajectories = TrajectoryFollower(timeline.machine_time)
        self.closed = ""
        """Reason why no commands are taken; empty if they are."""
        self._told = False

    @property
    def machine(self) -> Machine:
        """Machine that is operated."""
        return self.timeline.machine

    def apply(self, commands: Iterable[Command | Answer]) -> list[Answer]:
        """Apply a message's commands; refused and clamped ones are counted.

        Returns the answers among the commands, or none if a command was refused. Otherwise a
        controller in lockstep would go on although its command had no effect.
        """
        if self.closed:
            self.publishers.counts.add("rejected", "" if self._told else self.closed)
            self._told = True
            return []
        answers = []
        refused = False
        for command in commands:
            if isinstance(command, Answer):
                answers.append(command)
            else:
                refused |= not self._apply(command)
        self.note()
        return [] if refused else answers

    def close(self, reason: str) -> None:
        """Brake all axes, and take no commands until ``closed`` is empty again."""
        self.closed = reason
        self._told = False
        self.trajectories.end(Outcome(Code.INVALID_GOAL, f"trajectory: {reason}"))
        brake_axes([axis.name for axis in self.machine.crane.axes], self.machine)

    def moving(self) -> str:
        """Return the names of the axes that move."""
        state, seen = self.machine.axis_state, self.timeline.observation
        speeds = [(axis, state(seen, axis.name).velocity) for axis in self.machine.crane.axes]
        return ", ".join(a.name for a, speed in speeds if abs(speed) > REST * a.max_speed)

    def begin_trajectory(self, given: Trajectory) -> None:
        """Follow a trajectory; TrajectoryError if it can't be followed."""
        if self.closed:
            raise TrajectoryError(self.closed)
        self.trajectories.begin(given, self.machine)

    def follow_trajectory(self) -> None:
        """Apply the commands of the present trajectory for the coming tick."""
        try:
            self.trajectories.follow(self.machine)
        except Exception as error:  # of its client, such as a failing publisher; ticks go on
            self.trajectories.end(Outcome(Code.INVALID_GOAL, describe_error(error)))
            self.publishers.counts.add("failed", f"trajectory: {describe_error(error)}")
        self.note()

    def emergency_stop(self, engaged: bool) -> tuple[bool, str]:
        """Engage or release the emergency stop."""
        self.machine.emergency_stop(engaged)
        if self.machine.stopped != engaged:
            return False, "the emergency stop is bypassed by a fault"
        return self._confirm(f"emergency stop {'engaged' if engaged else 'released'}")

    def enable(self, held: bool) -> tuple[bool, str]:
        """Hold or release the operator's dead-man control."""
        self.machine.enable(held)
        if self.machine.enabled != held:
            return False, "the dead-man control is bypassed by a fault"
        return self._confirm(f"dead-man control {'held' if held else 'released'}")

    def reset_limiters(self) -> tuple[bool, str]:
        """Reset the latched limiters; the answer names those that are still active."""
        self.machine.reset_latches()
        acting = [
            f"{name} {state}" for name, state in self.machine.limits.items() if state in ACTING
        ]
        return self._confirm(f"limiters reset{', still ' if acting else ''}{', '.join(acting)}")

    def retune(self, settings: Settings, before: Settings, crane: Crane, plain: Crane) -> None:
        """Take changed parameters: ``crane`` has them applied, ``plain`` is as in its file."""
        self.machine.command_timeout = settings.command_timeout
        if crane != self.machine.crane:
            self.machine.retune(crane)
        if winds(plain, settings) != winds(plain, before):
            self.machine.wind = (*plain.wind, *winds(plain, settings, self.machine.time))
        self.faults_enabled = settings.faults_enabled
        if before.faults_enabled and not settings.faults_enabled:
            self.clear_faults()

    def clear_faults(self) -> tuple[bool, str]:
        """Clear all faults; the answer names those that can't be cleared."""
        self.machine.faults.clear()
        left = [fault.name for fault in self.machine.faults.active]
        return self._confirm(f"faults cleared{', still ' if left else ''}{', '.join(left)}")

    def release_load(self) -> tuple[bool, str]:
        """Release the load at once."""
        return self._try(self.machine.let_go, lambda held: f"{', '.join(held)} released")

    def twistlocks(self, locked: bool) -> tuple[bool, str]:
        """Turn the spreader's twistlocks, if the interlock permits."""
        done = f"twistlocks {'locked' if locked else 'unlocked'}"
        return self._try(lambda: self.machine.twistlocks(locked), lambda _: done)

    def slings(self, hooked: bool) -> tuple[bool, str]:
        """Hook the slings on, or take them off the hook."""
        act = self.machine.hook_on if hooked else self.machine.unhook
        return self._try(act, lambda _: f"slings {'hooked on' if hooked else 'unhooked'}")

    def attach(self, held: bool) -> tuple[bool, str]:
        """Attach the nearest spawned load to a hook, or let go of those that are attached."""
        if held:
            return self._try(
                lambda: self._loads.attach(self.machine), lambda load: f"{load} attached"
            )
        return self._try(
            lambda: self._loads.let_go(self.machine), lambda loads: f"{', '.join(loads)} released"
        )

    def note(self) -> None:
        """Pass the machine's notices on."""
        while self.machine.notices:
            self.publishers.counts.note(self.machine.notices.popleft())

    def _apply(self, command: Command) -> bool:
        """Apply one command; return True unless it was refused."""
        machine = self.machine
        try:
            if isinstance(command, AxisSetpoint):
                machine.command(command.axis, command.value, command.mode, command.brake)
            elif isinstance(command, Steady):
                machine.wind = command
            elif isinstance(command, Push):
                machine.pushes.give(command, machine.time)
            elif isinstance(command, Trajectory):
                self.begin_trajectory(command)
            elif isinstance(command, StampedPose):
                stamp = command.stamp
                time = self.timeline.machine_time(stamp) if stamp else machine.time
                machine.follow(command.pose._replace(time=time))
            else:
                self._inject(command)
        except CommandError as error:
            # the machine has counted and noted those of axes itself
            if not isinstance(command, AxisSetpoint):
                self.publishers.counts.add("rejected", str(error))
            return False
        return True

    def _inject(self, fault: Fault) -> None:
        """Inject a fault; CommandError where faults are disabled."""
        self.publishers.hurry()
        if not self.faults_enabled:
            raise CommandError(
                f"fault {fault.name}: the parameter 'faults.enabled' is false, so none is taken"
            )
        self.machine.faults.inject(fault)

    def _try(self, act: Callable[[], T], done: Callable[[T], str]) -> tuple[bool, str]:
        """Try an operation that the machine can refuse; ``done`` makes a sentence of its result."""
        try:
            result = act()
        except CommandError as error:
            self.note()
            return False, str(error)
        return self._confirm(done(result))

    def _confirm(self, what: str) -> tuple[bool, str]:
        """Return the answer to a successful operation, and publish the change soon."""
        self.note()
        self.publishers.hurry()
        return True, f"{what} at {self.timeline}"
