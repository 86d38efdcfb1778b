"""Time that waits for its controller; and that two runs in lockstep are the same to the bit."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from rclpy.serialization import deserialize_message  # noqa: E402

from cable_sim.ros import interface  # noqa: E402
from cable_sim.ros.messages import nanoseconds  # noqa: E402

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
    for endpoint in (interface.LOAD_CELL, interface.HOOK_IMU, interface.WIND, interface.LOAD_MOMENT, interface.LIMITS)
}


@pytest.fixture(scope="module")
def run(start_node, tmp_path_factory):
    """What a node has sent in lockstep, each message by topic; nodes and controllers are new processes.

    Messages are written out, every number so that it comes back to the bit: their bytes have gaps with anything in them.
    """
    folder, done = tmp_path_factory.mktemp("lockstep"), {}

    def made(name, mode, seed=1):
        if name in done:
            return done[name]
        crane, notes, namespace = folder / f"crane_{seed}.yaml", folder / name, ["-r", f"__ns:=/{name}"]
        text = CRANE.read_text().replace("state: on_ground ", "state: hanging ") + WIND.format(seed=seed)
        crane.write_text(text.replace("  seed: 1 ", f"  seed: {seed} "))
        given = {"crane_config": crane, "lockstep": mode, "real_time_factor": 0.0, "publish_clock": "false"}
        node = start_node(*namespace, **given)
        program = [sys.executable, str(CONTROLLER), mode, str(TICKS), str(notes), "--ros-args", *namespace]
        ended = subprocess.run(program, capture_output=True, text=True, timeout=200.0)
        assert node.end() == 0 and ended.returncode == 0, node.said() + ended.stderr
        heard = pickle.loads(notes.read_bytes())
        read = {topic: [deserialize_message(raw, TYPES[topic]) for raw in heard[topic]] for topic in heard}
        done[name] = {topic: [repr(one) for one in read[topic] if stamped(one) <= LAST] for topic in read}
        return done[name]

    return made


def stamped(message):
    """The stamp of a message [ns]."""
    return nanoseconds(message.header.stamp)


@pytest.mark.parametrize("mode", ["command", "service"])
def test_two_runs_send_the_same_bits(run, mode):
    one, other = run(f"{mode}_1", mode), run(f"{mode}_2", mode)
    assert len(one["joint_states"]) == LAST // TICK + 1
    for topic, heard in one.items():
        assert len(heard) >= 5 and heard == other[topic], topic


def test_who_lets_time_pass_does_not_matter_for_what_happens(run):
    one, other = run("command_1", "command"), run("service_1", "service")
    for topic in ("joint_states", "cable_states", "sway_state", "payload_ground_truth", "hook_imu"):
        assert one[topic] == other[topic], topic


def test_another_seed_makes_another_run(run):
    one, other = run("command_1", "command"), run("other", "command", seed=2)
    for topic, heard in one.items():
        if topic != "limits":
            assert heard != other[topic], topic
