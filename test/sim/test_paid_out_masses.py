"""Masses of a wire that has all it may have, while a winch pays out twice its rope."""

import numpy as np
import pytest
from scipy.optimize import brentq

from cable_sim import Simulator
from cable_sim.spec import Anchor, Cable, Drive, Drum, Hybrid, Scene, Winch

G, SPAN, DENSITY = 9.81, 10.0, 2.0


def test_a_wire_paid_out_beyond_its_masses_hangs_as_a_catenary() -> None:
    """Tension at both ends; the segments stay alike."""
    made = Hybrid(density=DENSITY, most=20, damping=1.0)
    wire = Cable(
        "wire",
        (Drum("world"), Anchor("world", (SPAN, 0.0, 0.0))),
        ea=1e7,
        length=12.0,
        hybrid=made,
        winch=Winch("winch", 500.0),
        damping_time=0.02,
    )
    drive = Drive("drive", "winch", mode="speed", target=0.5)
    simulator = Simulator(Scene(cables=(wire,), drives=(drive,)), 1.0 / 60.0)
    simulator.step(24 * 60)
    simulator.command("drive", 0.0)
    simulator.step(1200)
    seen = simulator.observe().cable("wire")
    rope = simulator._state.spans.rest_length
    rope = rope[rope > 0.0]
    assert rope.sum() == pytest.approx(24.0, rel=1e-6)
    assert len(seen.mass_position) == 20
    assert rope.max() < 2.0 * rope.min()
    a = brentq(lambda a: 2.0 * a * np.sinh(0.5 * SPAN / a) - 24.0, 0.5, 100.0)
    catenary = DENSITY * G * np.hypot(a, 12.0)
    assert (seen.tension, seen.tension_dead_end) == pytest.approx((catenary, catenary), rel=0.01)
    assert simulator.report.status == 0
