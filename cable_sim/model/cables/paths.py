"""Path of a cable over its nodes at the start: its length, and the bodies on it."""

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.cables.wheels import way_round
from cable_sim.spec import Cable


def path_length(cable: Cable, index: BodyIndex) -> float:
    """Length of the path over the cable's nodes at the start [m]; ModelError if a span has none."""
    if cable.wheels:
        return way_round(cable, index).length
    points = index.places(cable)
    lengths = [0.0 if same else float(np.linalg.norm(b - a)) for a, b, same in index.chords(cable)]
    for k, (length, near, far) in enumerate(
        zip(lengths, cable.nodes, cable.nodes[1:], strict=False)
    ):
        if length == 0.0 and not (cable.shows_nodes and near.body == far.body):
            raise ModelError(
                f"cable {cable.name!r}: nodes {k} and {k + 1} are at the same point, "
                f"{points[k].tolist()}; a span needs a length above 0 m"
            )
    if sum(lengths) == 0.0:
        raise ModelError(
            f"cable {cable.name!r}: all its nodes are at the same point, {points[0].tolist()}; "
            "it needs a way above 0 m"
        )
    return sum(lengths)


def bodies_on(cable: Cable, index: BodyIndex) -> list[int]:
    """Return the rows of the bodies that a cable may pull at, without the world.

    They are in the order in which it meets its nodes. Then follow the bodies of what it touches,
    and those that its ends may be attached to.
    """
    carriers = [index.row[node.body] for node in cable.nodes] + [
        index.obstacle[name] for name in cable.touches
    ]
    carriers += [index.row[name] for name in cable.model.attaches]
    carriers += index.crossings_of(cable.name)
    return list(dict.fromkeys(body for body in carriers if body != 0))
