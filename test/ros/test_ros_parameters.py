"""Parameters of a node that runs: set one by one and together, at the start and later; what they
change is seen."""

import math
from array import array

import numpy as np
import pytest
import yaml
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from builtin_interfaces.msg import Time
from cable_sim.msg import AxisCommand, FaultCommand
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TwistStamped
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.parameter import Parameter, parameter_dict_from_yaml_file
from rclpy.time import Time as Stamp
from std_srvs.srv import Trigger

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.basis.crane_parameters import rows_of, tune_crane
from cable_sim.ros.basis.parameters import TABLE, settings_from
from cable_sim.ros.publish.device_messages import ImuMessage, WindMessage

PARAMETERS = {
    "crane_config": "two_towers",
    "model": "tower_crane",
    "real_time_factor": 2.0,
    "diagnostics_period": 0.1,
    "drives.west_trolley.max_speed": 0.4,
    "noise.west_slewing.position.bias": 0.25,
    "sensor_rates.wind": 25.0,
    "publish_joint_states": "true",
    "wind.speed": 2.0,
}
WEST_WIND = "west/wind"


@pytest.fixture(scope="module")
def crane():
    return load_crane("two_towers")


def message(name, value):
    """A parameter on the wire."""
    return Parameter(name, value=value).to_parameter_msg()


def set_one(probe, name, value):
    """The answer to setting one."""
    answer = probe.call(
        SetParameters, "/cable_sim/set_parameters", parameters=[message(name, value)]
    )
    return answer.results[0]


def set_together(probe, **values):
    """The answer to setting several at once; a double underscore in a name is a dot."""
    parameters = [message(name.replace("__", "."), value) for name, value in values.items()]
    return probe.call(
        SetParametersAtomically, "/cable_sim/set_parameters_atomically", parameters=parameters
    ).result


def get(probe, *names):
    """Values of parameters."""
    values = probe.call(GetParameters, "/cable_sim/get_parameters", names=list(names)).values
    return [
        Parameter.from_parameter_msg(message_of(n, v)).value
        for n, v in zip(names, values, strict=True)
    ]


def message_of(name, value):
    """A parameter from its parts."""
    from rcl_interfaces.msg import Parameter as ParameterMessage

    return ParameterMessage(name=name, value=value)


def finding(probe, part):
    """The newest status of a part of the diagnostics."""
    (status,) = [
        s for s in probe.fresh(interface.DIAGNOSTICS).status if s.name == f"cable_sim: {part}"
    ]
    return status, {pair.key: pair.value for pair in status.values}


def test_the_node_declares_the_parameters_of_table_and_crane(node, probe, crane):
    rows = {row.name: row for row in (*TABLE, *rows_of(crane))}
    listed = set(probe.call(ListParameters, "/cable_sim/list_parameters").result.names)
    assert {
        name for name in listed if not name.startswith(("qos_", "start_type", "use_sim"))
    } == set(rows)
    answer = probe.call(DescribeParameters, "/cable_sim/describe_parameters", names=list(rows))
    for descriptor in answer.descriptors:
        row = rows[descriptor.name]
        assert descriptor.read_only == row.read_only and descriptor.description.startswith(
            row.description
        )
        for choice in row.choices:
            assert choice in descriptor.additional_constraints
        shown = [*descriptor.floating_point_range, *descriptor.integer_range]
        assert [(r.from_value, r.to_value) for r in shown] == (
            [] if row.lower is None else [(row.lower, row.upper)]
        )
        assert (descriptor.type == ParameterType.PARAMETER_INTEGER) == (type(row.default) is int)


