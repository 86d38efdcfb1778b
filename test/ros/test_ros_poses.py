"""A ship that follows a topic of poses: a real node, its transforms, and what it says of silence
and of what is no pose."""

import math
from itertools import pairwise

import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from geometry_msgs.msg import PoseStamped

from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import save_crane
from cable_sim.cranes.families.kit.words.parts import PartMotion
from cable_sim.cranes.parts.following import Following
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import nanoseconds

DELAY = 1.0
"""Long in simulated time, as a busy machine may hold messages up."""
GAP = 0.3
"""Longest time between two poses that the ship's smooth way can be judged by [s]."""


@pytest.fixture(scope="module")
def crane(tmp_path_factory):
    """File of an offshore crane whose ship follows poses."""
    motion = PartMotion(poses=Following(delay=DELAY))
    path = tmp_path_factory.mktemp("poses") / "ship.yaml"
    save_crane(load_crane("offshore_25t", {"parts.ship.motion": motion}), path)
    return path


@pytest.fixture(scope="module")
def node(start_node, crane):
    return start_node(crane_config=str(crane), diagnostics_period=0.1)


def height(t):
    """Height of the ship that is told for a time [m], from rest."""
    return 0.5 * (1.0 - math.cos(0.9 * t))


def pose(stamp, z, **fields):
    """A PoseStamped of the ship."""
    made = PoseStamped()
    made.header.stamp = stamp
    made.header.frame_id = fields.pop("frame", "world")
    made.pose.position.x, made.pose.position.y, made.pose.position.z = 8.0, 6.0, z
    made.pose.orientation.w = fields.pop("w", 1.0)
    return made


def test_the_ship_follows_and_what_is_wrong_is_told(node, probe, crane):
    topic = interface.pose_command("ship")
    assert topic in interface.commanded_endpoints(load_crane(crane))
    clock, frames = probe.listen(interface.CLOCK), probe.listen(interface.TF)
    reports = probe.listen(interface.DIAGNOSTICS)
    probe.until(lambda: clock, "the clock", 300.0)
    sender = probe.publisher(topic)
    probe.fresh(interface.CLOCK)
    sent = []

    def send():
        now = clock[-1].clock
        t = nanoseconds(now) * 1e-9
        if not sent or t > sent[-1]:
            sent.append(t)
            sender.publish(pose(now, height(t - sent[0])))

    def held_up(t):
        """Return True shortly after this process held its poses up, as on a busy machine."""
        gaps = [(a, b) for a, b in pairwise(sent) if b - a > GAP]
        return any(a < t - DELAY < b + 1.0 for a, b in gaps)

    def seen():
        """Times and heights of the ship's frame while poses came."""
        found = [t for m in frames for t in m.transforms if t.child_frame_id == "ship"]
        pairs = [(nanoseconds(t.header.stamp) * 1e-9, t.transform.translation.z) for t in found]
        told = [(t, z) for t, z in pairs if sent and sent[0] + DELAY + 1.0 < t < sent[-1] + DELAY]
        return [(t, z) for t, z in told if not held_up(t)]

    def said(name):
        """The newest diagnostics of a name."""
        return next(s for s in reports[-1].status if s.name.endswith(f": {name}"))

    probe.until(lambda: len(seen()) > 100, "the ship's way", every=send)
    off = [abs(z - height(t - DELAY - sent[0])) for t, z in seen()]
    assert max(off) < 0.02, max(off)
    probe.until(lambda: naming("poses rest ship").search(said("poses").message), "silence")
    sender.publish(pose(clock[-1].clock, math.nan))
    sender.publish(pose(clock[-1].clock, 0.0, frame="map"))
    sender.publish(pose(clock[-1].clock, 0.0, w=0.5))
    told = {"not finite": "1", "rejected": "2"}

    def counted():
        values = {v.key: v.value for v in said("commands").values}
        return told.items() <= values.items() and values

    notices = probe.until(counted, "what is no pose").values()
    for words in ("pose_command pose nan ignored", "frame_id 'map'", "length 0.5"):
        assert any(naming(words).search(notice) for notice in notices), words
    sender.publish(pose(clock[-1].clock, 0.0))
    probe.until(lambda: said("poses").message == "followed", "the next pose")
