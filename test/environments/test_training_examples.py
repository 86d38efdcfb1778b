"""What shows how to train runs: the page, and the example without PyTorch."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("gymnasium", reason="needs the extra `rl`")
pytest.importorskip("cma", reason="needs the extra `rl`")
from cable_sim.environments import ENVIRONMENTS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reinforcement_learning.md"


def test_the_page_runs_and_knows_the_environments(capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile("\n".join(blocks), str(PAGE), "exec"), {})
    assert re.search(r"(True|False) [\d.]+ m from the target", capsys.readouterr().out)
    assert all(f"| `{name}` |" in text for name in ENVIRONMENTS)


@pytest.mark.slow
def test_evolution_runs_and_saves_what_it_found(tmp_path: Path) -> None:
    """One small generation: enough to see it run, too little to learn."""
    few = ["--generations", "1", "--population", "4", "--episodes", "1", "--test", "1"]
    script = ROOT / "examples" / "rl" / "train_cma.py"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    }
    command = [
        sys.executable,
        str(script),
        *few,
        "--env",
        "cable_sim/GantryCrane-v0",
        "--out",
        str(tmp_path),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=240, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    means = [
        float(number)
        for number in re.findall(r"generation .* mean return +(-?[\d.]+)", done.stdout)
    ]
    assert len(means) == 1
    saved = json.loads((tmp_path / "cma_gains.json").read_text())
    assert saved["env"] in ENVIRONMENTS and len(saved["gains"]) == 6
    assert (tmp_path / "cma_return.png").read_bytes().startswith(b"\x89PNG")