def test_what_is_given_at_the_start_is_what_it_runs_with(node, probe, crane):
    assert get(probe, "model", "drives.west_trolley.max_speed", "wind.speed") == [
        "tower_crane",
        0.4,
        2.0,
    ]
    _, values = finding(probe, "limiters")
    assert float(values["west_slewing.position reading"]) == pytest.approx(0.25, abs=0.01)
    assert float(values["east_slewing.position reading"]) == pytest.approx(0.0, abs=0.01)
    wind = probe.fresh(interface.Endpoint(WEST_WIND, interface.WIND.type, interface.WIND.qos))
    assert wind.twist.twist.linear.x == pytest.approx(2.0, abs=0.6)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("physics_step", 2e-3, ("'physics_step'", "0.002", "read-only")),
        ("model", "gantry_crane", ("'model'", "'gantry_crane'", "tower_crane")),
        (
            "noise.west_sway.radial.delay",
            0.1,
            ("'noise.west_sway.radial.delay'", "0.1", "read-only"),
        ),
        (
            "noise.west_sway.radial.std",
            -1.0,
            ("noise.west_sway.radial.std", "-1.0 rad", "0 ... 1000000000"),
        ),
        ("noise.seed", 2**40, ("'noise.seed'", str(2**40), "-1 ... 4294967295")),
        (
            "drives.west_hoist.max_speed",
            5.0,
            ("'drives.west_hoist.max_speed'", "5.0 m/s", "0.00896"),
        ),
        (
            "drives.west_hoist.mode",
            "manual",
            ("'drives.west_hoist.mode'", "'manual'", "any, velocity"),
        ),
        ("drives.west_hoist.max_sped", 0.5, ("not known", "drives.west_hoist.max_speed")),
        ("tf_rate", 50, ("'tf_rate'", "50", "decimal point")),
        ("wind.speed", math.nan, ("'wind.speed'", "nan", "0 ... 100")),
        ("joint_state_rate", 500.0, ("'joint_state_rate'", "500", "tick_rate")),
    ],
)
def test_a_refusal_names_parameter_value_and_what_is_allowed(node, probe, name, value, words):
    result = set_one(probe, name, value)
    assert not result.successful and all(word in result.reason for word in words), result.reason


def test_a_node_loads_its_own_dump_without_complaint(node, probe, tmp_path):
    """As `ros2 param dump` writes it, and `ros2 param load` reads it."""
    assert set_one(probe, "noise.west_sway.radial.std", 1e-5).successful
    names = probe.call(ListParameters, "/cable_sim/list_parameters").result.names
    values = get(probe, *names)
    nested = {}
    for name, value in zip(names, values, strict=True):
        *folders, last = name.split(".")
        place = nested
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = list(value) if isinstance(value, array) else value
    path = tmp_path / "dump.yaml"
    path.write_text(yaml.dump({"/cable_sim": {"ros__parameters": nested}}))
    loaded = parameter_dict_from_yaml_file(str(path), target_nodes=["/cable_sim"])
    assert {*loaded} == {*names} and len(names) > 100
    answer = probe.call(
        SetParameters, "/cable_sim/set_parameters", parameters=list(loaded.values())
    )
    assert [result.reason for result in answer.results if not result.successful] == []
    assert get(probe, *names) == values


def test_a_read_only_parameter_takes_no_other_value_in_a_dump(node, probe):
    assert set_one(probe, "physics_step", 1e-3).successful
    assert set_one(probe, "stepper", "spook").successful
    assert "read-only" in set_one(probe, "stepper", "regularised").reason


def pace(probe, ticks=40):
    """Simulated over wall time, from the clock and when its messages were sent."""
    clock, sent = probe.messages["/clock"], probe.sent_at["/clock"]
    first = len(clock)
    probe.until(lambda: len(clock) > first + ticks, f"{ticks} ticks")
    begin, end = (Stamp.from_msg(clock[i].clock).nanoseconds for i in (first, -1))
    return (end - begin) / (sent[-1] - sent[first])


def test_real_time_factor_changes_the_pace_of_a_running_node(node, probe):
    for factor in (0.25, 2.0, 0.5):
        assert set_one(probe, "real_time_factor", factor).successful
        probe.until(lambda f=factor: pace(probe) == pytest.approx(f, rel=0.1), f"{factor} x")
        assert probe.fresh(interface.SIM_STATS, 2).pace_asked == factor
    assert "'real_time_factor'" in set_one(probe, "real_time_factor", -1.0).reason
    assert set_one(probe, "real_time_factor", 2.0).successful


def test_parameters_set_together_are_all_taken_or_none(node, probe):
    names = ("wind.speed", "noise.seed", "drives.east_hoist.mode")
    before = get(probe, *names)
    wrong = set_together(probe, wind__speed=9.0, noise__seed=5, drives__east_hoist__mode="quick")
    assert not wrong.successful and "'quick'" in wrong.reason and get(probe, *names) == before
    wrong = set_together(probe, wind__speed=9.0, noise__seed=5, joint_state_rate=400.0)
    assert not wrong.successful and get(probe, *names) == before
    assert set_together(
        probe, wind__speed=3.0, noise__seed=5, drives__east_hoist__mode="velocity"
    ).successful
    assert get(probe, *names) == [3.0, 5, "velocity"]


