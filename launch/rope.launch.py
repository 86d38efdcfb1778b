"""A rope in a hand, with everything around it: the rope of NeHe's lesson 40, to play with.

ros2 launch cable_sim rope.launch.py rviz:=true
ros2 launch cable_sim rope.launch.py viewer:=true config:=my_rope.yaml
ros2 launch cable_sim rope.launch.py --show-args
"""

from pathlib import Path

from cable_sim.ros.launch.bringup import Bringup

CRANE = Bringup("nehe_rope", "held_rope.rviz", Path(__file__).resolve().parents[1])


def generate_launch_description():
    """What `ros2 launch` asks for."""
    return CRANE.description()
