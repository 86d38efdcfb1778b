"""Message contacts: what touches, and what began or ended since the message before."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from builtin_interfaces.msg import Time
from visualization_msgs.msg import Marker

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.rendering.contact_arrows import arrow_mesh, arrows_of
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import set_time
from cable_sim.ros.client.node_state_cache import NodeStateCache
from cable_sim.ros.publish.contact_messages import ContactsMessage, read_contact, read_event
from cable_sim.ros.publish.devices import DeviceTopics
from cable_sim.ros.publish.markers import arrow_markers


@pytest.fixture
def machine() -> Machine:
    return Machine(load_crane("tower_12t", {"rig.start.state": "on_ground"}))


def sent(topics: DeviceTopics, machine: Machine) -> list:
    """Messages contacts among the news."""
    return [fill(machine) for endpoint, fill in topics.news() if endpoint.topic == "contacts"]


def test_touches_are_told_when_they_end_and_no_more(machine: Machine) -> None:
    stamp = Time(sec=100)
    topics = DeviceTopics(machine, "", "world", stamp, 100.0)
    told = topics._contacts.fill(machine)
    assert told.header.frame_id == "world"
    assert told.events == [] == sent(topics, machine)
    (touch,) = told.contacts
    assert {touch.first, touch.second} == {"load", "ground"}
    assert len(touch.points) == len(touch.forces) == 4
    weight = 4000.0 * 9.80665
    assert touch.normal_force == pytest.approx(weight, rel=1e-2)
    up = 1.0 if touch.first == "ground" else -1.0
    assert sum(force.z for force in touch.forces) == pytest.approx(up * weight, rel=1e-2)
    assert sorted({round(abs(point.z), 3) for point in touch.points}) == [0.0]
    ended = []
    for tick in range(1500):
        machine.command("hoist", -0.3)
        machine.tick()
        stamp.sec, stamp.nanosec = divmod(100_000_000_000 + (tick + 1) * 10_000_000, 1_000_000_000)
        if ended := sent(topics, machine):
            break
    assert ended[0].contacts == []
    (event,) = ended[0].events
    assert not event.begins and event.impact_speed == 0.0
    assert {event.first, event.second} == {"load", "ground"}
    late = (stamp.sec - event.time.sec) + 1e-9 * (stamp.nanosec - event.time.nanosec)
    assert 0.0 <= late < 0.01
    machine.tick()
    assert sent(topics, machine) == []


def test_landing_hook_block_is_told_with_its_speed(machine: Machine) -> None:
    message = ContactsMessage(machine, "world", Time())
    told = []
    for _ in range(1500):
        machine.command("hoist", 0.3)
        machine.tick()
        if message.has_news(machine):
            told += [
                (e.begins, {e.first, e.second}, e.impact_speed)
                for e in message.fill(machine).events
            ]
    landed = [speed for begins, pair, speed in told if begins and "hook_block" in pair]
    assert landed and 0.05 < max(landed) < 0.31


def test_a_jump_back_tells_no_old_events(machine: Machine) -> None:
    message = ContactsMessage(machine, "world", Time())
    while not message.has_news(machine):
        machine.command("hoist", -0.3)
        machine.tick()
    assert len(message.fill(machine).events) == 1
    machine.reset()
    assert message.has_news(machine)
    assert message.fill(machine).events == []


def test_contacts_are_on_the_interface_of_every_crane() -> None:
    for name in ("tower_12t", "lab_gantry"):
        assert interface.CONTACTS in interface.published_endpoints(load_crane(name))


def test_events_are_read_back_and_kept_in_their_order() -> None:
    """For streams of frames, also those of several messages."""
    machine = Machine(load_crane("tower_12t", {"rig.start.state": "on_ground"}))
    told, cache, stamp = [], NodeStateCache(), Time()
    filler = ContactsMessage(machine, "world", stamp)
    for tick in range(600):
        machine.command("hoist", -0.8 if tick < 120 else 0.8)
        machine.tick()
        set_time(stamp, round(machine.time * 1e9))
        if filler.has_news(machine):
            message = filler.fill(machine)
            told += map(read_event, message.events)
            cache.take_contacts(message)
    seen = machine.observe().events[1:]  # without that of the start
    assert {event.begins for event in told} == {True, False}
    for one, other in zip(told, seen, strict=True):
        assert one[1:] == other[1:]
        assert one.time == pytest.approx(other.time, abs=1e-8)
    assert cache.events == tuple(told)


def test_a_message_is_read_back_and_drawn_as_what_was_seen() -> None:
    """Pages over ROS and films of bags draw the same arrows; so does RViz."""
    machine = Machine(load_crane("tower_12t", {"rig.start.state": "on_ground"}))
    machine.tick(50)
    message = ContactsMessage(machine, "world", Time()).fill(machine)
    seen = machine.observe().contacts
    assert seen
    for one, other in zip(map(read_contact, message.contacts), seen, strict=True):
        assert one[:2] == other[:2]
        for mine, theirs in zip(one[2:], other[2:], strict=True):
            np.testing.assert_allclose(mine, theirs)
    arrows = arrows_of(seen, 1e4)
    forget, *markers = arrow_markers(arrows, "1 m = 10 kN", "world").markers
    assert forget.action == Marker.DELETEALL and len(markers) == len(arrows)
    assert len({marker.id for marker in markers}) == len(markers)
    for marker, arrow in zip(markers, arrows, strict=True):
        assert (marker.type, marker.ns) == (Marker.ARROW, "contact forces, 1 m = 10 kN")
        begin, end = (np.array((p.x, p.y, p.z)) for p in marker.points)
        np.testing.assert_allclose([*begin, *(end - begin)], arrow[:6], atol=1e-9)
        np.testing.assert_allclose((marker.color.r, marker.color.g, marker.color.b), arrow[6:])
        # as thick as the arrows of films and pages, which are of one mesh
        mesh = arrow_mesh(arrow[None])
        across = np.cross(mesh.vertices - begin, end - begin) / np.linalg.norm(end - begin)
        widest = 2.0 * np.linalg.norm(across, axis=1).max()
        assert marker.scale.y == pytest.approx(widest, rel=1e-6) and marker.scale.x < marker.scale.y
    assert len(arrow_markers(arrows[:0], "1 m = 10 kN", "world").markers) == 1
