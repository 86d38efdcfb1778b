"""Two masses over a sheave: how much its efficiency costs, beside the textbook's m/s^2.

A node is a point, so a wheel is two: the rope runs onto the sheave, which has the losses, and off
at an eye. ``half_turn`` says so to those who draw it.
"""

from cable_sim import Anchor, Body, Cable, Eye, Scene, Sheave, Simulator, Sphere

HEAVY, LIGHT, G = 60.0, 40.0, 9.81

for efficiency in (1.0, 0.98, 0.9, 0.7, 0.6):
    on = Sheave("world", (-0.2, 0.0, 0.0), efficiency, half_turn=True)
    off = Eye("world", (0.2, 0.0, 0.0))
    scene = Scene(
        bodies=[
            Body("heavy", mass=HEAVY, shape=Sphere(0.1), position=(-0.2, 0.0, -2.0)),
            Body("light", mass=LIGHT, shape=Sphere(0.1), position=(0.2, 0.0, -2.0)),
        ],
        cables=[Cable("rope", [Anchor("heavy"), on, off, Anchor("light")])],
    )
    simulator = Simulator(scene)
    simulator.step(500)
    seen = simulator.observe()
    acceleration = -seen.body("heavy").velocity[2] / seen.time
    textbook = max(0.0, G * (efficiency * HEAVY - LIGHT) / (efficiency * HEAVY + LIGHT))
    print(
        f"efficiency {efficiency:4.2f}: {acceleration:6.3f} m/s^2, textbook {textbook:6.3f} m/s^2"
    )
