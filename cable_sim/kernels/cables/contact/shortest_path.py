"""Newton's step to the shortest path over the lines of all contact nodes of a strand together.

Nodes p_k = x_k + z_k d_k on their lines, spans l_k = |p_{k+1} - p_k| with unit vectors u_k from
node k on. The path sum l_k is convex in all z together, with

    gradient  g_k = d_k . (u_{k-1} - u_k),
    Hessian   H_kk = (1 - (d_k . u_{k-1})^2) / l_{k-1} + (1 - (d_k . u_k)^2) / l_k,
              H_{k,k+1} = -(d_k . d_{k+1} - (d_k . u_k) (d_{k+1} . u_k)) / l_k,

tridiagonal: one elimination there and back. Nodes that press on an end of their range stay. Node
after node (the other half of ``sliding.py``) needs of the order of n^2 rounds for n nodes close
together on a cylinder, this one a few.
"""

from cable_sim.kernels.cables.contact.contact_path import DIRECTION, LOWER, POINT, UPPER, place_node
from cable_sim.kernels.cables.massless.massless import measure
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import axpy, dot, load, norm, store, sub
from cable_sim.kernels.records.lines import Nodes

BEFORE = 0
STEP = 1
FILL = 2
"""Columns of ``Nodes.newton_step``: the coordinate on a node's line before the step, the step, and
the elimination's fill."""
STIFFNESS_FLOOR = 1e-9
"""Addition to the Hessian's diagonal [1/m]: a node whose line the rope runs along has none."""
HALVINGS = 5
ROUNDING = 1e-14
"""Most halvings of a step that makes the path longer by more than a part of it, and that part. Then
there is no step."""


@kernel
def set_line_coordinate(k: int, z: float, nodes_out: Nodes) -> None:
    """Put node k at the coordinate z of its line."""
    line = nodes_out.line[k : k + 1]
    point = axpy(z, load(line[:, DIRECTION:], 0), load(line[:, POINT:], 0))
    store(point, k, nodes_out.point)


@kernel
def line_coordinate(k: int, nodes: Nodes) -> float:
    """Coordinate of node k on its line [m]."""
    line = nodes.line[k : k + 1]
    return dot(sub(load(nodes.point, k), load(line[:, POINT:], 0)), load(line[:, DIRECTION:], 0))


@kernel
def is_frictionless(k: int, nodes: Nodes) -> bool:
    """Return True if node k is a contact node without friction.

    Masses stay where they are, and so do nodes with friction.
    """
    return nodes.contact_solid[k] >= 0 and nodes.solids.friction[nodes.contact_solid[k]] == 0.0


@kernel
def path_length(first: int, count: int, nodes: Nodes) -> float:
    """Length of the path over the contact nodes of a strand [m]."""
    length = 0.0
    for k in range(first, first + count + 1):
        length += norm(sub(load(nodes.position, k + 1), load(nodes.position, k)))
    return length


@kernel
def inverse_length(length: float) -> float:
    """1 / length; 0 where two nodes have met, and the span has no direction."""
    return 1.0 / length if length > STIFFNESS_FLOOR else 0.0


@kernel
def eliminate_rows(first: int, count: int, nodes_out: Nodes) -> None:
    """Eliminate the rows of the Newton step from the first contact node of a strand to the last."""
    length, unit = measure(load(nodes_out.position, first), load(nodes_out.position, first + 1))
    direction = (0.0, 0.0, 0.0)
    along = 0.0
    pivot = 1.0
    step = 0.0
    free = False
    for k in range(first + 1, first + count + 1):
        line = nodes_out.line[k : k + 1]
        stiffness = inverse_length(length)
        last_direction = direction
        last_along = along
        direction = rotate(
            load_quaternion(nodes_out.bodies.orientation, nodes_out.body[k]),
            load(line[:, DIRECTION:], 0),
        )
        along_before = dot(direction, unit)
        coupling = (
            stiffness * (last_along * along_before - dot(last_direction, direction))
            if free
            else 0.0
        )
        diagonal = stiffness * (1.0 - along_before**2)
        length, unit = measure(load(nodes_out.position, k), load(nodes_out.position, k + 1))
        along = dot(direction, unit)
        diagonal += inverse_length(length) * (1.0 - along**2) + STIFFNESS_FLOOR
        slope = along_before - along
        z = line_coordinate(k, nodes_out)
        free = (slope < 0.0 or z > line[0, LOWER]) and (slope > 0.0 or z < line[0, UPPER])
        free = free and is_frictionless(k, nodes_out)
        nodes_out.newton_step[k, BEFORE] = z
        nodes_out.newton_step[k, STEP] = 0.0
        nodes_out.newton_step[k, FILL] = 0.0
        if free:
            nodes_out.newton_step[k - 1, FILL] = coupling / pivot
            step = -slope - coupling * step
            pivot = max(diagonal - coupling * coupling / pivot, STIFFNESS_FLOOR)
            step /= pivot
            nodes_out.newton_step[k, STEP] = step


@kernel
def back_substitute(first: int, count: int, nodes_out: Nodes) -> float:
    """Find Newton's step of each contact node of a strand; return the longest [m].

    It goes from the last node to the first.
    """
    step = 0.0
    longest = 0.0
    for k in range(first + count, first, -1):
        step = nodes_out.newton_step[k, STEP] - nodes_out.newton_step[k, FILL] * step
        nodes_out.newton_step[k, STEP] = step
        longest = max(longest, abs(step))
    return longest


@kernel
def move_nodes(part: float, first: int, count: int, nodes_out: Nodes) -> None:
    """Move the contact nodes of a strand by a part of Newton's step, as far as their lines go."""
    for k in range(first + 1, first + count + 1):
        if not is_frictionless(k, nodes_out):
            continue
        line = nodes_out.line[k : k + 1]
        z = nodes_out.newton_step[k, BEFORE] + part * nodes_out.newton_step[k, STEP]
        set_line_coordinate(k, min(max(z, line[0, LOWER]), line[0, UPPER]), nodes_out)
        place_node(k, nodes_out)


@kernel
def take_newton_step(first: int, count: int, farthest: float, nodes_out: Nodes) -> None:
    """Take Newton's step with all contact nodes of a strand, none farther than ``farthest`` [m]."""
    before = path_length(first, count, nodes_out)
    eliminate_rows(first, count, nodes_out)
    part = min(1.0, farthest / max(back_substitute(first, count, nodes_out), 1e-300))
    for _ in range(HALVINGS):
        move_nodes(part, first, count, nodes_out)
        if path_length(first, count, nodes_out) <= (1.0 + ROUNDING) * before:
            return
        part *= 0.5
    move_nodes(0.0, first, count, nodes_out)
