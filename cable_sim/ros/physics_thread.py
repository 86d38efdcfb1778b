"""The thread that owns the machine: ticks on schedule, carries out what others ask for, publishes."""

import queue
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

import numpy as np

from cable_sim.errors import CommandError
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import ACTING, Machine
from cable_sim.priority import first_in_line
from cable_sim.ros.commands import Wish
from cable_sim.ros.pacing import Pacer
from cable_sim.ros.parameters import Settings
from cable_sim.ros.publishers import Publishers
from cable_sim.spec.wind import Steady

PAUSED_BEAT = 0.1
"""Wall time between two clock messages while time stands still [s]."""

LATECOMER_BEATS = 5
"""For so many beats after somebody subscribed during a pause the state is sent again: discovery is not
simultaneous at both ends, and the first message may find the other end not yet listening."""


class PhysicsThread(threading.Thread):
    """Runs the machine.

    Nobody else touches the machine while this runs: others :meth:`post` what they want done, and it is done
    here, between two ticks. A request waits at most for the tick that is being computed.

    ROS time is ``origin`` plus the machine's own. A reset starts the machine's time anew and moves the
    origin, so that ROS time never runs backwards, which TF buffers and timers take badly.
    """

    def __init__(self, machine: Machine, publishers: Publishers, settings: Settings) -> None:
        super().__init__(name="physics", daemon=True)
        self.machine, self.publishers = machine, publishers
        self.pacer = Pacer(machine.tick_time, settings.real_time_factor)
        self._priority = settings.realtime_priority
        self.paused = settings.start_paused
        self.observation = machine.observe()
        self.origin = 0
        self._inbox: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self._stopping = False
        self._listeners = self._late = 0

    # From any thread

    def post(self, action: Callable[[], Any]) -> "Future[Any]":
        """Have something done by the physics thread; the future has its result or exception."""
        future: Future[Any] = Future()
        self._inbox.put((action, future))
        return future

    def stop(self, timeout: float = 5.0) -> None:
        """End the thread after the present tick, and wait for that."""
        self.post(self._stop)
        if self.is_alive():
            self.join(timeout)

    # Things to post; they run in the physics thread

    def carry_out(self, wishes: Iterable[Wish | Fault | Steady]) -> None:
        """Command the machine; what it refuses or cuts down is counted."""
        for wish in wishes:
            if isinstance(wish, Steady):
                self.machine.wind = wish
            elif isinstance(wish, Fault):
                self._inject(wish)
            else:
                self._command(wish)
        self._note()

    def pause(self, paused: bool) -> tuple[bool, str]:
        """Stop or continue time; whether that was done, and a sentence."""
        if self.publishers.stats.failure and not paused:
            return False, f"can't go on: {self.publishers.stats.failure}; reset first"
        self._set_paused(paused)
        return True, f"{'paused' if paused else 'running'} at {self._seconds()}"

    def step(self) -> tuple[bool, str]:
        """Advance one tick while paused."""
        if not self.paused:
            return False, "time is running; pause first"
        if self.publishers.stats.failure:
            return False, f"can't go on: {self.publishers.stats.failure}; reset first"
        self._advance()
        if self.publishers.stats.failure:
            return False, self.publishers.stats.failure
        self.publishers.publish_all(self.observation, self._nanoseconds())
        return True, f"advanced to {self._seconds()}"

    def reset(self) -> tuple[bool, str]:
        """Back to the start; ROS time goes on, a tick later than it was."""
        before = self._nanoseconds()
        self.machine.wind = self.machine.crane.wind
        self.machine.reset()
        self.machine.counts.clear()
        self.publishers.counts.of.clear()
        self.publishers.stats.start_again()
        self.publishers.cable_states.start_again()
        self.observation = self.machine.observe()
        self.origin += before - self._nanoseconds() + round(self.machine.tick_time * 1e9)
        self.pacer.missed = 0
        self.pacer.start()
        self.publishers.hurry()
        self.publishers.publish_all(self.observation, self._nanoseconds())
        return True, f"back at the start; the clock goes on at {self._seconds()}"

    def emergency_stop(self, engaged: bool) -> tuple[bool, str]:
        """Engage or release."""
        self.machine.emergency_stop(engaged)
        return self._done(f"emergency stop {'engaged' if engaged else 'released'}")

    def enable(self, held: bool) -> tuple[bool, str]:
        """Hold or let go of the operator's dead-man control."""
        self.machine.enable(held)
        return self._done(f"enabling control {'held' if held else 'released'}")

    def reset_limiters(self) -> tuple[bool, str]:
        """Let go of the limiters that are latched; the answer names those that go on acting."""
        self.machine.reset_latches()
        acting = [f"{name} {state}" for name, state in self.machine.limits.items() if state in ACTING]
        return self._done(f"limiters reset{', still ' if acting else ''}{', '.join(acting)}")

    def clear_faults(self) -> tuple[bool, str]:
        """Take all faults away; the answer names what can't be mended."""
        self.machine.faults.clear()
        left = [fault.name for fault in self.machine.faults.active]
        return self._done(f"faults cleared{', still ' if left else ''}{', '.join(left)}")

    def apply(self, settings: Settings) -> None:
        """Take changed parameters."""
        self.machine.command_timeout = settings.command_timeout
        self.publishers.set_rates(settings)
        if settings.real_time_factor != self.pacer.factor:
            self.pacer.start(settings.real_time_factor)

    # The thread itself

    def run(self) -> None:
        """Tick until stopped, with the priority that was asked for where the system gives it."""
        with first_in_line(self._priority) as refusal:
            if refusal:
                self.publishers.logger.warning(refusal)
            self._tick_on()

    def _tick_on(self) -> None:
        """Tick until stopped."""
        self.publishers.stats.paused = self.paused
        self.publishers.publish_all(self.observation, self._nanoseconds())
        self.pacer.start()
        while not self._stopping:
            self._serve()
            if self._stopping:
                return
            if self.paused:
                self._beat()
                continue
            self._advance()
            if not self.paused:
                self.publishers.publish(self.observation, self._nanoseconds(), self.publishers.stats.ticks)

    def _serve(self) -> None:
        """Do what was asked for, and go on doing so until the next tick or beat is due."""
        beat = time.monotonic() + PAUSED_BEAT
        # no more than are there now: a flood must not keep the tick waiting
        for _ in range(self._inbox.qsize()):
            self._do(*self._inbox.get())
        while not self._stopping:
            wait = (beat if self.paused else self.pacer.due) - time.monotonic()
            if wait <= 0.0:
                return
            try:
                self._do(*self._inbox.get(timeout=wait))
            except queue.Empty:
                return

    def _do(self, action: Callable[[], Any], future: "Future[Any]") -> None:
        """Carry out one request."""
        try:
            future.set_result(action())
        except Exception as error:  # the asker gets it; the thread has to live
            future.set_exception(error)
            self.publishers.counts.add("failed", f"{type(error).__name__}: {error}")

    def _advance(self) -> None:
        """Compute one tick; if that fails stop time and say why: nobody can go on from a broken state."""
        begin = time.perf_counter()
        try:
            observation = self.machine.tick()
            if not np.isfinite(observation.body_position).all():
                raise FloatingPointError("a body's position is no longer a number")
        except Exception as error:  # whatever it is, it ends the run and not the node
            self.publishers.stats.failure = f"the simulation failed at {self._seconds()}: {error}"
            self.publishers.logger.error(self.publishers.stats.failure)
            self._set_paused(True)
            return
        self.observation = observation
        self._note()
        self.pacer.ticked()
        duration = time.perf_counter() - begin
        self.publishers.stats.ticked(observation, self.machine.tick_time, duration, self.pacer.missed)

    def _beat(self) -> None:
        """While time stands still: repeat the clock, and the state for whoever has come since."""
        listeners = self.publishers.listeners()
        if listeners > self._listeners:
            self._late = LATECOMER_BEATS
        self._listeners = listeners
        if self._late > 0:
            self._late -= 1
            self.publishers.publish_all(self.observation, self._nanoseconds())
        else:
            self.publishers.tell_time(self.observation)

    def _command(self, wish: Wish) -> None:
        """Command an axis."""
        try:
            self.machine.command(wish.axis, wish.value, wish.mode, wish.brake)
        except CommandError:
            pass  # counted and noted by the machine

    def _inject(self, fault: Fault) -> None:
        """Have a fault come."""
        try:
            self.machine.faults.inject(fault)
        except CommandError as error:
            self.publishers.counts.add("rejected", str(error))
        self.publishers.hurry()

    def _note(self) -> None:
        """Pass on what the machine has noted."""
        while self.machine.notices:
            self.publishers.counts.note(self.machine.notices.popleft())

    def _done(self, what: str) -> tuple[bool, str]:
        """The answer of a service that worked, which is news for all."""
        self._note()
        self.publishers.hurry()
        return True, f"{what} at {self._seconds()}"

    def _set_paused(self, paused: bool) -> None:
        """Stop or continue time, and tell at once."""
        self.paused = self.publishers.stats.paused = paused
        self._listeners, self._late = self.publishers.listeners(), 0
        self.pacer.start()
        self.publishers.hurry()
        if paused:
            self.publishers.publish_all(self.observation, self._nanoseconds())

    def _nanoseconds(self) -> int:
        """ROS time of the present state."""
        # from the count of steps, because the sum of a million steps of 1 ms is not quite 1000 s
        return self.origin + round(self.observation.steps * self.machine.simulator.dt * 1e9)

    def _seconds(self) -> str:
        """ROS time of the present state, for a person."""
        return f"{self._nanoseconds() * 1e-9:.3f} s"

    def _stop(self) -> None:
        """Leave the loop."""
        self._stopping = True
