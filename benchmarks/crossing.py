"""What a call from Python costs: one step, one look, one tick of a machine, of the tower crane on
four falls."""

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Simulator, load_scene
from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine

SCENE = "tower_12t_4falls_hanging"
CALLS = 500
SUBSTEPS = 10


def crossing() -> list[Row]:
    """us per call; a tick is ten steps, the commands of three axes and an observation."""
    simulator = Simulator(load_scene(SCENE))
    machine = Machine(load_crane("tower_12t"), substeps=SUBSTEPS)
    work = {
        "step(1)": simulator.step,
        "step(2)": lambda: simulator.step(2),
        "observe()": simulator.observe,
        f"Machine.tick(), {SUBSTEPS} steps": machine.tick,
        "save()": simulator.save,
    }

    def repeat(call):
        return lambda: [call() for _ in range(CALLS)]

    timings = measure({name: Case(repeat(call), CALLS) for name, call in work.items()})
    rows = [
        Row("crossing", name, 1e6 * t.best, 1e6 * t.median, "us") for name, t in timings.items()
    ]
    one = timings["step(1)"]
    two = timings["step(2)"]
    best = 2.0 * one.best - two.best
    median = 2.0 * one.median - two.median
    return [
        *rows,
        Row("crossing", "call alone", 1e6 * best, 1e6 * median, "us", "2 step(1) - step(2)"),
    ]
