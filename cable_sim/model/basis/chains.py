"""Cables made of masses in the order of their methods, and the chains among them."""

from cable_sim.spec import Cable, Lumped, Scene

METHODS = ("tutorial", "springs", "chain")


def lumped_layer(cable: Cable) -> Lumped:
    """Return the lumped layer of a cable."""
    assert cable.lumped is not None
    return cable.lumped


def lumped_cables(scene: Scene) -> list[Cable]:
    """Return the cables made of masses, in the order of their methods."""
    return [
        cable
        for method in METHODS
        for cable in scene.cables
        if cable.lumped and cable.lumped.method == method
    ]


def coupled_chains(scene: Scene) -> list[Cable]:
    """Return the chains attached at both ends, whose end rows are coupled by a body."""
    chains = (cable for cable in lumped_cables(scene) if lumped_layer(cable).method == "chain")
    return [chain for chain in chains if all(node.kind != "loose" for node in chain.nodes)]
