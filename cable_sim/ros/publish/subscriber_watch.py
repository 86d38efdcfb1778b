"""Who listens to topics of a node, and whether somebody has come: to him what was sent before is
news."""

from typing import Any

from rclpy.node import Node


class Listeners:
    """Looks for newcomers among the subscriptions of some topics.

    Each subscription has an identifier of its own. Their number would not do: it stays the same
    where one goes as another comes, such as two controllers that run one after the other.

    Parameters
    ----------
    node: whose topics they are.
    publishers: of the topics.
    """

    def __init__(self, node: Node, *publishers: Any) -> None:
        self._node, self._publishers = node, publishers
        self._known: set[tuple[int, ...]] = set()

    def somebody_came(self) -> bool:
        """Whether somebody listens who did not at the last look; at the first one, whether anybody
        does."""
        present = {
            tuple(one.endpoint_gid)
            for publisher in self._publishers
            for one in self._node.get_subscriptions_info_by_topic(publisher.topic_name)
        }
        came, self._known = not present <= self._known, present
        return came
