"""What runs cranes needs no package of an extra, and what needs one says how to install it."""

import os
import subprocess
import sys

import pytest
from messages import naming

EXTRAS = (
    "matplotlib viser gymnasium cma distributed dask pyarrow osqp pymodbus rosbags mcap trimesh "
    "coacd rclpy fmpy pythonfmu pythonfmu3 asyncua msgspec pxr pymavlink"
)
BLOCK = f"""
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS.split()}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


def run(code: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run Python without the packages of extras."""
    command = [sys.executable, "-c", BLOCK + code, *words]
    env = os.environ | {"COLUMNS": "200"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=240, env=env, check=False
    )


def test_every_crane_runs_and_is_drawn_without_extras() -> None:
    done = run(
        """
from cable_sim import Machine, crane_names, load_crane
for name in crane_names():
    machine = Machine(load_crane(name))
    machine.tick()
    machine.picture(64, 48).png()
    print(name)
"""
    )
    assert done.returncode == 0, done.stderr
    assert "tower_12t" in done.stdout and "sts_51t" in done.stdout


def test_a_command_that_reports_tells_of_the_extra_first(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "from cable_sim.cli import main; main(sys.argv[1:])"
    done = run(code, "evaluate", "gantry_trolley_move")
    assert done.returncode == 2
    assert naming("matplotlib installed pip install 'cable_sim[plot]'").search(done.stderr)
    assert not list(tmp_path.iterdir())


def test_the_command_for_fmus_tells_of_its_extra(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for fmi, library in (("2", "pythonfmu"), ("3", "pythonfmu3")):
        done = run("from cable_sim.cli import main; main(sys.argv[1:])", "fmu", "--fmi", fmi)
        assert done.returncode == 2
        assert naming(f"{library} installed pip install 'cable_sim[fmi]'").search(done.stderr)


def test_a_controller_that_is_an_fmu_tells_of_its_extra() -> None:
    code = """
from cable_sim import Move, Scenario, run
from cable_sim.control.controllers.fmu import Fmu
fmu = Fmu("mine.fmu", outputs={"trolley": "speed"})
run(Scenario("lab_inteco", [Move("trolley", by=0.05)], controller=fmu))
"""
    assert naming("fmpy installed pip install 'cable_sim[fmi]'").search(run(code).stderr)


@pytest.mark.parametrize(
    ("words", "library", "extra"),
    [
        (("opcua", "lab_gantry", "--for", "0"), "asyncua", "opcua"),
        (("stream", "lab_gantry", "--local"), "msgspec", "stream"),
        (("export", "lab_gantry", "-o", "crane.usda"), "pxr", "usd"),
    ],
)
def test_links_and_exports_tell_of_their_extras(words, library, extra, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("from cable_sim.cli import main; main(sys.argv[1:])", *words)
    assert done.returncode == 2
    assert naming(f"{library} installed pip install 'cable_sim[{extra}]'").search(done.stderr)
    assert not list(tmp_path.iterdir())
