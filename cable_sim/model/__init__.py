"""From words to arrays: the only floor that sees both the spec and the kernels."""
