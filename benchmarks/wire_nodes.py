"""Microseconds per step of a loaded wire over a cylinder, over its contact nodes or masses.

Figure 9 of Servin et al. 2011: two loads of 10 t on a wire over a prism of more and more facets, at
1/60 s, at rest after 10 s. The hybrid wire has a contact node on each edge that it touches: on a
smooth prism rope slides over all of them and is one row; on a rough one it sticks at all of them,
which leaves the two rows of the falls. ``swinging`` has loads that swing along the smooth prism, so
that every node slides in every step. The chain has as many masses as the hybrid wire has nodes, and
light loads, which it can hold: ``chain`` meets the prism mass by mass behind the solution,
``beads`` has three rows for each ball that touches, with Coulomb's friction in the solution. With
fewer masses than eleven neither lies on the prism: links meet nothing.
"""

from dataclasses import replace

from benchmarks.results import Row
from benchmarks.timing import Case, Timing, measure
from cable_sim import Scene, Simulator, load_scene

FACETS = (6, 20, 40, 100)
LEAST = 20
"""Facets of the prism, of which the wire touches one more than half, and the least for chains."""
LOAD = 1e4
LIGHT = 1.0
HEAVY = 1e6
"""Masses of a load, of the hybrid wire and of the chain [kg]."""
ROUGH = 0.3
SWING = 0.5
"""Speed of the loads along the prism [m/s]."""
H = 1.0 / 60.0
SETTLING = 600
STEPS = 300


def over_prism(facets: int, model: str, **more: float) -> Scene:
    """Return the scene of a model with one node or mass for each edge of the upper half."""
    wire = LIGHT if model == "hybrid" else HEAVY
    masses = {} if model == "hybrid" else {"masses": facets // 2 + 1}
    return load_scene(
        "wire_over_cylinder", load=LOAD, wire=wire, facets=facets, model=model, **masses, **more
    )


def swinging(facets: int) -> Scene:
    """Return the smooth wire with loads that swing along the prism, one against the other."""
    scene = over_prism(facets, "hybrid")
    ways = zip(scene.bodies, (SWING, -SWING), strict=True)
    return replace(
        scene, bodies=tuple(replace(body, velocity=(0.0, speed, 0.0)) for body, speed in ways)
    )


def scenes(facets: int) -> dict[str, Scene]:
    """Return all scenes of so many facets."""
    hybrids = {
        "smooth": over_prism(facets, "hybrid"),
        "rough": over_prism(facets, "hybrid", friction=ROUGH),
        "swinging": swinging(facets),
    }
    chains = ("chain", "beads") if facets >= LEAST else ()
    return hybrids | {model: over_prism(facets, model) for model in chains}


def settled(scene: Scene) -> Case:
    """Return the steps of a scene after it has settled, from one and the same state."""
    simulator = Simulator(scene, dt=H)
    simulator.step(SETTLING)
    start = simulator.save()
    return Case(lambda: simulator.step(STEPS), STEPS, lambda: simulator.restore(start))


def slope(kind: str, timings: dict[tuple[str, int], Timing]) -> Row:
    """Return the row of the time that one more node takes, from the fewest to the most."""
    few, *_, many = (facets for name, facets in timings if name == kind)
    nodes = (many - few) // 2
    best = (timings[kind, many].best - timings[kind, few].best) / nodes
    median = (timings[kind, many].median - timings[kind, few].median) / nodes
    return Row("wire_nodes", f"{kind}, a node more", 1e6 * best, 1e6 * median, "us")


def wire_nodes() -> list[Row]:
    """us per step for all numbers of nodes, and us per node."""
    cases = {
        (kind, facets): settled(scene)
        for facets in FACETS
        for kind, scene in scenes(facets).items()
    }
    timings = measure(cases)
    rows = [
        Row("wire_nodes", f"{kind}, {facets // 2 + 1}", 1e6 * t.best, 1e6 * t.median, "us")
        for (kind, facets), t in timings.items()
    ]
    return rows + [slope(kind, timings) for kind in dict.fromkeys(kind for kind, _ in timings)]
