"""Poses and velocities of one instant.

Under ``spook`` a step is position Verlet in the form drift, kick, drift: the poses of the state
stand half a step ahead of its velocities, at the middle of the next step,

    v_{n+1} = v_n + h M^-1 F(q_{n+1/2}),        q_{n+3/2} = q_{n+1/2} + h v_{n+1}.

So every force is taken in the middle of its step, and each step is its own reverse: of second order
in h where F does not depend on velocities. The poses at the time of the velocities are

    q_n = q_{n+1/2} - (h / 2) v_n,

of bodies the rotation that their angular momentum makes in half a step, and of prescribed poses
those of t_n themselves (``motions.py``). With it goes the start: the
poses that are given at t_0 are moved half a step on. What is read is of one instant, then, and the
two half drifts between two steps are one, which costs nothing.

``regularised`` takes the forces at the poses of the end of the step. Its poses and velocities are
those of one instant as they are, to its first order.

A rope of springs that takes n steps of its own in one of h stands half of such a step ahead, h /
2n. Hybrid wires have more that belongs to a pose: the rope in each span, which a run with LOOK
lays anew.
"""

from typing import Any

from cable_sim.kernels.cables.contact.contact_path import MASSIVE
from cable_sim.kernels.cables.particles import lumped, tutorial
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody import bodies, joints, motions
from cable_sim.kernels.multibody.rows import SPOOK
from cable_sim.kernels.multibody.vec3 import axpy, load, store
from cable_sim.kernels.pins import contents
from cable_sim.kernels.records.cables import NodeState
from cable_sim.kernels.records.ropes import ParticleState, Ropes
from cable_sim.kernels.records.world import Model, State

SHIFT = 1
"""Command to ``see_world``."""


@kernel
def lead_time(h: float, stepper: int) -> float:
    """Return the time by which the poses of a state stand ahead of its velocities [s]."""
    return 0.5 * h if stepper == SPOOK else 0.0


@kernel
def drift_particles(
    h: float, t: float, ropes: Ropes, particles: ParticleState, particles_out: ParticleState
) -> None:
    """Fill particles as :func:`drift` does; a rope in n substeps goes on by t / n."""
    springs = ropes.kinds[1]
    for r in range(ropes.cable.size):
        count = 1
        if r < ropes.kinds[0]:
            count = tutorial.substeps(h, ropes.largest_step[r])
        elif r < springs:
            count = lumped.substeps(h, ropes.largest_step[r])
        for i in range(ropes.start[r], ropes.start[r + 1]):
            velocity = load(particles.velocity, i)
            store(velocity, i, particles_out.velocity)
            store(axpy(t / count, velocity, load(particles.position, i)), i, particles_out.position)


@kernel
def drift_nodes(t: float, nodes: NodeState, nodes_out: NodeState) -> None:
    """Fill the points of nodes as :func:`drift` does; all but masses stand on their bodies."""
    for n in range(nodes.point.shape[0]):
        part = t if nodes.contact_solid[n] == MASSIVE else 0.0
        store(axpy(part, load(nodes.velocity, n), load(nodes.point, n)), n, nodes_out.point)


@kernel
def drift(h: float, t: float, when: float, m: Model, s: State, seen_out: State) -> None:
    """Fill poses and coordinates that the velocities of a state make in a time t [s].

    ``when`` [s] is the time of what is filled; bodies with prescribed poses have those of it.
    ``seen_out`` may be the state itself; else it has what is filled here on its own
    (``sim/readings/present.py``), and everything else from the state. ``h`` [s] is the step.
    """
    bodies.advance(t, m.bodies, s.bodies.velocity, s.bodies, seen_out.bodies)
    motions.place_bodies(when, m.motions, seen_out.bodies)
    for j in range(m.joints.kind.size):
        seen_out.joints.position[j] = s.joints.position[j]
    joints.update_coordinates(m.joints, seen_out.bodies, seen_out.joints)
    drift_particles(h, t, m.ropes, s.particles, seen_out.particles)
    drift_nodes(t, s.nodes, seen_out.nodes)
    for j in range(2):
        for i in range(s.waves.displacement.shape[1]):
            seen_out.waves.displacement[j, i] = s.waves.displacement[j, i] + t * s.waves.rate[j, i]
    for k in range(s.spans.rest_length.size):
        seen_out.spans.rest_length[k] = s.spans.rest_length[k]
    for c in range(s.cables.twist_expected.size):
        seen_out.cables.twist_expected[c] = s.cables.twist_expected[c] + t * s.cables.twist_rate[c]


@kernel
def set_present(h: float, m: Model, s: State, seen_out: State) -> None:
    """Fill the poses at the time of the velocities."""
    drift(h, -lead_time(h, m.stepper[0]), s.time[0], m, s, seen_out)


@kernel
def shift_start(h: float, m: Model, state_out: State) -> None:
    """Move the poses of a start half a step on, from the time of its velocities."""
    lead = lead_time(h, m.stepper[0])
    drift(h, lead, state_out.time[0] + lead, m, state_out, state_out)


@kernel
def see_world(pin: Any, n: int) -> int:
    """Fill the poses of pinned records (``World``) at the time of the velocities; return 0.

    With SHIFT in place of n, call :func:`shift_start` for their state instead.
    """
    m, s, seen, _, _, _, h, _, _, _ = contents(pin)
    if n == SHIFT:
        shift_start(h, m, s)
    else:
        set_present(h, m, s, seen)
    return 0
