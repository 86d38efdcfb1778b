"""Frames from a recording, at regular simulated times, as a page would have shown them."""

import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from rclpy.serialization import deserialize_message

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.machine.pictures.frame import Frame
from cable_sim.ros import interface
from cable_sim.ros.bags.bag_files import Entry, entries, open_bag
from cable_sim.ros.basis.frames import BASE
from cable_sim.ros.basis.messages import seconds
from cable_sim.ros.client.node_state_cache import NodeStateCache, axes_of, cable_pictures, poses_of
from cable_sim.ros.interface import Endpoint
from cable_sim.ros.message_types import type_name, typestore
from cable_sim.spec.quantities import WORLD

AT_ONCE = (interface.TF, interface.TF_STATIC, interface.JOINT_STATES)
"""Endpoints read on arrival: TF comes in parts, and joint states give the simulated time."""
NEWEST = (interface.CABLE_STATES, interface.CABLE_MARKERS, interface.SWAY_STATE, interface.CONTACTS)
"""Endpoints read when a frame is made."""


def recorded_crane(bag: Path, namespace: str = "") -> str:
    """Return the crane's name in a recording, from its robot description.

    CableSimError if there is none.
    """
    wanted = interface.ROBOT_DESCRIPTION
    with open_bag(bag) as reader:
        for _, _, data in _messages(reader, (wanted,), namespace):
            name = ElementTree.fromstring(deserialize_message(data, wanted.type).data).get("name")
            if name:
                return name
        raise CableSimError(
            f"{bag}: names no crane: nothing on {_full_name(wanted.topic, namespace)}; give the "
            "crane with --crane"
        )


def recorded_span(bag: Path, namespace: str = "") -> tuple[float, float]:
    """Return the simulated times [s] of the first and last joint states in a recording.

    CableSimError if there are none.
    """
    wanted = interface.JOINT_STATES
    with open_bag(bag) as reader:
        found = [data for _, _, data in _messages(reader, (wanted,), namespace)]
    times = [seconds(deserialize_message(data, wanted.type).header.stamp) for data in found]
    if not times:
        told = _full_name(wanted.topic, namespace)
        raise CableSimError(f"{bag}: has nothing on {told}; --namespace names the simulator's")
    return times[0], max(times)


def recorded_frames(
    bag: Path,
    crane: Crane,
    interval: float,
    start: float = -math.inf,
    end: float = math.inf,
    namespace: str = "",
    prefix: str = "",
    tell: Callable[[float], None] = lambda time: None,
) -> Iterator[Frame]:
    """Yield frames every ``interval`` of simulated time from ``start`` to ``end`` [s].

    ``tell`` receives the time of each. After a reset in the recording, frames go on from the
    earlier time. CableSimError if the bag is no recording of that crane, or has messages of types
    other than this version's.
    """
    endpoints = {
        _full_name(endpoint.topic, namespace): endpoint for endpoint in (*AT_ONCE, *NEWEST)
    }
    cache = NodeStateCache(crane)
    due = start
    newest: dict[str, bytes] = {}
    with open_bag(bag) as reader:
        for connection, _, data in _messages(reader, endpoints.values(), namespace):
            endpoint = endpoints[connection.topic]
            if endpoint in NEWEST:
                newest[endpoint.topic] = data
                continue
            _take(cache, endpoint, data)
            due = min(due, max(cache.time, start)) if cache.time < due - 2.0 * interval else due
            # the last of a tick
            if endpoint is interface.TF and due <= cache.time + 1e-6 and cache.time <= end + 1e-6:
                for other in NEWEST:
                    if other.topic in newest:
                        _take(cache, other, newest.pop(other.topic))
                frame = _frame(crane, prefix, cache)
                if frame is not None:
                    tell(cache.time)
                    due = (due if due > cache.time - interval else cache.time) + interval
                    yield frame


def _frame(crane: Crane, prefix: str, cache: NodeStateCache) -> Frame | None:
    """Return the present state as a frame in the world of the crane's base, whatever its name.

    It is None until every body has been heard of.
    """
    world, *_ = cache.tree.get(prefix + BASE, (WORLD,))
    poses = poses_of((body.name for body in crane.scene.bodies), prefix, world, cache)
    if poses is None or cache.joints is None:
        return None
    cables = cable_pictures(crane, prefix, poses, cache)
    axes = axes_of(crane, cache.joints)
    return Frame(cache.time, poses, cables, axes, cache.sway, contacts=cache.contacts)


def _take(cache: NodeStateCache, endpoint: Endpoint, data: bytes) -> None:
    """Hand a message to the cache of the node's state."""
    take = next(take for known, take in cache.of_frames if known is endpoint)
    take(deserialize_message(data, endpoint.type))


def _messages(reader: Any, endpoints: Iterable[Endpoint], namespace: str) -> Iterator[Entry]:
    """Return the bag's messages of endpoints; CableSimError for a type that would be misread."""
    wanted = {
        _full_name(endpoint.topic, namespace): type_name(endpoint.type) for endpoint in endpoints
    }
    types = typestore()
    found = [connection for connection in reader.connections if connection.topic in wanted]
    for connection in found:
        kind = wanted[connection.topic]
        if (
            connection.msgtype != kind
            or connection.digest
            and connection.digest != types.hash_rihs01(kind)
        ):
            raise CableSimError(
                f"{reader.path}: type {connection.msgtype} of topic {connection.topic} is not the "
                f"{kind} of this version: its messages would be misread; use the version that "
                "recorded them"
            )
    # to rosbags no connections are all of them
    return entries(reader, found) if found else iter(())


def _full_name(topic: str, namespace: str) -> str:
    """Return the full name that a topic of a node in a namespace has in recordings."""
    return (
        topic
        if topic.startswith("/")
        else f"{'/' + namespace.strip('/') if namespace else ''}/{topic}"
    )
