"""Signals that end a program by an event."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from cable_sim.cli.app import interrupt_event

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in NUMBERS}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def deliver(event: threading.Event, number: signal.Signals) -> bool:
    """Deliver a signal while the event's lock is held; return True if it is set later."""
    with event._cond:  # as within ``wait`` and ``set``
        os.kill(os.getpid(), number)
    return event.wait(60.0)


@pytest.mark.timeout(90)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_command_ends_while_its_event_is_locked(number: signal.Signals) -> None:
    assert deliver(interrupt_event(), number)


@pytest.mark.timeout(90)
@pytest.mark.parametrize("number", NUMBERS[:2])
def test_a_node_ends_while_its_event_is_locked(number: signal.Signals) -> None:
    pytest.importorskip("rclpy", reason="the node needs rclpy")
    from cable_sim.ros.node import simulator_node

    event = threading.Event()
    simulator_node._set_on_signals(event)
    assert deliver(event, number)
