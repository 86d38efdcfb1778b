"""Recorder of nodes' messages to a rosbag2 folder with an MCAP file.

``ros2 bag``, ``rosbags`` and ``mcap`` read it. Messages are written as they came over the wire, so
that recording costs no conversion. Some messages, such as the package's own, are unknown to
rosbags. Their definitions are read from ``.msg`` files and stored in the file as well.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.topic_or_service_is_hidden import topic_or_service_is_hidden

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.ros import interface
from cable_sim.ros.basis.node_link import OwnNode, steady_timer
from cable_sim.ros.interface import Endpoint
from cable_sim.ros.message_types import define, message_class, type_name, typestore

DEPTH = 200
"""Queue depth per topic: two seconds of the fastest topic."""

DISCOVERY_TIME = 10.0
"""Time within which a running node is found, even on a busy machine [s]."""

LOOK_EVERY = 0.2
"""Interval between two checks for new topics [s]."""

Taker = Callable[[Endpoint, bytes], None]


def endpoints_of(crane: Crane) -> tuple[Endpoint, ...]:
    """Return the endpoints of a crane that are worth recording.

    These are all that its node publishes, and its commands.
    """
    return (*interface.published_endpoints(crane), *interface.commanded_endpoints(crane))


def listen(node: Node, endpoints: Iterable[Endpoint], take: Taker) -> list[Any]:
    """Subscribe to endpoints; ``take`` gets every message as serialized on the wire."""

    def subscribe(endpoint: Endpoint) -> Any:
        latched = interface.is_latched(endpoint.qos)
        reliable = endpoint.qos.reliability == ReliabilityPolicy.RELIABLE
        qos = interface.quality(endpoint.qos.depth if latched else DEPTH, latched, reliable)
        return node.create_subscription(
            endpoint.type, endpoint.topic, lambda data: take(endpoint, data), qos, raw=True
        )

    return [subscribe(endpoint) for endpoint in endpoints]


class Recorder:
    """Writer of one bag, for one thread at a time.

    Parameters
    ----------
    folder: folder to make; CableSimError if it exists, or if the package ``rosbags`` is missing.
    resolve: function from an endpoint's topic to its full name in the bag.
    compress: whether to compress the parts of the file, with zstd.
    """

    def __init__(
        self,
        folder: Path,
        resolve: Callable[[str], str] = lambda topic: topic,
        compress: bool = False,
    ) -> None:
        try:
            from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
        except ImportError:
            raise CableSimError(
                "recording needs the package rosbags: pip install 'cable_sim[bag]'"
            ) from None
        if folder.exists():
            raise CableSimError(f"{folder} is there already; choose another folder")
        self.folder = folder
        self._resolve = resolve
        self.types = typestore()
        self._connections: dict[str, Any] = {}
        self.counts: Counter[str] = Counter()
        self.failure: Exception | None = None
        # the date of the start, and steady time from there on: a clock that is put right would tear
        # the record
        self._epoch = time.time_ns() - time.monotonic_ns()
        self._writer: Any = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
        if compress:
            self._writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        self._writer.open()

    def take(self, endpoint: Endpoint, data: bytes) -> None:
        """Write a message with the present time."""
        if self._writer is None or self.failure:
            return
        if endpoint.topic not in self._connections:
            kind = type_name(endpoint.type)
            define(self.types, kind)
            self._connections[endpoint.topic] = self._writer.add_connection(
                self._resolve(endpoint.topic),
                kind,
                typestore=self.types,
                offered_qos_profiles=[_qos(endpoint.qos)],
            )
        connection = self._connections[endpoint.topic]
        try:
            self._writer.write(connection, self._epoch + time.monotonic_ns(), data)
            self.counts[connection.topic] += 1
        except OSError as error:
            self.failure = error

    def close(self) -> None:
        """Finish the files; may be called twice. CableSimError if not all could be written."""
        writer = self._writer
        self._writer = None
        if writer is None:
            return
        try:
            writer.close()
        except OSError as error:
            self.failure = self.failure or error
        if self.failure:
            raise CableSimError(f"{self.folder}: the recording broke off: {self.failure}")


def record(
    folder: Path,
    crane: Crane | None,
    namespace: str = "",
    ended: threading.Event | None = None,
    seconds: float | None = None,
    compress: bool = False,
) -> Counter[str]:
    """Record a crane, or all topics if it is None; returns the message count by full topic name.

    It ends when the event is set, or after so many seconds. CableSimError if it can't be written.
    The seconds count from the first joint state, or from `DISCOVERY_TIME` after the start if none
    comes: DDS takes longer to find a node than a short record lasts.
    """
    ended = ended or threading.Event()
    heard = False
    link = OwnNode("cable_sim_recorder", namespace)
    recorder = Recorder(folder, link.node.resolve_topic_name, compress)

    def take(endpoint: Endpoint, data: bytes) -> None:
        nonlocal heard
        try:
            recorder.take(endpoint, data)
        except Exception as error:  # its close tells of it
            recorder.failure = error
        heard |= endpoint.topic.rpartition("/")[2] == interface.JOINT_STATES.topic

    def over() -> bool:
        return ended.is_set() or recorder.failure is not None

    with closing(recorder), closing(link):
        if crane is not None:
            listen(link.node, endpoints_of(crane), take)
        else:
            everything = _Everything(link.node, take, recorder.types)
            steady_timer(link.node, LOOK_EVERY, everything.look)
        link.take_until(lambda: heard or over(), DISCOVERY_TIME)
        link.take_until(over, seconds)
    return recorder.counts


class _Everything:
    """Listener to every topic of the graph, including later ones, except hidden ones."""

    def __init__(self, node: Node, take: Taker, types: Any) -> None:
        self.node = node
        self.take = take
        self.types = types
        self.known: set[str] = set()

    def look(self) -> None:
        """Subscribe to new topics."""
        for topic, kinds in self.node.get_topic_names_and_types():
            if (
                topic in self.known
                or topic_or_service_is_hidden(topic)
                or not (qos := self.quality(topic))
            ):
                continue
            self.known.add(topic)
            try:
                define(self.types, kinds[0])
                listen(self.node, [Endpoint(topic, message_class(kinds[0], topic), qos)], self.take)
            # third-party types can fail in any way
            except Exception as error:
                self.node.get_logger().warning(f"not recorded: {error}")

    def quality(self, topic: str) -> QoSProfile | None:
        """Return the quality of service that all publishers of a topic offer.

        Without publishers it is the one that all subscribers ask for; without these it is None.
        """
        offers = self.node.get_publishers_info_by_topic(
            topic
        ) or self.node.get_subscriptions_info_by_topic(topic)
        if not offers:
            return None
        profiles = [info.qos_profile for info in offers]
        reliable = all(p.reliability == ReliabilityPolicy.RELIABLE for p in profiles)
        depth = max(1, *(p.depth for p in profiles))
        return interface.quality(depth, all(map(interface.is_latched, profiles)), reliable)


def _qos(profile: QoSProfile) -> Any:
    """Return a quality of service in the form of the bag's metadata."""
    from rosbags.interfaces import (
        Qos,
        QosDurability,
        QosHistory,
        QosLiveliness,
        QosReliability,
        QosTime,
    )

    forever = QosTime(9223372036, 854775807)
    reliable = profile.reliability == ReliabilityPolicy.RELIABLE
    latched = interface.is_latched(profile)
    return Qos(
        QosHistory.KEEP_LAST,
        profile.depth,
        QosReliability.RELIABLE if reliable else QosReliability.BEST_EFFORT,
        QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
        forever,
        forever,
        QosLiveliness.AUTOMATIC,
        forever,
        False,
    )
