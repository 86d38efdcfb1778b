"""Golden runs: a digest of every scene and crane, by which a change that should change nothing is
shown to do so.

``python -m benchmarks.golden before.json`` writes the digests where there is no such file, and
compares with it where there is one. Each run goes 2,000 steps, of a crane's machine ticks, with
both steppers and drives that go to and fro; every observation is digested to the last bit. Digests
hold for one machine and its numba alone.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from rich.progress import track

from cable_sim import Scene, Simulator, load_scene
from cable_sim.cranes import crane_names, load_crane
from cable_sim.errors import CableSimError
from cable_sim.machine.machine import Machine
from cable_sim.scenes import scene_names
from cable_sim.sim.observation import Observation

STEPS = 2000
SEEN = 10
TURN = 250
"""Steps or ticks of a run; steps between observations; and steps or ticks between commands."""
SHARES = (0.5, 1.0, -0.3, 0.0, 1.0, 1.0, -0.8, 0.0)
"""Shares of the largest speeds, one after another."""


def add(digest, seen: Observation) -> None:
    """Add all arrays and numbers of an observation to a digest."""
    for name in Observation.__annotations__:
        if name != "names":
            digest.update(np.array(getattr(seen, name)).tobytes())


def run_scene(scene: Scene, stepper: str) -> str:
    """Return the digest of a scene's run, or of how it ended."""
    simulator = Simulator(scene, stepper=stepper)
    digest = hashlib.sha256()
    try:
        for step in range(0, STEPS, SEEN):
            if step % TURN == 0:
                for drive in scene.drives:
                    simulator.command(
                        drive.name, SHARES[step // TURN] * min(drive.max_speed, 1.0), "speed"
                    )
            simulator.step(SEEN)
            add(digest, simulator.observe())
    except CableSimError as error:
        digest.update(str(error).encode())
    return digest.hexdigest()


def run_crane(name: str, stepper: str) -> str:
    """Return the digest of a crane's run under its machine."""
    machine = Machine(load_crane(name), stepper=stepper)
    digest = hashlib.sha256()
    for tick in range(STEPS):
        for axis in machine.crane.axes:
            machine.command(axis.name, SHARES[tick // TURN] * axis.max_speed)
        add(digest, machine.tick())
    return digest.hexdigest()


def main(path: Path) -> int:
    """Write or compare the digests of all runs."""
    runs = [(run_scene, load_scene, name) for name in scene_names()]
    runs += [(run_crane, str, name) for name in crane_names()]
    found = {}
    for run, load, name in track(runs, "golden runs"):
        for stepper in ("spook", "regularised"):
            found[f"{run.__name__} {name} {stepper}"] = run(load(name), stepper)
    if not path.exists():
        path.write_text(json.dumps(found, indent=1))
        return 0
    before = json.loads(path.read_text())
    changed = sorted(name for name in found | before if found.get(name) != before.get(name))
    print("\n".join(changed) or f"{len(found)} runs are the same to the bit")
    return int(bool(changed))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
