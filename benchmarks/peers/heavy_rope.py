"""A rope of 100 masses under a load of a thousand times its mass: a pendulum, and what its accuracy costs.

Steps differ here, because engines differ in which they stand: an explicit treatment of what the rope does across
itself is stable for h^2 T < m l, 0.3 ms, whoever does it. So everybody runs with several steps, and what is compared is
the cost of a simulated second at the error that ours has.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks import arrays, loops
from benchmarks.compiled import FAST
from benchmarks.peers import reference
from benchmarks.peers.accuracy import at_equal_error
from benchmarks.peers.chain import Array, Chain, Ours, Steps
from benchmarks.peers.contest import OURS, Absent, Comparison, Entry
from benchmarks.peers.engines import absent, engine
from cable_sim import Anchor, Body, Cable, Scene, Sphere
from cable_sim.spec import Hybrid, Lumped

MASSES, LENGTH, ROPE, LOAD, ANGLE = 100, 10.0, 1.0, 1000.0, np.radians(30.0)
"""Of the rope: how many, its length and mass [m, kg]; of the load [kg]; from the vertical at the start [rad]."""
END, TIMED = 1.5, 0.05
"""Where the load is looked at, near the lowest point of its way; and how much is timed [s]."""
FRAME = 1.0 / 60.0
ERROR, HALF, STEP = "error of the load [mm]", "error, read h/2 later [mm]", "step [ms]"
MOST = 500.0
"""Error above which a run is no pendulum any more [mm]: the load goes at 5 m/s."""
STEPS = {
    "chain": (2.5e-4, 1.25e-4), "rope": (FRAME, 4e-3, 1e-3), "links": (2.5e-4, 1e-4, 5e-5),
    "tree": (2.5e-4, 1.25e-4), "tree RK4": (4e-4, 2e-4), "Exudyn": (FRAME, 4e-3, 1e-3, 2.5e-4),
}  # fmt: skip
"""Of each way [s]."""


def places() -> Array:
    """Held end, masses and load at the start (n + 2, 3) [m]."""
    return np.outer(LENGTH / (MASSES + 1) * np.arange(MASSES + 2), (np.sin(ANGLE), 0.0, -np.cos(ANGLE)))


def masses() -> Array:
    """Of the rope's masses and the load [kg]."""
    return np.append(np.full(MASSES, ROPE / MASSES), LOAD)


def scene(model: str) -> Scene:
    """The pendulum with a rope of masses, a hybrid wire or a massless cable: chain, hybrid, massless."""
    density = ROPE / LENGTH
    layers: dict[str, Any] = {
        "chain": {"lumped": Lumped(MASSES + 2, density=density)}, "massless": {},
        "hybrid": {"hybrid": Hybrid(density=density, most=MASSES, damping=0.0)},
    }  # fmt: skip
    return Scene(
        bodies=(Body("load", LOAD, shape=Sphere(0.3), position=tuple(places()[-1])),),
        cables=(Cable("rope", (Anchor("world"), Anchor("load")), **layers[model]),),
    )


class OurLoad(Ours):
    """A pendulum of ours, of which the load is looked at."""

    def curve(self) -> Array:
        """Where the load is (1, 3) [m]."""
        return self.simulator.observe().body("load").position[None]


@cache
def exact(h: float) -> Array:
    """Where the load is at END and half a step later (2, 3) [m]."""
    inverse_mass = np.concatenate([[0.0], 1.0 / masses()])
    return reference.fall(inverse_mass, places(), END + np.array([0.0, 0.5 * h]))[:, -1]


def entry(name: str, way: str, make: Callable[[float], Any], h: float, times: int) -> Entry:
    """With steps of ``h`` [s]; ``times`` in a timed call."""
    chain = make(h)

    def judge() -> dict[str, float]:
        whole = Steps(chain, round(END / h))
        whole.reset()
        whole.advance()
        load, late = chain.curve()[-1], round(END / h) * h - END
        assert abs(late) < 1e-9
        return {STEP: 1e3 * h} | {
            name: 1e3 * float(np.linalg.norm(load - at))
            for name, at in zip((ERROR, HALF), exact(h), strict=True)
        }

    case = Steps(chain, max(round(TIMED / h), 3)).again(times)
    return Entry(name, f"{way}, {1e3 * h:.3g} ms", case, judge, {ERROR: MOST}, scale=1.0 / h)


def enter() -> list[Entry | Absent]:
    """Everybody, with every step."""
    found: list[Entry | Absent] = [
        entry(OURS, "chain of masses", lambda h: OurLoad(scene("chain"), h), h, 20) for h in STEPS["chain"]
    ]
    for model, way in (("hybrid", "hybrid wire"), ("massless", "massless cable")):
        found += [
            entry(OURS, way, lambda h, m=model: OurLoad(scene(m), h), h, 50) for h in STEPS["rope"]  # type: ignore[misc]
        ]
    loop = loops.chain()
    if loop:
        found += [
            entry("C++", f"the chain's sweep, {' '.join(FAST)}", lambda h: Chain(loop, places(), masses(), h), h, 20)
            for h in STEPS["chain"]
        ]
    else:
        found.append(absent("C++"))
    found += [
        entry("numpy", "the chain, arrays", lambda h: Chain(arrays.chain, places(), masses(), h), h, 1)
        for h in STEPS["chain"]
    ]
    return [*found, *_engines()]


def _engines() -> list[Entry | Absent]:
    """MuJoCo in three forms, and Exudyn."""
    found: list[Entry | Absent] = []
    if engine("MuJoCo", "mujoco_springs"):
        from benchmarks.mujoco_chain import links, tree

        ways = {
            "links": ("slides tied by tendons, Euler", lambda h: links(places(), masses(), h)),
            "tree": ("tree of hinges, Euler", lambda h: tree(places(), masses(), h)),
            "tree RK4": ("tree of hinges, Runge-Kutta 4", lambda h: tree(places(), masses(), h, "RK4")),
        }
        found += [entry("MuJoCo", way, make, h, 1) for key, (way, make) in ways.items() for h in STEPS[key]]
    else:
        found.append(absent("MuJoCo"))
    if engine("Exudyn", "exudyn_springs"):
        from benchmarks.exudyn_chain import ExudynChain

        way = "distance connectors, generalised alpha"
        found += [entry("Exudyn", way, lambda h: ExudynChain(places(), masses(), h), h, 1) for h in STEPS["Exudyn"]]
    else:
        found.append(absent("Exudyn"))
    return found


TEXT = f"""{MASSES} masses, {LENGTH:g} m and {ROPE:g} kg, under a load of {LOAD:g} kg: mass ratio 1000 of load to
rope, 1e5 of load to its neighbour. A pendulum from 30 degrees; where the load is after {END:g} s, beside the exact
fall of the rigid chain. *Equal*: masses, links, start. *Not equal*: the step. What the rope does across itself is
stable for h^2 T < m l if it is taken explicitly, about 0.3 ms, in ours as in others. Exudyn's integrator is
implicit; and our hybrid wire and massless cable leave out masses that could not move anyway, which the error tells
of. Compared is the cost of a simulated second at the error of our chain at its longer step, interpolated between
the steps that were run: as the error is read, and as it is half a step later, because velocities stand half a step
before the places in many."""

HEAVY_ROPE = Comparison(
    "heavy_rope", "Rope of 100 masses, mass ratio 1000", "ms a simulated second", 1e3, TEXT, enter,
    lambda results: at_equal_error(results, {ERROR: "time at equal error", HALF: "the same, read h/2 later"}),
)  # fmt: skip
