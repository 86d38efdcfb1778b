"""All publishers of the node, and their order. Used by the physics thread only."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from cable_sim.cranes.crane import Crane
from cable_sim.errors import describe_error
from cable_sim.machine.machine import Machine
from cable_sim.machine.sway import measure_sway
from cable_sim.rendering.bodies import crane_extent
from cable_sim.rendering.contact_arrows import ContactArrows, arrows_of
from cable_sim.ros import interface
from cable_sim.ros.basis.crane_parameters import rates
from cable_sim.ros.basis.description import robot_description
from cable_sim.ros.basis.frames import BASE, IDENTITY, floating_bodies, links
from cable_sim.ros.basis.messages import (
    CableStatesMessage,
    GroundTruthMessage,
    JointStateMessage,
    SwayMessage,
    TransformsMessage,
    set_orientation,
    set_time,
    set_vector,
    transform,
)
from cable_sim.ros.basis.pacing import ALL, EveryTick, EveryWhile
from cable_sim.ros.basis.parameters import Settings
from cable_sim.ros.basis.stats import Stats
from cable_sim.ros.command.commands import Counts
from cable_sim.ros.publish.cable_markers import CableMarkers
from cable_sim.ros.publish.devices import DeviceTopics
from cable_sim.ros.publish.diagnostics import Diagnostics
from cable_sim.ros.publish.feedback_messages import FeedbackMessage
from cable_sim.ros.publish.markers import arrow_markers, scene_markers
from cable_sim.sim.observation import Observation

STATS_PERIOD = 0.1
"""Wall time between two sim_stats [s]."""

NEWCOMER_ARRAYS = 5
"""Number of complete cable_markers arrays after a new subscription.

