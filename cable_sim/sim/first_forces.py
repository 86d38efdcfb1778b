"""Forces before the first step: those of a first step that is tried, and taken back.

Forces of rows are known once a step has been solved for. A scene at its start has taken none, so a
step is taken from there with the present commands, and all that it wrote is put back. Its forces
alone are read at the pose of the start. The first step itself does not see them: it has the bits
that it has when nobody looks.

Forces of hybrid wires, springs and chains that stretch are known from their places, and are those.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.records.world import Model
from cable_sim.kernels.status import STOPS
from cable_sim.sim.readings.block import Place

SPANS = "state.spans.tension_impulse"
SEGMENTS = "state.particles.segment_impulse"
FORCES = ("state.rows.impulse", "state.rows.status", SPANS, SEGMENTS)
"""Arrays of a block from which forces are read, besides all of the contacts of the step."""
CONTACTS = "state.pool."


def try_forces(
    memory: NDArray[np.uint8], places: Mapping[str, Place], model: Model, take: Callable[[], int]
) -> Callable[[], None]:
    """Put the forces of a step that ``take`` takes into a block's memory, and nothing else of it.

    ``take`` returns status flags; there are no forces if the step can't be taken. Returns a
    function that puts back the forces that stood there.
    """
    kept = memory.copy()
    taken = not take() & STOPS
    found = memory.copy()
    memory[:] = kept
    layout = places["state.nodes.contact_solid"]
    same = np.array_equal(layout.view(found), layout.view(kept))
    wires = np.repeat(model.cables.wire, np.diff(model.cables.node_start))
    stretch = np.repeat(model.ropes.compliance > 0.0, np.diff(model.ropes.start))
    known = {SPANS: wires | (not same), SEGMENTS: stretch}
    contacts = [name for name in places if name.startswith(CONTACTS)]

    def put(source: Any) -> None:
        for name in (*FORCES, *contacts):
            into, values = places[name].view(memory), places[name].view(source)
            into[...] = np.where(known.get(name, False), into, values)

    if taken:
        put(found)
    return lambda: put(kept)
