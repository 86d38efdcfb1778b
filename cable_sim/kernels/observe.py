"""Readings of a state: joint reactions, drive efforts, tensions, forces on sheaves, energies.

Impulses are those of the last step, so every force is its mean over that step; directions are those
of the present pose. Reactions of a row on a body are J^T lambda / h; the torque of a joint is
referred to the joint's point: tau_point = tau_centre - r x f. Energies: 1/2 m v^2 + 1/2 w I w (a
winch's rotor too), -m g . x, and that of every row that is strained (``rows.strain_energy``), and
segment of a chain (``cables/particles/chain.py``).
"""

from typing import Any

from cable_sim.kernels import spans, wires
from cable_sim.kernels.cables.elevation import curve_work, elevation
from cable_sim.kernels.cables.massless import breakage, massless, swing_losses, wheels
from cable_sim.kernels.cables.particles import chain, lumped, particles
from cable_sim.kernels.cables.stiffness import held_twist, torsion
from cable_sim.kernels.jit import inlined, kernel
from cable_sim.kernels.multibody import balance, drives, joints
from cable_sim.kernels.multibody.bodies import DYNAMIC, WINCH
from cable_sim.kernels.multibody.drums import paid_out
from cable_sim.kernels.multibody.entries import point_row, row_rate
from cable_sim.kernels.multibody.rails import is_rail, rail_rate
from cable_sim.kernels.multibody.rotation import load_quaternion, multiply3, rotate_back
from cable_sim.kernels.multibody.rows import GAP, strain_energy
from cable_sim.kernels.multibody.vec3 import Vector, axpy, cross, dot, load, store, sub
from cable_sim.kernels.pins import contents, extras_of
from cable_sim.kernels.records.world import Control, Model, Readings, State, Workspace


@inlined
def joint_reaction(m: Model, s: State, w: Workspace, h: float, j: int) -> tuple[Vector, Vector]:
    """Force [N] and torque about the joint's point [N m] of the parent on the child."""
    force = (0.0, 0.0, 0.0)
    torque = (0.0, 0.0, 0.0)
    for r in range(m.joints.row[j], m.joints.end_row[j]):
        if s.joints.open[j]:
            break
        e = m.rows.entry_start[r]
        push = s.rows.impulse[r] / h
        force = axpy(push, load(w.rows.jacobian, e), force)
        torque = axpy(push, load(w.rows.jacobian[:, 3:], e), torque)
    _, child_arm, _ = joints.joint_points(j, m.joints, s.joints, s.bodies)
    return force, sub(torque, cross(child_arm, force))


@inlined
def joint_rate(m: Model, s: State, j: int) -> float:
    """Rate of the coordinate of joint j [rad/s or m/s], from the bodies' velocities."""
    if m.joints.kind[j] != joints.HINGE and m.joints.kind[j] != joints.PRISMATIC:
        return 0.0
    if is_rail(j, m.joints):
        return rail_rate(j, m.joints, s.joints, s.bodies)
    parent = m.joints.body[j, 0]
    child = m.joints.body[j, 1]
    axis = joints.joint_axis(j, 0, 2, m.joints, s.joints, s.bodies)
    spin = sub(load(s.bodies.velocity[:, 3:], child), load(s.bodies.velocity[:, 3:], parent))
    if m.joints.kind[j] == joints.HINGE:
        return dot(axis, spin)
    separation, child_arm, parent_arm = joints.joint_points(j, m.joints, s.joints, s.bodies)
    _, child_angular, parent_angular = point_row(axis, separation, child_arm, parent_arm)
    slide = sub(load(s.bodies.velocity, child), load(s.bodies.velocity, parent))
    return (
        dot(axis, slide)
        + dot(child_angular, load(s.bodies.velocity[:, 3:], child))
        + dot(parent_angular, load(s.bodies.velocity[:, 3:], parent))
    )


@inlined
def read_joints(m: Model, s: State, w: Workspace, o: Readings, h: float) -> None:
    """Read rates and reactions of all joints."""
    for j in range(m.joints.kind.size):
        o.joints.velocity[j] = joint_rate(m, s, j)
        force, torque = joint_reaction(m, s, w, h, j)
        store(force, j, o.joints.force)
        store(torque, j, o.joints.torque)


