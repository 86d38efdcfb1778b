"""Models by the package's doors: Scene.from_file, load_machine, commands, and without the extra."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from messages import naming
from model_files import ARM_SDF, ARM_URDF, PULLEY

from cable_sim import CableSimError, CableSimWarning, ConfigError, Scene, load_scene
from cable_sim.cli import main
from cable_sim.scenes.machines import load_machine
from cable_sim.spec.files import read_spec

pytest.importorskip("mujoco", reason="needs mujoco (extra `models`)")
pytest.importorskip("rod", reason="needs rod (extra `models`)")
FILES = {"arm.urdf": ARM_URDF, "arm.sdf": ARM_SDF, "pulley.xml": PULLEY}


@pytest.fixture
def folder(tmp_path) -> Path:
    """Return a folder with the models."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_a_scene_is_read_from_a_model_and_warns(folder, name) -> None:
    with pytest.warns(CableSimWarning, match="read_model lists all"):
        scene = Scene.from_file(folder / name)
    with pytest.warns(CableSimWarning):
        assert load_scene(folder / name) == scene
    with pytest.warns(CableSimWarning):
        assert load_machine(folder / name).scene == scene


def test_a_scene_is_read_from_yaml_by_the_same_door(folder) -> None:
    (folder / "one.yaml").write_text("bodies: [{name: a, inertia: [1.0, 1.0, 1.0]}]")
    assert Scene.from_file(folder / "one.yaml").bodies[0].name == "a"
    with pytest.raises(ConfigError, match="there is no such file"):
        Scene.from_file(folder / "two.yaml")


def test_xacro_is_expanded(tmp_path) -> None:
    pytest.importorskip("xacro", reason="needs xacro (extra `models`)")
    text = ARM_URDF.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
    text = text.replace(
        '<link name="base">', '<xacro:property name="m" value="${2 + 6}"/><link name="base">'
    )
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(text.replace('<mass value="8"/>', '<mass value="${m}"/>'))
    with pytest.warns(CableSimWarning):
        assert Scene.from_file(path).bodies[0].mass == 8.0
    path.write_text(text.replace('<mass value="8"/>', '<mass value="${n}"/>'))
    with pytest.raises(ConfigError, match=naming("xacro 'n'")):
        Scene.from_file(path)


def command(*words: str) -> int:
    """Run the command line, and return its exit status."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def test_the_command_writes_a_scene_and_tells_of_each_line(folder, capsys) -> None:
    assert command("import", folder / "pulley.xml", "-o", folder / "pulley.yaml") == 0
    told = capsys.readouterr()
    assert naming("pulley.yaml 2 bodies 1 joint 1 cable 3 drives").search(told.out)
    assert naming("pulley.xml:26: actuator 'torque' 3 times ctrl").search(told.err)
    with pytest.warns(CableSimWarning):
        assert read_spec(folder / "pulley.yaml", Scene) == Scene.from_file(folder / "pulley.xml")
    assert command("check", folder / "pulley.xml") == 0
    assert command("import", folder / "nothing.xml") == 2
    assert naming("nothing.xml no such file").search(capsys.readouterr().err)


def test_without_the_extra_it_is_named(folder) -> None:
    """And all else runs: importing the room loads none of its packages."""
    code = f"""
import sys
for name in ("mujoco", "rod", "xacro"):
    sys.modules[name] = None
import cable_sim
print(cable_sim.Scene.from_file)
try:
    cable_sim.Scene.from_file({str(folder / "arm.urdf")!r})
except cable_sim.CableSimError as error:
    print(error)
from cable_sim.cli import main
main(["import", {str(folder / "arm.urdf")!r}])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, timeout=120
    )
    assert done.returncode == 2
    assert naming("mujoco installed pip install 'cable_sim[models]'").search(done.stdout)
    assert naming("mujoco installed pip install 'cable_sim[models]'").search(done.stderr)


def test_a_package_of_one_format_is_named(folder, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "rod", None)
    with pytest.raises(CableSimError, match=naming("rod installed 'cable_sim[models]'")):
        Scene.from_file(folder / "arm.sdf")
