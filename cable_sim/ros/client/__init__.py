"""A crane in another process, seen and operated over ROS."""
