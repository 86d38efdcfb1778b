"""Runs that can't go on end with an error that names what it was, and leave the state of the step
before."""

import sys

import numpy as np
import pytest
from messages import naming

from cable_sim import Body, Box, Scene, Simulator, Sphere
from cable_sim.errors import StepError
from cable_sim.kernels.records.arrays import arrays_by_name
from cable_sim.kernels.status import OVERSTRAINED, TOO_FAST, TOO_FINE
from cable_sim.spec import Anchor, Cable, Drum, Hybrid, Lumped, Winch

BODY = Body("brick", 10.0, shape=Box(1.0, 2.0, 3.0))


def assert_ends(simulator: Simulator, match: str, steps: int = 1) -> None:
    """One of the next calls fails, and leaves every number of the state as it was, so that whoever
    looks sees it."""
    with pytest.raises(StepError, match=naming(match)):
        for _ in range(2000):
            before = simulator.save()
            simulator.step(steps)
    if steps == 1:
        after = arrays_by_name(simulator.save().state)
        for name, kept in arrays_by_name(before.state).items():
            np.testing.assert_array_equal(after[name], kept, err_msg=name)
    seen = simulator.observe()
    assert np.isfinite(seen.body_position).all() and np.isfinite(seen.energy).all()
    np.testing.assert_allclose(np.linalg.norm(seen.body_orientation, axis=1), 1.0, atol=1e-12)
    assert seen.report.status & (TOO_FAST | OVERSTRAINED)


@pytest.mark.parametrize("solver", ["envelope", "sparse"])
@pytest.mark.parametrize("spin", [1.1e5, 1e10, 1e80, 1e140])
def test_a_body_that_turns_too_fast_is_named(spin: float, solver: str) -> None:
    """Its orientation never becomes NaN."""
    body = Body("brick", 10.0, shape=Box(1.0, 2.0, 3.0), angular_velocity=(spin, spin, 0.0))
    assert_ends(
        Simulator(Scene(bodies=[body]), solver=solver), "faster 1e5 m/s 1e5 rad/s body 'brick'"
    )


@pytest.mark.parametrize("solver", ["envelope", "sparse"])
@pytest.mark.parametrize("force", [1e9, 1e300])
def test_a_body_that_is_pushed_too_fast_is_named(force: float, solver: str) -> None:
    simulator = Simulator(
        Scene(bodies=[Body("still", 1.0, shape=Box(1, 1, 1)), BODY]), solver=solver
    )
    simulator.step(3)
    simulator.push("brick", (force, 0.0, 0.0))
    assert_ends(simulator, "t 0.* s faster 1e5 m/s body 'brick'")


def test_a_run_goes_on_after_what_was_too_fast_is_let_go() -> None:
    """No impulse of the step that failed is left."""
    cable = Cable("r", (Anchor("world"), Anchor("brick")), ea=1e6, damping_time=0.01, length=10.0)
    body = Body("brick", 10.0, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -10.0))
    simulator, other = (Simulator(Scene(bodies=[body], cables=[cable])) for _ in range(2))
    simulator.step(50)
    simulator.push("brick", (1e300, 0.0, 0.0))
    assert_ends(simulator, "faster")
    simulator.push("brick")
    simulator.step(50)
    other.step(100)
    np.testing.assert_array_equal(simulator.observe().body_position, other.observe().body_position)


def test_just_below_the_speed_all_is_well() -> None:
    body = Body(
        "brick",
        10.0,
        shape=Box(1.0, 2.0, 3.0),
        velocity=(9.9e4, 0, 0),
        angular_velocity=(0, 9.9e4, 0),
    )
    simulator = Simulator(Scene(bodies=[body]))
    assert simulator.step(100).status == 0


def test_a_winch_that_is_too_fast_is_named() -> None:
    body = Body("brick", 10.0, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -10.0))
    cable = Cable(
        "r",
        (Drum("world"), Anchor("brick")),
        ea=1e6,
        length=1000.0,
        winch=Winch("drum", 10.0, rate=2e5),
    )
    assert_ends(Simulator(Scene(bodies=[body], cables=[cable])), "winch 'drum' 2e+05 m/s")


def rubber(ea: float, **fields) -> Scene:
    """A load on ten metres of rope, let go where it is not stretched."""
    body = Body("brick", 10.0, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -10.0))
    band = Cable("band", (Anchor("world"), Anchor("brick")), ea=ea, length=10.0, **fields)
    return Scene(bodies=[body], cables=[band])


@pytest.mark.parametrize(
    "fields", [{}, {"lumped": Lumped(11, density=0.1)}, {"hybrid": Hybrid(density=0.1)}]
)
def test_rubber_may_stretch_tenfold_but_not_beyond(fields: dict) -> None:
    """Let go, a load goes twice as far as it hangs: 2 m g L / EA."""
    stretchy = Simulator(rubber(10.0 * 9.81 / 4.4, **fields), dt=2e-3)
    flags, longest = 0, 0.0
    for _ in range(400):
        flags |= stretchy.step(10).status
        longest = max(longest, -stretchy.observe().body("brick").position[2])
    assert not flags & OVERSTRAINED and longest > 80.0
    assert_ends(
        Simulator(rubber(10.0 * 9.81 / 7.0, **fields), dt=2e-3), "eleven times cable 'band'", 10
    )


