"""Free bodies on elastic cables beside MuJoCo, an engine that was written by others.

Both models are made from one ``Scene`` (``mujoco_models.py``). What differs between the engines:

* Here a cable is a row with one impulse, by the rule of ``kernels/multibody/rows.py``; there it is
  a spring on the right side of Newton's equations, integrated by Runge-Kutta of fourth order, whose
  own error is far below ours.
* Here a tension is the mean over a step, so that of an instant is the mean of both steps beside it.
* Here a rope goes slack or taut for a whole step, there at any of the four stages.

The tolerance is derived, not tuned. ``spook`` makes the period of a stretching mode too long by (w
h)^2 / 12, and its explicit half (leapfrog) makes the periods of slow swinging too short by half of
that. So with the frequency w of the fastest stretching mode a run of t seconds is late by no more
than t (w h)^2 / 12, and off by no more than that times the largest speed, spin and rate of tension.
The mean over two steps takes another (w h)^2 / 4 off the swing of a tension, which is its rate over
w, and h / 4 of its rate where the rope gets taut or slack between them.
Under ``regularised`` a mode decays at the rate w^2 h / 2; that takes off v t w h / 2 at most.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Eye, Scene, Sheave, load_scene

pytest.importorskip("mujoco", reason="mujoco is not installed (requirements/bench.txt)")

from mujoco_models import Array, Pace, Track, engine_track, mujoco_track

COARSE, FINE = 1e-3, 5e-4
"""Steps of this engine [s]."""
REFERENCE = 2.5e-4
"""Step of MuJoCo [s]; halving it moves no case by more than a twentieth of the tolerance."""
EVERY = 0.01
"""Time between samples [s]."""


class Case(NamedTuple):
    """A scene, how long it is run [s], and whether its ropes stay taut, so that its errors are
    smooth in the step."""

    build: Callable[[], Scene]
    seconds: float
    taut: bool


def two_boxes() -> Scene:
    """The cubes of the paper's section 5.1, with eccentric ends and sideways velocities; the cable
    pushes, too."""
    scene = load_scene("two_boxes", stiffness=1e3)
    (left, right), (cable,) = scene.bodies, scene.cables
    left = replace(left, velocity=(-0.2, -0.1, 0.0))
    right = replace(right, velocity=(0.2, 0.1, 0.05))
    nodes = (Anchor("left", (1.0, 0.6, 0.3)), Anchor("right", (-1.0, 0.5, -0.4)))
    return replace(scene, bodies=(left, right), cables=(replace(cable, nodes=nodes),))


def atwood() -> Scene:
    """Two swinging and spinning weights on an elastic rope over two eyes; the heavier one sinks by
    4 m."""
    left = Body(
        "left",
        55.0,
        shape=Box(0.3, 0.3, 0.5),
        position=(-0.5, 0.0, -5.25),
        velocity=(0.3, 0.2, 0.0),
    )
    right = Body(
        "right",
        45.0,
        shape=Box(0.2, 0.4, 0.6),
        position=(0.5, 0.0, -5.3),
        velocity=(-0.2, 0.4, 0.0),
        angular_velocity=(0.5, 0.0, 1.0),
    )
    nodes = (
        Anchor("left", (0.0, 0.0, 0.25)),
        Eye("world", (-0.5, 0.0, 0.0)),
        Sheave("world", (0.5, 0.0, 0.0), 1.0),
        Anchor("right", (0.0, 0.0, 0.3)),
    )
    return Scene(bodies=(left, right), cables=(Cable("rope", nodes, stiffness=2e4, length=10.97),))


def movable_pulley() -> Scene:
    """A load that swings and spins on an eye above its centre, in the bight of a rope between two
    anchors."""
    load = Body(
        "load",
        200.0,
        shape=Box(0.6, 0.4, 0.8),
        position=(0.2, 0.1, -4.4),
        velocity=(0.5, 0.3, 0.0),
        angular_velocity=(0.0, 0.0, 0.5),
    )
    nodes = (
        Anchor("world", (-1.0, 0.0, 0.0)),
        Eye("load", (0.05, 0.0, 0.4)),
        Anchor("world", (1.0, 0.0, 0.5)),
    )
    return Scene(bodies=(load,), cables=(Cable("rope", nodes, stiffness=3e4, length=8.71),))


def bifilar() -> Scene:
    """A turned bar that swings on two ropes of different stiffness: two rows on one body."""
    turned = (math.cos(0.1), 0.0, 0.0, math.sin(0.1))
    bar = Body(
        "bar",
        80.0,
        shape=Box(1.6, 0.2, 0.1),
        position=(0.0, 0.1, -3.0),
        orientation=turned,
        velocity=(0.2, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, -0.6),
    )
    ropes = [
        Cable(
            f"rope_{k}",
            (Anchor("world", (x, 0.0, 0.0)), Anchor("bar", (x, 0.0, 0.05))),
            ea=ea,
            length=2.93,
        )
        for k, (x, ea) in enumerate([(-0.8, 4e4), (0.7, 6e4)])
    ]
    return Scene(bodies=(bar,), cables=tuple(ropes))


def catch() -> Scene:
    """A load that is thrown up with its rope slack, falls onto it, and bounces off again and again,
    tumbling."""
    load = Body(
        "load", 100.0, shape=Box(0.5, 0.3, 0.7), position=(0.2, 0.0, -1.5), velocity=(0.3, 0.2, 1.0)
    )
    nodes = (Anchor("world"), Anchor("load", (0.05, 0.0, 0.35)))
    return Scene(bodies=(load,), cables=(Cable("rope", nodes, stiffness=1e4, length=2.0),))


def beads() -> Scene:
    """Two bodies that slide and turn on one rope between anchors; dropped, so that it goes slack
    for a moment."""
    a = Body(
        "a", 30.0, shape=Box(0.5, 0.4, 0.6), position=(1.0, 0.0, -0.75), velocity=(0.0, 0.5, 0.0)
    )
    b = Body(
        "b", 35.0, shape=Box(0.5, 0.4, 0.6), position=(2.5, 0.0, -0.75), velocity=(0.0, -0.4, 0.1)
    )
    nodes = (
        Anchor("world"),
        Eye("a", (0.0, 0.0, 0.2)),
        Eye("b", (0.05, 0.0, 0.2)),
        Anchor("world", (3.5, 0.0, 0.2)),
    )
    return Scene(bodies=(a, b), cables=(Cable("rope", nodes, stiffness=1e4, length=3.86),))


CASES = {
    "two_boxes": Case(two_boxes, 9.0, True),
    "atwood": Case(atwood, 3.0, True),
    "movable_pulley": Case(movable_pulley, 4.0, True),
    "bifilar": Case(bifilar, 4.0, True),
    "catch": Case(catch, 3.0, False),
    "beads": Case(beads, 3.0, False),
}
TAUT = [name for name, case in CASES.items() if case.taut]


@cache
def reference(name: str) -> tuple[Track, Pace]:
    """MuJoCo's run of a case."""
    case = CASES[name]
    return mujoco_track(case.build(), REFERENCE, EVERY, round(case.seconds / EVERY))


