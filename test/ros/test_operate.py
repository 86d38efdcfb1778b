"""A short lift over DDS: real node, real operator, real recording, read back by others."""

import json
import math
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="a run over DDS needs rclpy")

from cable_sim.msg import CableState, CableStateArray, SimStats
from rclpy.serialization import serialize_message

from cable_sim.control.lift_plans.lift_plan import read_plan
from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError
from cable_sim.ros import interface
from cable_sim.ros.basis.parameters import TABLE
from cable_sim.ros.operate import plan_player

PLAN = """# crane: tower_12t
# start_polar: 20 0
# target_polar: 20 0 0
time,motion,speed
0.0,hoist,6
2.0,hoist,24
3.5,hoist,-20
5.0,hoist,-9
6.5,trolley,0
9.3,hoist,0
10.0,hoist,0
"""
SLOWLY = 0.5
"""Simulated over wall time: what a busy machine delays is as much shorter in the time of the
plan."""
SHIPPED = Path(__file__).resolve().parents[2] / "config" / "lift_plans" / "tower_pick_and_place.csv"


def words(plan, results, *options):
    """The command for a run."""
    return [
        sys.executable,
        "-m",
        "cable_sim.cli",
        "operate",
        str(plan),
        "--results",
        str(results),
        *options,
    ]


def operate(plan, results, *options):
    """Exit status, output and folder of a run."""
    command = words(plan, results, *options)
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=560, stdin=subprocess.DEVNULL
    )
    folders = sorted(results.iterdir()) if results.exists() else []
    return done.returncode, done.stdout + done.stderr, folders[-1] if folders else None


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / "short.csv"
    path.write_text(PLAN)
    return path


@pytest.fixture(scope="module", autouse=True)
def unheard(domain, plan, tmp_path_factory):
    """An operator whom no node answers; he waits while the others work."""
    command = words(plan, tmp_path_factory.mktemp("unheard"), "--namespace", "/nobody")
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        yield process
        process.kill()


@pytest.fixture(scope="module")
def lift(domain, plan, tmp_path_factory):
    """The short plan with a node of its own, recorded."""
    pytest.importorskip("rosbags", reason="needs rosbags (extra `bag`)")
    return operate(
        plan, tmp_path_factory.mktemp("lift") / "results", "--start-node", "--rtf", str(SLOWLY)
    )


def test_it_lands_and_says_so(lift):
    status, output, folder = lift
    assert status == 0, output
    assert "landed" in output and "real-time factor" in output
    report = json.loads((folder / "report.json").read_text())
    assert report["succeeded"] and report["miss"] < 0.1
    assert report["duration"] == pytest.approx(10.0, abs=0.5)
    assert 2.0e4 < report["peak_pull"] < 3.5e4
    assert report["run"]["rejected"] == report["run"]["clamped"] == 0
    assert 0.0 < report["run"]["real_time_factor"] < 1.1 * SLOWLY
    for name in ("report.md", "track.csv", "track.png"):
        assert (folder / name).stat().st_size > 100


def test_rosbags_reads_the_recording(lift):
    from rosbags.rosbag2 import Reader

    from cable_sim.ros.bags.recorder import typestore

    types = typestore()
    with Reader(lift[2] / "bag") as reader:
        counts = {connection.topic: connection.msgcount for connection in reader.connections}
        values = {}
        for connection, _, data in reader.messages():
            values.setdefault(connection.topic, []).append(
                types.deserialize_cdr(data, connection.msgtype)
            )
    assert {topic: len(messages) for topic, messages in values.items()} == counts
    # 100 Hz for 10 s, of which a busy machine may lose some
    for topic in ("/joint_states", "/cable_states", "/payload_ground_truth"):
        assert counts[topic] >= 700, counts
    for topic in (
        "/tf",
        "/tf_static",
        "/clock",
        "/sway_state",
        "/sim_stats",
        "/cable_markers",
        "/diagnostics",
    ):
        assert counts.get(topic, 0) > 0, counts
    heights = [message.pose.pose.position.z for message in values["/payload_ground_truth"]]
    assert max(heights) > 0.6 and heights[-1] == pytest.approx(0.5, abs=0.01)
    assert {message.axis for message in values["/winch_command"]} == {"hoist"}
    speeds = np.array([message.value for message in values["/winch_command"]])
    assert {*np.round(-60.0 * speeds, 6)} == {6.0, 24.0, -20.0, -9.0, 0.0}
    assert {message.value for message in values["/trolley_command"]} == {0.0}
    assert values["/tf"][0].transforms[0].header.frame_id == "world"


