"""Numbers of serialized messages: where they are, and what they are overwritten with."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from rclpy.serialization import deserialize_message, serialize_message
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.ros.publish import preserialized_message
from cable_sim.ros.publish.preserialized_message import (
    HEADER,
    MARK,
    MARK_STEP,
    MARKS,
    PreserializedMessage,
)


def test_a_double_whose_half_is_a_single_mark_is_no_single(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a double comes by chance, once in thousands of messages."""
    number = np.arange(MARKS)
    halves = (MARK["<f8"] + MARK_STEP["<f8"] * number).view("<f4").reshape(-1, 2)
    singles = (MARK["<f4"] + MARK_STEP["<f4"] * number).astype("<f4")
    like = np.minimum(np.searchsorted(singles, halves[:, 0]), MARKS - 1)
    ahead = np.where(singles[like] == halves[:, 0], like - number, MARKS)
    ahead[ahead <= 0] = MARKS
    first = int(ahead.argmin())
    count = int(ahead[first]) // 4 + 1
    message = MarkerArray(markers=[Marker() for _ in range(count)])
    doubles = [(message.markers[0].pose.position, "x")]
    colors = [(marker.color, field) for marker in message.markers for field in "rgba"]
    monkeypatch.setattr(PreserializedMessage, "_used", first)
    made = PreserializedMessage(message, doubles, colors)
    values = np.linspace(0.0, 1.0, len(colors))
    read = deserialize_message(made.fill(np.array([7.0]), values), MarkerArray)
    assert read.markers[0].pose.position.x == 7.0
    found = [getattr(marker.color, field) for marker in read.markers for field in "rgba"]
    assert found == pytest.approx(values, abs=1e-7)


def test_a_mark_that_was_left_in_a_gap_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gaps between fields have what was in memory: by chance a mark, or one of an older message."""
    message = MarkerArray(markers=[Marker(ns="abcd")])
    gap = HEADER + 44  # before the first double, for a name of that length

    def with_word(data: bytes, word: bytes) -> bytes:
        return data[:gap] + word + data[gap + 4 :]

    plain = bytes(serialize_message(message))
    assert deserialize_message(with_word(plain, b"\xff" * 4), MarkerArray) == message
    left: list[int] = []

    def serialize(message: MarkerArray) -> bytes:
        left.append(len(left))
        red = np.float32(message.markers[0].color.r).tobytes()
        data = bytes(serialize_message(message))
        return with_word(data, red) if len(left) < 3 else data

    monkeypatch.setattr(preserialized_message, "serialize_message", serialize)
    made = PreserializedMessage(message, [], [(message.markers[0].color, "r")])
    read = deserialize_message(made.fill(np.zeros(0), np.array([0.25])), MarkerArray)
    assert read.markers[0].color.r == 0.25 and len(left) == 3
