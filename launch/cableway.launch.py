"""A cable crane over a valley, with everything around it.

ros2 launch cable_sim cableway.launch.py rviz:=true
ros2 launch cable_sim cableway.launch.py namespace:=crane_1 frame_prefix:=crane_1/
config:=my_crane.yaml ros2 launch cable_sim cableway.launch.py --show-args
"""

from pathlib import Path

from cable_sim.ros.launch.bringup import Bringup

CRANE = Bringup("cableway_20t", "cableway.rviz", Path(__file__).resolve().parents[1])


def generate_launch_description():
    """What `ros2 launch` asks for."""
    return CRANE.description()
