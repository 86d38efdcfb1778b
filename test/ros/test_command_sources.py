"""Several nodes that command one axis: who is obeyed, and what is told of it."""

import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from cable_sim.msg import AxisCommand
from diagnostic_msgs.msg import DiagnosticStatus

from cable_sim.errors import CableSimError
from cable_sim.ros import interface
from cable_sim.ros.command.command_sources import CommandSources, Sender, SenderNames, sender_of
from cable_sim.ros.node import parameter_server

PARAMETERS = {"real_time_factor": 4.0, "diagnostics_period": 0.1}
TOPIC = "trolley_command"
A, B, LATE = (Sender(TOPIC, number) for number in (b"a", b"b", b"c"))
NAMES = {A: "/yard/planner", B: "/operator", LATE: ""}


class Desk:
    """Sources with a clock that the test turns."""

    def __init__(self, rule):
        self.now, self.refused = 10.0, []
        self.sources = CommandSources(
            NAMES, lambda: self.now, self.refused.append, rule=rule, hold=0.5
        )

    def hears(self, *senders, every=0.1, axis="trolley"):
        """Whether each is obeyed that commands in turn."""
        told = []
        for sender in senders:
            told.append(self.sources.obeys(axis, sender))
            self.now += every
        return told


def test_any_obeys_all_and_tells_of_both():
    desk = Desk("any")
    assert desk.hears(A, B, A) == [True] * 3
    (told,) = desk.sources.conflicts()
    assert naming(f"trolley /yard/planner ({TOPIC}) /operator ({TOPIC})").search(told)
    desk.hears(A, A, A, A, A)
    assert desk.sources.conflicts() == [] and desk.refused == []


def test_first_obeys_the_first_until_it_is_silent():
    desk = Desk("first")
    assert desk.hears(A, B, A, B) == [True, False, True, False]
    assert desk.hears(B, axis="hoist") == [True], "each axis by itself"
    desk.now += 0.6
    assert desk.hears(B, A, B) == [True, False, True]
    names = f"trolley /operator ({TOPIC}) /yard/planner ({TOPIC}) (command_source)"
    assert naming(names).search(desk.refused[0]) and desk.refused[1] == ""


def test_a_sender_in_waiting_follows_a_silent_one():
    desk = Desk("first")
    assert desk.hears(A, *[B] * 8) == [True, False, False, False, False, False, True, True, True]


@pytest.mark.parametrize("rule", ["/yard/planner", "planner"])
def test_a_name_obeys_that_node_alone(rule):
    desk = Desk(rule)
    assert desk.hears(B, A, LATE, B) == [False, True, False, False]
    assert naming(f"unknown node ({TOPIC}) {rule}").search(desk.refused[1])


def test_a_full_name_is_not_that_of_another_namespace():
    assert Desk("/planner").hears(A) == [False]


def test_time_that_goes_back_begins_anew():
    desk = Desk("first")
    desk.hears(A)
    desk.now = 0.0
    assert desk.hears(B, A) == [True, False]


def test_names_are_searched_until_the_graph_has_them(monkeypatch):
    from cable_sim.ros.command import command_sources

    now, graph = [0.0], []
    monkeypatch.setattr(command_sources.time, "monotonic", lambda: now[0])
    asked = []
    names = SenderNames(lambda topic: asked.append(topic) or graph)
    assert names[A] == ""
    graph += [("/one", b"a" + bytes(8)), ("/two", b"b")]
    assert names[A] == "" and len(asked) == 1, "not at every message"
    now[0] += 0.6
    assert names[A] == "/one"
    now[0] += 0.6
    graph.clear()
    assert names[A] == "/one" and len(asked) == 2
    graph += [("/one", b"a"), ("/two", b"b")]
    assert names[Sender(TOPIC, b"")] == "/one or /two", "where no number is told"


def test_a_middleware_that_tells_no_sender_is_one_a_topic():
    assert sender_of(TOPIC, {}) == sender_of(TOPIC, {"publisher_gid": None}) == Sender(TOPIC, b"")
    assert sender_of(TOPIC, {"publisher_gid": {"data": b"1"}}) == Sender(TOPIC, b"1")


@pytest.fixture
def rivals(node, probe):
    """Two nodes that publish on the trolley's topic; a function that lets both publish once."""
    import rclpy

    end = interface.axis_command("trolley")
    nodes = [rclpy.create_node(name, context=probe.context) for name in ("left", "right")]
    outs = [made.create_publisher(end.type, end.topic, end.qos) for made in nodes]
    probe.until(lambda: all(out.get_subscription_count() for out in outs), "the simulator")

    def command():
        for out, value in zip(outs, (0.2, -0.2), strict=True):
            out.publish(AxisCommand(value=value, enable=True))

    yield command
    for made in nodes:
        made.destroy_node()


needs_senders = pytest.mark.skipif(
    not parameter_server.senders_told(), reason="rclpy tells no senders before Kilted"
)


def commands_status(probe):
    """The newest status of commands."""
    message = probe.messages["/diagnostics"][-1]
    (status,) = [s for s in message.status if s.name.endswith("commands")]
    return status


@needs_senders
def test_both_names_are_in_the_diagnostics(rivals, probe):
    probe.listen(interface.DIAGNOSTICS)
    probe.fresh(interface.DIAGNOSTICS)
    told = probe.until(
        lambda: "/left" in (text := commands_status(probe).message) and "/right" in text and text,
        "a warning of both",
        every=rivals,
    )
    assert naming("trolley commanded").search(told) and naming("newest command counts").search(told)
    assert commands_status(probe).level == DiagnosticStatus.WARN
    probe.until(lambda: commands_status(probe).level == DiagnosticStatus.OK, "silence")


@needs_senders
@pytest.mark.parametrize("rule, sign", [("left", 1), ("/right", -1)])
def test_the_named_node_is_obeyed(rule, sign, rivals, probe):
    states = probe.listen(interface.JOINT_STATES)

    def speed():
        newest = states[-1]
        return dict(zip(newest.name, newest.velocity, strict=True))["trolley"]

    probe.change(command_source=rule)
    try:
        probe.until(lambda: states and sign * speed() > 0.19, "its speed", every=rivals)
    finally:
        probe.change(command_source="any")


def test_a_name_is_refused_where_rclpy_tells_no_sender(probe, monkeypatch):
    """As Jazzy's does: the parameter could not be obeyed."""
    import rclpy.subscription
    from rclpy.parameter import Parameter

    started = rclpy.create_node("started", context=probe.context)
    named = [Parameter("command_source", value="planner")]
    try:
        assert parameter_server.declare(started).command_source == "any"
        if parameter_server.senders_told():
            info = rclpy.subscription.MessageInfo
            assert parameter_server.settings_of(started, changed=named).command_source == "planner"
            told = {name: kind for name, kind in info.__annotations__.items() if "gid" not in name}
            monkeypatch.setattr(info, "__annotations__", told)
        with pytest.raises(CableSimError, match=naming("'planner' nodes")):
            parameter_server.settings_of(started, changed=named)
        assert parameter_server.settings_of(started).command_source == "any"
        socket = [*named, Parameter("ros2_control_socket", value="/run/a.sock")]
        assert parameter_server.settings_of(started, changed=socket).command_source == "planner"
    finally:
        started.destroy_node()
