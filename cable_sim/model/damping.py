"""What the rows of a model need to know of their masses: damping times from damping ratios, and mobilities.

The twist row of a cable shares the damping time of its stretch row: the losses are the material's.

A cable of compliance eps that stretches against an effective mass m oscillates at w = 1 / sqrt(eps m); Rayleigh damping
gamma gives the rate gamma w^2 / 2, so a ratio zeta needs gamma = 2 zeta / w. The effective mass is that of the cable's
own mode at the start, every joint, drive and other taut cable held rigid: m = ((J M^-1 J^T)^-1)_rr over those rows.
"""

import numpy as np

from cable_sim.kernels.rows import CONDENSED, GAP, INERTIA, STABILISED
from cable_sim.model.frames import Array
from cable_sim.model.types import Model, Workspace
from cable_sim.spec import Scene

PROBE_STEP = 1e-6
"""Step for which the rows are filled at the start [s]: short, so that nothing moves."""
REPEATED = 1e-9
"""Softness that makes rows which repeat each other solvable, relative to the mean diagonal."""


def one_sided_mobility(model: Model, work: Workspace) -> Array:
    """J M^-1 J^T of the one-sided gap rows as the workspace has them, 0 of the others."""
    body, entries = model.entry_body, work.entry_jacobian
    linear = model.body_inverse_mass[body] * (entries[:, :3] ** 2).sum(axis=1)
    angular = np.einsum("ei,eij,ej->e", entries[:, 3:], work.world_inverse_inertia[body], entries[:, 3:])
    total = np.bincount(model.entry_row, linear + angular, minlength=model.row_kind.size)
    return np.where(model.row_one_sided & (model.row_kind == GAP), total, 0.0)


def cable_damping_times(scene: Scene, model: Model, work: Workspace) -> Array:
    """The rows' damping times [s], with those of cables that were given a ratio, for the rows of the start."""
    times = model.row_damping_time.copy()
    wanted = [c for c, cable in enumerate(scene.cables) if cable.loss_ratio]
    if not wanted:
        return times
    jacobian = dense_jacobian(model, work)
    response = np.array([_respond(model, work, row) for row in jacobian])
    held = (model.row_kind != STABILISED) & (model.row_kind != INERTIA) & ~_sheaves(model)
    held &= model.row_kind != CONDENSED  # the end of a chain gives way
    held[model.cable_drive_row[model.cable_drive_row >= 0]] = False
    held &= work.row_active | model.row_one_sided
    held &= (model.row_kind != GAP) | ~model.row_one_sided | (work.row_gap <= 0.0)
    for c in wanted:
        row = model.cable_row[c]
        rows = np.flatnonzero(held | (np.arange(held.size) == row))
        schur = jacobian[rows] @ response[rows].T
        schur += REPEATED * np.trace(schur) / rows.size * np.eye(rows.size)
        mass = np.linalg.inv(schur)[np.searchsorted(rows, row), np.searchsorted(rows, row)]
        times[row] = 2.0 * (scene.cables[c].loss_ratio or 0.0) * np.sqrt(work.row_compliance[row] * mass)
        if model.cable_twist_row[c] >= 0:
            times[model.cable_twist_row[c]] = times[row]
    return times


def dense_jacobian(model: Model, work: Workspace) -> Array:
    """(r, 6 b) Jacobian of all rows as the workspace has it; for small models and tests."""
    jacobian = np.zeros((model.row_kind.size, model.body_kind.size, 6))
    for r in range(model.row_kind.size):
        for e in range(model.row_entry_start[r], model.row_entry_start[r + 1]):
            jacobian[r, model.entry_body[e]] += work.entry_jacobian[e]
    return jacobian.reshape(model.row_kind.size, -1)


def _respond(model: Model, work: Workspace, row: Array) -> Array:
    """M^-1 times a row of the Jacobian."""
    entries = row.reshape(-1, 6)
    linear = model.body_inverse_mass[:, None] * entries[:, :3]
    angular = np.einsum("bij,bj->bi", work.world_inverse_inertia, entries[:, 3:])
    return np.concatenate([linear, angular], axis=1).ravel()


def _sheaves(model: Model) -> np.ndarray:
    """Which rows are friction rows: they depend on others for their bounds."""
    return np.diff(model.row_limit_start) > 0
