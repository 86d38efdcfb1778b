"""Controllers in lockstep with the node."""
