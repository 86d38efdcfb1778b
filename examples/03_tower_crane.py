"""Drive the tower crane: lift the load off the ground, slew, and read what the operator's display
would say."""

import math

from cable_sim import Machine, load_crane

machine = Machine(load_crane("tower_crane"))


def drive(seconds: float, **speeds: float) -> None:
    """Hold the given axis speeds for a while [m/s of the hook, positive lowering; rad/s]; print the
    end."""
    seen = machine.observe()
    for _ in range(round(seconds / machine.tick_time)):
        for axis, speed in speeds.items():
            machine.command(axis, speed)
        seen = machine.tick()
    sway, rope = machine.sway(seen), seen.cable("hoist_rope")
    assert sway  # None on a crane where nothing hangs on falls
    print(
        f"t = {seen.time:5.1f} s   load at height {seen.body('load').position[2]:5.2f} m   "
        f"line pull {rope.tension / 1e3:5.1f} kN   "
        f"sway {math.degrees(sway.radial):+.2f} / {math.degrees(sway.tangential):+.2f} deg"
    )


drive(3.0, hoist=-0.07)  # creep until the slings are tight and the load is off the ground
drive(10.0, hoist=-0.5)
drive(15.0, slewing=0.05)
drive(10.0)  # no command: the crane ramps down and brakes by itself
