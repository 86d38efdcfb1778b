"""Controllers in the loop, lift plans, and what is measured of a run."""
