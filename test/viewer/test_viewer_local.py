"""The local source keeps time, obeys, and survives a machine that fails."""

import time
from collections import deque
from types import SimpleNamespace

import pytest

from cable_sim.errors import CommandError
from cable_sim.kernel_cache import KernelCache
from cable_sim.sim.turns import Turns
from cable_sim.viewer.local import BACKLOG, LocalSource


class FakeMachine:
    """Counts ticks of 10 ms; refuses an unknown axis and fails when told to."""

    def __init__(self, frame) -> None:
        self._frame, self.time, self.tick_time = frame, 0.0, 0.01
        self.simulator = SimpleNamespace(turns=Turns())
        self.notices: deque[str] = deque(["hello"])
        self.commands: list[tuple] = []
        self.stopped: list[bool] = []
        self.failing = False
        self.slow = 0.0

    def tick(self) -> None:
        if self.failing:
            raise FloatingPointError("not finite")
        time.sleep(self.slow)
        self.time += self.tick_time

    def observe(self) -> float:
        return self.time

    def frame(self, observation):
        return self._frame(time=observation)

    def command(self, axis: str, speed: float) -> None:
        if axis == "nonsense":
            raise CommandError("axis 'nonsense' is not known")
        self.commands.append((axis, speed))

    def emergency_stop(self, engaged: bool) -> None:
        self.stopped.append(engaged)

    def reset(self) -> None:
        self.time = 0.0


def fail():
    """A machine that can not be made."""
    raise CommandError("no such rope")


@pytest.fixture
def machine(frame_of):
    return FakeMachine(frame_of)


@pytest.fixture
def make(machine):
    made = []

    def start(**options) -> LocalSource:
        made.append(LocalSource(machine, **options))
        return made[-1]

    yield start
    for source in made:
        source.close()


def wait_for(condition, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.005)


def test_runs_at_the_speed_of_the_clock(make, machine):
    """It gets on, and never ahead of the clock by more than what it may have had to catch up."""
    source = make()
    wait_for(lambda: source.latest() is not None)
    began, start = time.monotonic(), machine.time
    wait_for(lambda: machine.time > start + 0.5)
    assert machine.time - start < time.monotonic() - began + 2.0 * (BACKLOG + machine.tick_time)
    assert source.latest().messages == ("hello",)


def test_a_start_tells_of_kernels_and_keeps_requests(machine, tmp_path):
    """The page is there before the machine, and may stop it already."""
    source = LocalSource()
    source.emergency_stop(True)
    assert source.latest() is None and source.progress == ""
    told = []

    def make():
        cache = KernelCache(tmp_path / "cache" / "one")
        for name in ("step.run_world-1.nbc", "observe.read-1.nbc"):
            cache.load(name, bytes)
            told.append(source.progress)
        return machine

    source.start(make)
    try:
        assert told == ["compiling for this machine, once, for a minute or two: 0 s"] * 2
        wait_for(lambda: machine.stopped == [True] and source.latest() is not None)
        assert source.progress == ""
    finally:
        source.close()


def test_a_start_that_fails_has_nothing_to_close():
    source = LocalSource()
    with pytest.raises(CommandError, match="rope"):
        source.start(fail)
    source.close()


def test_runs_faster_than_the_clock_when_asked(make, machine):
    make(speed=30.0)
    began, start = time.monotonic(), machine.time
    wait_for(lambda: machine.time > start + 15.0)
    assert (
        machine.time - start
        < 30.0 * (time.monotonic() - began + 2.0 * BACKLOG) + 2.0 * machine.tick_time
    )


def test_pause_step_and_reset(make, machine):
    source = make(paused=True)
    wait_for(lambda: source.latest() is not None)
    assert source.latest().paused and machine.time == 0.0
    source.step()
    wait_for(lambda: machine.time == pytest.approx(0.01))
    source.pause(False)
    wait_for(lambda: machine.time > 0.05)
    source.step()
    source.pause(True)
    source.reset()
    wait_for(lambda: machine.time == 0.0 and source.latest().time == 0.0)


def test_slow_machine_does_not_shut_out_commands(make, machine):
    machine.slow = 0.1
    source = make()
    wait_for(lambda: machine.time > 0.0)
    source.command("trolley", 0.5)
    wait_for(lambda: machine.commands == [("trolley", 0.5)])
    wait_for(lambda: source.latest() is not None and 0.0 < source.latest().real_time_factor < 0.2)


def test_refusal_becomes_a_message(make, machine):
    source = make()
    source.command("nonsense", 1.0)
    source.emergency_stop(True)
    wait_for(lambda: source.latest() is not None and len(source.latest().messages) == 2)
    assert "known" in source.latest().messages[-1] and not source.latest().paused
    assert machine.stopped == [True]


def test_what_the_machine_notes_itself_is_said_once(make, machine):
    def refuse(axis, speed):
        machine.notices.append("trolley: no")
        raise CommandError("trolley: no")

    machine.command = refuse
    source = make()
    source.command("trolley", 1.0)
    source.emergency_stop(True)
    wait_for(lambda: machine.stopped == [True] and source.latest().time > 0.05)
    assert source.latest().messages == ("hello", "trolley: no")


def test_failure_stops_the_clock_and_is_said(make, machine):
    source = make()
    machine.failing = True
    wait_for(lambda: source.latest() is not None and source.latest().paused)
    wait_for(lambda: "finite" in source.latest().condition)
    machine.failing = False
    source.pause(False)
    wait_for(lambda: not source.latest().paused and source.latest().condition == "")
