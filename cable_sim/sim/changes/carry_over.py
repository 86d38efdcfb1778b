"""State of a running scene for another one that has further free bodies, or fewer, or cables of
another model.

A state is arrays by number. Bodies have the numbers of the scene's own, then those of winches, then
those of couplings. So a further body moves the numbers of winches and couplings, and its contacts
and joints have rows amid those of others. Bodies and joints are found again by their names. Rows
are found again because a row on a body that is not in both scenes, or of a cable that has another
model, is new, or has gone; all others have the same order in both. So have the nodes, points of
waves and couplings of the other cables.

A cable of another model lies as it lay (``rope_lines.py``).
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError
from cable_sim.kernels.collision.candidates import pair_number, shapes_of
from cable_sim.kernels.collision.keeping import PAIR
from cable_sim.kernels.records.arrays import arrays_of, copy_record, names_of
from cable_sim.kernels.records.collision import PoolState
from cable_sim.kernels.records.world import Control, Model, State
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.cables.obstacles import add_room
from cable_sim.model.shapes.parts import divide_obstacles
from cable_sim.sim.changes.rope_lines import lay_line, read_line
from cable_sim.sim.running import RunningScene

Rows = NDArray[np.int64]
LAST_AXIS = ("waves.displacement", "waves.rate")
"""Arrays whose last axis is that of the points."""


class Numbers(NamedTuple):
    """Numbers of what is in both scenes, (n,) in the one and (n,) in the other."""

    before: Rows
    after: Rows


def changed_cables(before: RunningScene, after: RunningScene) -> tuple[str, ...]:
    """Return the names of the cables that have another model in the other scene."""
    models = {cable.name: cable.model for cable in before.scene.cables}
    return tuple(
        cable.name
        for cable in after.scene.cables
        if cable.name in models and models[cable.name] != cable.model
    )


def body_numbers(before: RunningScene, after: RunningScene) -> Numbers:
    """Return the body rows of what is in both scenes: world, bodies, winches and couplings."""
    old = before.names.bodies
    new = after.names.bodies
    both = [name for name in old if name in new]
    changed = changed_cables(before, after)
    return Numbers(
        np.array([0, *(1 + old.index(name) for name in both), *_rest(before, changed)], np.int64),
        np.array([0, *(1 + new.index(name) for name in both), *_rest(after, changed)], np.int64),
    )


def carry_over(before: RunningScene, after: RunningScene) -> tuple[State, Control]:
    """Return the state and control of a scene for another; see the head of this file.

    Raises ModelError for scenes that differ in more than free bodies, their joints, and models of
    cables; CommandError for a cable whose model can't change as it lies.
    """
    changed = changed_cables(before, after)
    lines = {name: read_line(before, name) for name in changed}
    groups = _groups(before, after, changed)
    _check_rows(before.model, after.model, groups["rows"])
    state = copy_record(after.state)
    control = copy_record(after.control)
    for kind, source, target in ((State, before.state, state), (Control, before.control, control)):
        for name, values, into in zip(
            names_of(kind), arrays_of(source), arrays_of(target), strict=True
        ):
            numbers = groups.get(name.partition(".")[0])
            if numbers is not None and name in LAST_AXIS:
                into[:, numbers.after] = values[:, numbers.before]
            elif numbers is not None:
                into[numbers.after] = values[numbers.before]
            elif values.shape == into.shape:
                into[...] = values
            else:
                raise ModelError(f"{name} differs in size: the scenes differ in more than bodies")
    bodies = groups["bodies"]
    nodes = groups["nodes"].after
    state.nodes.body[nodes] = _renumber(bodies, state.nodes.body[nodes])
    _carry_contacts(before, after, bodies, state)
    for name, line in lines.items():
        lay_line(after, name, line, state)
    return state, control


def _carry_contacts(
    before: RunningScene, after: RunningScene, bodies: Numbers, state_out: State
) -> None:
    """Write the contacts and events of shapes that are in both scenes, and the contacts' rows."""
    pool, pool_out = before.state.pool, state_out.pool
    shapes = _shape_numbers(before, after)
    used = int(pool.used[0])
    found = _carry_pairs(after, shapes, pool.key[:used])
    kept = np.flatnonzero(found >= 0)[: pool_out.key.size]
    for name in set(pool._fields) - {"used", "events", "event", "pressed"}:
        getattr(pool_out, name)[: kept.size] = getattr(pool, name)[:used][kept]
    pool_out.key[: kept.size] = found[kept]
    pool_out.body[: kept.size] = _renumber(bodies, pool_out.body[: kept.size])
    pool_out.used[0] = kept.size
    pool_out.pressed[:] = pool.pressed
    own, width = before.model.rows.own
    first = after.model.rows.own[0]
    for name in ("impulse", "status"):
        values = getattr(before.state.rows, name)[own : own + used * width].reshape(used, width)
        into = getattr(state_out.rows, name)
        into[first : first + kept.size * width] = values[kept].ravel()
    _carry_events(before, after, shapes, pool_out)


