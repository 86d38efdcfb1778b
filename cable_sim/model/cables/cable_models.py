"""Cable models: what each of them packs, at one place for all that compile or ask about cables."""

from collections.abc import Callable
from typing import Any, NamedTuple

from cable_sim.kernels.records.world import Model
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.rows import RowTable
from cable_sim.model.cables import particles, waves, wires
from cable_sim.model.cables.paths import path_length
from cable_sim.spec import Cable, Elevation, Hybrid, Lumped, Scene

Arrays = dict[str, Any]


def no_arrays(*_: Any) -> Arrays:
    """Return no arrays."""
    return {}


def zero_room(cable: Cable) -> int:
    """Return 0: a cable without masses of its own has room for contact nodes alone."""
    return 0


def straight_way(cable: Cable, index: BodyIndex, gravity: Any) -> float:
    """Return the length of the path over a cable's nodes [m]: no gravity bends it."""
    return path_length(cable, index)


def no_extras(model: Model) -> bool:
    """Return False: the kernels of all cables are enough."""
    return False


class Packing(NamedTuple):
    """Packers of a cable model; by default it has only what all cables have."""

    pack: Callable[[Scene, BodyIndex, RowTable, Arrays, float], Arrays] = no_arrays
    """Returns its model arrays for a step [s], and adds its rows; those of all cables are there."""
    start: Callable[[Scene, BodyIndex, Arrays, float], Arrays] = no_arrays
    """Returns its state arrays at the start, from the model's arrays and the step [s]."""
    scratch: Callable[[Model], Arrays] = no_arrays
    """Returns the shapes of its scratch."""
    way: Callable[[Cable, BodyIndex, Any], float] = straight_way
    """Returns the length of a cable's way at the start [m] under a gravity [m/s^2]."""
    room: Callable[[Cable], int] = zero_room
    """Returns the number of nodes, beside contacts, that may come between two of a cable's."""
    extras: Callable[[Model], bool] = no_extras
    """Returns True if a model needs its kernels behind ``extras`` in ``kernels/step.py``."""


PACKINGS = {
    Hybrid.name: Packing(
        wires.pack_wires,
        wires.whole_wires,
        wires.wire_scratch,
        room=wires.room,
        extras=wires.has_wires,
    ),
    Lumped.name: Packing(
        particles.pack_particles,
        particles.start_particles,
        particles.particle_scratch,
        way=particles.initial_length,
        extras=particles.has_particles,
    ),
    Elevation.name: Packing(
        waves.pack_waves,
        waves.start_waves,
        waves.wave_scratch,
        way=waves.sagging_length,
        extras=waves.has_waves,
    ),
}
"""Packings by the names of the models. Their rows are added in this order."""

MASSLESS = Packing()


def packing(cable: Cable) -> Packing:
    """Return the packing of a cable's model."""
    return PACKINGS.get(cable.model.name, MASSLESS)
