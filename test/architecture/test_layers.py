"""Who may import whom: the contracts in pyproject.toml, which say what docs/architecture.md
draws."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_floors_and_the_fenced_libraries():
    pytest.importorskip("importlinter", reason="import-linter is not installed (extra `test`)")
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