def _carry_events(
    before: RunningScene, after: RunningScene, shapes: Rows, pool_out: PoolState
) -> None:
    """Write the events of shapes that are in both scenes."""
    pool = before.state.pool
    last = min(int(pool.events[0]), len(pool.event), len(pool_out.event))
    order = np.arange(pool.events[0] - last, pool.events[0]) % max(len(pool.event), 1)
    noted = pool.event[order]
    noted[:, PAIR] = _carry_pairs(after, shapes, noted[:, PAIR].astype(np.int64))
    noted = noted[noted[:, PAIR] >= 0]
    pool_out.event[: len(noted)] = noted
    pool_out.events[0] = len(noted)


def _shape_numbers(before: RunningScene, after: RunningScene) -> Rows:
    """Return the numbers that shapes (n,) have in the other scene, -1 for those not there."""
    known = {name: i for i, name in enumerate(_tell_apart(after.names.shapes))}
    return np.array([known.get(name, -1) for name in _tell_apart(before.names.shapes)], np.int64)


def _carry_pairs(after: RunningScene, shapes: Rows, keys: Rows) -> Rows:
    """Return the numbers that pairs have in the other scene, -1 for those that are not there."""
    body, bodies = after.model.pool.body, after.model.bodies.kind.size
    pairs = [shapes[list(shapes_of(key, shapes.size))] for key in keys.tolist()]
    return np.array(
        [-1 if min(i, j) < 0 else pair_number(i, j, body, bodies) for i, j in pairs], np.int64
    )


def _tell_apart(names: tuple[str, ...]) -> list[tuple[str, int]]:
    """Return names with the number of the same ones before each."""
    return [(name, names[:i].count(name)) for i, name in enumerate(names)]


def _groups(
    before: RunningScene, after: RunningScene, changed: tuple[str, ...]
) -> dict[str, Numbers]:
    """Return the numbers of what is in both scenes, by the groups of a state's arrays."""
    bodies = body_numbers(before, after)
    old = before.names.joints
    new = after.names.joints
    joints = [name for name in old if name in new]
    groups = {
        "bodies": bodies,
        "joints": Numbers(_numbers(old, joints), _numbers(new, joints)),
        "rows": Numbers(
            _rows_on(before, bodies.before, changed), _rows_on(after, bodies.after, changed)
        ),
    }
    none = np.zeros(0, np.int64)
    groups["pool"] = Numbers(none, none)  # _carry_contacts does it
    kinds = ("nodes", _nodes), ("waves", _points), ("wires", _wires), ("touches", _touches)
    for group, places in kinds:
        groups[group] = Numbers(places(before, changed), places(after, changed))
    groups["spans"] = groups["nodes"]
    return groups


def _rest(running: RunningScene, changed: tuple[str, ...]) -> list[int]:
    """Return the rows of winches, and of couplings but those of changed cables."""
    first = 1 + len(running.names.bodies)
    if not changed:
        return [*range(first, running.model.bodies.kind.size)]
    own = divide_obstacles(running.scene)
    index = BodyIndex(add_room(own), own)
    bounds = pairwise([*index.coupling.values(), index.count])
    kept = [
        range(*b) for name, b in zip(index.coupling, bounds, strict=True) if name not in changed
    ]
    return [*range(first, index.first_coupling), *(row for rows in kept for row in rows)]


