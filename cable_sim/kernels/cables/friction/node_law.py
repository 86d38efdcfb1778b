"""The law at a node: how much the tensions of a rope may differ on both sides of what it runs over.

It is the same for sheaves, wheels, edges, crossings and clamps, and for all models of cables:

    T_high / T_low <= rho = (1 + m) / (1 - m),      |T_out - T_in| <= m (T_in + T_out).

The rope sticks within the bound, and runs at it, against its friction. The columns take m, or kappa
= 2 m, the bound over the mean of both tensions, and ask nothing else about a node: rows of sheaves
(``massless.py``), of wheels (``wheels.py``), of grips (``grips.py``), and the tensions of hybrid
wires (``friction.py``).

*Capstan.* An element of rope that turns by da is pressed with T da, and friction changes its
tension by mu T da at most. On the whole turn alpha, whatever its radius, that is the law of Euler
and Eytelwein, rho = e^(mu alpha), so

    m = tanh(mu alpha / 2),

and a rope may turn in one place or in many. A rope that pressed at one point alone would have m =
mu tan(alpha / 2) (misprint 45).

*Losses of bearings.* Of a sheave or wheel of the efficiency eta, T_low = eta T_high while the rope
runs: m = (1 - eta) / (1 + eta), whatever the turn. ``nodes.loss`` is kappa of sheaves, state that
may change in a run with the speed or a fault: all columns follow. ``wheels.loss`` is that of wheels
without friction.

*Crossings* have the capstan's law of rope on rope with the part s of mu (``crossing_friction.py``).
*A clamp* holds any difference, m = 1. *The law of the paper* of 2011 is in ``hmr_friction.py``.

Misprints are numbered as in docs/theory/misprints.md.
"""

from math import atan2, tanh

from cable_sim.kernels.cables.contact.contact_path import BACKWARD, CLAMP, CROSSED, FORWARD
from cable_sim.kernels.cables.crossing.crossing_rows import ROUGH, SHARE
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, load, norm, sub
from cable_sim.kernels.records.lines import Nodes

STEEPEST = 0.999
"""Largest m with which the rope slips: a ratio of the tensions of 2000."""


@kernel
def turn_angle(before: Vector, after: Vector) -> float:
    """Return the angle between two unit vectors [rad]."""
    return 2.0 * atan2(norm(sub(after, before)), norm(add(after, before)))


@kernel
def capstan_bound(mu: float, angle: float) -> float:
    """Return m of rope that turns by an angle [rad]."""
    return tanh(0.5 * mu * angle)


@kernel
def friction_ratio(mu: float, before: Vector, after: Vector) -> float:
    """Return m of a node between spans of these directions; 0 where one has none."""
    if norm(before) == 0.0 or norm(after) == 0.0:
        return 0.0
    return capstan_bound(mu, turn_angle(before, after))


@kernel
def pseudo_friction_ratio(mu: float, before: Vector, after: Vector) -> float:
    """Return m of the paper's law, eq. 23 (``hmr_friction.py``); 0 where a span has no
    direction."""
    if norm(before) == 0.0 or norm(after) == 0.0:
        return 0.0
    return min(0.5 * mu * norm(sub(after, before)), 1.0)


@kernel
def crossing_friction_ratio(k: int, nodes: Nodes) -> float:
    """Return m of the rope at node k, a crossing."""
    mu = nodes.line[k, ROUGH] * nodes.line[k, SHARE]
    return friction_ratio(mu, load(nodes.direction, k - 1), load(nodes.direction, k))


@kernel
def node_friction_ratio(k: int, hmr: bool, nodes: Nodes) -> float:
    """Return m of node k of a hybrid wire: of a contact by Coulomb's law or the paper's."""
    if nodes.contact_solid[k] <= CROSSED:
        return crossing_friction_ratio(k, nodes)
    if nodes.contact_solid[k] < 0:
        return 1.0 if nodes.guide[k] == CLAMP else 0.5 * nodes.loss[k]  # of a sheave
    mu = nodes.solids.friction[nodes.contact_solid[k]]
    before = load(nodes.direction, k - 1)
    after = load(nodes.direction, k)
    return pseudo_friction_ratio(mu, before, after) if hmr else friction_ratio(mu, before, after)


@kernel
def tension_ratio(k: int, hmr: bool, nodes: Nodes) -> float:
    """Return the tension behind node k over that before it; 1 where the rope does not slip."""
    state = nodes.friction_state[k]
    if state != FORWARD and state != BACKWARD:
        return 1.0
    m = min(node_friction_ratio(k, hmr, nodes), STEEPEST)
    return (1.0 + m) / (1.0 - m) if state == FORWARD else (1.0 - m) / (1.0 + m)
