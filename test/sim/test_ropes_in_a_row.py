"""Ropes that cannot stretch, one behind another: statics in every step, and swings beside the
equations of a double pendulum."""

import math
import re
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from slow_cases import slow_but

from cable_sim import Anchor, Body, Box, Cable, Joint, Scene, Simulator, Sphere
from cable_sim.kernels.status import ENERGY_LOST

G = 9.81
STEPS = [2.5e-4, 1e-3, 1e-2, 1 / 60]
STEPPERS = ["spook", "regularised"]


def errors(scene: Scene, tensions: dict[str, float], dt: float, stepper: str) -> float:
    """Return the largest relative error of a tension in any of 300 steps."""
    simulator = Simulator(scene, dt=dt, stepper=stepper)
    worst = 0.0
    for _ in range(300):
        assert simulator.step().status == 0
        for name, right in tensions.items():
            worst = max(worst, abs(float(simulator.cables[name].tension) / right - 1.0))
    return worst


def elastic(tension: float) -> dict[str, float]:
    return {"ea": 1e3 * tension, "damping_ratio": 0.1, "pretension": tension}


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("above", ["rigid", "elastic"])
@pytest.mark.parametrize("count", [2, 5, 10])
def test_weights_in_a_row_rest(count: int, above: str, dt: float, stepper: str) -> None:
    random = np.random.default_rng(count)
    mass = np.exp(random.uniform(0.0, 8.0, count))
    depth = np.cumsum(random.uniform(0.5, 9.0, count))
    tension = [G * mass[i:].sum() for i in range(count)]
    names = ["world", *(f"weight_{i}" for i in range(count))]
    bodies = [
        Body(name, m, shape=Sphere(0.1), position=(0.0, 0.0, -z))
        for name, m, z in zip(names[1:], mass, depth, strict=True)
    ]
    ropes = [
        Cable(f"rope_{i}", [Anchor(names[i]), Anchor(names[i + 1])])
        if i or above == "rigid"
        else Cable("rope_0", [Anchor("world"), Anchor("weight_0")], **elastic(tension[0]))
        for i in range(count)
    ]
    right = {f"rope_{i}": t for i, t in enumerate(tension)}
    assert errors(Scene(bodies=bodies, cables=ropes), right, dt, stepper) < 1e-9


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("dt", STEPS)
def test_jib_rests_on_its_luffing_rope(dt: float, stepper: str) -> None:
    length, mast, angle = 36.0, np.array([-4.0, 0.0, 11.0]), math.radians(40.0)
    tip = length * np.array([math.cos(angle), 0.0, math.sin(angle)])
    turn = (math.cos(-0.5 * angle), 0.0, math.sin(-0.5 * angle), 0.0)
    inertia = (500.0, 5200.0 * length**2 / 12.0, 5200.0 * length**2 / 12.0)
    bodies = [
        Body("jib", 5200.0, inertia=inertia, position=tuple(0.5 * tip), orientation=turn),
        Body("hook", 300.0, shape=Sphere(0.2), position=tuple(tip - (0.0, 0.0, 6.0))),
        Body("load", 1900.0, shape=Sphere(0.5), position=tuple(tip - (0.0, 0.0, 9.0))),
    ]
    ropes = [
        Cable("luffing", [Anchor("world", tuple(mast)), Anchor("jib")]),
        Cable("hoist", [Anchor("jib", (0.5 * length, 0.0, 0.0)), Anchor("hook")]),
        Cable("sling", [Anchor("hook"), Anchor("load")]),
    ]
    along = (mast - 0.5 * tip) / np.linalg.norm(mast - 0.5 * tip)
    arm = np.cross(0.5 * tip, along)[1]
    right = {
        "luffing": abs(G * (5200.0 * 0.5 * tip[0] + 2200.0 * tip[0]) / arm),
        "hoist": 2200.0 * G,
        "sling": 1900.0 * G,
    }
    heel = Joint("heel", "hinge", "jib", axis=(0.0, 1.0, 0.0))
    assert errors(Scene(bodies=bodies, joints=[heel], cables=ropes), right, dt, stepper) < 1e-7


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("dt", STEPS)
def test_four_slings_rest(dt: float, stepper: str) -> None:
    load = Body("load", 4000.0, shape=Box(3.0, 2.0, 1.0), position=(0.0, 0.0, -13.5))
    hook = Body("hook", 200.0, shape=Sphere(0.2), position=(0.0, 0.0, -10.0))
    corners = [(x, y, 0.5) for x in (-1.5, 1.5) for y in (-1.0, 1.0)]
    slings = [
        Cable(f"sling_{i}", [Anchor("hook"), Anchor("load", corner)])
        for i, corner in enumerate(corners)
    ]
    scene = Scene(
        bodies=[load, hook], cables=[Cable("hoist", [Anchor("world"), Anchor("hook")]), *slings]
    )
    each = 1000.0 * G * math.sqrt(1.5**2 + 1.0**2 + 9.0) / 3.0
    right = {"hoist": 4200.0 * G, **{sling.name: each for sling in slings}}
    assert errors(scene, right, dt, stepper) < 1e-9


