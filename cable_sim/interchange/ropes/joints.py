"""Rows of ropes over the joint coordinates of MuJoCo, and what its mass matrix makes of them.

*J.* A force f at p and a moment m on a body give, at each coordinate on the way from it to the
world, with the axis (a, l) that MuJoCo takes about the centre of mass C of the tree (``cdof``),

    a . (m + (p - C) x f) + l . f.

*M^-1.* MuJoCo's factor M = L^T D L has unit rows L with the diagonal last (``qLD``), so M x = y is
solved by L^T z = y from the last row up, x = L^-1 D^-1 z from the first one down.
"""

from typing import NamedTuple

from cable_sim.interchange.ropes.records import Ropes, World
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import add, cross, dot, load, sub
from cable_sim.kernels.records.arrays import Floats, Ints


class JointTree(NamedTuple):
    """Arrays of MuJoCo's model and data, by their names there."""

    node_root: Ints
    """(n,) root body of the tree of each node."""
    node_dof: Ints
    """(n,) last coordinate that moves the body of each node, -1 for none."""
    dof_parentid: Ints
    M_rownnz: Ints
    M_rowadr: Ints
    M_colind: Ints
    qLD: Floats
    qLDiagInv: Floats
    cdof: Floats
    subtree_com: Floats


@kernel
def add_row(k: int, w: World, wrench: Floats, jacobian_out: Floats) -> None:
    """Add the wrench (6,) on node k to a row (v,) of J."""
    tree = w.engine
    force = (wrench[0], wrench[1], wrench[2])
    arm = sub(load(w.paths.node_work.position, k), load(tree.subtree_com, tree.node_root[k]))
    moment = add((wrench[3], wrench[4], wrench[5]), cross(arm, force))
    i = tree.node_dof[k]
    while i >= 0:
        jacobian_out[i] += dot(load(tree.cdof, i), moment) + dot(load(tree.cdof[:, 3:], i), force)
        i = tree.dof_parentid[i]


@kernel
def divide_by_mass(tree: JointTree, x_out: Floats) -> None:
    """Solve M x = y in place."""
    n = x_out.size
    for i in range(n - 1, -1, -1):
        if x_out[i] != 0.0:
            start = tree.M_rowadr[i]
            for e in range(start, start + tree.M_rownnz[i] - 1):
                x_out[tree.M_colind[e]] -= tree.qLD[e] * x_out[i]
    for i in range(n):
        x_out[i] *= tree.qLDiagInv[i]
        start = tree.M_rowadr[i]
        for e in range(start, start + tree.M_rownnz[i] - 1):
            x_out[i] -= tree.qLD[e] * x_out[tree.M_colind[e]]


@kernel
def fill_joint_rows(world: World, ropes_out: Ropes) -> None:
    """Fill J and M^-1 J^T of all rows."""
    for c in range(ropes_out.winch.size):
        for r in range(ropes_out.row_start[c], ropes_out.row_start[c + 1]):
            ropes_out.jacobian[r, :] = 0.0
            for k in range(ropes_out.node_start[c], ropes_out.node_start[c + 1]):
                add_row(k, world, ropes_out.wrench[r, k], ropes_out.jacobian[r])
            for i in range(ropes_out.free.size):
                ropes_out.response[r, i] = ropes_out.jacobian[r, i]
            divide_by_mass(world.engine, ropes_out.response[r])