@inlined
def read_drives(m: Model, s: State, w: Workspace, o: Readings, h: float) -> None:
    """Read coordinate, rate, effort and saturation of all drives."""
    for d in range(m.drives.on.size):
        r = m.drives.row[d]
        sign = drives.drive_sign(m.drives.kind[d])
        o.drives.position[d] = drives.drive_position(m.drives, wires.lines(m, s, w), d, s.joints)
        rate = row_rate(r, m.rows, w.rows, s.bodies.velocity)
        o.drives.velocity[d] = sign * rate
        o.drives.effort[d] = sign * s.rows.impulse[r] / h
        # a drive whose cable is slack stands at a bound, too
        o.drives.saturated[d] = s.rows.status[r] != 0 and (
            m.rows.lower[r] < 0.0 or s.rows.impulse[r] > 0.0
        )


@inlined
def read_lengths(m: Model, s: State, w: Workspace, o: Readings) -> None:
    """Read paid-out lengths of all cables, and their rates."""
    for c in range(m.cables.row.size):
        winch = m.cables.winch[c]
        o.cables.length_paid_out[c] = massless.unstretched_length(c, m.cables, s.bodies.position)
        if m.cables.row[c] < 0 and not m.cables.wire[c]:
            o.cables.length_paid_out[c] = w.nodes.remaining_path_length[m.cables.node_start[c]]
        _, ratio = paid_out(c, m.cables, s.bodies.position)
        o.cables.length_rate[c] = ratio * s.bodies.velocity[winch, 0] if winch >= 0 else 0.0


@inlined
def read_cables(
    m: Model, s: State, w: Workspace, o: Readings, h: float, extras: bool | None
) -> None:
    """Read lengths, tensions and node forces of all cables."""
    read_lengths(m, s, w, o)
    for c in range(m.cables.row.size):
        o.cables.slack[c] = massless.mean_tension_impulse(c, m.cables, s.rows.impulse) == 0.0
    if extras is not None and m.wheels.node.size > 0:
        wheels.take_last_shares(wires.rims(m, s, w), w.nodes)
    massless.compute_tensions(h, wires.lines(m, s, w), wires.table(m, s, w), o.spans.tension)
    if extras is not None:
        spans.take_grip_tensions(m, s, h, o.spans.tension)
    for n in range(m.wires.cable.size):
        c = m.wires.cable[n]
        most = 0.0
        for k in range(m.cables.node_start[c], m.cables.node_start[c + 1] - 1):
            o.spans.tension[k] = s.spans.tension_impulse[k] / h
            most = max(most, o.spans.tension[k])
        o.cables.slack[c] = most == 0.0
    massless.compute_node_forces(
        m.cables.node_start, o.spans.tension, w.spans.direction, o.nodes.force
    )
    if extras is not None:
        wires.read_wires(m, s, w, o, h)
        elevation.add_node_forces(wires.gravity(m), wires.lines(m, s, w), o.spans, o.nodes)
    torsion.compute_torques(h, wires.lines(m, s, w), s.rows, o.cables)
    torsion.set_node_couples(wires.lines(m, s, w), o.cables, o.nodes)
    torsion.read_node_twists(wires.lines(m, s, w), o.nodes)


@inlined
def read_ropes(m: Model, s: State, w: Workspace, o: Readings, h: float) -> None:
    """Tensions, lengths and node forces of cables made of masses; forces on bodies act along the
    end segments."""
    b = m.ropes.kinds[1]
    lumped.compute_tensions(b, m.ropes, s.particles, o.segments.tension)
    particles.chain_tensions(h, b, m.ropes.start, s.particles.segment_impulse, o.segments.tension)
    gravity = wires.gravity(m)
    for r in range(m.ropes.cable.size):
        c = m.ropes.cable[r]
        o.cables.length_paid_out[c] = m.cables.length[c]
        largest = particles.read_rope(
            h, r, gravity, m.ropes, m.cables, s.particles, s.rows, o.segments, o.nodes
        )
        o.cables.slack[c] = largest <= 0.0


