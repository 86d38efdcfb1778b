"""What the second layer of the elevation cable costs: Garcia-Fernandez et al. 2008, section 5.3.

One cable over N spans of M intervals between fixed points, both directions across, arc lengths
included; the same cable without the layer is taken off. The paper has 0.02 ms for its simplest
model and 1.3 ms for 100 x 100, one direction, on a computer of its time.
"""

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Anchor, Cable, Eye, Scene, Simulator, load_scene
from cable_sim.spec import Elevation

SIZES = ((1, 10), (10, 10), (10, 100), (100, 10), (100, 100))
STEPS = 1000
CRANES = ("tower_12t_2falls_hanging", "tower_12t_4falls_hanging", "rtg_41t_hanging")


def spans(count: int, layer: Elevation | None) -> Scene:
    """A cable over ``count`` spans of 10 m."""
    points = [(10.0 * i, 0.0, 0.0) for i in range(count + 1)]
    inner = [Eye("world", point) for point in points[1:-1]]
    nodes = (Anchor("world", points[0]), *inner, Anchor("world", points[-1]))
    return Scene(cables=(Cable("rope", nodes, ea=1e7, pretension=1e4, elevation=layer),))


def stepping(simulator: Simulator) -> Case:
    """Steps from the start."""
    simulator.step()
    start = simulator.save()
    return Case(lambda: simulator.step(STEPS), STEPS, lambda: simulator.restore(start))


def waves() -> list[Row]:
    """Layers of all sizes, and the cranes with their ropes' mass beside the massless ones."""
    found: list[Row] = []
    for scheme in ("explicit", "implicit"):
        for count, intervals in SIZES:
            layer = Elevation(1.0, intervals + 1, 0.5, scheme)  # type: ignore[arg-type]
            cases = {
                "with": stepping(Simulator(spans(count, layer), dt=1e-4)),
                "without": stepping(Simulator(spans(count, None), dt=1e-4)),
            }
            timing = measure(cases)
            best, median = (
                getattr(timing["with"], x) - getattr(timing["without"], x)
                for x in ("best", "median")
            )
            note = f"{1e9 * best / (count * intervals):.1f} ns a point"
            found.append(
                Row(
                    "waves", f"{scheme} {count} x {intervals}", 1e6 * best, 1e6 * median, "us", note
                )
            )
    for name in CRANES:
        cases = {
            model: stepping(Simulator(load_scene(name, model=model)))
            for model in ("massless", "elevation")
        }
        for model, timing in measure(cases).items():
            found.append(
                Row("waves", f"{name} {model}", 1e6 * timing.best, 1e6 * timing.median, "us")
            )
    return found
