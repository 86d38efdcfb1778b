"""Damping times from ratios, and mobilities: the masses of a model as its rows see them.

A rope of compliance eps and damping time gamma that carries a mass m bounces at w = 1 / sqrt(eps
m). Rayleigh damping takes the rate gamma w^2 / 2 from it: the ratio zeta needs gamma = 2 zeta / w.

In a scene of many ropes w is that of the rope's own shape: the displacement x of the bodies when
this rope alone is made shorter. With its row j, K the stiffness of all ropes, slack ones as well,
and of the springs of joints, and Rayleigh's quotient for w,

    K x = j^T / eps,        w^2 = x^T K x / x^T M x.

In mass coordinates y = M^(1/2) x, with the rows B = K^(1/2) M^(-1/2), that is y = B^+ e, the least
squares of a unit shortening e, and 1/w^2 = y^T y / (B y)_e. The pseudo-inverse leaves out what no
rope resists, and needs no ropes that are independent of one another:

* one rope: w^2 = 1 / (eps m); n falls of it: w^2 = n^2 / (eps m);
* n equal ropes side by side on a mass: x = 1 / n, w^2 = n / (eps m), the bounce on all of them;
* ropes one below the other: x moves all that hangs below the rope; what is above stays, however
  light.

So that it is a matter of ropes and bodies, not of where they start, three more things hold:

* A span resists in all directions alike: two ropes at a small angle carry together, and their shape
  does not go off sideways. A span of a rope with n of them between bodies has the compliance eps /
  n.
* A body that no joints hold to the world does not turn: when its ropes carry it, it hangs below
  them.
* Closed joints, motors, brakes, inextensible and driven ropes hold; contacts and end stops do not.

Where these hold all that is on a rope, it has no shape: then motors let go and bodies turn; and if
that does not do, joints let go as well. Between walls what moves is the rope itself as a rod: 1/w^2
= eps rho L / pi^2, which is 0 for a rope without mass. The ratio is for the scene as built: where
joints are let go and ropes unhooked it is taken again, in the same pose
(``sim/changes/losses.py``).

A boom on a short lever makes w low, and its rope stiff against fast motions. 1/w^2 is at most LEVER
times eps times the mass of the bodies that x moves, and a warning tells of a time that is over
WARNED times that of this mass.

The twist row of a cable shares the damping time of its stretch row: the losses are the material's.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError, warn
from cable_sim.kernels.cables.massless.breakage import UNHOOKED
from cable_sim.kernels.cables.massless.massless import SHORTEST_SPAN
from cable_sim.kernels.multibody.bodies import DYNAMIC
from cable_sim.kernels.multibody.drives import ON_CABLE
from cable_sim.kernels.multibody.joints import ANGLE_ROWS, POINT_ROWS
from cable_sim.kernels.multibody.rows import GAP, SPEED, STABILISED
from cable_sim.kernels.records.world import Model, State, Workspace
from cable_sim.model.basis.frames import Array
from cable_sim.spec import Scene

NOTHING = 1e-9
"""Part of their size to which rows repeat each other. A held row has as much left."""
LEAST = 1e-12
"""Part of a rope's shortening that a shape must take."""
SOFTEST = 1e-11
"""Frequency below which nothing resists a motion, as a part of the highest."""
MOVING = 1e-3
"""Share of the kinetic energy from which on a body counts as moving with a rope."""
LEVER = 100.0
"""Largest mass of a rope's shape, as a multiple of that of its bodies."""
WARNED = 2.0
"""Damping time from which on a warning is given, as a multiple of that of the bodies alone."""

HELD = 0
JOINTED = 1
LOOSE = 2
"""Choices of the holding parts: all that hold, closed joints alone, none."""
Rows = NDArray[np.int64]


class Shapes(NamedTuple):
    """Shapes of all cables; zeros for those that have none."""

    square: Array
    """(c,) 1 / w^2 [s^2]."""
    mass: Array
    """(c,) of the bodies that move [kg]."""


class Frame(NamedTuple):
    """The part that moves, and the part that holds it."""

    root: Array
    """(b, 6, 6) M^(-1/2), zero where a body does not move or turn."""
    held: Rows
    """Rows that hold."""
    springs: Rows
    """Rows of the joints' springs."""
    cables: Rows
    """Cables that stretch."""


