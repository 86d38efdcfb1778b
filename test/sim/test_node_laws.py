"""Every law at a node through every model of a cable: the same ratio of tensions, or a refusal.

Two weights hang on a rope over one node. A law is a bound of T_low / T_high; a model that carries
it has exactly that ratio while the rope runs, and no motion at all within it.
"""

import dataclasses
import math
from typing import Any

import pytest
from messages import naming
from test_hybrid_friction import over_box

from cable_sim import Simulator
from cable_sim.errors import CableSimError
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Elevation,
    Hybrid,
    Lumped,
    Obstacle,
    Scene,
    Sheave,
    Wheel,
)

ELASTIC = {"ea": 1e6, "damping_time": 0.02}
FAR = Obstacle("far", Box(0.5, 0.5, 0.5), position=(50.0, 0.0, 0.0), friction=0.2)
"""A rope that may touch it has grips in place of rows of sheaves."""
MODELS: dict[str, dict[str, Any]] = {
    "massless": ELASTIC,
    "inextensible": {},
    "elevation": {"elevation": Elevation(density=1e-3), **ELASTIC},
    "massless beside an obstacle": {"touches": ("far",), **ELASTIC},
    "elevation beside an obstacle": {
        "touches": ("far",),
        "elevation": Elevation(density=1e-3),
        **ELASTIC,
    },
    "hybrid": {"hybrid": Hybrid(density=1e-6, most=0), **ELASTIC},
    "hybrid beside an obstacle": {
        "touches": ("far",),
        "hybrid": Hybrid(density=1e-6, most=0),
        **ELASTIC,
    },
    "masses": {"lumped": Lumped(masses=5, density=0.1)},
    "rod": {"pulls_only": False, **ELASTIC},
}
SHEAVE = Sheave("world", efficiency=0.9)
GROOVE = Wheel("wheel", "world", (0.0, 0.0, 0.0), 1.0, efficiency=0.9)
ROUND = dataclasses.replace(GROOVE, efficiency=None, friction=-math.log(0.9) / math.pi)
LAWS = {"sheave": SHEAVE, "wheel with an efficiency": GROOVE, "wheel with friction": ROUND}
REFUSED = {
    ("masses", None): "lumped sheave over nothing",
    ("rod", None): "pulls_only nodes.1 sheave losses no friction",
    ("elevation", Wheel): "elevation wheel 'wheel' massless",
    ("hybrid", Wheel): "hybrid wheel 'wheel' massless",
    ("masses", Wheel): "lumped wheel 'wheel' massless",
    ("rod", Wheel): "pulls_only wheel 'wheel' no friction",
    ("massless beside an obstacle", Wheel): "touches wheel 'wheel' bends over nothing else",
}


def over(node: Sheave | Wheel, light: float, **model: Any) -> Scene:
    """60 kg on the left and ``light`` [kg] on the right of a node, 3 m below it."""
    bodies = tuple(
        Body(name, mass=mass, shape=Box(0.2, 0.2, 0.2), position=(x, 0.0, -3.0))
        for name, mass, x in (("left", 60.0, -1.0), ("right", light, 1.0))
    )
    if node.kind == "sheave":  # without a radius the falls are one line
        bodies = tuple(
            dataclasses.replace(body, position=(0.0, 0.0, body.position[2])) for body in bodies
        )
    rope = Cable("rope", (Anchor("left"), node, Anchor("right")), **model)
    return Scene(bodies=bodies, cables=(rope,), obstacles=(FAR,) if "touches" in model else ())


def refusal(law: str, model: str) -> str | None:
    """Return words of the refusal; None for a model that carries the law."""
    if law == "sheave":
        return REFUSED.get((model, None))
    short = model if model.startswith("massless") else model.split()[0]
    return REFUSED.get((short, Wheel))


def ratio(simulator: Simulator) -> float:
    """Return T_right / T_left."""
    rope = simulator.observe().cable("rope")
    return float(rope.tension_dead_end / rope.tension)


def speed(simulator: Simulator) -> float:
    """Return the speed of the left weight [m/s]."""
    return abs(float(simulator.observe().body("left").velocity[2]))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("law", LAWS)
def test_each_law_in_each_model(law: str, model: str) -> None:
    """While it runs, the ratio of the law within 1e-5; at rest below it, no creep."""
    if refusal(law, model):
        with pytest.raises(CableSimError, match=naming(str(refusal(law, model)))):
            Simulator(over(LAWS[law], 40.0, **MODELS[model]))
        return
    simulator = Simulator(over(LAWS[law], 40.0, **MODELS[model]))
    simulator.step(300)
    assert speed(simulator) > 0.3
    assert ratio(simulator) == pytest.approx(0.9, rel=1e-5)
    sticks = Simulator(over(LAWS[law], 54.5, **MODELS[model]))
    sticks.step(1000)
    assert speed(sticks) < 1e-6
    assert ratio(sticks) == pytest.approx(54.5 / 60.0, rel=1e-3)


@pytest.mark.parametrize("model", [name for name in MODELS if name not in ("masses", "rod")])
def test_a_loss_that_grows_with_speed(model: str) -> None:
    """A sheave whose efficiency a program lowers by 5 % per m/s, step by step."""
    simulator = Simulator(over(SHEAVE, 40.0, **MODELS[model]))
    wanted = 0.9
    for _ in range(400):
        wanted = 0.9 - 0.05 * speed(simulator)
        simulator.set_efficiency("rope", 1, wanted)
        simulator.step()
    assert wanted < 0.88
    assert ratio(simulator) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("node", [GROOVE, ROUND])
def test_wheels_refuse_a_loss_that_changes(node: Wheel) -> None:
    simulator = Simulator(over(node, 40.0, **ELASTIC))
    with pytest.raises(CableSimError, match=naming("set_efficiency rope node 1 no sheave")):
        simulator.set_efficiency("rope", 1, 0.8)


@pytest.mark.parametrize("model", ["massless", "inextensible", "elevation", "hybrid"])
def test_the_capstan_in_each_model_that_bends_over_edges(model: str) -> None:
    """Two square edges of mu = 0.15: e^(mu pi) while the rope runs."""
    scene = over_box(0.15, (60.0, 30.0))
    given = {"ea": None, "damping_time": None, "hybrid": None, "pretension": 0.0} | MODELS[model]
    rope = dataclasses.replace(scene.cables[0], **given)
    simulator = Simulator(dataclasses.replace(scene, cables=(rope,)))
    simulator.step(400)
    assert ratio(simulator) == pytest.approx(math.exp(-0.15 * math.pi), rel=1e-3)
