"""Fill the cache of compiled kernels, so that no launch has to compile: ``python -m cable_sim.sim.warm``.

Kernels compile for the types of their arguments at the first call. Those are the same for all scenes, and a step
takes in what any scene needs, so a crane compiles nearly all there is; the rest are kernels that Python calls for some
scenes alone: those of chains of masses and of the sparse solver.
"""

from typing import Any

from cable_sim.cranes import load_crane
from cable_sim.kernels.supervision import supervise
from cable_sim.model.devices import pack_devices, start_devices
from cable_sim.scenes import load_scene
from cable_sim.sim.simulator import Simulator


def main() -> None:
    """Step, read and supervise the tower crane; step a chain of masses, and a net with the sparse solver."""
    crane = load_crane("tower_crane")
    simulator = Simulator(crane.scene)
    simulator.step()
    simulator.observe()
    devices = pack_devices(crane, simulator.names, simulator.dt)
    settings, state = start_devices(devices, len(crane.axes))
    arrays: tuple[Any, ...] = (*devices, *simulator.truth(), *settings, *state)
    supervise(simulator.time, *arrays)
    Simulator(load_scene("chain_on_hook")).step()
    Simulator(load_scene("net"), solver="sparse").step()


if __name__ == "__main__":
    main()
