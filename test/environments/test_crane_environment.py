"""The environments: Gymnasium's own checker, the same bits for the same seed, and a task that can
be done."""

import math
import warnings

import numpy as np
import pytest
from messages import naming

pytest.importorskip("gymnasium", reason="needs the extra `rl`")
import gymnasium
from gymnasium.utils.env_checker import check_env

from cable_sim.control.feedback import Command
from cable_sim.control.task import Law, Task
from cable_sim.environments import ENVIRONMENTS
from cable_sim.environments.environment import CraneEnv
from cable_sim.errors import CommandError, SpecError

FAST = {"tick": 0.05, "dt": 0.005}
"""For tests in which it does not matter."""


def tower(**settings) -> CraneEnv:
    return CraneEnv(**(ENVIRONMENTS["cable_sim/TowerCrane-v0"] | FAST | settings))


def gantry(**settings) -> CraneEnv:
    return CraneEnv(**(ENVIRONMENTS["cable_sim/GantryCrane-v0"] | FAST | settings))


def wander(env: CraneEnv, steps: int, seed: int) -> list[tuple]:
    """What random actions lead to."""
    random = np.random.default_rng(seed)
    return [
        env.step(random.uniform(-1.0, 1.0, len(env.axes)).astype(np.float32)) for _ in range(steps)
    ]


def patient(task: Task) -> Law:
    """Braking at half of what the axes can, and giving way to the load's swing."""
    axes = {travel.axis: (task.crane.axis(travel.axis), travel.target) for travel in task.travels}

    def law(seen):
        radius = seen.axes["trolley"].position
        swing = {
            "trolley": seen.sway.radial,
            "gantry": seen.sway.tangential,
            "slewing": seen.sway.tangential / radius,
        }
        speeds = {}
        for name, (axis, target) in axes.items():
            way = target - seen.axes[name].position
            braking = min(math.sqrt(axis.max_acceleration * abs(way)), 0.3 * abs(way))
            speeds[name] = math.copysign(braking, way) + 8.0 * swing.get(name, 0.0)
        return speeds

    return law


def play(env: CraneEnv, seed: int, choose) -> tuple[float, dict]:
    """Return of an episode, and what is told at its end."""
    _, info = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(choose(env))
        total, over = total + reward, terminated or truncated
    return total, info


@pytest.mark.parametrize(("name", "measured"), zip(ENVIRONMENTS, (True, False), strict=True))
def test_gymnasium_has_nothing_to_complain_of(name: str, measured: bool) -> None:
    env = gymnasium.make(f"cable_sim.environments:{name}", measured=measured, **FAST)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("make", [tower, gantry])
@pytest.mark.parametrize(
    "settings", [{}, {"measured": True, "wind": (2.0, 8.0)}], ids=["truth", "measured in wind"]
)
def test_observations_stay_in_their_space_and_repeat_to_the_bit(make, settings) -> None:
    told = []
    for _ in range(2):
        env = make(**settings)
        told.append([env.reset(seed=3)[0].tobytes()])
        for observation, reward, terminated, truncated, info in wander(env, 250, seed=5):
            assert observation in env.observation_space
            told[-1].append((observation.tobytes(), reward, terminated, truncated, info))
    assert told[0] == told[1]


def test_each_seed_is_another_task_and_unseeded_resets_continue() -> None:
    env = gantry()
    first, second, third = (env.reset(seed=seed)[0].tobytes() for seed in (1, 2, None))
    assert len({first, second, third}) == 3
    env.reset(seed=2)
    assert env.reset()[0].tobytes() == third