def test_a_drive_keeps_its_max_speed_set_at_start_or_later(node, probe, crane):
    axis = crane.axis("west_trolley")
    publisher = probe.publisher(interface.axis_command("west_trolley"))
    states = probe.listen(interface.JOINT_STATES)
    probe.until(lambda: states, "joint states")
    place = list(states[-1].name).index(axis.joint)

    def push():
        publisher.publish(AxisCommand(value=axis.max_speed, enable=True))

    def runs(speed):
        return lambda: abs(states[-1].velocity[place] - speed) < 0.004

    probe.until(runs(0.4), "0.4 m/s, as set at the start", every=push)
    assert set_one(probe, "drives.west_trolley.max_speed", 0.2).successful
    probe.until(
        runs(0.2), lambda: f"0.2 m/s, but {[m.velocity[place] for m in states[-5:]]}", every=push
    )
    assert set_one(probe, "drives.west_trolley.mode", "position").successful
    probe.until(runs(0.0), "rest: it takes positions only", every=push)
    status, values = finding(probe, "commands")
    assert any(
        naming("'west_trolley' mode 'speed' switched").search(value) for value in values.values()
    )


def test_noise_of_a_sensor_changes_while_it_runs(node, probe):
    assert set_together(
        probe,
        noise__west_slewing__position__bias=-0.5,
        noise__west_slewing__position__std=0.05,
        noise__west_slewing__position__quantum=0.0,
    ).successful
    read = []

    def reads():
        _, values = finding(probe, "limiters")
        read.append(float(values["west_slewing.position reading"]))
        return len(read) >= 20 and read

    readings = np.array(probe.until(reads, "twenty readings")[5:])
    assert readings.mean() == pytest.approx(-0.5, abs=0.1) and 0.01 < readings.std() < 0.2


def test_imu_covariance_is_that_of_the_set_noise(crane):
    machine = Machine(crane)
    imu = ImuMessage(crane, crane.suspensions[1], "", Time())
    machine.tick()
    before = imu.fill(machine).linear_acceleration_covariance[0]
    rows = rows_of(crane)
    machine.retune(
        tune_crane(crane, settings_from({"noise.west_hook.acceleration.x.std": 0.3}, rows))
    )
    covariance = imu.fill(machine).linear_acceleration_covariance
    assert (
        covariance[0] == pytest.approx(0.09)
        and covariance[4] == pytest.approx(before) != covariance[0]
    )


def test_wind_covariance_is_that_of_the_set_noise(crane):
    machine = Machine(crane)
    wind = WindMessage(crane, crane.suspensions[1], "world", Time())
    machine.tick()
    assert wind.fill(machine).twist.covariance[0] > 0.0
    rows = rows_of(crane)
    machine.retune(tune_crane(crane, settings_from({"noise.west_wind.speed.std": 0.7}, rows)))
    covariance = wind.fill(machine).twist.covariance
    assert covariance[0] == covariance[7] == pytest.approx(0.49) and covariance[35] == 0.0


def test_lost_samples_of_a_sensor_warn_in_the_diagnostics(node, probe):
    name = "west_hook.skew"
    assert finding(probe, "sensors")[0].level == DiagnosticStatus.OK
    assert set_one(probe, f"noise.{name}.dropout", 0.9).successful
    probe.until(lambda: finding(probe, "sensors")[0].level == DiagnosticStatus.WARN, "a warning")
    status, values = finding(probe, "sensors")
    assert int(values[f"{name} lost samples"]) > 0
    assert set_one(probe, f"noise.{name}.dropout", 0.0).successful
    probe.until(lambda: finding(probe, "sensors")[0].level == DiagnosticStatus.OK, "all well again")


def speed_of(wind):
    """What the anemometer reads [m/s]."""
    return math.hypot(wind.twist.twist.linear.x, wind.twist.twist.linear.y)


def test_the_last_set_wind_blows_until_a_reset_to_parameters(node, probe):
    winds = probe.listen(interface.WIND)

    def blows(speed):
        return lambda: winds and abs(speed_of(winds[-1]) - speed) < 1.0

    assert set_together(
        probe, wind__speed=12.0, real_time_factor=0.0
    ).successful  # the anemometer takes its time
    probe.until(blows(12.0), "12 m/s")
    command = TwistStamped()
    command.twist.linear.y = 6.0
    probe.publisher(interface.WIND_COMMAND).publish(command)
    probe.until(blows(6.0), "6 m/s of the command")
    assert set_one(probe, "wind.direction", 1.0).successful
    probe.until(blows(12.0), "12 m/s again")
    probe.publisher(interface.WIND_COMMAND).publish(command)
    probe.until(blows(6.0), "the command again")
    assert probe.call(Trigger, "/cable_sim/reset").success
    probe.until(blows(12.0), "12 m/s after a reset")
    assert set_together(
        probe, wind__speed=0.0, wind__gust_speed=15.0, wind__gust_duration=8.0
    ).successful
    probe.until(lambda: speed_of(winds[-1]) > 8.0, "the gust")
    probe.until(blows(0.0), "calm")
    assert set_one(probe, "real_time_factor", 2.0).successful


