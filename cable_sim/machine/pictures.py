"""Bodies and cables of an observation as a frame shows them."""

from cable_sim.machine.frame import Array, CablePicture
from cable_sim.sim.observation import Observation


def picture_bodies(observation: Observation) -> dict[str, tuple[Array, Array]]:
    """Return position [m] and orientation (w, x, y, z) of all bodies in the world, by name."""
    return {
        name: (observation.body_position[i], observation.body_orientation[i])
        for i, name in enumerate(observation.names.bodies)
    }


def picture_cables(observation: Observation) -> dict[str, CablePicture]:
    """Return the curves of all cables, by name."""
    return {name: CablePicture.of(observation.cable(name)) for name in observation.names.cables}