def test_the_observation_says_what_it_is_said_to() -> None:
    env = tower()
    options = {
        "start": {"trolley": 20.0, "hoist": 30.0, "slewing": 0.1},
        "target": {"trolley": 35.0, "hoist": 24.0, "slewing": -0.3},
        "load": 3000.0,
    }
    observation, info = env.reset(seed=0, options=options)
    seen = dict(zip(env.entries, observation.tolist(), strict=True))
    assert len(seen) == len(observation) == 18
    assert seen["slewing.position"] == pytest.approx(0.1 / math.radians(540.0), abs=1e-6)
    assert seen["trolley.position"] == pytest.approx(
        2.0 * (20.0 - 2.8) / (69.5 - 2.8) - 1.0, abs=1e-5
    )
    assert seen["hoist.position"] == pytest.approx(
        2.0 * (30.0 - 3.5) / (63.5 - 3.5) - 1.0, abs=0.05
    )
    depth = env.seen.axes["hoist"].position  # an encoder does not know how far the rope stretches
    assert depth == pytest.approx(30.0, abs=0.2)
    assert (seen["trolley.way"], seen["hoist.way"]) == pytest.approx(
        (1.5, 0.1 * (24.0 - depth)), abs=1e-3
    )
    assert seen["slewing.way"] == pytest.approx(-0.4, abs=1e-5)
    assert seen["load"] == pytest.approx(0.5)
    still = (
        "sway.radial",
        "sway.tangential",
        "sway.radial_rate",
        "trolley.speed",
        "slewing.action",
    )
    assert [seen[name] for name in still] == pytest.approx([0.0] * 5, abs=1e-3)
    x, y, z = info["target"]
    assert (math.hypot(x, y), math.atan2(y, x)) == pytest.approx((35.0, -0.3), abs=0.02)
    assert z == pytest.approx(env.seen.load.position[2] + depth - 24.0, abs=1e-3)
    observation, *_ = env.step(np.array([0.0, 0.5, -1.0], dtype=np.float32))
    moved = dict(zip(env.entries, observation.tolist(), strict=True))
    assert [moved[f"{axis}.action"] for axis in env.axes] == [0.0, 0.5, -1.0]
    assert env.axes == ("slewing", "trolley", "hoist")


def test_what_is_measured_is_near_the_truth() -> None:
    """Both while the load sways by some degrees: with the camera 60 ms late and on slings, which a
    line is not."""
    observed = []
    for measured in (False, True):
        env = tower(measured=measured)
        env.reset(seed=8, options={"start": {"trolley": 25.0}, "target": {"trolley": 35.0}})
        steps = [
            env.step(np.array([0.3, math.cos(0.6 * i * 0.1), 0.1], dtype=np.float32))
            for i in range(150)
        ]
        observed.append(np.array([step[0] for step in steps]))
    true, read = observed
    columns = {name: i for i, name in enumerate(env.entries)}
    assert np.ptp(true[:, columns["sway.radial"]]) > 0.5
    for name, allowed in {
        "trolley.way": 0.03,
        "hoist.way": 0.02,
        "slewing.way": 0.02,
        "rope_length": 0.005,
        "trolley.position": 1e-3,
        "sway.radial": 0.08,
        "load": 0.1,
    }.items():
        assert np.abs(true - read)[:, columns[name]].max() < allowed, name
    assert (
        np.corrcoef(true[:, columns["sway.radial_rate"]], read[:, columns["sway.radial_rate"]])[
            0, 1
        ]
        > 0.8
    )


@pytest.mark.parametrize("make", [tower, gantry])
def test_a_careful_driver_arrives_and_earns_more_than_others(make) -> None:
    def careful(env):
        return env.action_of(law(env.seen))

    def idle(env):
        return np.zeros(len(env.axes), dtype=np.float32)

    random = np.random.default_rng(0)

    def careless(env):
        return random.uniform(-1.0, 1.0, len(env.axes)).astype(np.float32)

    env = make()
    env.reset(seed=11)
    law = patient(env.task)
    earned, info = play(env, 11, careful)
    assert info["is_success"] and not info["failure"]
    assert info["distance"] < env.settings.band and info["load_speed"] < env.settings.calm
    assert info["reward_end"] == 10.0
    for other in (idle, careless):
        less, told = play(env, 11, other)
        assert less < 0.0 < earned
        assert not told["is_success"]


