"""Two cranes in one graph, a simulator node each, with the clock of the first.

ros2 launch cable_sim two_cranes.launch.py rviz:=true
ros2 launch cable_sim two_cranes.launch.py config:=tower_12t second_config:=rtg_41t second_x:=40.0
second_y:=90.0 ros2 launch cable_sim two_cranes.launch.py --show-args

Cranes whose jibs reach over one another, or that lift one load together, are one node:
ros2 launch cable_sim tower_crane.launch.py config:=two_towers
"""

from pathlib import Path

from cable_sim.ros.launch.bringup import Pair

CRANE = Pair("tower_12t", "two_cranes.rviz", Path(__file__).resolve().parents[1])


def generate_launch_description():
    """What `ros2 launch` asks for."""
    return CRANE.description()
