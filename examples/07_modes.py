"""The modes of a container crane, and one of them put into a simulator."""

import math

from cable_sim import load_scene, modes

found = modes(load_scene("rtg_41t_hanging"))
for mode in found:
    way = ", ".join(f"{part:+.2f}" for part in mode.bodies["container"])
    print(
        f"{mode.frequency:7.4f} Hz, damping ratio {abs(mode.damping_ratio):.4f}: container goes "
        f"{way} m along and rad about x, y, z"
    )

skew = found[0]  # the container turns about the vertical
simulator = found.linear.equilibrium.simulator()
simulator.restore(found.snapshot(0, amplitude=math.radians(2.0)))
for quarter in range(5):
    w, _, _, z = simulator.observe().body("container").orientation
    turned = math.degrees(2.0 * math.atan2(z, w))
    print(f"after {quarter} quarters of its period: skew {turned:+.2f} deg")
    simulator.step(round(skew.period / 4.0 / simulator.dt))
