"""Fill the cache of compiled kernels, so that no launch has to compile: ``python -m cable_sim.sim.warm``.

Kernels compile for the types of their arguments at the first call, so one run of a scene that has something of
everything compiles all there is.
"""

from cable_sim.scenes import load_scene
from cable_sim.sim.simulator import Simulator


def main() -> None:
    """Step and read the tower crane."""
    simulator = Simulator(load_scene("tower_crane"))
    simulator.step()
    simulator.observe()


if __name__ == "__main__":
    main()