def test_rates_of_sensor_topics_change_and_zero_is_silence(node, probe):
    cells = probe.listen(interface.LOAD_CELL)
    probe.until(lambda: cells, "the load cell")
    assert set_one(probe, "sensor_rates.load_cell", 0.0).successful
    clock = probe.messages["/clock"]
    before = len(clock)
    probe.until(lambda: len(clock) > before + 20, "some ticks")  # what was under way has come
    seen, before = len(cells), len(clock)
    probe.until(lambda: len(clock) > before + 60, "sixty ticks")
    assert len(cells) == seen
    assert set_one(probe, "sensor_rates.load_cell", 50.0).successful
    probe.until(lambda: len(cells) > seen, "the load cell again")


def test_faults_can_be_switched_off_which_also_clears_them(node, probe):
    publisher = probe.publisher(interface.INJECT_FAULT)
    faults = probe.listen(interface.ACTIVE_FAULTS)
    publisher.publish(FaultCommand(kind="drive_trip", target="west_hoist"))
    probe.until(lambda: faults and faults[-1].faults, "the fault")
    probe.until(
        lambda: finding(probe, "drives")[0].level == DiagnosticStatus.ERROR,
        "an error of the drives",
    )
    assert naming("power west_hoist").search(finding(probe, "drives")[0].message)
    assert set_one(probe, "faults.enabled", False).successful
    probe.until(lambda: not faults[-1].faults, "no faults")
    publisher.publish(FaultCommand(kind="drive_trip", target="west_hoist"))
    notices = "fault drive_trip west_hoist parameter 'faults.enabled' false"
    probe.until(
        lambda: any(naming(notices).search(v) for v in finding(probe, "commands")[1].values()),
        "a refusal",
    )
    assert not faults[-1].faults
    assert set_one(probe, "faults.enabled", True).successful


YAML = """
/**:
  ros__parameters:
    crane_config: tower_12t
    model: {model}
    noise: {{hoist: {{position: {{std: {std}}}}}, hoyst: {{position: {{std: 0.1}}}}}}
    publish_clock: false
    publish_joint_states: false
    start_paused: true
    qos_overrides: {{/joint_states: {{publisher: {{depth: 50}}}}}}
"""


WRONG = [
    ("gantry_crane", 0.1, ("'model'", "'gantry_crane'", "tower_crane")),
    ("tower_crane", 1, ("'noise.hoist.position.std'", "1", "decimal point")),
    ("tower_crane", -0.5, ("'noise.hoist.position.std'", "-0.5 m", "0 ... 1000000000")),
]


def test_a_wrong_value_in_a_file_ends_the_start_in_one_line(refused_starts, tmp_path):
    cases = []
    for number, (model, std, _) in enumerate(WRONG):
        path = tmp_path / f"given_{number}.yaml"
        path.write_text(YAML.format(model=model, std=std))
        cases.append((("--params-file", str(path)), {}))
    for (status, said), (_, _, words) in zip(refused_starts(cases), WRONG, strict=True):
        lines = said.strip().splitlines()
        assert status == 2 and len(lines) == 1 and all(word in lines[0] for word in words), lines


def test_a_misspelt_parameter_is_reported_with_a_suggestion(node, start_node, probe, tmp_path):
    path = tmp_path / "given.yaml"
    path.write_text(YAML.format(model="tower_crane", std=0.1))
    made = start_node("--params-file", str(path), "-r", "__ns:=/misspelt")
    topic = "/misspelt/cable_states"
    probe.until(lambda: probe.node.count_publishers(topic) or not made.alive(), "the node", 60.0)
    try:
        assert probe.node.count_publishers("/misspelt/joint_states") == 0  # as the file says
        got = probe.listen(interface.DIAGNOSTICS)
        probe.until(
            lambda: any(s.name.startswith("misspelt/cable_sim: ") for m in got for s in m.status),
            "its names",
        )
    finally:
        status = made.end()
    said = made.said()
    assert status == 0 and "noise.hoyst.position.std" in said and "noise.hoist.position.std" in said
    assert naming("'qos_overrides./joint_states.publisher.depth' effect").search(said)