The subscriber may miss the first ones.
"""


class Publishers:
    """The node's publishers and their messages, which share one stamp.

    ``publish`` sends what is due, states first, then TF, then the clock. So a node that the clock
    wakes finds the states of that instant already there.
    """

    def __init__(self, node: Node, machine: Machine, settings: Settings, counts: Counts) -> None:
        self.machine = machine
        self.counts = counts
        self.on_state: Callable[[Observation, int], object] = lambda *_: None
        """Called with each observation, and its ROS time [ns], before it is published."""
        self.logger = node.get_logger()
        crane, prefix, world = machine.crane, settings.frame_prefix, settings.world_frame
        self.stamp = Time()
        self.stats = Stats(self.stamp)
        self.clock = Clock(clock=self.stamp)
        self.joint_states = JointStateMessage(crane, self.stamp)
        self.cable_states = CableStatesMessage(crane, prefix + BASE, self.stamp)
        self.sways = [
            SwayMessage(hung, crane.falls(hung), prefix, self.stamp) for hung in crane.suspensions
        ]
        self.truths = [
            GroundTruthMessage(hung.load, prefix, world, self.stamp) for hung in crane.suspensions
        ]
        self._frames = prefix, world
        self._floating_alone = settings.publish_tf == "floating"
        self._marker_points = settings.marker_points
        self.cable_markers = CableMarkers(crane, prefix, world, settings.marker_points)
        self._arrows = ContactArrows(crane, crane_extent(crane))
        self._fresh = 0
        self._tick_rate = settings.tick_rate
        self._take(machine)
        name = node.get_namespace().strip("/") or crane.name
        self.diagnostics = Diagnostics(node.get_fully_qualified_name().strip("/"), name, self.stamp)
        others = {interface.CLOCK.topic} if not settings.publish_clock else set()
        others |= {interface.JOINT_STATES.topic} if not settings.publish_joint_states else set()
        wanted = [
            endpoint
            for endpoint in interface.published_endpoints(crane)
            if endpoint.topic not in others
        ]
        self._publishers = {e.topic: node.create_publisher(e.type, e.topic, e.qos) for e in wanted}
        self._listeners = SubscriberWatch(node, *self._publishers.values())
        self._watchers = SubscriberWatch(node, self._publishers[interface.CABLE_MARKERS.topic])
        self._marked = -1
        self.set_rates(settings)
        self._publish_once(crane, prefix, world, settings.publish_tf == "all")

    def _take(self, machine: Machine) -> None:
        """Make the messages that depend on the machine's bodies, or read it."""
        prefix, world = self._frames
        crane = machine.crane
        self.machine = machine
        self.feedback = FeedbackMessage(machine, world, self.stamp)
        self.devices = DeviceTopics(machine, prefix, world, self.stamp, self._tick_rate)
        bodies = [body.name for body in crane.scene.bodies]
        moving = floating_bodies(crane) if self._floating_alone else bodies
        self.transforms = TransformsMessage(moving, prefix, world, self.stamp, crane.scene.aims)

    def become(self, machine: Machine) -> None:
        """Continue with a machine that has other loads, and send its shapes."""
        self._take(machine)
        self.devices.set_rates(self._device_rates)
        self._send(interface.SCENE_MARKERS, scene_markers, machine.crane, *self._frames)

    def set_rates(self, settings: Settings) -> None:
        """Take rates from the parameters."""
        tick = settings.tick_rate
        self.joints_due = EveryTick(settings.joint_state_rate, tick)
        self.cables_due = EveryTick(settings.cable_state_rate, tick)
        self.transforms_due = EveryTick(settings.tf_rate, tick)
        self._device_rates = rates(settings.own)
        self.devices.set_rates(self._device_rates)
        self.markers_due = EveryWhile(1.0 / settings.marker_rate if settings.marker_rate else 0.0)
        self.stats_due = EveryWhile(STATS_PERIOD)
        self.diagnostics_due = EveryWhile(settings.diagnostics_period)

    def publish(
        self, observation: Observation, nanoseconds: int, tick: int = ALL, hurried: bool = False
    ) -> None:
        """Send the messages due with that tick, stamped with that time.

        All that are not switched off are sent of the first state, one after a jump or a step, and
        to late joiners. Markers, which cost as much as all else, can wait for their time unless
        ``hurried``; see :meth:`repeat`.
        """
        self._begin(observation, nanoseconds)
        if self.joints_due.due(tick):
            self._try("states of axes and loads", self._joints, observation)
        if self.cables_due.due(tick):
            self._send(interface.CABLE_STATES, self.cable_states.fill, observation)
        elif tick == ALL:  # turns of sheaves count from the start
            self._try(interface.CABLE_STATES.topic, self.cable_states.fill, observation)
        for endpoint, fill in self.devices.due_messages(tick):
            self._send(endpoint, fill, self.machine)
        if self.transforms_due.due(tick):
            self._send(interface.TF, self.transforms.fill, observation)
        if hurried or self.markers_due.due():
            self._try("markers", self._markers, observation, nanoseconds)
        self.tell_time(observation)

    def repeat(self, observation: Observation, nanoseconds: int) -> None:
        """Repeat the clock while no tick is taken, and send markers if they are due and new."""
        self._try("state for controllers", self.on_state, observation, nanoseconds)
        if nanoseconds != self._marked and self.markers_due.due():
            self._try("markers", self._markers, observation, nanoseconds)
        self.tell_time(observation)

    def ask_again(self, observation: Observation, nanoseconds: int) -> None:
        """Send feedback again whose answer has not come.

        The feedback, or its answer, may have been sent before the two ends had found each other.
        """
        set_time(self.stamp, nanoseconds)
        self._feedback(observation)

    def tell_time(self, observation: Observation) -> None:
        """Send changed limits and faults, the clock, and due statistics and diagnostics."""
        for endpoint, fill in self.devices.news():
            self._send(endpoint, fill, self.machine)
        self._send(interface.CLOCK, lambda: self.clock)
        due = self.diagnostics_due.due()
        if due:
            self.stats_due.restart()  # they go with the diagnostics, and not once more right after
        if due or self.stats_due.due():
            counts = self.machine.counts
            rejected = (
                self.counts.of["rejected"] + self.counts.of["unreadable"] + counts["rejected"]
            )
            told = observation, rejected, counts["clamped"], self.machine.stopped
            self._send(interface.SIM_STATS, self.stats.fill, *told)
        if due:
            known = self.machine, observation, self.stats, self.counts
            self._send(interface.DIAGNOSTICS, self.diagnostics.fill, *known)
            for notice in self.counts.take_unlogged():
                self.logger.warning(notice)

    def hurry(self) -> None:
        """Send statistics and diagnostics with the next clock, because something changed."""
        self.stats_due.hurry()
        self.diagnostics_due.hurry()

    def has_new_subscriber(self) -> bool:
        """Return True if there is a new subscriber to any topic since the last call."""
        return self._listeners.has_new_subscriber()

    def _begin(self, observation: Observation, nanoseconds: int) -> None:
        """Stamp the messages of a state, and give the state to the controllers.

        They get it first, because they answer while the others are sent.
        """
        set_time(self.stamp, nanoseconds)
        self._try("state for controllers", self.on_state, observation, nanoseconds)
        self._feedback(observation)

    def _feedback(self, observation: Observation) -> None:
        """Send feedback, if it has a subscriber."""
        if self._publishers[interface.FEEDBACK.topic].get_subscription_count():
            self._send(interface.FEEDBACK, self.feedback.fill, observation)

    def _joints(self, observation: Observation) -> None:
        """Send joint_states and, where loads hang, the topics of the loads."""
        machine = self.machine
        crane = machine.crane
        axes = [machine.axis_state(observation, axis.name) for axis in crane.axes]
        self._send(interface.JOINT_STATES, self.joint_states.fill, observation, axes)
        for hung, told, truth in zip(crane.suspensions, self.sways, self.truths, strict=True):
            endpoint = interface.load_endpoint(interface.SWAY_STATE, crane, hung)
            self._send(endpoint, told.fill, observation, measure_sway(hung, observation.body))
            endpoint = interface.load_endpoint(interface.GROUND_TRUTH, crane, hung)
            self._send(endpoint, truth.fill, observation)

    def _markers(self, observation: Observation, nanoseconds: int) -> None:
        """Send cable_markers and, to those who listen, contact_markers, unless switched off.

        New subscribers first get an order to forget other cranes' cables; and all after a rope has
        changed its model, so that no masses of it stay.
        """
        if not self.markers_due.period:
            return
        self._marked = nanoseconds
        self._fresh = (
            NEWCOMER_ARRAYS if self._watchers.has_new_subscriber() else max(self._fresh - 1, 0)
        )
        if self.cable_markers.specs != self.machine.crane.scene.cables:
            crane = self.machine.crane
            self.cable_markers = CableMarkers(crane, *self._frames, self._marker_points)
            self._fresh = NEWCOMER_ARRAYS
        markers = self.cable_markers
        self._send(
            interface.CABLE_MARKERS,
            markers.replacing_array if self._fresh else markers.fill,
            observation,
        )
        if self._publishers[interface.CONTACT_MARKERS.topic].get_subscription_count():
            arrows = arrows_of(observation.contacts, self._arrows.scale)
            told = arrows, self._arrows.legend, self._frames[1]
            self._send(interface.CONTACT_MARKERS, arrow_markers, *told)

    def _publish_once(self, crane: Crane, prefix: str, world: str, whole_tree: bool) -> None:
        """Send latched messages: description, shapes, and the static frames."""
        frames = list(_static(crane, prefix, world, whole_tree))
        for endpoint, message in (
            (interface.ROBOT_DESCRIPTION, String(data=robot_description(crane))),
            (interface.SCENE_MARKERS, scene_markers(crane, prefix, world)),
            (interface.TF_STATIC, TFMessage(transforms=frames)),
        ):
            self._publishers[endpoint.topic].publish(message)

    def _send(self, endpoint: interface.Endpoint, fill: Callable[..., Any], *given: Any) -> None:
        """Fill and publish a message, unless another node does: the clock, or joint states."""
        publisher = self._publishers.get(endpoint.topic)
        if publisher:
            self._try(endpoint.topic, lambda: publisher.publish(fill(*given)))

    def _try(self, what: str, act: Callable[..., object], *given: Any) -> None:
        """Do a part of publishing; an error is told once, and ends neither physics nor the rest."""
        failing = self.stats.unpublished
        try:
            act(*given)
            failing.discard(what)
        except Exception as error:  # whatever it is, the next tick may be better
            if what not in failing:
                self.counts.note(f"{what}: not published: {describe_error(error)}")
            failing.add(what)


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
        """Return True if there is a subscriber that the last call did not find."""
        present = {
            tuple(one.endpoint_gid)
            for publisher in self._publishers
            for one in self._node.get_subscriptions_info_by_topic(publisher.topic_name)
        }
        came = not present <= self._known
        self._known = present
        return came


def _static(crane: Crane, prefix: str, world: str, whole_tree: bool) -> Iterable[Any]:
    """Yield the base's transform and, without a robot_state_publisher, those of frames on hinges.

    The frames on hinges are seen from their bodies. tf2's own broadcasters only publish this
    message with the same quality of service. Sending it here keeps the message for the next time,
    and works where only the messages of tf2 are installed.
    """
    if world != prefix + BASE:
        yield transform(world, prefix + BASE, Time())
    chain = links(crane) if whole_tree else ()
    axes = {link.name for link in chain} - {body.name for body in crane.scene.bodies}
    for link in chain:
        if link.parent in axes:
            stamped = transform(prefix + link.name, prefix + link.parent, Time())
            set_vector(stamped.transform.translation, -np.asarray(link.position))
            set_orientation(stamped.transform.rotation, IDENTITY)
            yield stamped
