"""What a thread that has to be in time gets, and gives back."""

import gc
import os
import sys
import threading

import pytest

from cable_sim.punctual import GIVES_WAY, PRIORITY, first_in_line, punctual

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="no priorities on this system")


def policy(thread=0):
    return os.sched_getscheduler(thread), os.sched_getparam(thread).sched_priority


def has_real_time():
    before = first_in_line()
    if before is None:
        return False
    os.sched_setscheduler(0, *before)
    return True


def test_everything_is_as_before_in_the_end():
    ended = threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    before, granted = (policy(), policy(other.native_id), sys.getswitchinterval(), gc.isenabled()), has_real_time()
    try:
        with pytest.raises(RuntimeError), punctual(other.native_id):
            assert not gc.isenabled() and sys.getswitchinterval() == pytest.approx(GIVES_WAY)
            if granted:
                assert policy() == (os.SCHED_FIFO, PRIORITY)
                assert policy(other.native_id) == (os.SCHED_FIFO, PRIORITY - 1)
            raise RuntimeError
        assert (policy(), policy(other.native_id), sys.getswitchinterval(), gc.isenabled()) == before
    finally:
        ended.set()
        other.join()


def test_without_the_right_to_priority_nothing_happens(monkeypatch):
    def refuse(*_):
        raise PermissionError

    before = policy()
    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    assert first_in_line() is None
    with punctual():
        assert policy() == before
