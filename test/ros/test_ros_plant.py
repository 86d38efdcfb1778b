"""Controllers over ROS: the same numbers as in one process, to the last bit, and clear words where
that can't be."""

import dataclasses
import math
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from builtin_interfaces.msg import Time
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message, serialize_message
from std_srvs.srv import Trigger

from cable_sim.cli import main
from cable_sim.control.feedback import Command, feedback_of
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.run import run
from cable_sim.control.scenario import Move, Scenario, read_scenario
from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError, CommandError
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.lockstep import plant
from cable_sim.ros.lockstep.plant import RosPlant, joint_commands
from cable_sim.ros.publish.feedback_messages import FeedbackMessage, feedback_from
from cable_sim.scenes.machines import load_machine
from cable_sim_studies.groups import single_scenarios

ROOT = Path(__file__).resolve().parents[2]
TOUCHY = '''
import math
import struct
import time
import zlib

from cable_sim.control.feedback import Command
from cable_sim.control.task import speeds_of


class Touchy:
    """What it commands depends on all that it sees, to the last bit."""

    def __init__(self, nap=0.0):
        self.nap = nap

    def start(self, task):
        def law(seen):
            states = [number for state in seen.axes.values() for number in state]
            truth = [seen.pull, *seen.sway, *seen.load.position, *seen.load.velocity]
            limits = [float(state == "ok") for state in seen.limits.values()]
            numbers = [*states, *truth, *seen.readings.values(), *limits]
            nudge = 0.01 * zlib.crc32(struct.pack(f"{len(numbers)}d", *numbers)) / 2**32
            planned = speeds_of(task.planned, seen.time)
            speeds = {name: speed + nudge for name, speed in planned.items()}
            if math.isfinite(seen.readings["sway.radial"]):
                speeds["trolley"] += 5.0 * seen.readings["sway.radial"]
            if 0.5 < seen.time < 0.6:
                time.sleep(self.nap)
                return {}  # nothing new
            if seen.time > 1.0:
                speeds["slewing"] = Command(0.03 + nudge, "position")
            return speeds

        return law
'''
SCENARIO = """
crane: tower_12t
load: 3000.0
rope_length: 30.0
start: {trolley: 25.0}
seed: 7
wind: {sum_of: [{kind: turbulence, speed: 10.0, intensity: 0.2, direction_deg: 90.0}]}
faults:
  - {kind: drive_derate, target: trolley, value: 0.3}
  - {kind: sensor_bias, target: sway.radial, value: 0.002, start: 0.4, duration: 0.5}
  - {kind: sensor_dead, target: hoist_rope.pull, start: 0.7}
  - {kind: limiter_bypass, target: hook_twist, start: 0.3}
pushes:
  - {force: [300.0, 0.0, 0.0], start: 0.3, duration: 0.7}
  - {force: [0.0, 200.0, 50.0], start: 0.6, duration: 0.1}
moves:
  - {axis: trolley, by: 0.5, start: 0.1}
  - {axis: hoist, by: -0.3, start: 0.2}
  - {axis: slewing, by_deg: 0.5}
watch: 0.5
controller: {kind: custom, name: "touchy:Touchy", settings: {nap: NAP}}
"""


def write(folder, nap=0.0):
    """The file of the scenario, and its controller beside it."""
    (folder / "touchy.py").write_text(TOUCHY)
    path = folder / "scenario.yaml"
    path.write_text(SCENARIO.replace("NAP", str(nap)))
    return path


@pytest.fixture(scope="module")
def scenario_file(tmp_path_factory):
    return write(tmp_path_factory.mktemp("scenario"))


@pytest.fixture(scope="module")
def scenario(scenario_file):
    return read_scenario(scenario_file)


@pytest.fixture(scope="module")
def alone(scenario):
    """The run in one process."""
    return run(scenario)


# The message


