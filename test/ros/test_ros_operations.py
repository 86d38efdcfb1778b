"""Snapshots, forces from outside, slings and loads let go, against a machine in this process that
does the same."""

from pathlib import Path

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy")

from cable_sim.msg import FaultCommand
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from cable_sim.cranes import load_crane
from cable_sim.machine.external_wrenches import Push
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import nanoseconds

CRANE = Path(__file__).resolve().parents[2] / "config" / "tower_12t.yaml"
GANTRY = CRANE.with_name("rtg_41t.yaml")
TICK = 10_000_000
PUSH = (3000.0, -2000.0, 500.0), (0.0, 0.0, 400.0)
HEARD = (interface.JOINT_STATES, interface.CABLE_STATES, interface.GROUND_TRUTH, interface.HOOK_IMU)


@pytest.fixture(scope="module")
def hanging(tmp_path_factory):
    """The tower crane's file, with its load in the air."""
    path = tmp_path_factory.mktemp("crane") / "hanging.yaml"
    path.write_text(CRANE.read_text().replace("state: on_ground ", "state: hanging "))
    return path


@pytest.fixture(scope="module")
def node(hanging, start_node, probe):
    """A node whose time passes by steps."""
    made = start_node(
        crane_config=hanging, lockstep="service", command_timeout=0.2, frame_prefix="c1/"
    )
    clock = probe.listen(interface.CLOCK)
    probe.until(lambda: clock or not made.alive(), "the first clock", 300.0)
    for endpoint in HEARD:
        probe.listen(endpoint)
    yield made
    assert made.end() == 0 and "Traceback" not in made.said()


@pytest.fixture(autouse=True)
def _fresh_start(node, probe):
    """Every test begins with the crane at its start."""
    assert call(probe, "reset")[0]


@pytest.fixture
def twin(hanging):
    """A machine like the node's."""
    return Machine(load_crane(hanging), 1e-3, 10, 0.2)


@pytest.fixture(scope="module")
def gantry(start_node, probe, tmp_path_factory):
    """A gantry with twistlocks that turn, in a namespace."""
    path = tmp_path_factory.mktemp("crane") / "gantry.yaml"
    path.write_text(GANTRY.read_text().replace("  # twistlocks: locked ", "  twistlocks: locked "))
    made = start_node(
        "-r", "__ns:=/g", crane_config=path, lockstep="service", publish_clock="false"
    )
    yield made
    assert made.end() == 0 and "Traceback" not in made.said()


def call(probe, name, data=None, namespace=""):
    """Whether a service did it, and its sentence."""
    kind = interface.SERVICES[name]
    fields = {} if data is None else {"data": data}
    answer = probe.call(kind, f"{namespace}/cable_sim/{name}", **fields)
    return answer.success, answer.message


def newest(probe, stamp):
    """The newest message of each topic, once all are of that time [ns]."""
    got = [probe.messages[endpoint.topic] for endpoint in HEARD]
    probe.until(
        lambda: all(g and nanoseconds(g[-1].header.stamp) == stamp for g in got),
        f"the states of {stamp}",
    )
    return [g[-1] for g in got]


def step(probe, count):
    """So many ticks; the states after each."""
    states = []
    for _ in range(count):
        done, sentence = call(probe, "step")
        assert done, sentence
        stamp = round(float(sentence.split()[-2]) * 1e3) * 1_000_000
        states.append(newest(probe, stamp))
    return states


def without_stamps(states):
    """States written out to the last bit, whatever time they are of."""
    for messages in states:
        for message in messages:
            message.header.stamp.sec = message.header.stamp.nanosec = 0
    return [[repr(message) for message in messages] for messages in states]


def wrench(frame, force, torque):
    """The message."""
    vectors = {
        name: Vector3(x=v[0], y=v[1], z=v[2]) for name, v in (("force", force), ("torque", torque))
    }
    return WrenchStamped(header=Header(frame_id=frame), wrench=Wrench(**vectors))


def taken(probe):
    """How many messages the node has taken and refused, by its diagnostics."""
    (status,) = [
        s for s in probe.fresh(interface.DIAGNOSTICS).status if s.name.endswith(": commands")
    ]
    values = {pair.key: pair.value for pair in status.values}
    return int(values["taken"]), int(values["rejected"])


def give(probe, endpoint, message):
    """Publish something, and wait until the node has taken or refused it; whether it was taken."""
    before = taken(probe)
    probe.publisher(endpoint).publish(message)
    after = probe.until(lambda: (now := taken(probe)) != before and now, endpoint.topic)
    return after[0] > before[0] and after[1] == before[1]