@pytest.mark.parametrize("discount", [1.0, 0.97])
def test_the_shaping_adds_up_to_a_difference_of_potentials(discount: float) -> None:
    """For a gantry, whose load's way along x and z is plain to see."""
    env = gantry(weights={"discount": discount, "progress": 0.2})
    env.reset(seed=4)
    start = np.array(env.seen.load.position)[[0, 2]]
    wanted = {travel.axis: travel.ramps.distance for travel in env.task.travels}
    speeds = {axis.name: axis.max_speed for axis in env.task.crane.axes}

    def potential() -> float:
        x, z = np.array(env.seen.load.position)[[0, 2]] - start
        ways = {"trolley": wanted["trolley"] - x, "hoist": wanted["hoist"] + z}
        return -0.2 * sum(abs(way) / speeds[axis] for axis, way in ways.items())

    first = potential()
    rewards = [step[4]["reward_progress"] for step in wander(env, 120, seed=1)]
    shaped = sum(discount**i * reward for i, reward in enumerate(rewards))
    assert shaped == pytest.approx(discount**120 * potential() - first, abs=1e-4)
    assert abs(shaped) > 0.01


def test_the_reward_is_the_sum_of_its_parts() -> None:
    env = tower()
    env.reset(seed=0)
    env.step(np.array([0.5, 0.0, 0.0], dtype=np.float32))
    _, reward, _, _, info = env.step(np.array([0.0, 1.0, 0.0], dtype=np.float32))
    parts = {
        name.removeprefix("reward_"): value
        for name, value in info.items()
        if name.startswith("reward_")
    }
    assert reward == pytest.approx(sum(parts.values()))
    assert (parts["time"], parts["change"], parts["end"]) == pytest.approx((-0.01, -0.0125, 0.0))
    assert parts["sway"] == pytest.approx(-0.01 * (info["sway"] / 0.1) ** 2)


def test_a_load_that_touches_the_ground_ends_it() -> None:
    env = gantry()
    env.reset(seed=0, options={"start": {"hoist": 16.0}})
    for _ in range(300):
        _, _, terminated, _, info = env.step(np.array([0.0, 1.0], dtype=np.float32))
        if terminated:
            break
    assert (info["failure"], info["is_success"], info["reward_end"]) == ("ground", False, -10.0)


def test_a_limiter_that_trips_ends_it() -> None:
    env = tower()
    env.reset(seed=0, options={"load": 4000.0, "start": {"trolley": 65.0}})
    for _ in range(30):
        _, _, terminated, _, info = env.step(np.zeros(3, dtype=np.float32))
        if terminated:
            break
    assert info["failure"] == "load_moment_limiter"


def test_an_end_of_a_way_ends_nothing() -> None:
    env = gantry()
    env.reset(seed=0, options={"start": {"hoist": 5.0}})
    for _ in range(150):
        *_, terminated, _, info = env.step(np.array([0.0, -1.0], dtype=np.float32))
        assert not terminated, info["failure"]
    assert env.seen.axes["hoist"].position < 3.8


def test_an_episode_is_truncated_in_time() -> None:
    env = gantry(time_limit=1.0, period=0.2)
    env.reset(seed=0)
    ends = [env.step(np.zeros(2, dtype=np.float32))[3] for _ in range(5)]
    assert ends == [False] * 4 + [True]


def test_a_gantry_that_travels_has_one_axis_more() -> None:
    places = ENVIRONMENTS["cable_sim/GantryCrane-v0"]["places"] | {"gantry": (-20.0, 20.0)}
    env = gantry(places=places)
    observation, _ = env.reset(seed=1)
    assert env.axes == ("gantry", "trolley", "hoist")
    assert observation in env.observation_space
    way = observation[env.entries.index("gantry.way")]
    for _ in range(50):
        observation, *_ = env.step(np.array([math.copysign(1.0, way), 0.0, 0.0], dtype=np.float32))
    assert abs(observation[env.entries.index("gantry.way")]) < abs(way) - 0.1


