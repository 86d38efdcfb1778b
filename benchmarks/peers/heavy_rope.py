"""A rope of 100 masses under a load of a thousand times its mass: a pendulum, and what its accuracy
costs.

Steps differ here, because engines differ in which they stand: an explicit treatment of what the
rope does across itself is stable for h^2 T < m l, 0.3 ms, whoever does it. So everybody runs with
several steps, and what is compared is the cost of a simulated second at the error that ours has.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks import arrays, loops
from benchmarks.peers import reference
from benchmarks.peers.accuracy import costs_at_equal_error, errors_at_equal_cost
from benchmarks.peers.chain import Array, Chain, Ours, Steps
from benchmarks.peers.contest import OURS, Absent, Comparison, Entry
from benchmarks.peers.engines import absent_engine, engine
from cable_sim import Anchor, Body, Cable, Scene, Sphere
from cable_sim.spec import Hybrid, Lumped

MASSES = 100
LENGTH = 10.0
ROPE = 1.0
LOAD = 1000.0
ANGLE = np.radians(30.0)
"""Of the rope: how many, its length and mass [m, kg]; of the load [kg]; from the vertical at the
start [rad]."""
END = 1.0
TIMED = 0.05
"""When the load is looked at, and how much is timed [s]."""
FRAME = 1.0 / 60.0
ERROR = "error of the load [mm]"
MOST = 500.0
"""Error above which a run is no pendulum any more [mm]: the load goes at 5 m/s."""
STEPS = {
    "chain": (2.5e-4, 2.5e-5, 2.5e-6),
    "rope": (FRAME, 4e-3, 1e-3),
    "links": (2.5e-4, 1e-4, 5e-5),
    "tree": (2.5e-4,),
    "tree RK4": (4e-4,),
    "Exudyn": (2.5e-4,),
}
"""Of each way [s]."""


def places() -> Array:
    """Held end, masses and load at the start (n + 2, 3) [m]."""
    return np.outer(
        LENGTH / (MASSES + 1) * np.arange(MASSES + 2), (np.sin(ANGLE), 0.0, -np.cos(ANGLE))
    )


def masses() -> Array:
    """Of the rope's masses and the load with half a segment [kg]."""
    own = ROPE / (MASSES + 1)
    return np.append(np.full(MASSES, own), LOAD + 0.5 * own)


def scene(model: str) -> Scene:
    """The pendulum with a rope of masses, a hybrid wire or a massless cable: chain, hybrid,
    massless."""
    density = ROPE / LENGTH
    layers: dict[str, Any] = {
        "chain": {"lumped": Lumped(MASSES + 2, density=density)},
        "massless": {},
        "hybrid": {"hybrid": Hybrid(density=density, most=MASSES, damping=0.0)},
    }
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
def _fall() -> dict[float, Array]:
    """Where the load is, by time [s], at END and half of every step later: one run for all."""
    late = sorted({0.0, *(0.5 * h for steps in STEPS.values() for h in steps)})
    inverse_mass = np.concatenate([[0.0], 1.0 / masses()])
    return dict(
        zip(late, reference.fall(inverse_mass, places(), END + np.array(late))[:, -1], strict=True)
    )


def exact_positions(h: float) -> tuple[Array, Array]:
    """Where the load is at END and half a step of STEPS later [m]."""
    return _fall()[0.0], _fall()[0.5 * h]


def entry(
    name: str, way: str, make: Callable[[float], Any], h: float, times: int = 1, leads: bool = False
) -> Entry:
    """With steps of ``h`` [s], ``times`` in a timed call; ``leads`` if its places at t are those
    of t + h / 2."""
    chain = make(h)

    def judge() -> dict[str, float]:
        whole = Steps(chain, round(END / h))
        whole.reset()
        whole.advance()
        load = chain.curve()[-1]
        right = exact_positions(h)[1 if leads else 0]
        return {ERROR: 1e3 * float(np.linalg.norm(load - right))}

    case = Steps(chain, max(round(TIMED / h), 3)).timed_case(times)
    return Entry(name, f"{way}, {1e3 * h:.3g} ms", case, judge, {ERROR: MOST}, scale=1.0 / h)


def _times(h: float) -> int:
    """Calls in a timed one of what is quick."""
    return max(round(20.0 * h / STEPS["chain"][0]), 1)


def enter() -> list[Entry | Absent]:
    """Everybody, with every step."""
    found: list[Entry | Absent] = [
        entry(OURS, "chain of masses", lambda h: OurLoad(scene("chain"), h), h, _times(h))
        for h in STEPS["chain"]
    ]
    for model, way in (("hybrid", "hybrid wire"), ("massless", "massless cable")):
        found += [
            entry(OURS, way, lambda h, m=model: OurLoad(scene(m), h), h, 50)
            for h in STEPS["rope"]  # type: ignore[misc]
        ]
    loop = loops.chain()
    way = "the chain's sweep"
    if loop:
        found += [
            entry("C++", way, lambda h: Chain(loop, places(), masses(), h), h, _times(h))
            for h in STEPS["chain"][:2]
        ]
    else:
        found.append(absent_engine("C++"))
    found += [
        entry("numpy", "the chain, arrays", lambda h: Chain(arrays.chain, places(), masses(), h), h)
        for h in STEPS["chain"][:1]
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
            "tree RK4": (
                "tree of hinges, Runge-Kutta 4",
                lambda h: tree(places(), masses(), h, "RK4"),
            ),
        }
        found += [
            entry("MuJoCo", way, make, h, leads="RK4" not in key)
            for key, (way, make) in ways.items()
            for h in STEPS[key]
        ]
    else:
        found.append(absent_engine("MuJoCo"))
    if engine("Exudyn", "exudyn_springs"):
        from benchmarks.exudyn_chain import ExudynChain

        way = "distance connectors, generalised alpha"
        found += [
            entry("Exudyn", way, lambda h: ExudynChain(places(), masses(), h), h)
            for h in STEPS["Exudyn"]
        ]
    else:
        found.append(absent_engine("Exudyn"))
    return found


TEXT = f"""A rope of {MASSES} masses, {LENGTH:g} m long, of {ROPE:g} kg, under a load of {LOAD:g} kg: the mass ratio is 1000 between load and rope, and
1e5 between the load and its neighbour. It is a pendulum released at 30 degrees. The error is the distance of the load
after {END:g} s from the exact motion of the rigid chain. *Equal*: masses, links, start. *Not equal*: the step. An explicit
method is stable across the rope only for h^2 T < m l, about 0.3 ms, in cable_sim as in the others. Exudyn's iterations do
not converge with longer steps either. Our hybrid wire and massless cable leave out masses that could hardly move, and so
allow steps of 1/60 s; the errors show the price. Two figures are compared. The first is the cost of a simulated second at
the error of our chain with its longest step. The second is the least error of a peer, relative to that of our chain at
the same cost. Both are interpolated between the steps that were run."""

HEAVY_ROPE = Comparison(
    "heavy_rope",
    "Rope of 100 masses, mass ratio 1000",
    "ms a simulated second",
    1e3,
    TEXT,
    enter,
    lambda results: [
        ratio
        for count, what in (
            (costs_at_equal_error, "time at equal error"),
            (errors_at_equal_cost, "error at equal time"),
        )
        for ratio in count(results, ERROR, what)
    ],
)
