"""Controllers on a family whose axes have names of its own: a luffing jib in place of a trolley."""

import dataclasses
import math

import luffing_crane
import numpy as np
import pytest
from luffing_crane import LuffingCrane
from messages import naming
from slow_cases import slow_but

from cable_sim.control.controllers.energy import Energy
from cable_sim.control.controllers.lqr import Lqr
from cable_sim.control.controllers.mpc import Mpc
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.controllers.operators_trick import OperatorsTrick
from cable_sim.control.controllers.shaped import Shaped
from cable_sim.control.load_kinematics import load_kinematics_of
from cable_sim.control.methods.linearisation import linearise
from cable_sim.control.plants.load_pushes import LoadPush
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.run import run
from cable_sim.control.scenario import Move, Scenario
from cable_sim.cranes import catalogue, load_crane
from cable_sim.cranes.catalogue import register_family
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.parts.load_axes import LoadAxes, LuffingCourse
from cable_sim.errors import SpecError
from cable_sim.spec.quantities import spec

DRUM = (luffing_crane.DRUM[0], luffing_crane.DRUM[2])
COURSE = LuffingCourse(50.0, 0.0, DRUM)
LUFF, SLEW = 0.05, 0.15
"""Moves of the two axes [rad]."""


@spec
class Answering(LuffingCrane):
    """The file of a luffing crane that tells which axes move its load."""

    def load_axes(self, crane: Crane) -> LoadAxes:
        """Return luffing outward, and slewing across."""
        return LoadAxes("luffing", "slewing", True, LuffingCourse(self.crane.jib_length, 0.0, DRUM))


@spec
class Misnaming(LuffingCrane):
    """The file of a luffing crane that names an axis that it does not have."""

    def load_axes(self, crane: Crane) -> LoadAxes:
        """Return a boom, which is none."""
        return LoadAxes("boom", "slewing", True)


@pytest.fixture
def path_of(tmp_path, monkeypatch):
    """A function that returns the path of a crane's file for a class of files."""
    monkeypatch.setattr(catalogue, "FAMILIES", dict(catalogue.FAMILIES))

    def path(file: type[LuffingCrane]) -> str:
        monkeypatch.delitem(catalogue.FAMILIES, "luffing_jib", raising=False)
        register_family("luffing_jib", file, luffing_crane.build_luffing)
        made = tmp_path / f"{file.__name__}.yaml"
        made.write_text(luffing_crane.FILE, encoding="utf-8")
        return str(made)

    return path


def scenario(path: str, controller) -> Scenario:
    """Luffing inward and slewing at once, seen for 20 s after the moves."""
    return Scenario(
        crane=path,
        load=3000.0,
        rope_length=25.0,
        start={"luffing": math.radians(60.0)},
        moves=(Move("luffing", by=LUFF), Move("slewing", by=SLEW)),
        controller=controller,
        measured=False,
        watch=20.0,
        dt=4e-3,
        period=0.02,
    )


@pytest.mark.parametrize(
    "controller",
    slow_but([Shaped("zvd"), Lqr(), Mpc()], [Shaped("zvd"), Lqr(), Energy(), Mpc()]),
    ids=["zvd", "lqr", "energy", "mpc"],
)
def test_controllers_luff_and_slew(path_of, controller) -> None:
    """All axes come to their places, and the load sways less than with an operator."""
    if isinstance(controller, Mpc):
        pytest.importorskip("osqp", reason="needs osqp (extra `mpc`)")
    path, left = path_of(Answering), {}
    for one in (Operator(), controller):
        seen = run(scenario(path, one))
        ends = dict(zip(seen.axes, seen.position[-1], strict=True))
        assert ends["luffing"] == pytest.approx(math.radians(60.0) + LUFF, abs=2e-3)
        assert ends["slewing"] == pytest.approx(SLEW, abs=5e-3)
        left[one.kind] = np.abs(seen.sway[-500:]).max(axis=0)
    assert (left[controller.kind] < 0.3 * left["operator"]).all(), left


@pytest.mark.parametrize("kind", slow_but([Lqr], [Lqr, Energy, Mpc]))
def test_feedback_calms_a_push(path_of, kind) -> None:
    """By luffing and slewing alone; the jib goes inward, up, where the load swings inward."""
    if kind is Mpc:
        pytest.importorskip("osqp", reason="needs osqp (extra `mpc`)")
    path, left = path_of(Answering), {}
    for one in (Operator(), kind(axes=("luffing", "slewing"))):
        pushed = dataclasses.replace(
            scenario(path, one), moves=(), pushes=(LoadPush((-2000.0, 2000.0, 0.0), 1.0, 2.0),)
        )
        seen = run(dataclasses.replace(pushed, watch=40.0))
        left[one.kind] = np.abs(seen.sway[-500:]).max(axis=0)
    assert (left["operator"] > 0.02).all()
    assert (left[kind().kind] < 0.2 * left["operator"]).all(), left


