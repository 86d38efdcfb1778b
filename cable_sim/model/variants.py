"""Two variants of the compiled step, one for cranes and one for everything.

numba compiles what stands behind ``extras is not None`` for the second alone. A crane with straight
cables needs a third of the code, and its first step comes in a third of the time.
"""

from cable_sim.kernels import step
from cable_sim.model.cable_models import PACKINGS
from cable_sim.model.types import Control, Model, State, Workspace


def extras_of(model: Model) -> bool | None:
    """Return the last argument of ``step.run`` and ``observe``.

    It is None for a model without obstacles, boxes that meet, and cables whose models need more
    than the kernels of all cables, else True.
    """
    has_extras = (
        any(packing.extras(model) for packing in PACKINGS.values())
        or model.touches.body.size > 0
        or model.solid_pairs.row.size > 0
        or model.pairs.row.size > 0
    )
    return True if has_extras else None


def run(
    model: Model, state: State, control: Control, work: Workspace, h: float, n: int
) -> tuple[int, float, int]:
    """Call ``step.run`` in the variant that the model needs."""
    return step.run(model, state, control, work, h, n, extras_of(model))
