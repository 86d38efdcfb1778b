"""What fills the cache of compiled kernels, with kernels that are compiled already."""

from pathlib import Path

import pytest

from cable_sim.cranes import load_crane
from cable_sim.kernel_cache import KernelCache
from cable_sim.kernels import step
from cable_sim.kernels.machine import run_ticks
from cable_sim.kernels.multibody.balance import restart
from cable_sim.kernels.observe import observe_world
from cable_sim.sim import precompile
from cable_sim.sim.simulator import Simulator


def test_reading_a_crane_compiles_the_right_types_without_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second process has nothing else to tell them from, and what it compiles for others nobody
    would use."""
    crane = load_crane(precompile.CRANE)
    simulator = Simulator(crane.scene)
    simulator.step()
    precompile.read(crane, simulator)
    kernels = observe_world, run_ticks, restart
    known = [list(kernel.signatures) for kernel in kernels]
    precompile.leave_out_step(monkeypatch.setattr)
    monkeypatch.setattr(step, "run_world", "nothing that can be compiled")
    precompile.read(crane, Simulator(crane.scene))
    assert [list(kernel.signatures) for kernel in kernels] == known
    assert all(known)


def test_a_second_process_that_fails_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precompile.sys, "executable", "false")
    monkeypatch.setattr(precompile, "cache_directory", lambda: tmp_path)
    with precompile.compile_beside():
        KernelCache(tmp_path / "empty").load("step.run_world-0.nbc", bytes.decode)
