"""The falling chain of ``chains.py`` in every engine: what a mass costs, and how far all are from
the exact fall."""

from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import arrays, chains, loops
from benchmarks.chains import chain_work
from benchmarks.peers import reference
from benchmarks.peers.contest import (
    OURS,
    Absent,
    Comparison,
    Entry,
    Ratio,
    Result,
    best_ratios,
    costs,
    errors,
)
from benchmarks.peers.engines import absent_engine
from benchmarks.rope import rope_array
from benchmarks.timing import Case
from cable_sim import Simulator
from cable_sim.kernels.cables.particles import chain
from cable_sim.kernels.records.arrays import record_of
from cable_sim.kernels.records.ropes import ParticleState, Ropes

Array = NDArray[np.float64]
SIZES = (100, 1000)
"""Of the chains."""
WORK = 100_000
LEAST = 100
"""Masses times steps of the fall, and its steps at least."""
TIMED = 20.0
"""Falls of ours in a timed call, over that of an engine, which takes so much longer."""
APART = "farthest from ours [m]"
ERROR = "error [m]"
SAME = 1e-8
ALIKE = 0.02
"""How far a mass may be from ours: with the same arithmetic [m], and with another, over the length
of the chain."""


class Chain:
    """A chain of the folder's C++ or numpy, let go again and again."""

    def __init__(self, run: loops.Loop, places: Array, mass: Array, h: float) -> None:
        self.run = run
        self.h = h
        self.start = places
        self.inverse_mass = np.concatenate([[0.0], 1.0 / mass])
        self.rest = np.linalg.norm(np.diff(places, axis=0), axis=1)
        self.position = places.copy()
        self.velocity = np.zeros_like(places)

    def reset(self) -> None:
        """Back to the start."""
        self.position[:] = self.start
        self.velocity[:] = 0.0

    def advance(self, steps: int) -> None:
        """Take steps."""
        self.run(
            self.h,
            9.81,
            0.0,
            0.0,
            steps,
            self.inverse_mass,
            self.rest,
            self.position,
            self.velocity,
        )

    def curve(self) -> Array:
        """Where the held end and the masses are at the time of their velocities (n + 1, 3) [m], as
        ours are read."""
        return self.position - 0.5 * self.h * self.velocity


def kernel_chain(
    h: float,
    gravity: float,
    compliance: float,
    damping_time: float,
    steps: int,
    inverse_mass: Array,
    rest: Array,
    position: Array,
    velocity: Array,
) -> None:
    """Our kernel without the simulator around it, called like the loops."""
    n = len(position)
    up = rope_array([0.0, 0.0, 0.0])
    ropes = record_of(
        Ropes,
        start=np.array([0, n]),
        attached=rope_array([True, False]),
        compliance=rope_array(compliance),
        damping_time=rope_array(damping_time),
        pull_only=rope_array(False),
        air_friction=rope_array(0.0),
        ground_point=up,
        ground_normal=up,
        ground_friction=rope_array(0.0),
        particle_inverse_mass=inverse_mass,
        segment_rest_length=np.append(rest, rest[-1]),
    )
    particles = ParticleState(position, velocity, np.zeros(n))
    chain.run(h, steps, (0.0, 0.0, -gravity), ropes, particles, chain_work(n))


class Ours:
    """The chain of a scene, let go again and again."""

    def __init__(self, scene: Any, h: float, **options: Any) -> None:
        self.simulator = Simulator(scene, dt=h, **options)
        self.start = self.simulator.save()
        self.name = scene.cables[0].name

    def reset(self) -> None:
        """Back to the start."""
        self.simulator.restore(self.start)

    def advance(self, steps: int) -> None:
        """Take steps."""
        self.simulator.step(steps)

    def curve(self) -> Array:
        """Where the held end and the masses are (n + 1, 3) [m]."""
        return self.simulator.observe().cable(self.name).curve


class Steps:
    """Any of these, for so many steps from the start: Exudyn has to know how many before it
    begins."""

    def __init__(self, chain: Any, steps: int) -> None:
        self.chain = chain
        self.steps = steps
        told_first = hasattr(chain, "system")
        self.told, self.asked = ((steps,), ()) if told_first else ((), (steps,))

    def reset(self) -> None:
        """Back to the start."""
        self.chain.reset(*self.told)

    def advance(self) -> None:
        """Take the steps."""
        self.chain.advance(*self.asked)

    def timed_case(self, times: int) -> Case:
        """So many falls in a timed call."""

        def work() -> None:
            self.advance()
            for _ in range(times - 1):
                self.reset()
                self.advance()

        return Case(work, times * self.steps, self.reset)


