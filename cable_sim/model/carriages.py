"""Packing of carriages: the nodes that they carry, and their axes in the frames of their bodies."""

from typing import Any

from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import flags, floats, ints, offsets
from cable_sim.model.basis.frames import unit
from cable_sim.model.cables.obstacles import own_nodes, slots
from cable_sim.spec import Scene


def pack_carriages(own: Scene, index: BodyIndex, arrays: dict[str, Any]) -> dict[str, Any]:
    """Model arrays of the carriages; ``arrays`` has those of the cables' nodes.

    ``own`` is the scene without room for nodes that come and go: those in use are not carried.
    """
    start = dict(
        zip(
            (cable.name for cable in own.cables), arrays["cables.node_start"].tolist(), strict=False
        )
    )
    cables = {cable.name: cable for cable in own.cables}
    carried = []
    frames = []
    for made in own.carriages:
        nodes = (
            (start[cable.name] + k, room, node)
            for cable in map(cables.__getitem__, made.cables)
            for k, room, node in zip(
                own_nodes(cable), (0, *slots(cable)), cable.route, strict=False
            )
        )
        carried.append([(int(k), room) for k, room, node in nodes if node.body == made.body])
        axis = index.rotation[index.row[made.body]].T @ unit(made.axis)
        frames.append([axis, index.to_body(made.body, made.point)])
    all_nodes = ints([node for found in carried for node in found], 2)
    return {
        "carriages.turns": flags(made.kind == "turn" for made in own.carriages),
        "carriages.frame": floats(frames, 2, 3),
        "carriages.limit": floats([(c.lower, c.upper, c.max_speed) for c in own.carriages], 3),
        "carriages.node_start": offsets(carried),
        "carriages.node": all_nodes[:, 0],
        "carriages.room": all_nodes[:, 1],
        "carriages.node_point": arrays["nodes.point"][all_nodes[:, 0]],
    }
