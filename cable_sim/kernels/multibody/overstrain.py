"""Detection of ropes that are stretched beyond any real rope.

A run ends there, while its state still has a meaning.

The strain of a massless or elevation cable is that of its rope alone: of its gap g, the share which
its compliance per length has in all of its compliance, eps = 1/EA L + c,

    strain = (-g) (1/EA) / eps.

Of ropes made of masses it is that of a segment, by the places of its masses; of a hybrid wire T /
EA, with the tension of the step before. Natural rubber breaks at 6 to 8 times its length. So what
is beyond 1 + MOST times is not a rope, but a scene that comes apart.

A chain of masses under more tension than its step can follow, h^2 T > m l
(``cables/particles/chain.py``), shakes itself apart, and a bit faster with every step: it is lost
where a segment under such a tension is longer by a tenth. Its energy is then EA / 200 per length of
it at most; a stiff chain is lost long before it is torn.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import dot, load, sub
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.ropes import ParticleState, Ropes

MOST = 10.0
"""Largest strain of a rope [-]."""
STUB = 1.0
"""Least length [m] that is counted for a rope. Other flags tell of a rope that a winch takes in to
its end."""
LOST = 0.1
"""Largest strain of a segment under more tension than the step can follow [-]."""


@kernel
def overstrained_cable(
    cable_row: Ints,
    cable_compliance_per_length: Floats,
    row_active: Flags,
    row_gap: Floats,
    row_compliance: Floats,
) -> int:
    """Return the first massless or elevation cable that is stretched too far; -1 for none."""
    for c in range(cable_row.size):
        r = cable_row[c]
        per_length = cable_compliance_per_length[c]
        if (
            r >= 0
            and row_active[r]
            and -row_gap[r] * per_length > MOST * max(row_compliance[r], STUB * per_length)
        ):
            return c
    return -1


@kernel
def overstrained_rope(h: float, ropes: Ropes, particle_state: ParticleState) -> int:
    """Return the first cable made of masses that is stretched too far; -1 for none."""
    for r in range(ropes.start.size - 1):
        for i in range(ropes.start[r], ropes.start[r + 1] - 1):
            rest = ropes.segment_rest_length[i]
            reach = sub(load(particle_state.position, i + 1), load(particle_state.position, i))
            square = dot(reach, reach) / (rest * rest)
            if square <= (1.0 + LOST) ** 2:
                continue
            moves = max(ropes.particle_inverse_mass[i], ropes.particle_inverse_mass[i + 1])
            if square > (1.0 + MOST) ** 2 or h * particle_state.segment_impulse[i] * moves > rest:
                return ropes.cable[r]
    return -1


@kernel
def overstrained_wire(
    h: float,
    wire_cable: Ints,
    cable_node_start: Ints,
    cable_compliance_per_length: Floats,
    span_tension_impulse: Floats,
) -> int:
    """Return the first hybrid wire that is stretched too far; -1 for none."""
    for n in range(wire_cable.size):
        c = wire_cable[n]
        found = False
        for k in range(cable_node_start[c], cable_node_start[c + 1] - 1):
            found |= span_tension_impulse[k] * cable_compliance_per_length[c] > MOST * h
        if found:
            return c
    return -1
