"""Cache of a simulator node's newest messages, and pictures of cables made from it."""

import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from geometry_msgs.msg import TwistWithCovarianceStamped
from numpy.typing import NDArray
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from transforms3d.quaternions import qmult, rotate_vector
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.cranes.crane import Crane
from cable_sim.machine.pictures.frame import NO_POINTS, CablePicture, move_with_ends
from cable_sim.machine.states import STATES, AxisState, Sway, speed_and_direction
from cable_sim.msg import (
    CableStateArray,
    ContactStateArray,
    FaultStateArray,
    LimitState,
    LoadMoment,
    SimStats,
    SwayState,
)
from cable_sim.rendering.bodies import node_places
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import seconds, sway_of, vector_of, wxyz
from cable_sim.ros.interface import Endpoint
from cable_sim.ros.publish.cable_markers import nodes_of, spans_of, tubes_of
from cable_sim.ros.publish.contact_messages import read_contact, read_event
from cable_sim.ros.publish.markers import visual_of
from cable_sim.sim.readings.views import Contact, TouchEvent
from cable_sim.spec import Visual
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]
Pose = tuple[Array, Array]
MOST_EVENTS = 256
"""Begins and ends of touches that are kept."""


class NodeStateCache:
    """Newest message of every kind.

    Each field is replaced as a whole, so that readers need no lock.

    Readings have the names that the machine of the ``crane`` has for them.
    """

    def __init__(self, crane: Crane | None = None) -> None:
        hung = crane.suspension if crane else None
        self._own: Callable[[str], str] = hung.own_name if hung else str
        self._radius = crane.radius_reading(hung) if crane and hung else ""
        self._watched = {one.name: one.quantity for one in crane.limiters} if crane else {}
        self.heard = -np.inf
        self.time = 0.0
        self.tree: dict[str, tuple[str, Array, Array]] = {}
        self.joints: JointState | None = None
        self.cables: dict[str, tuple[Array, bool, float]] = {}
        self.lines: dict[tuple[str, int], Array] = {}
        self.nodes: dict[tuple[str, int], Array] = {}
        self.visuals: tuple[Visual, ...] = ()
        self.gaps: dict[str, list[int]] = {}
        self.sway: Sway | None = None
        self.stats: SimStats | None = None
        self.notices: tuple[str, ...] = ()
        self.log = "", 0.0
        """Last line of the node's log, and when it was heard [s, monotonic]."""
        self.limits: dict[str, str] = {}
        self.faults: tuple[str, ...] = ()
        self.readings: dict[str, float] = {}
        self.contacts: tuple[Contact, ...] = ()
        self.events: tuple[TouchEvent, ...] = ()

    @property
    def of_frames(self) -> tuple[tuple[Endpoint, Callable[[Any], None]], ...]:
        """Endpoints of the messages that make up a frame, each with what takes them."""
        return (
            (interface.TF, self.take_transforms),
            (interface.TF_STATIC, self.take_transforms),
            (interface.JOINT_STATES, self.take_joints),
            (interface.CABLE_STATES, self.take_cables),
            (interface.CABLE_MARKERS, self.take_markers),
            (interface.SWAY_STATE, self.take_sway),
            (interface.CONTACTS, self.take_contacts),
        )

    def take_contacts(self, message: ContactStateArray) -> None:
        """Keep what touches, and the last begins and ends."""
        self.contacts = tuple(map(read_contact, message.contacts))
        self.events = (*self.events, *map(read_event, message.events))[-MOST_EVENTS:]

    def note(self, notice: str) -> None:
        """Add a notice for the user."""
        self.notices = (*self.notices[-4:], notice)

    def take_transforms(self, message: TFMessage) -> None:
        """Keep each frame's place in its parent.

        The order is that of arrival, not of stamps, because the clock of a new node starts anew.
        """
        tree = dict(self.tree)
        for stamped in message.transforms:
            place = np.array(vector_of(stamped.transform.translation))
            turn = wxyz(stamped.transform.rotation)
            tree[stamped.child_frame_id] = (stamped.header.frame_id, place, turn)
        self.tree = tree

    def take_joints(self, message: JointState) -> None:
        """Keep the joints and their time."""
        self.joints = message
        self.time = seconds(message.header.stamp)

    def take_cables(self, message: CableStateArray) -> None:
        """Keep tensions [N], and speeds off the drum [m/s]."""
        self.cables = {
            c.name: (np.array(c.span_tension), bool(c.slack), c.length_rate) for c in message.cables
        }

    def take_markers(self, message: MarkerArray) -> None:
        """Keep the lines of the spans and the nodes of wires [m], and which tubes are not seen."""
        kept: dict[int, dict[tuple[str, int], Array]] = {
            Marker.LINE_STRIP: {},
            Marker.SPHERE_LIST: {},
        }
        for m in message.markers:
            if m.type in kept and m.points:
                kept[m.type][m.ns, m.id] = np.array([*map(vector_of, m.points)])
        self.lines, self.nodes = kept.values()
        gaps: dict[str, list[int]] = {}
        for m in message.markers:
            if m.type == Marker.CYLINDER and m.color.a == 0.0:
                gaps.setdefault(m.ns, []).append(m.id)
        self.gaps = gaps

    def take_scene(self, message: MarkerArray, crane: Crane, prefix: str) -> None:
        """Keep what is drawn on bodies that are not in the crane's scene, such as spawned loads."""
        known = {WORLD, *(body.name for body in crane.scene.bodies)}
        known |= {aim.name for aim in crane.scene.aims}
        self.visuals = tuple(
            visual_of(marker, body)
            for marker in message.markers
            if marker.action == Marker.ADD and (body := marker.ns.removeprefix(prefix)) not in known
        )

    def take_sway(self, message: SwayState) -> None:
        """Keep the sway; None if its angles have no meaning."""
        self.sway = sway_of(message) if message.valid else None

    def take_stats(self, message: SimStats) -> None:
        """Keep the statistics and the time of arrival."""
        self.stats = message
        self.heard = time.monotonic()

    def take_limits(self, message: LimitState) -> None:
        """Keep the states of the limiters, and the readings that they watch."""
        self.limits = {
            name: STATES[state] for name, state in zip(message.name, message.state, strict=True)
        }
        values = zip(message.name, message.value, strict=True)
        self.readings = self.readings | {
            self._watched[name]: value for name, value in values if name in self._watched
        }

    def take_faults(self, message: FaultStateArray) -> None:
        """Keep the active faults as text."""
        self.faults = tuple(f"{fault.kind} {fault.target}".strip() for fault in message.faults)

    def take_load_moment(self, message: LoadMoment) -> None:
        """Keep load, radius and share of the capacity, under the machine's names of readings."""
        share = (
            "load.share"
            if np.isnan(message.radius) and np.isfinite(message.capacity)
            else "load_moment"
        )
        told = {self._own("load"): message.load, self._own(share): message.utilisation}
        if self._radius:
            told[self._radius] = message.radius
        self.readings = self.readings | told

    def take_wind(self, message: TwistWithCovarianceStamped) -> None:
        """Keep the speed of the wind."""
        linear = message.twist.twist.linear
        self.readings = self.readings | {
            self._own("wind.speed"): speed_and_direction((linear.x, linear.y, 0.0))[0]
        }