def test_the_sparse_solver_ends_alike() -> None:
    assert_ends(
        Simulator(rubber(10.0, lumped=Lumped(11, density=0.1)), dt=2e-3, solver="sparse"),
        "cable 'band'",
        10,
    )


def test_a_spring_beside_the_rope_is_no_strain_of_it() -> None:
    """Compliance that does not grow with the rope's length may give any way."""
    body = Body("brick", 10.0, shape=Box(0.1, 0.1, 0.1), position=(0.0, 0.0, -0.1))
    cable = Cable("r", (Anchor("world"), Anchor("brick")), stiffness=20.0, length=0.1)
    simulator = Simulator(Scene(bodies=[body], cables=[cable]))
    for _ in range(40):
        assert simulator.step(50).status == 0


@pytest.mark.parametrize("masses", [10, 20, 40])
def test_a_chain_that_shakes_itself_apart_ends_early(masses: int) -> None:
    """Ten tonnes on a light chain at 5 ms: told as too fine, then an error, before the load is
    thrown about."""
    load = Body(
        "load", 1e4, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, -10.0), velocity=(0.5, 0.0, 0.0)
    )
    chain = Cable(
        "chain",
        (Anchor("world"), Anchor("load")),
        ea=1e7,
        length=10.0,
        lumped=Lumped(masses, density=0.5),
    )
    simulator = Simulator(Scene(bodies=[load], cables=[chain]), dt=5e-3)
    told, start = 0, simulator.observe().energy.total
    with pytest.raises(StepError, match=naming("chain masses cable 'chain'")):
        for _ in range(1000):
            told += simulator.step().status == TOO_FINE
    assert told > 5
    seen = simulator.observe()
    assert np.abs(seen.body_velocity).max() < 10.0
    assert abs(seen.body("load").position[2] + 10.0) < 1.0
    assert np.abs(seen.cable("chain").curve).max() < 20.0
    assert seen.energy.total - start < 2e4


def test_speeds_that_are_no_numbers_are_told_apart() -> None:
    from cable_sim.kernels.multibody.bodies import LARGEST, check_speeds
    from cable_sim.kernels.status import NOT_FINITE, SOLVED

    assert LARGEST == sys.float_info.max
    kinds = np.array([0, 1, 4])
    for value, i, flags in (
        (np.nan, 1, NOT_FINITE),
        (np.inf, 1, NOT_FINITE),
        (1e6, 1, TOO_FAST),
        (-1e300, 1, TOO_FAST),
        (1e300, 2, SOLVED),
        (np.inf, 2, NOT_FINITE),
        (-9e4, 1, SOLVED),
    ):
        velocity = np.zeros((3, 6))
        velocity[i, 4] = value
        assert check_speeds(kinds, velocity) == flags


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_an_inextensible_rope_within_one_body_exerts_no_force(stepper: str) -> None:
    """Just as long as they are apart: its row has no mobility, and gave the body 47 GJ.

    The fall takes m g^2 t h / 2 under regularised, a thousandth of what it gives in 2 s.
    """
    body = Body(
        "b",
        1000.0,
        shape=Box(1.0, 1.0, 1.0),
        position=(0.0, 0.0, 5.0),
        angular_velocity=(0.3, 0.2, 0.1),
    )
    rope = Cable("c", (Anchor("b"), Anchor("b", (0.0, 0.6, 0.8))), length=1.0)
    simulator = Simulator(Scene(bodies=(body,), cables=(rope,)), dt=1e-3, stepper=stepper)
    start = simulator.observe().energy.total
    assert simulator.step(2000).status == 0
    seen = simulator.observe()
    np.testing.assert_allclose(seen.body("b").velocity, (0.0, 0.0, -9.81 * 2.0), atol=1e-9)
    allowed = 1e-6 if stepper == "spook" else 0.5 * 1000.0 * 9.81**2 * 2.0 * 1e-3 + 1e-6
    assert seen.energy.total == pytest.approx(start, abs=allowed)


def dropped(masses: int, density: float, friction: float | None) -> Simulator:
    """1 t that falls 0.5 m on 20 m of light springs."""
    load = Body("load", 1000.0, shape=Sphere(0.2), position=(0.0, 0.0, -19.5))
    springs = Lumped(masses, "springs", density, friction=friction)
    cable = Cable("rope", (Anchor("world"), Anchor("load")), ea=1e7, length=20.0, lumped=springs)
    return Simulator(Scene(bodies=[load], cables=[cable]))


@pytest.mark.parametrize("density", [0.01, 1.0])
@pytest.mark.parametrize("masses", [5, 11])
def test_springs_catch_a_heavy_load_calmly(masses: int, density: float) -> None:
    """The first peak is that of a load on a massless spring, and the second one not higher."""
    simulator = dropped(masses, density, None)
    tension = []
    for _ in range(3000):
        simulator.step()
        tension.append(float(simulator.cables["rope"].tension))
    weight, spring = 1000.0 * 9.81, 1e7 / 20.0
    peak = weight * (1.0 + np.sqrt(1.0 + 2.0 * 0.5 * spring / weight))
    assert max(tension) == pytest.approx(peak, rel=0.02)
    assert max(tension[600:]) < max(tension)
    balance = simulator.observe().energy_balance
    assert balance.gained < 0.0


def test_springs_without_friction_are_named() -> None:
    assert_ends(dropped(11, 0.01, 0.0), "cable 'rope' masses 0.02 kg springs friction")
