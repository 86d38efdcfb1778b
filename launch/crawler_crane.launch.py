"""A crawler crane with a lattice boom, with everything around it.

ros2 launch cable_sim crawler_crane.launch.py rviz:=true
ros2 launch cable_sim crawler_crane.launch.py namespace:=crane_1 frame_prefix:=crane_1/
config:=my_crane.yaml ros2 launch cable_sim crawler_crane.launch.py --show-args
"""

from pathlib import Path

from cable_sim.ros.launch.bringup import Bringup

CRANE = Bringup("crawler_50t", "crawler_crane.rviz", Path(__file__).resolve().parents[1])


def generate_launch_description():
    """What `ros2 launch` asks for."""
    return CRANE.description()
