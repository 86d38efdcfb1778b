"""Several cranes in one node: a topic for each axis and each sway, and one emergency stop for
all."""

import pytest

from cable_sim.cranes import load_crane

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from std_srvs.srv import SetBool

from cable_sim.ros import interface
from cable_sim.ros.basis.frames import floating_bodies
from cable_sim.ros.interface import (
    AXIS_TOPICS,
    JOINT_STATES,
    SWAY_STATE,
    axis_command,
    axis_topic,
    load_endpoint,
)

PARAMETERS = {"crane_config": "two_towers", "real_time_factor": 2.0}


@pytest.fixture(scope="module")
def crane():
    return load_crane("two_towers")


def test_each_axis_and_each_sway_has_its_topic(crane):
    assert (
        axis_topic("east_hoist") == "east/winch_command"
        and axis_topic("hoist") == AXIS_TOPICS["hoist"]
    )
    assert axis_topic("motor") is None and axis_topic("_hoist") is None
    with pytest.raises(KeyError):
        axis_command("motor")
    commanded = {endpoint.topic for endpoint in interface.commanded_endpoints(crane)}
    assert commanded >= {
        f"{c}/{t}_command" for c in ("east", "west") for t in ("slew", "trolley", "winch")
    }
    published = [endpoint.topic for endpoint in interface.published_endpoints(crane)]
    assert len(set(published)) == len(published)
    assert {
        "sway_state",
        "west/sway_state",
        "payload_ground_truth",
        "west/payload_ground_truth",
    } <= set(published)
    assert floating_bodies(crane) == (
        "east_hook_block",
        "east_load",
        "west_hook_block",
        "west_load",
    )


def test_one_crane_moves_alone_and_one_stop_halts_both(node, probe, crane):
    from cable_sim.msg import AxisCommand

    joints = probe.listen(JOINT_STATES)
    sways = [probe.listen(load_endpoint(SWAY_STATE, crane, hung)) for hung in crane.suspensions]
    probe.until(lambda: joints and all(sways), "joint states and both sways")
    names = list(joints[-1].name)
    assert names == [axis.joint for axis in crane.axes]
    assert [messages[-1].header.frame_id for messages in sways] == ["east_trolley", "west_trolley"]
    publisher = probe.publisher(axis_command("west_trolley"))

    def moving():
        publisher.publish(AxisCommand(axis="west_trolley", value=0.5, enable=True))
        return joints[-1].velocity[names.index("west_trolley")] > 0.3

    probe.until(moving, "the western trolley on west/trolley_command")
    assert abs(joints[-1].velocity[names.index("east_trolley")]) < 1e-6
    assert probe.call(SetBool, f"{interface.NODE_NAME}/emergency_stop", data=True).success
    probe.until(lambda: max(map(abs, joints[-1].velocity)) < 1e-3, "both cranes to stand")