def test_the_load_hangs_below_the_tip(path_of) -> None:
    """And its place is that of the kinematics, after luffing, slewing and hoisting."""
    crane = load_crane(path_of(Answering))
    plant = LocalPlant(crane)
    first = plant.reset()
    known = load_kinematics_of(crane, first)
    speeds = {axis.name: 0.1 * axis.max_speed for axis in crane.axes}
    for _ in range(1500):
        seen = plant.step(speeds)
    at = np.array([state.position for state in seen.axes.values()])
    way = np.linalg.norm(np.subtract(seen.load.position, first.load.position))
    assert way > 1.0
    assert math.dist(known.below(at)[0], seen.load.position) < 0.1 * way


def test_coordinates_of_a_jib_are_the_inverse(path_of) -> None:
    """And a radian of slewing moves the load by its radius."""
    crane = load_crane(path_of(Answering))
    known = load_kinematics_of(crane, LocalPlant(crane).reset())
    at = np.linspace(known.first, (1.0, 1.2, 30.0), 100)
    assert np.abs(known.coordinates(known.below(at)) - at).max() < 1e-12
    radius, slope, _, rise = COURSE.at(1.2)
    assert known.lever(1, (1.0, 1.2, 30.0)) == pytest.approx(math.hypot(slope, rise))
    assert known.lever(0, (1.0, 1.2, 30.0)) == pytest.approx(radius)


def test_luffing_alone_takes_rope_from_the_falls(path_of) -> None:
    """A tenth of a radian changes the height by a decimetre more than the tip's does."""
    plant = LocalPlant(load_crane(path_of(Answering)))
    first = plant.reset()
    known = load_kinematics_of(plant.crane, first)
    for tick in range(3000):
        seen = plant.step({"luffing": 0.01 if tick < 1000 else 0.0})
    at = np.array([state.position for state in seen.axes.values()])
    tip = 50.0 * (math.sin(at[1]) - math.sin(known.first[1]))
    rise = seen.load.position[2] - first.load.position[2]
    assert abs(rise - tip) > 0.1
    assert known.below(at)[0, 2] == pytest.approx(seen.load.position[2], abs=0.02)


@pytest.mark.parametrize("falls", [1, 4])
def test_derivatives_of_a_course_are_those_of_its_radius(falls) -> None:
    q, h = 1.1, 1e-4
    course = LuffingCourse(50.0, 1.5, DRUM, falls)
    at = np.array([q - h, q, q + h])
    radius, height = course.radius(at), course.height(at)
    slopes = (radius[2] - radius[0]) / (2 * h), np.diff(radius, 2)[0] / h**2
    rise = (height[2] - height[0]) / (2 * h)
    assert course.at(q) == pytest.approx((radius[1], *slopes, rise), rel=1e-6)
    assert course.coordinate(radius) == pytest.approx(at)


@pytest.mark.parametrize("controller", [Lqr(), Energy(), Mpc()], ids=["lqr", "energy", "mpc"])
def test_missing_axes_are_told(path_of, controller) -> None:
    told = (
        f"controller {controller.kind}: needs an axis that moves the load outward, .* and an axis "
        "hoist; Crane has slewing, luffing, hoist"
    ).replace("Crane", "LuffingCrane")
    with pytest.raises(SpecError, match=told):
        run(scenario(path_of(LuffingCrane), controller))


def test_an_axis_that_is_not_there_is_told(path_of) -> None:
    with pytest.raises(SpecError, match=naming("axis 'boom' slewing luffing")):
        run(scenario(path_of(Misnaming), Lqr()))


def test_what_needs_a_straight_way_is_told(path_of) -> None:
    crane = load_crane(path_of(Answering))
    with pytest.raises(SpecError, match=naming("luffing Answering moves curve")):
        linearise(crane, {"luffing": 1.0, "hoist": 20.0})
    with pytest.raises(SpecError, match=naming("chords luffing moves load curve")):
        run(scenario(path_of(Answering), Shaped("zv", chords=True)))
    with pytest.raises(SpecError, match=naming("luffing slewing *Answering")):
        run(scenario(path_of(Answering), OperatorsTrick()))
