"""Records of the wheels in massless ropes."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Floats, Ints


class Wheels(NamedTuple):
    """Wheels that a rope sticks to and slips on, in the order of the nodes."""

    node: Ints
    """(w,) node at the centre of each wheel."""
    of_node: Ints
    """(k,) wheel at each node, -1 for none; empty in a scene without wheels."""
    rotor: Ints
    """(w,) body row of the rim, -1 for a wheel that does not turn."""
    back: Ints
    """(w,) body row of the rim that an endless rope begins and ends on, -1 for none."""
    span: Ints
    """(w, 2) spans before and behind each wheel."""
    radius: Floats
    """(w,) of the rope's axis on the wheel [m]."""
    axis: Floats
    """(w, 3) unit vector in the carrier's frame, about which the rope turns right-handed."""
    ahead: Floats
    """(w, 3) direction in the carrier's frame at which the wheel parts the rope."""
    wrap: Floats
    """(w,) at the start, with full turns [rad]."""
    friction: Floats
    """(w,) coefficient of friction between rope and groove; -1 for a wheel with an efficiency."""
    loss: Floats
    """(w,) kappa of a wheel with an efficiency, see ``kernels/cables/friction/node_law.py``."""


class WheelState(NamedTuple):
    """Slip on wheels."""

    beyond: Floats
    """(w,) unstretched rope behind each wheel, less the coordinate of its rim [m]."""
    slip: Floats
    """(w,) speed of the rope past the rim in the last step, towards the last node [m/s]."""
    end_slip: Floats
    """(w,) the same at the end of the step, of which ``slip`` is the mean."""
    share: Floats
    """(w,) share of the rope behind the wheel in the last step."""
    heat: Floats
    """(w,) work of the friction so far [J]."""
    contact: Floats
    """(w, 2) angles at which the rope came and left in the last step, from ``ahead`` [rad]."""


class WheelWork(NamedTuple):
    """Contacts of ropes with wheels."""

    comes: Floats
    """(w, 3) unit vector from the centre to where the rope comes to the wheel, in the world."""
    leaves: Floats
    """(w, 3) unit vector from the centre to where it leaves."""
    axis: Floats
    """(w, 3) in the world."""
    wrap: Floats
    """(w,) [rad]."""
    share: Floats
    """(w,) share of the rope that is behind the wheel."""
    contact: Floats
    """(w, 2) angles at which the rope comes and leaves, from ``ahead`` [rad]."""


class Rims(NamedTuple):
    """Wheels in ropes: constants, state and scratch."""

    wheels: Wheels
    state: WheelState
    work: WheelWork
