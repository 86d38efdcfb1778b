"""Recording and replaying: what is in the bag is what was sent, byte for byte, and comes out again
so."""

import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
pytest.importorskip("rosbags", reason="needs rosbags (extra `bag`)")

from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from cable_sim.cli import main
from cable_sim.ros import interface
from cable_sim.ros.bags.bag_files import entries, open_bag
from cable_sim.ros.bags.recorder import Recorder, endpoints_of, record
from cable_sim.ros.basis.node_link import OwnNode
from cable_sim.ros.client.remote_crane import RosSource
from cable_sim.ros.interface import JOINT_COMMANDS, JOINT_STATES, published_endpoints

PARAMETERS = {
    "start_paused": "true",
    "real_time_factor": 0.1,
    "joint_state_rate": 50.0,
    "cable_state_rate": 50.0,
}
"""Slow: on a busy machine a listener may take nothing for a second, and ten messages of a topic are
kept for him."""

TICKS = 30
KEPT = 10
"""Depth of topics of which nothing is lost then; of one of which a single message is kept, some may
be."""


class Ear:
    """Hears topics as bytes, with the time at which each was sent [ns]."""

    def __init__(self, probe, topics):
        self.got = {}
        for topic, (kind, latched) in topics.items():
            self._listen(probe, topic, kind, latched)

    def _listen(self, probe, topic, kind, latched):
        got = self.got.setdefault(topic, [])
        durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
        probe.node.create_subscription(
            kind,
            topic,
            lambda data, info: got.append((info["source_timestamp"], bytes(data))),
            QoSProfile(depth=2000, durability=durability),
            raw=True,
        )

    def bytes_of(self, topic):
        return [data for _, data in self.got[topic]]


def topics_of(crane, prefix=""):
    """Kinds of all topics of a crane's node, by full name, and whether they reach late comers."""
    found = {}
    for endpoint in published_endpoints(crane):
        name = endpoint.topic if endpoint.topic.startswith("/") else f"{prefix}/{endpoint.topic}"
        found[name] = (endpoint.type, endpoint.qos.durability == DurabilityPolicy.TRANSIENT_LOCAL)
    return found


