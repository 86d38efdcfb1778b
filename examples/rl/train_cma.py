"""Train a crane driver by evolution (CMA-ES): two to four gains an axis, about two minutes of a
processor.

    pip install 'cable_sim[rl]'
    python examples/rl/train_cma.py --out results/rl

The driver moves each axis by the way that is left, by its speed and by the sway that it causes.
CMA-ES tries gains on random tasks, the same for all gains of a generation, and moves on towards
those that earned most.
"""

import argparse
import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import cma
import gymnasium
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.progress import track

FEATURES = {
    "trolley": ("trolley.way", "trolley.speed", "sway.radial", "sway.radial_rate"),
    "slewing": ("slewing.way", "slewing.speed", "sway.tangential", "sway.tangential_rate"),
    "gantry": ("gantry.way", "gantry.speed", "sway.tangential", "sway.tangential_rate"),
    "hoist": ("hoist.way", "hoist.speed"),
}
"""What the gains of each axis multiply."""

Array = NDArray[np.float64]


class Driver:
    """An environment and a way to play it; one in each process."""

    def __init__(self, name: str) -> None:
        self.env: Any = gymnasium.make(
            f"cable_sim.environments:{name}", tick=0.1, dt=0.01
        ).unwrapped
        columns = {entry: i for i, entry in enumerate(self.env.entries)}
        self.places = [
            (row, columns[f]) for row, axis in enumerate(self.env.axes) for f in FEATURES[axis]
        ]

    def play(self, gains: Array, seed: int) -> tuple[float, bool]:
        """Return of an episode, and whether the load arrived."""
        matrix = np.zeros((len(self.env.axes), len(self.env.entries)))
        for (row, column), gain in zip(self.places, gains, strict=True):
            matrix[row, column] = gain
        observation, _ = self.env.reset(seed=seed)
        total, over, info = 0.0, False, {}
        while not over:
            action = np.clip(matrix @ observation, -1.0, 1.0)
            observation, reward, terminated, truncated, info = self.env.step(action)
            total, over = total + reward, terminated or truncated
        return total, info["is_success"]


def begin(name: str) -> None:
    """Make the driver of a process."""
    global driver
    driver = Driver(name)


def play(job: tuple[Array, int]) -> tuple[float, bool]:
    """One episode of it."""
    return driver.play(*job)


def evaluate(pool: Any, many: list[Array], seeds: list[int]) -> Array:
    """(n, k, 2) return and success of n drivers in k tasks."""
    jobs = [(gains, seed) for gains in many for seed in seeds]
    return np.array(pool.map(play, jobs, chunksize=1)).reshape(len(many), len(seeds), 2)


def draw(means: list[float], bests: list[float], path: Path) -> None:
    """The return over the generations."""
    canvas = FigureCanvasAgg(Figure((6.0, 3.5), dpi=120, layout="constrained"))
    axes = canvas.figure.subplots()
    axes.plot(range(1, len(means) + 1), bests, label="best of a generation")
    axes.plot(range(1, len(means) + 1), means, label="mean of a generation")
    axes.set(xlabel="generation", ylabel="return")
    axes.grid(alpha=0.3)
    axes.legend()
    canvas.print_png(path)


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--env", default="cable_sim/TowerCrane-v0", help="name of the environment")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--population", type=int, default=8, help="drivers in a generation")
    parser.add_argument("--episodes", type=int, default=2, help="tasks for each of them")
    parser.add_argument("--test", type=int, default=20, help="new tasks at the end")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, default=Path("results/rl"), help="folder for the gains and the curve"
    )
    return parser.parse_args()


def main() -> None:
    """Train, print the return of each generation, and try the result on new tasks."""
    given = options()
    number = len(Driver(given.env).places)
    settings = {"popsize": given.population, "seed": given.seed, "verbose": -9}
    search = cma.CMAEvolutionStrategy(np.zeros(number), 1.0, settings)
    random = np.random.default_rng(given.seed)
    means, bests = [], []
    with multiprocessing.get_context("spawn").Pool(given.workers, begin, (given.env,)) as pool:
        for generation in track(range(1, given.generations + 1), "training"):
            tried = search.ask()
            results = evaluate(pool, tried, random.integers(10**6, 2**31, given.episodes).tolist())
            earned = results[:, :, 0].mean(axis=1)
            search.tell(tried, -earned)
            means.append(float(earned.mean()))
            bests.append(float(earned.max()))
            print(
                f"generation {generation:3d}   mean return {means[-1]:7.2f}   best "
                f"{bests[-1]:7.2f}   arrived {results[:, :, 1].mean():4.0%}"
            )
        gains = search.result.xfavorite
        idle, trained = evaluate(pool, [np.zeros(number), gains], list(range(given.test)))
    for name, result in (("idle", idle), ("trained", trained)):
        print(
            f"{name:8s} mean return {result[:, 0].mean():7.2f}   arrived "
            f"{result[:, 1].mean():4.0%} of {given.test} new tasks"
        )
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "cma_gains.json").write_text(
        json.dumps({"env": given.env, "gains": gains.tolist()})
    )
    draw(means, bests, given.out / "cma_return.png")
    print(f"gains and curve are in {given.out}")


if __name__ == "__main__":
    main()
