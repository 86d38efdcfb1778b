"""Train a neural network by PPO of Stable-Baselines3, which brings PyTorch.

    pip install 'cable_sim[rl]' stable-baselines3
    python examples/rl/train_ppo.py --out results/rl

Prints the mean return and the share of loads that arrived of the last 100 episodes, and saves
network and curve.
"""

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv


class Curve(BaseCallback):
    """Steps, mean return and share of successes after each rollout."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, float, float]] = []

    def _on_step(self) -> bool:
        """Go on."""
        return True

    def _on_rollout_end(self) -> None:
        """Note and print how it stands."""
        ended, arrived = self.model.ep_info_buffer, self.model.ep_success_buffer
        if ended:
            row = (
                self.num_timesteps,
                float(np.mean([one["r"] for one in ended])),
                float(np.mean(arrived)),
            )
            self.rows.append(row)
            print(
                f"{row[0]:8d} steps   mean return {row[1]:7.2f}   arrived {row[2]:4.0%}", flush=True
            )


def draw(rows: list[tuple[int, float, float]], path: Path) -> None:
    """The return over the steps."""
    canvas = FigureCanvasAgg(Figure((6.0, 3.5), dpi=120, layout="constrained"))
    axes = canvas.figure.subplots()
    axes.plot([row[0] for row in rows], [row[1] for row in rows])
    axes.set(xlabel="step", ylabel="mean return of the last 100 episodes")
    axes.grid(alpha=0.3)
    canvas.print_png(path)


def main() -> None:
    """Train, and save what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--env", default="cable_sim/TowerCrane-v0", help="name of the environment")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, default=Path("results/rl"), help="folder for network and curve"
    )
    given = parser.parse_args()
    settings: dict[str, Any] = {"tick": 0.1, "dt": 0.01, "weights": {"discount": 0.99}}
    env = make_vec_env(
        f"cable_sim.environments:{given.env}",
        given.workers,
        given.seed,
        env_kwargs=settings,
        vec_env_cls=SubprocVecEnv,
    )
    model, curve = PPO("MlpPolicy", env, gamma=0.99, seed=given.seed, device="cpu"), Curve()
    model.learn(given.steps, callback=curve, progress_bar=False)
    given.out.mkdir(parents=True, exist_ok=True)
    model.save(given.out / "ppo")
    draw(curve.rows, given.out / "ppo_return.png")
    env.close()
    print(f"network and curve are in {given.out}")


if __name__ == "__main__":
    main()
