"""Poses and velocities of one instant.

Under ``spook`` a step is position Verlet in the form drift, kick, drift: the poses of the state
stand half a step ahead of its velocities, at the middle of the next step,

    v_{n+1} = v_n + h M^-1 F(q_{n+1/2}),        q_{n+3/2} = q_{n+1/2} + h v_{n+1}.

So every force is taken in the middle of its step, and each step is its own reverse: of second order
in h where F does not depend on velocities. The poses at the time of the velocities are

    q_n = q_{n+1/2} - (h / 2) v_n,

of bodies the rotation that their angular momentum makes in half a step. With it goes the start: the
poses that are given at t_0 are moved half a step on. What is read is of one instant, then, and the
two half drifts between two steps are one, which costs nothing.

``regularised`` takes the forces at the poses of the end of the step. Its poses and velocities are
those of one instant as they are, to its first order.
"""

from cable_sim.kernels import bodies, joints
from cable_sim.kernels.cables.contact_path import MASSIVE
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.rows import SPOOK


@kernel
def lead_time(h, stepper):
    """Return the time by which the poses of a state stand ahead of its velocities [s]."""
    return 0.5 * h if stepper == SPOOK else 0.0


@kernel
def drift(t, m, s, seen_out):
    """Fill poses and coordinates that the velocities of a state make in a time t [s].

    ``seen_out`` may be the state itself; else it has poses, coordinates and displacements of its
    own, and everything else from the state.
    """
    bodies.advance(t, m.bodies, s.bodies.velocity, s.bodies, seen_out.bodies)
    for j in range(m.joints.kind.size):
        seen_out.joints.position[j] = s.joints.position[j]
    joints.update_coordinates(m.joints, seen_out.bodies, seen_out.joints)
    for i in range(s.particles.position.shape[0]):
        for k in range(3):
            seen_out.particles.velocity[i, k] = s.particles.velocity[i, k]
            seen_out.particles.position[i, k] = (
                s.particles.position[i, k] + t * s.particles.velocity[i, k]
            )
    for j in range(2):
        for i in range(s.waves.displacement.shape[1]):
            seen_out.waves.displacement[j, i] = s.waves.displacement[j, i] + t * s.waves.rate[j, i]
    for n in range(s.nodes.point.shape[0]):
        part = t if s.nodes.contact_solid[n] == MASSIVE else 0.0
        for k in range(3):
            seen_out.nodes.point[n, k] = s.nodes.point[n, k] + part * s.nodes.velocity[n, k]


@kernel
def set_present(h, m, s, seen_out):
    """Fill the poses at the time of the velocities."""
    drift(-lead_time(h, m.stepper[0]), m, s, seen_out)


@kernel
def shift_start(h, m, state_out):
    """Move the poses of a start half a step on, from the time of its velocities."""
    drift(lead_time(h, m.stepper[0]), m, state_out, state_out)