@pytest.mark.parametrize(
    "frame, body", [("", "load"), ("world", "load"), ("c1/hook_block", "hook_block")]
)
def test_a_wrench_pushes_like_a_local_one_until_its_timeout(node, probe, twin, frame, body):
    assert give(probe, interface.EXTERNAL_WRENCH, wrench(frame, *PUSH))
    twin.pushes.give(Push(body, *PUSH, own=body == "hook_block"), twin.time)
    still = Machine(twin.crane, 1e-3, 10, 0.2)
    for _, _, truth, _ in step(probe, 25):
        seen, unmoved = twin.tick().body("load"), still.tick().body("load")
        place, velocity = truth.pose.pose.position, truth.twist.twist.angular
        assert (place.x, place.y, place.z) == tuple(seen.position)
        assert np.linalg.norm([velocity.x, velocity.y, velocity.z]) == pytest.approx(
            np.linalg.norm(seen.angular_velocity), rel=1e-12
        )
    assert np.linalg.norm(seen.position - unmoved.position) > 1e-3
    assert not twin.pushes.acting


@pytest.mark.parametrize(
    "message",
    [
        wrench("nowhere", *PUSH),
        wrench("hook_block", *PUSH),
        wrench("", (float("nan"), 0.0, 0.0), (0.0, 0.0, 0.0)),
        wrench("", (1e9, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ],
    ids=["frame", "prefix", "nan", "force"],
)
def test_a_wrench_that_cannot_be_is_refused_and_pushes_nothing(node, probe, twin, message):
    assert not give(probe, interface.EXTERNAL_WRENCH, message)
    ((_, _, truth, _),) = step(probe, 1)
    assert truth.pose.pose.position.x == twin.tick().body("load").position[0]


def test_a_restored_snapshot_repeats_commands_and_faults_exactly(node, probe):
    command = JointState(name=["trolley", "hoist"], velocity=[0.5, -0.2])
    assert give(probe, interface.JOINT_COMMANDS, command)
    derated = FaultCommand(kind="drive_derate", target="trolley", value=[0.4], start=0.1)
    assert give(probe, interface.INJECT_FAULT, derated)
    assert give(probe, interface.EXTERNAL_WRENCH, wrench("", *PUSH))
    step(probe, 5)
    done, sentence = call(probe, "save_snapshot")
    assert done, sentence
    once = step(probe, 30)
    assert give(
        probe,
        interface.INJECT_FAULT,
        FaultCommand(kind="sensor_bias", target="hoist.position", value=[1.0]),
    )
    assert call(probe, "emergency_stop", True)[0] and call(probe, "release_load")[0]
    before = nanoseconds(step(probe, 7)[-1][0].header.stamp)
    assert call(probe, "load_snapshot")[0]
    back = newest(probe, before + TICK)  # the clock goes on
    again = step(probe, 30)
    assert [nanoseconds(messages[0].header.stamp) - before for messages in again] == [
        (i + 2) * TICK for i in range(30)
    ]
    assert without_stamps(again) == without_stamps(once)
    assert without_stamps([back]) != without_stamps([again[0]])
    clocks = [nanoseconds(message.clock) for message in probe.messages["/clock"]]
    assert clocks == sorted(clocks)


def test_a_snapshot_outlives_a_reset(node, probe):
    step(probe, 3)
    assert call(probe, "save_snapshot")[0]
    (after,) = without_stamps(step(probe, 1))
    assert call(probe, "reset")[0]
    assert call(probe, "load_snapshot")[0]
    assert without_stamps(step(probe, 1)) == [after]


def test_a_released_load_falls_and_slings_obey_the_interlock(node, probe, twin):
    step(probe, 1), twin.tick()  # before the first step there is no tension to know of
    done, sentence = call(probe, "slings", False)
    assert not done and naming("load down").search(sentence)
    done, sentence = call(probe, "release_load")
    assert done and "sling_1, sling_2, sling_3, sling_4 released" in sentence
    twin.let_go()
    for _, _, truth, _ in step(probe, 10):
        assert truth.pose.pose.position.z == twin.tick().body("load").position[2]
    done, sentence = call(probe, "release_load")
    assert not done and naming("load held").search(sentence)
    done, sentence = call(probe, "slings", True)
    assert not done and naming("bring ends nearer").search(sentence)


def test_twistlocks_obey_the_interlock_and_release_unlocks_them(gantry, probe):
    for _ in range(3):
        assert call(probe, "step", namespace="/g")[0]
    done, sentence = call(probe, "twistlocks", True, "/g")
    assert not done and "locked" in sentence
    assert call(probe, "release_load", namespace="/g")[0]
    done, sentence = call(probe, "twistlocks", False, "/g")
    assert not done and "unlocked" in sentence
    assert "/g/cable_sim/slings" not in dict(probe.node.get_service_names_and_types())
