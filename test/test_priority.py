"""Real-time priority and memory in place: taken and given back, or refused with a reason."""

import os
import pathlib
import threading

import pytest
from messages import naming

from cable_sim.priority import MOST, memory_in_place, run_first

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_setscheduler"), reason="no priorities on this system"
)


def test_nothing_is_asked_for_with_0():
    with run_first(0) as refusal:
        assert refusal == "" and os.sched_getscheduler(0) == os.SCHED_OTHER


def test_it_is_given_back_or_refused_in_words():
    with run_first(7) as refusal:
        if "priority" in refusal:  # or memory alone is refused
            assert "priority 7" in refusal and os.sched_getscheduler(0) == os.SCHED_OTHER
        else:
            assert (os.sched_getscheduler(0), os.sched_getparam(0).sched_priority) == (
                os.SCHED_FIFO,
                7,
            )
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_threads_that_it_waits_for_come_right_behind_it():
    ended = threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    try:
        with pytest.raises(KeyError), run_first(7, other.native_id) as refusal:
            policy = (
                os.sched_getscheduler(other.native_id),
                os.sched_getparam(other.native_id).sched_priority,
            )
            assert policy == ((os.SCHED_OTHER, 0) if "priority" in refusal else (os.SCHED_FIFO, 6))
            raise KeyError
        assert os.sched_getscheduler(other.native_id) == os.SCHED_OTHER
    finally:
        ended.set()
        other.join()


def held() -> int:
    """Memory of this process that stays in place [kB]."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmLck"))


@pytest.mark.skipif(not pathlib.Path("/proc/self/status").exists(), reason="no /proc to look into")
def test_memory_is_held_in_place_meanwhile_or_refused_in_words():
    with memory_in_place() as refusal:
        assert held() > 1000 if not refusal else "ulimit -l" in refusal
    assert held() == 0


def test_one_that_there_is_not_is_refused_and_all_goes_on():
    with run_first(MOST + 1) as refusal:
        assert "priority 100" in refusal and os.sched_getscheduler(0) == os.SCHED_OTHER


def test_where_this_thread_is_refused_its_helpers_are_as_before(monkeypatch):
    """As with a limit that lies between what the two ask for; and a helper that has ended hinders
    nobody."""
    policies = {0: (os.SCHED_OTHER, 0), 11: (os.SCHED_OTHER, 0)}

    def known(thread):
        if thread not in policies:
            raise ProcessLookupError(thread)
        return policies[thread]

    def put(thread, policy, parameters):
        if parameters.sched_priority > 6:
            raise PermissionError("no more than 6")
        policies[thread] = policy, parameters.sched_priority

    monkeypatch.setattr(os, "sched_getscheduler", lambda thread: known(thread)[0])
    monkeypatch.setattr(os, "sched_getparam", lambda thread: os.sched_param(known(thread)[1]))
    monkeypatch.setattr(os, "sched_setscheduler", put)
    with run_first(7, 11, 99) as refusal:
        assert naming("6").search(refusal) and policies == dict.fromkeys(
            (0, 11), (os.SCHED_OTHER, 0)
        )
    with run_first(6, 11, 99) as refusal:
        assert "priority" not in refusal and policies == {
            0: (os.SCHED_FIFO, 6),
            11: (os.SCHED_FIFO, 5),
        }
    assert policies == dict.fromkeys((0, 11), (os.SCHED_OTHER, 0))
