"""Replay of a bag: the recorded bytes, in their order and with their distances in time."""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rclpy.duration import Duration
from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.validate_full_topic_name import validate_full_topic_name

from cable_sim.errors import CableSimError
from cable_sim.ros import interface
from cable_sim.ros.bags.bag_files import entries, open_bag
from cable_sim.ros.bags.recorder import DEPTH
from cable_sim.ros.basis.node_link import OwnNode
from cable_sim.ros.interface import CLOCK, DIAGNOSTICS, TF, TF_STATIC
from cable_sim.ros.message_types import message_class

ABSOLUTE = tuple(endpoint.topic for endpoint in (CLOCK, TF, TF_STATIC, DIAGNOSTICS))
"""Topics to which a namespace does not apply."""

LISTEN_EVERY = 0.05
"""Interval at which subscribers are counted, and longest interval between progress reports [s]."""

LAST_WORDS = 2.0
"""Time that subscribers have at the end to acknowledge messages [s]."""


@dataclass(frozen=True)
class ReplayOptions:
    """Options of a replay.

    Parameters
    ----------
    rate: time of the bag per wall time [-]; 0 is as fast as the subscribers take it.
    start: time in the bag at which to begin [s].
    loop: whether to begin again at the end.
    topics: topics of the bag to replay; all, if empty.
    clock: whether to publish ``/clock``, if the bag has it.
    namespace: prefix of all names except absolute ones.
    remaps: other names for topics, after the namespace.
    wait: longest time [s] to wait at the start for a subscriber to every topic.
    seconds: wall time [s] after which to end; None for no end.
    """

    rate: float = 1.0
    start: float = 0.0
    loop: bool = False
    topics: tuple[str, ...] = ()
    clock: bool = True
    namespace: str = ""
    remaps: Mapping[str, str] = field(default_factory=dict)
    wait: float = 2.0
    seconds: float | None = None


Tell = Callable[[float, float], None]
"""Callback for the replay's progress and the bag's length [s]."""


def replay(
    bag: Path,
    options: ReplayOptions,
    ended: threading.Event,
    tell: Tell = lambda *_: None,
    warn: Callable[[str], None] = print,
) -> Counter[str]:
    """Publish a bag to its end or until the event is set; returns the message count by topic.

    CableSimError, before anything is published, if the bag can't be read or lacks a wanted topic.
    The same holds for messages of a type that is unknown here or has another definition.
    CableSimError later if the file turns out to be damaged.
    """
    for name in ("rate", "start", "wait"):
        if not 0.0 <= getattr(options, name) < math.inf:
            raise CableSimError(
                f"{name} {getattr(options, name)}: wanted is a finite number, not below 0"
            )
    with open_bag(bag) as reader:
        chosen = choose(reader, options)
        node = OwnNode("cable_sim_replay", enable_rosout=False, start_parameter_services=False)
        with closing(node):
            player = _Player(node.node, reader, chosen, options, ended, tell)
            player.wait()
            for topic in player.contested_topics():
                warn(
                    f"{topic} has another publisher: what comes there is mixed; --topics chooses, "
                    "--namespace moves"
                )
            player.play()
            return player.counts


def choose(reader: Any, options: ReplayOptions) -> list[Any]:
    """Return the wanted connections of the bag.

    CableSimError if there are none, or if a named topic is missing.
    """
    known = sorted({connection.topic for connection in reader.connections})
    wanted = {f"/{name.lstrip('/')}" for name in options.topics} or set(known)
    missing = sorted(wanted - set(known))
    if missing:
        raise CableSimError(
            f"topic {', '.join(missing)} is not in the bag; it has {', '.join(known) or 'none'}"
        )
    placed = sorted(_prefix_topic(topic, options) for topic in known)
    astray = sorted(set(options.remaps) - set(placed))
    if astray:
        raise CableSimError(
            f"remap of {', '.join(astray)}: not among the topics, which are {', '.join(placed)}"
        )
    clock = options.clock or CLOCK.topic in {f"/{name.lstrip('/')}" for name in options.topics}
    chosen = [
        c for c in reader.connections if c.topic in wanted and (clock or c.topic != CLOCK.topic)
    ]
    if not any(connection.msgcount for connection in chosen):
        raise CableSimError(f"{reader.path}: has no messages to replay")
    length = 1e-9 * (reader.end_time - reader.start_time)
    if not 0.0 <= options.start < length:
        raise CableSimError(f"start {options.start:g} s: the bag is {length:.3f} s long")
    return chosen


