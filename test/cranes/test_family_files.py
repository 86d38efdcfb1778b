"""Files of families that the environment names: for every command, and for the node."""

import math
import os
import subprocess
import sys
from pathlib import Path

import luffing_crane
import pytest
from messages import naming

from cable_sim.cranes import catalogue, load_crane
from cable_sim.errors import ConfigError, SpecError
from cable_sim_studies.sweeps import identity

VARIABLE = "CABLE_SIM_FAMILIES"
REGISTER = """
from cable_sim.cranes import register_family

register_family("luffing_jib", LuffingCrane, build_luffing)
"""
TAKEN = """
from cable_sim.cranes import register_family
from cable_sim.cranes.family_spec import FamilySpec

register_family("kit", FamilySpec, lambda file, name: None)
"""
SCENARIO = """
title: an eighth of a turn
crane: luffing.yaml
load: 3000.0
rope_length: 25.0
moves:
  - {axis: slewing, by: 0.1}
measured: false
watch: 2.0
dt: 0.004
period: 0.02
controller: {kind: zv}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with a family's file, a crane and a scenario, which the environment names."""
    source = Path(luffing_crane.__file__).read_text(encoding="utf-8")
    (tmp_path / "my_luffing.py").write_text(source + REGISTER, encoding="utf-8")
    (tmp_path / "luffing.yaml").write_text(luffing_crane.FILE, encoding="utf-8")
    (tmp_path / "slew.yaml").write_text(SCENARIO, encoding="utf-8")
    monkeypatch.setattr(catalogue, "FAMILIES", dict(catalogue.FAMILIES))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "my_luffing.py"))
    before = set(sys.modules)
    yield tmp_path
    for name in ("my_luffing", "broken", "packed"):
        if name not in before:
            sys.modules.pop(name, None)


def cable_sim(folder: Path, *words: str) -> str:
    """Run the command line in a process of its own; return its output."""
    done = subprocess.run(
        [sys.executable, "-m", "cable_sim.cli", *words],
        cwd=folder,
        env=os.environ | {"COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_commands_know_the_family(folder) -> None:
    assert "luffing crane 'luffing': 4 bodies" in cable_sim(folder, "check", "luffing.yaml")
    assert "slew: 1 run" in cable_sim(folder, "evaluate", "slew.yaml")


@pytest.mark.ros
def test_the_node_knows_the_family(folder, monkeypatch) -> None:
    """The node is real and in this process; its crane slews."""
    rclpy = pytest.importorskip("rclpy", reason="needs rclpy: scripts/setup")
    from rclpy.parameter import Parameter

    from cable_sim.ros.launch.processes import free_domain
    from cable_sim.ros.node.simulator_node import SimulatorNode

    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    crane = Parameter("crane_config", value=str(folder / "luffing.yaml"))
    node = SimulatorNode(context=context, namespace="luffing", parameter_overrides=[crane])
    try:
        machine = node.simulation.physics.machine
        for _ in range(100):
            machine.command("slewing", 0.05)
            seen = machine.tick()
        assert machine.crane.family == "luffing_crane"
        assert machine.axis_state(seen, "slewing").position > 0.005
        assert node.has_parameter("drives.luffing.max_speed")
    finally:
        node.destroy_node()
        context.try_shutdown()


def test_a_package_is_a_family_too(folder, monkeypatch) -> None:
    """A path may begin with the home, and stand beside others and nothing."""
    (folder / "packed").mkdir()
    (folder / "my_luffing.py").rename(folder / "packed" / "build.py")
    (folder / "packed" / "__init__.py").write_text("from packed import build as build\n")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv(VARIABLE, f"~/packed{os.pathsep}")
    for _ in range(2):
        crane = load_crane(folder / "luffing.yaml", {"rig.start.luffing_deg": 60.0})
        assert crane.details.angle == pytest.approx(math.radians(60.0))
    assert str(folder) not in sys.path


def test_a_sweep_counts_the_familys_code(folder) -> None:
    """What a run's digest is made of changes with the file."""
    digests = []
    for comment in ("", "# another\n"):
        with (folder / "my_luffing.py").open("a", encoding="utf-8") as file:
            file.write(comment)
        identity.code.cache_clear()
        digests.append(identity.code())
    identity.code.cache_clear()
    assert digests[0] != digests[1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "there is no such file"),
        ("x = 1\n", "registers no family; it has to call register_family"),
        ("import nowhere\n", r"No module named 'nowhere' \(broken.py, line 1\)"),
        ("x = 1\n1 / 0\n", r"ZeroDivisionError: division by zero \(broken.py, line 2\)"),
        (TAKEN, "family 'kit': it is known already"),
    ],
    ids=["missing", "nothing", "import", "fails", "taken"],
)
def test_a_wrong_family_file_is_told(folder, monkeypatch, text, told) -> None:
    """Whatever crane is asked for, and each time."""
    path = folder / "broken.py"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(path))
    for _ in range(2):
        with pytest.raises(SpecError, match=rf"{VARIABLE}: {path}: .*{told}"):
            load_crane("tower_12t")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("luffing.yaml", "Python file my_family.py"),
        ("", "Python file folder __init__.py"),
        ("json.py", "module 'json' rename file"),
    ],
)
def test_a_path_that_is_no_module_is_refused(folder, monkeypatch, name, told) -> None:
    (folder / "json.py").write_text("", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(folder / name))
    with pytest.raises(SpecError, match=naming(told)):
        load_crane("tower_12t")


def test_without_the_variable_no_file_runs(folder, monkeypatch) -> None:
    """A crane file beside its family's file is data; the message names the variable."""
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(ConfigError, match=naming(f"files {VARIABLE} names")):
        load_crane(folder / "luffing.yaml")
    assert "my_luffing" not in sys.modules
