"""A terminal is told of compiling that takes long, and nobody of what comes from the cache."""

import io
import time
from types import SimpleNamespace

import pytest

from cable_sim.sim import compiling


class Terminal(io.StringIO):
    """Standard error, on a terminal or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.fixture
def compile_for(monkeypatch):
    """Compile for so many seconds, from the cache or not, and return what was told."""
    monkeypatch.setattr(compiling, "QUIET_TIME", 0.02)
    monkeypatch.setattr(compiling, "PERIOD", 0.02)

    def run(seconds: float, cached: bool, terminal: bool = True, fails: bool = False) -> str:
        kernel = SimpleNamespace(stats=SimpleNamespace(cache_misses={}))

        def work(kernel, *arguments):
            if not cached:
                kernel.stats.cache_misses["types"] = 1
            time.sleep(seconds)
            if fails:
                raise ValueError("types")
            return arguments

        told = Terminal(terminal)
        monkeypatch.setattr(compiling, "machine_code", work)
        monkeypatch.setattr(compiling.sys, "stderr", told)
        if fails:
            with pytest.raises(ValueError):
                compiling.compile_kernel(kernel, 1, 2)
        else:
            assert compiling.compile_kernel(kernel, 1, 2) == (1, 2)
        return told.getvalue()

    return run


@pytest.mark.parametrize("fails", [False, True])
def test_terminal_shows_the_time_and_forgets_it(compile_for, fails):
    told = compile_for(0.3, cached=False, fails=fails)
    assert told.count("\rcable_sim: compiling for this machine, once") >= 2
    assert told.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    "seconds, cached, terminal", [(0.1, True, True), (0.0, False, True), (0.1, False, False)]
)
def test_nothing_is_told_without_need(compile_for, seconds, cached, terminal):
    assert compile_for(seconds, cached, terminal) == ""