class _Player:
    """Bag and its publishers."""

    def __init__(
        self,
        node: Node,
        reader: Any,
        chosen: Iterable[Any],
        options: ReplayOptions,
        ended: threading.Event,
        tell: Tell,
    ) -> None:
        self.node = node
        self.reader = reader
        self.options = options
        self.ended = ended
        self.tell = tell
        self.connections = list(chosen)
        self.counts: Counter[str] = Counter()
        self.end = None if options.seconds is None else time.monotonic() + options.seconds
        profiles: dict[str, list[Any]] = {}
        for connection in self.connections:
            profiles.setdefault(connection.topic, []).extend(connection.ext.offered_qos_profiles)
        self.publishers: dict[str, Any] = {}
        for connection in self.connections:
            if connection.topic not in self.publishers:
                qos = quality(profiles[connection.topic])
                self.publishers[connection.topic] = self._publisher(connection, qos)

    def _publisher(self, connection: Any, qos: QoSProfile) -> Any:
        """Return a publisher of a connection's messages.

        CableSimError if their type differs from the one known here.
        """
        name = published_name(connection.topic, self.options)
        kind = message_class(connection.msgtype, connection.topic)
        try:
            made = self.node.create_publisher(kind, name, qos)
        except InvalidTopicNameException as error:
            raise CableSimError(f"topic {name!r}: {error}") from None
        ours = [
            i
            for i in self.node.get_publishers_info_by_topic(name)
            if i.node_name == self.node.get_name()
        ]
        hashes = {str(info.topic_type_hash) for info in ours} - {"INVALID"}
        if connection.digest and hashes and connection.digest not in hashes:
            raise CableSimError(
                f"type {connection.msgtype} of topic {connection.topic} is defined differently "
                "here than in the bag: "
                "its messages would be misread; replay with the version that recorded them, or "
                "leave the topic out"
            )
        return made

    def wait(self) -> None:
        """Wait until every topic has a subscriber, or for the longest wait."""
        latest = time.monotonic() + self.options.wait
        while time.monotonic() < latest and not self.ended.wait(LISTEN_EVERY):
            if all(publisher.get_subscription_count() for publisher in self.publishers.values()):
                return

    def contested_topics(self) -> list[str]:
        """Return the topics on which other nodes publish as well."""
        found = {
            topic: self.node.get_publishers_info_by_topic(p.topic_name)
            for topic, p in self.publishers.items()
        }
        name = self.node.get_name()
        return sorted(
            topic for topic, infos in found.items() if any(info.node_name != name for info in infos)
        )

    def play(self) -> None:
        """Publish the bag, once or in a loop."""
        self._publish_latched()
        while self._play_once() and self.options.loop:
            pass
        wait = Duration(seconds=LAST_WORDS / len(self.publishers))
        for publisher in self.publishers.values():
            publisher.wait_for_all_acked(wait)

    def _play_once(self) -> bool:
        """Publish from the start to the end; return True unless the event ended it early."""
        first = self.reader.start_time + round(1e9 * self.options.start)
        length = 1e-9 * (self.reader.end_time - first)
        begin = time.monotonic()
        rate = self.options.rate
        for connection, stamp, data in entries(self.reader, self.connections, first):
            at = 1e-9 * (stamp - first)
            if not self._wait_until(begin + at / rate if rate else 0.0, begin, length):
                return False
            self._publish(connection.topic, data)
            if not rate:
                self.tell(at, length)
        self.tell(length, length)
        return not self.ended.is_set()

    def _wait_until(self, due: float, begin: float, length: float) -> bool:
        """Wait until a monotonic time [s], reporting progress; return False if ended earlier."""
        while not self.ended.is_set():
            now = time.monotonic()
            if self.end is not None and now >= self.end:
                return False
            if now >= due:
                return True
            self.tell(min((now - begin) * self.options.rate, length), length)
            self.ended.wait(min(due - now, LISTEN_EVERY))
        return False

    def _publish(self, topic: str, data: bytes) -> None:
        """Send a message as it is; without a rate not faster than the subscribers take it."""
        publisher = self.publishers[topic]
        self.counts[topic] += 1
        if not self.options.rate and self.counts[topic] % (DEPTH // 2) == 0:
            publisher.wait_for_all_acked(Duration(seconds=LAST_WORDS))
        publisher.publish(data)

    def _publish_latched(self) -> None:
        """Publish the last latched message of each topic before a later start.

        A late joiner would have received it.
        """
        if not self.options.start:
            return
        first = self.reader.start_time + round(1e9 * self.options.start)
        last: dict[str, bytes] = {}
        latched = [
            c
            for c in self.connections
            if interface.is_latched(self.publishers[c.topic].qos_profile)
        ]
        for connection, stamp, data in entries(self.reader, latched) if latched else ():
            if stamp >= first:
                break
            last[connection.topic] = data
        for topic, data in last.items():
            self._publish(topic, data)


def quality(profiles: Iterable[Any]) -> QoSProfile:
    """Return the best of the offered qualities of service of a topic, which suits all subscribers.

    Topics that are not kept for late joiners get a longer queue than in the simulator, so that slow
    subscribers lose nothing.
    """
    from rosbags.interfaces import QosDurability, QosReliability

    offered = list(profiles)
    reliable = not offered or any(p.reliability != QosReliability.BEST_EFFORT for p in offered)
    latched = any(p.durability == QosDurability.TRANSIENT_LOCAL for p in offered)
    depth = max([1, *(p.depth for p in offered)])
    return interface.quality(depth if latched else max(depth, DEPTH), latched, reliable)


def published_name(topic: str, options: ReplayOptions) -> str:
    """Return the published name of a topic of the bag; CableSimError if it is invalid."""
    name = _prefix_topic(topic, options)
    name = options.remaps.get(name, name)
    try:
        validate_full_topic_name(name)
    except InvalidTopicNameException as error:
        raise CableSimError(f"topic {name!r}: {str(error).splitlines()[0]}") from None
    return name


def _prefix_topic(topic: str, options: ReplayOptions) -> str:
    """Return a topic of the bag with the namespace before it, where it takes one."""
    space = options.namespace.strip("/")
    return f"/{space}{topic}" if space and topic not in ABSOLUTE else topic
