"""Microseconds per step of a load on a rope over the number of obstacles, all of which are far.

They stand 30 to 60 m around, the rope may touch all of them, and they stop the load, or do not.
"""

import math

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator
from cable_sim.spec import Elevation, Hybrid, Obstacle

COUNTS = (0, 1, 50, 200)
H = 0.005
SETTLING = 50
STEPS = 400
MODELS = {
    "massless": {"damping_ratio": 0.1},
    "elevation": {"damping_ratio": 0.1, "elevation": Elevation(2.0)},
    "hybrid": {"hybrid": Hybrid(2.0)},
}


def among(count: int, model: str, stops: bool) -> Scene:
    """Return a load that hangs askew amid so many obstacles."""
    angles = [2.0 * math.pi * i / count for i in range(count)]
    obstacles = tuple(
        Obstacle(
            f"far_{i}",
            Box(2.0, 2.0, 2.0),
            position=(
                (30.0 + 5.0 * (i % 7)) * math.cos(a),
                (30.0 + 5.0 * (i % 7)) * math.sin(a),
                -5.0,
            ),
            stops_bodies=stops,
        )
        for i, a in enumerate(angles)
    )
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("load", (0.0, 0.0, 0.5))),
        ea=1e6,
        touches=tuple(obstacle.name for obstacle in obstacles),
        **MODELS[model],
    )
    load = Body("load", 500.0, shape=Box(1.0, 1.0, 1.0), position=(5.0, 0.0, -5.0))
    return Scene(bodies=(load,), obstacles=obstacles, cables=(rope,))


def swinging(scene: Scene) -> Case:
    """Return the steps of a scene from one and the same state."""
    simulator = Simulator(scene, dt=H)
    simulator.step(SETTLING)
    start = simulator.save()
    return Case(lambda: simulator.step(STEPS), STEPS, lambda: simulator.restore(start))


def far_obstacles() -> list[Row]:
    """us per step for all cable models and numbers of obstacles."""
    cases = {
        f"{model}, {count}{', which stop the load' if stops else ''}": swinging(
            among(count, model, stops)
        )
        for model in MODELS
        for count in COUNTS
        for stops in ((False, True) if count else (False,))
    }
    return [
        Row("far_obstacles", name, 1e6 * t.best, 1e6 * t.median, "us")
        for name, t in measure(cases).items()
    ]
