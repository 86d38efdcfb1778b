"""How the tests are divided between two processes: by groups, under their own names."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLOCKED = "import os\ndef test_it(): open(os.environ['SEEN'], 'a').write(f'{os.getpid()}\\n')\n"
FAILING = "def test_bad(): assert False\ndef test_good(): pass\n"


def divided(folder: Path, *words: str) -> str:
    """What pytest says of the tests below a folder, in two processes."""
    together = ("-n", "2", "--dist", "loadscope", "--no-loadscope-reorder", "-q", "-rf")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *together, *words],
        cwd=folder,
        env={**os.environ, "SEEN": str(folder / "seen"), "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout


def test_groups_share_a_process_and_failed_tests_run_again_alone(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    tests = tmp_path / "test"
    (tests / "ros").mkdir(parents=True)
    shutil.copy(ROOT / "test" / "conftest.py", tests)
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["test"]\n')
    for name in ("ros/test_one", "ros/test_two", "test_cli"):
        (tests / f"{name}.py").write_text(CLOCKED)
    (tests / "test_other.py").write_text(FAILING)
    told = divided(tmp_path)
    assert "FAILED test/test_other.py::test_bad - " in told and "1 failed, 4 passed" in told
    clocked = (tmp_path / "seen").read_text().split()
    assert len(clocked) == 3 and len(set(clocked)) == 1, "what goes by the clock is one group"
    assert "1 failed in" in divided(tmp_path, "--lf")
