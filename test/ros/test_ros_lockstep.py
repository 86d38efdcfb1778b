"""Time that waits for its controller; and that two runs in lockstep are the same to the bit."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from rclpy.serialization import deserialize_message

from cable_sim.ros import interface
from cable_sim.ros.basis.messages import nanoseconds

CONTROLLER = Path(__file__).with_name("lockstep_controller.py")
CRANE = Path(__file__).resolve().parents[2] / "config" / "tower_12t.yaml"
TICKS = 150
TICK = 10_000_000
LAST = 130 * TICK
"""What came with the last ticks may not have been read when the controller left [ns]."""

WIND = """
wind:
  sum_of:
    - {{kind: turbulence, speed: 10.0, intensity: 0.2, direction_deg: 90.0, seed: {seed}}}
"""


TYPES = {endpoint.topic: endpoint.type for endpoint in interface.PUBLISHED} | {
    endpoint.topic: endpoint.type
    for endpoint in (
        interface.LOAD_CELL,
        interface.HOOK_IMU,
        interface.WIND,
        interface.LOAD_MOMENT,
        interface.LIMITS,
    )
}


RUNS = {
    "command": ("command", 1),
    "again": ("command", 1),
    "service": ("service", 1),
    "other_seed": ("command", 2),
}


@pytest.fixture(scope="module")
def runs(start_node, tmp_path_factory):
    """What nodes have sent in lockstep: the messages by run and topic.

    Nodes and controllers are processes of their own, a pair for each run, in a namespace of its
    own. They run side by side, so that the machine is busy and their timing differs.
    """
    folder, started = tmp_path_factory.mktemp("lockstep"), {}
    for name, (mode, seed) in RUNS.items():
        crane, namespace = folder / f"crane_{seed}.yaml", ["-r", f"__ns:=/{name}"]
        text = CRANE.read_text().replace("state: on_ground ", "state: hanging ") + WIND.format(
            seed=seed
        )
        crane.write_text(text.replace("  seed: 1 ", f"  seed: {seed} "))
        given = {
            "crane_config": crane,
            "lockstep": mode,
            "real_time_factor": 0.0,
            "publish_clock": "false",
        }
        program = [
            sys.executable,
            str(CONTROLLER),
            mode,
            str(TICKS),
            str(folder / name),
            "--ros-args",
            *namespace,
        ]
        started[name] = (
            start_node(*namespace, **given),
            subprocess.Popen(program, stderr=subprocess.PIPE, text=True),
        )
    try:
        for node, controller in started.values():
            _, said = controller.communicate(timeout=400.0)
            assert node.end() == 0 and controller.returncode == 0, node.said() + said
    finally:
        for _, controller in started.values():
            controller.kill()
    return {name: heard(folder / name) for name in RUNS}


def heard(path):
    """What a controller has taken down, without the last ticks.

    Messages are written out, numbers to the last bit: their bytes have gaps with anything in them.
    """
    kept = pickle.loads(path.read_bytes())
    read = {
        topic: [deserialize_message(raw, TYPES[topic]) for raw in kept[topic]] for topic in kept
    }
    return {topic: [repr(one) for one in read[topic] if stamped(one) <= LAST] for topic in read}


def stamped(message):
    """The stamp of a message [ns]."""
    return nanoseconds(message.header.stamp)


def test_two_runs_send_the_same_bits(runs):
    one, other = runs["command"], runs["again"]
    assert len(one["joint_states"]) == LAST // TICK + 1
    for topic, sent in one.items():
        assert len(sent) >= 5 and sent == other[topic], topic


def test_who_lets_time_pass_does_not_matter_for_what_happens(runs):
    """By ``~/step`` all is sent with every tick: what is sent at its rate is among it, to the bit
    and in order."""
    for topic, sent in runs["command"].items():
        known = set(sent)
        assert [one for one in runs["service"][topic] if one in known] == sent, topic
    assert len(runs["service"]["wind"]) > 5 * len(runs["command"]["wind"])


def test_another_seed_makes_another_run(runs):
    for topic, sent in runs["command"].items():
        assert topic == "limits" or sent != runs["other_seed"][topic], topic
