"""Sensors, quantities and limiters by themselves: what they measure is a wind that the tests
make."""

import dataclasses
import math

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.devices import Block, Chart, Limiter, Quantity, Sensor
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.devices.supervision import supervise
from cable_sim.machine.plc import Plc
from cable_sim.sim.simulator import Simulator

TICK = 0.01
UP = Block("hoist", -1)


class Clock:
    """A simulator whose time is set, and in which nothing moves."""

    def __init__(self, simulator: Simulator) -> None:
        self.names, self.truth, self.time = simulator.names, simulator.truth, 0.0


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t")


@pytest.fixture(scope="module")
def simulator(crane):
    return Simulator(crane.scene)


@pytest.fixture
def make(crane, simulator):
    def made(sensors=(), quantities=(), limiters=()):
        parts = {"sensors": sensors, "quantities": quantities, "limiters": limiters}
        return Plc(dataclasses.replace(crane, **parts), Clock(simulator), TICK)

    return made


def look(plc):
    """Take samples and decide, as a machine does in its tick; True if a limiter changed."""
    return supervise(plc._simulator.time, *plc.records)


def allowed(plc):
    """Shares of its largest speed that each axis may have, positive and negative."""
    return plc.records[3].allowed.tolist()


def looks(plc, wind, count=None, begin=0):
    """Looks every tick while the wind is a function of time or a number: readings and states of the
    limiters."""
    found = []
    for tick in range(begin, begin + (count or 1)):
        plc._simulator.time = tick * TICK
        plc.set_wind(wind(tick * TICK) if callable(wind) else wind)
        look(plc)
        found.append((plc.readings, plc.limits))
    return found


def readings(plc, wind, count, name="wind", begin=0):
    return np.array([values[name] for values, _ in looks(plc, wind, count, begin)])


def states(plc, winds, name="guard", begin=0):
    return [looks(plc, wind, 1, begin + i)[0][1][name] for i, wind in enumerate(winds)]


def wind_sensor(**settings):
    return Sensor("wind", "wind.speed", **settings)


def test_a_perfect_sensor_reads_the_signal(make):
    assert readings(make([wind_sensor()]), lambda t: 3.0 * t, 50) == pytest.approx(
        3.0 * TICK * np.arange(50)
    )


@pytest.mark.parametrize("delay", [0.01, 0.025, 0.03, 0.08])
def test_a_delay_is_exact(make, delay):
    """What was there ``delay`` ago, to the bit; before that the first sample, as if it had always
    been so."""
    x = readings(make([wind_sensor(delay=delay)]), lambda t: 5.0 + t, 40)
    behind = np.maximum(np.arange(40) - math.ceil(delay / TICK - 1e-9), 0)
    assert (x == 5.0 + np.array([k * TICK for k in behind])).all()


def test_a_slow_sensor_holds_its_sample(make):
    """30 Hz at ticks of 10 ms: sample k at the first tick at or after k / 30 s."""
    x = readings(make([wind_sensor(rate=30.0)]), lambda t: t, 40)
    ticks = [math.ceil(k / 30.0 / TICK - 1e-9) for k in range(20)]
    expected = [max(t for t in ticks if t <= n) * TICK for n in range(40)]
    assert x == pytest.approx(expected, abs=1e-12)


def test_the_filter_is_that_of_first_order(make):
    """The answer to a step: 1 - exp(-t / tau)."""
    plc = make([wind_sensor(filter=0.05)])
    looks(plc, 0.0)
    x = readings(plc, 1.0, 30, begin=1)
    assert x == pytest.approx(1.0 - np.exp(-TICK * np.arange(1, 31) / 0.05), rel=1e-12)


def test_noise_is_that_of_its_deviation_and_seed(make):
    n = 4000
    x, same = (readings(make([wind_sensor(noise=0.2, bias=1.0, seed=5)]), 3.0, n) for _ in range(2))
    other = readings(make([wind_sensor(noise=0.2, bias=1.0, seed=6)]), 3.0, n)
    assert (x == same).all() and not (x == other).any()
    assert abs(x.mean() - 4.0) < 4.0 * 0.2 / math.sqrt(n)
    assert x.std() == pytest.approx(0.2, rel=4.0 / math.sqrt(2.0 * n))


