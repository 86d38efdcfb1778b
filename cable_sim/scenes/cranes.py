"""Cranes of the crane catalogue, set up for tests and benchmarks."""

from collections.abc import Mapping
from typing import Any

from cable_sim import cranes  # whose names load on first use: families take long
from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Scene


@scene
def tower_12t_2falls_hanging(
    radius: float = 20.0,
    hook_depth: float = 40.0,
    mass: float = 6000.0,
    model: str = "massless",
    swivel: bool = True,
) -> Scene:
    """The tower crane with its rated load at rest on two falls.

    At the defaults the line pull is 31.1 kN, the load stretches the rope by 0.227 m and bounces
    with 1.05 Hz.

    ``radius`` of the trolley [m], ``hook_depth`` below the trolley sheaves [m], ``mass`` of the
    load [kg], ``model`` of the hoist rope: massless or elevation, ``swivel`` at its dead end,
    without which it has torque.
    """
    return _hanging_scene(2, radius, hook_depth, mass, model, swivel)


@scene
def tower_12t_4falls_hanging(
    radius: float = 20.0,
    hook_depth: float = 40.0,
    mass: float = 12000.0,
    model: str = "massless",
    swivel: bool = True,
) -> Scene:
    """The tower crane with its rated load at rest on four falls and four slings: the slung-load
    benchmark.

    ``radius`` of the trolley [m], ``hook_depth`` below the trolley sheaves [m], ``mass`` of the
    load [kg], ``model`` of the hoist rope: massless or elevation, ``swivel`` at its dead end,
    without which it has torque.
    """
    return _hanging_scene(4, radius, hook_depth, mass, model, swivel)


def _hanging_scene(
    n_falls: int, radius: float, hook_depth: float, mass: float, model: str, swivel: bool
) -> Scene:
    """The 12 t tower crane with the load off the ground."""
    start = {
        "rig.start.state": "hanging",
        "rig.start.radius": radius,
        "rig.start.hook_depth": hook_depth,
    }
    reeving = {"reeving.n_falls": n_falls, "reeving.model": model, "reeving.swivel": swivel}
    return cranes.load_crane("tower_12t", {**start, **reeving, "rig.load.mass": mass}).scene


@scene
def tower_crane(changes: Mapping[str, Any] | None = None) -> Scene:
    """The tower crane as its file ``config/tower_12t.yaml`` has it, the load on the ground.

    ``changes`` to values of the file by their path: ``{"rig.load.mass": 6000.0}``.
    """
    return cranes.load_crane("tower_crane", changes).scene


@scene
def rtg_41t_hanging(
    trolley: float = 1.6,
    depth: float = 13.6,
    mass: float = 41000.0,
    model: str = "massless",
    efficiency: float = 0.98,
) -> Scene:
    """The gantry crane with its rated load at rest on eight falls of four ropes from one drum.

    At the defaults, with 12 m of falls: 62.5 kN in each, sway 7.0 s, skew 11.1 s, and a bounce of
    3.1 Hz.

    ``trolley`` from the middle of the span [m], ``depth`` of the twistlocks below the trolley
    sheaves [m], ``mass`` of the container [kg], ``model`` of the hoist ropes: massless or
    elevation, ``efficiency`` of the sheaves [-].
    """
    start = {"rig.start.state": "hanging", "rig.start.trolley": trolley, "rig.start.depth": depth}
    reeving = {"reeving.model": model, "reeving.sheave_efficiency": efficiency}
    return cranes.load_crane("rtg_41t", {**start, **reeving, "rig.load.mass": mass}).scene


@scene
def gantry_crane(changes: Mapping[str, Any] | None = None) -> Scene:
    """The gantry crane as its file ``config/rtg_41t.yaml`` has it, the container on the truck lane.

    ``changes`` to values of the file by their path: ``{"rig.load.mass": 24000.0}``.
    """
    return cranes.load_crane("gantry_crane", changes).scene
