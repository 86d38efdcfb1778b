"""The thread that owns the machine: it ticks on schedule, serves requests and publishes."""

import math
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError
from cable_sim.machine.machine import Machine
from cable_sim.machine.snapshot import MachineSnapshot
from cable_sim.machine.spawning import Loads
from cable_sim.priority import run_first
from cable_sim.ros.basis.clock_follower import Follower
from cable_sim.ros.basis.pacing import EveryWhile, Pacer
from cable_sim.ros.basis.parameters import Settings
from cable_sim.ros.command.command_barrier import Answer, Barrier
from cable_sim.ros.command.trajectories import Code, Outcome
from cable_sim.ros.interface import CLOCK
from cable_sim.ros.physics.operations import Command, Operations
from cable_sim.ros.physics.request_queue import RequestQueue
from cable_sim.ros.physics.timeline import Timeline
from cable_sim.ros.publish.publishers import Publishers
from cable_sim.sim.observation import Observation

JUMPED = Outcome(Code.PATH_TOLERANCE_VIOLATED, "trajectory: the crane was put elsewhere")
BEAT = 0.1
"""Wall time between two clock messages while no tick is taken [s]."""

INACTIVE = "the node is inactive; activate it by ~/change_state"
LONGEST_BRAKING = 4.0
"""Wall time for the ticks until the axes rest [s]: less than a service may take."""

LATECOMER_BEATS = 5
"""Number of beats for which the state is repeated after a new subscription.

It counts from a subscription in a pause, or since the last one. Discovery is not simultaneous at
both ends, and the other end may not yet listen to the first message.
"""