def test_commands_are_repeated_well_within_the_timeout(domain, plan, monkeypatch):
    """By the stamps of the joint states, whenever they come."""
    crane = load_crane("tower_12t")
    sent = []
    operator = plan_player.Operator(crane, read_plan(plan, crane), domain=domain)
    try:
        monkeypatch.setattr(operator, "_publish", lambda motion, speed: sent.append((tick, motion)))
        operator.stats, operator._armed = SimStats(), True
        for tick in range(1000):
            operator._follow(0.01 * tick)
    finally:
        operator.close()
    for motion in ("hoist", "trolley"):
        ticks = [tick for tick, name in sent if name == motion]
        assert ticks[0] == 0 and len(ticks) >= 200
        assert max(np.diff(ticks)) == 5  # 50 ms
    (timeout,) = [row.default for row in TABLE if row.name == "command_timeout"]
    assert 0.05 < timeout / 9.0


def test_mcap_reads_the_recording(lift):
    mcap = pytest.importorskip("mcap.reader", reason="needs mcap (extra `bag`)")
    decoding = pytest.importorskip(
        "mcap_ros2.decoder", reason="needs mcap-ros2-support (extra `bag`)"
    )
    (file,) = (lift[2] / "bag").glob("*.mcap")
    with open(file, "rb") as stream:
        reader = mcap.make_reader(stream, decoder_factories=[decoding.DecoderFactory()])
        statistics = reader.get_summary().statistics
        found = [message for *_, message in reader.iter_decoded_messages(topics=["/cable_states"])]
    assert statistics.message_count == sum(statistics.channel_message_counts.values()) > 3000
    pulls = [message.cables[0].tension_winch for message in found]
    report = json.loads((lift[2] / "report.json").read_text())
    assert max(pulls) == pytest.approx(report["peak_pull"])
    assert found[0].cables[0].name == "hoist_rope"


def test_the_bags_metadata_is_that_of_rosbag2(lift):
    from ruamel.yaml import YAML

    metadata = YAML(typ="safe").load((lift[2] / "bag" / "metadata.yaml").read_text())[
        "rosbag2_bagfile_information"
    ]
    assert metadata["storage_identifier"] == "mcap"
    topics = {
        entry["topic_metadata"]["name"]: entry["topic_metadata"]
        for entry in metadata["topics_with_message_count"]
    }
    assert topics["/cable_states"]["type"] == "cable_sim/msg/CableStateArray"
    assert topics["/tf_static"]["offered_qos_profiles"][0]["durability"] == "transient_local"