def test_pictures_show_what_moves() -> None:
    env = tower(render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    assert first.shape == (400, 800, 3) and first.dtype == np.uint8
    for _ in range(30):
        env.step(np.array([1.0, 1.0, 1.0], dtype=np.float32))
    assert (env.render() != first).any()
    assert tower().render() is None


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"crane": "nehe_rope"}, "tower crane gantry"),
        ({"places": {}}, "axis"),
        ({"places": {"luffing": (0.0, 1.0)}}, "slewing trolley hoist luffing"),
        ({"places": {"trolley": (10.0, 80.0)}}, "2.8 69.5 m 10 80"),
        ({"places": {"trolley": (30.0, 20.0)}}, "decrease 30 20"),
        ({"load": (1000.0, 7000.0)}, "carries 6000 kg 7000"),
        ({"load": (5000.0, 5000.0), "places": {"trolley": (50.0, 60.0)}}, "5000 kg 40.*"),
        ({"load": (5800.0, 5800.0)}, "5800 kg 0 m 0.9 load chart"),
        ({"load": (0.0, 1000.0)}, "above 0 kg"),
        (
            {"changes": {"sensors.camera": None, "limiters.hook_twist": None}, "measured": True},
            "sway.radial sway.tangential",
        ),
        ({"period": 0.015}, "tick 0.015 s whole number 0.05"),
        ({"dt": 0.003}, "dt 0.05 s whole number 0.003"),
        ({"band": -1.0}, "band"),
        ({"colour": "red"}, "colour"),
        ({"weights": {"speed": 1.0}}, "speed"),
        ({"render_mode": "human"}, "None rgb_array 'human'"),
    ],
)
def test_settings_that_cant_be_are_refused(settings: dict, says: str) -> None:
    with pytest.raises(SpecError, match=naming(says)):
        tower(**settings)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"mass": 3.0}, "mass start target load wind"),
        ({"start": {"luffing": 3.0}}, "luffing commanded slewing trolley hoist"),
        ({"target": {"trolley": 90.0}}, "trolley 2.8 69.5 m 90"),
        ({"load": 9000.0}, "carries 6000 kg 9000"),
        ({"wind": -3.0}, "speed"),
        ({"load": "heavy"}, "options.load number 'heavy'"),
        ({"start": {"trolley": "far"}}, "options.start.trolley number 'far'"),
        ({"target": 30.0}, "options.target mapping axes coordinates 30.0"),
    ],
)
def test_options_that_cant_be_leave_the_episode_as_it_is(options: dict, says: str) -> None:
    env = tower()
    env.reset(seed=0)
    task = env.task
    with pytest.raises(SpecError, match=naming(says)):
        env.reset(options=options)
    assert env.task is task
    env.step(np.zeros(3, dtype=np.float32))


def test_actions_that_cant_be_are_refused_before_time_passes() -> None:
    env = tower()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(3, dtype=np.float32))
    env.reset(seed=0)
    time = env.seen.time
    with pytest.raises(
        CommandError, match=naming("3 numbers slewing trolley hoist array shape (2,)")
    ):
        env.step(np.zeros(2, dtype=np.float32))
    with pytest.raises(CommandError, match=naming("3 numbers slewing trolley hoist 'up'")):
        env.step("up")
    with pytest.raises(CommandError, match=naming("action nan finite")):
        env.step(np.array([0.0, math.nan, 0.0], dtype=np.float32))
    with pytest.raises(SpecError, match=naming("'luffing' speed slewing trolley hoist")):
        env.action_of({"luffing": 1.0})
    with pytest.raises(SpecError, match=naming("'trolley' speed")):
        env.action_of({"trolley": Command(20.0, "position")})
    assert env.seen.time == time
    assert env.action_of({"trolley": Command(9.0), "hoist": 0.0}).tolist() == [0.0, 1.0, 0.0]