@pytest.mark.parametrize(
    "name", ["tower_12t", "rtg_41t", "two_towers", "nehe_rope", "rope_over_block"]
)
def test_a_feedback_message_carries_every_number_to_the_bit(name):
    machine = Machine(load_machine(name))
    stamp = Time()
    message = FeedbackMessage(machine, "world", stamp)
    for ticks in (0, 1, 37):
        for _ in range(ticks):
            for axis in machine.crane.axes:
                machine.command(axis.name, 0.5 * axis.max_speed)
            machine.tick()
        observation = machine.observe()
        raw = serialize_message(message.fill(observation))
        seen = feedback_from(deserialize_message(raw, interface.FEEDBACK.type))
        expected = feedback_of(machine, observation)
        assert repr(seen) == repr(expected)
        assert (seen.sway is None) == (seen.load is None) == (machine.crane.suspension is None)
        states = [number for state in expected.axes.values() for number in state]
        numbers = [
            expected.time,
            expected.pull,
            *expected.readings.values(),
            *states,
            *(expected.sway or ()),
        ]
        assert {type(number) for number in numbers} == {
            float
        }  # a law in one process computes with the same kind
    assert seen.time > 0.3 and all(isinstance(state, str) for state in seen.limits.values())


def test_commands_become_one_message_of_joints():
    crane = load_crane("tower_12t")
    message = joint_commands(
        crane, {"trolley": 0.1 + 0.2, "hoist": Command(31.0, "position"), "slewing": 0}
    )
    assert list(message.name) == ["trolley", "hoist", "slewing"]
    assert list(message.velocity)[::2] == [0.1 + 0.2, 0.0] and math.isnan(message.velocity[1])
    assert message.position[1] == 31.0 and math.isnan(message.position[0])
    assert joint_commands(crane, {"hoist": Command(9.0, "effort")}).effort[0] == 9.0
    assert (
        not joint_commands(crane, {}).name and not joint_commands(crane, {"trolley": 1.0}).position
    )


@pytest.mark.parametrize(
    "control, told",
    [
        ({"troley": 1.0}, "axis 'troley' slewing trolley hoist"),
        ({"hoist": None}, "'hoist' None finite number"),
        ({"hoist": math.nan}, "axis 'hoist' value nan finite number"),
        ({"hoist": Command(1.0, "lever")}, "axis 'hoist' mode 'lever' speed position effort"),
    ],
)
def test_what_can_not_be_commanded_is_refused(control, told):
    with pytest.raises(CommandError, match=naming(told)):
        joint_commands(load_crane("tower_12t"), control)


# A node of its own


def test_a_run_over_ros_equals_a_local_run_to_the_bit_twice(domain, scenario, alone):
    with closing(RosPlant.of(scenario)) as made:
        for _ in range(2):
            result = run(scenario, made)
            assert result.same_as(alone) == ()
            assert made.deadlines.answered == len(alone.time) - 1 and made.deadlines.missed == 0
            assert made.deadlines.slowest == max(result.latencies) > 0.0
            assert (
                len(result.latencies) == len(alone.time) - 2 and np.isfinite(result.heading).all()
            )
    for without in ({"faults": ()}, {"pushes": ()}):
        assert "sway" in result.same_as(
            run(dataclasses.replace(scenario, **without))
        )  # which so have come


@pytest.mark.slow
@pytest.mark.parametrize("name", single_scenarios())
def test_every_scenario_that_comes_along_is_the_same_over_ros(domain, name):
    """But for most of the time in which the load is watched."""
    scenario = dataclasses.replace(read_scenario(single_scenarios()[name]), watch=1.0)
    expected = run(scenario)
    with closing(RosPlant.of(scenario)) as made:
        assert run(scenario, made).same_as(expected) == ()


def test_a_node_that_ends_or_a_fault_that_can_not_be_is_told_of(domain):
    scenario = Scenario(crane="lab_inteco", moves=[Move("trolley", by=0.1)])
    with closing(RosPlant(scenario.build(), faults=[Fault("drive_trip", "gantri")])) as made:
        with pytest.raises(CommandError, match=naming("axis 'gantri' gantry trolley hoist")):
            made.reset()
        with pytest.raises(CableSimError, match=naming("reset before first step")):
            made.step({})
        made._faults = ()
        seen = made.reset()
        assert made.step({"trolley": 0.1}).time == pytest.approx(seen.time + 0.01)
        made._node.process.kill()
        with pytest.raises(CableSimError, match=naming("feedback node status 137")):
            while True:
                made.step({})
    made.close()