def test_readings_are_clipped_and_rounded(make):
    x = readings(make([wind_sensor(quantum=0.25, range=(-1.0, 2.0))]), lambda t: 100.0 * t - 2.0, 6)
    assert x.tolist() == [-1.0, -1.0, 0.0, 1.0, 2.0, 2.0]
    assert readings(make([wind_sensor(quantum=0.25)]), 0.37, 1)[0] == 0.25
    assert readings(make([wind_sensor(quantum=0.25)]), 0.38, 1)[0] == 0.5


def test_lost_samples_are_as_many_as_said_and_leave_the_reading(make):
    n, p = 4000, 0.3
    x = readings(make([wind_sensor(dropout=p, timeout=math.inf)]), lambda t: t, n)
    lost = x != TICK * np.arange(n)
    assert lost.mean() == pytest.approx(p, abs=4.0 * math.sqrt(p * (1.0 - p) / n))
    before = np.flatnonzero(lost)
    assert (x[before] == x[before - 1]).all()


def test_a_sensor_without_samples_is_invalid_after_its_timeout(make):
    plc = make([wind_sensor(dropout=0.999999, timeout=0.035)])
    x = readings(plc, 2.0, 8)
    assert (x[:4] == 2.0).all() and np.isnan(x[4:]).all()


FAULTS = [
    ({"bias": 0.5}, lambda t: t + 0.5),
    ({"scale": 2.0}, lambda t: 2.0 * t),
    ({"drift": 3.0}, lambda t: t + 3.0 * (t - 0.1)),
    ({"frozen": True}, lambda t: np.full_like(t, 0.1)),
    ({"dead": True}, lambda t: np.full_like(t, np.nan)),
]


@pytest.mark.parametrize(
    ("fault", "expected"), FAULTS, ids=[next(iter(fault)) for fault, _ in FAULTS]
)
def test_a_fault_is_what_it_says_from_now_on_until_it_is_cleared(make, fault, expected):
    plc = make([wind_sensor()])
    readings(plc, lambda t: t, 11)  # the last at 0.1 s
    plc.fault("wind", **fault)
    t = TICK * np.arange(11, 21)
    np.testing.assert_allclose(readings(plc, lambda t: t, 10, begin=11), expected(t), rtol=1e-12)
    plc.fault("wind")
    assert readings(plc, lambda t: t, 1, begin=21)[0] == pytest.approx(21 * TICK)


A, B, C = (
    Sensor(name, "wind.speed", bias=bias) for name, bias in (("a", 1.0), ("b", 2.0), ("c", 4.0))
)
QUANTITIES = [
    (Quantity("x", "sum", ("a", "b", "c"), (1.0, 10.0, 100.0), 0.5), 421.5),
    (Quantity("x", "magnitude", ("a",), (-2.0,), 0.5), 1.5),
    (Quantity("x", "least", ("a", "b", "c"), (1.0, 1.0, -1.0), 0.5), -3.5),
    (Quantity("x", "largest", ("a", "b", "c")), 4.0),
    (Quantity("x", "larger_share", ("a", "b", "c"), (1.0, 1.0, -1.0)), 4.0 / 7.0),
    (Quantity("x", "larger_share", ("a", "b", "c"), (1.0, 1.0, -1.0), 7.0), 0.5),
    (Quantity("x", "chart_share", ("a", "c"), chart=Chart(2.0, 4.0, 1.0, 1.0, 6.0)), 0.5),
    (Quantity("x", "chart_share", ("a", "c"), chart=Chart(2.0, 3.0, 1.0, 1.0, 6.0)), 1.0),
    (Quantity("x", "chart_share", ("a", "c"), chart=Chart(2.0, 3.0, 9.0, 1.0, 6.0)), 1.0),
]


