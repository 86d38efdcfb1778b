"""A rope that resists twist, over a box: what turns one end turns the other, and the box gets twice
the torque.

The ropeway of Servin and Lacoursiere 2007, figure 9, at their step of 0.05 s. One of the two small
boxes spins.
"""

from cable_sim import Simulator, load_scene

simulator = Simulator(
    load_scene("ropeway", spin=2.0, twist_stiffness=10.0), dt=0.05, stepper="regularised"
)

for _ in range(10):
    simulator.step(4)
    seen = simulator.observe()
    rope = seen.cable("pulley")
    left, right = (seen.body(name).angular_velocity[2] for name in ("left", "right"))
    on_eyes = rope.node_torque[1:3].sum(axis=0)[2]
    print(
        f"t = {seen.time:3.1f} s   ends turn at {left:+.3f} and {right:+.3f} rad/s   twist "
        f"{rope.twist:+.4f} rad   "
        f"torque {rope.torque:+.3f} N m, on both eyes together {on_eyes:+.3f} N m"
    )
