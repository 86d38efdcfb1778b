"""A managed node: it waits for a manager, and moves nothing unless it is active."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from cable_sim.msg import AxisCommand, SimStats
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetAvailableTransitions, GetState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import SetBool, Trigger
from test_ros_hardware import Component

from cable_sim.machine.machine import Machine
from cable_sim.machine.spawning import Loads
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import nanoseconds
from cable_sim.ros.command.commands import AxisSetpoint, Counts
from cable_sim.ros.command.trajectories import TrajectoryError
from cable_sim.ros.hardware import hardware_protocol as protocol
from cable_sim.ros.physics.operations import Operations
from cable_sim.ros.physics.timeline import Timeline

TROLLEY = interface.axis_command("trolley")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Where the node's socket for ros2_control is."""
    return str(tmp_path_factory.mktemp("socket") / "ros2_control.sock")


@pytest.fixture(scope="module")
def node(start_node, probe, path):
    """A managed node, which ends well whatever state it is left in."""
    made = start_node(
        managed="true",
        crane_config="no_such_crane",
        diagnostics_period=0.1,
        ros2_control_socket=path,
    )
    probe.listen(interface.JOINT_STATES)
    probe.listen(interface.SIM_STATS)
    yield made
    assert made.end() == 0
    assert "Traceback" not in made.said()


@pytest.fixture(scope="module")
def inactive(node, probe):
    """The same node, configured for the first time, after a crane that can't be."""
    assert state(probe) == State.PRIMARY_STATE_UNCONFIGURED
    assert not change(probe, Transition.TRANSITION_CONFIGURE)
    assert (
        set_text(probe, "managed", "false") and set_text(probe, "crane_config", "tower_12t") == ""
    )
    assert change(probe, Transition.TRANSITION_CONFIGURE), node.said()
    return node


def state(probe):
    """The state's number."""
    return probe.call(GetState, "/cable_sim/get_state").current_state.id


def change(probe, transition):
    """Whether a transition was made."""
    asked = Transition(id=transition)
    return probe.call(ChangeState, "/cable_sim/change_state", transition=asked).success


def set_text(probe, name, value):
    """Set a parameter; the reason of a refusal."""
    made = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)
    asked = [Parameter(name=name, value=made)]
    return (
        probe.call(SetParameters, "/cable_sim/set_parameters", parameters=asked).results[0].reason
    )


def trolley(probe, count=0):
    """Position, speed and stamp of the trolley after so many more messages."""
    message = probe.fresh(interface.JOINT_STATES, count)
    i = list(message.name).index("trolley")
    return message.position[i], message.velocity[i], nanoseconds(message.header.stamp)


def drive(probe, until, what):
    """Command the trolley outward until something holds."""
    out = probe.publisher(TROLLEY)
    return probe.until(until, what, every=lambda: out.publish(AxisCommand(value=0.5, enable=True)))


def standing(probe):
    """Whether the statistics say that time stands because the node is inactive."""
    told = probe.fresh(interface.SIM_STATS)
    return told.status == SimStats.PAUSED and "inactive" in told.status_text


def test_an_unconfigured_node_offers_transitions_and_no_crane(node, probe):
    found = probe.call(GetAvailableTransitions, "/cable_sim/get_available_transitions")
    labels = {one.transition.label for one in found.available_transitions}
    assert labels == {"configure", "shutdown"}
    names = probe.until(probe.published, "the discovery of the node")
    assert "/joint_states" not in names and "/clock" not in names


def test_bad_transitions_are_refused_and_the_node_lives(node, probe):
    assert not change(probe, Transition.TRANSITION_ACTIVATE)
    assert not change(probe, 77)
    assert not change(probe, Transition.TRANSITION_CONFIGURE)
    assert "no_such_crane" in node.said() and "tower_12t" in node.said()
    assert state(probe) == State.PRIMARY_STATE_UNCONFIGURED


