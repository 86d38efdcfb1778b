"""Cranes by name and by file: from the source tree, from a ROS installation, and with helpful
errors."""

import dataclasses
import re
import shutil
from pathlib import Path

import pytest
from messages import naming

from cable_sim.cranes import crane_names, load_crane
from cable_sim.cranes.catalogue import ALIASES, config_folders, save_crane
from cable_sim.errors import ConfigError, SpecError

CONFIG = Path(__file__).parents[2] / "config"


def test_the_alias_is_the_same_crane():
    names = crane_names()
    assert names["tower_12t"] == "tower_12t"
    assert names["tower_crane"] == "tower_12t"
    assert load_crane("tower_crane") == load_crane("tower_12t")
    assert load_crane("tower_crane").name == "tower_12t"


def test_former_paths_lead_to_fields_of_today():
    """Each that a shipped file names, to which a value of another kind is refused by its path."""
    for name in ("lab_gantry", "lab_inteco", "nehe_rope", "tower_12t", "tower_5t"):
        for old, paths in load_crane(name).details.aliases.items():
            with pytest.raises(SpecError) as caught:
                load_crane(name, {f"{old}.no_such_field": 1.0})
            first = paths if isinstance(paths, str) else paths[0]
            assert first in str(caught.value), old


def test_every_name_loads():
    for name in crane_names():
        assert load_crane(name).axes


@pytest.mark.parametrize(
    "name, changes",
    [
        ("tower_12t", {"rig.load.mass": 1234.5, "sensors.seed": 9}),
        ("lab_inteco", {}),
        ("nehe_rope", {}),
        ("rtg_41t", {"rig.load": None, "rig.start.state": "hanging"}),
        ("two_towers", {}),
    ],
)
def test_a_saved_crane_is_the_same_crane(name, changes, tmp_path):
    crane = load_crane(name, changes)
    save_crane(crane, tmp_path / f"{crane.name}.yaml")
    assert load_crane(tmp_path / f"{crane.name}.yaml") == crane != load_crane("sts_51t")


def test_a_crane_that_its_file_would_not_give_again_is_not_saved(tmp_path):
    crane, path = load_crane("lab_inteco"), tmp_path / "crane.yaml"
    for other, told in (
        (dataclasses.replace(crane, axes=crane.axes[:1]), "lab_inteco differs file"),
        (dataclasses.replace(crane, details=None), "lab_inteco loaded"),
    ):
        with pytest.raises(SpecError, match=naming(told)):
            save_crane(other, path)
        assert not path.exists()
    with pytest.raises(SpecError, match=naming("nowhere/crane.yaml written")):
        save_crane(crane, tmp_path / "nowhere" / "crane.yaml")


def test_every_alias_stands_for_something():
    assert set(ALIASES.values()) <= set(crane_names())


def test_a_path_loads_like_a_name(tmp_path):
    copy = tmp_path / "my_crane.yaml"
    shutil.copy(CONFIG / "tower_12t.yaml", copy)
    crane = load_crane(copy)
    assert crane.name == "my_crane"
    assert crane.scene.bodies == load_crane("tower_12t").scene.bodies


def test_an_unknown_name_lists_the_known():
    with pytest.raises(ConfigError) as caught:
        load_crane("tower_13t")
    message = str(caught.value)
    assert "tower_13t" in message
    assert "tower_12t" in message
    assert naming("tower_crane alias tower_12t").search(message)


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("  type: gantry", "'gantry'"),
        ("  kind: kit", "missing"),
        ("  type: bridge", "cranes family kit lab_inteco.yaml"),
        ("  type: tower_flat_top", "cranes family kit tower_12t.yaml"),
        ("  type: rtg", "cranes family kit rtg_41t.yaml"),
        ("  type: sts", "cranes family kit sts_51t.yaml"),
    ],
)
def test_an_unknown_family_lists_the_known(tmp_path, line, given):
    text = (CONFIG / "tower_12t.yaml").read_text(encoding="utf-8")
    wrong = re.sub(r"^crane: .*$", f"crane:\n{line}", text, flags=re.MULTILINE)
    (tmp_path / "crane.yaml").write_text(wrong, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_crane(tmp_path / "crane.yaml")
    (problem,) = caught.value.problems
    assert problem.field == "crane.type"
    assert naming(given).search(problem.problem)
    assert naming("kit several").search(problem.problem)


def test_a_mistake_in_a_file_is_reported_with_its_path(tmp_path):
    text = (
        (CONFIG / "tower_12t.yaml")
        .read_text(encoding="utf-8")
        .replace("mass: 4000.0", "mass: heavy")
    )
    (tmp_path / "crane.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="rig.load.mass.*'heavy'") as caught:
        load_crane(tmp_path / "crane.yaml")
    assert caught.value.problems[0].file == str(tmp_path / "crane.yaml")


def test_broken_yaml_is_reported_as_such(tmp_path):
    (tmp_path / "crane.yaml").write_text("crane: [\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not YAML"):
        load_crane(tmp_path / "crane.yaml")


def test_cranes_are_found_in_a_ros_installation(tmp_path, monkeypatch):
    share = tmp_path / "share" / "cable_sim" / "config"
    share.mkdir(parents=True)
    shutil.copy(CONFIG / "tower_12t.yaml", share / "tower_99t.yaml")
    (share / "parameters.yaml").write_text(
        "/**:\n  ros__parameters:\n    crane: tower_12t\n", encoding="utf-8"
    )
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"/nowhere:{tmp_path}")
    assert share in config_folders()
    assert "tower_99t" in crane_names()
    assert "parameters" not in crane_names()
    assert load_crane("tower_99t").name == "tower_99t"


NAMES = re.compile(
    r"^\s*(- name|type|state|construction|picture|crane: \{type: kit"
    r"|on|below|base|ropes|positive|reading|trade|color)\b"
)
"""Keys of values that are words, and so have no unit and no source."""


def test_every_value_of_a_shipped_file_has_a_unit_or_source():
    pattern = re.compile(r"^\s*(- )?\w+: +[^\s#]")
    for path in (CONFIG / f"{name}.yaml" for name in set(crane_names().values())):
        text = path.read_text(encoding="utf-8").partition("\naliases:")[0]
        for number, line in enumerate(text.splitlines(), start=1):
            if pattern.match(line) and not NAMES.match(line):
                comment = line.partition("#")[2]
                assert re.search(r"\[[\w ]+\]|\((D|E|K)\)", comment), (
                    f"{path.name}:{number}: {line}"
                )


USUAL = {
    "slewing": "slewing angle",
    "luffing": "luffing angle",
    "gantry": "gantry travel",
    "trolley": "trolley travel",
}


def test_instruments_have_one_name_for_one_motion_on_all_cranes():
    for name in crane_names():
        crane = load_crane(name)
        for axis in crane.axes:
            if axis.name in USUAL and axis.reading not in ("radius", "boom rope paid out"):
                assert axis.reading == USUAL[axis.name], name
