"""Microseconds that a wheel takes of a step: ten ropes over a wheel each, less the same over eyes.

In one case the rope sticks to all wheels, in the other it slips on all. The target is 1 us.
"""

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Anchor, Body, Box, Cable, Eye, Scene, Simulator
from cable_sim.spec import Wheel

ROPES = 10
STEPS = 20_000
STEP = 1e-4
"""Step [s]: the weights move by little in a round."""
CASES = {"eyes": None, "wheels, stuck": 0.5, "wheels, slipping": 0.1}
"""Friction of the wheels [-], None for eyes at their tangent points."""


def pulleys(friction: float | None) -> Scene:
    """Return ropes with two weights each, over wheels or over eyes."""
    bodies = []
    cables = []
    for i in range(ROPES):
        y = 2.0 * i
        for name, mass, x in ((f"left{i}", 60.0, -0.5), (f"right{i}", 30.0, 0.5)):
            bodies.append(Body(name, mass, shape=Box(0.3, 0.3, 0.5), position=(x, y, -50.0)))
        over = (
            (Eye("world", (-0.5, y, 0.0)), Eye("world", (0.5, y, 0.0)))
            if friction is None
            else (Wheel(f"w{i}", "world", (0, y, 0), 0.5, friction=friction, inertia=20.0),)
        )
        nodes = (Anchor(f"left{i}"), *over, Anchor(f"right{i}"))
        cables.append(Cable(f"rope{i}", nodes, ea=2e7, damping_time=0.01, pretension=450.0))
    return Scene(bodies=tuple(bodies), cables=tuple(cables))


def prepare(friction: float | None) -> Case:
    """Steps of the same ropes from the same state."""
    simulator = Simulator(pulleys(friction), dt=STEP)
    simulator.step(100)
    start = simulator.save()
    return Case(lambda: simulator.step(STEPS), STEPS, lambda: simulator.restore(start))


def wheels() -> list[Row]:
    """Steps with eyes and with wheels, by turns."""
    timings = measure({name: prepare(friction) for name, friction in CASES.items()})
    eyes = timings["eyes"]
    return [
        Row(
            "wheels",
            f"one more, {name.removeprefix('wheels, ')}",
            1e6 * (timing.best - eyes.best) / ROPES,
            1e6 * (timing.median - eyes.median) / ROPES,
            "us",
            "target 1 us",
        )
        for name, timing in timings.items()
        if name != "eyes"
    ]
