"""Client of a crane in another process: observation over ROS."""