def test_evaluate_runs_cranes_in_nodes_and_closes_all_of_them(scenario_file, tmp_path, monkeypatch):
    """Here with plants in this process instead, which take a note of what is done with them."""
    noted = []

    class Noted(LocalPlant):
        def close(self):
            noted.append(self.machine.time)

    def of(scenario):
        return Noted(scenario.build(), scenario.dt, scenario.period, scenario.faults)

    monkeypatch.setattr(RosPlant, "of", of)
    with pytest.raises(SystemExit) as ended:
        main(
            [
                "evaluate",
                str(scenario_file),
                "--ros",
                "--controller",
                "operator,custom",
                "--out",
                str(tmp_path),
            ]
        )
    assert ended.value.code == 0 and len(noted) == 2 and min(noted) > 2.0


# A node that runs


@pytest.fixture(scope="module")
def served(scenario_file, start_node, probe):
    """A node with the scenario's crane in lockstep, as `cable-sim control --crane-file` gives
    it."""
    crane = scenario_file.parent / "crane.yaml"
    control = [sys.executable, "-m", "cable_sim.cli", "control", str(scenario_file)]
    subprocess.run([*control, "--crane-file", str(crane)], check=True, timeout=300.0)
    node = start_node(
        crane_config=crane, lockstep="command", lockstep_timeout=0.0, real_time_factor=0.0
    )
    heard = probe.listen(interface.FEEDBACK, QoSProfile(depth=2000))
    probe.until(lambda: heard or not node.alive(), "the first feedback", 300.0)
    yield node
    assert node.end() == 0
    assert "Traceback" not in node.said()


