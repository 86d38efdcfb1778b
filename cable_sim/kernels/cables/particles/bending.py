"""Bending of a rope of masses: the energy of an angle between two segments, and its exact gradient.

A rope that bends costs the energy int EI kappa^2 / 2 ds, with EI [N m^2] and the curvature kappa
[1/m]. With segments e_1 = x_1 - x_0, e_2 = x_2 - x_1, unit vectors t_1, t_2, c = t_1 . t_2 =
cos(theta) and the rest length l,

    E = (EI / 2 l) |t_2 - t_1|^2 = (EI / l) (1 - c),          kappa = (2 / l) sin(theta / 2):

the vertex has a length l of its own (discrete elastica). Bergou et al. 2008 have 2 tan(theta / 2)
for 2 sin(theta / 2): the same to second order in theta, but with a force that grows without bound
as a rope folds back, which no explicit step survives. Here the energy is at most 2 EI / l, and a
fully folded rope is in unstable equilibrium. Forces are -dE/dx exactly,

    F_0 = -(EI / l) (t_2 - c t_1) / |e_1|,    F_2 = (EI / l) (t_1 - c t_2) / |e_2|,
    F_1 = -F_0 - F_2,

perpendicular to the segments but for F_1; their sum and their moment vanish, so momentum and
angular momentum are conserved. A ring of radius R has E = EI L / (2 R^2) up to the part (l / R)^2 /
12. The straight rope feels the stiffness (EI / l^3) D^T D with D the second difference: 16 EI / l^3
    at most. Ends are hinged: no moment there.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, add, axpy, dot, load, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats


@kernel
def vertex_energy(stiffness: float, first: Vector, second: Vector) -> float:
    """Energy of the angle between two segments [J]; ``stiffness`` is EI / l [N m]."""
    lengths = norm(first) * norm(second)
    return stiffness * (1.0 - dot(first, second) / lengths) if lengths > 0.0 else 0.0


@kernel
def vertex_forces(stiffness: float, first: Vector, second: Vector) -> tuple[Vector, Vector]:
    """Forces [N] on the two outer masses of an angle; the middle one gets minus their sum."""
    length_1 = norm(first)
    length_2 = norm(second)
    if length_1 == 0.0 or length_2 == 0.0:
        return ZERO, ZERO
    t_1 = scale(1.0 / length_1, first)
    t_2 = scale(1.0 / length_2, second)
    c = dot(t_1, t_2)
    start = scale(-stiffness / length_1, axpy(-c, t_1, t_2))
    end = scale(stiffness / length_2, axpy(-c, t_2, t_1))
    return start, end


@kernel
def add_to_row(vector: Vector, i: int, array_out: Floats) -> None:
    """Add a vector to row i of an (n, 3) array."""
    array_out[i, 0] += vector[0]
    array_out[i, 1] += vector[1]
    array_out[i, 2] += vector[2]


@kernel
def add_bending_forces(
    stiffness: float, begin: int, end: int, particle_position: Floats, particle_force_out: Floats
) -> None:
    """Add the bending forces of the rope of masses ``begin`` to ``end`` - 1 [N]."""
    if end - begin < 3:
        return
    middle = load(particle_position, begin + 1)
    first = sub(middle, load(particle_position, begin))
    for i in range(begin + 1, end - 1):
        after = load(particle_position, i + 1)
        second = sub(after, middle)
        force_0, force_2 = vertex_forces(stiffness, first, second)
        add_to_row(force_0, i - 1, particle_force_out)
        add_to_row(scale(-1.0, add(force_0, force_2)), i, particle_force_out)
        add_to_row(force_2, i + 1, particle_force_out)
        middle = after
        first = second


@kernel
def bending_energy(stiffness: float, begin: int, end: int, particle_position: Floats) -> float:
    """Bending energy of the rope of masses ``begin`` to ``end`` - 1 [J]."""
    total = 0.0
    for i in range(begin + 1, end - 1):
        first = sub(load(particle_position, i), load(particle_position, i - 1))
        second = sub(load(particle_position, i + 1), load(particle_position, i))
        total += vertex_energy(stiffness, first, second)
    return total
