"""Shaped moves of whole cranes, by scenario files: published shares of the unshaped sway, hoisting, slewing."""

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cable_sim.acceptance.pendulum import on_a_circle, on_a_line, swing
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.controllers.shaped import Shaped, period_of
from cable_sim.control.pendulum import pendulum_length
from cable_sim.control.profiles import Ramps
from cable_sim.control.run import Run, run
from cable_sim.control.scenario import Move, Scenario, read_scenario
from cable_sim.control.shaping import SHAPERS
from cable_sim.errors import ConfigError, SpecError
from cable_sim.spec.files import parse_spec

FILES = Path(__file__).parents[2] / "config" / "scenarios"
G = 9.81
SHARES = {"zv": 13.64, "zvd": 1.86, "zvdd": 0.25, "ei": 3.05}
"""Left of the unshaped sway on falls 20 % longer than believed [%]: |cos(pi w' / 2 w)|^n, and EI's design law."""


@cache
def done(name: str, kind: str = "") -> Run:
    """A scenario's file, with another controller of that kind."""
    scenario = read_scenario(FILES / f"{name}.yaml")
    if kind:
        scenario = replace(scenario, controller=Operator() if kind == "operator" else Shaped(kind))
    return run(replace(scenario, dt=2e-3))


def beside(seen: Run) -> np.ndarray:
    """(n, 2) way of the load's middle from below the trolley [m], along the trolley's way and across it."""
    at = {name: seen.position[:, i] for i, name in enumerate(seen.axes)}
    if "slewing" not in at:
        return seen.load[:, :2] - np.column_stack([at["trolley"], at.get("gantry", 0.0 * at["trolley"])])
    cos, sin = np.cos(at["slewing"]), np.sin(at["slewing"])
    x, y = seen.load[:, :2].T
    return np.column_stack([cos * x + sin * y - at["trolley"], cos * y - sin * x])


def length_of(seen: Run) -> float:
    """Of the pendulum at the end [m]."""
    return pendulum_length(seen.scenario.build())(float(seen.position[-1, seen.axes.index("hoist")]))


def residual(seen: Run) -> float:
    """Largest sway of the load after all axes that were to move have come to rest [deg]."""
    moved = np.abs(seen.velocity[:, [seen.axes.index(travel.axis) for travel in seen.travels]])
    last = np.flatnonzero((moved > 1e-3 * moved.max(axis=0)).any(axis=1))[-1]
    return math.degrees(float(np.hypot(*beside(seen)[last + 1 :].T).max()) / length_of(seen))


def worst(seen: Run) -> float:
    """Sway that two ramps leave whose second adds most to the first [deg]: 4 a / g sin(w t_r / 2)."""
    (travel,), frequency = seen.travels, math.sqrt(G / length_of(seen))
    ramps = travel.ramps
    apart = ramps.duration - ramps.ramp
    assert frequency * apart / math.pi == pytest.approx(round(frequency * apart / math.pi), abs=0.02)
    assert round(frequency * apart / math.pi) % 2 == 1
    return math.degrees(4.0 * ramps.acceleration / G * abs(math.sin(0.5 * frequency * ramps.ramp)))


@pytest.mark.parametrize("name", ["rtg_trolley", "rtg_trolley_longer", "tower_trolley_worst", "tower_trolley_longer"])
def test_the_unshaped_moves_are_the_worst_ones(name) -> None:
    """Sheaves with friction take some per cent out."""
    seen = done(f"{name}_operator")
    assert residual(seen) == pytest.approx(worst(seen), rel=0.05)


@pytest.mark.parametrize("kind", ["zv", "zvd", "zvdd"])
@pytest.mark.parametrize("name", ["rtg_trolley", "tower_trolley_worst"])
def test_with_the_right_length_they_leave_nothing(name, kind) -> None:
    assert residual(done(f"{name}_operator", kind)) < 0.02


@pytest.mark.parametrize("kind", SHARES)
@pytest.mark.parametrize("name", ["rtg_trolley_longer", "tower_trolley_longer"])
def test_on_falls_20_percent_longer_they_leave_the_published_shares(name, kind) -> None:
    plain, shaped = done(f"{name}_operator"), done(f"{name}_operator", kind)
    assert shaped.scenario.believed.length == pytest.approx(1.0 / 1.2, abs=1e-4)
    assert 100.0 * residual(shaped) / residual(plain) == pytest.approx(SHARES[kind], abs=0.5)


@pytest.mark.parametrize(("kind", "share"), SHARES.items())
def test_a_mass_on_a_rod_keeps_the_same_shares(kind, share) -> None:
    """An independent integration, without small angles."""
    ramps, length = Ramps(13.3, 70.0 / 60.0, 70.0 / 240.0), 12.0
    after = {}
    for name, shape in (("plain", None), (kind, SHAPERS[kind](period_of(length), 0.0))):
        move, stops = (shape(ramps), ramps.end + shape.longer) if shape else (ramps, ramps.end)
        along = swing(on_a_line(move), 1.2 * length, stops + 8.0).after(stops).along
        after[name] = float(np.abs(along).max())
    assert 100.0 * after[kind] / after["plain"] == pytest.approx(share, abs=0.1)