def row_mobility(model: Model, work: Workspace) -> Array:
    """Return J M^-1 J^T of rows on gaps and speeds and of hard end stops, 0 of the others.

    It is 1 of a stop or speed whose bodies do not obey forces, where nothing depends on it, and
    infinite of friction of contacts, which is taken at the end of a step (``collision/pool.py``).
    Rows of a joint that are the components of one vector have the sum of theirs, which is the same
    for any axes.
    """
    body = model.rows.entry_body
    entries = work.rows.jacobian
    linear = model.bodies.inverse_mass[body] * (entries[:, :3] ** 2).sum(axis=1)
    angular = np.einsum(
        "ei,eij,ej->e", entries[:, 3:], work.bodies.inverse_inertia[body], entries[:, 3:]
    )
    total = np.bincount(model.rows.entry_row, linear + angular, minlength=model.rows.kind.size)
    hard = model.rows.one_sided & (model.rows.kind == STABILISED) & (model.rows.compliance == 0.0)
    hard |= model.rows.kind == SPEED
    total = np.where(hard & (total == 0.0), 1.0, total)
    of_pool = np.arange(total.size) >= model.rows.own[0]
    total[of_pool & (model.rows.kind == SPEED)] = np.inf
    for kind, row in zip(model.joints.kind, model.joints.row, strict=True):
        middle = row + POINT_ROWS[kind]
        for rows in (slice(row, middle), slice(middle, middle + ANGLE_ROWS[kind])):
            total[rows] = total[rows].sum()
    return np.where(hard | (model.rows.kind == GAP), total, 0.0)


def cable_damping_times(scene: Scene, model: Model, state: State, work: Workspace) -> Array:
    """Return the rows' damping times [s], with those of cables that have a ratio.

    The rows of ``work`` have been filled. Warns of a time that is far from that of the bodies
    alone; ModelError for one that can't be computed.
    """
    times = model.rows.damping_time.copy()
    ratios = np.array([cable.loss_ratio or 0.0 for cable in scene.cables])
    wanted = np.flatnonzero((ratios > 0.0) & (model.cables.row >= 0))
    if not wanted.size:
        return times
    try:
        found = _shapes(model, state, work, wanted)
    except np.linalg.LinAlgError as error:
        names = ", ".join(repr(scene.cables[c].name) for c in wanted.tolist())
        raise ModelError(
            f"cable {names}: damping_ratio: no mode, {error}; give a damping_time"
        ) from None
    for c in wanted.tolist():
        row = model.cables.row[c]
        cable = scene.cables[c]
        square = float(found.square[c])
        alone = float(work.rows.compliance[row] * found.mass[c])
        if square == 0.0:  # nothing moves but the rope
            own = cable.density * float(
                work.nodes.remaining_path_length[model.cables.node_start[c]]
            )
            alone = square = float(work.rows.compliance[row]) * own / math.pi**2
        times[row] = 2.0 * ratios[c] * math.sqrt(min(square, LEVER * alone))
        if not math.isfinite(times[row]):
            raise ModelError(
                f"cable {cable.name!r}: damping_ratio {ratios[c]:g}: it has no mode; give a "
                "damping_time"
            )
        if square > WARNED**2 * alone:
            _warn(cable.name, float(times[row]), 2.0 * ratios[c] * math.sqrt(alone))
        if model.twist.row[c] >= 0:
            times[model.twist.row[c]] = times[row]
    return times


def _warn(name: str, time: float, alone: float) -> None:
    """Warn of a rope whose shape is far slower than its bodies alone."""
    warn(
        f"cable {name!r}: its damping ratio gives it a damping time of {time:.3g} s, where the "
        f"mass of the bodies that it moves gives {alone:.3g} s: it pulls on a short lever; give "
        "it a damping_time to have another",
        5,
    )


def dense_jacobian(model: Model, work: Workspace) -> Array:
    """Return the (r, 6 b) Jacobian of all rows in the workspace; for small models and tests."""
    return _jacobian(
        model, work, np.arange(model.rows.kind.size), np.arange(model.bodies.kind.size)
    )


def _jacobian(model: Model, work: Workspace, rows: Rows, bodies: Rows) -> Array:
    """Return the (r, 6 b) Jacobian of these rows on these bodies in the workspace."""
    row = np.full(model.rows.kind.size, -1)
    body = np.full(model.bodies.kind.size, -1)
    row[rows] = np.arange(rows.size)
    body[bodies] = np.arange(bodies.size)
    row[work.rows.used[0] :] = -1
    own = work.rows.entry_body
    on = np.flatnonzero((row[model.rows.entry_row] >= 0) & (body[own] >= 0))
    jacobian = np.zeros((rows.size, bodies.size, 6))
    np.add.at(jacobian, (row[model.rows.entry_row[on]], body[own[on]]), work.rows.jacobian[on])
    return jacobian.reshape(rows.size, 6 * bodies.size)


