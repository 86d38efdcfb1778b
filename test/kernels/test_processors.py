"""Kernels for all processors of a kind give the bits of those for this very processor.

A product that is fused with a sum, or a sum in another order, would differ in the last bit.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite.binding import get_host_cpu_features

from cable_sim.kernels.jit import PROCESSORS, shipped_processor

ROOT = Path(__file__).resolve().parents[2]
SUMS = """
import hashlib
import math
import numpy as np
from cable_sim.kernels.jit import kernel

@kernel
def sums(x, y, out):
    total = 0.0
    for i in range(x.size):
        out[i] = x[i] * y[i] + math.sin(x[i]) * math.exp(-y[i]) - x[i] / y[i]
        total += x[i] * x[i]
        total += math.sqrt(y[i]) * out[i]
    return total

rng = np.random.default_rng(1)
x, y, out = rng.uniform(-1.0, 1.0, 1000), rng.uniform(0.1, 1.0, 1000), np.empty(1000)
print(hashlib.sha256(np.append(out, sums(x, y, out)).tobytes() + out.tobytes()).hexdigest())
"""
CRANE = """
import hashlib
from cable_sim import Simulator, load_scene
from cable_sim.kernels.records.arrays import arrays_of

simulator, digest = Simulator(load_scene("tower_crane")), hashlib.sha256()
simulator.command("hoist", -0.3)
for _ in range(100):
    simulator.step(10)
    digest.update(b"".join(array.tobytes() for array in arrays_of(simulator.save().state)))
print(digest.hexdigest())
"""


def said(program: str, folder: Path, processor: str) -> str:
    """What a program prints whose kernels are compiled for a processor; empty for this one."""
    path = folder / "program.py"
    path.write_text(program)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    chosen = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""} if processor else {}
    done = subprocess.run(
        [sys.executable, path],
        env=clean | chosen | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "program",
    [pytest.param(SUMS, id="sums"), pytest.param(CRANE, id="crane", marks=pytest.mark.slow)],
)
def test_all_processors_give_the_same_bits(program: str, tmp_path: Path) -> None:
    best = shipped_processor(get_host_cpu_features().flatten())
    names = list(PROCESSORS)
    able = names[names.index(best) :] if best else []
    if not able:
        pytest.skip("no kernels are shipped for this processor")
    native = said(program, tmp_path, "")
    assert [said(program, tmp_path, name) for name in able] == [native] * len(able)