def _renumber(numbers: Numbers, values: Rows) -> Rows:
    """Return the numbers that values (n,) of the one scene have in the other."""
    renumbered = np.zeros(numbers.before.max(initial=-1) + 1, dtype=np.int64)
    renumbered[numbers.before] = numbers.after
    return renumbered[values]


def _numbers(names: tuple[str, ...], wanted: list[str]) -> Rows:
    """Return the numbers of names."""
    return np.array([names.index(name) for name in wanted], dtype=np.int64)


def _kept(running: RunningScene, changed: tuple[str, ...]) -> list[int]:
    """Return the numbers of the cables that have not changed."""
    return [c for c, name in enumerate(running.names.cables) if name not in changed]


def _nodes(running: RunningScene, changed: tuple[str, ...]) -> Rows:
    """Return the nodes of the cables that have not changed."""
    return _members(running.model.cables.node_start, _kept(running, changed))


def _points(running: RunningScene, changed: tuple[str, ...]) -> Rows:
    """Return the points of waves of the cables that have not changed."""
    starts = running.model.waves.start[_nodes(running, changed)]
    counts = running.model.waves.intervals[_nodes(running, changed)] + 1
    kept = [np.arange(a, a + n) for a, n in zip(starts, counts, strict=True) if a >= 0]
    return np.concatenate([np.zeros(0, np.int64), *kept])


def _wires(running: RunningScene, changed: tuple[str, ...]) -> Rows:
    """Return the numbers of the hybrid wires that have not changed."""
    return np.flatnonzero(np.isin(running.model.wires.cable, _kept(running, changed)))


def _touches(running: RunningScene, changed: tuple[str, ...]) -> Rows:
    """Return the solids that the cables that have not changed may touch."""
    return _members(running.model.touches.start, _kept(running, changed))


def _members(starts: Rows, kept: list[int]) -> Rows:
    """Return what belongs to the kept cables, whose first ones are at ``starts`` (c + 1,)."""
    return np.concatenate([np.zeros(0, np.int64), *(np.arange(*starts[c : c + 2]) for c in kept)])


def _rows_on(running: RunningScene, bodies: Rows, changed: tuple[str, ...]) -> Rows:
    """Return the rows that act on these bodies alone, but those of changed cables."""
    model = running.model
    kept = np.isin(model.rows.entry_body, bodies)
    gone = [model.rows.entry_row[~kept]]
    gone += [_rows_of(model, running.names.index("cables", name)) for name in changed]
    return np.setdiff1d(np.arange(model.rows.kind.size), np.concatenate(gone))


def _rows_of(model: Model, c: int) -> Rows:
    """Return the rows of cable c."""
    nodes = slice(model.cables.node_start[c], model.cables.node_start[c + 1])
    pairs = model.spans.inertia_row[nodes].ravel()
    found = [
        model.cables.row[[c]],
        model.twist.row[[c]],
        model.cables.node_row[nodes],
        model.spans.stop_row[nodes],
        model.grips.row[model.grips.start[c] : model.grips.start[c + 1]],
        *(pairs[pairs >= 0] + i for i in range(2)),
    ]
    for n in np.flatnonzero(model.wires.cable == c):
        found.append(model.wires.row[model.wires.row_start[n] : model.wires.row_start[n + 1]])
        held = model.wires.held_row[model.wires.held_start[n] : model.wires.held_start[n + 1]]
        found += [held + i for i in range(3)]
    rows = np.concatenate(found)
    return rows[rows >= 0]


def _check_rows(before: Model, after: Model, rows: Numbers) -> None:
    """Refuse scenes whose common bodies have other rows."""
    alike = rows.before.size == rows.after.size and np.array_equal(
        before.rows.kind[rows.before], after.rows.kind[rows.after]
    )
    if not alike:
        raise ModelError("the scenes differ in more than free bodies and joints on them")
