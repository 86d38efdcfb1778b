"""Requests of other threads: done in order, answered whatever becomes of them, and never a reason
to stand still."""

import threading
import time

import pytest

from cable_sim.errors import CableSimError
from cable_sim.ros.physics.request_queue import RequestQueue

PATIENCE = 120.0


@pytest.fixture
def failures():
    return []


@pytest.fixture
def inbox(failures):
    return RequestQueue(failures.append)


def test_requests_are_served_in_order_with_result_or_exception(inbox, failures):
    done = []
    first, second = inbox.post(lambda: done.append(1) or "one"), inbox.post(lambda: 1 // 0)
    third = inbox.post(lambda: done.append(3))
    assert not first.done()
    inbox.serve_waiting()
    assert done == [1, 3] and first.result(0) == "one" and third.result(0) is None
    with pytest.raises(ZeroDivisionError):
        second.result(0)
    assert len(failures) == 1 and "ZeroDivisionError" in failures[0]


def test_what_is_posted_meanwhile_has_to_wait_for_the_next_time(inbox):
    later = []
    inbox.post(lambda: later.append(inbox.post(lambda: "later")))
    inbox.serve_waiting()
    assert not later[0].done()
    inbox.serve_waiting()
    assert later[0].result(0) == "later"


def test_a_request_that_serves_others_does_not_wait_for_them(inbox):
    """As many ticks do, between which others are served: what they have done is not waited for once
    more."""
    inbox.post(inbox.serve_waiting)
    rest = [inbox.post(lambda n=n: n) for n in range(3)]
    thread = threading.Thread(target=inbox.serve_waiting, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive() and [future.result(0) for future in rest] == [0, 1, 2]


def test_serving_ends_in_time_and_a_request_can_move_the_end(inbox):
    flood, end = threading.Event(), [time.monotonic() + 0.05]

    def post():
        while not flood.is_set():
            inbox.post(lambda: None)

    thread = threading.Thread(target=post, daemon=True)
    thread.start()
    inbox.serve(lambda: end[0])
    flood.set()
    thread.join(PATIENCE)
    assert time.monotonic() >= end[0]
    late = end[0] = time.monotonic() + PATIENCE
    inbox.post(lambda: end.__setitem__(0, 0.0))
    inbox.serve(lambda: end[0])
    assert time.monotonic() < late


def test_the_shortest_wait_after_a_request_ends_by_itself(inbox):
    """Before Python 3.13 one of SimpleQueue may become negative on its way, which has no end."""

    def serve():
        for _ in range(30_000):
            inbox.post(lambda: None)
            ends = iter([time.monotonic() + 3e-6])
            inbox.serve(lambda ends=ends: next(ends, 0.0))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_who_asks_an_inbox_that_is_closed_is_told_so_at_once(inbox, failures):
    early = inbox.post(lambda: "done")
    inbox.close()
    for future in (early, inbox.post(lambda: "done")):
        with pytest.raises(CableSimError, match="ended"):
            future.result(0)
    assert failures == []