@inlined
def rope_energies(m: Model, s: State, h: float) -> tuple[float, float, float, float]:
    """Kinetic, potential and elastic energy of all cables made of masses, and that of their soft
    grounds [J]."""
    kinetic = 0.0
    potential = 0.0
    elastic = 0.0
    ground = 0.0
    for r in range(m.ropes.cable.size):
        motion, height = lumped.motion_energies(
            r, wires.gravity(m), m.ropes, s.particles.position, s.particles.velocity
        )
        stretched, bent, pressed = lumped.sum_elastic_energies(r, m.ropes, s.particles.position)
        if r >= m.ropes.kinds[1]:
            stretched = chain.elastic_energy(
                h, r, s.steps[0] > 0, m.ropes, s.particles.position, s.particles.segment_impulse
            )
        kinetic += motion
        potential += height
        elastic = elastic + stretched + bent
        ground += pressed
    return kinetic, potential, elastic, ground


@inlined
def read_contacts(s: State, o: Readings, h: float) -> None:
    """Read the force of all contacts on each body [N]."""
    o.bodies.contact_force[:] = 0.0
    for i in range(s.pool.used[0]):
        push = axpy(s.pool.impulse[i, 0], load(s.pool.normal, i), load(s.pool.impulse[:, 1:], i))
        for side in range(2):
            for k in range(3):
                force = push[k] / h if side == 0 else -push[k] / h
                o.bodies.contact_force[s.pool.body[i, side], k] += force


@inlined
def contact_energy(m: Model, s: State, w: Workspace) -> float:
    """Return the elastic energy of contacts [J]."""
    total = 0.0
    for i in range(s.pool.used[0]):
        total += s.pool.stored[i]
    return total


@inlined
def gap_energy(m: Model, s: State, w: Workspace, h: float, r: int) -> float:
    """Return the elastic energy of a row that is no contact [J]."""
    if (
        not w.rows.active[r]
        or w.rows.compliance[r] == 0.0
        or (w.rows.gap[r] >= 0.0 and m.rows.one_sided[r])
    ):
        return 0.0
    mobility = drives.mobility_of(r, m.rows, wires.moving(m, s, w), w.rows)
    gap = w.rows.gap[r]
    straight = w.rows.inner[r, 0] == 0.0  # not a curve (``cables/elevation/wave_compliance.py``)
    stepped = s.steps[0] > 0 and straight
    return strain_energy(
        h,
        gap,
        w.rows.compliance[r],
        m.rows.damping_time[r],
        mobility,
        s.rows.impulse[r],
        stepped,
        m.rows.one_sided[r],
    )


@inlined
def body_energies(m: Model, s: State) -> tuple[float, float]:
    """Return the kinetic and potential energy of all bodies [J]."""
    kinetic = 0.0
    potential = 0.0
    gravity = wires.gravity(m)
    for b in range(1, m.bodies.kind.size):
        if m.bodies.kind[b] != DYNAMIC and m.bodies.kind[b] != WINCH:
            continue
        mass = 1.0 / m.bodies.inverse_mass[b]
        velocity = load(s.bodies.velocity, b)
        kinetic += 0.5 * mass * dot(velocity, velocity)
        if m.bodies.kind[b] == DYNAMIC:
            spin = rotate_back(
                load_quaternion(s.bodies.orientation, b), load(s.bodies.velocity[:, 3:], b)
            )
            kinetic += 0.5 * dot(spin, multiply3(m.bodies.inertia, b, spin))
            potential -= mass * dot(gravity, load(s.bodies.position, b))
    return kinetic, potential


@inlined
def wheel_energy(m: Model, s: State, w: Workspace, h: float) -> float:
    """Return the elastic energy of ropes over wheels beyond that of their mean tensions [J]."""
    total = 0.0
    if m.wheels.node.size > 0:
        for c in range(m.cables.row.size):
            total += wheels.strain_energy(
                h,
                s.steps[0] > 0,
                c,
                wires.lines(m, s, w),
                wires.rims(m, s, w),
                wires.table(m, s, w),
            )
    return total


