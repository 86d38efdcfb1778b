"""Bodies that touch: how deep they overlap, how far they creep, and what a step costs."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.contest import OURS, Absent, Comparison, Entry, best_ratios, costs, errors
from benchmarks.peers.engines import absent_engine, engine
from benchmarks.timing import Case
from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator, Sphere, Surface
from cable_sim.spec import Collision, Obstacle, Polyhedron, Touch

Array = NDArray[np.float64]
H = 2e-3
FRICTION = 0.5
"""Step [s] and friction [-]."""
DEPTH = "deepest overlap [um]"
CREEP = "creep in a minute [um]"
LEAST = 1e-3
"""What an overlap or creep counts at least in ratios [um]."""


class Times(NamedTuple):
    """Times [s] until a scene is taken, and in which it is watched; steps that are timed."""

    settling: float
    watched: float
    steps: int


AT_REST = Times(10.0, 60.0, 500)
HEAP = Times(0.9, 0.1, 20)
BIN = Times(0.35, 0.02, 10)
"""Of what rests, and of piles while they form."""


def scene(bodies: list[Body], obstacles: list[Obstacle] | None = None, **more: Any) -> Scene:
    """Return bodies on the ground, and amid obstacles."""
    return Scene(
        bodies=tuple(bodies),
        obstacles=tuple(obstacles or ()),
        surfaces=(Surface(friction=FRICTION),),
        collision=Collision(Touch(friction=FRICTION)),
        **more,
    )


def stack() -> Scene:
    """Return ten cubes on one another."""
    cube = Box(0.5, 0.5, 0.5)
    return scene(
        [Body(f"cube_{i}", 100.0, shape=cube, position=(0, 0, 0.25 + 0.5 * i)) for i in range(10)]
    )


def loose() -> Scene:
    """Return fifty boxes, which fall on a heap."""
    random = np.random.default_rng(1)
    boxes = []
    for i in range(50):
        turn = random.normal(size=4)
        place = 0.75 * (i % 3), 0.75 * (i // 3 % 3), 0.6 + 0.75 * (i // 9)
        sizes = random.uniform(0.15, 0.4, 3)
        turn /= np.linalg.norm(turn)
        boxes.append(
            Body(
                f"box_{i}",
                1000.0 * float(sizes.prod()),
                shape=Box(*sizes.tolist()),
                position=place,
                orientation=tuple(turn.tolist()),
            )
        )
    return scene(boxes)


def balls() -> Scene:
    """Return a hundred balls, which fall into a bin."""
    random = np.random.default_rng(2)
    walls = [
        Obstacle(f"wall_{i}", Box(1.4, 0.2, 1.0), position=(*at, 0.5), orientation=turn)
        for i, (at, turn) in enumerate(
            ((0.6 * math.cos(a), 0.6 * math.sin(a)), (math.cos(b), 0, 0, math.sin(b)))
            for a, b in ((0.5 * math.pi * k, 0.25 * math.pi * (k + 1)) for k in range(4))
        )
    ]
    places = [
        (0.22 * (i % 4 - 1.5), 0.22 * (i // 4 % 4 - 1.5), 0.15 + 0.22 * (i // 16))
        for i in range(100)
    ]
    return scene(
        [
            Body(f"ball_{i}", 5.0, shape=Sphere(0.1), position=tuple(p + shift))
            for i, (p, shift) in enumerate(
                zip(np.array(places), random.uniform(-0.005, 0.005, (100, 3)), strict=True)
            )
        ],
        walls,
    )


def container() -> Scene:
    """Return a container of 20 t on four cones."""
    cone = Polyhedron(
        tuple(
            (x * s, y * s, z)
            for z, s in ((0.0, 0.1), (0.15, 0.05))
            for x in (-1, 1)
            for y in (-1, 1)
        )
    )
    cones = [
        Obstacle(f"cone_{k}", cone, position=(2.9 * x, 1.1 * y, 0.0))
        for k, (x, y) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1)))
    ]
    return scene(
        [Body("container", 20e3, shape=Box(6.06, 2.44, 2.59), position=(0, 0, 0.15 + 1.295))], cones
    )


def slings() -> Scene:
    """Return a load on four slings, which the wind presses into a corner."""
    load = Body("load", 2e3, shape=Box(1, 1, 1), position=(0, 0, 1.5), velocity=(0.3, 0.3, 0))
    walls = [
        Obstacle("wall_x", Box(0.2, 4, 4), position=(0.72, 0, 2)),
        Obstacle("wall_y", Box(4, 0.2, 4), position=(0, 0.72, 2)),
    ]
    hook = (0.5, 0.5, 5.0)
    cables = tuple(
        Cable(
            f"sling_{k}",
            (Anchor("world", hook), Anchor("load", (0.5 * x, 0.5 * y, 0.5))),
            ea=1e6,
            damping_ratio=0.1,
        )
        for k, (x, y) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1)))
    )
    return scene([load], walls, cables=cables)


class Ours:
    """A scene that has settled."""

    def __init__(self, given: Scene, settling: float) -> None:
        self.simulator = Simulator(given, dt=H)
        self.advance(round(settling / H))
        self.start = self.simulator.save()

    def advance(self, count: int) -> None:
        """Take steps."""
        self.simulator.step(count)

    def restore(self) -> None:
        """Go back to what has settled."""
        self.simulator.restore(self.start)

    def places(self) -> Array:
        """Return where the bodies are (n, 3) [m]."""
        return np.array(self.simulator.observe().body_position)

    def depth(self) -> float:
        """Return the deepest overlap [m]."""
        return max((found.depth for found in self.simulator.overlaps()), default=0.0)


def judge(made: Any, times: Times) -> dict[str, float]:
    """Return overlap and, of what rests, creep."""
    made.restore()
    start = made.places()
    depth = made.depth()
    made.advance(round(times.watched / H))
    way = np.linalg.norm(made.places() - start, axis=1).max()
    if not np.isfinite(way):
        raise FloatingPointError("it is unstable")
    figures = {DEPTH: 1e6 * max(depth, made.depth())}
    return figures | ({CREEP: 1e6 * float(way)} if times == AT_REST else {})


def enter(build: Callable[[], Scene], times: Times) -> list[Entry | Absent]:
    """Return everybody."""
    given = build()
    found: list[Entry | Absent] = []

    def add(name: str, way: str, made: Any) -> None:
        case = Case(lambda: made.advance(times.steps), times.steps, made.restore)
        found.append(Entry(name, way, case, lambda: judge(made, times)))

    add(OURS, "spook", Ours(given, times.settling))
    peer = engine("MuJoCo", "mujoco_contact")
    for way in peer.WAYS if peer else ():
        add("MuJoCo", way, peer.Touching(given, H, FRICTION, times.settling, way))  # type: ignore[union-attr]
    if peer is None:
        found.append(absent_engine("MuJoCo"))
    why = "no plain loop: finding contacts is the whole of it"
    return [*found, *(Absent(name, why) for name in ("C++", "numpy"))]


def compare(
    name: str, title: str, text: str, build: Callable[[], Scene], times: Times = AT_REST
) -> Comparison:
    """Return the comparison of a scene."""
    rest = (
        f"Steps of {1e3 * H:g} ms, friction {FRICTION:g}. {times.steps} steps are timed from {times.settling:g} s on, and overlaps are those in the\n"
        f"next {times.watched:g} s. *Equal*: masses, shapes, step, friction. *Not equal*: MuJoCo's contacts are soft by design, its boxes have sharp\n"
        "edges, and its solver iterates. `hard` are solimp 0.95 to 0.9999 and solref of two steps."
    )
    return Comparison(
        name,
        title,
        "us a step",
        1e6,
        f"{text} {rest}",
        partial(enter, build, times),
        lambda results: [
            *best_ratios(costs(results)),
            *best_ratios(errors(results, DEPTH, LEAST, "overlap")),
            *best_ratios(errors(results, CREEP, LEAST, "creep")),
        ],
    )


CONTACTS = (
    compare("stack", "Ten cubes on one another", "Cubes of 0.5 m and 100 kg.", stack),
    compare("loose", "Fifty loose boxes", "Boxes fall on a heap.", loose, HEAP),
    compare(
        "balls", "A hundred balls in a bin", "Balls of 5 kg fall between four walls.", balls, BIN
    ),
    compare("container", "A container on four cones", "20 t rest on four cones.", container),
    compare("corner", "A load on slings in a corner", "2 t lean on two walls.", slings),
)