@cache
def double_pendulum(masses, lengths, angles, dt, count):
    """Return the tensions of a planar double pendulum that starts at rest (count, 2)."""
    times = dt * np.arange(1, count + 1)
    (m, n), (a, b) = masses, lengths

    def accelerations(y):
        s, c = math.sin(y[0] - y[1]), math.cos(y[0] - y[1])
        matrix = [[(m + n) * a * a, n * a * b * c], [n * a * b * c, n * b * b]]
        force = [
            -n * a * b * s * y[3] ** 2 - (m + n) * G * a * math.sin(y[0]),
            n * a * b * s * y[2] ** 2 - n * G * b * math.sin(y[1]),
        ]
        return np.linalg.solve(matrix, force)

    path = solve_ivp(
        lambda t, y: [y[2], y[3], *accelerations(y)],
        (0.0, times[-1]),
        [*angles, 0.0, 0.0],
        t_eval=times,
        rtol=1e-10,
        atol=1e-12,
    )
    found = []
    for y in path.y.T:
        along = [np.array([math.sin(x), -math.cos(x)]) for x in y[:2]]
        across = [np.array([math.cos(x), math.sin(x)]) for x in y[:2]]
        turn = accelerations(y)
        near = a * (turn[0] * across[0] - y[2] ** 2 * along[0])
        far = near + b * (turn[1] * across[1] - y[3] ** 2 * along[1])
        lower = -n * (far + (0.0, G)) @ along[1]
        found.append((-(m * (near + (0.0, G)) - lower * along[1]) @ along[0], lower))
    return np.array(found)


def two_in_a_row(masses, lengths, angles) -> Scene:
    """Return a hook below the world and a load below the hook, on ropes that can't stretch."""
    upper = np.array([lengths[0] * math.sin(angles[0]), 0.0, -lengths[0] * math.cos(angles[0])])
    reach = np.array([lengths[1] * math.sin(angles[1]), 0.0, -lengths[1] * math.cos(angles[1])])
    bodies = [
        Body("hook", masses[0], shape=Sphere(0.1), position=tuple(upper)),
        Body("load", masses[1], shape=Sphere(0.5), position=tuple(upper + reach)),
    ]
    ropes = [
        Cable("hoist", [Anchor("world"), Anchor("hook")]),
        Cable("sling", [Anchor("hook"), Anchor("load")]),
    ]
    return Scene(bodies=bodies, cables=ropes)


