"""Client of a crane in another process: observation and operation over ROS."""
