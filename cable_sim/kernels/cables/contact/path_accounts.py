"""The account of a strand: the length that its path is shortened by, so that contact nodes give no
energy. Where friction holds the rope at nodes of the strand, each part between them has its own.

An update of the contact nodes (``contacts.py``) moves no body. It changes the path S of a strand,
and where the rope has a mass, the energy A of its motion and weight: a point of the curve comes to
rest on the solid, the hat function of the node lifts and bends the rest, and a node that slides
carries the curves of both its spans along. The rope is strained by S - E - L, with E >= 0 the
account and L the rope's length, and has the elastic energy (S - E - L)^2 / 2 eps, whose derivative
is the tension T. To first order the update gives

    T (dS - dE) + dA,

which is not to be above zero. What it would give is kept on the account, and what it takes pays
back:

    E <- max(0, E + dE),      dE = dS + dA / T,      between 0 and dS.

Without a mass, A = 0, dE is dS, and S - E, which the stretch row sees, never grows. With mass the
impact dA < 0 pays for the detour, which it mostly does (by (l / c h)^2 / 12, c the speed of the
waves): then the account stays as it is. A chord that goes over another edge, or a second node
beside the first, makes the path longer without an impact; that is what the account takes. The
bounds keep dE to what the path really changes by: without them a slack rope, T near 0, would be
given length for its weight. What is left is of second order, (dS - dE)^2 / 2 eps.
"""

from cable_sim.kernels.cables.contact.contact_path import holds_rope, record_curve
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import dot, load, norm, sub
from cable_sim.kernels.records.lines import Nodes


@kernel
def span_path_and_energy(c: int, k: int, nodes_out: Nodes) -> tuple[float, float]:
    """Return length [m] and energy [J] of the curve of the span from node k.

    The energy is that of its motion across the chord and of its weight. Both are as
    ``elevation.rope_energies`` counts them. A span without a grid is massless. Overwrites the
    trace.
    """
    if nodes_out.waves.start[k] < 0 or nodes_out.length[k] == 0.0:
        return nodes_out.length[k], 0.0
    rows = record_curve(c, k, 0.0, 1.0, 0, nodes_out)
    place = nodes_out.waves.trace[:, 1:]
    rate = nodes_out.waves.trace[:, 4:]
    along = load(nodes_out.direction, k)
    share = nodes_out.waves.density[c] * nodes_out.length[k] / (rows - 1)
    length = 0.0
    energy = 0.0
    for m in range(rows):
        velocity = load(rate, m)
        height = -dot(load(nodes_out.waves.gravity, 0), load(place, m))
        part = 1.0 if 0 < m < rows - 1 else 0.5
        energy += (
            part * share * (0.5 * (dot(velocity, velocity) - dot(velocity, along) ** 2) + height)
        )
        length += norm(sub(load(place, m), load(place, m - 1))) if m > 0 else 0.0
    return length if nodes_out.waves.active[k] else nodes_out.length[k], energy


@kernel
def end_of_part(k: int, last: int, nodes: Nodes) -> int:
    """Return the next node behind node k that holds the rope by friction, or the last one."""
    k += 1
    while k < last and not holds_rope(k, nodes):
        k += 1
    return k


@kernel
def part_path_and_energy(c: int, first: int, end: int, nodes_out: Nodes) -> tuple[float, float]:
    """Return the path between two nodes [m], and the energy of its rope's motion and weight [J].

    Overwrites the trace.
    """
    path = 0.0
    energy = 0.0
    for k in range(first, end):
        length, share = span_path_and_energy(c, k, nodes_out)
        path = path + length
        energy = energy + share
    return path, energy


@kernel
def store_paths(c: int, first: int, slots: int, nodes_out: Nodes) -> None:
    """Store path and energy of each part of a strand, from the row of its first node on."""
    row = first
    k = first
    last = first + slots + 1
    while k < last:
        end = end_of_part(k, last, nodes_out)
        path, energy = part_path_and_energy(c, k, end, nodes_out)
        nodes_out.near.path[row, 0] = path
        nodes_out.near.path[row, 1] = energy
        row += 1
        k = end


@kernel
def update_path_offsets(c: int, first: int, slots: int, nodes_out: Nodes) -> None:
    """Update the account of each part of a strand since its path was stored.

    An account stands at the first node of its part. Nodes that hold the rope have neither come nor
    gone meanwhile.
    """
    row = first
    k = first
    last = first + slots + 1
    while k < last:
        end = end_of_part(k, last, nodes_out)
        path, energy = part_path_and_energy(c, k, end, nodes_out)
        before = 0.0
        for i in range(k, end):
            before += nodes_out.path_offset[i]
            nodes_out.path_offset[i] = 0.0
        nodes_out.path_offset[k] = update_path_offset(
            before,
            path - nodes_out.near.path[row, 0],
            energy - nodes_out.near.path[row, 1],
            nodes_out.waves.tension[k],
        )
        row += 1
        k = end


@kernel
def update_path_offset(before: float, longer: float, gained: float, tension: float) -> float:
    """Return the account [m] after an update of the contact nodes.

    The path gets ``longer`` [m], and the rope's mass has ``gained`` energy [J]; ``tension`` is in
    N.
    """
    due = longer
    if gained != 0.0:
        due = longer + gained / tension if tension > 0.0 else 0.0
        due = min(max(due, min(longer, 0.0)), max(longer, 0.0))
    return max(0.0, before + due)