def poses_of(
    names: Iterable[str], prefix: str, world: str, cache: NodeStateCache
) -> dict[str, Pose] | None:
    """Return the poses of bodies in the world; None if one has not been heard of."""
    tree = dict(cache.tree)
    found: dict[str, Pose] = {}
    for name in names:
        pose = world_pose(tree, prefix + name, world)
        if pose is None:
            return None
        found[name] = pose
    return found


def axes_of(crane: Crane, joints: JointState) -> dict[str, AxisState]:
    """Return the states of the axes from their joints.

    Values that a message leaves out are NaN; the message may come from another node.
    """
    columns = [
        values if len(values) == len(joints.name) else [np.nan] * len(joints.name)
        for values in (joints.position, joints.velocity, joints.effort)
    ]
    rows = dict(zip(joints.name, zip(*columns, strict=True), strict=True))
    return {axis.name: AxisState(*rows[axis.joint]) for axis in crane.axes if axis.joint in rows}


def cable_pictures(
    crane: Crane, prefix: str, poses: dict[str, Pose], cache: NodeStateCache
) -> dict[str, CablePicture]:
    """Return pictures of the cables: the markers' spans, attached to the poses.

    So a cable meets the hook in every frame; TF comes more often than markers. A loose end stays
    where the markers have it. Masses and contact nodes go with the points of the lines on which
    they stand.
    """
    pictures = {}
    for number, cable in enumerate(crane.scene.cables):
        name = spans_of(cable.name, prefix)
        nodes = node_places(crane.scene, cable, poses)
        spans = range(len(nodes) - 1)
        lines = [cache.lines.get((name, i), nodes[i : i + 2]) for i in spans]
        for end in (0, -1):
            if cable.nodes[end].kind == "loose":
                nodes[end] = lines[end][end]
        parts = [
            move_with_ends(line, *ends)[:-1]
            for line, ends in zip(lines, pairwise(nodes), strict=True)
        ]
        points = np.concatenate([*parts, nodes[-1:]])
        places = (
            np.arange(len(points)) if cable.model.segments else np.cumsum([0, *map(len, parts)])
        )
        tension, slack, speed = cache.cables.get(cable.name, (np.zeros(1), False, 0.0))
        if len(tension) != len(places) - 1:  # not all masses of a cable need be drawn
            kept = np.linspace(0, max(len(tension) - 1, 0), len(places) - 1).astype(int)
            tension = np.append(tension, 0.0)[kept]
        drawn = np.concatenate([*(line[:-1] for line in lines), lines[-1][-1:]])
        found = [cache.nodes.get(key, NO_POINTS) for key in nodes_of(number, prefix)]
        masses, *contacts = (points[_nearest_indices(nodes, drawn)] for nodes in found)
        sticks = np.repeat([False, True], [len(part) for part in contacts])
        gaps = np.array(cache.gaps.get(tubes_of(cable.name, prefix), ()), dtype=np.int64)
        on = np.concatenate(contacts)
        pictures[cable.name] = CablePicture(
            points, places, tension, slack, masses, on, sticks, gaps, speed
        )
    return pictures


def _nearest_indices(points: Array, among: Array) -> NDArray[np.int64]:
    """Return the index of the nearest of ``among`` (m, 3) for each point (n, 3)."""
    return np.linalg.norm(points[:, None] - among, axis=-1).argmin(axis=1)


def world_pose(tree: dict[str, tuple[str, Array, Array]], frame: str, world: str) -> Pose | None:
    """Return the pose of a frame in the world; None if its chain is broken or circular."""
    place = np.zeros(3)
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(len(tree) + 1):
        if frame == world:
            return place, turn
        if frame not in tree:
            return None
        frame, offset, rotation = tree[frame]
        place = offset + rotate_vector(place, rotation)
        turn = qmult(rotation, turn)
    return None
