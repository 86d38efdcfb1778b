"""Models of other programs in: URDF, SDF and MJCF as scenes. They need the extra ``models``."""
