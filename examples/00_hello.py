"""A load on a rope: twenty lines from nothing to a tension. No ROS is needed."""

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator

scene = Scene(
    bodies=[Body("load", mass=1000.0, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -10.5))],
    cables=[
        Cable(
            "rope",
            [Anchor("world"), Anchor("load", (0.0, 0.0, 0.5))],
            ea=1.0957e7,
            damping_ratio=0.02,
        )
    ],
)
simulator = Simulator(scene, dt=1e-3)
simulator.push("load", (500.0, 0.0, 0.0))

for _ in range(10):
    simulator.step(1000)
    seen = simulator.observe()
    rope, load = seen.cable("rope"), seen.body("load")
    print(
        f"t = {seen.time:4.1f} s   tension {rope.tension / 1e3:6.3f} kN   load at x = "
        f"{load.position[0]:+.3f} m"
    )
