"""Names of the controllers in ``config/ros2_control.yaml``, and packages of the hardware."""

BROADCASTER = "joint_state_broadcaster"
FORWARD = "velocity_controller"
TRAJECTORY = "trajectory_controller"
HARDWARE = {"topics": "joint_state_topic_hardware_interface", "lockstep": "cable_sim_ros2_control"}
"""Package of the hardware component of ros2_control, by what the argument ``hardware`` takes."""
