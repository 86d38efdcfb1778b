"""Forces that a paused node sends before its first tick, and the page that shows them."""

from contextlib import closing
from dataclasses import replace

import pytest

pytest.importorskip("rclpy")

import rclpy
from rclpy.parameter import Parameter

from cable_sim.cranes import load_crane
from cable_sim.ros import interface
from cable_sim.ros.client.remote_crane import RosSource
from cable_sim.ros.node import simulation, simulator_node
from cable_sim.viewer.readouts import readings

G = 9.81
TIMEOUT = 30.0
FALLS = {"lab_inteco": 1, "overhead_32t": 8}
"""Cranes whose load hangs at the start; the rope of the first one can't stretch here."""


def load(name):
    """Return the crane of a name."""
    crane = load_crane(name)
    if name != "lab_inteco":
        return crane
    rigid = tuple(
        replace(cable, ea=None, pretension=0.0, damping_ratio=None, damping_time=None, rope=None)
        for cable in crane.scene.cables
    )
    return replace(crane, scene=replace(crane.scene, cables=rigid))


@pytest.fixture(scope="module", params=FALLS)
def paused(request, domain):
    """A paused node in this process, and the tension of its hoist rope in closed form [N]."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    crane = load(request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulation, "load_machine", lambda _: crane)
        given = {"start_paused": True, "publish_clock": False, "crane_config": request.param}
        node = simulator_node.SimulatorNode(
            context=context,
            namespace=request.param,
            parameter_overrides=[Parameter(k, value=v) for k, v in given.items()],
        )
    hung = crane.suspension
    mass = sum(body.mass for body in crane.scene.bodies if body.name in (hung.hook, hung.load))
    node.start()
    yield node, crane, mass * G / FALLS[request.param]
    node.stop()
    node.destroy_node()
    context.try_shutdown()


def step(node):
    """Have the node take a tick as ``~/step`` does."""
    done, sentence = node.simulation.physics.post(node.simulation.physics.step).result(TIMEOUT)
    assert done, sentence


def test_tension_is_sent_before_the_first_tick(paused, probe):
    """In every span and at the dead end; a tick does not change it."""
    node, crane, tension = paused
    states = interface.CABLE_STATES
    got = probe.listen(states._replace(topic=f"/{crane.name}/{states.topic}"))
    probe.until(lambda: got, "the state of a node that has not ticked")
    probe.until(lambda: step(node) or len(got) > 1, "the state after a step")
    for message in (got[0], got[-1]):
        (rope,) = (cable for cable in message.cables if cable.name == crane.ropes[0])
        assert [*rope.span_tension] == pytest.approx([tension] * len(rope.span_tension), rel=1e-3)
        assert rope.tension_winch == pytest.approx(tension, rel=1e-3)
        assert rope.tension_dead_end == pytest.approx(tension, rel=1e-3)
        assert not rope.slack
    assert (got[0].header.stamp.sec, got[0].header.stamp.nanosec) == (0, 0)
    node.simulation.physics.post(node.simulation.physics.reset).result(TIMEOUT)


def test_page_shows_the_tension_before_the_first_tick(paused, probe):
    """As text in its instruments, to the last of its digits."""
    node, crane, tension = paused
    with closing(RosSource(crane, namespace=f"/{crane.name}", name="watcher")) as source:
        frame = probe.until(lambda: pulling(source.latest(), crane), "a frame with tensions", 30.0)
        shown = {reading.name: reading for reading in readings(crane, frame, None, 0.0)}
    assert node.simulation.physics.timeline.observation.steps == 0
    one = shown["rope tension" if len(crane.ropes) == 1 else "rope tension, largest"]
    size = {"kN": 1e3, "N": 1.0}[one.unit]
    assert float(one.value) * size == pytest.approx(tension, abs=0.06 * size)


def pulling(frame, crane):
    """Return a frame once all ropes of a crane pull in it."""
    ropes = frame.cables if frame else {}
    return frame if frame and all(ropes[name].tension.any() for name in crane.ropes) else None