@pytest.fixture(scope="module")
def command(domain):
    """Starts command lines of cable-sim as processes, in a shell with limits if given; what is left
    over is ended."""
    started = []

    def start(*words, limits=""):
        line = shlex.join([sys.executable, "-m", "cable_sim.cli", *map(str, words)])
        started.append(
            subprocess.Popen(
                ["bash", "-c", f"{limits} exec {line}"],
                text=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        )
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()


@pytest.fixture(scope="module")
def recorded(node, probe, crane, command, tmp_path_factory):
    """A bag of a few ticks; what the probe heard of them; types and qualities of service in the
    graph."""
    folder = tmp_path_factory.mktemp("recorded") / "bag"
    ear = Ear(probe, topics_of(crane))
    recorder = command("record", "tower_12t", "--out", folder)
    commands = probe.publisher(JOINT_COMMANDS)
    listening = lambda topic: len(probe.node.get_subscriptions_info_by_topic(topic))  # noqa: E731
    probe.until(
        lambda: all(listening(topic) >= 2 for topic in ear.got), "a recorder of every topic", 60.0
    )
    probe.until(lambda: listening("/joint_commands") >= 2, "a recorder of the commands")
    sent = JointState(name=["trolley", "hoist"], velocity=[0.5, -0.2])
    commands.publish(sent)
    probe.until(lambda: ear.got["/joint_states"], "the first states")
    graph = {}
    for topic in ear.got:
        (graph[topic],) = [
            i for i in probe.node.get_publishers_info_by_topic(topic) if i.node_name == "cable_sim"
        ]
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    seen = len(ear.got["/joint_states"])
    probe.until(lambda: len(ear.got["/joint_states"]) > seen + TICKS, f"{TICKS} joint states", 60.0)
    assert probe.call(SetBool, "/cable_sim/pause", data=True).success
    assert node.end() == 0
    recorder.send_signal(signal.SIGINT)
    output, _ = recorder.communicate(timeout=300)
    assert recorder.returncode == 0, output
    return folder, ear, graph, sent, output


@pytest.fixture(scope="module")
def bag(recorded):
    return recorded[0]


@pytest.fixture(scope="module")
def stored(bag):
    """Its messages by topic, and the order of topics."""
    found, order = {}, []
    with open_bag(bag) as reader:
        for connection, stamp, data in entries(reader, reader.connections):
            found.setdefault(connection.topic, []).append(data)
            order.append((connection.topic, stamp))
    return found, order


def test_what_is_recorded_is_what_was_sent_byte_for_byte(recorded, stored):
    _, ear, graph, sent, _ = recorded
    for topic in ear.got:
        # at a pause the same is said again and again
        there, heard = (
            list(dict.fromkeys(messages)) for messages in (stored[0][topic], ear.bytes_of(topic))
        )
        both = set(there) & set(heard)
        assert both and [m for m in there if m in both] == [m for m in heard if m in both], topic
        if graph[topic].qos_profile.depth >= KEPT:
            # at the pause before each began to listen in its own time; from then on nothing may
            # lack
            common = min(len(there), len(heard))
            assert there[-common:] == heard[-common:], topic
    assert (
        min(len(stored[0][topic]) for topic in ("/joint_states", "/cable_states", "/clock"))
        > TICKS // 2
    )
    assert [deserialize_message(data, JointState) for data in stored[0]["/joint_commands"]] == [
        sent
    ]
    assert len(set(stored[0]["/joint_states"])) > TICKS // 2, "the crane moves"


def test_mcap_and_rosbags_agree_and_definitions_are_complete(bag, stored):
    mcap = pytest.importorskip("mcap.reader", reason="needs mcap (extra `bag`)")
    decoding = pytest.importorskip(
        "mcap_ros2.decoder", reason="needs mcap-ros2-support (extra `bag`)"
    )
    (file,) = bag.glob("*.mcap")
    with open(file, "rb") as stream:
        reader = mcap.make_reader(
            stream, decoder_factories=[decoding.DecoderFactory()], validate_crcs=True
        )
        summary, raw, decoded = reader.get_summary(), {}, {}
        for _, channel, message, read in reader.iter_decoded_messages():
            raw.setdefault(channel.topic, []).append(message.data)
            decoded[channel.topic] = read
    assert raw == stored[0]
    counts = {
        summary.channels[k].topic: n for k, n in summary.statistics.channel_message_counts.items()
    }
    assert counts == {topic: len(messages) for topic, messages in raw.items()}
    assert decoded["/cable_states"].cables[0].name == "hoist_rope"
    assert decoded["/scene_markers"].markers[1].pose.orientation.w != 0.0


def test_bag_metadata_has_types_hashes_and_qos_of_the_graph(recorded, stored):
    from ruamel.yaml import YAML

    folder, _, graph, _, _ = recorded
    data = YAML(typ="safe").load((folder / "metadata.yaml").read_text())[
        "rosbag2_bagfile_information"
    ]
    assert (data["version"], data["storage_identifier"]) == (9, "mcap")
    assert data["relative_file_paths"] == [f"{folder.name}.mcap"] == [data["files"][0]["path"]]
    assert (
        data["message_count"]
        == sum(map(len, stored[0].values()))
        == data["files"][0]["message_count"]
    )
    for entry in data["topics_with_message_count"]:
        topic = entry["topic_metadata"]
        assert (
            entry["message_count"] == len(stored[0][topic["name"]])
            and topic["serialization_format"] == "cdr"
        )
        if topic["name"] in graph:
            info = graph[topic["name"]]
            assert (topic["type"], topic["type_description_hash"]) == (
                info.topic_type,
                str(info.topic_type_hash),
            )
            (offered,) = topic["offered_qos_profiles"]
            assert offered["history"] == "keep_last" and offered["depth"] >= 1
            assert offered["reliability"] == info.qos_profile.reliability.name.lower()
            assert offered["durability"] == info.qos_profile.durability.name.lower()


def test_what_was_recorded_is_summed_up(recorded, stored):
    *lines, last = recorded[-1].splitlines()
    counts = {topic: int(count) for count, topic in map(str.split, lines)}
    assert counts == {topic: len(messages) for topic, messages in stored[0].items()}
    assert last.split()[:2] == [str(sum(counts.values())), "messages,"]


def test_a_replay_is_the_recording_byte_for_byte_and_in_order(probe, crane, command, bag, stored):
    messages, order = stored
    kinds = topics_of(crane) | {"/joint_commands": (JointState, False)}
    ear, begin = Ear(probe, kinds), time.monotonic()
    process = command("replay", bag, "--wait", 60, "--rate", 4)
    probe.until(lambda: process.poll() is not None, "the end of the replay", 300.0)
    output = process.communicate()[0]
    assert process.returncode == 0, output
    length = 1e-9 * (order[-1][1] - order[0][1])
    assert time.monotonic() - begin > length / 4.0, "it keeps the times"
    probe.until(
        lambda: all(len(ear.got[t]) >= len(messages[t]) for t in messages), "the last messages"
    )
    for topic in messages:
        assert ear.bytes_of(topic) == messages[topic], topic
    sent = sorted((stamp, topic) for topic, got in ear.got.items() for stamp, _ in got)
    assert [topic for _, topic in sent] == [topic for topic, _ in order]
    warning, *lines = output.splitlines()
    assert naming("/joint_commands publisher").search(warning), "the probe's own"
    counts = {topic: int(count) for count, topic in map(str.split, lines)}
    assert counts == {topic: len(got) for topic, got in messages.items()}


def test_a_part_is_replayed_elsewhere_as_fast_as_it_is_taken(probe, crane, command, bag, stored):
    messages, order = stored
    start = 0.5 * 1e-9 * (order[-1][1] - order[0][1])
    names = ("/joint_states", "/tf", "/cable_sim/robot_description")
    kinds = topics_of(crane)
    ear = Ear(
        probe,
        {
            "/old/joint_states": kinds["/joint_states"],
            "/old/tf": kinds["/tf"],
            "/old/cable_sim/robot_description": kinds["/cable_sim/robot_description"],
        },
    )
    process = command(
        "replay",
        bag,
        "--wait",
        60,
        "--rate",
        0,
        "--start",
        start,
        "--topics",
        ", ".join(names),
        "--namespace",
        "/old",
        "--remap",
        "/tf:=/old/tf",
    )
    probe.until(lambda: process.poll() is not None, "the end of the replay", 300.0)
    assert process.returncode == 0, process.communicate()[0]
    first = order[0][1] + round(1e9 * start)
    left = {name: sum(topic == name and stamp >= first for topic, stamp in order) for name in names}
    assert left["/cable_sim/robot_description"] == 0 < left["/tf"] < len(messages["/tf"])
    left["/cable_sim/robot_description"] = 1  # was sent before, and is there for late comers
    probe.until(
        lambda: all(len(ear.got[f"/old{name}"]) >= left[name] for name in names),
        "the last messages",
    )
    for name in names:
        assert ear.bytes_of(f"/old{name}") == messages[name][-left[name] :], name


def test_a_page_shows_a_replay_and_two_are_recorded_completely(
    probe, crane, command, bag, stored, tmp_path
):
    again = [
        command("replay", bag, "--loop", "--wait", 0, "--rate", 2, *more)
        for more in (
            ("--namespace", "/east"),
            ("--namespace", "/west", "--no-clock", "--remap", "/tf:=/west/tf"),
        )
    ]
    source = RosSource(crane, namespace="/east", name="test_viewer")
    try:
        frame = probe.until(lambda: source.wait(0.1), "a frame of the replay", 90.0)
        assert set(frame.poses) == {body.name for body in crane.scene.bodies}
        assert all(np.isfinite(picture.points).all() for picture in frame.cables.values())
        assert set(frame.axes) == {axis.name for axis in crane.axes}
    finally:
        source.close()
    kinds = topics_of(crane)
    names = ("/joint_states", "/cable_states", "/limits")
    topics = [f"{space}{name}" for space in ("/east", "/west") for name in names]
    ear = Ear(probe, {topic: kinds[topic[5:]] for topic in topics})
    recorder = command("record", "--all", "--compress", "--out", tmp_path / "both")

    def recorded():
        listeners = [
            {i.node_name for i in probe.node.get_subscriptions_info_by_topic(topic)}
            for topic in topics
        ]
        return all("cable_sim_recorder" in found for found in listeners)

    probe.until(recorded, "a recorder of everything", 60.0)
    seen = {topic: len(got) for topic, got in ear.got.items()}
    # a whole turn: that it is listed does not yet mean that all of them hear one another
    more = {topic: seen[topic] + len(stored[0][topic[5:]]) for topic in topics}
    probe.until(
        lambda: all(len(ear.got[topic]) > more[topic] for topic in topics),
        "a turn of everything",
        60.0,
    )
    recorder.send_signal(signal.SIGINT)
    output, _ = recorder.communicate(timeout=300)
    assert recorder.returncode == 0, output
    full = command(
        "record", "--all", "--for", 1, "--out", tmp_path / "full", limits="ulimit -f 16;"
    )
    assert (
        naming("recording broke").search(full.communicate(timeout=300)[0]) and full.returncode == 2
    )
    for process in again:
        process.send_signal(signal.SIGINT)
        assert (
            process.communicate(timeout=300)[0].count("/joint_states") == 1
            and process.returncode == 0
        )
    with open_bag(bag) as reader:
        original = {c.topic: c for c in reader.connections}
    with open_bag(tmp_path / "both") as reader:
        found = {c.topic: c for c in reader.connections if c.msgcount}
        for topic in topics:
            was, now = original[topic[5:]], found[topic]
            assert (now.msgtype, now.digest) == (was.msgtype, was.digest)
            durability = [[q.durability for q in c.ext.offered_qos_profiles] for c in (was, now)]
            assert durability[0] == durability[1]
        assert found["/tf"].msgcount and found["/west/tf"].msgcount and found["/clock"].msgcount


@pytest.fixture
def cable_sim(capsys):
    """Runs the command line in this process: exit status and what it said."""

    def run(*words):
        with pytest.raises(SystemExit) as raised:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return raised.value.code, (said.out + said.err).replace("\n", " ")

    return run


def written(
    folder, topic="/sway_state", kind="cable_sim/msg/SwayState", digest="RIHS01_" + 64 * "0"
):
    """A bag with one message of a type that is defined in its own way."""
    from rosbags.rosbag2 import StoragePlugin, Writer

    with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection(topic, kind, msgdef="float64 x\n", rihs01=digest)
        writer.write(connection, 1, b"\x00\x01\x00\x00" + bytes(8))
    return folder


def damaged(bag, folder, keep):
    """A copy of a bag whose file is cut off."""
    shutil.copytree(bag, folder)
    (file,) = folder.glob("*.mcap")
    data = file.read_bytes()
    file.write_bytes(data[: int(keep * len(data))])
    return folder


WRONG = {
    "nowhere": (lambda bag, path: ["replay", path / "none"], "such folder file"),
    "no bag": (lambda bag, path: ["replay", path], "bag metadata.yaml"),
    "no bag to tell of": (lambda bag, path: ["info", path], "bag metadata.yaml"),
    "text": (lambda bag, path: ["replay", Path(__file__)], "bag read"),
    "cut off": (lambda bag, path: ["replay", damaged(bag, path / "cut", 0.7)], "invalid"),
    "empty file": (lambda bag, path: ["replay", damaged(bag, path / "empty", 0)], "seems empty"),
    "unfinished": (
        lambda bag, path: [
            "info",
            (damaged(bag, path / "un", 1) / "metadata.yaml").unlink() or path / "un",
        ],
        "bag.mcap 'mcap recover FILE.mcap",
    ),
    "no topic": (lambda bag, path: ["replay", bag, "--topics", "joint_state"], "/joint_state bag"),
    "rate": (lambda bag, path: ["replay", bag, "--rate", "inf"], "rate inf wanted finite number"),
    "negative rate": (lambda bag, path: ["replay", bag, "--rate", "-1"], "--rate"),
    "late": (lambda bag, path: ["replay", bag, "--start", "1000"], "start 1000 s bag"),
    "remap": (lambda bag, path: ["replay", bag, "--remap", "tf=/x"], "remap 'tf=/x' FROM:=TO"),
    "remap of nothing": (
        lambda bag, path: ["replay", bag, "--namespace", "a", "--remap", "/joint_states:=/x"],
        "remap /joint_states /a/active_faults",
    ),
    "name": (lambda bag, path: ["replay", bag, "--namespace", "a b"], "topic '/a b/"),
    "type": (
        lambda bag, path: ["replay", written(path / "t", kind="nowhere_msgs/msg/Thing")],
        "type nowhere_msgs/msg/Thing topic /sway_state source workspace",
    ),
    "definition": (lambda bag, path: ["replay", written(path / "d")], "defined differently bag"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_can_not_be_replayed_is_refused_with_a_reason(cable_sim, bag, tmp_path, case):
    words, text = WRONG[case]
    status, said = cable_sim(*words(bag, tmp_path))
    assert status == 2 and naming(text).search(said), said


def test_a_file_that_is_whole_is_read_without_its_metadata(bag, stored):
    (file,) = bag.glob("*.mcap")
    with open_bag(file) as reader:
        assert reader.message_count == len(stored[1])
        found = {c.topic: c.ext.offered_qos_profiles for c in reader.connections}
    with open_bag(bag) as reader:
        assert found == {c.topic: c.ext.offered_qos_profiles for c in reader.connections}


def test_damage_within_a_file_is_told_with_what_came_before(domain, crane, tmp_path):
    from cable_sim.errors import CableSimError

    recorder = Recorder(tmp_path / "bag", lambda topic: f"/{topic}", compress=True)
    noise = np.random.default_rng(1)
    for _ in range(300):
        message = JointState(name=["a"], position=noise.random(1000).tolist())
        recorder.take(JOINT_STATES, bytes(serialize_message(message)))
    recorder.close()
    (file,) = (tmp_path / "bag").glob("*.mcap")
    data = bytearray(file.read_bytes())
    assert len(data) > 1_500_000, "several parts"
    data[1_200_000:1_200_400] = bytes(400)
    file.write_bytes(data)
    got = []
    with (
        open_bag(tmp_path / "bag") as reader,
        pytest.raises(CableSimError, match=r"after \d+ messages: "),
    ):
        got.extend(entries(reader, reader.connections))
    assert 50 < len(got) < 300


def test_everything_that_commands_a_crane_is_recorded_too(crane):
    topics = {endpoint.topic for endpoint in endpoints_of(crane)}
    assert topics >= {e.topic for e in interface.commanded_endpoints(crane)} | {
        e.topic for e in interface.published_endpoints(crane)
    }


def test_recorded_seconds_count_from_the_first_crane_message(probe, crane, tmp_path):
    sent, ended = [], threading.Event()
    out = {
        e.topic: probe.node.create_publisher(e.type, f"/early/{e.topic}", 10)
        for e in (JOINT_COMMANDS, JOINT_STATES)
    }

    def make():
        sent.append(record(tmp_path / "bag", crane, "early", ended, seconds=0.2))

    thread = threading.Thread(target=make)
    thread.start()
    try:
        probe.until(lambda: all(o.get_subscription_count() for o in out.values()), "the recorder")
        out[JOINT_COMMANDS.topic].publish(JointState())
        thread.join(1.0)
        assert thread.is_alive()
        out[JOINT_STATES.topic].publish(JointState())
        thread.join(300.0)
        assert not thread.is_alive()
    finally:
        ended.set()
        thread.join(300.0)
    assert sent == [{"/early/joint_commands": 1, "/early/joint_states": 1}]


def test_a_callback_that_raises_ends_what_waits_for_the_end():
    class Broken:
        def spin_once(self, timeout_sec):
            raise KeyError("boom")

    node = OwnNode.__new__(OwnNode)
    node._executor = Broken()
    with pytest.raises(KeyError):
        node.take_until(lambda: False, None)
