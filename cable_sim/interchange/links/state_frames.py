"""Frames of the state stream: what pictures and sounds of a crane elsewhere need, as JSON.

All vectors are in the world, z upward, in SI units; an orientation is (w, x, y, z). Lists of points
are flat, x y z x y z ..., as readers that know no lists of lists want them.

    number, time, clock     count of frames, simulated time [s], wall time of the frame [s, Unix]
    paused, emergency_stop
    bodies                  name, position, orientation of bodies, and of parts that aim at others
    ropes                   name, points, tension (largest) [N], slack, speed off the drum [m/s],
                            slip over wheels (fastest) [m/s]
    axes                    name, position, speed, effort, brake (closed)
    contacts                first, second, points, force (normal) [N], slip (sliding speed) [m/s]
    events                  time, first, second, begins, impact (speed) [m/s] since the frame before

A number that is none, and what a source does not know, is null: over ROS, the slip of ropes and
brakes. The sliding speed is a
mean since the frame before. A point p of the one thing was at R' R^T (p - x) + x' then, of the
other likewise. The difference of these two places across the normal, over the time between, is how
fast one slides on the other.
"""

import time
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.machine.pictures.frame import Array, CablePicture, Frame
from cable_sim.rendering.bodies import pose_of
from cable_sim.rendering.meshes import rotation_matrix
from cable_sim.sim.readings.views import Contact, TouchEvent

DECIMALS = 5
"""Digits behind the point: a hundredth of a millimetre."""
Poses = Mapping[str, tuple[Array, Array]]
Told = dict[str, Any]


class FrameEncoder:
    """Encoder of one crane's frames, in their order."""

    def __init__(self, crane: Crane) -> None:
        scene = crane.scene
        self._scene = scene
        self._body_of = {solid.name: solid.body for solid in scene.obstacles}
        self._number = 0
        self._before: Frame | None = None

    def encode(self, frame: Frame) -> bytes:
        """Return a frame as JSON in one line."""
        before = self._before
        if before is None or frame.time < before.time:
            before = frame
        self._before = frame
        self._number += 1
        known = {*before.events}
        told = {
            "number": self._number,
            "time": frame.time,
            "clock": time.time(),
            "paused": frame.paused,
            "emergency_stop": frame.emergency_stop,
            "bodies": self._bodies(frame),
            "ropes": [_rope(name, rope) for name, rope in frame.cables.items()],
            "axes": [_axis(name, frame) for name in frame.axes],
            "contacts": [self._contact(one, frame, before) for one in frame.contacts],
            "events": [_event(one) for one in frame.events if one not in known],
        }
        return msgspec.json.encode(told)

    def _bodies(self, frame: Frame) -> list[Told]:
        """Return places and orientations of bodies and aims."""
        aims = {aim.name: pose_of(self._scene, aim.name, frame.poses) for aim in self._scene.aims}
        return [
            {"name": name, "position": _flat(place), "orientation": _flat(turn)}
            for name, (place, turn) in (frame.poses | aims).items()
        ]

    def _contact(self, contact: Contact, frame: Frame, before: Frame) -> Told:
        """Return a pair that touches, and how fast it slides."""
        return {
            "first": contact.first,
            "second": contact.second,
            "points": _flat(contact.position),
            "force": float(contact.normal_force),
            "slip": self._sliding_speed(contact, frame, before),
        }

    def _sliding_speed(self, contact: Contact, frame: Frame, before: Frame) -> float:
        """Return the largest mean speed at which points of a contact slid since a frame [m/s]."""
        took = frame.time - before.time
        if took <= 0.0:
            return 0.0
        first, second = (
            self._was_at(name, contact.position, frame.poses, before.poses)
            for name in (contact.first, contact.second)
        )
        way = second - first
        way -= contact.normal * np.sum(way * contact.normal, axis=1, keepdims=True)
        return float(np.linalg.norm(way, axis=1).max(initial=0.0)) / took

    def _was_at(self, name: str, points: Array, now: Poses, then: Poses) -> Array:
        """Return where points (n, 3) of a body, or of a solid on one, were at poses before [m]."""
        body = self._body_of.get(name, name)
        if body not in now or body not in then:
            return points
        (place, turn), (old_place, old_turn) = now[body], then[body]
        own = (points - place) @ rotation_matrix(turn)
        return np.asarray(own @ rotation_matrix(old_turn).T + old_place)


def _rope(name: str, rope: CablePicture) -> Told:
    """Return a rope's curve, and its cues."""
    return {
        "name": name,
        "points": _flat(rope.points),
        "tension": float(rope.tension.max(initial=0.0)),
        "slack": bool(rope.slack),
        "speed": rope.speed,
        "slip": rope.slip,
    }


def _axis(name: str, frame: Frame) -> Told:
    """Return the state of an axis, and of its brake."""
    state = frame.axes[name]
    return {
        "name": name,
        "position": state.position,
        "speed": state.velocity,
        "effort": state.effort,
        "brake": frame.brakes.get(name),
    }


def _event(event: TouchEvent) -> Told:
    """Return the begin or the end of a touch."""
    return {
        "time": event.time,
        "first": event.first,
        "second": event.second,
        "begins": event.begins,
        "impact": event.speed,
    }


def _flat(values: Array) -> list[float]:
    """Return an array's numbers in one list, rounded."""
    numbers: list[float] = np.round(np.ravel(values), DECIMALS).tolist()
    return numbers
