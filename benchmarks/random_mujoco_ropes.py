"""Random boxes on random ropes in MuJoCo: ``python -m benchmarks.random_mujoco_ropes [STEP]``.

Boxes of 0.1 kg to 10 t hang on up to four ropes over up to three sheaves with and without losses,
of EA 10 kN to 10 GN, most of them unresolved, and fall and swing for four seconds. Told are the
scenes whose energy grows by more than 5 % of what a fall of two metres gives, those whose steps
fail, and steps in which friction does not settle.
"""

import sys
import warnings
from typing import Any

import mujoco
import numpy as np

from benchmarks.mujoco_ropes import G
from cable_sim import Anchor, Cable, Drum, MujocoRopes, Sheave, StepError, Winch

SCENES = 150
SECONDS = 4.0
GROWN = 0.05


def scene(seed: int, h: float) -> tuple[Any, Any, list[Cable]]:
    """Return model, data and cables of a seed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    bodies = ""
    for i in range(n):
        x, y, z = rng.uniform(-2, 2), rng.uniform(-2, 2), rng.uniform(2, 6)
        mass = 10 ** rng.uniform(-1, 4)
        bodies += f"""<body name="b{i}" pos="{x} {y} {z}"><freejoint/><geom type="box"
            size=".2 .3 .25" mass="{mass}" contype="0" conaffinity="0"/></body>"""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{h}"><flag energy="enable"/></option><worldbody>
        <site name="top" pos="0 0 12"/><site name="side" pos="1 1 11"/>{bodies}</worldbody>
        </mujoco>"""
    )
    ea = 10 ** rng.uniform(4, 10)

    def point() -> tuple[float, float, float]:
        x, y, z = rng.uniform(-0.2, 0.2, 3).tolist()
        return x, y, z

    cables = []
    for c in range(int(rng.integers(1, 5))):
        nodes: list[Any] = [Drum("top", point())]
        for _ in range(int(rng.integers(0, 4))):
            on = ["top", "side"][rng.integers(2)] if rng.random() < 0.4 else f"b{rng.integers(n)}"
            loss = float(rng.choice([1.0, 0.95, 0.8]))
            nodes.append(Sheave(on, point(), efficiency=loss))
        nodes.append(Anchor(f"b{rng.integers(n)}", point()))
        damping = float(rng.choice([0.0, 0.002, 0.02]))
        winch = Winch(f"winch{c}")
        cables.append(Cable(f"r{c}", nodes, ea=ea, damping_time=damping, winch=winch))
    return model, mujoco.MjData(model), cables


def growth(model: Any, data: Any, cables: list[Cable], ropes: MujocoRopes) -> float:
    """Return the largest growth of energy in a run, over that of a fall of two metres."""
    energies = []
    for _ in range(40):
        ropes.step(round(SECONDS / 40 / model.opt.timestep))
        stretch = sum(ropes.read(cable.name).energy for cable in cables)
        energies.append(data.energy.sum() + stretch)
    return float((max(energies) - energies[0]) / (2.0 * G * model.body_mass.sum()))


def main() -> None:
    """Run all scenes, with a step of the first argument [s] or of 2 ms."""
    h = float(sys.argv[1]) if len(sys.argv) > 1 else 2e-3
    mujoco.set_mju_user_warning(lambda _: None)
    warnings.simplefilter("ignore")
    told = {"grown": 0, "grown untold": 0, "swift": 0, "failed": 0, "unsettled": 0}
    for seed in range(SCENES):
        model, data, cables = scene(seed, h)
        ropes = MujocoRopes(model, data, cables)
        try:
            grown = growth(model, data, cables, ropes)
        except StepError as error:
            print(f"{seed}: {error}")
            told["failed"] += 1
            continue
        if grown > GROWN:
            print(f"{seed}: energy grows by {grown:.3f}, {ropes.swift} swift steps")
            told["grown" if ropes.swift else "grown untold"] += 1
        told["swift"] += ropes.swift > 0
        if ropes.unsettled:
            print(f"{seed}: friction does not settle in {ropes.unsettled} steps")
            told["unsettled"] += 1
    print(f"{SCENES} scenes at {1e3 * h:g} ms: {told}")


if __name__ == "__main__":
    main()
