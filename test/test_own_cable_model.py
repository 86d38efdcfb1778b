"""The cable model of the tutorial, compiled: what the page does in plain Python it does in machine
code as well."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from docs_blocks import ROOT, blocks_of, expect
from docs_reader import Reader, surroundings

PAGE = ROOT / "docs" / "tutorials" / "own_cable_model.md"


@pytest.mark.slow
@pytest.mark.timeout(1200)  # it compiles all kernels
def test_the_model_compiles_and_keeps_its_closed_forms(tmp_path: Path) -> None:
    blocks = blocks_of(PAGE)
    (shown,) = [
        block
        for block in blocks
        if block.text.startswith("$ NUMBA_DISABLE_JIT=1 python fibre_check.py")
    ]
    with surroundings(tmp_path) as checkout:
        reader = Reader(checkout)
        for block in blocks:
            if block.file or block.language == "diff":
                reader.follow(block)
        environment = os.environ | {"CABLE_SIM_CACHE": str(tmp_path / "cache")}
        for words in (["-m", "cable_sim.sim.precompile"], ["fibre_check.py"]):
            done = subprocess.run(
                [sys.executable, *words],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=1100,
                check=False,
            )
            assert done.returncode == 0, done.stdout
    expect(shown.text.partition("\n")[2], done.stdout, shown)
