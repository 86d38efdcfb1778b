"""Wires that are twisted about one another, and masses that rope is hooked behind."""

import math

import numpy as np
import pytest
from linking import closed, linking_number, pairs, points_apart, turns

from cable_sim import Simulator
from cable_sim.kernels.cables.contact.contact_path import MASSIVE, UNUSED
from cable_sim.kernels.status import WENT_THROUGH
from cable_sim.spec import Anchor, Body, Cable, Hybrid, Scene, Sphere

FRAME, OUT = 1.0 / 60.0, 0.2


def two_wires(crosses: bool = True, friction: float | None = None) -> Scene:
    """Two slack wires side by side, whose last ends are moved."""
    ends = tuple(
        Body(name, mass=1.0, shape=Sphere(0.02), position=(1.0, y, 0.0), motion="prescribed")
        for name, y in (("left", OUT), ("right", -OUT))
    )
    cables = []
    for name, y, others in (("left", OUT, ("right",)), ("right", -OUT, ())):
        crossed = others if crosses else ()
        layer = Hybrid(
            density=0.2, most=8, crosses=crossed, crossing_friction=friction if crossed else None
        )
        path = (Anchor("world", (-1.0, y, 0.0)), Anchor(name))
        cables.append(Cable(name, path, ea=2e4, length=2.04, damping_time=0.1, hybrid=layer))
    return Scene(bodies=ends, cables=tuple(cables), gravity=(0.0, 0.0, 0.0))


def move_ends(simulator: Simulator, turn: float, steps: int, pull: float = 0.0) -> None:
    """Turn both ends about one another by an angle [rad], and pull them away [m/s]."""
    angles = np.linspace(0.0, turn, steps + 1)
    for now, then in zip(angles[:-1], angles[1:], strict=True):
        side = (math.cos(then) - math.cos(now)) / FRAME
        rise = (math.sin(then) - math.sin(now)) / FRAME
        simulator.move("left", (pull, OUT * side, OUT * rise))
        simulator.move("right", (pull, -OUT * side, -OUT * rise))
        simulator.step()
        assert not simulator.report.status & WENT_THROUGH


def linking(simulator: Simulator) -> int:
    """Return the linking number of the wires, which are closed far away."""
    nodes, start = simulator._state.nodes, simulator._running.model.cables.node_start
    points = points_apart(simulator)
    wires, loops = [], []
    for c, height in ((0, 50.0), (1, -50.0)):
        wire = range(start[c], start[c + 1])
        used = [k for k in wire[1:-1] if nodes.contact_solid[k] != UNUSED]
        loops.append(closed(points[[wire[0], *used, wire[-1]]], height))
        wires.append(wire)
    return round(linking_number(*loops) + turns(simulator, *wires))


@pytest.mark.parametrize(("number", "friction"), [(1, None), (-2, None), (3, 0.3)])
def test_wires_that_are_twisted_hold_until_they_are_turned_back(
    number: int, friction: float | None
) -> None:
    simulator = Simulator(two_wires(friction=friction), FRAME)
    turn = 2.0 * math.pi * number
    move_ends(simulator, turn, 120 * abs(number))
    assert linking(simulator) == -number
    move_ends(simulator, 0.0, 60, pull=0.03)
    assert linking(simulator) == -number  # they are taut, and all turns at one point
    assert len(pairs(simulator)) == 1
    assert simulator.observe().cable("left").tension > 200.0
    move_ends(simulator, -turn, 120 * abs(number))
    assert linking(simulator) == 0
    assert pairs(simulator) == []


def test_wires_that_may_not_cross_turn_through_one_another() -> None:
    simulator = Simulator(two_wires(crosses=False), FRAME)
    move_ends(simulator, 2.0 * math.pi, 120)
    assert linking(simulator) == 0


def hooked(crosses: bool = True) -> Scene:
    """A slack wire of two masses, and a rail that it may not go through."""
    hook = Cable(
        "hook",
        (Anchor("world", (-1.0, 0.0, 0.0)), Anchor("world", (1.0, 0.0, 0.0))),
        ea=2e4,
        length=2.5,
        damping_time=0.1,
        hybrid=Hybrid(
            density=0.2,
            most=2,
            least=0,
            path=((-0.8, 0.0, -0.5),),
            crosses=("rail",) if crosses else (),
        ),
    )
    rail = Cable(
        "rail",
        (Anchor("world", (-0.9, -1.0, -0.06)), Anchor("world", (-0.9, 1.0, -0.06))),
        ea=2e4,
        length=2.0,
        hybrid=Hybrid(density=0.2, most=2),
    )
    return Scene(cables=(hook, rail), gravity=(0.0, 0.0, 0.0))


def masses_after(crosses: bool) -> tuple[int, int, int]:
    """Return the masses of the wire after a step, its crossings, and the status.

    One of two masses is so near to its end that it has to go, with the rail in between.
    """
    simulator = Simulator(hooked(crosses), FRAME)
    nodes, spans = simulator._state.nodes, simulator._state.spans
    first, end = simulator._running.model.cables.node_start[:2]
    nodes.point[first + 1] = (-0.9, 0.0, -0.1)
    spans.rest_length[first + 1] += spans.rest_length[first] - 0.15
    spans.rest_length[first] = 0.15
    simulator.step()
    massive = int((nodes.contact_solid[first:end] == MASSIVE).sum())
    return massive, len(pairs(simulator)), simulator.report.status


def test_a_mass_that_rope_is_hooked_behind_stays() -> None:
    assert masses_after(crosses=True) == (2, 0, 0)
    assert masses_after(crosses=False) == (1, 0, 0)