def _shapes(model: Model, state: State, work: Workspace, wanted: Rows) -> Shapes:
    """Return the shapes of the ``wanted`` cables, with as much released for each as it needs."""
    found = Shapes(np.zeros(model.cables.row.size), np.zeros(model.cables.row.size))
    for loose in (HELD, JOINTED, LOOSE):
        frame = _frame(model, state, work, loose)
        missing = wanted[found.square[wanted] == 0.0]
        for bodies in _parts(model, frame, missing):
            cables = frame.cables[np.isin(model.cables.row[frame.cables], _rows_on(model, bodies))]
            square, mass = _solve(model, state, work, frame, cables, bodies)
            new = np.isin(cables, missing)
            found.square[cables[new]] = square[new]
            found.mass[cables[new]] = mass[new]
    return found


def _frame(model: Model, state: State, work: Workspace, loose: int) -> Frame:
    """Return the parts that move and the parts that hold.

    HELD: all holds except contacts. JOINTED: closed joints alone hold, and every body turns. LOOSE:
    nothing holds, and no body turns.
    """
    hooked = state.cables.attachment != UNHOOKED
    on, driven = (
        np.flatnonzero(hooked & has) for has in (model.cables.row >= 0, model.cables.row < 0)
    )
    stiff = work.rows.compliance[model.cables.row[on]] == 0.0
    springs = model.joints.spring_row[(model.joints.spring_row >= 0) & ~state.joints.open]
    two_sided = (model.rows.kind == GAP) & ~model.rows.one_sided & work.rows.active
    for rows in (springs, model.cables.row, model.twist.row):
        two_sided[rows[rows >= 0]] = False
    joints = np.flatnonzero(two_sided)
    motors = model.drives.row[model.drives.kind != ON_CABLE]
    ropes = np.concatenate([model.cables.row[on[stiff]], model.cables.drive_row[driven]])
    everything = np.concatenate([joints, motors, ropes[ropes >= 0]])
    held = {HELD: everything, JOINTED: joints, LOOSE: joints[:0]}[loose]
    turns = {HELD: _jointed_mask(model, state), JOINTED: True, LOOSE: False}[loose] | (
        model.bodies.kind != DYNAMIC
    )
    return Frame(_root(model, work, turns), held, springs, on[~stiff])


def _root(model: Model, work: Workspace, turns: NDArray[np.bool_]) -> Array:
    """(b, 6, 6) M^(-1/2), without the rotation of bodies that do not turn."""
    root = np.zeros((model.bodies.kind.size, 6, 6))
    root[:, [0, 1, 2], [0, 1, 2]] = np.sqrt(model.bodies.inverse_mass)[:, None]
    values, axes = np.linalg.eigh(work.bodies.inverse_inertia)
    scales = np.sqrt(np.maximum(values, 0.0)) * turns[:, None]
    root[:, 3:, 3:] = np.einsum("bij,bj,bkj->bik", axes, scales, axes)
    return root


def _jointed_mask(model: Model, state: State) -> NDArray[np.bool_]:
    """Return the (b,) flags of bodies that closed joints hold to the world, one by one.

    A body that moves as it is told counts as the world.
    """
    bodies = np.where(model.bodies.inverse_mass > 0.0, np.arange(model.bodies.kind.size), 0)
    near, far = bodies[model.joints.body[~state.joints.open]].T
    group = connected_groups(near, far, bodies.size)
    return group == group[0]


def _parts(model: Model, frame: Frame, wanted: Rows) -> list[Rows]:
    """Return the connected bodies of each part of the scene with ``wanted`` cables.

    They are connected by ropes, springs and rows that hold.
    """
    movable = model.bodies.inverse_mass > 0.0
    used = np.zeros(model.rows.kind.size, np.bool_)
    for rows in (frame.held, frame.springs, model.cables.row[frame.cables]):
        used[rows] = True
    on = used[model.rows.entry_row] & movable[model.rows.entry_body]
    count = model.rows.kind.size
    group = connected_groups(
        model.rows.entry_row[on], count + model.rows.entry_body[on], count + movable.size
    )
    return [
        np.flatnonzero((group[count:] == part) & movable)
        for part in np.unique(group[model.cables.row[np.intersect1d(wanted, frame.cables)]])
    ]


def connected_groups(near: Rows, far: Rows, count: int) -> Rows:
    """Return for each of ``count`` things the first of those that pairs connect it with."""
    earlier = list(range(count))

    def first(thing: int) -> int:
        while earlier[thing] != thing:
            earlier[thing] = earlier[earlier[thing]]
            thing = earlier[thing]
        return thing

    for pair in zip(near.tolist(), far.tolist(), strict=True):
        one, two = sorted(map(first, pair))
        earlier[two] = one
    return np.array([first(thing) for thing in range(count)])


