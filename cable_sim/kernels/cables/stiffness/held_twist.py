"""Twist that dry friction holds where a hybrid wire sticks on solids.

An edge on which rope of the radius r is pressed with the force N takes a torque about the rope of
mu N r at most: then the rope rolls. So a node where the rope sticks holds a difference of torques,

    |M_near - M_far| <= B = sum of mu N r over the nodes that stick.

All of them stand for one, the *station*, at the one nearest to the end that moves. With the twist H
of the rope on the far side of it, and Omega of all,

    M_near = c_near (Omega - H),    M_far = c_far H,    c = GJ / L of the rope on either side.

In a step the rope sticks: the twist row is that of the near side alone. At its end, beyond the
bound, H takes up what makes the difference equal to B,

    dH = (M_near - M_far -+ B) / (c_near + c_far),

as the return of a plastic spring does: the energy falls by what friction takes. Where the rope
slips along itself over a node its friction acts against that slip, and none is left about the rope.
So when no node sticks any more the twist evens out at once, H = Omega L_far / L, which lowers the
energy as well. When one begins to, H is that. Rope that changes sides takes its twist along.

Stations are those of wires of two nodes of which one is on a body that moves, over solids that do
not. Other wires pass their torque on over every node.
"""

from math import inf, isinf

from cable_sim.kernels.cables.contact.contact_path import UNUSED, holds_rope
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import load, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.cables import Cables, CableState, Twist
from cable_sim.kernels.records.lines import Lines, Nodes


@kernel
def find_station(first: int, last: int, slots: Ints, nodes: Nodes) -> int:
    """Return the sticking node nearest to the end that moves, -1 if none may hold a twist."""
    near_last = nodes.row_entry[last] >= 0
    if slots[first] + 1 != last - first or near_last == (nodes.row_entry[first] >= 0):
        return -1
    station = -1
    for k in range(first + 1, last):
        if nodes.contact_solid[k] < 0:
            continue
        if nodes.row_entry[k] >= 0:
            return -1
        if holds_rope(k, nodes) and (near_last or station < 0):
            station = k
    return station


@kernel
def near_rope(
    first: int, last: int, station: int, row_entry: Ints, rest_length: Floats
) -> tuple[float, float]:
    """Return the rope between the station and the end that moves, and all rope [m]."""
    before = 0.0
    total = 0.0
    for k in range(first, last):
        before += rest_length[k] if k < station else 0.0
        total += rest_length[k]
    return (total - before if row_entry[last] >= 0 else before), total


@kernel
def near_share(first: int, last: int, station: int, row_entry: Ints, rest_length: Floats) -> float:
    """Return the part of the rope that is between the station and the end that moves."""
    near, total = near_rope(first, last, station, row_entry, rest_length)
    return near / total


@kernel
def carry(held: float, twist: float, before: float, near: float, total: float) -> float:
    """Return the held twist once the rope on the near side is ``near``, which was ``before`` [m].

    Rope that changes sides takes its part of the ``twist`` along; ``total`` is all rope.
    """
    moved = before - near
    if moved > 0.0:
        return held + (twist - held) * moved / before
    return held * (1.0 + moved / (total - before))


@kernel
def friction_torque(
    h: float, first: int, last: int, radius: float, friction: Floats, nodes: Nodes
) -> float:
    """Return the most torque that the nodes which stick can take about the rope [N m]."""
    bound = 0.0
    for k in range(first + 1, last):
        if nodes.contact_solid[k] >= 0 and holds_rope(k, nodes):
            before = scale(nodes.tension_impulse[k - 1], load(nodes.direction, k - 1))
            after = scale(nodes.tension_impulse[k], load(nodes.direction, k))
            bound += friction[nodes.contact_solid[k]] * radius * norm(sub(after, before)) / h
    return bound


@kernel
def roll(near: float, far: float, share: float, whole: float, bound: float) -> float:
    """Return the twist of the far side after rope beyond the bound [N m] has rolled [rad].

    ``near`` and ``far`` are the twists before, ``share`` the near part of the rope, and ``whole``
    the compliance of all of it [rad/(N m)].
    """
    difference = near / (whole * share) - far / (whole * (1.0 - share))
    beyond = max(abs(difference) - bound, 0.0)
    turn = beyond * whole * share * (1.0 - share)
    return far + (turn if difference > 0.0 else -turn)


@kernel
def rope_compliance(c: int, first: int, last: int, twist: Twist, rest_length: Floats) -> float:
    """Return the torsional compliance of all rope of cable c [rad/(N m)]."""
    rope = 0.0
    for k in range(first, last):
        rope += rest_length[k]
    return twist.compliance_per_length[c] * rope


@kernel
def far_torque(
    c: int,
    first: int,
    last: int,
    twist: Twist,
    cable_state: CableState,
    rest_length: Floats,
    row_entry: Ints,
) -> float:
    """Return the torque of the held twist of cable c on the far side of its station [N m]."""
    share = near_share(first, last, cable_state.twist_station[c], row_entry, rest_length)
    whole = rope_compliance(c, first, last, twist, rest_length)
    return cable_state.twist_held[c] / (whole * (1.0 - share))


@kernel
def held_energy(
    cables: Cables, twist: Twist, cable_state: CableState, rest_length: Floats, row_entry: Ints
) -> float:
    """Return the energy of the twists that stations hold [J]."""
    energy = 0.0
    for c in range(cables.row.size):
        if twist.row[c] >= 0 and not isinf(cable_state.twist_held[c]):
            first = cables.node_start[c]
            last = cables.node_start[c + 1] - 1
            torque = far_torque(c, first, last, twist, cable_state, rest_length, row_entry)
            energy += 0.5 * torque * cable_state.twist_held[c]
    return energy


@kernel
def hold_twist(h: float, c: int, friction: Floats, nodes: Nodes, lines_out: Lines) -> None:
    """Update the station of cable c and the twist that it holds, after a step of h."""
    twist = lines_out.twist
    state = lines_out.cable_state
    if twist.row[c] < 0 or twist.compliance_per_length[c] == 0.0:
        return
    first = lines_out.cables.node_start[c]
    last = lines_out.cables.node_start[c + 1] - 1
    station = find_station(first, last, lines_out.spans.slots, nodes)
    total = state.twist_expected[c]
    if station < 0 or isinf(total):
        state.twist_station[c] = UNUSED
        state.twist_held[c] = inf
        return
    near, rope = near_rope(first, last, station, nodes.row_entry, nodes.rest_length)
    share = near / rope
    held = state.twist_held[c]
    if isinf(held):
        held = total * (1.0 - share)
    else:
        held = carry(held, total, state.near_rope[c], near, rope)
    state.twist_station[c] = station
    state.near_rope[c] = near
    whole = rope_compliance(c, first, last, twist, nodes.rest_length)
    bound = friction_torque(h, first, last, twist.radius[c], friction, nodes)
    state.twist_held[c] = roll(total - held, held, share, whole, bound)
