"""Hybrid wires, their rows that may touch moving bodies, and the pairs of them that may cross."""

from cable_sim.kernels.cables.crossing.crossing_rows import AT_ONCE
from cable_sim.kernels.cables.hybrid.adaptive_resolution import TIPS
from cable_sim.spec import Cable, Hybrid, Scene
from cable_sim.spec.quantities import WORLD


def hybrid_layer(cable: Cable) -> Hybrid:
    """Return the hybrid layer of a wire."""
    assert cable.hybrid is not None
    return cable.hybrid


def hybrid_cables(scene: Scene) -> list[Cable]:
    """Return the hybrid wires."""
    return [cable for cable in scene.cables if cable.hybrid]


def exposed_rows(scene: Scene, cable: Cable, crossings: int) -> int:
    """Return the most segments of a hybrid wire that touch moving bodies, or its winch, at a time.

    Those of a laid wire all turn its ends.

    Masses divide a wire between its contact nodes, and friction at every one. A wire that parts has
    two masses more. ``crossings`` is the number of other wires that it may cross. The cable is
    without the room for contact nodes and masses, which would count as nodes.
    """
    moving = [
        obstacle
        for obstacle in scene.obstacles
        if obstacle.name in cable.touches and obstacle.body != WORLD
    ]
    masses = hybrid_layer(cable).most + TIPS
    contacts = cable.contacts * (len(cable.nodes) - 1)
    if cable.torque_arm != 0.0:
        return masses + 1 + contacts * bool(cable.touches) + AT_ONCE * crossings
    on_solids = min(contacts, masses + 1)
    if any(obstacle.friction > 0.0 for obstacle in moving):
        on_solids = min(2 * contacts, contacts + masses + 1)
    on_solids *= bool(moving)
    at_nodes = sum(node.body != WORLD for node in cable.nodes)
    if cable.model.attaches:
        at_nodes = len(cable.nodes)
    at_nodes += sum(node.kind == "anchor" and node.body != WORLD for node in cable.nodes[1:-1])
    at_nodes += sum(node.kind == "sheave" and node.efficiency < 1.0 for node in cable.nodes)
    return at_nodes + 2 * AT_ONCE * crossings + on_solids + (cable.winch is not None)


def most_runs(cable: Cable) -> int:
    """Return the parts that the nodes of a hybrid wire may divide it into."""
    held = sum(node.kind == "anchor" for node in cable.nodes[1:-1])
    return 1 + held + sum(node.kind == "sheave" and node.efficiency < 1.0 for node in cable.nodes)


def crossing_wires(scene: Scene) -> list[tuple[str, str]]:
    """Return the pairs of hybrid wires that may cross."""
    wires = hybrid_cables(scene)
    number = {wire.name: n for n, wire in enumerate(wires)}
    crosses = ((n, number[other]) for n, wire in enumerate(wires) for other in wire.model.crosses)
    found = {(min(pair), max(pair)) for pair in crosses}
    return [(wires[a].name, wires[b].name) for a, b in sorted(found)]


def crossing_friction(scene: Scene, pair: tuple[str, str]) -> float:
    """Return the coefficient of friction of two wires that may cross, as either of them states
    it."""
    stated = {cable.model.crossing_friction for cable in scene.cables if cable.name in pair}
    return max(mu or 0.0 for mu in stated)
