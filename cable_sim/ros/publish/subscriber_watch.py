"""Watch for new subscribers, which need messages that were sent before."""

from typing import Any

from rclpy.node import Node


class SubscriberWatch:
    """Watch for new subscriptions to some topics.

    Each subscription has an identifier of its own. Their number would not do: it stays the same
    where one goes as another comes, such as two controllers that run one after the other.
    """

    def __init__(self, node: Node, *publishers: Any) -> None:
        self._node = node
        self._publishers = publishers
        self._known: set[tuple[int, ...]] = set()

    def has_new_subscriber(self) -> bool:
        """Return True if there is a subscriber that the last call did not find.

        The first call returns True if there is any.
        """
        present = {
            tuple(one.endpoint_gid)
            for publisher in self._publishers
            for one in self._node.get_subscriptions_info_by_topic(publisher.topic_name)
        }
        came = not present <= self._known
        self._known = present
        return came