def test_inactive_it_stands_refuses_commands_and_tells_why(inactive, probe):
    clock = probe.fresh(interface.CLOCK, 2)
    before = probe.until(lambda: probe.messages["joint_states"], "a state") and trolley(probe)
    told = probe.listen(interface.DIAGNOSTICS)
    drive(probe, lambda: "inactive" in repr(told[-1:]), "the refusal")
    assert trolley(probe) == before
    answer = probe.call(SetBool, "/cable_sim/pause", data=False)
    assert not answer.success and "activate" in answer.message
    answer = probe.call(Trigger, "/cable_sim/step")
    assert not answer.success and "activate" in answer.message
    assert nanoseconds(probe.fresh(interface.CLOCK, 2).clock) == nanoseconds(clock.clock)
    probe.until(lambda: standing(probe), "its status")
    assert set_text(probe, "crane_config", "rtg_41t")  # read-only from now on


def test_inactive_it_dismisses_hardware_with_the_reason(inactive, path):
    component = Component(path, crane="tower_12t", joints=("trolley",))
    component.until(protocol.STATES)
    component.peer.send(struct.pack("=II", protocol.ENGAGE, 1))
    assert "activate" in component.until(protocol.GOODBYE)
    component.close()


def test_active_it_obeys_and_a_deactivation_brakes_to_rest(inactive, probe):
    start = trolley(probe)[0]
    assert change(probe, Transition.TRANSITION_ACTIVATE)
    drive(probe, lambda: trolley(probe, 1)[1] > 0.3, "speed")
    assert change(probe, Transition.TRANSITION_DEACTIVATE)
    probe.until(lambda: standing(probe), "its status")
    got = probe.messages[interface.JOINT_STATES.topic]
    place, speed, stamp = trolley(probe)
    assert place > start + 0.01 and abs(speed) < 1e-3
    assert stamp == nanoseconds(probe.fresh(interface.CLOCK, 2).clock)
    i = list(got[-1].name).index("trolley")
    speeds = [message.velocity[i] for message in got]
    ramp = speeds[int(np.argmax(speeds)) :]
    assert len([v for v in ramp if v > 0.05]) > 10, "it stops by its ramp, not at once"
    drive(probe, lambda: probe.fresh(interface.CLOCK, 3), "clocks")
    assert trolley(probe) == (place, speed, stamp)
    assert change(probe, Transition.TRANSITION_ACTIVATE)
    assert trolley(probe, 20)[0] == pytest.approx(place, abs=1e-3)
    assert change(probe, Transition.TRANSITION_DEACTIVATE)


def test_closed_operations_refuse_setpoints_and_trajectories(crane):
    counts, machine = Counts(), Machine(crane)
    operations = Operations(Timeline(machine), SimpleNamespace(counts=counts), Loads(crane))
    operations.apply([AxisSetpoint("trolley", 0.5)])
    operations.close("it is closed")
    for _ in range(3):
        operations.apply([AxisSetpoint("trolley", 0.5)])
    assert machine.orders["trolley"].brake and machine.orders["trolley"].value == 0.0
    assert counts.of["rejected"] == 3 and list(counts.notices) == ["it is closed"]
    with pytest.raises(TrajectoryError, match="closed"):
        operations.begin_trajectory(None)


def test_a_cleaned_up_node_can_run_another_crane(inactive, probe):
    assert change(probe, Transition.TRANSITION_CLEANUP)
    assert state(probe) == State.PRIMARY_STATE_UNCONFIGURED
    probe.until(lambda: "/joint_states" not in probe.published(), "that its topics are gone")
    assert set_text(probe, "crane_config", "lab_inteco") == ""
    assert change(probe, Transition.TRANSITION_CONFIGURE)
    joints = probe.fresh(interface.JOINT_STATES)
    assert list(joints.name)[:3] == ["gantry", "trolley", "hoist"]
    assert change(probe, Transition.TRANSITION_ACTIVATE)
    assert nanoseconds(probe.fresh(interface.CLOCK, 20).clock) > 0
    assert change(probe, Transition.TRANSITION_ACTIVE_SHUTDOWN)
    assert state(probe) == State.PRIMARY_STATE_FINALIZED
    assert not change(probe, Transition.TRANSITION_CONFIGURE)
