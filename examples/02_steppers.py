"""The same stiff cable with both steppers: one keeps its energy, the other damps it.

Two boxes swing on a spring with the frequency omega. In steps of h the energy that is seen wavers
by omega h / 2 with ``spook``, and falls by the factor 1 + (omega h)^2 each step with
``regularised``.
"""

import math

from cable_sim import Simulator, load_scene

STIFFNESS, MASS, STEP = 1e6, 1000.0, 1e-3
turn = STEP * math.sqrt(2.0 * STIFFNESS / MASS)

for stepper in ("spook", "regularised"):
    simulator = Simulator(
        load_scene("two_boxes", stiffness=STIFFNESS, mass=MASS), dt=STEP, stepper=stepper
    )
    before = simulator.observe().energy.total
    for _ in range(4):
        simulator.step(250)
        seen = simulator.observe()
        theory = (
            f"1 +- {0.5 * turn:.2f}"
            if stepper == "spook"
            else f"{(1.0 + turn**2) ** -seen.steps:.3f}"
        )
        energy = seen.energy.total / before
        print(
            f"{stepper:12s} t = {seen.time:4.2f} s   energy {energy:.3f} of the first, by theory "
            f"{theory}"
        )
