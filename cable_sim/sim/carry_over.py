"""State of a running scene for another one that has further free bodies, or fewer.

A state is arrays by number. Bodies have the numbers of the scene's own, then those of winches, then
those of couplings. So a further body moves the numbers of winches and couplings, and its contacts
and joints have rows amid those of others. Bodies and joints are found again by their names. Rows
are found again because a row on a body that is not in both scenes is new, or has gone; all others
have the same order in both. So have the slots of solids that stop bodies, and their pairs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError
from cable_sim.model.records.arrays import arrays_of, copy_record, names_of
from cable_sim.model.types import Control, Model, State
from cable_sim.sim.running import RunningScene

Rows = NDArray[np.int64]


class Numbers(NamedTuple):
    """Numbers of what is in both scenes, (n,) in the one and (n,) in the other."""

    before: Rows
    after: Rows


def body_numbers(before: RunningScene, after: RunningScene) -> Numbers:
    """Return the body rows of what is in both scenes: world, bodies, winches and couplings."""
    old = before.names.bodies
    new = after.names.bodies
    both = [name for name in old if name in new]
    rest = before.model.bodies.kind.size - len(old)
    return Numbers(
        _with_rest([1 + old.index(name) for name in both], 1 + len(old), rest),
        _with_rest([1 + new.index(name) for name in both], 1 + len(new), rest),
    )


def carry_over(before: RunningScene, after: RunningScene) -> tuple[State, Control]:
    """Return the state and control of a scene for another; see the head of this file.

    Raises ModelError for scenes that differ in more than free bodies and their joints.
    """
    bodies = body_numbers(before, after)
    old = before.names.joints
    new = after.names.joints
    joints = [name for name in old if name in new]
    groups = {
        "bodies": bodies,
        "joints": Numbers(_numbers(old, joints), _numbers(new, joints)),
        "rows": Numbers(_rows_on(before.model, bodies.before), _rows_on(after.model, bodies.after)),
        "solids": Numbers(
            _slots_on(before.model, bodies.before), _slots_on(after.model, bodies.after)
        ),
    }
    _check_rows(before.model, after.model, groups["rows"])
    state = copy_record(after.state)
    control = copy_record(after.control)
    for kind, source, target in ((State, before.state, state), (Control, before.control, control)):
        for name, values, into in zip(
            names_of(kind), arrays_of(source), arrays_of(target), strict=True
        ):
            numbers = groups.get(name.partition(".")[0])
            if numbers is not None:
                into[numbers.after] = values[numbers.before]
            elif values.shape == into.shape:
                into[...] = values
            else:
                raise ModelError(f"{name} differs in size: the scenes differ in more than bodies")
    state.nodes.body[:] = _renumber(bodies, before.state.nodes.body)
    pairs = Numbers(_pairs_on(before.model, bodies.before), _pairs_on(after.model, bodies.after))
    slots = groups["solids"].after
    state.solids.pair[slots] = _renumber(pairs, state.solids.pair[slots])
    return state, control


def _renumber(numbers: Numbers, values: Rows) -> Rows:
    """Return the numbers that values (n,) of the one scene have in the other."""
    renumbered = np.zeros(numbers.before.max(initial=-1) + 1, dtype=np.int64)
    renumbered[numbers.before] = numbers.after
    return renumbered[values]


def _with_rest(named: list[int], first: int, rest: int) -> Rows:
    """Return the world, the rows of named bodies, and the ``rest`` from ``first`` on."""
    return np.array([0, *named, *range(first, first + rest - 1)], dtype=np.int64)


def _numbers(names: tuple[str, ...], wanted: list[str]) -> Rows:
    """Return the numbers of names."""
    return np.array([names.index(name) for name in wanted], dtype=np.int64)


def _rows_on(model: Model, bodies: Rows) -> Rows:
    """Return the rows that act on these bodies alone."""
    kept = np.isin(model.rows.entry_body, bodies)
    gone = model.rows.entry_row[~kept]
    return np.setdiff1d(np.arange(model.rows.kind.size), gone)


def _pairs_on(model: Model, bodies: Rows) -> Rows:
    """Return the pairs of one of these bodies and a solid that stops it."""
    return np.flatnonzero(np.isin(model.solid_pairs.body, bodies))


def _slots_on(model: Model, bodies: Rows) -> Rows:
    """Return the slots of colliders on these bodies."""
    colliders = model.colliders
    owner = np.repeat(colliders.body, np.diff(colliders.slot_start))
    return np.sort(colliders.slot[np.isin(owner, bodies)])


def _check_rows(before: Model, after: Model, rows: Numbers) -> None:
    """Refuse scenes whose common bodies have other rows."""
    alike = rows.before.size == rows.after.size and np.array_equal(
        before.rows.kind[rows.before], after.rows.kind[rows.after]
    )
    if not alike:
        raise ModelError("the scenes differ in more than free bodies and joints on them")
