"""A flood is thinned out: by a clock of the test's own, and with real callbacks."""

import time

import pytest

rclpy = pytest.importorskip("rclpy")

from rclpy.context import Context  # noqa: E402

from cable_sim.ros.throttled_executor import BURST, RATE, ThrottledExecutor, TokenBucket  # noqa: E402


class Clock:
    """Shows what it is set to."""

    now = 5.0

    def __call__(self):
        return self.now


def test_a_bucket_lets_a_burst_through_and_then_the_rate():
    clock = Clock()
    bucket = TokenBucket(10.0, 3.0, clock)
    assert [bucket.take() for _ in range(4)] == [0.0, 0.0, 0.0, pytest.approx(0.1)]
    clock.now += 0.1
    assert bucket.take() == pytest.approx(0.1)
    clock.now += 100.0  # no more than a burst is saved up
    assert [bucket.take() for _ in range(4)] == [0.0, 0.0, 0.0, pytest.approx(0.1)]


def test_who_does_not_wait_owes_one():
    bucket = TokenBucket(10.0, 3.0, Clock())
    assert max(bucket.take() for _ in range(1000)) == pytest.approx(0.1)


@pytest.fixture
def flooded():
    """Give an executor, throttled as the argument says, of a node that always has something to execute."""
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node("flooded", context=context)
    node.create_timer(1e-6, lambda: None)
    made = []

    def make(throttled):
        made.append(ThrottledExecutor(lambda: throttled, context=context))
        made[0].add_node(node)
        return made[0]

    yield make
    made[0].shutdown()
    node.destroy_node()
    rclpy.try_shutdown(context=context)


def test_callbacks_come_no_faster_than_the_rate(flooded):
    executor, number = flooded(True), round(BURST) + 300
    begin = time.monotonic()
    for _ in range(number):
        executor.spin_once(1.0)
    assert time.monotonic() - begin >= (number - BURST) / RATE


def test_nothing_waits_where_it_is_not_throttled(flooded, monkeypatch):
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    executor = flooded(False)
    executor._bucket.rate = 1e-3
    for _ in range(round(BURST) + 10):
        executor.spin_once(1.0)
    assert executor._bucket.take() > 100.0
    assert slept == []
