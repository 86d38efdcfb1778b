"""Carriages: frames on a body that carry nodes of cables and are moved slowly, such as those for
skew and trim.

A carriage turns or slides in its body by its position q, which goes to the one that is wanted at
the commanded speed:

    turn    p = c + R(axis, q) (p_0 - c)          slide    p = p_0 + q axis

from where the nodes are at q = 0; a node on several goes through all of them in order. The rows of
the cables learn of it through their gaps alone, at the end of a step: the rate of a node is not in
J v, and what the carriage does to the ropes is not worked by any force of a drive. That is for
creep speeds, of centimetres a second, where a step takes the node a small part of the rope's
stretch. A turn does not twist the ends of the ropes. It conserves neither energy nor momentum, as a
hidden actuator does.
"""

from cable_sim.kernels.cables.contact.contact_path import UNUSED
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import exp, rotate
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, load, scale, store, sub
from cable_sim.kernels.records.cables import NodeState
from cable_sim.kernels.records.drives import CarriageControl, Carriages, CarriageState

LOWER = 0
UPPER = 1
SPEED = 2
"""Columns of ``carriage_limit``."""


@kernel
def point_at(turns: bool, position: float, axis: Vector, centre: Vector, point: Vector) -> Vector:
    """Return a point of the carriage at a position [m]."""
    if turns:
        return add(centre, rotate(exp(scale(position, axis)), sub(point, centre)))
    return axpy(position, axis, point)


@kernel
def carry_room(k: int, room: int, node_state_out: NodeState) -> None:
    """Take the ``room`` before own node k along, where it is not in use: it stands on that node."""
    for j in range(k - 1, k - 1 - room, -1):
        if node_state_out.contact_solid[j] != UNUSED:
            break
        store(load(node_state_out.point, k), j, node_state_out.point)


@kernel
def move_carriages(
    h: float,
    carriages: Carriages,
    carriage_control: CarriageControl,
    carriage_state_out: CarriageState,
    node_state_out: NodeState,
) -> None:
    """Move carriages and the nodes that they carry towards their targets by one step."""
    moves = False
    for g in range(carriages.turns.size):
        wanted = min(
            max(carriage_control.target[g], carriages.limit[g, LOWER]), carriages.limit[g, UPPER]
        )
        change = h * min(carriage_control.speed[g], carriages.limit[g, SPEED])
        before = carriage_state_out.position[g]
        position = min(max(wanted, before - change), before + change)
        moves |= position != before
        carriage_state_out.position[g] = position
    if not moves:
        return
    for q in range(carriages.node.size):
        store(load(carriages.node_point, q), carriages.node[q], node_state_out.point)
    for g in range(carriages.turns.size):
        axis = load(carriages.frame[:, 0], g)
        centre = load(carriages.frame[:, 1], g)
        for q in range(carriages.node_start[g], carriages.node_start[g + 1]):
            k = carriages.node[q]
            point = point_at(
                carriages.turns[g],
                carriage_state_out.position[g],
                axis,
                centre,
                load(node_state_out.point, k),
            )
            store(point, k, node_state_out.point)
    for q in range(carriages.node.size):
        carry_room(carriages.node[q], carriages.room[q], node_state_out)