class PhysicsThread(threading.Thread):
    """Thread that runs the machine.

    No other thread touches the machine while this one runs. Others :meth:`post` requests, which
    this thread executes between two ticks. A request waits at most for the tick that is being
    computed.

    ``take_commands`` applies the commands that have come. It is called before a tick, and ten times
    a second while none is taken. In lockstep with commands it is not called: then another thread
    takes and posts them.
    """

    def __init__(
        self,
        machine: Machine,
        publishers: Publishers,
        settings: Settings,
        take_commands: Callable[[], None],
    ) -> None:
        super().__init__(name="physics", daemon=True)
        self._take_commands = take_commands
        self.timeline = Timeline(machine)
        self.publishers = publishers
        self.settings = settings
        self.barrier = Barrier(settings)
        self.pacer: Pacer | Follower = Pacer(machine.tick_time, settings.real_time_factor)
        if settings.follow_clock:
            self.pacer = Follower(
                machine.tick_time,
                lambda: self.timeline.now,
                self._shift,
                lambda: self.barrier.mode == "command",  # answers would belong to other states
            )
            self.pacer.start(settings.real_time_factor)
        self.loads = Loads(machine.crane)
        self.loads_changed: Callable[[Crane], None] = lambda _: None
        """Called with the crane, as it is with its loads, after one has come or gone."""
        self.operations = Operations(self.timeline, publishers, self.loads, settings.faults_enabled)
        self.priority = settings.realtime_priority
        self.operations.closed = INACTIVE if settings.managed else ""
        self.paused = settings.managed or _starts_paused(settings)
        self._requests = RequestQueue(
            lambda sentence: self.publishers.counts.add("failed", sentence)
        )
        self._stopping = self._stepping = False
        self._late = 0
        self._beats = EveryWhile(BEAT)
        self._saved: tuple[MachineSnapshot, str] | None = None
        self.publishers.stats.record_pace(self.pacer)

    @property
    def machine(self) -> Machine:
        """Machine that is run; another one after loads have come or gone."""
        return self.timeline.machine

    # From any thread

    def post(self, action: Callable[[], Any]) -> "Future[Any]":
        """Have the physics thread execute an action; the future has its result or exception."""
        return self._requests.post(action)

    def stop(self, timeout: float = 5.0) -> None:
        """End the thread after the present tick, and wait for its end."""
        self._stopping = True
        self.post(lambda: None)  # wakes it
        if self.is_alive():
            self.join(timeout)

    # Things to post; they run in the physics thread

    def apply_commands(self, commands: Iterable[Command | Answer]) -> bool:
        """Apply commands to the machine; in lockstep an answer among them lets time go on.

        Returns True unless a command was refused, or there is no answer among them.
        """
        answers = self.operations.apply(commands)
        for answer in answers:
            self._answer(answer)
        return bool(answers)

    def hear(self, clock: int) -> None:
        """Take the time of the followed clock [ns].

        It is ignored in a pause, which ends at the clock's time.
        """
        if isinstance(self.pacer, Follower) and not self.paused:
            self.pacer.take_clock(clock)

    def pause(self, paused: bool) -> tuple[bool, str]:
        """Stop or continue time; returns whether that was done, and a sentence."""
        halted = self.operations.closed or self.publishers.stats.halt
        if not paused and halted:
            return False, halted
        if self.barrier.mode == "service" and not paused:
            return False, "lockstep is 'service', so only ~/step advances time"
        self._set_paused(paused)
        return True, f"{'paused' if paused else 'running'} at {self.timeline}"

    def activate(self) -> tuple[bool, str]:
        """Obey commands, and let time run as at a start; returns True, and a sentence.

        Raises CommandError if the simulation has failed.
        """
        self.refuse_failed()
        self._apply()  # what came while inactive is refused
        self.operations.closed = ""
        self._set_paused(_starts_paused(self.settings))
        return True, f"active at {self.timeline}"

    def deactivate(self) -> tuple[bool, str]:
        """Refuse commands, brake the axes to rest, and stop time; returns True, and a sentence.

        The ticks until rest are taken as fast as they are computed. Where time stands already there
        are none, and the axes brake when it goes on.
        """
        ran = not self.paused
        self.operations.close(INACTIVE)
        self._set_paused(True)
        end = time.monotonic() + LONGEST_BRAKING
        while (
            ran
            and self.operations.moving()
            and not self.publishers.stats.halt
            and time.monotonic() < end
        ):
            self._advance()
            self._publish_due()
        self._publish_all()
        moving = self.operations.moving()
        return True, f"inactive at {self.timeline}{'; still moving: ' * bool(moving)}{moving}"

    def refuse_failed(self) -> None:
        """Raise CommandError if the simulation has failed and has to be reset first."""
        if self.publishers.stats.failure:
            raise CommandError(f"{self.publishers.stats.failure}; reset first")

    def step(
        self,
        ticks: int = 1,
        told: Callable[[int, int], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[bool, str]:
        """Advance ``ticks`` while paused, as fast as they are computed.

        Returns whether all were done, and a sentence.

        After each tick ``told`` is called with the numbers of ticks done and left, and posted
        requests are executed. ``cancelled`` returns True to end the steps early. Pausing, letting
        time run and a reset end them, too.
        """
        refusal = self._blocking_reason(ticks)
        if refusal:
            return False, refusal
        self._stepping = True
        try:
            for done in range(1, ticks + 1):
                self._apply()
                self._advance()
                if self.publishers.stats.failure:
                    return False, self.publishers.stats.failure
                if done < ticks:
                    self._publish_due()
                else:
                    self._publish_all(hurried=False)
                if told:
                    told(done, ticks - done)
                if done == ticks:
                    break
                self._requests.serve_waiting()
                if not self._stepping or self._stopping or (cancelled and cancelled()):
                    return False, f"ended after {done} of {ticks} ticks, at {self.timeline}"
        finally:
            self._stepping = False
        return True, f"advanced to {self.timeline}"

    def reset(self, rewind: bool = False) -> tuple[bool, str]:
        """Reset the machine to its start; returns success, and a sentence.

        ROS time goes on, a tick later than it was; with ``rewind`` it starts from 0 again.
        """
        self.machine.wind = self.machine.crane.wind
        self.machine.reset()
        self.machine.counts.clear()
        self.publishers.counts.start_again()
        self.publishers.stats.start_again()
        self.publishers.cable_states.start_again()
        self.pacer.missed = 0
        self._jump(rewind)
        return True, f"reset to the start; the clock continues at {self.timeline}"

    def rewind(self) -> None:
        """Restart ROS time from 0, and leave the state as it is."""
        self.timeline.move(0)
        self.barrier.forget()
        self._publish_all()

    def jump(self, change: Callable[[Machine], Observation]) -> None:
        """Replace the state by the result of ``change``, and publish it."""
        self.timeline.begin(self.machine, change(self.machine))
        self.operations.note()
        self._publish_all()

    def change_loads(self, change: Callable[..., Machine], *given: Any) -> None:
        """Continue as the machine that a method of ``loads`` returns; ROS time and topics go on.

        A snapshot of the one before is no use. Raises CommandError if it is not possible.
        """
        machine = change(self.machine, *given, self.settings.stepper)
        if machine is self.machine:
            return
        self.timeline.begin(machine, machine.observe())
        self._saved = None
        self.publishers.become(machine)
        self.loads_changed(machine.crane)
        self._publish_all()

    def save_snapshot(self) -> tuple[bool, str]:
        """Save the machine's complete state in place of the last snapshot.

        Returns success, and a sentence.
        """
        if self.publishers.stats.failure:
            return False, f"can't save: {self.publishers.stats.failure}"
        self._saved = self.machine.save(), str(self.timeline)
        return True, f"saved at {self.timeline}"

    def load_snapshot(self) -> tuple[bool, str]:
        """Restore the last snapshot, also after a failure; returns success, and a sentence.

        ROS time goes on, a tick later than it was.
        """
        if self._saved is None:
            return False, "there is no snapshot; save one first"
        snapshot, when = self._saved
        self.machine.restore(snapshot)
        self._jump()
        return (
            True,
            f"restored the state that was saved at {when}; the clock continues at {self.timeline}",
        )

    def apply(self, settings: Settings, crane: Crane, plain: Crane) -> None:
        """Take changed parameters: ``crane`` has them applied, ``plain`` is as in its file.

        Neither has loads.
        """
        crane = self.loads.with_loads(crane)
        before = self.settings
        self.settings = settings
        self.operations.retune(settings, before, crane, plain)
        self.publishers.set_rates(settings)
        if settings.real_time_factor != self.pacer.factor:
            self.pacer.start(settings.real_time_factor)
            self.publishers.stats.record_pace(self.pacer)
        self.barrier.set(settings)
        if not self.paused:
            self.publishers.stats.standing = ""
        if self.barrier.mode == "service" and not self.paused:
            self._set_paused(True)

    # The thread itself

    def run(self) -> None:
        """Tick until stopped, with the requested priority where the system grants it."""
        try:
            with run_first(self.priority) as refusal:
                if refusal:
                    self.publishers.logger.warning(refusal)
                self._tick_on()
        finally:
            self._requests.close()

    def _tick_on(self) -> None:
        """Tick until stopped."""
        self.publishers.stats.paused = self.paused
        self.publishers.stats.standing = self.operations.closed
        self._late = LATECOMER_BEATS
        self._publish_all()
        self.pacer.start()
        self._beats.restart()
        while True:
            self._requests.serve(self._due_time)
            if self._stopping:
                return
            self._apply()
            if self._next_tick() > time.monotonic():
                self._beat()
                continue
            self.publishers.stats.standing = ""
            self._advance()
            self._beats.restart()
            if not self.paused:
                self._publish_due()
                self.barrier.begin()

    def _apply(self) -> None:
        """Apply the commands received by now."""
        if self.barrier.mode != "command":
            self._take_commands()
        self.operations.follow_trajectory()

    def _due_time(self) -> float:
        """Return the time [s, monotonic] of the next tick, beat or report of a missing command."""
        if self._stopping:
            return -math.inf
        waiting = not (self.paused or self.barrier.is_open(self.timeline.now))
        due = min(self._beats.next, self._next_tick())
        return min(due, self.barrier.deadline) if waiting else due

    def _next_tick(self) -> float:
        """Return the earliest time of the next tick [s, monotonic].

        It is infinite in a pause or while a command is awaited.
        """
        if self.paused or not self.barrier.is_open(self.timeline.now):
            return math.inf
        return self.pacer.due

    def _blocking_reason(self, ticks: int) -> str:
        """Return the reason why no steps can be taken now; empty if they can."""
        if not self.paused:
            return "time is running; pause first"
        if self._stepping:
            return "other steps are being taken; wait for their end or cancel them"
        if ticks < 1:
            return f"{ticks} ticks can't be taken; it must be 1 or more"
        return self.operations.closed or self.publishers.stats.halt

    def _publish_all(self, hurried: bool = True) -> None:
        """Publish every state; ``hurried`` also the markers."""
        now = self.timeline
        self.publishers.publish(now.observation, now.now, hurried=hurried)

    def _publish_due(self) -> None:
        """Publish what is due with the present tick."""
        now = self.timeline
        self.publishers.publish(now.observation, now.now, now.ticks)

    def _advance(self) -> None:
        """Compute one tick; on failure stop time and report the reason.

        A broken state can't be continued.
        """
        begin = time.perf_counter()
        try:
            observation = self.machine.tick()
            if not np.isfinite(observation.body_position).all():
                raise FloatingPointError("a body's position is no longer a number")
        except Exception as error:  # whatever it is, it ends the run and not the node
            self.publishers.stats.failure = f"the simulation failed at {self.timeline}: {error}"
            self.publishers.logger.error(self.publishers.stats.failure)
            self._set_paused(True)
            return
        self.timeline.take(observation)
        self.operations.note()
        if not self.paused:
            self.pacer.note_tick()
        self.publishers.stats.record_tick(observation, time.perf_counter() - begin, self.pacer)

    def _beat(self) -> None:
        """Repeat the clock while no tick is taken, and the state for new subscribers."""
        self._beats.due()
        if not self.paused:
            self._wait()
        if self.publishers.has_new_subscriber():
            self._late = LATECOMER_BEATS
        if self._late > 0:
            self._late -= 1
            self._publish_all()
        else:
            self.publishers.repeat(self.timeline.observation, self.timeline.now)

    def _wait(self) -> None:
        """Report the clock or command that is awaited; pause when a command has timed out."""
        if not self.pacer.ready:
            self.publishers.stats.standing = f"waiting for {CLOCK.topic} to reach the next tick"
            self.barrier.begin()  # a command is late only once there could be a tick
            return
        if self.barrier.is_open(self.timeline.now):  # the wall clock is not there yet
            return
        awaited = f"a command stamped {self.timeline} or later"
        if time.monotonic() < self.barrier.deadline:
            self.publishers.stats.standing = f"waiting for {awaited}"
            self.publishers.ask_again(self.timeline.observation, self.timeline.now)
            return
        self._set_paused(True)
        self.publishers.stats.standing = (
            f"paused: {awaited} did not come within {self.barrier.timeout:g} s"
        )
        self.publishers.counts.add("lockstep_timeouts", self.publishers.stats.standing)
        self.barrier.forget()

    def _answer(self, answer: Answer) -> None:
        """Take a controller's answer to a state; time goes on if the state is the present one."""
        now = self.timeline.now
        waiting = not self.barrier.is_open(now)
        notice = self.barrier.answer(answer.stamp, now, answer.attached)
        if notice:
            self.publishers.counts.note(notice)
        if waiting and self.barrier.is_open(now):
            # subscribers that joined before this answer need no repeats
            if self.publishers.stats.standing or self._late:
                self.publishers.has_new_subscriber()
                self.publishers.stats.standing = ""
                self._late = 0
            self.pacer.note_wait()

    def _jump(self, rewind: bool = False) -> None:
        """Adjust ROS time after the machine's time has changed.

        It goes on a tick later, or starts again with ``rewind``. Earlier answers are forgotten.
        """
        later = self.timeline.now + round(self.machine.tick_time * 1e9)
        self.operations.trajectories.end(JUMPED)
        self._stepping = False
        self.publishers.stats.failure = ""
        self.publishers.stats.standing = self.operations.closed
        self.timeline.begin(self.machine, self.machine.observe())
        self.timeline.move(0 if rewind else later)
        self.pacer.start()
        self.barrier.forget()
        self.publishers.hurry()
        self._publish_all()

    def _set_paused(self, paused: bool) -> None:
        """Stop or continue time, and publish the change at once."""
        self.paused = self.publishers.stats.paused = paused
        self._stepping = False
        self.publishers.stats.standing = self.operations.closed
        self.pacer.start()
        self.barrier.begin()
        self.publishers.hurry()
        if paused:
            self._publish_all()

    def _shift(self, nanoseconds: int) -> None:
        """Shift the ROS time of the present state.

        In lockstep the state is published again, so that its controller gets the new stamp.
        """
        self.timeline.move(self.timeline.now + nanoseconds)
        self.barrier.forget()
        if self.barrier.mode == "command":
            self._publish_all()


def _starts_paused(settings: Settings) -> bool:
    """Return True if time stands at the start, until a service lets it go on."""
    return settings.start_paused or settings.lockstep == "service"
