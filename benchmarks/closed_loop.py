"""What a scenario in lockstep costs: 60 simulated seconds of the tower crane, 1 kHz physics, 100 Hz
controller.

Sensors and limiters are on. All of it counts: building the crane, the controller, what is logged.
Beside it what its physics and its ticks take without a controller, so that the difference is what
the loop costs.
"""

from dataclasses import replace

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim.control.run import run
from cable_sim.control.scenario import Move, Scenario
from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine

SECONDS = 60.0
SUBSTEPS = 10
ROUNDS = 5
HANGING = {"rig.start.state": "hanging", "rig.start.radius": 25.0, "rig.load.mass": 3000.0}
TARGET = "target 1.5 s"


def scenario() -> Scenario:
    """Slewing, trolley and hoist at once, to the end of the 60 s."""
    moves = (Move("slewing", by_deg=60.0), Move("trolley", by=15.0), Move("hoist", by=-10.0))
    short = Scenario(
        "tower_12t", moves, load=3000.0, rope_length=35.0, start={"trolley": 25.0}, watch=1.0
    )
    longest = max(travel.ramps.end for travel in run(short).travels)
    return replace(short, watch=SECONDS - longest)


def closed_loop() -> list[Row]:
    """Seconds for 60 simulated ones, and how many times faster than real time that is."""
    made, machine = scenario(), Machine(load_crane("tower_12t", HANGING), substeps=SUBSTEPS)
    machine.tick()
    start = machine.save()
    ticks = round(SECONDS / machine.tick_time)

    def repeat() -> None:
        machine.restore(start)

    cases = {
        "scenario": Case(lambda: run(made)),
        "ticks without controller": Case(
            lambda: [machine.tick() for _ in range(ticks)], before=repeat
        ),
        "physics alone": Case(
            lambda: [machine.simulator.step(SUBSTEPS) for _ in range(ticks)], before=repeat
        ),
    }
    timings = measure(cases, ROUNDS)
    notes = {"scenario": TARGET}
    rows = [
        Row("closed_loop", f"tower_12t, 60 s, {name}", t.best, t.median, "s", notes.get(name, ""))
        for name, t in timings.items()
    ]
    best, median = (SECONDS / seconds for seconds in timings["scenario"])
    return [*rows, Row("closed_loop", "tower_12t, scenario, times real time", best, median, "-")]
