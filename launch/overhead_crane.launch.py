"""A bridge crane with two hoists, with everything around it.

ros2 launch cable_sim overhead_crane.launch.py rviz:=true
ros2 launch cable_sim overhead_crane.launch.py namespace:=crane_1 frame_prefix:=crane_1/
config:=my_crane.yaml ros2 launch cable_sim overhead_crane.launch.py --show-args
"""

from pathlib import Path

from cable_sim.ros.launch.bringup import Bringup

CRANE = Bringup("overhead_32t", "overhead_crane.rviz", Path(__file__).resolve().parents[1])


def generate_launch_description():
    """What `ros2 launch` asks for."""
    return CRANE.description()
