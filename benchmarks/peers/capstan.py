"""A rope that slides over a rough cylinder: the ratio of its tensions, beside e^(mu phi)."""

import math
from typing import Any

from benchmarks.peers.contest import OURS, Absent, Comparison, Entry, best_ratios, errors
from benchmarks.peers.engines import absent_engine, engine
from benchmarks.timing import Case
from cable_sim import Simulator, load_scene

FRICTIONS = (0.1, 0.3, 0.5)
RATIO = 0.1
"""Of the loads: it slides up to mu = ln(10) / pi = 0.73."""
LOAD = 100.0
H = 1.0 / 60.0
STEPS = 30
"""The heavier load [kg], step [s], and how many before the ratio is read."""
WORST = "worst error of the ratio [%]"
NONE = 1e-9
"""What an error counts at least [%]."""


def theory(mu: float) -> float:
    """Ratio of the tensions of a rope that slides over half a turn [-]."""
    return math.exp(mu * math.pi)


def figures(ratios: dict[float, float]) -> dict[str, float]:
    """The ratios and the worst of their errors."""
    told = {f"mu = {mu:g}": ratio for mu, ratio in ratios.items()}
    return told | {
        WORST: 100.0 * max(abs(ratio / theory(mu) - 1.0) for mu, ratio in ratios.items())
    }


class Ours:
    """The wire over the round beam, once for each friction."""

    def __init__(self) -> None:
        self.simulators = {
            mu: Simulator(
                load_scene("wire_over_beam", friction=mu, load=LOAD, ratio=RATIO, rounded=True),
                dt=H,
            )
            for mu in FRICTIONS
        }

    def case(self) -> Case:
        """All of them, from rest."""
        return Case(self.advance, STEPS * len(FRICTIONS), self.reset)

    def reset(self) -> None:
        """Back to the start."""
        for simulator in self.simulators.values():
            simulator.reset()

    def advance(self) -> None:
        """Take the steps."""
        for simulator in self.simulators.values():
            simulator.step(STEPS)

    def ratios(self) -> dict[float, float]:
        """Of the tensions on both sides."""
        wires = {mu: simulator.observe().cable("wire") for mu, simulator in self.simulators.items()}
        return {mu: wire.tension / wire.tension_dead_end for mu, wire in wires.items()}


def entry(name: str, way: str, made: Any) -> Entry:
    """Of what has ratios after it has run."""
    return Entry(name, way, made.case(), lambda: figures(made.ratios()))


def enter() -> list[Entry | Absent]:
    """Everybody."""
    found: list[Entry | Absent] = [entry(OURS, "hybrid wire on 32 facets, 1/60 s", Ours())]
    for name, module, way in (
        (
            "MuJoCo",
            "mujoco_capstan",
            "tendon wrapped around a cylinder: frictionless by design, 1/60 s",
        ),
        ("Exudyn", "exudyn_capstan", "ANCF cable in frictional contact with a circle"),
    ):
        made = engine(name, module)
        found.append(
            entry(name, way, made.Capstan(FRICTIONS, LOAD, RATIO)) if made else absent_engine(name)
        )
    why = "no plain loop: contact with friction is the whole of it"
    return [*found, *(Absent(name, why) for name in ("C++", "numpy"))]


TEXT = f"""Two loads of {LOAD:g} and {LOAD * RATIO:g} kg hang on a rope over a level cylinder. The heavier one pulls the rope across, and the ratio
of the tensions should be e^(mu phi), where phi is half a turn. *Equal*: loads, friction, angle. *Not equal*: the model.
In cable_sim the cylinder has 32 facets, which alone cause an error of 0.6 % at mu = 0.5, and the loads move. Exudyn's
band brake stands still over a circle that turns, with contact and friction as penalties. MuJoCo wraps its tendon around
the cylinder exactly, but without friction, whatever the friction of that cylinder, so its ratio is 1. A line whose ratios
differ from 1 has friction."""

CAPSTAN = Comparison(
    "capstan",
    "Capstan: tensions over a cylinder",
    "us a step",
    1e6,
    TEXT,
    enter,
    lambda results: best_ratios(errors(results, WORST, NONE, "error of the ratio")),
)
