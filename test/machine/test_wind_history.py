"""Winds over time: gusts, spectra, files, their sums, and the machine that they blow on."""

import math

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import ConfigError, SpecError
from cable_sim.machine.machine import Machine
from cable_sim.machine.wind import History, gust_reading, harmonics, read_wind, speed_and_direction
from cable_sim.spec.files import parse_spec, to_yaml
from cable_sim.spec.wind import FromFile, Gust, Static, Steady, Turbulence, Weather


def speeds(history: History, times: np.ndarray) -> np.ndarray:
    return np.array([history(t)[0] for t in times])


@pytest.mark.parametrize(
    ("wind", "speed"),
    [
        (Steady(7.0), 7.0),
        (Static("light"), 14.0),
        (Static(), 20.0),
        (Static("heavy"), 28.5),
        (Static("out_of_service", region="D", years=50), 1.4 * 32.0),
        (Static("out_of_service", region="C", years=50, height=160.0), 28.0 * (0.4 + 16.0**0.14)),
    ],
)
def test_constant_winds(wind, speed: float) -> None:
    assert History([wind])(3.0) == pytest.approx([speed, 0.0, 0.0])
    assert History([wind])(1e6) == pytest.approx([speed, 0.0, 0.0])


def test_static_winds_have_the_pressures_of_the_standards() -> None:
    """q = 0.625 v^2: 125, 250, 500 Pa in service."""
    assert [
        0.625 * Static(state).speed ** 2 for state in ("light", "normal", "heavy")
    ] == pytest.approx([122.5, 250.0, 507.7], abs=0.1)


def test_gust_is_one_minus_cosine() -> None:
    history = History([Gust(20.0, base=10.0, start=5.0, duration=8.0)])
    found = speeds(history, np.array([0.0, 5.0, 7.0, 9.0, 11.0, 13.0, 20.0]))
    assert found == pytest.approx([10.0, 10.0, 15.0, 20.0, 15.0, 10.0, 10.0])


def test_directions_and_sums() -> None:
    """A direction is where it blows to, anticlockwise from x; parts add up as vectors."""
    history = History(
        [
            Steady(3.0, 90.0),
            Steady(4.0, 180.0),
            Gust(1.0, start=0.0, duration=2.0, direction_deg=-90.0),
        ]
    )
    assert history(50.0) == pytest.approx([-4.0, 3.0, 0.0])
    assert history(1.0) == pytest.approx([-4.0, 2.0, 0.0])
    speed, direction = speed_and_direction(history(50.0))
    assert (speed, math.degrees(direction)) == pytest.approx(
        (5.0, 90.0 + math.degrees(math.atan2(4.0, 3.0)))
    )


@pytest.mark.parametrize("spectrum", ["kaimal", "davenport"])
def test_turbulence_has_its_variance_and_spectrum(spectrum: str) -> None:
    """Over ten hours: mean and sigma to 2 %, and in bands of frequency the variance that the
    formula integrates to."""
    wind = Turbulence(15.0, 0.2, spectrum=spectrum, seed=4, harmonics=1000)
    times = np.arange(0.0, 36000.0, 0.25)
    speed = speeds(History([wind]), times)
    assert speed.mean() == pytest.approx(15.0, rel=0.02)
    assert speed.std() == pytest.approx(3.0, rel=0.02)
    frequency = np.fft.rfftfreq(times.size, 0.25)
    power = 2.0 * np.abs(np.fft.rfft(speed - speed.mean())) ** 2 / times.size**2
    for low, high in ((0.005, 0.02), (0.02, 0.1), (0.1, 1.0)):
        f = np.geomspace(low, high, 2000)
        x = f * wind.scale / 15.0
        density = (
            4.0 * x / (1 + 6 * x) ** (5 / 3)
            if spectrum == "kaimal"
            else 2 / 3 * x**2 / (1 + x**2) ** (4 / 3)
        )
        expected = 9.0 * np.trapezoid(density / f, f)
        assert power[(frequency >= low) & (frequency < high)].sum() == pytest.approx(
            expected, rel=0.1
        )


def test_turbulence_is_a_function_of_seed_and_time() -> None:
    one, same, other = (History([Turbulence(12.0, seed=seed)]) for seed in (3, 3, 4))
    late = one(77.0)
    assert (one(5.0) == same(5.0)).all()
    assert (same(77.0) == late).all()
    assert abs(other(5.0)[0] - one(5.0)[0]) > 1e-3
    assert harmonics(Turbulence(12.0, 0.1, harmonics=50))[2] ** 2 / 2.0 * 50 == pytest.approx(
        1.2**2
    )


def test_gust_reading_is_the_mean_of_three_seconds() -> None:
    """Of a 1-cos gust at the end of the 3 s around its peak: base + half (1 + sin(3 pi / T) T / 3
    pi)."""
    history = History([Gust(20.0, base=10.0, start=10.0, duration=7.0)])
    mean = 10.0 + 5.0 * (1.0 + math.sin(3.0 * math.pi / 7.0) * 7.0 / (3.0 * math.pi))
    assert gust_reading(history, 15.0) == pytest.approx(mean, rel=1e-3)
    assert gust_reading(history, 5.0) == pytest.approx(10.0)


