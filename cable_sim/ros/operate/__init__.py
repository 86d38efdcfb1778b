"""Operation of a crane from a lift plan, with a recording of it."""
