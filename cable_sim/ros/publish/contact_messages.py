"""Message of what touches in the world of a crane: pairs with their points, begins and ends."""

from typing import TYPE_CHECKING

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import Header

from cable_sim.msg import ContactEvent, ContactState, ContactStateArray
from cable_sim.ros.basis.messages import seconds, set_time, vector_of
from cable_sim.sim.readings.views import Contact, TouchEvent

if TYPE_CHECKING:
    from cable_sim.machine.machine import Machine


class ContactsMessage:
    """Message contacts."""

    def __init__(self, machine: "Machine", world: str, stamp: Time) -> None:
        self._told = machine.seen.event_count
        self.message = ContactStateArray(header=Header(stamp=stamp, frame_id=world))

    def has_news(self, machine: "Machine") -> bool:
        """Return True if a touch has begun or ended since the last message."""
        return machine.seen.event_count != self._told

    def fill(self, machine: "Machine") -> ContactStateArray:
        """Fill in what touches, and what began or ended since the last message.

        After a jump back in time there are fewer events than before, and none of them is news.
        """
        seen = machine.seen
        message = self.message
        new = max(seen.event_count - self._told, 0)
        self._told = seen.event_count
        ago = seconds(message.header.stamp) - machine.time
        message.contacts = [_contact(one) for one in seen.contacts]
        message.events = [_event(one, ago) for one in (seen.events[-new:] if new else ())]
        return message


def _contact(one: Contact) -> ContactState:
    """Return a pair that touches as a message."""
    return ContactState(
        first=one.first,
        second=one.second,
        normal_force=float(one.normal_force),
        points=[Point(x=x, y=y, z=z) for x, y, z in one.position.tolist()],
        forces=[Vector3(x=x, y=y, z=z) for x, y, z in one.force.tolist()],
        normals=[Vector3(x=x, y=y, z=z) for x, y, z in one.normal.tolist()],
    )


def read_contact(message: ContactState) -> Contact:
    """Return the pair that a message tells, the inverse of what fills it."""
    each = message.points, message.forces, message.normals
    arrays = (np.array([*map(vector_of, part)]).reshape(-1, 3) for part in each)
    position, force, normal = arrays
    return Contact(message.first, message.second, position, force, normal, message.normal_force)


def _event(one: TouchEvent, ago: float) -> ContactEvent:
    """Return an event as a message; ROS time began ``ago`` seconds before the machine's."""
    time = Time()
    set_time(time, round((one.time + ago) * 1e9))
    return ContactEvent(
        first=one.first, second=one.second, begins=one.begins, time=time, impact_speed=one.speed
    )


def read_event(message: ContactEvent) -> TouchEvent:
    """Return the event that a message tells, at ROS time [s]."""
    began = seconds(message.time)
    return TouchEvent(began, message.first, message.second, message.begins, message.impact_speed)
