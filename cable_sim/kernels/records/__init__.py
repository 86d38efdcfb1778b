"""Records of the kernels' arrays, one concept a file."""