@pytest.mark.parametrize(("quantity", "expected"), QUANTITIES)
def test_quantities(make, quantity, expected):
    plc = make((A, B, C), (quantity,))
    assert readings(plc, 0.0, 1, "x")[0] == pytest.approx(expected, rel=1e-12)
    plc.fault(quantity.inputs[-1], dead=True)
    assert math.isnan(readings(plc, 0.0, 1, "x", begin=1)[0])


def test_a_rate_is_that_over_its_window(make):
    plc = make((wind_sensor(),), (Quantity("x", "rate", ("wind",), window=0.05),))
    x = readings(plc, lambda t: t**2, 30, "x")
    t = TICK * np.arange(30)
    before = np.maximum(t - 0.05, 0.0)
    expected = (t[1:] ** 2 - before[1:] ** 2) / (t[1:] - before[1:])
    assert x[0] == 0.0
    assert x[1:] == pytest.approx(expected, rel=1e-9)


def test_a_miscalibration_scales_the_computed_quantity(make):
    plc = make((A,), (Quantity("x", "sum", ("a",), (3.0,), -1.0),))
    plc.miscalibrate("x", 2.0)
    assert readings(plc, 0.0, 1, "x")[0] == 5.0
    plc.miscalibrate("x")
    assert readings(plc, 0.0, 1, "x", begin=1)[0] == 2.0


def guard(**settings):
    return (Limiter("guard", "wind", **({"trip": 10.0, "blocks": (UP,)} | settings)),)


PATHS = [
    (
        "warning with hysteresis",
        {"warn": 8.0, "reset": 9.0},
        [7.9, 8.0, 7.5, 6.9],
        "ok warning warning ok",
    ),
    ("trip and reset", {"reset": 9.0}, [9.9, 10.0, 9.5, 8.9, 9.5], "ok tripped tripped ok ok"),
    ("delay", {"delay": 0.02}, [10, 10, 10, 9, 9], "pending pending tripped tripped ok"),
    (
        "a bounce",
        {"delay": 0.02, "reset": 9.0},
        [10, 10, 10, 8, 9, 8, 8],
        "pending pending tripped tripped tripped tripped ok",
    ),
    ("a shorter peak", {"delay": 0.02}, [10, 10, 9, 10, 10], "pending pending ok pending pending"),
    (
        "latch",
        {"latch": True, "reset": 9.0},
        [10, 9.5, 8, 9.5, 11],
        "tripped tripped latched latched tripped",
    ),
    (
        "under",
        {"sense": "under", "warn": 12.0, "reset": 11.0},
        [13, 12, 9, 11, 12],
        "ok warning tripped tripped warning",
    ),
]


@pytest.mark.parametrize(
    ("settings", "winds", "expected"), [path[1:] for path in PATHS], ids=[p[0] for p in PATHS]
)
def test_the_states_of_a_limiter(make, settings, winds, expected):
    plc = make((wind_sensor(),), (), guard(**settings))
    assert states(plc, map(float, winds)) == expected.split()


def test_a_tripped_limiter_blocks_its_motion_alone(make):
    blocks = (UP, Block("trolley", 1, 0.3), Block("trolley", -1, 0.5))
    also = Limiter(
        "also", "wind", 12.0, blocks=(Block("trolley", 1, 0.2), Block("slewing", 1)), stop=1
    )
    strict = Limiter("strict", "wind", 14.0, stop=0, emergency_brake=True)
    plc = make((wind_sensor(),), (), (*guard(blocks=blocks), also, strict))
    for tick, (wind, shares, stop, brake) in enumerate(
        (
            (9.0, [[1, 1], [1, 1], [1, 1]], None, False),
            (10.0, [[1, 1], [0.3, 0.5], [1, 0]], None, False),
            (12.0, [[0, 1], [0.2, 0.5], [1, 0]], 1, False),
            (14.0, [[0, 1], [0.2, 0.5], [1, 0]], 0, True),
        )
    ):
        looks(plc, wind, begin=tick)
        braking = bool(plc.records[3].stop[1])
        assert (allowed(plc), plc.stop, braking) == (shares, stop, brake)


