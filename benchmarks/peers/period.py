"""A pendulum on a cable at 1/60 s: how right its period is, and whether it keeps its energy."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ellipk

from benchmarks import arrays, loops
from benchmarks.peers.chain import Chain, Ours, Steps
from benchmarks.peers.contest import OURS, Absent, Comparison, Entry, best_ratios, errors
from benchmarks.peers.engines import absent_engine, engine
from benchmarks.timing import Case
from cable_sim import load_scene

Array = NDArray[np.float64]
LENGTH = 5.0
MASS = 100.0
ANGLE = 0.5
GRAVITY = 9.81
"""Of the pendulum [m, kg]; where it is let go [rad]; [m/s^2]."""
H = 1.0 / 60.0
SECONDS = 60.0
EXACT = float(4.0 * np.sqrt(LENGTH / GRAVITY) * ellipk(np.sin(0.5 * ANGLE) ** 2))
"""Its period [s]: a complete elliptic integral."""
PERIOD = "error of the period [1e-6]"
DRIFT = "energy lost in a minute [1e-6]"
WRONG = 5e4
"""Error of the period above which it is no such pendulum [1e-6]."""
LEAST = 0.01
"""What an error or a loss counts at least in ratios [1e-6]."""


def places() -> Array:
    """Held end and load at the start (2, 3) [m]."""
    return np.array([[0.0, 0.0, 0.0], [LENGTH * np.sin(ANGLE), 0.0, -LENGTH * np.cos(ANGLE)]])


class OurPendulum(Ours):
    """A scene of the catalogue, of which the ball is looked at."""

    def __init__(self, stepper: str) -> None:
        super().__init__(
            load_scene("pendulum", length=LENGTH, mass=MASS, angle=ANGLE), H, stepper=stepper
        )

    def curve(self) -> Array:
        """Where the ball is (1, 3) [m]."""
        return self.simulator.observe().body("ball").position[None]


def track(chain: Any) -> Array:
    """Angles from the vertical after every step of SECONDS [rad]."""
    count = round(SECONDS / H)
    if hasattr(chain, "track"):
        loads = chain.track(count)
    else:
        chain.reset()
        loads = []
        for _ in range(count):
            chain.advance(1)
            loads.append(chain.curve()[-1].copy())
    found = np.array(loads)
    return np.arctan2(found[:, 0], -found[:, 2])


def swing_errors(angle: Array) -> dict[str, float]:
    """Relative error of the mean period, and loss of energy from the first swing to the last."""
    crossings = np.array(list(_crossings(angle)))
    if crossings.size < 4:
        raise FloatingPointError("it does not swing")
    period = 2.0 * H * (crossings[-1] - crossings[0]) / (crossings.size - 1)
    heights = 1.0 - np.cos(np.array(list(_turning_angles(angle))))
    return {PERIOD: 1e6 * abs(period / EXACT - 1.0), DRIFT: 1e6 * (1.0 - heights[-1] / heights[0])}


def _crossings(angle: Array) -> Iterator[float]:
    """Where it passes the vertical, in steps: roots of cubics through four angles."""
    for i in np.flatnonzero(angle[:-1] * angle[1:] < 0.0):
        if 1 <= i < angle.size - 2:
            roots = np.roots(np.polyfit((-1.0, 0.0, 1.0, 2.0), angle[i - 1 : i + 3], 3))
            yield i + float(
                next(r.real for r in roots if abs(r.imag) < 1e-9 and 0.0 <= r.real <= 1.0)
            )


def _turning_angles(angle: Array) -> Iterator[float]:
    """Angles where it turns [rad]: tops of parabolas of the fourth order through five angles."""
    size = np.abs(angle)
    for i in range(2, size.size - 2):
        if size[i] >= size[i - 1] and size[i] > size[i + 1]:
            curve = np.polyfit(np.arange(-2, 3), size[i - 2 : i + 3], 4)
            fine = np.linspace(-1.0, 1.0, 2001)
            yield float(np.polyval(curve, fine).max())


def entry(name: str, way: str, chain: Any, times: int) -> Entry:
    """Of what can be let go and stepped."""
    case: Case = Steps(chain, round(SECONDS / H)).timed_case(times)
    return Entry(name, way, case, lambda: swing_errors(track(chain)), {PERIOD: WRONG})


def enter() -> list[Entry | Absent]:
    """Everybody."""
    mass = np.array([MASS])
    found = list[Entry | Absent]()
    found += [
        entry(OURS, "massless cable, spook", OurPendulum("spook"), 5),
        entry(OURS, "massless cable, regularised", OurPendulum("regularised"), 5),
    ]
    for name, loop, times in (("C++", loops.chain(), 50), ("numpy", arrays.chain, 1)):
        way = "one link of the chain: spook"
        found.append(
            entry(name, way, Chain(loop, places(), mass, H), times) if loop else absent_engine(name)
        )
    return [*found, *_engines(mass)]


def _engines(mass: Array) -> list[Entry | Absent]:
    """MuJoCo in three forms, and Exudyn."""
    found: list[Entry | Absent] = []
    if engine("MuJoCo", "mujoco_springs"):
        from benchmarks.mujoco_chain import links, tree

        made: dict[str, Callable[[], Any]] = {
            "tendon as a constraint, Euler": lambda: links(places(), mass, H),
            "hinge in place of the cable, Euler": lambda: tree(places(), mass, H),
            "hinge in place of the cable, Runge-Kutta 4": lambda: tree(places(), mass, H, "RK4"),
        }
        found += [entry("MuJoCo", way, make(), 1) for way, make in made.items()]
    else:
        found.append(absent_engine("MuJoCo"))
    if engine("Exudyn", "exudyn_springs"):
        from benchmarks.exudyn_chain import ExudynChain

        found.append(
            entry(
                "Exudyn", "distance connector, generalised alpha", ExudynChain(places(), mass, H), 1
            )
        )
    else:
        found.append(absent_engine("Exudyn"))
    return found


TEXT = f"""A ball of {MASS:g} kg on {LENGTH:g} m of inextensible cable is released at {ANGLE:g} rad, and runs for a minute with steps of 1/60 s. The
exact period is {EXACT:.6f} s, a complete elliptic integral. *Equal*: mass, length, start, step. *Not equal*: the support
of the ball. A hinge, as in two lines of MuJoCo, is not a cable: it can't go slack, and has no constraint that could be
violated. Energies are those at the turning points; a negative loss is a gain."""

PERIOD_ACCURACY = Comparison(
    "period",
    "Period and energy of a pendulum at 1/60 s",
    "us a step",
    1e6,
    TEXT,
    enter,
    lambda results: [
        *best_ratios(errors(results, PERIOD, LEAST, "error of the period")),
        *best_ratios(errors(results, DRIFT, LEAST, "energy lost")),
    ],
)
