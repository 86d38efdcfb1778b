"""The same stiff cable with both steppers: one keeps its energy, the other is calm."""

from cable_sim import Simulator
from cable_sim.scenes import load_scene

for stepper in ("spook", "regularised"):
    simulator = Simulator(load_scene("two_boxes", stiffness=1e6), dt=0.01, stepper=stepper)
    before = simulator.observe().energy.total
    for _ in range(4):
        simulator.step(25)
        seen = simulator.observe()
        print(f"{stepper:12s} t = {seen.time:4.2f} s   energy {seen.energy.total / before:6.3f} of the first")
