"""Fill the cache of compiled kernels, so that no launch has to compile: ``python -m cable_sim.kernels.warm``.

Kernels compile for the types of their arguments at the first call. The model, which this floor does not know, is
needed to make such arguments, so this file is a program and imports upwards only when it is run.
"""


def main() -> None:
    """Run and read one small scene that has something of everything."""
    from cable_sim.scenes import load_scene
    from cable_sim.sim.simulator import Simulator

    for name in ("tower_crane", "two_boxes"):
        simulator = Simulator(load_scene(name))
        simulator.step()
        simulator.observe()


if __name__ == "__main__":
    main()
