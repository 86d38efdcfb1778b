"""Entry scripts, which find the Python that has what the package needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(
    path
    for path in (ROOT / "scripts").glob("cable*")
    if "run_entry" in path.read_text(encoding="utf-8")
)


def run(script, *words, flags=()):
    """The finished process of an entry script by a Python that knows the checkout."""
    return subprocess.run(
        [sys.executable, *flags, str(script), *words],
        capture_output=True,
        text=True,
        timeout=60.0,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.fixture
def installed(tmp_path):
    """A folder with the entry scripts, as installed."""
    for script in SCRIPTS:
        (tmp_path / script.name).symlink_to(script)
    return tmp_path


def test_every_entry_script_is_installed():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert len(SCRIPTS) == 4
    for script in SCRIPTS:
        assert f"scripts/{script.name}" in text and os.access(script, os.X_OK)


@pytest.mark.parametrize("script", [path.name for path in SCRIPTS])
def test_the_recorded_interpreter_takes_over(script, installed):
    other = installed / "other python"
    other.write_text('#!/bin/sh\necho "$@"\n')
    other.chmod(0o755)
    (installed / "interpreter.txt").write_text(f"{other}\n")
    done = run(installed / script, "one", "two words")
    assert done.stdout == f"{installed / script} one two words\n", done.stderr


@pytest.mark.parametrize("record", [None, "/nowhere/bin/python", sys.executable])
def test_without_another_interpreter_the_present_one_runs(record, installed):
    if record:
        (installed / "interpreter.txt").write_text(f"{record}\n")
    done = run(installed / "cable-sim", "ropes")
    assert done.returncode == 0 and "MBF" in done.stdout


def test_missing_packages_are_told_in_a_sentence(installed):
    done = run(installed / "cable_sim_node", flags=["-S"])
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert " lacks numpy, scipy, numba, pydantic" in done.stderr
    assert "docs/howto/workspace.md" in done.stderr


SLOW = """
import os, signal, sys, time
from pathlib import Path

def twice():
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)

if {early}:
    twice()

def main():
    try:
        twice()
        time.sleep(60.0)
    except KeyboardInterrupt:
        time.sleep(0.01)
        print("ended well", flush=True)
        sys.exit(5)
    finally:
        twice()
"""


@pytest.mark.parametrize("early, status, said", [(True, 0, ""), (False, 5, "ended well\n")])
def test_ctrl_c_is_one_interrupt_and_no_traceback(early, status, said, installed):
    """Launch sends one more, and a module may still be importing, or Python be ending."""
    (installed / "slow.py").write_text(SLOW.format(early=early))
    script = installed / "script"
    script.write_text(SCRIPTS[0].read_text().replace("cable_sim.cli", "slow"))
    done = run(script)
    assert (done.returncode, done.stdout, done.stderr) == (status, said, "")
