"""The table of parameters: what it refuses, what it is written to, and what it makes of a crane.
Needs no graph."""

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from messages import naming
from ruamel.yaml import YAML

from cable_sim.errors import CableSimError
from cable_sim.ros.basis.parameters import (
    TABLE,
    Row,
    check,
    complaint,
    refusal,
    settings_from,
    suggestion,
)

ROOT = Path(__file__).resolve().parents[2]
ROWS = {row.name: row for row in TABLE}
ANYTHING = st.one_of(
    st.floats(),
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.text(max_size=20),
    st.none(),
    st.lists(st.floats(), max_size=3),
    st.binary(max_size=3),
)


def test_the_table_needs_no_ros():
    code = (
        "import sys, cable_sim.ros.basis.parameters; print({*sys.modules} & {'rclpy', "
        "'rcl_interfaces', 'numba'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "set()"


def allowed(row, value):
    """What the row says in other words: the oracle of :func:`complaint`. A number may come as text,
    as rclpy reads 1e-05."""
    if isinstance(value, str) and isinstance(row.default, float):
        try:
            value = float(value)
        except ValueError:
            return False
    if row.choices:
        return value in row.choices or (
            value is False and "off" in row.choices
        )  # as YAML reads that word
    if type(value) is not type(row.default):
        return False
    if row.lower is None or isinstance(value, (bool, str)):
        return True
    return math.isfinite(value) and row.lower <= value <= row.upper


@settings(deadline=None)  # of a machine that others use
@given(st.sampled_from(TABLE), ANYTHING)
@example(next(row for row in TABLE if row.name == "real_time_factor"), "0")
def test_a_value_is_refused_if_of_wrong_type_or_out_of_range(row, value):
    text = complaint(row, value)
    assert (text == "") == allowed(row, value)
    if text:
        assert repr(row.name) in text and "\n" not in text.replace(str(value), "")


@settings(deadline=None)
@given(
    st.sampled_from([row for row in TABLE if isinstance(row.default, float)]), st.floats(0.0, 1.0)
)
def test_every_number_within_the_range_or_at_its_ends_is_taken(row, share):
    for value in (row.lower, row.upper, row.lower + share * (row.upper - row.lower)):
        assert complaint(row, min(value, row.upper)) == ""


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([row.name for row in TABLE]), ANYTHING, max_size=6))
def test_settings_take_valid_values_only_and_name_the_bad_one(values):
    try:
        made = settings_from(values)
    except CableSimError as error:
        assert str(error).startswith("parameter '")
    else:
        assert check(made) == ""
        assert all(allowed(ROWS[name], value) for name, value in values.items())
        for name, value in values.items():
            off = value is False and "off" in ROWS[name].choices  # as YAML reads that word
            assert getattr(made, ROWS[name].field) == ("off" if off else value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("tf_rate", 1e6, ("'tf_rate'", "1000000.0 Hz", "0 ... 1000")),
        ("tf_rate", math.nan, ("'tf_rate'", "nan", "0 ...")),
        ("command_timeout", math.inf, ("'command_timeout'", "inf", "0.01 ... 60")),
        ("tf_rate", 50, ("'tf_rate'", "50", "decimal point")),
        ("tf_rate", True, ("'tf_rate'", "True", "decimal point")),
        ("publish_tf", "some", ("'publish_tf'", "'some'", "all, floating")),
        ("faults.enabled", 1, ("'faults.enabled'", "1", "true or false")),
        ("marker_points", 2.5, ("'marker_points'", "2.5", "whole number")),
        ("frame_prefix", None, ("'frame_prefix'", "None", "text")),
        ("physics_step", 2e-3, ("'physics_step'", "0.002", "read-only")),
        ("tf_rat", 5.0, ("'tf_rat'", "not known", "tf_rate")),
        ("xyz", 5.0, ("'xyz'", "not known")),
    ],
)
def test_a_refusal_names_parameter_value_and_what_is_allowed(name, value, words):
    text = refusal(ROWS, [("real_time_factor", 2.0), (name, value)])
    assert all(word in text for word in words), text
    assert refusal(ROWS, [("real_time_factor", 2.0), ("faults.enabled", False)]) == ""


@pytest.mark.parametrize("name", ["world_frame", "command_source"])
def test_a_name_that_has_to_be_there_is_not_empty(name):
    with pytest.raises(CableSimError, match=naming(f"'{name}' empty")):
        settings_from({name: ""})


