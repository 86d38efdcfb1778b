"""The state that is seen: poses at the time of the velocities, and all else of the state itself."""

from collections.abc import Iterable

from cable_sim.kernels.records.arrays import copy_record
from cable_sim.kernels.records.world import Control, Model, State, Workspace
from cable_sim.model.variants import shift_start

SHIFTED = (
    "bodies.position",
    "bodies.orientation",
    "bodies.velocity",
    "cables.twist_expected",
    "joints.position",
    "nodes.point",
    "particles.position",
    "particles.velocity",
    "spans.rest_length",
    "waves.displacement",
)
"""Arrays that ``kernels/instant.py`` fills."""


def shift_bodies(
    dt: float, model: Model, state: State, control: Control, work: Workspace, rows: Iterable[int]
) -> None:
    """Move some bodies of a state half a step ``dt`` [s] on, from the time of its velocities."""
    ahead, own = copy_record(state), [*rows]
    shift_start(model, ahead, control, work, dt)
    for name in ("position", "orientation", "velocity"):
        getattr(state.bodies, name)[own] = getattr(ahead.bodies, name)[own]
