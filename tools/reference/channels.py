"""The page of channels, from the table of quantities."""

from cable_sim.sim.readings.quantities import READ, SCENE_READ, SCENE_WRITTEN, WRITTEN, Quantity

HEAD = """# Channels

Quantities of a scene by name: an object and a quantity, such as `load.position`, or a part of it, `load.position.z`. They can be
[recorded](../howto/fast_loops.md#recordings), read from observations, plotted, and read by compiled laws. `-` as unit is a number without one,
or a flag, 1 or 0. Vectors are in the world frame; forces and torques are means over the last step.

An observation has an array of each, such as `body_position` of all bodies, but for the tensions of single cables and wheels. Views of one
object, such as `seen.body("load")`, have the same names, and so have live views.
"""
WRITE = """
## To write

Laws can write these.
"""


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for kind, quantities in (*READ.items(), ("scene", SCENE_READ)):
        parts.append(f"\n## {kind}\n\n{_rows(quantities)}")
    parts.append(WRITE)
    for kind, quantities in (*WRITTEN.items(), ("scene", SCENE_WRITTEN)):
        parts.append(f"\n### {kind} (written)\n\n{_rows(quantities)}")
    return "".join(parts)


def _rows(quantities: dict[str, Quantity]) -> str:
    """Return the table of some quantities."""
    lines = ["| channel | unit | parts | |", "|---|---|---|---|"]
    for name, made in quantities.items():
        parts = " ".join(f"`{part}`" for part in made.parts)
        lines.append(f"| `{name}` | {made.unit} | {parts} | {made.meaning} |")
    return "\n".join(lines) + "\n"