@inlined
def read_energy(
    m: Model, s: State, w: Workspace, o: Readings, h: float, extras: bool | None
) -> None:
    """Read kinetic, potential and elastic energy, and that of grounds and contacts [J]."""
    elastic = 0.0
    ground = 0.0
    kinetic, potential = body_energies(m, s)
    gravity = wires.gravity(m)
    for r in range(m.rows.kind.size):
        elastic += gap_energy(m, s, w, h, r) if m.rows.kind[r] == GAP else 0.0
    for r in m.joints.stop_row:
        elastic += gap_energy(m, s, w, h, r) if r >= 0 else 0.0
    ground += contact_energy(m, s, w)
    if extras is not None:
        elastic += wheel_energy(m, s, w, h)
        elastic += spans.grip_energy(m, s, w, h)
        for c in range(m.waves.oscillates.size):
            if m.waves.oscillates[c] and s.cables.attachment[c] == breakage.ON:
                motion, height = elevation.rope_energies(c, gravity, wires.lines(m, s, w))
                kinetic += motion
                potential += height
        if s.particles.position.size > 0:
            rope_kinetic, rope_potential, rope_elastic, rope_ground = rope_energies(m, s, h)
            ground += rope_ground
            kinetic += rope_kinetic
            potential += rope_potential
            elastic += rope_elastic
        if m.wires.cable.size > 0:
            wire_kinetic, wire_potential, wire_elastic = wires.wire_energies(m, s, w, h)
            kinetic += wire_kinetic
            potential += wire_potential
            elastic += wire_elastic
            elastic += held_twist.held_energy(
                m.cables, m.twist, s.cables, s.spans.rest_length, s.nodes.row_entry
            )
    o.energy[0] = kinetic
    o.energy[1] = potential
    o.energy[2] = elastic
    o.energy[3] = ground


@inlined
def curves_left_out(m: Model, s: State, w: Workspace, o: Readings) -> tuple[float, float]:
    """Return the kinetic and potential energy of the curves of all elevation cables that are read
    but do not count [J]."""
    motion_left = 0.0
    height_left = 0.0
    first = balance.begins(s.steps[0], o.balance)
    for c in range(m.waves.oscillates.size):
        if not m.waves.oscillates[c] or s.cables.attachment[c] != breakage.ON:
            continue
        motion, height = elevation.rope_energies(c, wires.gravity(m), wires.lines(m, s, w))
        motion_left += motion - curve_work.kinetic_energy(c, wires.lines(m, s, w))
        mass, layout = curve_work.layout(c, wires.lines(m, s, w))
        curve = o.balance.curves[c]
        balance.update_curve(first, s.cables.curve_work[c], height, mass, layout, curve)
        height_left += height - curve[balance.OWN]
    return motion_left, height_left


@inlined
def follow_energy(
    m: Model, s: State, c: Control, w: Workspace, o: Readings, extras: bool | None
) -> None:
    """Add the energies that have been read to the balance, unless something drives the scene."""
    if balance.is_driven(c):
        balance.restart(o.balance)
        return
    motion = 0.0
    height = 0.0
    if extras is not None:
        motion, height = curves_left_out(m, s, w, o)
    energy = o.energy
    balance.follow(
        m.stepper[0],
        s.steps[0],
        energy[0] - motion,
        energy[1] - height,
        energy[2],
        energy[3],
        swing_losses.losses(wires.lines(m, s, w)),
        o.balance,
    )


@kernel
def observe(pin: Any, extras: bool | None) -> int:
    """Do what :func:`observe_world` does; ``extras`` is an argument, as in ``step.py``."""
    m, s, _, c, w, o, h, _, _, _ = contents(pin)
    read_joints(m, s, w, o, h)
    read_drives(m, s, w, o, h)
    read_cables(m, s, w, o, h, extras)
    if extras is not None and s.particles.position.size > 0:
        read_ropes(m, s, w, o, h)
    read_contacts(s, o, h)
    read_energy(m, s, w, o, h, extras)
    if o.balance.watched[0]:
        follow_energy(m, s, c, w, o, extras)
    return 0


@kernel
def observe_world(pin: Any, _: int) -> int:
    """Fill the readings of pinned records (``World``), whose state is the seen one; return 0.

    The rows of the workspace are those of the state's pose (``step.run_world`` with LOOK).
    """
    return observe(pin, extras_of(pin))
