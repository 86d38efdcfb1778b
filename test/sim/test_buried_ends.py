"""Hybrid wires whose ends swing into the solids that they touch."""

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Drive, Joint, Scene, Simulator
from cable_sim.kernels.status import CATCH_MISSED, CONTACTS_FULL, END_INSIDE
from cable_sim.spec import Hybrid, Obstacle

G = 9.81
MASS, EA, AT = 80.0, 5e5, 2.01
"""Payload [kg], stiffness [N], and how far from the payload's wall the slider is [m]."""


def wire_over_block(mu: float, pull: float, dt: float) -> Simulator:
    """A wire over a block from a slider that is driven down at ``pull`` [m/s] to a payload.

    The payload hangs a little off the wall, and swings into it.
    """
    block = Obstacle(
        "block", Box(2.0, 4.0, 4.0), position=(-1.0, 0, -2.0), friction=mu, stops_bodies=False
    )
    slider = Body("slider", 5.0, shape=Box(0.05, 0.05, 0.05), position=(-AT, 0, -1.5))
    payload = Body("payload", MASS, shape=Box(0.1, 0.1, 0.1), position=(0.01, 0, -1.5))
    rail = Joint("rail", "prismatic", child="slider", axis=(0, 0, 1), point=(-AT, 0, -1.5))
    wire = Cable(
        "wire",
        [Anchor("slider"), Anchor("payload")],
        ea=EA,
        length=(3.0 + AT + 0.01) * (1.0 - MASS * G / EA),
        diameter=0.01,
        damping_time=0.01,
        touches=("block",),
        hybrid=Hybrid(density=0.01, path=((-AT, 0, 0.01), (0.01, 0, 0.01)), wound=True),
    )
    scene = Scene(
        bodies=[slider, payload],
        joints=[rail],
        cables=[wire],
        obstacles=[block],
        drives=[Drive("pull", "rail", target=-pull, max_acceleration=0.2)],
    )
    return Simulator(scene, dt=dt)


@pytest.mark.parametrize("mu", [0.15, 0.4])
@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("dt", [1e-3, 2e-3])
def test_a_payload_in_the_wall_leaves_the_pull_right(mu, sense, dt) -> None:
    """Masses on the block are kept out of it, so that rope finds its way past them."""
    simulator = wire_over_block(mu, 0.08 * sense, dt)
    flags = 0
    efforts = []
    while simulator.time < 5.0:
        flags |= simulator.step().status
        efforts.append(-float(simulator.drives["pull"].effort))
    assert flags & END_INSIDE and not flags & (CONTACTS_FULL | CATCH_MISSED)
    pull = np.mean(efforts[-round(1.0 / dt) :]) + 5.0 * G
    assert pull == pytest.approx(MASS * G * np.exp(sense * mu * np.pi), rel=0.01)
