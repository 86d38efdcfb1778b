"""Fill the cache of compiled kernels, so that no launch has to compile: ``python -m cable_sim.sim.warm``.

Kernels compile for the types of their arguments at the first call. Those are the same for all scenes, and a step
calls what all scenes need, so one run of any scene compiles all there is.
"""

from typing import Any

from cable_sim.cranes import load_crane
from cable_sim.kernels.supervision import supervise
from cable_sim.model.devices import pack_devices, start_devices
from cable_sim.sim.simulator import Simulator


def main() -> None:
    """Step, read and supervise the tower crane."""
    crane = load_crane("tower_crane")
    simulator = Simulator(crane.scene)
    simulator.step()
    simulator.observe()
    devices = pack_devices(crane, simulator.names, simulator.dt)
    settings, state = start_devices(devices, len(crane.axes))
    arrays: tuple[Any, ...] = (*devices, *simulator.truth(), *settings, *state)
    supervise(simulator.time, *arrays)


if __name__ == "__main__":
    main()