@pytest.mark.parametrize(
    ("hook", "dt", "stepper"),
    slow_but(
        {(25.0, 1e-2, "spook"), (400.0, 1e-3, "spook"), (25.0, 1e-2, "regularised")},
        product((25.0, 400.0), (1e-3, 1e-2), STEPPERS),
    ),
)
def test_swings_have_the_tensions_of_a_double_pendulum(hook: float, dt: float, stepper) -> None:
    masses, lengths, angles = (hook, 4000.0), (20.0, 6.0), (0.1, 0.12)
    simulator = Simulator(two_in_a_row(masses, lengths, angles), dt=dt, stepper=stepper)
    count = round(20.0 / dt)
    found = np.empty((count, 2))
    for i in range(count):
        assert simulator.step().status == 0
        found[i] = [float(simulator.cables[rope].tension) for rope in ("hoist", "sling")]
    right = double_pendulum(masses, lengths, angles, dt, count)
    later = slice(count // 2, None)  # a mode that were driven would have grown by then
    np.testing.assert_allclose(found[later].max(axis=0), right[later].max(axis=0), rtol=1e-3)
    np.testing.assert_allclose(found[later].min(axis=0), right[later].min(axis=0), rtol=1e-3)
    np.testing.assert_allclose(found[later].std(axis=0), right[later].std(axis=0), rtol=1e-2)


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize(
    ("masses", "lengths", "angles"),
    [((25.0, 4000.0), (20.0, 5.0), (0.2, -0.1)), ((60.0, 1900.0), (7.0, 11.0), (-0.5, 0.3))],
)
def test_light_hook_that_is_whipped_straight(masses, lengths, angles, dt, stepper) -> None:
    """Each time the ropes get straight the hook is thrown through; no rope lets go meanwhile."""
    simulator = Simulator(two_in_a_row(masses, lengths, angles), dt=dt, stepper=stepper)
    count = round(8.0 / dt)
    start = simulator.observe().energy.total
    tensions, kinetic, potential = np.empty((count, 2)), np.empty(count), np.empty(count)
    for i in range(count):
        simulator.step()
        seen = simulator.observe()
        tensions[i] = seen.tension("hoist"), seen.tension("sling")
        kinetic[i], potential[i] = seen.energy.kinetic, seen.energy.potential
    if stepper == "regularised":  # its kinetic energy is that of half a step before the pose
        kinetic[:-1] = 0.5 * (kinetic[:-1] + kinetic[1:])
    last_second = slice(-round(1.0 / dt), -1)
    end = np.median(kinetic[last_second] + potential[last_second])
    assert abs(end - start) < 0.003 * seen.energy_balance.at_play
    right = double_pendulum(masses, lengths, angles, dt, count)
    assert tensions.min() > 0.8 * right.min()
    np.testing.assert_allclose(tensions.max(axis=0), right.max(axis=0), rtol=3000.0 * dt**2)


@pytest.mark.parametrize("stepper", STEPPERS)
def test_loss_of_a_swing_that_is_not_followed_is_told(stepper) -> None:
    """The status names the ropes and the step that would do, as far as such a run can know."""
    scene = two_in_a_row((25.0, 25000.0), (20.0, 5.0), (0.2, -0.1))
    dt = 1 / 60
    lost = []
    for _ in range(8):
        simulator = Simulator(scene, dt=dt, stepper=stepper)
        for _ in range(round(5.0 / dt)):
            simulator.observe()
            simulator.step()
        gained, at_play = simulator.observe().energy_balance
        lost.append(-gained / at_play)
        if not simulator.report.status & ENERGY_LOST:
            break
        told = re.findall(r"cable '\w+': (\S+) s", simulator.explain())
        dt = min(float(step) for step in told)
    assert lost[0] > 0.1 and lost[-1] < 0.01
    assert dt > 4e-4  # what follows the swing at its peak, by the double pendulum: 0.75 ms


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("dt", [1e-3, 1 / 60])
def test_jerk_out_of_slack_is_no_loss_to_tell(dt: float, stepper: str) -> None:
    """A load that falls into its rope loses its speed rightly, also below a hook."""
    bodies = [
        Body("hook", 50.0, shape=Sphere(0.1), position=(0.0, 0.0, -5.0)),
        Body("load", 900.0, shape=Sphere(0.1), position=(0.0, 0.0, -6.0)),
    ]
    ropes = [
        Cable("hoist", [Anchor("world"), Anchor("hook")]),
        Cable("sling", [Anchor("hook"), Anchor("load")], length=3.0),
    ]
    simulator = Simulator(Scene(bodies=bodies, cables=ropes), dt=dt, stepper=stepper)
    start = simulator.observe().energy.total
    for _ in range(round(2.0 / dt)):
        assert simulator.step().status == 0
    assert start - simulator.observe().energy.total > 0.9 * 900.0 * G * 2.0


def test_rows_that_stay_apart_have_no_impulse() -> None:
    """A sling with 10 cm of slack pulls first when it is taut: no earlier, no later."""
    bodies = [
        Body("hook", 50.0, shape=Sphere(0.1), position=(0.0, 0.0, -5.0)),
        Body("load", 50.0, shape=Sphere(0.1), position=(0.0, 0.0, -8.0)),
    ]
    ropes = [
        Cable("hoist", [Anchor("world"), Anchor("hook")]),
        Cable("sling", [Anchor("hook"), Anchor("load")], length=3.1),
    ]
    simulator = Simulator(Scene(bodies=bodies, cables=ropes))
    taut = round(math.sqrt(0.2 / G) / 1e-3)
    for step in range(1, taut + 3):
        simulator.step()
        pulls = float(simulator.cables["sling"].tension) > 0.0
        if step != taut:
            assert pulls == (step > taut)