@cache
def exact_positions(count: int, steps: int) -> Array:
    """Where the masses are after the steps, and half a step later (2, n + 1, 3) [m]."""
    inverse_mass = np.concatenate([[0.0], 1.0 / chains.masses(count)])
    return reference.fall(
        inverse_mass, chains.places(count), chains.H * np.array([steps, steps + 0.5])
    )


def figures(curve: Array, ours: Array, count: int, steps: int, leads: bool) -> dict[str, float]:
    """How far the masses are from ours, and from where they are exactly, half a step later if they
    lead by that."""
    then, later = exact_positions(count, steps)
    pairs = ((APART, ours), (ERROR, later if leads else then))
    return {name: largest_distance(curve, other) for name, other in pairs}


def largest_distance(one: Array, other: Array) -> float:
    """Largest distance of two masses [m]."""
    return float(np.linalg.norm(one - other, axis=1).max())


def enter(count: int, steps: int = 0) -> list[Entry | Absent]:
    """Everybody with a chain of so many masses, for so many steps, by itself as many as WORK
    allows."""
    steps = steps or max(WORK // count, LEAST)
    ours = Ours(chains.sloping_scene(count), chains.H)
    ours.advance(steps)
    end, places, mass = ours.curve(), chains.places(count), chains.masses(count)

    def entry(engine: str, way: str, made: Any, times: int, most: float) -> Entry:
        case = Steps(made, steps).timed_case(times)._replace(count=times * steps * count)
        leads = engine == "MuJoCo"  # its velocities stand half a step before the places
        return Entry(
            engine,
            way,
            case,
            lambda: figures(made.curve(), end, count, steps, leads),
            {APART: most},
        )

    entries: list[Entry | Absent] = [
        entry(OURS, "chain of masses in the simulator", ours, int(TIMED), SAME)
    ]
    alone = Chain(kernel_chain, places, mass, chains.H)
    entries.append(entry(OURS, "its kernel alone", alone, int(TIMED), SAME))
    loop = loops.chain()
    entries.append(
        entry("C++", "the same sweep", Chain(loop, places, mass, chains.H), int(TIMED), SAME)
        if loop
        else absent_engine("C++")
    )
    entries.append(
        entry(
            "numpy", "arrays, LAPACK's dptsv", Chain(arrays.chain, places, mass, chains.H), 1, SAME
        )
    )
    for name, make in chains.peers().items():
        engine = name.split()[0]
        if make is None:
            entries.append(absent_engine(engine))
        elif count <= chains.TREES or "tree" not in name:
            entries.append(
                entry(engine, WAYS[name], make(count, chains.H), 1, ALIKE * chains.SPACING * count)
            )
    return entries


WAYS = {
    "MuJoCo links": "slides tied by tendons, Euler",
    "MuJoCo tree": "tree of hinges, Euler",
    "Exudyn": "distance connectors, generalised alpha",
}
TEXT = """A rigid chain of masses of 0.1 kg every 0.1 m is released straight at 45 degrees, with its upper end held; steps are
1 ms. *Equal*: masses, links, start, step. C++ and numpy use the same arithmetic as cable_sim and give the same result, to
rounding. *Not equal*: MuJoCo's tendons yield, so the chain gets longer; its tree of hinges has no constraints, but a full
matrix. Exudyn iterates to its default tolerances. The exact motion is integrated to 1e-9 with another method. The first
line of cable_sim includes the whole step of the simulator; C++ and numpy run the chain only."""

LONGER = """The same chain, ten times as long. The tree of hinges is left out:
its matrix is full, so the cost per mass grows with their number."""


def ratios(results: list[Result]) -> list[Ratio]:
    """Of times, and of errors with the same step."""
    apart = errors(results, ERROR, reference.TOLERANCE, "error with the same step")
    return [*best_ratios(costs(results)), *best_ratios(apart)]


def _comparison(count: int) -> Comparison:
    text = TEXT if count == SIZES[0] else LONGER
    return Comparison(
        f"chain_{count}",
        f"Chain of {count} masses",
        "ns a mass and step",
        1e9,
        text,
        partial(enter, count),
        ratios,
    )


CHAINS = [_comparison(count) for count in SIZES]
