"""Commands, taken where they take effect: right before a tick, by the thread that makes it.

Nothing can come of a command before the next tick, but an executor wakes for each of them, and a
wake costs a third of
a millisecond in Python: a commander that floods at 5 kHz took half a processor from the physics.
Taking what has come, without waiting for it, costs some microseconds a topic. Only who can't know
when to look has the executor wait.
"""

from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile

from cable_sim.ros.interface import Endpoint

KEPT = 10
"""So many messages of a topic are kept until they are taken, lest two senders of one topic push
each other out."""


class Letterbox:
    """Subscriptions of a node that whoever owns the machine empties.

    Parameters
    ----------
    node: subscribes.
    awaited: whether the executor shall wait for messages, and take them.
    failed: is told in a sentence of a message that could not be taken.
    """

    def __init__(
        self, node: Node, awaited: Callable[[], bool], failed: Callable[[str], None]
    ) -> None:
        self._node, self._group, self._failed = node, _Gate(awaited), failed
        self._subscriptions: dict[str, Any] = {}

    def subscribe(self, endpoint: Endpoint, take: Callable[[bytes], None]) -> None:
        """Have every message of a topic taken, as it was sent: one that can't even be read fails
        inside ``take``."""
        offered = endpoint.qos
        qos = QoSProfile(
            depth=max(offered.depth, KEPT),
            reliability=offered.reliability,
            durability=offered.durability,
        )
        self._subscriptions[endpoint.topic] = self._node.create_subscription(
            endpoint.type, endpoint.topic, take, qos, callback_group=self._group, raw=True
        )

    def empty(self) -> None:
        """Take what has come, each topic's messages in their order, and no more than a topic keeps:
        a flood must not keep the owner from his work.
        """
        for topic, subscription in self._subscriptions.items():
            try:
                _empty(subscription)
            except (
                Exception
            ) as error:  # whatever a middleware finds wrong, the owner has a tick to make
                self._failed(f"{topic}: {type(error).__name__}: {error}")


def _empty(subscription: Any) -> None:
    """Have the callback take what waits."""
    for _ in range(subscription.qos_profile.depth):
        with subscription.handle:
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
        if taken is None:
            return
        subscription.callback(taken[0])


class _Gate(CallbackGroup):
    """Shows its subscriptions to the executor only while it is open."""

    def __init__(self, is_open: Callable[[], bool]) -> None:
        super().__init__()
        self._is_open = is_open

    def can_execute(self, entity: Any) -> bool:
        """Whether the executor may wait for it, and take what comes."""
        return self._is_open()

    def beginning_execution(self, entity: Any) -> bool:
        """Nothing keeps two callbacks apart: one thread executes them."""
        return True

    def ending_execution(self, entity: Any) -> None:
        """Nothing to give back."""
