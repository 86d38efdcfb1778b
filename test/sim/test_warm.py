"""What fills the cache of compiled kernels, with kernels that are compiled already."""

from pathlib import Path

import pytest

from cable_sim.cranes import load_crane
from cable_sim.kernels import step
from cable_sim.kernels.observe import observe
from cable_sim.kernels.supervision import supervise
from cable_sim.model import compile as packing
from cable_sim.sim import warm
from cable_sim.sim.simulator import Simulator


def test_what_reads_a_crane_is_compiled_for_the_right_types_without_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process has nothing else to tell them from, and what it compiles for others nobody would use."""
    crane = load_crane(warm.CRANE)
    simulator = Simulator(crane.scene)
    simulator.step()
    warm.read(crane, simulator)
    known = [list(kernel.signatures) for kernel in (observe, supervise)]
    monkeypatch.setattr(packing, "run", warm.stand_still)
    monkeypatch.setattr(step, "run", warm.stand_still)
    warm.read(crane, Simulator(crane.scene))
    assert [list(kernel.signatures) for kernel in (observe, supervise)] == known
    assert all(known)


def test_only_functions_are_taken_over_that_the_cache_has_not(tmp_path: Path) -> None:
    cache, folder = tmp_path, tmp_path / "kernels_1" / warm.READING
    names = {
        "kernels_1/observe.observe-9.py311.nbi", "kernels_1/observe.observe-9.py311.1.nbc",
        "kernels_1/observe.observe-9.py311.2.nbc", "cables_2/chain.run-3.py311.nbi", "cables_2/chain.run-3.py311.1.nbc",
        "cables_2/chain.run-31.py311.nbi", "cables_2/chain.run-31.py311.1.nbc",
    }  # fmt: skip
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("new")
    for name in ("cables_2/chain.run-3.py311.nbi", "cables_2/chain.run-3.py311.1.nbc"):
        (cache / name).parent.mkdir(exist_ok=True)
        (cache / name).write_text("old")
    warm.take_over(folder, cache)
    made = {str(path.relative_to(cache)): path.read_text() for path in cache.glob("*/*.nb?")}
    assert made == {name: "old" if "run-3." in name else "new" for name in names}


def test_a_second_process_that_fails_leaves_nothing_and_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm.sys, "executable", "false")
    with warm.reading_compiled(tmp_path, tmp_path / "kernels_1" / warm.READING):
        pass
    assert list(tmp_path.iterdir()) == []
