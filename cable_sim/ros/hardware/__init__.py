"""Link to the hardware component of ros2_control, by a local socket in lockstep."""
