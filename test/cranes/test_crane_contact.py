"""What a crane has a shape of touches everything else: landing, slack ropes, its own mast, rims."""

import warnings
from itertools import product

import numpy as np
import pytest
from messages import naming
from slow_cases import slow_but

from cable_sim.cranes import load_crane
from cable_sim.errors import SpecError
from cable_sim.kernels import status
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.sim.simulator import Simulator

CRANES = (
    "tower_12t",
    "tower_5t",
    "luffing_12t",
    "mobile_32t",
    "crawler_50t",
    "overhead_32t",
    "cableway_20t",
    "offshore_25t",
    "rtg_41t",
    "sts_51t",
    "grab_3t",
    "magnet_8t",
    "skip_2t",
    "lab_gantry",
    "lab_inteco",
    "nehe_rope",
    "two_towers",
    "tandem_lift",
)
HAULED = {
    "lab_gantry": ("hook_block", "trolley"),
    "lab_inteco": ("hook_block", "trolley"),
    "magnet_8t": ("block", "trolley"),
    "tower_5t": ("hook_block", "trolley"),
    "grab_3t": ("grab", "trolley"),
    "skip_2t": ("bail", "trolley"),
    "overhead_32t": ("main_hook", "trolley"),
    "mobile_32t": ("hook_block", "telescope"),
    "crawler_50t": ("hook_block", "boom"),
    "offshore_25t": ("hook_block", "truss"),
    "luffing_12t": ("hook_block", "truss"),
    "rtg_41t": ("spreader", "girder_left"),
    "sts_51t": ("spreader", "girder_left"),
}
"""What stops a hook that is hauled up without a limit switch."""
WITH_BLOCK = ("tower_12t", "luffing_12t", "mobile_32t", "crawler_50t", "overhead_32t")


def half_height(machine: Machine, name: str) -> float:
    """Half the height of the box of a body [m]."""
    (body,) = (body for body in machine.crane.scene.bodies if body.name == name)
    return 0.5 * body.shape.z


def sum_of_flags(machine: Machine, ticks: int, **speeds: float) -> int:
    """Command speeds for some ticks; return the status flags of all."""
    flags = 0
    for _ in range(ticks):
        for axis, speed in speeds.items():
            machine.command(axis, speed)
        flags |= machine.tick().report.status
    return flags


@pytest.mark.parametrize("name", CRANES)
def test_nothing_of_a_shipped_crane_overlaps_at_the_start(name) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene = load_crane(name).scene
        Simulator(scene)
    assert scene.collision is not None
    assert not scene.contacts


@pytest.mark.parametrize(
    ("name", "dt"),
    slow_but(
        {("tower_12t", 1e-3), ("luffing_12t", 1e-2), ("crawler_50t", 1e-2)},
        product(WITH_BLOCK, (1e-3, 1e-2)),
    ),
)
def test_hook_block_rests_on_the_load_and_picks_it_up(name, dt) -> None:
    machine = Machine(load_crane(name, {"rig.start.state": "on_ground"}), dt=dt)
    hook = machine.crane.suspensions[0].hook
    flags = sum_of_flags(machine, 1800, hoist=0.3)
    seen = machine.observe()
    top = seen.body("load").position[2] + half_height(machine, "load")
    bottom = seen.body(hook).position[2] - half_height(machine, hook)
    assert flags == 0
    assert bottom == pytest.approx(top, abs=1e-3)
    (block,) = (body for body in machine.crane.scene.bodies if body.name == hook)
    weight = block.mass * 9.80665
    assert 0.0 < seen.contact("load", hook).force[2] < 1.01 * weight
    sum_of_flags(machine, 3000, hoist=-0.3)
    assert machine.observe().body("load").position[2] > half_height(machine, "load") + 0.05


def test_load_stops_at_the_crane_s_own_mast() -> None:
    machine = Machine(
        load_crane(
            "tower_12t",
            {
                "rig.start.state": "hanging",
                "rig.start.radius": 6.0,
                "rig.start.hook_depth": 30.0,
                "rig.load.size": [5.0, 2.0, 1.0],
            },
        )
    )
    sum_of_flags(machine, 900, trolley=-1.0)
    seen = machine.observe()
    assert any({e.first, e.second} == {"load", "mast"} and e.begins for e in seen.events)
    assert np.hypot(*seen.body("load").position[:2]) > 1.15 + 1.0


def test_load_that_slews_into_the_rim_of_a_platform_stays_low() -> None:
    """An underside 0.2 m below the top, at 0.45 m/s: it was thrown to 34 m."""
    crane = load_crane(
        "tower_12t",
        {
            "rig.start.state": "hanging",
            "rig.start.radius": 45.0,
            "rig.start.slewing_angle_deg": 112.0,
            "rig.start.hook_depth": 57.9,
        },
    )
    machine = Machine(crane)
    highest = 0.0
    for _ in range(3000):
        machine.command("slewing", 0.01)
        seen = machine.tick()
        highest = max(highest, seen.body("load").position[2])
    assert any({e.first, e.second} == {"load", "platform"} for e in seen.events)
    assert highest < 4.0
    assert seen.report.status == 0


def test_a_crane_meets_the_mast_of_another() -> None:
    scene = load_crane("two_towers").scene
    assert ("east_foundation", "east_mast", "east_truss") == scene.collision.ignore[0][:3]
    ignored = set(map(frozenset, scene.collision.ignored))
    assert frozenset(("east_truss", "west_mast")) not in ignored
    assert frozenset(("east_truss", "east_mast")) in ignored


def test_solid_that_is_none_is_refused_with_its_name() -> None:
    with pytest.raises(SpecError, match=naming("solids.mast.bars solid box")):
        load_crane(
            "tower_12t",
            {"parts.mast.solids": {"mast": {"bars": [[[0, 0, 0], [0, 0, 1.0], [1.0, 0, 1.0]]]}}},
        )


@pytest.mark.parametrize(("name", "pair"), HAULED.items())
def test_a_hook_that_is_hauled_up_is_stopped_by_what_it_hangs_on(name, pair) -> None:
    """Not by its ropes' ends, on which the step could not follow the way of the load."""
    axis = next(axis for axis in load_crane(name).axes if axis.name == "hoist")
    start = min(axis.lower + 0.5, 0.5 * (axis.lower + axis.upper))
    machine = Machine(load_crane(name, {"rig.start.at.hoist": start}))
    for limiter in machine.crane.limiters:
        machine.faults.inject(Fault("limiter_bypass", limiter.name))
    effort = machine.simulator.drives[axis.drive].max_effort * axis.ratio
    left, flags, touched = 120, 0, set()
    while left > 0:
        machine.command("hoist", -effort, "effort")
        seen = machine.tick(25)
        flags |= seen.report.status
        touched |= {(contact.first, contact.second) for contact in seen.contacts}
        left = min(left, 12) - 1 if pair in touched else left - 1
    assert pair in touched
    assert not flags & (status.NODES_MET | status.SWUNG_ROUND | status.NOT_CONVERGED)


def test_what_a_hook_carries_touches_the_rest_of_its_crane() -> None:
    ignored = [set(names) for names in load_crane("skip_2t").scene.collision.ignore]
    walls = next(names for names in ignored if "skip_floor" in names)
    assert "skip_left" in walls and not walls & {"trolley", "girder_1", "cab"}
