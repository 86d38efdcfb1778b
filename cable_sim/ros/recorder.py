"""Records what nodes say to a rosbag2 folder with an MCAP file; readable by ``ros2 bag``, ``rosbags``, ``mcap``.

Messages are written as they came over the wire, so that recording costs no conversion. The definitions of the
package's own messages are read from its ``.msg`` files and stored in the file with the others.
"""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.ros import interface
from cable_sim.ros.interface import Endpoint
from cable_sim.shared_files import shared_folders

DEPTH = 200
"""Messages that may wait per topic: two seconds of the fastest."""

DISCOVERY_TIME = 10.0
"""Seconds in which a running node is found, even on a busy machine."""

POLL_TIME = 0.02

Taker = Callable[[Endpoint, bytes], None]


def endpoints_of(crane: Crane) -> tuple[Endpoint, ...]:
    """Everything that is worth recording of a crane: what its node publishes and what commands it."""
    return (*interface.published(crane), *interface.commanded(crane))


def listen(node: Node, endpoints: Iterable[Endpoint], take: Taker) -> list[Any]:
    """Subscribe to endpoints; ``take`` gets every message as it came over the wire."""

    def subscribe(endpoint: Endpoint) -> Any:
        latched = endpoint.qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
        qos = QoSProfile(
            depth=endpoint.qos.depth if latched else DEPTH,
            reliability=endpoint.qos.reliability, durability=endpoint.qos.durability,
        )  # fmt: skip
        return node.create_subscription(endpoint.type, endpoint.topic, lambda data: take(endpoint, data), qos, raw=True)

    return [subscribe(endpoint) for endpoint in endpoints]


class Recorder:
    """Writes one bag; to be used by one thread at a time.

    Parameters
    ----------
    folder: to make; CableSimError if it is there already, or if the package ``rosbags`` is missing.
    resolve: from an endpoint's topic to the full name that the bag shall have.
    """

    def __init__(self, folder: Path, resolve: Callable[[str], str] = lambda topic: topic) -> None:
        try:
            from rosbags.rosbag2 import StoragePlugin, Writer
        except ImportError:
            raise CableSimError("recording needs the package rosbags: pip install 'cable_sim[bag]'") from None
        if folder.exists():
            raise CableSimError(f"{folder} is there already; choose another folder")
        self.folder, self._resolve = folder, resolve
        self._types = typestore()
        self._connections: dict[str, Any] = {}
        self.counts: Counter[str] = Counter()
        self._writer: Any = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
        self._writer.open()

    def take(self, endpoint: Endpoint, data: bytes) -> None:
        """Write a message with the present time."""
        if self._writer is None:
            return
        if endpoint.topic not in self._connections:
            self._connections[endpoint.topic] = self._writer.add_connection(
                self._resolve(endpoint.topic), type_name(endpoint.type), typestore=self._types,
                offered_qos_profiles=[_qos(endpoint.qos)],
            )  # fmt: skip
        self._writer.write(self._connections[endpoint.topic], time.time_ns(), data)
        self.counts[endpoint.topic] += 1

    def close(self) -> None:
        """Finish the files; may be called twice."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


def record(folder: Path, crane: Crane, namespace: str = "", ended: threading.Event | None = None,
           seconds: float | None = None) -> Counter[str]:  # fmt: skip
    """Record a crane until the event is set, or for so many seconds; how many messages of which topic.

    The seconds count from the first joint state, or from `DISCOVERY_TIME` after the start if none comes: finding a
    node takes DDS longer than a short record lasts.
    """
    ended, heard = ended or threading.Event(), threading.Event()
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("cable_sim_recorder", namespace=namespace, context=context, use_global_arguments=False)
    recorder = Recorder(folder, node.resolve_topic_name)

    def take(endpoint: Endpoint, data: bytes) -> None:
        recorder.take(endpoint, data)
        if endpoint is interface.JOINT_STATES:
            heard.set()

    listen(node, endpoints_of(crane), take)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    spinner = threading.Thread(target=spin, args=(executor, ended), name="recorder", daemon=True)
    spinner.start()
    latest = time.monotonic() + DISCOVERY_TIME
    while not heard.is_set() and time.monotonic() < latest and not ended.wait(POLL_TIME):
        pass
    ended.wait(seconds)
    ended.set()
    executor.shutdown(timeout_sec=2.0)
    spinner.join(2.0)
    recorder.close()
    node.destroy_node()
    context.try_shutdown()
    return recorder.counts


def spin(executor: SingleThreadedExecutor, ended: threading.Event) -> None:
    """Execute callbacks until the end; for a thread."""
    while not ended.is_set():
        try:
            executor.spin_once(timeout_sec=0.2)
        except ExternalShutdownException:
            return


def typestore() -> Any:
    """Message types of this ROS and of the package."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    wanted = f"ROS2_{os.environ.get('ROS_DISTRO', 'kilted').upper()}"
    store = get_typestore(Stores[wanted] if wanted in Stores.__members__ else Stores.ROS2_KILTED)
    types: dict[str, Any] = {}
    for path in sorted(_message_folder().glob("*.msg")):
        types.update(get_types_from_msg(path.read_text(encoding="utf-8"), f"cable_sim/msg/{path.stem}"))
    store.register(types)
    return store


def type_name(kind: Any) -> str:
    """ROS' name of a message class, such as ``sensor_msgs/msg/JointState``."""
    return f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"


def _message_folder() -> Path:
    """Folder of the package's message definitions, in the source tree or where it is installed."""
    folders = shared_folders("msg")
    for folder in folders:
        if (folder / "AxisCommand.msg").is_file():
            return folder
    looked = ", ".join(map(str, folders)) or "nowhere"
    raise CableSimError(f"the package's message definitions were not found; looked in {looked}")


def _qos(profile: QoSProfile) -> Any:
    """A quality of service as the bag's metadata has it."""
    from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime

    forever = QosTime(9223372036, 854775807)
    reliable = profile.reliability == ReliabilityPolicy.RELIABLE
    latched = profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    return Qos(
        QosHistory.KEEP_LAST, profile.depth,
        QosReliability.RELIABLE if reliable else QosReliability.BEST_EFFORT,
        QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
        forever, forever, QosLiveliness.AUTOMATIC, forever, False,
    )  # fmt: skip
