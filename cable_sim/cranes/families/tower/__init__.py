"""Tower cranes with a saddle jib."""
