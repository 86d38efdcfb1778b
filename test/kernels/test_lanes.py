"""The kernels run as plain Python, and with every index checked: the same tests in interpreters of
their own.

``NUMBA_DISABLE_JIT=1`` is what coverage and debuggers need. ``NUMBA_BOUNDSCHECK=1`` finds what
compiled code otherwise reads and writes beside its arrays without a word.
"""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cable_sim.kernels import jit

ROOT = Path(__file__).resolve().parents[2]
SELECTED = (
    "factor or repeated or ((hinge or cable or contacts) and (0 or tangential)) or (ropes and call)"
)
TESTS = [
    "test/kernels/test_solver.py",
    "test/kernels/test_jacobians.py",
    "test/kernels/test_chain.py",
    "test/kernels/test_lumped.py",
    "test/kernels/test_tutorial_rope.py",
]
ANOTHER = """
import numba
numba.__version__ = "0.1.0"
from cable_sim.kernels import jit
from cable_sim.kernels.cables.friction.node_law import friction_ratio
print(jit.KNOWN, friction_ratio(0.5, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
"""
RUN = """
import hashlib
from cable_sim import Simulator, load_scene
from cable_sim.kernels import jit
from cable_sim.kernels.records.arrays import arrays_of
simulator, digest = Simulator(load_scene("tower_crane")), hashlib.sha256()
simulator.command("hoist", -0.3)
for _ in range(100):
    simulator.step(10)
    digest.update(b"".join(array.tobytes() for array in arrays_of(simulator.save().state)))
print(jit.KNOWN, digest.hexdigest())
"""
LANES = {"plain": "NUMBA_DISABLE_JIT", "checked": "NUMBA_BOUNDSCHECK"}
PROBE = """
import types
import numpy as np
from cable_sim.kernels import jit
from cable_sim.kernels.multibody import entries
print("plain" if isinstance(entries.entry_rate, types.FunctionType) else "compiled")
try:
    entries.entry_rate(np.zeros((1, 6)), np.zeros((1, 6)), 1, 0)
    print("unchecked")
except IndexError:
    print("checked")
print(jit.cache_directory())
"""
CRANE = """
from cable_sim import Simulator, load_scene
simulator = Simulator(load_scene("tower_crane"))
simulator.command("hoist", -0.3)
assert simulator.step({}).status == 0
assert simulator.observe().steps == {}
"""


def run(lane: str, *arguments: str) -> str:
    """What Python prints in a lane; fails with all it said if it does not end well."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment = clean | ({LANES[lane]: "1"} if lane in LANES else {})
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=3500,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_lanes_are_what_they_say() -> None:
    """Plain functions in the one; in the other an index error where the usual lane reads on; no
    cache is shared."""
    usual, plain, checked = (
        run(lane, "-c", PROBE).split() for lane in ("usual", "plain", "checked")
    )
    assert usual[:2] == ["compiled", "unchecked"]
    assert plain[:2] == ["plain", "checked"]
    assert checked[:2] == ["compiled", "checked"]
    assert checked[2] != usual[2]


def test_no_kernel_counts_from_the_end_of_an_array() -> None:
    """Where indices are checked: elsewhere one below zero reads on before the array."""
    said = run("checked", "-c", PROBE.replace("1, 0)", "-1, 0)"))
    assert said.split()[:2] == ["compiled", "checked"]


@pytest.mark.timeout(3600)  # it compiles what has changed, beside whatever else runs
@pytest.mark.parametrize("lane", ["plain", pytest.param("checked", marks=pytest.mark.slow)])
def test_kernel_tests_pass(lane: str) -> None:
    said = run(lane, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", SELECTED, *TESTS)
    assert int(re.findall(r"(\d+) passed", said)[-1]) >= 10


def test_a_crane_runs_in_plain_python() -> None:
    run("plain", "-c", CRANE.format(200, 200))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_crane_runs_with_checked_indices() -> None:
    """Compiles everything anew when the kernels have changed: most of a minute."""
    run("checked", "-c", CRANE.format(2000, 2000))


def test_a_numba_that_is_not_known_compiles_in_its_own_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CABLE_SIM_CACHE", str(tmp_path))
    known, ratio = run("usual", "-c", ANOTHER).split()
    assert known == "False"
    assert float(ratio) == pytest.approx(math.tanh(0.125 * math.pi))


def test_a_numba_that_is_not_known_is_told_once_in_a_sentence() -> None:
    said = run("usual", "-W", "error", "-c", "import cable_sim.kernels.jit")
    assert said == ""
    other = "import numba; numba.__version__ = '0.1.0'; import cable_sim.kernels.jit"
    result = subprocess.run(
        [sys.executable, "-c", other], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0
    assert (
        len(re.findall(r"CableSimWarning: [^.]* numba 0.1.0: only 0.68 [^.]*\n", result.stderr))
        == 1
    )


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_crane_runs_the_same_in_a_numba_that_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiles every kernel by itself, with numba's own classes; the same bits come out."""
    known, usual = run("usual", "-c", RUN).split()
    monkeypatch.setenv("CABLE_SIM_CACHE", str(tmp_path))
    other, bits = run("usual", "-c", "import numba; numba.__version__ = '0.1.0'" + RUN).split()
    assert (known, other) == ("True", "False")
    assert bits == usual


def test_an_inner_kernel_is_compiled_only_when_python_calls_it() -> None:
    called = jit.kernel(half)
    outer = jit.kernel(lambda x: called(called(x)))
    assert outer(2.0) == 0.5
    assert len(called.overloads) == 0
    assert called(2.0) == 1.0
    assert len(called.overloads) == 1


def test_an_entry_bypasses_dispatch_only_with_one_signature() -> None:
    for other in ((), (1,)):
        made = jit.kernel(half)
        for value in other:
            made(value)  # for whole numbers, too
        straight = jit.entry(made)
        assert [straight(x) for x in (1.0, 3.0, 5.0)] == [0.5, 1.5, 2.5]
    assert straight(2) == 1.0


def half(x: float) -> float:
    """A kernel that numba knows only here."""
    return 0.5 * x
