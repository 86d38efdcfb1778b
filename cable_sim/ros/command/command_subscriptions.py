"""Subscriptions to commands, read by the physics thread right before a tick.

A command can't take effect before the next tick. An executor would wake for each command, which
costs a third of a millisecond in Python. A sender at 5 kHz then took half a processor from the
physics. Polling costs some microseconds a topic. The executor waits for messages only where no
thread knows when to poll.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSCompatibility, qos_check_compatible

from cable_sim.errors import describe_error
from cable_sim.ros.interface import Endpoint, quality

Take = Callable[[bytes, Mapping[str, Any]], None]
"""Receiver of a serialized message, and of what the middleware tells about it."""
KEPT = 10
"""Queue depth per topic, so that two senders do not overwrite each other."""


class CommandSubscriptions:
    """Subscriptions of a node that the owner of the machine polls.

    They are reliable. A best-effort subscription would match every publisher, but it may lose what
    a reliable one sends only once, such as a brake, a fault, or the answer in lockstep. So
    best-effort publishers are not heard, and the user is told so.

    Parameters
    ----------
    node: node that subscribes.
    awaited: whether the executor waits for messages, and takes them.
    failed: callback for a sentence about a message that could not be taken.
    tell: callback for a sentence about a publisher that is not heard, once for each.
    """

    def __init__(
        self,
        node: Node,
        awaited: Callable[[], bool],
        failed: Callable[[str], None],
        tell: Callable[[str], None],
    ) -> None:
        self._node = node
        self._group = _Gate(awaited)
        self._failed = failed
        self._tell = tell
        self._subscriptions: dict[str, Any] = {}
        self._told: set[bytes] = set()

    def subscribe(self, endpoint: Endpoint, take: Take) -> None:
        """Subscribe to a topic; ``take`` receives every message in serialized form.

        With it comes what the middleware tells about it. A message that can't be read fails inside
        ``take``.
        """
        # Fast DDS has one condition for a subscription's events and its messages: an executor that
        # waits for events is awake, and holds the interpreter, while a message lies unread.
        self._subscriptions[endpoint.topic] = self._node.create_subscription(
            endpoint.type,
            endpoint.topic,
            take,
            quality(max(endpoint.qos.depth, KEPT)),
            callback_group=self._group,
            event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
            raw=True,
        )

    def unheard(self) -> list[str]:
        """Return a sentence for each publisher that these subscriptions do not match."""
        found = []
        for topic, subscription in self._subscriptions.items():
            asked = subscription.qos_profile
            for info in self._node.get_publishers_info_by_topic(topic):
                verdict, reason = qos_check_compatible(info.qos_profile, asked)
                if verdict != QoSCompatibility.ERROR:
                    continue
                name = f"{info.node_namespace.rstrip('/')}/{info.node_name}"
                cause = reason.removeprefix("ERROR: ").rstrip(";")
                found.append(f"{topic}: {name} is not heard: {cause}")
                if bytes(info.endpoint_gid) not in self._told:
                    self._told.add(bytes(info.endpoint_gid))
                    self._tell(found[-1])
        return found

    def empty(self) -> None:
        """Take the waiting messages, each topic's in their order.

        It takes no more than a topic's queue holds, so that a flood does not block the owner.
        """
        for topic, subscription in self._subscriptions.items():
            try:
                _empty(subscription)
            # whatever a middleware finds wrong, the owner has a tick to make
            except Exception as error:
                self._failed(f"{topic}: {describe_error(error)}")


def _empty(subscription: Any) -> None:
    """Call the callback with each waiting message."""
    for _ in range(subscription.qos_profile.depth):
        with subscription.handle:
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
        if taken is None:
            return
        subscription.callback(*taken)


class _Gate(CallbackGroup):
    """Callback group that shows its subscriptions to the executor only while it is open."""

    def __init__(self, is_open: Callable[[], bool]) -> None:
        super().__init__()
        self._is_open = is_open

    def can_execute(self, entity: Any) -> bool:
        """Return True if the executor may wait for the entity, and take its messages."""
        return self._is_open()

    def beginning_execution(self, entity: Any) -> bool:
        """Return True: one thread executes all callbacks, so nothing needs separation."""
        return True

    def ending_execution(self, entity: Any) -> None:
        """Do nothing: there is no resource to release."""
