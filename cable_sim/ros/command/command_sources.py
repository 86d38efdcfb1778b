"""Senders of commands: nodes that command an axis, and which of them is obeyed.

The middleware tells the sender of a message by its number (``publisher_gid``), and the graph the
node of each publisher with that number. Where rclpy or the middleware does not tell it, the
publishers of a topic are one sender, with the names of all its nodes.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from cable_sim.ros.basis.parameters import ANY, FIRST

RETRY = 0.5
"""Wall time between two searches for the node of an unknown sender [s]. The graph may be late."""


class Sender(NamedTuple):
    """Publisher of commands: its topic, and its number or an empty one where it is not told."""

    topic: str
    number: bytes


def sender_of(topic: str, info: Mapping[str, Any]) -> Sender:
    """Return the sender of a message from what the middleware tells about it."""
    number = info.get("publisher_gid")
    return Sender(topic, bytes(number["data"]) if number else b"")


class SenderNames:
    """Names of the nodes of senders, as the graph tells them.

    Parameters
    ----------
    publishers: full names of the nodes that publish on a topic, each with the publisher's number.
    """

    def __init__(self, publishers: Callable[[str], list[tuple[str, bytes]]]) -> None:
        self._publishers = publishers
        self._known: dict[Sender, str] = {}
        self._searched: dict[Sender, float] = {}

    def __getitem__(self, sender: Sender) -> str:
        """Return the full name; empty while it is not known."""
        now = time.monotonic()
        if sender not in self._known and now - self._searched.get(sender, -RETRY) >= RETRY:
            self._searched[sender] = now
            name = self._search(sender)
            if name and sender.number:  # without a number others may come
                self._known[sender] = name
            return name
        return self._known.get(sender, "")

    def _search(self, sender: Sender) -> str:
        """Return the name from the graph; a number may have fewer digits here than there."""
        found = {
            name
            for name, number in self._publishers(sender.topic)
            if number.startswith(sender.number) or sender.number.startswith(number)
        }
        return " or ".join(sorted(found))


class CommandSources:
    """Senders that command each axis, and the rule by which one of them is obeyed.

    Parameters
    ----------
    names: names of the nodes of senders.
    clock: simulated time [s].
    refuse: callback for a sentence about a command that is not obeyed; empty after the first.
    rule: ``any``, ``first``, or the name of a node, full or without its namespace.
    hold: simulated time without a command after which a sender no longer counts [s].
    """

    def __init__(
        self,
        names: Mapping[Sender, str] | SenderNames,
        clock: Callable[[], float],
        refuse: Callable[[str], None],
        rule: str = ANY,
        hold: float = 0.5,
    ) -> None:
        self.rule = rule
        self.hold = hold
        self._names = names
        self._introduced: dict[Sender, str] = {}
        self._clock = clock
        self._refuse = refuse
        self._lock = threading.Lock()
        self._heard: dict[str, dict[Sender, float]] = {}
        self._told: set[tuple[str, Sender, str]] = set()

    def obeys(self, axis: str, sender: Sender) -> bool:
        """Take note that a sender commands an axis; return True if it is obeyed."""
        with self._lock:
            heard = self._alive(axis)
            heard[sender] = self._clock()  # stays where it is in the order if it is there
            first = next(iter(heard))
        if self.rule == ANY or (self.rule == FIRST and sender == first):
            return True
        if self.rule != FIRST and self._is_named(sender):
            return True
        told = (axis, sender, self.rule)
        owner = self.title(first) if self.rule == FIRST else self.rule
        sentence = f"{axis}: {self.title(sender)} is not obeyed, {owner} is (command_source)"
        self._refuse("" if told in self._told else sentence)
        self._told.add(told)
        return False

    def introduce(self, sender: Sender, name: str) -> None:
        """Take the name of a sender that is not in the graph."""
        self._introduced[sender] = name

    def conflicts(self) -> list[str]:
        """Return a sentence for each axis that several senders command at present."""
        found = []
        for axis in list(self._heard):
            with self._lock:
                senders = list(self._alive(axis))
            if len(senders) > 1:
                titles = " and ".join(self.title(sender) for sender in senders)
                obeyed = "the newest command counts" if self.rule == ANY else f"by {self.rule}"
                found.append(f"{axis} is commanded by {titles}: {obeyed}")
        return found

    def title(self, sender: Sender) -> str:
        """Return how a sender is called in messages."""
        return f"{self._name(sender) or 'an unknown node'} ({sender.topic})"

    def _name(self, sender: Sender) -> str:
        """Return the full name of a sender's node; empty while it is not known."""
        return self._introduced.get(sender) or self._names[sender]

    def _alive(self, axis: str) -> dict[Sender, float]:
        """Return the senders heard within the hold, in the order in which they began."""
        now = self._clock()
        heard = self._heard.get(axis, {})
        fresh = {sender: at for sender, at in heard.items() if at <= now <= at + self.hold}
        self._heard[axis] = fresh
        return fresh

    def _is_named(self, sender: Sender) -> bool:
        """Return True if the rule names the sender's node."""
        name = self._name(sender)
        return name == self.rule if self.rule.startswith("/") else name.split("/")[-1] == self.rule


def admit(
    commands: Iterable[Any], axis_of: Callable[[Any], str], sender: Sender, sources: CommandSources
) -> list[Any]:
    """Return the commands that are obeyed; what commands no axis always is.

    ``axis_of`` returns the axis that a command moves, empty for others, such as those of a brake.
    """
    return [
        command
        for command in commands
        if not (axis := axis_of(command)) or sources.obeys(axis, sender)
    ]
