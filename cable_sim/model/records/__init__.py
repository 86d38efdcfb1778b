"""Records that the kernels work on, one concept a file."""
