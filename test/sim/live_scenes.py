"""Scenes of all kinds, at work, for tests of live views, recordings and laws."""

from typing import Any

import numpy as np

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator, Sphere
from cable_sim.scenes import load_scene
from cable_sim.sim.observation import Observation
from cable_sim.sim.readings.quantities import READ

KINDS = ("tower_crane", "chain_on_hook", "wire_over_beam", "stacked_boxes", "nehe_rope")
"""A crane, masses on a hook, a hybrid wire over an obstacle, boxes, a carriage."""


def started(kind: str, steps: int = 0) -> Simulator:
    """A simulator some steps after the start, with its drives in motion."""
    simulator = Simulator(load_scene(kind))
    for k, drive in enumerate(simulator.drives):
        simulator.command(drive, 0.1 + 0.1 * k, "speed")
    simulator.step(steps)
    return simulator


def hovering() -> Simulator:
    """A load on a rope below a body that can be pushed, at 1 ms."""
    bodies = [
        Body("quad", 2.0, shape=Box(0.4, 0.4, 0.1), position=(0.0, 0.0, 10.0)),
        Body("load", 0.5, shape=Sphere(0.05), position=(0.5, 0.0, 7.04)),
    ]
    return Simulator(
        Scene(bodies=bodies, cables=[Cable("rope", [Anchor("quad"), Anchor("load")])]), dt=1e-3
    )


def seen_of(seen: Observation) -> dict[str, Any]:
    """All quantities that channels have too, by the channels' full names."""
    found: dict[str, Any] = {"time": seen.time, "energy": seen.energy}
    for kind, view in (
        ("bodies", seen.body),
        ("joints", seen.joint),
        ("drives", seen.drive),
        ("cables", seen.cable),
        ("wheels", seen.wheel),
    ):
        for name in getattr(seen.names, kind):
            values = view(name)
            found |= {f"{kind}.{name}.{key}": getattr(values, key) for key in READ[kind]}
    for name in seen.names.carriages:
        found[f"carriages.{name}.position"] = seen.carriage(name).position
    return found


def row_of(simulator: Simulator, channels: list[str]) -> list[float]:
    """The values of channels by full names, from an observation."""
    found = seen_of(simulator.observe())
    return np.concatenate([np.ravel(np.array(found[name], float)) for name in channels]).tolist()
