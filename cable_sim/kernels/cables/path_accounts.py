"""The account of a strand: the length that its path is shortened by, so that contact nodes give no
energy.

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

from cable_sim.kernels.cables.contact_path import record_curve
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import dot, load, norm, sub


@kernel
def span_path_and_energy(c, k, bodies, nodes, waves_out):
    """Return length [m] and energy [J] of the curve of the span from node k.

    The energy is that of its motion across the chord and of its weight. Both are as
    ``elevation.rope_energies`` counts them. A span without a grid is massless. Overwrites the
    trace.
    """
    if waves_out.start[k] < 0 or nodes.length[k] == 0.0:
        return nodes.length[k], 0.0
    rows = record_curve(c, k, 0.0, 1.0, 0, bodies, nodes, waves_out)
    place = waves_out.trace[:, 1:]
    rate = waves_out.trace[:, 4:]
    along = load(nodes.direction, k)
    share = waves_out.density[c] * nodes.length[k] / (rows - 1)
    length = 0.0
    energy = 0.0
    for m in range(rows):
        velocity = load(rate, m)
        height = -dot(load(waves_out.gravity, 0), load(place, m))
        part = 1.0 if 0 < m < rows - 1 else 0.5
        energy += (
            part * share * (0.5 * (dot(velocity, velocity) - dot(velocity, along) ** 2) + height)
        )
        length += norm(sub(load(place, m), load(place, m - 1))) if m > 0 else 0.0
    return length if waves_out.active[k] else nodes.length[k], energy


@kernel
def strand_path_and_energy(c, first, slots, bodies, nodes, waves_out):
    """Path of a strand [m], and the energy of the motion and weight of its rope [J]. Overwrites the
    trace."""
    path = 0.0
    energy = 0.0
    for k in range(first, first + slots + 1):
        length, share = span_path_and_energy(c, k, bodies, nodes, waves_out)
        path = path + length
        energy = energy + share
    return path, energy


@kernel
def update_path_offset(before, longer, gained, tension):
    """Return the account [m] after an update of the contact nodes.

    The path gets ``longer`` [m], and the rope's mass has ``gained`` energy [J]; ``tension`` is in
    N.
    """
    due = longer
    if gained != 0.0:
        due = longer + gained / tension if tension > 0.0 else 0.0
        due = min(max(due, min(longer, 0.0)), max(longer, 0.0))
    return max(0.0, before + due)
