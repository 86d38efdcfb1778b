"""Two masses over a sheave: how much its efficiency costs, beside the textbook."""

from cable_sim import Anchor, Body, Cable, Scene, Sheave, Simulator, Sphere

HEAVY, LIGHT, G = 60.0, 40.0, 9.81

for efficiency in (1.0, 0.98, 0.9, 0.7, 0.6):
    scene = Scene(
        bodies=[
            Body("heavy", mass=HEAVY, shape=Sphere(0.1), position=(-0.2, 0.0, -2.0)),
            Body("light", mass=LIGHT, shape=Sphere(0.1), position=(0.2, 0.0, -2.0)),
        ],
        cables=[
            Cable(
                "rope",
                [Anchor("heavy"), Sheave("world", efficiency=efficiency), Anchor("light")],
                ea=1e6, damping_ratio=0.2, pretension=LIGHT * G,
            )
        ],
    )  # fmt: skip
    simulator = Simulator(scene)
    simulator.step(500)
    speed = -simulator.observe().body("heavy").velocity[2]
    ideal = max(0.0, G * (efficiency * HEAVY - LIGHT) / (efficiency * HEAVY + LIGHT))
    print(f"efficiency {efficiency:4.2f}: {speed / 0.5:6.3f} m/s^2, textbook for vertical ropes {ideal:6.3f} m/s^2")
