"""Status flags that are looked for once, at the end of all steps of a call."""

from cable_sim.kernels import status
from cable_sim.kernels.cables import chain
from cable_sim.kernels.drums import FROM
from cable_sim.model.types import Model, State


def fineness(model: Model, state: State, dt: float) -> int:
    """Return TOO_FINE if a chain of masses has too short segments for its tension, else SOLVED."""
    first = int(model.ropes.kinds[1])
    if first == model.ropes.cable.size:
        return status.SOLVED
    return int(
        chain.check_fineness(
            dt,
            model.ropes.start[first:],
            model.ropes.attached[first:],
            model.ropes.particle_inverse_mass,
            model.ropes.segment_rest_length,
            state.particles.segment_impulse,
        )
    )


def winding(model: Model, state: State) -> int:
    """Return the status flags of drums above their capacity or below their dead wraps."""
    cables = model.cables
    flags = status.SOLVED
    if cables.drum_layer.size == 0:
        return flags
    for winch, begin, end in zip(
        cables.winch, cables.layer_start, cables.layer_start[1:], strict=False
    ):
        if begin < end:
            q = state.bodies.position[winch, 0]
            flags |= status.DRUM_FULL if q < cables.drum_layer[begin, FROM] else status.SOLVED
            flags |= status.DRUM_EMPTY if q > cables.drum_layer[end - 1, FROM] else status.SOLVED
    return flags