def test_wind_from_a_file(tmp_path) -> None:
    """Linear in between, through north as a vector, and as at its ends outside."""
    path = tmp_path / "wind.csv"
    path.write_text("# measured\nt,speed,direction_deg\n0,4,0\n\n10, 4, 90\n20,8,90\n")
    history = History([FromFile(str(path))])
    assert history(-5.0) == pytest.approx([4.0, 0.0, 0.0], abs=1e-12)
    assert history(5.0) == pytest.approx([2.0, 2.0, 0.0])
    assert history(15.0) == pytest.approx([0.0, 6.0, 0.0], abs=1e-12)
    assert history(99.0) == pytest.approx([0.0, 8.0, 0.0], abs=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", [":1:1: ", "t,speed,direction_deg, not nothing"]),
        ("t,v\n0,1\n", [":1:1: ", "not t, v"]),
        ("t,speed,direction_deg\n", ["no wind below"]),
        (
            "t,speed,direction_deg\n0,1,2\n1,a,3\n2,-1,0\n1,1,1\n",
            [":3:1: ", "1,a,3", ":4:1: speed", "-1", ""],
        ),
        ("t,speed,direction_deg\n5,1,2\n5,1,3\n", [":3:1: t: must be above 5", "not 5"]),
        ("t,speed,direction_deg\n5,1,nan\n1,2\n", [":2:1: ", "finite", ":3:1: "]),
    ],
)
def test_file_that_says_no_wind_is_refused(tmp_path, text: str, words) -> None:
    path = tmp_path / "wind.csv"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read_wind(str(path))
    assert all(word in str(error.value) for word in words), str(error.value)


def test_missing_file_is_named() -> None:
    with pytest.raises(ConfigError, match=naming("nowhere.csv such")):
        History([FromFile("nowhere.csv")])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Steady(-1.0), ["speed", "-1"]),
        (lambda: Gust(20.0, duration=0.0), ["duration", "0"]),
        (lambda: Static("storm"), ["state", "storm"]),
        (lambda: Static("out_of_service", region="Z"), ["region", "Z"]),
        (lambda: Turbulence(10.0, spectrum="white"), ["spectrum", "white"]),
        (lambda: Weather(exponent=2.0), ["exponent", "0 ... 1", "2"]),
    ],
)
def test_winds_that_can_not_be_are_refused(make, words) -> None:
    with pytest.raises(SpecError) as error:
        make()
    assert all(word in str(error.value) for word in words), str(error.value)


WEATHER = """
sum_of:
  - {kind: turbulence, speed: 10.0, intensity: 0.1, direction_deg: 90.0, seed: 7}
  - {kind: gust, peak: 5.0, start: 30.0}
  - {kind: static, state: heavy}
  - {kind: steady, speed: 2.0}
  - {kind: file, path: wind.csv}
exponent: 0.14
"""


def test_weather_from_yaml_and_back() -> None:
    weather = parse_spec(WEATHER, Weather)
    assert weather.sum_of[0] == Turbulence(10.0, 0.1, 90.0, seed=7)
    assert weather.sum_of[1] == Gust(5.0, start=30.0)
    assert parse_spec(to_yaml(weather), Weather) == weather


def test_weather_that_is_none_is_refused_in_its_place() -> None:
    with pytest.raises(ConfigError) as error:
        parse_spec(WEATHER.replace("kind: gust", "kind: tornado"), Weather)
    assert "<text>:4:" in str(error.value)
    assert "tornado" in str(error.value)


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t", {"rig.start.state": "hanging", "rig.start.hook_depth": 30.0})


def test_machine_blows_its_wind_tick_by_tick(crane) -> None:
    """``wind_now`` is that of the tick; the load leans out of it; reset and None bring calm."""
    machine = Machine(crane)
    assert machine.wind == ()
    assert (machine.wind_now == 0.0).all()
    machine.wind = Gust(15.0, duration=4.0, direction_deg=90.0)
    assert machine.wind == (Gust(15.0, duration=4.0, direction_deg=90.0),)
    for _ in range(200):
        seen = machine.tick()
    assert machine.wind_now == pytest.approx(
        [0.0, History(machine.wind)(machine.time - machine.tick_time)[1], 0.0]
    )
    assert seen.body("load").position[1] > 0.01
    machine.reset()
    assert (machine.wind_now == 0.0).all()
    machine.wind = [Steady(3.0), Steady(1.0)]
    assert machine.wind_now == pytest.approx([4.0, 0.0, 0.0])
    machine.wind = None
    assert (machine.wind_now == 0.0).all()


def test_machine_starts_in_the_wind_of_the_crane_or_its_own() -> None:
    windy = load_crane("tower_12t", {"wind.sum_of": (Steady(9.0, 180.0),), "wind.exponent": 0.14})
    assert windy.scene.air.exponent == 0.14
    assert Machine(windy).wind_now == pytest.approx([-9.0, 0.0, 0.0])
    assert Machine(windy, wind=Steady(5.0)).wind_now == pytest.approx([5.0, 0.0, 0.0])
    assert (Machine(windy, wind=()).wind_now == 0.0).all()


def test_a_wind_that_can_not_be_read_leaves_the_one_that_blows(crane) -> None:
    machine = Machine(crane, wind=Steady(3.0))
    with pytest.raises(ConfigError, match="nowhere"):
        machine.wind = FromFile("nowhere.csv")
    machine.tick()
    assert machine.wind == (Steady(3.0),) and machine.wind_now == pytest.approx([3.0, 0.0, 0.0])
