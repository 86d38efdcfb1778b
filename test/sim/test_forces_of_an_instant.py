"""Forces at the time of an observation: means of the steps before and behind it."""

import pytest
from messages import naming

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.errors import SpecError
from cable_sim.sim.observation import Observation

EA = 2e5
LENGTH = 5.0
RADIUS = 0.1


def two_observations(h: float) -> tuple[Observation, Observation]:
    """Observe a bouncing load about 0.1 s after its start."""
    ball = Body("ball", 100.0, shape=Sphere(RADIUS), position=(0.0, 0.0, -LENGTH))
    rope = Cable("rope", (Anchor("world"), Anchor("ball")), ea=EA, length=LENGTH)
    simulator = Simulator(Scene(bodies=(ball,), cables=(rope,)), dt=h)
    simulator.step(round(0.1 / h))
    first = simulator.observe()
    simulator.step(1)
    return first, simulator.observe()


def force_errors(h: float) -> tuple[float, float]:
    """Return how far the tension is from that of the stretch, as it stands and at its time [N]."""
    seen, following = two_observations(h)
    stretch = seen.cable("rope").length - LENGTH
    right = EA * stretch / LENGTH
    timely = seen.at_its_time(following)
    assert timely.cable("rope").node_force[1, 2] == pytest.approx(timely.tension("rope"))
    return abs(seen.tension("rope") - right), abs(timely.tension("rope") - right)


def test_tension_at_its_time_is_of_second_order() -> None:
    first, timely = force_errors(2e-3)
    half_first, half_timely = force_errors(1e-3)
    assert 1.8 < first / half_first < 2.2
    assert 3.7 < timely / half_timely < 4.3
    assert timely < 0.05 * first


def test_everything_else_stays_as_it_was() -> None:
    seen, following = two_observations(1e-3)
    timely = seen.at_its_time(following)
    assert timely.body("ball").position is not None
    assert (timely.body("ball").position == seen.body("ball").position).all()
    assert not timely.span_tension.flags.writeable


def test_a_later_observation_is_refused() -> None:
    seen, following = two_observations(1e-3)
    with pytest.raises(SpecError, match=naming(f"step {seen.steps}")):
        following.at_its_time(seen)