def test_info_lists_the_recording(lift):
    command = [sys.executable, "-m", "cable_sim.cli", "info", str(lift[2] / "bag")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert re.search(
        r"^ +\d+  /cable_states  cable_sim/msg/CableStateArray$", done.stdout, re.MULTILINE
    )


@pytest.fixture(scope="module")
def running(start_node, probe):
    """A node that runs as under `cable-sim run`."""
    from cable_sim.ros.interface import CLOCK

    made = start_node(real_time_factor=0.5)
    probe.until(lambda: len(probe.listen(CLOCK)) > 0 or not made.alive(), "the first clock", 300.0)
    assert made.alive(), made.said()
    yield made
    assert made.end() == 0


@pytest.mark.slow
def test_a_running_node_is_reset_and_operated_twice(running, plan, tmp_path):
    for _ in range(2):
        status, output, folder = operate(plan, tmp_path, "--reset", "--no-record")
        assert status == 0, output
        assert json.loads((folder / "report.json").read_text())["run"]["lost_samples"] < 500
        assert not (folder / "bag").exists()


def test_a_load_elsewhere_is_not_operated(running, tmp_path):
    away = tmp_path / "away.csv"
    away.write_text(PLAN.replace("start_polar: 20 0", "start_polar: 30 90"))
    status, output, folder = operate(away, tmp_path / "results")
    assert status == 2 and folder is None
    assert naming("plan 30 m 90 deg reset simulator (--reset)").search(output)


@pytest.mark.slow
def test_a_landing_beside_the_target_is_a_failure(running, tmp_path):
    beside = tmp_path / "beside.csv"
    beside.write_text(PLAN.replace("target_polar: 20 0 0", "target: 20 1 0"))
    status, output, _ = operate(beside, tmp_path / "results", "--reset", "--no-record")
    assert status == 1, output
    assert naming("0.5 m").search(output)


def test_an_interrupted_operator_stops_what_he_moves(running, plan, probe, tmp_path):
    from cable_sim.ros.interface import GROUND_TRUTH, JOINT_STATES, axis_command

    commands = probe.listen(axis_command("hoist"))
    command = words(plan, tmp_path, "--reset", "--no-record")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    probe.listen(GROUND_TRUTH)
    seen = len(commands)
    probe.until(lambda: any(m.value < 0.0 for m in commands[seen:]), "a command to hoist")
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=300.0)
    assert process.returncode == 130, output
    probe.until(lambda: commands[-1].value == 0.0, "the command to stop")
    joints = probe.listen(JOINT_STATES)
    probe.until(
        lambda: joints and abs(joints[-1].velocity[joints[-1].name.index("hoist")]) < 1e-3, "rest"
    )


def test_anything_that_runs_can_be_recorded(running, tmp_path):
    command = [
        sys.executable,
        "-m",
        "cable_sim.cli",
        "record",
        "--out",
        str(tmp_path / "bag"),
        "--for",
        "2",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    counts = {topic: int(count) for count, topic in map(str.split, lines)}
    assert (
        counts["/joint_states"] > 5 and counts["/tf_static"] == 1 and counts["/scene_markers"] == 1
    )
    assert naming(f"{sum(counts.values())} messages *.* MB */bag").search(last)
    assert (tmp_path / "bag" / "metadata.yaml").is_file()
    again = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert again.returncode == 2 and "folder" in again.stderr


def test_a_simulator_of_another_crane_is_told_of_at_once(domain, plan):
    crane = load_crane("tower_12t")
    other = CableStateArray(cables=[CableState(name="hoist_rope_1")])
    series = plan_player._Series(crane)
    with pytest.raises(CableSimError, match=naming("crane ropes hoist_rope_1 hoist_rope")):
        series.take(interface.CABLE_STATES, other)
    operator = plan_player.Operator(crane, read_plan(plan, crane), "/another", domain)
    try:
        operator.node.create_timer(
            0.01, lambda: operator._take(interface.CABLE_STATES, serialize_message(other))
        )
        with pytest.raises(CableSimError, match="crane"):
            operator.meet(60.0)
    finally:
        operator.close()


def test_without_a_node_it_says_what_to_do(unheard):
    output, _ = unheard.communicate(timeout=300)
    assert unheard.returncode == 2
    assert naming("simulator 10 s 'cable-sim run'").search(output.replace("\n", " "))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_shipped_plan_in_real_time(domain, tmp_path):
    status, output, folder = operate(SHIPPED, tmp_path, "--start-node")
    assert status == 0, output
    report = json.loads((folder / "report.json").read_text())
    assert report["miss"] < 0.5 and report["standing"]
    assert math.isclose(report["duration"], 136.0, abs_tol=0.1)
