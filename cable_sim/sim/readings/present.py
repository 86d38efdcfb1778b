"""The state that is seen: poses at the time of the velocities, and all else of the state itself."""

SHIFTED = (
    "bodies.position",
    "bodies.orientation",
    "bodies.velocity",
    "cables.twist_expected",
    "joints.position",
    "nodes.point",
    "particles.position",
    "particles.velocity",
    "spans.rest_length",
    "waves.displacement",
)
"""Arrays that ``kernels/instant.py`` fills."""
