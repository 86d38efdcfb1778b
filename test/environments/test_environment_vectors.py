"""Several environments as one: each of them goes as it would alone, to the bit."""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs the extra `rl`")
import gymnasium

NAME = "cable_sim.environments:cable_sim/GantryCrane-v0"
SETTINGS = {"dt": 0.005, "time_limit": 2.0, "measured": True}
SEEDS = [5, 6]


@pytest.mark.parametrize("mode", ["sync", "async"])
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
