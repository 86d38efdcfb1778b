"""What the node's log says while it starts."""

import threading
import warnings

import pytest
from messages import naming

from cable_sim.errors import CableSimWarning
from cable_sim.kernel_cache import KernelCache
from cable_sim.ros.node import start_report
from cable_sim.ros.node.start_report import StartReport


@pytest.fixture
def lines():
    return []


@pytest.fixture
def report(lines):
    """A report to a list of lines."""
    return StartReport(lines.append, lambda text: lines.append(f"WARN {text}"))


def test_the_first_missing_kernel_is_told_at_once(report, lines, tmp_path):
    cache = KernelCache(tmp_path / "cache" / "one")
    cache.save("there-1.nbc", b"data")
    cache.load("before-1.nbc", bytes)
    with report.told():
        cache.load("there-1.nbc", bytes)
        assert lines == []
        cache.load("step.run_world-1.nbc", bytes)
        (line,) = lines
        assert naming("compiling 0 s").search(line)
        cache.load("observe.read-1.nbc", bytes)
    cache.load("after-1.nbc", bytes)
    assert len(lines) == 1


def test_progress_is_told_until_the_end(report, lines, tmp_path, monkeypatch):
    monkeypatch.setattr(start_report, "PERIOD", 0.01)
    cache = KernelCache(tmp_path / "cache" / "one")
    with report.told():
        cache.load("step.run_world-1.nbc", bytes)
        (progress,) = (t for t in threading.enumerate() if t.name == "progress")
        while len(lines) < 3:
            assert progress.is_alive()
        report._begin -= 61.0
        until = len(lines) + 2
        while len(lines) < until:
            assert progress.is_alive()
        assert naming("compiling 61 s").search(lines[-1])
    progress.join(10.0)
    assert not progress.is_alive()


def test_a_cache_that_can_not_be_used_is_a_warning_of_the_log(report, lines, tmp_path):
    (tmp_path / "file").touch()
    with report.told():
        KernelCache(tmp_path / "file" / "one").save("twice", b"data")
        warnings.warn("the rope is slack", CableSimWarning, stacklevel=1)
    assert naming(f"WARN cache {tmp_path}/file/one").search(lines[0])
    assert lines[1] == "WARN the rope is slack"


def test_other_warnings_stay_with_python(report, lines):
    with pytest.warns(UserWarning, match="another"), report.told():
        warnings.warn("another", UserWarning, stacklevel=1)
    assert lines == []
