"""The SROS2 policy is that of the interface, and the interface that of running nodes."""

import importlib.util
import signal
from xml.etree import ElementTree

import pytest

pytest.importorskip("rclpy")

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.action import get_action_server_names_and_types_by_node

from cable_sim.cranes import load_crane
from cable_sim.ros.interface import FOLLOW_JOINT_TRAJECTORY, STANDARD_ACTIONS, STANDARD_SERVICES
from cable_sim.ros.launch import security

RENEW = "run `python -m cable_sim.ros.launch.security --write`"


def allowed(crane):
    """What the file allows the crane's node: names by kind of right, as ROS writes them in the
    namespace /."""
    policy = ElementTree.parse(security.shipped_policy())
    (profile,) = policy.findall(f"enclaves/enclave[@path='/cable_sim/{crane}']/profiles/profile")
    assert (profile.get("ns"), profile.get("node")) == ("/", "cable_sim")
    found = {}
    for group in profile:
        ((right, value),) = group.attrib.items()
        assert value == "ALLOW" and right not in found
        names = [item.text for item in group]
        assert len({*names}) == len(names)
        found[right] = {_full(name) for name in names}
    return found


def _full(name):
    """A name of the policy in full."""
    return (
        name
        if name.startswith("/")
        else f"/cable_sim{name[1:]}"
        if name.startswith("~")
        else f"/{name}"
    )


def graph(node):
    """The same of the running node. What makes up an action is told of as the action."""
    of_node = ("cable_sim", "/")
    listed = {
        "publish": node.get_publisher_names_and_types_by_node(*of_node),
        "subscribe": node.get_subscriber_names_and_types_by_node(*of_node),
        "reply": node.get_service_names_and_types_by_node(*of_node),
        "execute": get_action_server_names_and_types_by_node(node, *of_node),
    }
    return {
        right: {name for name, _ in names if "/_action/" not in name}
        for right, names in listed.items()
    }


def test_the_file_is_that_of_the_interface():
    text = security.policy(map(load_crane, security.SHIPPED))
    assert security.shipped_policy().read_text(encoding="utf-8") == text, RENEW


@pytest.mark.parametrize("crane", security.SHIPPED)
def test_the_policy_lists_exactly_what_a_running_node_has(start_node, fresh_probe, crane):
    expected = allowed(crane)
    if importlib.util.find_spec("simulation_interfaces") is None:
        expected["reply"] -= {f"/cable_sim/{name}" for name in STANDARD_SERVICES}
        expected["execute"] -= {f"/cable_sim/{name}" for name in STANDARD_ACTIONS}
    if importlib.util.find_spec("control_msgs") is None:
        expected["execute"] -= {f"/cable_sim/{FOLLOW_JOINT_TRAJECTORY}"}
    words = {"joystick": "true", "use_sim_time": "true", "managed": "true"}
    node = start_node(crane_config=crane, **words)
    configure = Transition(id=Transition.TRANSITION_CONFIGURE)
    fresh_probe.call(ChangeState, "/cable_sim/change_state", transition=configure)

    def seen():
        found = graph(fresh_probe.node)
        return all(expected[right] <= found[right] for right in expected)

    try:
        fresh_probe.until(
            lambda: (
                not node.alive() or ("cable_sim" in fresh_probe.node.get_node_names() and seen())
            ),
            RENEW,
            60.0,
        )
        assert graph(fresh_probe.node) == expected, RENEW
    finally:
        node.end(signal.SIGINT)


def test_a_policy_is_printed_and_an_unknown_crane_refused(capsys):
    assert security.main(["two_towers"]) == 0
    text = capsys.readouterr().out
    assert "<topic>west/winch_command</topic>" in text and "<topic>west/load_cell</topic>" in text
    ElementTree.fromstring(text.encode())
    assert security.main(["no_such_crane"]) == 2
    assert "no_such_crane" in capsys.readouterr().err
