"""Reeving of the hoist rope of a tower crane: over a saddle jib, or as its file says."""

from cable_sim.cranes.families.tower.spec import TowerCrane
from cable_sim.cranes.rigging.tackle import ACROSS, ALONG, half_turn, swivel_end, thread_path
from cable_sim.spec import Anchor, Drum, Sheave
from cable_sim.spec.nodes import Node
from cable_sim.spec.quantities import Vector


def saddle_jib_path(spec: TowerCrane) -> tuple[Node, ...]:
    """Nodes from the drum to the dead end at the jib's tip, in the frames of ``jib``, ``trolley``,
    ``hook_block``.

    The rope comes level from the drum, goes down to the block and up again, and runs level to the
    tip. It enters and leaves the trolley with the same tension, so trolleying neither lifts the
    hook nor needs force.

    With four falls it crosses the trolley on a wheel that lies across the jib, and comes back over
    a second wheel of the block. Incoming and outgoing falls stand point-symmetrically about the
    block.
    """
    reeving = spec.reeving
    jib = spec.crane
    tip_x = dead_end(spec)
    lateral = 0.0 if reeving.n_falls == 2 else 0.5 * reeving.sheave_diameter
    outer = 0.5 * reeving.fall_spacing
    inner = 0.5 * reeving.sheave_diameter
    drum_x = jib.jib_length - reeving.rope_outside_falls
    head_x = 0.5 * jib.mast_side
    axle = reeving.axle_above_block
    loss = reeving.sheave_efficiency
    nodes: list[Node] = [
        Drum("jib", (drum_x, lateral, 0.0), radius=0.5 * spec.drum.pitch_diameter),
        _wheel(spec, "jib", (head_x, lateral, 0.0)),
        _wheel(spec, "trolley", (-outer, lateral, 0.0)),
        *half_turn("hook_block", (-inner, lateral, axle), (inner, lateral, axle), loss),
    ]
    if reeving.n_falls == 2:
        return (
            *nodes,
            _wheel(spec, "trolley", (outer, 0.0, 0.0)),
            Anchor("jib", (tip_x, 0.0, 0.0)),
        )
    return (
        *nodes,
        *half_turn("trolley", (outer, lateral, 0.0), (outer, -lateral, 0.0), loss, ALONG),
        *half_turn("hook_block", (inner, -lateral, axle), (-inner, -lateral, axle), loss),
        _wheel(spec, "trolley", (-outer, -lateral, 0.0)),
        Anchor("jib", (tip_x, -lateral, 0.0)),
    )


def hoist_path(spec: TowerCrane) -> tuple[Node, ...]:
    """The file's own path or the usual one, with its swivel at the dead end."""
    nodes = thread_path(spec.reeving.path) if spec.reeving.path else saddle_jib_path(spec)
    return swivel_end(nodes) if spec.reeving.swivel else nodes


def dead_end(spec: TowerCrane) -> float:
    """Distance of the rope's dead end from the slewing axis [m].

    A jib is named by the radius to which its chart goes; it is longer by as much as the trolley
    reaches out. So the level rope is as long as the file says, whatever the spacing of the falls.
    """
    return spec.crane.jib_length + spec.reeving.fall_spacing


def _wheel(spec: TowerCrane, body: str, position: Vector) -> Sheave:
    """A wheel that turns the rope at one point, its axle across the jib."""
    reeving = spec.reeving
    return Sheave(
        body, position, reeving.sheave_efficiency, radius=0.5 * reeving.sheave_diameter, axis=ACROSS
    )
