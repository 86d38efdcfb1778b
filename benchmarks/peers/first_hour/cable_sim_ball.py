"""A ball of 100 kg on a rope: import, 100 steps of 1 ms, a picture, as the arguments say."""

import sys

import cable_sim

if "step" in sys.argv:
    ball = cable_sim.Body(
        "ball", mass=100.0, shape=cable_sim.Sphere(0.2), position=(1.5, 0.0, -4.77)
    )
    rope = cable_sim.Cable(
        "rope", (cable_sim.Anchor("world"), cable_sim.Anchor("ball")), ea=1e6, damping_ratio=0.02
    )
    simulator = cable_sim.Simulator(cable_sim.Scene(bodies=(ball,), cables=(rope,)), dt=1e-3)
    simulator.step(100)
if "picture" in sys.argv:
    simulator.picture()
