"""Several environments as one: each of them goes as it would alone, to the bit."""

import numpy as np
import pytest
from messages import naming

pytest.importorskip("gymnasium", reason="needs the extra `rl`")
import gymnasium

from cable_sim.errors import CommandError

NAME = "cable_sim.environments:cable_sim/GantryCrane-v0"
SETTINGS = {"dt": 0.005, "time_limit": 2.0, "measured": True}
SEEDS = [5, 6]


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync", "async"])
def test_each_goes_as_it_would_alone(mode: str) -> None:
    """Over the end of an episode: the next one begins with the step after it."""
    vector = gymnasium.make_vec(NAME, len(SEEDS), mode, **SETTINGS)
    alone = [gymnasium.make(NAME, **SETTINGS) for _ in SEEDS]
    try:
        together, _ = vector.reset(seed=SEEDS)
        apart = [env.reset(seed=seed)[0] for env, seed in zip(alone, SEEDS, strict=True)]
        assert together.tobytes() == np.array(apart).tobytes()
        random = np.random.default_rng(0)
        for _ in range(20):
            actions = random.uniform(-1.0, 1.0, vector.action_space.shape).astype(np.float32)
            together, rewards, _, truncated, info = vector.step(actions)
            steps = [env.step(action) for env, action in zip(alone, actions, strict=True)]
            assert together.tobytes() == np.array([step[0] for step in steps]).tobytes()
            assert rewards.tolist() == [step[1] for step in steps]
            assert info["distance"].tolist() == [step[4]["distance"] for step in steps]
        assert truncated.all()
        together, *_ = vector.step(actions)
        assert together.tobytes() == np.array([env.reset()[0] for env in alone]).tobytes()
    finally:
        vector.close()


TOWER = "cable_sim.environments:cable_sim/TowerCrane-v0"


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_and_numbers_of_environments_change_nothing(threads: int) -> None:
    """Five environments in one call, and one after the other."""
    settings = {"dt": 0.005, "tick": 0.02, "time_limit": 1.0, "wind": (2.0, 6.0)}
    vector = gymnasium.make_vec(TOWER, 5, threads=threads, **settings)
    alone = [gymnasium.make(TOWER, **settings) for _ in range(5)]
    together, _ = vector.reset(seed=3)
    apart = [env.reset(seed=3 + i)[0] for i, env in enumerate(alone)]
    assert together.tobytes() == np.array(apart).tobytes()
    random = np.random.default_rng(1)
    for _ in range(9):
        actions = random.uniform(-1.0, 1.0, (5, 3)).astype(np.float32)
        together, rewards, *_ = vector.step(actions)
        steps = [env.step(action) for env, action in zip(alone, actions, strict=True)]
        assert together.tobytes() == np.array([step[0] for step in steps]).tobytes()
        assert rewards.tolist() == [step[1] for step in steps]
    vector.close()


def test_gymnasiums_vector_wrappers_take_it() -> None:
    vector = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        gymnasium.make_vec(NAME, 3, **SETTINGS)
    )
    vector.reset(seed=1)
    for _ in range(20):
        seen, *_, truncated, info = vector.step(vector.action_space.sample())
        assert vector.observation_space.contains(seen)
    assert truncated.all()
    assert info["episode"]["l"].tolist() == [20, 20, 20]
    vector.close()


def test_a_mask_resets_only_what_it_names() -> None:
    vector = gymnasium.make_vec(NAME, 3, **SETTINGS)
    vector.reset(seed=1)
    before, *_ = vector.step(np.full((3, 2), 0.5, np.float32))
    mask = np.array([False, True, False])
    after, _ = vector.reset(seed=[None, 9, None], options={"reset_mask": mask})
    assert (after == before).all(axis=1).tolist() == [True, False, True]
    fresh = gymnasium.make(NAME, **SETTINGS).reset(seed=9)[0]
    assert after[1].tobytes() == fresh.tobytes()
    vector.close()


@pytest.mark.parametrize(
    ("actions", "says"),
    [(np.zeros((2, 2)), "actions 3 2 numbers"), (np.full((3, 2), np.nan), "action finite")],
)
def test_actions_that_cant_be_are_refused_before_time_passes(actions, says: str) -> None:
    vector = gymnasium.make_vec(NAME, 3, **SETTINGS)
    vector.reset(seed=1)
    times = [env.machine.time for env in vector.unwrapped.envs]
    with pytest.raises(CommandError, match=naming(says)):
        vector.step(actions)
    assert [env.machine.time for env in vector.unwrapped.envs] == times
    with pytest.raises(CommandError, match=naming("seed 3 values 2")):
        vector.reset(seed=[1, 2])
    vector.close()


def test_without_autoreset_an_ended_episode_stands_still() -> None:
    vector = gymnasium.make_vec(NAME, 2, autoreset=False, **SETTINGS)
    vector.reset(seed=1)
    for _ in range(20):
        last, *_, truncated, _ = vector.step(np.zeros((2, 2), np.float32))
    assert truncated.all()
    seen, rewards, _, truncated, info = vector.step(np.ones((2, 2), np.float32))
    assert seen.tobytes() == last.tobytes()
    assert rewards.tolist() == [0.0, 0.0] and truncated.all() and not info
    vector.reset(seed=[4, None], options={"reset_mask": np.array([True, False])})
    _, _, _, truncated, info = vector.step(np.zeros((2, 2), np.float32))
    assert truncated.tolist() == [False, True]
    assert info["_distance"].tolist() == [True, False]
    vector.close()