def test_node_controller_and_recorder_in_three_processes(
    served, probe, scenario, scenario_file, alone
):
    heard = probe.messages[interface.FEEDBACK.topic]
    del heard[:]
    command = [sys.executable, "-m", "cable_sim.cli", "control", str(scenario_file), "--reset"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        probe.until(lambda: process.poll() is not None, "the controller's end", 300.0)
        said, errors = process.communicate()
    assert process.returncode == 0 and "0 deadlines missed" in said, said + errors
    local = LocalPlant(
        scenario.build(), scenario.dt, scenario.period, scenario.faults, scenario.pushes
    )
    seen = local.reset()
    law = scenario.controller.start(scenario.task(local.crane, seen, local.period))
    expected = {seen.time: seen}
    probe.until(lambda: heard[-1].time >= alone.time[-1], "the last state")
    while seen.time < heard[-1].time:
        seen = local.step(law(seen))
        expected[seen.time] = seen
    recorded = {message.time: feedback_from(message) for message in heard}
    assert len(recorded) > 0.9 * len(expected) > 150
    for when, one in recorded.items():
        assert repr(one) == repr(expected[when]), when


def test_in_real_time_late_answers_are_counted(served, probe, tmp_path, alone):
    """The law naps for 25 ms at a time, over a tenth of a second; and it begins where the node
    is."""
    probe.change(lockstep="off", real_time_factor=1.0)
    try:
        napping = read_scenario(write(tmp_path, 0.025))
        with closing(RosPlant.of(napping, namespace="", reset=False)) as made:
            result = run(napping, made)
        passed = np.round(np.diff(result.time) / made.period)[1:]  # the first state has no deadline
        naps = int(((result.time[1:-1] > 0.5) & (result.time[1:-1] < 0.6)).sum())
        assert naps >= 1 and passed.max() >= 2 and made.deadlines.slowest >= 0.025
        assert made.deadlines.answered == len(passed) + 1
        assert made.deadlines.missed >= (passed - 1).sum() + naps
        assert result.time[0] == 0.0 and result.time[-1] == pytest.approx(alone.time[-1], abs=0.5)
    finally:
        probe.change(lockstep="command", real_time_factor=0.0)


def test_a_node_that_does_not_match_the_plant_is_refused(served, scenario, monkeypatch):
    crane = scenario.build()
    for made, told in (
        (RosPlant(crane, dt=2e-3, namespace=""), "physics_step 0.001 start -p physics_step:=0.002"),
        (RosPlant(load_crane("rtg_41t"), namespace=""), "axes slewing trolley hoist gantry"),
    ):
        with closing(made), pytest.raises(CableSimError, match=naming(told)):
            made.reset()
    monkeypatch.setattr(plant, "MEETING_PATIENCE", 0.3)
    with closing(RosPlant(crane, namespace="/nobody")) as made:
        with pytest.raises(CableSimError, match=naming("simulator 0.3 s")):
            made.reset()


class Unacknowledged:
    """A publisher of which nobody acknowledges anything before the wanted number of looks."""

    def __init__(self, publisher, looks):
        self.publisher, self.looks = publisher, looks

    def publish(self, message):
        self.publisher.publish(message)

    def wait_for_all_acked(self, timeout):
        self.looks -= 1
        return self.looks < 0 and self.publisher.wait_for_all_acked(timeout)


def test_a_push_is_acknowledged_before_the_state_is_answered(served, scenario):
    """Else it might come to the node behind the answer, in another tick, and nobody would see
    it."""
    topic = interface.EXTERNAL_WRENCH.topic
    with closing(RosPlant.of(scenario, namespace="")) as made:
        made.reset()
        late = made._link._publishers[topic] = Unacknowledged(made._link._publishers[topic], 2)
        made._link.push((1.0, 0.0, 0.0))
        assert late.looks == -1
        made._link.patience, late.looks = 0.3, 10**6
        with pytest.raises(CableSimError, match=naming("push load 0.3 s")):
            made._link.push((0.0, 0.0, 0.0))
        late.looks, made._link.patience = 0, 30.0
        made._link.push((0.0, 0.0, 0.0))


def test_a_node_that_lets_pushes_time_out_is_refused(served, probe, scenario):
    """They are renewed every 0.25 s."""
    probe.change(command_timeout=0.2)
    try:
        with closing(RosPlant.of(scenario, namespace="")) as made:
            with pytest.raises(
                CableSimError, match=naming("command_timeout 0.2 s pushes renewed 0.25")
            ):
                made.reset()
    finally:
        probe.change(command_timeout=0.5)


def test_a_second_controller_is_noticed(served, probe, scenario):
    """Who stamps ahead lets more than one tick pass."""
    heard = probe.messages[interface.FEEDBACK.topic]
    with closing(RosPlant.of(scenario, namespace="")) as one:
        one.reset()
        begin = one.step({}).time
        probe.until(lambda: heard[-1].time == begin, "that state")
        ahead = joint_commands(one.crane, {})
        ahead.header.stamp.sec = heard[-1].header.stamp.sec + 3
        probe.publisher(interface.JOINT_COMMANDS).publish(ahead)
        probe.until(lambda: heard[-1].time > begin + 0.5, "half a second")
        with pytest.raises(CableSimError, match=naming("ticks answer controller")):
            one.step({})
            one.step({})


def test_the_ros_node_template_acts_as_its_law_in_one_process(served, probe, scenario):
    """In lockstep with the node, which wakes it with its first state."""
    heard = probe.messages[interface.FEEDBACK.topic]
    assert probe.call(Trigger, "/cable_sim/reset").success
    probe.until(lambda: heard[-1].time == 0.0, "the start")
    del heard[:-1]
    template = ROOT / "examples" / "controllers" / "my_ros_controller.py"
    command = [sys.executable, str(template), "--ros-args", "-p", "target:=26.5", "-p", "gain:=6.0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            probe.until(lambda: heard[-1].time > 6.0 or process.poll() is not None, "6 s", 300.0)
        finally:
            process.kill()  # rclpy.spin does not always wake for a signal
        _, said = process.communicate(timeout=300.0)
    assert "Traceback" not in said, said
    local = LocalPlant(scenario.build(), scenario.dt, scenario.period)
    seen, expected = local.reset(), {}
    while seen.time < heard[-1].time:
        sway = seen.readings["sway.radial"]
        speed = min(max(0.3 * (26.5 - seen.axes["trolley"].position), -0.8), 0.8)
        seen = local.step({"trolley": speed if math.isnan(sway) else speed + 6.0 * sway})
        expected[seen.time] = repr(seen)
    recorded = {
        message.time: repr(feedback_from(message)) for message in heard if message.time > 0.0
    }
    assert len(recorded) > 500 and seen.axes["trolley"].position > 25.5
    assert recorded == {when: expected[when] for when in recorded}