def test_a_latch_opens_only_on_a_reset_after_the_danger(make):
    plc = make((wind_sensor(),), (), guard(latch=True))
    assert states(plc, [11.0]) == ["tripped"]
    plc.reset_latches()
    assert states(plc, [11.0, 5.0], begin=1) == ["tripped", "latched"]
    plc.reset_latches()
    assert states(plc, [5.0], begin=3) == ["ok"]


@pytest.mark.parametrize("latch", [False, True])
def test_a_limiter_without_its_sensor_acts_at_once(make, latch):
    plc = make((wind_sensor(),), (), guard(delay=1.0, latch=latch))
    assert states(plc, [5.0]) == ["ok"]
    plc.fault("wind", dead=True)
    plc._simulator.time = TICK
    assert look(plc)
    assert plc.limits["guard"] == "invalid" and allowed(plc)[2] == [1.0, 0.0]
    plc.fault("wind")
    assert states(plc, [5.0], begin=2) == ["latched" if latch else "ok"]


def test_a_bypassed_limiter_does_nothing_and_says_so(make):
    plc = make((wind_sensor(),), (), guard(latch=True))
    plc.bypass("guard", True)
    plc.fault("wind", dead=True)
    assert states(plc, [11.0]) == ["bypassed"] and allowed(plc)[2] == [1.0, 1.0]
    plc.fault("wind")
    plc.bypass("guard", False)
    assert states(plc, [11.0, 9.0], begin=1) == ["tripped", "latched"]


def test_a_restored_control_goes_on_to_the_bit(make):
    sensor = wind_sensor(noise=1.0, delay=0.04, filter=0.03, dropout=0.2, rate=60.0, timeout=1.0)
    made = (sensor,), (Quantity("x", "rate", ("wind",), window=0.05),), guard(delay=0.03, reset=9.0)
    plc, fresh = make(*made), make(*made)

    def gusts(t):
        return 9.0 + 3.0 * math.sin(7.0 * t)

    plc.fault("wind", drift=0.4)
    looks(plc, gusts, 37)
    saved = plc.save()
    expected = looks(plc, gusts, 100, begin=37)
    for other in (plc, fresh):
        other.restore(saved)
        assert repr(looks(other, gusts, 100, begin=37)) == repr(expected)
    assert len({seen["guard"] for _, seen in expected}) > 2
    plc.reset()
    assert repr(looks(plc, gusts, 30)) == repr(looks(make(*made), gusts, 30))


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            ((Sensor("a", "wind.sped"),),),
            ["sensor 'a'", "'wind.sped'", "wind.speed", "hoist_rope.pull"],
        ),
        (((A, A),), ["'a'", "twice"]),
        (
            ((A,), (Quantity("x", "sum", ("y",)), Quantity("y", "sum", ("a",)))),
            ["quantity 'x'", "'y'", "known are a"],
        ),
        (((A,), (), (Limiter("l", "b", 1.0, stop=1),)), ["limiter 'l'", "'b'", "known are a"]),
        (
            ((A,), (), (Limiter("l", "a", 1.0, blocks=(Block("boom", 1),)),)),
            ["'boom'", "slewing, trolley, hoist"],
        ),
    ],
)
def test_names_that_lead_nowhere_are_refused(make, parts, words):
    with pytest.raises(SpecError) as error:
        make(*parts)
    assert all(word in str(error.value) for word in words)


def test_wrong_orders_to_the_control_are_refused(make):
    plc = make((A,), (Quantity("x", "sum", ("a",)),), ())
    for wrong in (
        lambda: plc.fault("b"),
        lambda: plc.fault("a", bias=math.nan),
        lambda: plc.bypass("guard", True),
        lambda: plc.miscalibrate("x", math.inf),
        lambda: plc.miscalibrate("y"),
    ):
        with pytest.raises(CommandError):
            wrong()