SHAPED = ("rtg_trolley_zv", "rtg_trolley_zvd", "rtg_trolley_longer_zv", "rtg_trolley_longer_zvd",
          "tower_trolley_longer_zvd", "tower_slewing_zvd")  # fmt: skip


@pytest.mark.parametrize("name", SHAPED)
def test_the_files_of_shaped_moves_are_those_of_the_operators(name) -> None:
    shaped = read_scenario(FILES / f"{name}.yaml")
    assert shaped.controller.kind == name.rpartition("_")[2]
    plain = read_scenario(FILES / f"{name.rpartition('_')[0]}_operator.yaml")
    assert replace(shaped, controller=plain.controller, title=plain.title) == plain


def test_an_open_loop_ends_in_its_place() -> None:
    """Speeds alone, with the lag of the drives and held for ticks: within a millimetre."""
    for seen in (done("rtg_trolley_operator"), done("rtg_trolley_operator", "zvd"), done("tower_hoisting_zvd")):
        for travel in seen.travels:
            assert seen.position[-1, seen.axes.index(travel.axis)] == pytest.approx(travel.target, abs=1e-3)


def test_while_it_hoists_the_parts_follow_by_the_phase() -> None:
    """20 m up in the course of the move: shaped for the length at the start, most of the sway is left."""
    plain, fixed = done("tower_hoisting_zvd", "operator"), done("tower_hoisting_zvd_fixed")
    scheduled = done("tower_hoisting_zvd")
    assert residual(scheduled) < 0.1 * residual(fixed) < 0.1 * residual(plain)
    assert residual(scheduled) < 0.1


def test_slewing() -> None:
    """As a mass on a rod below the same trolley does; and what it leaves is of the second order of the jib's rate."""
    after = {}
    for kind in ("operator", "zvd"):
        seen = done("tower_slewing_zvd", kind)
        length, (travel,) = length_of(seen), seen.travels
        shape = SHAPERS["zvd"](period_of(length), 0.0)
        move, stops = (shape(travel.ramps), travel.ramps.end + shape.longer) if kind == "zvd" else (
            travel.ramps, travel.ramps.end)  # fmt: skip
        radius = float(seen.position[0, seen.axes.index("trolley")])
        point = swing(on_a_circle(radius, SimpleNamespace(at=move)), length, stops + 15.0).after(stops)
        after[kind] = residual(seen)
        assert after[kind] == pytest.approx(math.degrees(float(point.total.max())), rel=0.1, abs=0.02), kind
    assert after["zvd"] < 0.35 * after["operator"]
    chords = done("tower_slewing_zvd_chords")
    assert residual(chords) < 0.1 * after["zvd"]
    assert chords.position[-1, chords.axes.index("trolley")] == pytest.approx(radius, abs=2e-3)


def test_bridge_and_trolley_at_once() -> None:
    """Both ways of the laboratory's crane, on 0.5 m of line."""
    moves = Move("trolley", by=0.3, start=0.5), Move("gantry", by=0.25, start=0.8)
    scenario = Scenario("lab_inteco", moves, watch=6.0)
    after = {kind: residual(run(replace(scenario, controller=controller)))
             for kind, controller in (("operator", Operator()), ("zvd", Shaped("zvd")))}  # fmt: skip
    assert after["zvd"] < 0.02 * after["operator"], after


def test_a_hoist_goes_by_its_ramps() -> None:
    crane = read_scenario(FILES / "tower_hoisting_zvd.yaml")
    seen = done("tower_hoisting_zvd")
    task = crane.task(crane.build(), SimpleNamespace(axes={
        name: SimpleNamespace(position=seen.position[0, i]) for i, name in enumerate(seen.axes)}), 0.01)  # fmt: skip
    hoist = next(travel for travel in task.travels if travel.axis == "hoist")
    plan = Shaped("zvd").plan(task, "hoist")
    for time in np.arange(0.0, 40.0, 0.9):
        assert plan(time)[1] == hoist.ramps(time)[1]


@pytest.mark.parametrize(("controller", "said"), [
    ("{kind: zvv}", "kind must be one of 'operator', 'zv', 'zvd', 'zvdd', 'ei', 'operators_trick'"),
    ("{kind: zv, tolerable: 0.1}", "tolerable: goes with kind ei, not with zv, which leaves nothing"),
    ("{kind: ei, tolerable: 1.0}", "tolerable: must be within 0 ... 1 with this damping, not 1"),
    ("{kind: zv, damping_ratio: 1.0}", "damping_ratio: must be less than 1"),
    ("{kind: zv, scheduled: 1}", "scheduled: must be true or false"),
])  # fmt: skip
def test_what_cant_be_is_said(controller, said) -> None:
    with pytest.raises(ConfigError) as error:
        parse_spec(f"crane: tower_12t\nmoves: []\ncontroller: {controller}\n", Scenario)
    assert said in str(error.value)
    with pytest.raises(SpecError, match="damping_ratio"):
        Shaped("zv", damping_ratio=-0.1)
