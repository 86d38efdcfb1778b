"""Records of rows and of the solver."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Rows(NamedTuple):
    """Rows of the complementarity problem, and their entries."""

    kind: Ints
    """(r,) GAP, STABILISED, SPEED, INERTIA, CONDENSED of ``kernels/multibody/rows.py``."""
    one_sided: Flags
    """(r,) takes part only while its gap closes."""
    lower: Floats
    """(r,) bound of the impulse, where it does not change [N s]."""
    upper: Floats
    """(r,)."""
    compliance: Floats
    """(r,) [m/N or rad/(N m)], slip [m/s/N or rad/s/(N m)] of a SPEED or INERTIA row."""
    damping_time: Floats
    """(r,) [s]."""
    mobility: Floats
    """(r,) J M^-1 J^T at the start of rows on gaps and speeds and of hard end stops [1/kg or 1/(kg
    m^2)], of joints the sum over the rows of a vector; 0 of the others."""
    hauling: Floats
    """(r,) speed at which an inextensible rope that is too long is hauled in [m/s]."""
    sharing: Floats
    """(r,) softness per length with which inextensible ropes share loads [1/(kg m)]."""
    order: Ints
    """(r,) elimination order."""
    entry_start: Ints
    """(r + 1,) first entry of each row."""
    entry_body: Ints
    """(e,) body of each entry; -1 of the pool, whose bodies are found anew each step."""
    entry_row: Ints
    """(e,) row of each entry."""
    body_entry_start: Ints
    """(b + 1,) first of the entries on each body."""
    body_entry: Ints
    """(e,) the entries on each body, in elimination order of their rows."""
    limit_start: Ints
    """(r + 1,) first of the rows that a friction bound depends on."""
    limit_row: Ints
    """(q,)."""
    own: Ints
    """(2,) number of rows that are not of the pool of contacts, behind which its rows stand, and
    rows of each of its contacts."""
    mixed: Ints
    """(m,) rows whose bounds are mixed of earlier ones, see ``kernels/multibody/solver.py``."""


class RowState(NamedTuple):
    """Last solution."""

    status: Ints
    """(r,) status in the last solution: the guess for the next."""
    impulse: Floats
    """(r,) impulses of the last step [N s]: forces to report, and the pressure behind dry
    friction."""


class RowWork(NamedTuple):
    """Rows of this step."""

    used: Ints
    """(1,) rows in use: those of the pool's present contacts are the last."""
    heap: Floats
    """(1,) largest compliance of contacts in a heap (``kernels/collision/heaps.py``) [m/N], else
    0."""
    entry_body: Ints
    """(e,) body of each entry."""
    body_head: Ints
    """(b,) first entry of the pool on each body, -1 for none."""
    body_last: Ints
    """(b,) last one."""
    mobility: Floats
    """(r,) J M^-1 J^T of rows of the pool, the mean of friction along both axes."""
    next_entry: Ints
    """(p,) entry of the pool that follows each of its entries on the same body, -1 for none."""
    active: Flags
    apart: Flags
    """(r,) left out as long as the step does not close it."""
    closing: Floats
    """(r,) rate at which a solution without the row closes it [m/s or rad/s], or slip of a drive
    under the load of the last step; else infinite, and minus infinity of rows that take part
    anyway."""
    impulse_before: Floats
    """(r,) of the step before, and the status of the row, for a step that fails."""
    status_before: Ints
    gap: Floats
    target: Floats
    compliance: Floats
    damping_time: Floats
    lower: Floats
    upper: Floats
    sharing: Floats
    """(r,) part of the softness with which inextensible ropes share loads [1/kg], see
    ``kernels/multibody/sharing.py``."""
    softness: Floats
    demand: Floats
    inner: Floats
    """(r, 3) mobility, rate and free rate of moving parts inside a row's own column; see
    ``kernels/multibody/rows.py``."""
    limit_factor: Floats
    """(q,)."""
    jacobian: Floats
    """(e, 6)."""


class Table(NamedTuple):
    """Table of rows: constants, state, scratch, and the stepper (1,) of the run."""

    rows: Rows
    state: RowState
    work: RowWork
    stepper: Ints


class SolverWork(NamedTuple):
    """Envelope and permutations of the solver."""

    active: Ints
    """(r,) active rows in elimination order."""
    position: Ints
    """(r,) place of a row among the active ones, -1 for the others."""
    first: Ints
    start: Ints
    """(r + 1,)."""
    free: Flags
    matrix: Floats
    """(profile,) envelope of S."""
    factor: Floats
    """L by panels, see ``kernels/multibody/envelope.py``."""
    inverse: Floats
    """(r,) inverse of D."""
    panel_left: Ints
    panel_base: Ints
    """(r,) first column of each panel, and where its column 0 would stand."""
    panel: Floats
    """(4 r + 12,) K of the present panel."""
    solution: Floats
    arc: Floats
    """(r,) softness that the bend of a cone of friction adds, at the second of its two rows."""
    change: Floats
    """(b, 3, 6) changes of velocities of a heap, see ``kernels/collision/heaps.py``."""
    answer: Floats
    """(e, 6) M^-1 J^T of entries, in a heap."""
    left: Floats
    """(1,) change of a speed that is left in a heap, over the largest demand [-]."""
    body_first: Ints
    """(b,)."""
    place: Ints
    """(r,)."""
    gathered: Floats
    """(6 (r + 3),) J of the entries on a body, number by number."""
    response: Floats
    """(r, 6)."""
    mixing: Floats
    """(m, ...) bounds that are mixed; columns in ``kernels/cables/hybrid/segments.py``."""


def envelope_shapes(rows: int, profile: int) -> dict[str, int]:
    """Return lengths of the scratch in ``SolverWork`` for an envelope of so many numbers.

    A panel of four rows is as wide as the widest one, and begins and ends at multiples of four.
    """
    dense = (rows + 3) * (rows + 7) // 2
    panels = min(4 * profile + 6 * rows + 24, dense) if profile else 0
    return {"matrix": profile, "factor": panels, "panel": 4 * rows + 12}
