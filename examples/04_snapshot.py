"""Save, try something, go back, try something else: the past is the same to the last bit."""

from cable_sim import Simulator, load_scene

simulator = Simulator(load_scene("tower_12t_4falls_hanging"))
for drive in simulator.names.drives:
    simulator.command(drive, 0.0, brake=True)
simulator.step(1000)
snapshot = simulator.save()

for push in (0.0, 2000.0, 2000.0):
    simulator.restore(snapshot)
    simulator.push("load", (0.0, push, 0.0))
    simulator.step(3000)
    print(
        f"pushed with {push:6.0f} N: load at y = "
        f"{float(simulator.observe().body('load').position[1])!r} m"
    )