def _rows_on(model: Model, bodies: Rows) -> Rows:
    """Return the rows with an entry on one of these bodies."""
    return np.unique(model.rows.entry_row[np.isin(model.rows.entry_body, bodies)])


def _solve(
    model: Model, state: State, work: Workspace, frame: Frame, cables: Rows, bodies: Rows
) -> tuple[Array, ...]:
    """Return 1 / w^2 [s^2] of the shapes of these cables, and the masses that they move [kg].

    The cables are all that are on these bodies.
    """
    if not bodies.size:
        return np.zeros(cables.size), np.zeros(cables.size)
    stretch, across = _spans(model, state, work, cables, bodies)
    springs, held = (_jacobian(model, work, rows, bodies) for rows in (frame.springs, frame.held))
    stiffness = 1.0 / np.sqrt(
        work.rows.compliance[np.concatenate([model.cables.row[cables], frame.springs])]
    )
    rows = np.concatenate([np.concatenate([stretch, springs]) * stiffness[:, None], across, held])
    rows = np.einsum("rbi,bij->rbj", rows.reshape(len(rows), bodies.size, 6), frame.root[bodies])
    if not np.isfinite(rows).all():
        raise np.linalg.LinAlgError("numbers that are not finite")
    rows = rows.reshape(len(rows), -1)
    moving = rows.any(axis=0)
    resisting, held = np.split(rows[:, moving], [len(rows) - len(held)])
    sizes = np.linalg.norm(held, axis=1)
    held = held[sizes > 0.0] / sizes[sizes > 0.0, None]
    free = _free_motions(held) if held.size else np.eye(resisting.shape[1])
    sizes = np.linalg.norm(resisting, axis=1)
    resisting = resisting @ free
    resisting[np.linalg.norm(resisting, axis=1) <= NOTHING * sizes] = 0.0  # held but for rounding
    answer = np.linalg.pinv(resisting, SOFTEST)[:, : cables.size]
    share = (resisting[: cables.size] * answer.T).sum(axis=1)
    square = (answer**2).sum(axis=0)
    energy = np.zeros((moving.size, cables.size))
    energy[moving] = (free @ answer) ** 2
    moved = energy.reshape(bodies.size, 6, cables.size).sum(axis=1) > MOVING * square
    mass = moved.T @ (1.0 / model.bodies.inverse_mass[bodies])
    has = share > LEAST
    return np.where(has, square / np.where(has, share, 1.0), 0.0), np.where(has, mass, 0.0)


def _free_motions(held: Array) -> Array:
    """Return an orthonormal basis, as columns, of the motions that rows of unit size allow."""
    _, sizes, directions = np.linalg.svd(held)
    rank = np.count_nonzero(sizes > sizes.max() * NOTHING)
    return np.asfortranarray(directions)[rank:].T  # in SciPy's layout, which gives its bits


def _spans(
    model: Model, state: State, work: Workspace, cables: Rows, bodies: Rows
) -> tuple[Array, Array]:
    """Return the (c, 6 b) stretch rows of these cables, and (3 s, 6 b) rows across their spans.

    Both are on these bodies. The latter are multiplied by the root of their stiffness.
    """
    stretch = _jacobian(model, work, model.cables.row[cables], bodies)
    across = [np.zeros((0, 6 * bodies.size))]
    for c in cables:
        k = np.arange(model.cables.node_start[c], model.cables.node_start[c + 1] - 1)
        between = (state.nodes.body[k] != state.nodes.body[k + 1]) & (
            work.spans.length[k] > SHORTEST_SPAN
        )
        root = math.sqrt(between.sum() / work.rows.compliance[model.cables.row[c]])
        for span in k[between]:
            along = work.spans.direction[span]
            moves = _moves(state, work, span, span + 1, bodies)
            across.append(root * (moves - np.outer(along, along @ moves)))
    return stretch, np.concatenate(across)


def _moves(state: State, work: Workspace, near: int, far: int, bodies: Rows) -> Array:
    """Return the (3, 6 b) velocity of one node past another's per velocity of these bodies."""
    moves = np.zeros((3, bodies.size, 6))
    for node, sign in ((far, 1.0), (near, -1.0)):
        x, y, z = work.nodes.arm[node]
        on = bodies == state.nodes.body[node]
        moves[:, on, :3] += sign * np.eye(3)[:, None]
        moves[:, on, 3:] += sign * np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])[:, None]
    return moves.reshape(3, -1)
