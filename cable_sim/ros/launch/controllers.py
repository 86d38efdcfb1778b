"""Names of the controllers in ``config/ros2_control.yaml``."""

BROADCASTER = "joint_state_broadcaster"
FORWARD = "velocity_controller"
TRAJECTORY = "trajectory_controller"