@cache
def ours(name: str, dt: float, stepper: str = "spook", stiffer: float = 1.0) -> Track:
    """This engine's run, with all cables stiffer by a factor."""
    case = CASES[name]
    scene = case.build()
    cables = [
        replace(c, ea=stiffer * c.ea) if c.ea else replace(c, stiffness=stiffer * c.stiffness)
        for c in scene.cables
    ]
    return engine_track(
        replace(scene, cables=tuple(cables)), dt, EVERY, round(case.seconds / EVERY), stepper
    )


def errors(track: Track, name: str) -> Array:
    """Largest difference from MuJoCo of positions [m], rotation matrices and tensions [N] over the
    whole run."""
    return np.array(
        [
            np.abs(mine - theirs).max()
            for mine, theirs in zip(track, reference(name)[0], strict=True)
        ]
    )


def tolerances(name: str, dt: float) -> Array:
    """Delay t (w h)^2 / 12 times the largest rates; and for tensions the mean over two steps."""
    pace, seconds = reference(name)[1], CASES[name].seconds
    kink = 0.0 if CASES[name].taut else 0.25 * dt
    delay = (
        np.array([seconds, seconds, seconds + 3.0 / pace.frequency])
        * (pace.frequency * dt) ** 2
        / 12.0
    )
    return (delay + (0.0, 0.0, kink)) * (pace.speed, pace.spin, pace.tension_rate)


@pytest.mark.parametrize("dt", [COARSE, FINE])
@pytest.mark.parametrize("name", CASES)
def test_same_motion_and_tension(name: str, dt: float) -> None:
    """Within the tolerance of the module's docstring at every sample; at least three oscillations
    are in it."""
    assert reference(name)[1].frequency * CASES[name].seconds > 6.0 * np.pi
    assert (errors(ours(name, dt), name) < tolerances(name, dt)).all()


@pytest.mark.parametrize("name", TAUT)
def test_difference_is_the_error_of_second_order(name: str) -> None:
    """Half the step leaves a quarter of it, to 1 %; without it (Richardson) less than a hundredth
    remains."""
    coarse, fine = ours(name, COARSE), ours(name, FINE)
    np.testing.assert_allclose(errors(coarse, name) / errors(fine, name), 4.0, rtol=0.01)
    extrapolated = Track(*((4.0 * f - c) / 3.0 for c, f in zip(coarse, fine, strict=True)))
    assert (errors(extrapolated, name) < 0.01 * errors(fine, name)).all()


def test_regularised_is_of_first_order() -> None:
    """Half the step leaves half of the difference, to 1 %, and it stays below v t w h / 2."""
    coarse, fine = (
        errors(ours("two_boxes", dt, "regularised"), "two_boxes") for dt in (COARSE, FINE)
    )
    np.testing.assert_allclose(coarse / fine, 2.0, rtol=0.01)
    pace, seconds = reference("two_boxes")[1], CASES["two_boxes"].seconds
    allowed = (
        np.array([pace.speed, pace.spin, pace.tension_rate]) * seconds * pace.frequency * FINE / 2.0
    )
    assert (fine < allowed).all()


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.taut])
def test_ropes_do_go_slack_and_catch(name: str) -> None:
    """The cases that are about it: the rope is slack at some samples, taut at later ones, in both
    engines the same."""
    there, here = reference(name)[0].tension[:, 0] > 0.0, ours(name, FINE).tension[:, 0] > 0.0
    assert (there[1:] & ~there[:-1]).any()
    assert (there != here).sum() <= 1


@pytest.mark.parametrize("name", CASES)
def test_one_percent_of_stiffness_shows(name: str) -> None:
    """The comparison is sharp: with ropes 1 % stiffer here, every difference is at least 5 times
    its tolerance."""
    assert (errors(ours(name, FINE, stiffer=1.01), name) > 5.0 * tolerances(name, FINE)).all()
