"""Launching: processes, robot description, security, ros2_control."""
