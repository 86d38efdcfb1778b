"""The files about a crane that a launch has written before anything starts."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from messages import naming
from ruamel.yaml import YAML

from cable_sim.cli import main
from cable_sim.cli.options import parse_changes
from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError
from cable_sim.ros.basis.description import robot_description
from cable_sim.ros.launch.ros2_control import description_with_control, joint_parameters


def described(capsys, *words):
    """What `cable-sim describe` prints."""
    with pytest.raises(SystemExit) as ended:
        main(["describe", *words])
    told = capsys.readouterr()
    return told.out if ended.value.code == 0 else (ended.value.code, told.err)


def test_a_crane_is_printed_as_its_robot_description(capsys):
    text = described(capsys, "lab_inteco")
    assert text.strip() == robot_description(load_crane("lab_inteco"))


def test_files_of_a_changed_crane_are_those_of_the_change(capsys, tmp_path):
    words = ["--change", "rig.start.state=hanging", "--load-mass", "3000", "--ros2-control"]
    words += ["--namespace", "/crane_1", "--folder", str(tmp_path / "new")]
    written = json.loads(described(capsys, "tower_crane", *words))
    crane = load_crane("tower_12t", {"rig.start.state": "hanging", "rig.load.mass": 3000.0})
    assert load_crane(written["crane"]) == crane
    text = Path(written["description"]).read_text()
    assert text == description_with_control(crane, "/crane_1")
    assert any(mass.get("value") == "3000.0" for mass in ElementTree.fromstring(text).iter("mass"))
    controllers = YAML(typ="safe").load(Path(written["controllers"]))
    assert controllers == joint_parameters(crane)


def test_a_crane_as_in_its_file_keeps_its_name(capsys, tmp_path):
    written = json.loads(described(capsys, "fishing_rod", "--folder", str(tmp_path)))
    assert (written["crane"], written["controllers"]) == ("fishing_rod", "")


def test_the_load_of_a_laboratory_crane_has_another_path(capsys, tmp_path):
    words = ["--load-mass", "2.5", "--folder", str(tmp_path)]
    written = json.loads(described(capsys, "lab_inteco", *words))
    assert load_crane(written["crane"]) == load_crane("lab_inteco", {"rig.bob.mass": 2.5})


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["tower_13t"], "such tower_12t"),
        (["tower_12t", "--change", "rig.load.weight=1"], "field 'weight'"),
        (["tower_12t", "--change", "rig.load.mass"], "change expected example"),
        (["tower_12t", "--change", "rig.load.mass=[1"], "value valid YAML"),
        (["tower_12t", "--load-mass", "-1"], "mass 0"),
        (["nehe_rope", "--load-mass", "1"], "load file"),
        (["fishing_rod", "--change", "bodies=1"], "fishing_rod"),
    ],
)
def test_what_can_not_be_is_told_in_one_sentence(words, sentence, capsys, tmp_path):
    status, told = described(capsys, *words, "--folder", str(tmp_path))
    assert status == 2 and naming(sentence).search(told) and "Traceback" not in told
    assert not list(tmp_path.iterdir())


def test_changes_are_yaml_values():
    assert parse_changes(["a.b=1.5", "c=[1, 2]", "d=on_ground", "e=a=b"]) == {
        "a.b": 1.5,
        "c": [1, 2],
        "d": "on_ground",
        "e": "a=b",
    }
    with pytest.raises(CableSimError, match=naming("'=3' change")):
        parse_changes(["=3"])
