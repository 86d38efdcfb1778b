"""Messages of a controller's feedback, both ways: the same numbers, to the last bit."""

import math
from array import array

from builtin_interfaces.msg import Time
from std_msgs.msg import Header

from cable_sim.control.feedback import Feedback, LoadState, feedback_of
from cable_sim.machine.machine import Machine
from cable_sim.machine.states import STATES, AxisState, Sway
from cable_sim.msg import Feedback as Message
from cable_sim.ros.basis.messages import set_sway, set_vector, sway_of, vector_of
from cable_sim.sim.observation import Observation

NOWHERE = (math.nan, math.nan, math.nan)


class FeedbackMessage:
    """Message feedback: axes, readings, limiters, sway, load and pull."""

    def __init__(self, machine: Machine, world: str, stamp: Time) -> None:
        self.machine = machine
        seen = feedback_of(machine, machine.observe())
        header = Header(stamp=stamp, frame_id=world)
        self.message = Message(header=header, axis=list(seen.axes), reading=list(seen.readings))

    def fill(self, observation: Observation) -> Message:
        """Fill in the machine's feedback; ``observation`` is its newest."""
        message = self.message
        seen = feedback_of(self.machine, observation)
        message.time = seen.time
        message.pull = seen.pull
        for i, field in enumerate(("position", "velocity", "effort")):
            setattr(message, field, array("d", [state[i] for state in seen.axes.values()]))
        message.value = array("d", seen.readings.values())
        message.limiter = list(seen.limits)
        message.limiter_state = array("B", map(STATES.index, seen.limits.values()))
        sway = seen.sway or Sway(*NOWHERE, math.nan, math.nan)
        set_sway(message, sway)
        load = seen.load or LoadState(NOWHERE, NOWHERE)
        set_vector(message.load_position, load.position)
        set_vector(message.load_velocity, load.velocity)
        return message


def feedback_from(message: Message) -> Feedback:
    """Return a message's feedback, as a controller in the simulator's own process sees it."""
    states = zip(message.position, message.velocity, message.effort, strict=True)
    axes = {name: AxisState(*state) for name, state in zip(message.axis, states, strict=True)}
    readings = dict(zip(message.reading, message.value, strict=True))
    limits = {
        name: STATES[code]
        for name, code in zip(message.limiter, message.limiter_state, strict=True)
    }
    sway = load = None
    if not math.isnan(message.fall_length):
        sway = sway_of(message)
    if not math.isnan(message.load_position.x):
        load = LoadState(vector_of(message.load_position), vector_of(message.load_velocity))
    return Feedback(message.time, axes, readings, limits, sway, load, message.pull)
