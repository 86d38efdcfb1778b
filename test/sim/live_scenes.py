"""Scenes of all kinds, at work, for tests of live views, recordings and laws."""

from typing import Any

import numpy as np

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator, Sphere
from cable_sim.scenes import load_scene
from cable_sim.sim.observation import Observation

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
    for name in seen.names.bodies:
        found |= {f"bodies.{name}.{key}": v for key, v in seen.body(name)._asdict().items()}
    for name in seen.names.joints:
        joint = seen.joint(name)
        for key in ("position", "velocity", "force", "torque"):
            found[f"joints.{name}.{key}"] = getattr(joint, key)
    for name in seen.names.drives:
        drive = seen.drive(name)
        for key in ("position", "velocity", "reference", "effort"):
            found[f"drives.{name}.{key}"] = getattr(drive, key)
    for name in seen.names.carriages:
        found[f"carriages.{name}.position"] = seen.carriage(name).position
    for name in seen.names.cables:
        cable = seen.cable(name)
        for key in ("tension", "length_paid_out", "length_rate", "slack", "torque"):
            found[f"cables.{name}.{key}"] = getattr(cable, key)
    return found


def row_of(simulator: Simulator, channels: list[str]) -> list[float]:
    """The values of channels by full names, from an observation."""
    found = seen_of(simulator.observe())
    return np.concatenate([np.ravel(np.array(found[name], float)) for name in channels]).tolist()
