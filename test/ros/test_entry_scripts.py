"""Entry scripts, which find the Python that has what the package needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from slow_cases import slow_but

from cable_sim.ros.launch.interpreter import NEEDED, users_interpreter

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(
    path
    for path in (ROOT / "scripts").glob("cable*")
    if "run_entry" in path.read_text(encoding="utf-8")
)


def run(script, *words, flags=(), path=(ROOT,), **environment):
    """The finished process of an entry script by a Python that knows the checkout."""
    return subprocess.run(
        [sys.executable, *flags, str(script), *words],
        capture_output=True,
        text=True,
        timeout=60.0,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), **environment},
    )


def stand_in(path, text):
    """A program in place of another one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


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
    assert "scripts/cable_sim_setup" in text


@pytest.mark.parametrize("script", [path.name for path in SCRIPTS])
def test_the_recorded_interpreter_takes_over(script, installed):
    other = stand_in(installed / "other python", 'echo "$@"')
    (installed / "interpreter.txt").write_text(f"{other}\n")
    done = run(installed / script, "one", "two words")
    assert done.stdout == f"{installed / script} one two words\n", done.stderr


@pytest.mark.parametrize(
    "record", slow_but(["/nowhere/bin/python"], [None, "/nowhere/bin/python", sys.executable])
)
def test_without_another_interpreter_the_present_one_runs(record, installed):
    if record:
        (installed / "interpreter.txt").write_text(f"{record}\n")
    done = run(installed / "cable-sim", "ropes")
    assert done.returncode == 0 and "MBF" in done.stdout


def test_missing_packages_are_told_in_a_sentence(installed):
    done = run(installed / "cable_sim_node", flags=["-S"], XDG_DATA_HOME=str(installed))
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert " lacks numba 0.67, pydantic 2, typer 0.15; " in done.stderr
    assert "ros2 run cable_sim cable_sim_setup" in done.stderr


def test_packages_that_are_too_old_are_missing(installed):
    old = installed / "pydantic-1.10.14.dist-info"
    old.mkdir()
    (old / "METADATA").write_text("Metadata-Version: 2.1\nName: pydantic\nVersion: 1.10.14\n")
    path = (installed, ROOT)
    done = run(installed / "cable-sim", "ropes", path=path, XDG_DATA_HOME=str(installed))
    assert done.returncode == 2 and " lacks pydantic 2; " in done.stderr


def test_oldest_versions_are_those_of_the_package():
    wanted = (ROOT / "setup.py").read_text(encoding="utf-8")
    for name, least in NEEDED.items():
        assert f'"{name}>={least}' in wanted


@pytest.mark.parametrize("flags, status", [(["-S"], 7), ([], 0)])
def test_the_users_python_takes_over_where_something_is_missing(flags, status, installed):
    stand_in(installed / "cable_sim/python/bin/python", "exit 7")
    (installed / "interpreter.txt").write_text(f"{sys.executable}\n")
    done = run(installed / "cable-sim", "ropes", flags=flags, XDG_DATA_HOME=str(installed))
    assert done.returncode == status


def test_a_users_python_that_lacks_something_ends_with_that(installed):
    own = installed / "cable_sim/python/bin/python"
    stand_in(own, f'exec -a {own} {sys.executable} -S "$@"')
    own.write_text(own.read_text().replace("/bin/sh", "/bin/bash"))
    (installed / "interpreter.txt").write_text(f"{sys.executable}\n")
    done = run(installed / "cable-sim", flags=["-S"], XDG_DATA_HOME=str(installed))
    assert done.returncode == 2 and f"{own} lacks numba" in done.stderr


def test_setup_makes_the_environment_that_is_looked_for(installed, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(installed / "data"))
    home = installed / "data" / "cable_sim" / "python"
    tell = f'echo "$0 $@" >>{installed}/calls'
    make = f"for name in python pip; do ln -s {installed}/told {home}/bin/$name; done"
    stand_in(installed / "told", tell)
    system = stand_in(installed / "system", f"{tell}; mkdir -p {home}/bin; {make}")
    script = installed / "lib" / "cable_sim" / "cable_sim_setup"
    script.parent.mkdir(parents=True)
    script.symlink_to(ROOT / "scripts" / script.name)
    done = subprocess.run([script], env={**os.environ, "PYTHON": str(system)}, check=True)
    assert done.returncode == 0 and users_interpreter() == f"{home}/bin/python"
    calls = (installed / "calls").read_text().splitlines()
    assert calls[0] == f"{system} -m venv --clear --system-site-packages {home}"
    listed = "share/cable_sim/requirements/beside_ros.txt"
    assert calls[-2].startswith(f"{home}/bin/pip install ") and calls[-2].endswith(listed)
    assert calls[-1] == f"{home}/bin/python -m cable_sim.sim.precompile crane"
    assert listed.split("/", 2)[-1] in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")


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
