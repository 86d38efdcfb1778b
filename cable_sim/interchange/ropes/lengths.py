"""Lengths of ropes over the nodes and wheels of MuJoCo's bodies, and their rows.

Spans, tangents and forces of grooves are those of ``kernels/cables/massless``. A wheel adds the arc
R w between both contacts; halves of it count to either side.

*J.* A span pulls at its nodes with a force f and a moment m about the node p. At each coordinate on
the way from the body to the world, whose axis MuJoCo has as (a, l) about the centre of mass C of
the tree (``cdof``), that is

    a . (m + (p - C) x f) + l . f.

The row of the tension is the pull of all spans, -dS/dv. That of the friction F_i at node i, with
the share f_i of the path S beyond it, is the pull of the spans beyond less f_i times that of all;
its power is F_i times the speed w_i at which the rope runs over the node towards the first one, as
the body of the node sees it (``massless.py``).

*M^-1.* MuJoCo's factor M = L^T D L has rows L with a diagonal of ones, left out at their end
(``qLD``): M x = y is L^T z = y from the last row up, then L x = D^-1 z from the first one down.
"""

from typing import Any, NamedTuple

from cable_sim.interchange.ropes.records import Ropes, World
from cable_sim.kernels.cables.friction.node_law import capstan_bound
from cable_sim.kernels.cables.massless.massless import place_nodes
from cable_sim.kernels.cables.massless.wheel_contacts import contact_angles, place_span
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, cross, dot, load, scale, sub
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.wheels import Rims


class JointTree(NamedTuple):
    """Arrays of MuJoCo by their names there, and of each node (n,).

    ``node_root`` is the root body of its tree, ``node_dof`` the last coordinate that moves it, or
    -1.
    """

    node_root: Ints
    node_dof: Ints
    dof_parentid: Ints
    M_rownnz: Ints
    M_rowadr: Ints
    M_colind: Ints
    qLD: Floats
    qLDiagInv: Floats
    cdof: Floats
    subtree_com: Floats


@kernel
def wheel_arc(k: int, paths: Any, rims_out: Rims, ropes_out: Ropes) -> float:
    """Return the length of rope on the wheel at node k [m], 0 without one; renew its kappa."""
    i = rims_out.wheels.of_node[k]
    if i < 0:
        return 0.0
    comes, leaves = contact_angles(i, rims_out, paths)
    rims_out.state.contact[i, 0] = comes
    rims_out.state.contact[i, 1] = leaves
    if rims_out.wheels.friction[i] > 0.0:
        wrap = max(leaves - comes, 0.0)
        ropes_out.loss[k] = 2.0 * capstan_bound(rims_out.wheels.friction[i], wrap)
    return rims_out.wheels.radius[i] * (leaves - comes)


@kernel
def place_ropes(world_out: World) -> None:
    """Place all ropes at the present frames: spans, paths, and shares beyond nodes."""
    ropes_out = world_out.ropes
    paths: Any = world_out.paths
    place_nodes(0, ropes_out.share.size, paths)
    for c in range(ropes_out.ea.size):
        first = ropes_out.node_start[c]
        last = ropes_out.node_start[c + 1] - 1
        for k in range(first, last):
            place_span(k, world_out.rims, paths)
        beyond = 0.0
        for k in range(last - 1, first - 1, -1):
            beyond += paths.span_work.length[k]
            arc = wheel_arc(k, paths, world_out.rims, ropes_out)
            ropes_out.share[k] = beyond + 0.5 * arc
            beyond += arc
        ropes_out.path[c] = beyond
        for k in range(first, last):
            ropes_out.share[k] /= beyond


@kernel
def add_pull(k: int, force: Vector, moment: Vector, w: World, jacobian_out: Floats) -> None:
    """Add a force at node k and a moment on its body to a row (v,) of J."""
    i = w.tree.node_dof[k]
    arm = sub(load(w.paths.node_work.position, k), load(w.tree.subtree_com, w.tree.node_root[k]))
    moment = add(moment, cross(arm, force))
    while i >= 0:
        axis = w.tree.cdof[i]
        jacobian_out[i] += dot((axis[0], axis[1], axis[2]), moment)
        jacobian_out[i] += dot((axis[3], axis[4], axis[5]), force)
        i = w.tree.dof_parentid[i]


@kernel
def divide_by_mass(tree: JointTree, x_out: Floats) -> None:
    """Solve M x = y in place."""
    for i in range(x_out.size - 1, -1, -1):
        start = tree.M_rowadr[i]
        for e in range(start, start + tree.M_rownnz[i] - 1):
            x_out[tree.M_colind[e]] -= tree.qLD[e] * x_out[i]
    for i in range(x_out.size):
        x_out[i] *= tree.qLDiagInv[i]
        start = tree.M_rowadr[i]
        for e in range(start, start + tree.M_rownnz[i] - 1):
            x_out[i] -= tree.qLD[e] * x_out[tree.M_colind[e]]


@kernel
def fill_rows(c: int, w: World, ropes_out: Ropes) -> None:
    """Fill J of rope c, summed up from the far end, and M^-1 J^T."""
    begin = ropes_out.row_start[c]
    end = ropes_out.row_start[c + 1]
    row = end - 1
    spans = w.paths.span_work
    total = ropes_out.jacobian[begin]
    total[:] = 0.0
    for k in range(ropes_out.node_start[c + 1] - 2, ropes_out.node_start[c] - 1, -1):
        force = add(load(spans.direction, k), load(spans.groove_force, k))
        add_pull(k, force, load(spans.groove_couple[k], 0), w, total)
        back = scale(-1.0, load(spans.groove_couple[k], 1))
        add_pull(k + 1, scale(-1.0, force), back, w, total)
        if ropes_out.row_node[row] == k:
            for i in range(total.size):
                ropes_out.jacobian[row, i] = total[i]
            row -= 1
    for r in range(begin, end):
        share = ropes_out.share[ropes_out.row_node[r]] if r > begin else 0.0
        for i in range(total.size):
            ropes_out.jacobian[r, i] -= share * total[i]
            ropes_out.response[r, i] = ropes_out.jacobian[r, i]
        divide_by_mass(w.tree, ropes_out.response[r])
