"""The multibody chain, by itself and beside other engines: nanoseconds per particle and step.

By itself: all that a step takes (rows, sweep, ends, impulses, ground, positions), as a kernel and
as a cable of a scene, with a ball at its end.

Beside others: a rigid chain of equal masses, half a one at its free end, let go straight at 45
degrees with its upper end held. MuJoCo (``mujoco_chain.py``) and Exudyn (``exudyn_chain.py``) get
the same masses at the same places and take the same steps; ``test/oracles/test_chains.py`` looks at
where they end. The step is 1 ms: at 1/60 s a chain of a hundred such links would not be stable
here, h^2 T < m l.

MuJoCo takes two forms. With masses tied by tendons it has our coordinates and constraints, one row
a link; from a hundred links on this is the quicker one, but its softness adds up along the chain:
in the first hundredth of a second a thousand links pull with 283 N instead of 694 N, and their pull
oscillates. As a tree of hinges it has no constraints, and a full matrix.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.results import Row
from benchmarks.rope import GRAVITY, Rope, rope_array
from benchmarks.timing import Case, measure
from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.kernels.cables.particles import chain
from cable_sim.kernels.records.arrays import record_of
from cable_sim.kernels.records.ropes import ParticleState, Ropes, RopeWork
from cable_sim.spec import Ground, Loose, Lumped

CHAINS = (100, 1000, 10_000)
CHAIN_WORK = 400_000
"""Particles times steps of a timed call."""
H = 0.001
SPACING = 0.1
MASS = 0.1
"""Step [s], distance [m], mass [kg]."""
PEER_WORK = 100_000
PEER_ROUNDS = 5
"""Particles times steps of a timed call beside other engines, and how often."""
TREES = 300
"""Masses of the largest tree of hinges: its matrix is full."""
MISSING = "not installed; get it with: pip install -r requirements/bench.txt"


def chain_case(count: int) -> Case:
    """A chain that falls from the level, one end held, to a plane."""
    one = Rope(count, SPACING)
    mass = np.full(count, 10.0)
    mass[0] = 0.0
    ropes = record_of(
        Ropes,
        start=np.array([0, count]),
        attached=rope_array([True, False]),
        compliance=rope_array(1e-5),
        damping_time=rope_array(0.02),
        pull_only=rope_array(True),
        air_friction=rope_array(0.01),
        ground_point=rope_array([0.0, 0.0, -1.0]),
        ground_normal=rope_array([0.0, 0.0, 1.0]),
        ground_friction=rope_array(0.3),
        particle_inverse_mass=mass,
        segment_rest_length=np.full(count, 0.1),
    )
    particles = ParticleState(one.position, one.velocity, np.zeros(count))
    work = chain_work(count)
    steps = CHAIN_WORK // count
    return Case(
        lambda: chain.run(H, steps, GRAVITY, ropes, particles, work), steps * count, one.restore
    )


def chain_work(count: int) -> RopeWork:
    """Scratch of one chain."""
    numbers = [np.zeros(count) for _ in range(12)]
    return record_of(
        RopeWork,
        end_velocity=np.zeros((1, 2, 3)),
        end_impulse=np.zeros((1, 2)),
        middle_fill=np.zeros((1, 2)),
        segment_direction=np.zeros((count, 3)),
        segment_length=numbers[3],
        particle_mobility=numbers[4],
        particle_slowing=numbers[5],
        segment_diagonal=numbers[6],
        segment_rate_share=numbers[7],
        segment_recovery=numbers[8],
        segment_rate=numbers[9],
        segment_free_rate=numbers[10],
        segment_impulse=numbers[11],
        segment_state=np.zeros(count, np.int64),
        segment_catch=np.zeros((count, 2)),
        segment_demand=numbers[0],
        segment_fill=numbers[1],
        segment_share=numbers[2],
        end_active=np.zeros((1, 2), bool),
        end_softness=np.zeros((1, 2)),
        end_demand=np.zeros((1, 2)),
        end_coupling=np.zeros(1),
    )


def hosted_case(count: int) -> Case:
    """A chain as heavy as that between the world and a ball, as a cable of a scene."""
    made = Lumped(
        count, density=1.0, air_friction=0.02, ground=Ground((0.0, 0.0, -1.0), friction=0.3)
    )
    end = 0.1 * (count - 1)
    scene = Scene(
        bodies=(Body("ball", 1.0, shape=Sphere(0.1), position=(end, 0.0, 0.0)),),
        cables=(
            Cable(
                "rope", (Anchor("world"), Anchor("ball")), ea=1e5, damping_time=0.02, lumped=made
            ),
        ),
    )
    simulator = Simulator(scene, dt=H)
    steps = CHAIN_WORK // count
    start = simulator.save()
    return Case(lambda: simulator.step(steps), steps * count, lambda: simulator.restore(start))


def places(count: int) -> NDArray[np.float64]:
    """Where the held end and ``count`` masses are at the start (count + 1, 3) [m]."""
    return np.outer(SPACING * np.arange(count + 1), (np.sqrt(0.5), 0.0, -np.sqrt(0.5)))


def masses(count: int) -> NDArray[np.float64]:
    """Of the masses [kg]: a rope has half a one at a free end."""
    return MASS * np.append(np.ones(count - 1), 0.5)


def sloping_scene(count: int) -> Scene:
    """The rigid chain as a scene."""
    length = SPACING * count
    made = Lumped(count + 1, density=MASS / SPACING)
    nodes = (Anchor("world"), Loose(tuple(places(count)[-1])))
    return Scene(cables=(Cable("chain", nodes, length=length, lumped=made),))


def peers() -> dict[str, Callable[[int, float], Any] | None]:
    """What makes a chain of so many masses with steps of so many seconds, in every other engine;
    None if not there."""
    made: dict[str, Callable[[int, float], Any] | None] = dict.fromkeys(
        ("MuJoCo links", "MuJoCo tree", "Exudyn")
    )
    try:
        from benchmarks.mujoco_chain import links, tree

        made["MuJoCo links"] = lambda n, h: links(places(n), masses(n), h)
        made["MuJoCo tree"] = lambda n, h: tree(places(n), masses(n), h)
    except ImportError:
        pass
    try:
        from benchmarks.exudyn_chain import ExudynChain

        made["Exudyn"] = lambda n, h: ExudynChain(places(n), masses(n), h)
    except ImportError:
        pass
    return made


def compare_engines(count: int) -> list[Row]:
    """The same chain in all engines, by turns."""
    steps, simulator = PEER_WORK // count, Simulator(sloping_scene(count), dt=H)
    start = simulator.save()
    cases = {
        "here": Case(lambda: simulator.step(steps), steps * count, lambda: simulator.restore(start))
    }
    for name, make in peers().items():
        if make and (count <= TREES or "tree" not in name):
            cases[name] = make(count, H).case(steps)
    timings = measure(cases, PEER_ROUNDS)
    return [
        Row(
            "mbc",
            f"{count} sloping, {name}",
            1e9 * t.best,
            1e9 * t.median,
            "ns/particle",
            f"{t.best / timings['here'].best:.3g} times",
        )
        for name, t in timings.items()
    ]


def mbc() -> list[Row]:
    """The chain at three sizes: flat; and at each beside others."""
    timings = measure({str(count): chain_case(count) for count in CHAINS})
    timings |= measure({f"{count} in the simulator": hosted_case(count) for count in CHAINS})
    rows = [
        Row("mbc", name, 1e9 * t.best, 1e9 * t.median, "ns/particle") for name, t in timings.items()
    ]
    for count in (CHAINS[0], TREES, *CHAINS[1:]):
        rows += compare_engines(count)
    missing = [name for name, make in peers().items() if make is None]
    return rows + [Row("mbc", name, np.nan, np.nan, "ns/particle", MISSING) for name in missing]
