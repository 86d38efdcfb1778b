"""Train a crane driver by evolution (CMA-ES): two to four gains an axis.

As it is, it takes a quarter of a minute and shows the beginning; ``--generations 20 --episodes 2
--test 20`` trains, in a minute and a half.

    pip install 'cable_sim[rl]'
    python examples/rl/train_cma.py --out results/rl

The driver moves each axis by the way that is left, by its speed and by the sway that it causes.
CMA-ES tries gains on random tasks, the same for all gains of a generation, and moves on towards
those that earned most. All cranes of a generation run at once: ``--population 250 --episodes 4``
has a thousand.
"""

import argparse
import json
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


def make(name: str, cranes: int) -> Any:
    """Cranes that are stepped together, on all processors."""
    return gymnasium.make_vec(
        f"cable_sim.environments:{name}", cranes, autoreset=False, tick=0.1, dt=0.01
    )


def places(crane: Any) -> list[tuple[int, int]]:
    """Row and column of each gain in the matrix from observation to action."""
    columns = {entry: i for i, entry in enumerate(crane.entries)}
    return [(row, columns[f]) for row, axis in enumerate(crane.axes) for f in FEATURES[axis]]


def evaluate(name: str, many: list[Array], seeds: list[int]) -> Array:
    """(n, k, 2) return and success of n drivers in k tasks: n k cranes at once."""
    cranes = make(name, len(many) * len(seeds))
    matrix = np.zeros((*cranes.action_space.shape, cranes.observation_space.shape[1]))
    for (row, column), gains in zip(places(cranes.envs[0]), np.transpose(many), strict=True):
        matrix[:, row, column] = np.repeat(gains, len(seeds))
    seen, _ = cranes.reset(seed=seeds * len(many))
    results = np.zeros((cranes.num_envs, 2))
    over = np.zeros(cranes.num_envs, bool)
    while not over.all():
        actions = np.clip(np.einsum("nij,nj->ni", matrix, seen), -1.0, 1.0)
        seen, rewards, terminated, truncated, info = cranes.step(actions)
        results[:, 0] += rewards
        results[:, 1] = np.where(over, results[:, 1], info["is_success"])
        over = terminated | truncated
    cranes.close()
    return results.reshape(len(many), len(seeds), 2)


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
    parser.add_argument("--generations", type=int, default=3)
    parser.add_argument("--population", type=int, default=8, help="drivers in a generation")
    parser.add_argument("--episodes", type=int, default=1, help="tasks for each of them")
    parser.add_argument("--test", type=int, default=4, help="new tasks at the end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, default=Path("results/rl"), help="folder for the gains and the curve"
    )
    return parser.parse_args()


def main() -> None:
    """Train, print the return of each generation, and try the result on new tasks."""
    given = options()
    number = len(places(make(given.env, 1).envs[0]))
    settings = {"popsize": given.population, "seed": given.seed, "verbose": -9}
    search = cma.CMAEvolutionStrategy(np.zeros(number), 1.0, settings)
    random = np.random.default_rng(given.seed)
    means, bests = [], []
    for generation in track(range(1, given.generations + 1), "training"):
        tried = search.ask()
        seeds = random.integers(10**6, 2**31, given.episodes).tolist()
        results = evaluate(given.env, tried, seeds)
        earned = results[:, :, 0].mean(axis=1)
        search.tell(tried, -earned)
        means.append(float(earned.mean()))
        bests.append(float(earned.max()))
        print(
            f"generation {generation:3d}   mean return {means[-1]:7.2f}   best "
            f"{bests[-1]:7.2f}   arrived {results[:, :, 1].mean():4.0%}"
        )
    gains = search.result.xfavorite
    idle, trained = evaluate(given.env, [np.zeros(number), gains], list(range(given.test)))
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
