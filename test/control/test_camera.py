"""When pictures are new and how old they are, against the truth that a crane's camera has seen."""

import math

import pytest

from cable_sim.control.methods.sway_camera import Camera
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.cranes import load_crane

TRUTH = {
    "rig.start.state": "hanging",
    "rig.start.trolley": -3.0,
    "site.stacks": (),
    "limiters": None,
}


def looked_at(
    period: float, duration: float, **camera: float
) -> tuple[Camera, list[tuple[int, float]], list[float]]:
    """A camera's teller, and by tick what it took for new pictures; and the true sway at each
    tick."""
    sensor = {"rate": 30.0, "delay": 0.08, "noise": 0.0, "dropout": 0.0, "quantum": 0.0} | camera
    crane = load_crane(
        "rtg_41t", TRUTH | {f"sensors.camera.{name}": value for name, value in sensor.items()}
    )
    plant = LocalPlant(crane, dt=5e-3, period=period)
    teller = Camera(next(s for s in crane.sensors if s.name == "sway.radial"), period)
    seen, pictures, truth = plant.reset(), [], []
    while seen.time < duration:
        assert seen.sway is not None
        truth.append(seen.sway.radial)
        if teller.look(seen.time, seen.readings["sway.radial"]) is not None:
            pictures.append((len(truth) - 1, seen.readings["sway.radial"]))
        seen = plant.step({"trolley": 0.8})
    return teller, pictures, truth


@pytest.mark.parametrize(
    "period, rate, delay",
    [(0.01, 30.0, 0.08), (0.01, 25.0, 0.055), (0.02, 100.0, 0.0), (0.01, 60.0, 0.03)],
)
def test_every_picture_is_what_was_there_when_it_was_taken(
    period: float, rate: float, delay: float
) -> None:
    teller, pictures, truth = looked_at(period, 4.0, rate=rate, delay=delay)
    assert teller.age * period == pytest.approx(delay, abs=period)
    expected = min(rate, 1.0 / period) * (4.0 - teller.age * period)
    assert len(pictures) == pytest.approx(expected, abs=2)
    assert len({value for _, value in pictures}) > 0.9 * len(pictures)
    for tick, reading in pictures:
        assert reading == pytest.approx(truth[tick - teller.age], abs=1e-12)


def test_a_lost_picture_is_none() -> None:
    """Of a camera with noise, readings that have not changed at all are old ones."""
    _, some, _ = looked_at(0.01, 4.0, noise=1e-4, dropout=0.4)
    assert len(some) == pytest.approx(0.6 * 30.0 * 3.9, abs=20)
    assert all(a[1] != b[1] for a, b in zip(some, some[1:], strict=False))


def test_the_time_since_the_last_picture_includes_a_dropout() -> None:
    sensor = next(s for s in load_crane("rtg_41t").sensors if s.name == "sway.radial")
    camera = Camera(sensor, 0.01)
    readings = {k: 0.001 * k for k in range(100)} | {k: math.nan for k in range(30, 60)}
    told = {k: camera.look(0.01 * k, reading) for k, reading in sorted(readings.items())}
    new = [k for k, since in told.items() if since is not None]
    assert not set(new) & set(range(30, 60))
    after = next(k for k in new if k >= 60)
    before = max(k for k in new if k < 30)
    assert told[after] == pytest.approx(0.01 * (after - before))
