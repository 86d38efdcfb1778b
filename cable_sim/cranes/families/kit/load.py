"""The load of a crane of parts: on slings below a hook, loose, or a container that a spreader
holds."""

from collections.abc import Iterator
from typing import NamedTuple

from cable_sim.cranes.container.spreader import container_bodies, container_joints
from cable_sim.cranes.crane import Twistlocks
from cable_sim.cranes.families.kit.standing import Standing
from cable_sim.cranes.families.kit.words.spec import KitFile
from cable_sim.cranes.rigging.rig import load_body, sling_cables, tag_line_cable, upright
from cable_sim.spec import Body, Cable, Joint
from cable_sim.spec.quantities import Vector


class Lifted(NamedTuple):
    """Bodies of a load, the joints that hold them, and the cables of slings and tag line."""

    bodies: tuple[Body, ...] = ()
    joints: tuple[Joint, ...] = ()
    cables: tuple[Cable, ...] = ()


def lifted(file: KitFile, standing: Standing) -> Lifted:
    """Return what the first hook or spreader of a crane carries, or stands over; nothing without a
    load or tag line."""
    rig = file.rig
    if not file.hooks:
        return Lifted()
    name, hook = next(iter(file.hooks.items()))
    hung = standing.hooks[name]
    x, y, z = hung.centre.tolist()
    at = (x, y, standing.load)
    line = (*_tag_line(file, at if rig.load else (x, y, z), hung.heading),)
    if rig.load is None:
        return Lifted(cables=line)
    if rig.slings is not None:
        slings = sling_cables(rig.load, rig.slings, name, hook.places["hook"])
        return Lifted((load_body(rig.load, at, upright(hung.heading)),), (), (*slings, *line))
    if not file.spreader:
        return Lifted((load_body(rig.load, at, upright(hung.heading)),), (), line)
    bodies = container_bodies(rig.load, rig.load.offset, at, hung.heading)
    locks = (x, y, z + hook.places["hook"][2])
    is_open = rig.twistlocks == "open"
    return Lifted(bodies, container_joints(rig.load, name, locks, bodies, is_open), line)


def twistlocks_of(file: KitFile) -> Twistlocks | None:
    """Return the twistlocks for a machine; None if they hold the load for good."""
    if file.rig.twistlocks is None:
        return None
    return Twistlocks("twistlocks", next(iter(file.hooks)), file.load_body)


def _tag_line(file: KitFile, at: Vector, heading: float) -> Iterator[Cable]:
    """Yield the rope that is tied to a load at a place [m], or to what is empty, if there is
    one."""
    if file.rig.tag_line is not None:
        body, size = file.tied_to
        yield tag_line_cable(file.rig.tag_line, body, size, at, heading, file.site.level)