def test_an_infinite_number_is_allowed_where_the_default_is_one():
    row = Row("limit", math.inf, "N", "most", 1.0, math.inf)
    assert complaint(row, math.inf) == "" and complaint(row, 5.0) == ""
    assert naming("1").search(complaint(row._replace(default=2.0), math.inf))
    assert naming("1").search(complaint(row, 0.5)) and complaint(row, math.nan)


def test_a_name_without_a_likeness_gets_no_suggestion():
    assert suggestion("colour", ROWS) == "" and "wind.speed" in suggestion("wind.speeds", ROWS)


def test_rows_are_described_ranged_and_named_once():
    assert len(ROWS) == len(TABLE)
    for row in TABLE:
        assert len(row.description) > 10 and complaint(row, row.default) == ""
        assert isinstance(row.default, (str, bool)) or row.lower < row.upper


def flat(tree, start=""):
    """Values by names with dots."""
    for name, found in tree.items():
        if isinstance(found, dict):
            yield from flat(found, f"{start}{name}.")
        else:
            yield start + name, found


def given_in(text):
    """Parameters of a parameter file."""
    return dict(flat(YAML(typ="safe").load(text)["/**"]["ros__parameters"]))


class TestOfCranes:
    """What depends on the crane; the rows need ROS, because topics do."""

    @pytest.fixture(autouse=True)
    def _ros(self):
        pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

    def test_what_is_written_is_up_to_date(self):
        from cable_sim.ros.node import parameter_page as written

        hint = "run python -m cable_sim.ros.node.parameter_page"
        text = written.PAGE.read_text(encoding="utf-8")
        assert written.page(text) == text, hint
        assert written.FILE.read_text(encoding="utf-8") == written.file(TABLE), hint

    def test_the_file_has_every_parameter_with_its_default(self):
        from cable_sim.ros.node import parameter_page as written

        assert given_in(written.FILE.read_text(encoding="utf-8")) == {
            row.name: row.default for row in TABLE
        }

    @pytest.mark.parametrize("name", ["tower_12t", "two_towers", "rtg_41t", "nehe_rope", "tackle"])
    def test_a_crane_parameter_file_is_complete_and_changes_nothing(self, name):
        from cable_sim.ros.basis.crane_parameters import rows_of, tune_crane
        from cable_sim.ros.node import parameter_page as written
        from cable_sim.scenes.machines import load_machine

        crane = load_machine(name)
        rows = rows_of(crane)
        values = given_in(written.file((*TABLE, *rows), name))
        assert values == {row.name: row.default for row in (*TABLE, *rows)}
        assert tune_crane(crane, settings_from(values, rows)) == crane
        for row in rows:
            assert complaint(row, row.default) == "" and len(row.description) > 5
            assert isinstance(row.default, str) or row.lower < row.upper

    def test_a_hand_has_no_sensors_and_a_carriage_no_motor(self):
        from cable_sim.ros.basis.crane_parameters import rows_of
        from cable_sim.scenes.machines import load_machine

        hand = {row.name for row in rows_of(load_machine("nehe_rope"))}
        rates = {name for name in hand if name.startswith(("noise", "sensor_rates"))}
        assert rates == {"sensor_rates.contacts"}
        gantry = {row.name: row for row in rows_of(load_machine("rtg_41t"))}
        own = {
            name.removeprefix("drives.trim.") for name in gantry if name.startswith("drives.trim.")
        }
        assert own == {"mode", "max_speed"} and gantry["drives.trim.mode"].choices == (
            "any",
            "velocity",
            "position",
        )

    def test_units_are_those_of_the_crane(self):
        from cable_sim.ros.basis.crane_parameters import rows_of
        from cable_sim.scenes.machines import load_machine

        crane = load_machine("two_towers")
        units = {row.name: row.unit for row in rows_of(crane)}
        told = {
            "noise.east_slewing.position.std": "rad",
            "noise.west_hoist.speed.bias": "m/s",
            "noise.west_hoist_rope.pull.std": "N",
            "noise.east_sway.radial.quantum": "rad",
            "noise.west_hook.acceleration.x.std": "m/s^2",
            "noise.west_hook.rate.z.bias": "rad/s",
            "noise.east_wind.speed.std": "m/s",
            "noise.west_structure.inclination.x.std": "rad",
            "noise.east_hook.skew.delay": "s",
            "drives.west_slewing.max_speed": "rad/s",
            "drives.east_hoist.torque_limit": "N",
            "drives.east_slewing.torque_limit": "N m",
        }
        assert {name: units[name] for name in told} == told
        assert {unit for name, unit in units.items() if re.search(r"std$", name)} == {
            "rad",
            "m",
            "rad/s",
            "m/s",
            "N",
            "m/s^2",
        }

    def test_settings_reach_drives_sensors_and_wind(self):
        from cable_sim.ros.basis.crane_parameters import rows_of, tune_crane
        from cable_sim.scenes.machines import load_machine
        from cable_sim.spec.wind import Gust, Steady

        crane = load_machine("two_towers")
        values = {
            "drives.west_hoist.max_speed": 0.2,
            "drives.west_hoist.max_acceleration": 0.33325,
            "drives.west_hoist.torque_limit": 5e4,
            "drives.east_hoist.mode": "velocity",
            "noise.seed": 99,
            "noise.west_sway.radial.delay": 0.2,
            "noise.west_sway.radial.dropout": 0.5,
            "wind.speed": 3.0,
            "wind.direction": math.pi / 2.0,
            "wind.gust_speed": 4.0,
            "wind.gust_start": 5.0,
        }
        made = tune_crane(crane, settings_from(values, rows_of(crane)))
        (drive,), (before,) = (
            [d for d in c.scene.drives if d.name == "west_hoist"] for c in (made, crane)
        )
        assert drive.max_effort == pytest.approx(5e4 / crane.axis("west_hoist").ratio)
        assert drive.max_acceleration == pytest.approx(0.5 * before.max_acceleration)
        assert drive.max_speed == before.max_speed and made.axis("west_hoist").max_speed == 0.2
        assert [d for d in made.scene.drives if d is not drive] == [
            d for d in crane.scene.drives if d is not before
        ]
        assert made.axis("east_hoist").modes == ("speed", "lever")
        sensors = {sensor.name: sensor for sensor in made.sensors}
        assert {sensor.seed for sensor in made.sensors} == {99}
        assert (sensors["west_sway.radial"].delay, sensors["west_sway.radial"].dropout) == (
            0.2,
            0.5,
        )
        assert sensors["east_sway.radial"].delay == 0.06
        assert made.wind == (Steady(3.0, 90.0), Gust(4.0, 0.0, 5.0, 7.0, 90.0))

    def test_a_delay_that_a_timeout_does_not_allow_names_the_sensor(self):
        import dataclasses

        from cable_sim.ros.basis.crane_parameters import rows_of, tune_crane
        from cable_sim.scenes.machines import load_machine

        crane = load_machine("tower_12t")
        short = tuple(dataclasses.replace(s, timeout=s.delay + 1.0) for s in crane.sensors)
        crane = dataclasses.replace(crane, sensors=short)
        with pytest.raises(CableSimError, match="hoist.speed.*timeout"):
            tune_crane(crane, settings_from({"noise.hoist.speed.delay": 2.0}, rows_of(crane)))

    def test_wind_of_a_scene_goes_on_below_that_of_the_parameters(self):
        import dataclasses

        from cable_sim.ros.basis.crane_parameters import winds
        from cable_sim.scenes.machines import load_machine
        from cable_sim.spec import Air
        from cable_sim.spec.wind import Steady

        crane = load_machine("nehe_rope")
        crane = dataclasses.replace(
            crane, scene=dataclasses.replace(crane.scene, air=Air(wind=(0.0, 3.0, 0.0)))
        )
        assert winds(crane, settings_from({})) == ()
        assert winds(crane, settings_from({"wind.speed": 2.0})) == (
            Steady(2.0, 0.0),
            Steady(3.0, 90.0),
        )

    def test_a_drive_without_limits_gets_some(self):
        from cable_sim.cranes.scene_machine import scene_machine
        from cable_sim.ros.basis.crane_parameters import rows_of, tune_crane
        from cable_sim.spec import Body, Drive, Joint, Scene

        scene = Scene(
            name="slide",
            bodies=(Body("sled", 10.0, (1.0, 1.0, 1.0)),),
            drives=(Drive("push", "rail"),),
            joints=(Joint("rail", "prismatic", "sled", axis=(1.0, 0.0, 0.0)),),
        )
        crane = scene_machine(scene)
        rows = rows_of(crane)
        assert {row.name: row.default for row in rows}["drives.push.torque_limit"] == math.inf
        values = {"drives.push.torque_limit": 5.0, "drives.push.max_acceleration": 0.5}
        (drive,) = tune_crane(crane, settings_from(values, rows)).scene.drives
        assert (drive.max_effort, drive.max_acceleration, drive.max_jerk) == (5.0, 0.5, math.inf)
