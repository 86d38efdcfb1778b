"""Ropes in MuJoCo models, against closed forms, MuJoCo's own functions and finite differences."""

import math

import mujoco
import numpy as np
import pytest
from messages import naming

from cable_sim.errors import CommandError, SpecError, StepError
from cable_sim.interchange.ropes.mujoco_ropes import MujocoRopes
from cable_sim.spec import Anchor, Cable, Drum, Eye, Sheave, Wheel, Winch

G = 9.81
H = 0.002
BALL = """<body name="{name}" pos="{pos}"><freejoint/><geom type="sphere" size=".1" mass="{mass}"
contype="0" conaffinity="0"/></body>"""


def model_of(bodies, option=""):
    """A model of some bodies under a site ``top`` at 12 m."""
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option timestep='{H}' {option}/><worldbody><site name='top' pos='0 0 12'/>"
        f"{bodies}</worldbody></mujoco>"
    )
    return model, mujoco.MjData(model)


def ball(name, pos, mass):
    return BALL.format(name=name, pos=pos, mass=mass)


def hanging(ea=1e7, mass=1000.0, **more):
    """A ball of a mass on a rope of 10 m."""
    model, data = model_of(ball("load", "0 0 2", mass))
    cable = Cable("rope", [Anchor("top"), Anchor("load")], ea=ea, **more)
    return model, data, cable


def mean_period(z):
    """Period of a signal in steps, from its first to its last upward crossing of its mean."""
    z = np.array(z) - np.mean(z)
    at = np.flatnonzero((z[:-1] < 0) & (z[1:] >= 0))
    cross = at + z[at] / (z[at] - z[at + 1])
    return (cross[-1] - cross[0]) / (len(cross) - 1)


@pytest.mark.parametrize("ea", [1e7, 1e8])
def test_a_bounce_has_its_period_and_keeps_its_height(ea):
    model, data, cable = hanging(ea, pretension=1.2 * 1000 * G)
    ropes = MujocoRopes(model, data, [cable])
    omega = math.sqrt(ea / ropes.read("rope").unstretched / 1000.0)
    z = []
    for _ in range(5000):
        ropes.step()
        z.append(data.qpos[2])
    assert mean_period(z) * H * omega == pytest.approx(2 * math.pi, rel=2e-6)
    assert np.ptp(z[-200:]) == pytest.approx(np.ptp(z[:200]), rel=1e-3)
    assert ropes.read("rope").resolved


def test_a_pendulum_has_its_period_and_keeps_its_amplitude():
    length, angle = 10.0, 0.1
    place = f"{length * math.sin(angle)} 0 {12 - length * math.cos(angle)}"
    model, data = model_of(ball("load", place, 1000))
    tension = 1000 * G * math.cos(angle)
    cable = Cable("rope", [Anchor("top"), Anchor("load")], ea=1e7, pretension=tension)
    ropes = MujocoRopes(model, data, [cable])
    x = []
    for _ in range(16000):
        ropes.step()
        x.append(data.qpos[0])
    period = 2 * math.pi * math.sqrt(length / G) * (1 + angle**2 / 16 + 11 * angle**4 / 3072)
    assert mean_period(x) * H == pytest.approx(period, rel=1e-4)
    assert max(x[-3500:]) == pytest.approx(max(x[:3500]), rel=1e-5)


def test_a_stiff_rope_is_implicit_and_damps_as_said():
    """With omega h = 40 one row is implicit Euler: a catch without a bounce, and no loss of sway."""
    model, data, cable = hanging(1e9, 0.1, length=10.02)
    ropes = MujocoRopes(model, data, [cable])
    ropes.step(100)
    assert not ropes.read("rope").resolved
    assert data.qpos[2] == pytest.approx(12 - 10.02, abs=1e-6)
    assert abs(data.qvel[2]) < 1e-9
    assert ropes.read("rope").tension == pytest.approx(0.1 * G)


def test_an_unresolved_bounce_is_damped_by_half_omega_h(monkeypatch):
    """z+ (1 + w^2) - 2 z + z- = 0 shrinks by 1 / sqrt(1 + w^2) a step."""
    model, data, cable = hanging(4e9, 1000.0, pretension=1.2 * 1000 * G)
    ropes = MujocoRopes(model, data, [cable])
    square = H * H * 4e9 / ropes.read("rope").unstretched / 1000.0
    assert square > 1.0
    rest = -1000 * G / (4e9 / ropes.read("rope").unstretched)
    z = []
    for _ in range(12):
        ropes.step()
        z.append(data.qpos[2] - 2.0 - (rest - rest * 1.2))
    z = np.array(z)
    assert z[2:] * (1 + square) - 2 * z[1:-1] + z[:-2] == pytest.approx(0.0, abs=1e-12)


WHEEL = {"body": "top", "position": (0.0, 0.0, 0.0), "radius": 0.2}
RATIOS = [
    (Wheel("wheel", efficiency=1.0, **WHEEL), 1.0),
    (Wheel("wheel", friction=0.1, **WHEEL), math.exp(0.1 * math.pi)),
    (Wheel("wheel", friction=0.1, turns=1, **WHEEL), math.exp(0.3 * math.pi)),
    (Wheel("wheel", efficiency=0.9, **WHEEL), 1.0 / 0.9),
    (Sheave("top", efficiency=0.9), 1.0 / 0.9),
]


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(("node", "ratio"), RATIOS)
def test_atwoods_machine_with_and_without_losses(node, ratio, side):
    masses = (30.0, 90.0) if side > 0 else (90.0, 30.0)
    reach = 0.2 if node.kind == "wheel" else 0.0
    bodies = ball("a", f"{-reach} 0 2", masses[0]) + ball("b", f"{reach} 0 2", masses[1])
    model, data = model_of(bodies)
    cable = Cable("rope", [Anchor("a"), node, Anchor("b")], ea=1e9, damping_time=0.05)
    ropes = MujocoRopes(model, data, [cable])
    ropes.step(400)
    before = data.qvel.copy()
    ropes.step(50)
    fall = -side * (data.qvel - before)[[2, 8]] / 50 / H
    expected = G * (90 - 30 * ratio) / (90 + 30 * ratio)
    assert fall[1] == pytest.approx(expected, rel=1e-6)
    assert fall[0] == pytest.approx(-expected, rel=1e-6)
    tension = ropes.read("rope").tension
    assert (tension[1] / tension[0]) ** side == pytest.approx(ratio, rel=1e-6)


def test_a_wheel_on_a_hinge_is_atwoods_machine_with_inertia():
    inertia = 0.5 * 40 * 0.2**2
    wheel = """<body name="rotor" pos="0 0 12"><joint type="hinge" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="40" diaginertia="1 {i} 1"/></body>""".format(i=inertia)
    model, data = model_of(wheel + ball("a", "-.2 0 2", 30) + ball("b", ".2 0 2", 50))
    rim = Wheel("rim", "rotor", (0.0, 0.0, 0.0), 0.2, friction=0.5)
    cable = Cable("rope", [Anchor("a"), rim, Anchor("b")], ea=1e9, damping_time=0.05)
    ropes = MujocoRopes(model, data, [cable])
    ropes.step(400)
    before = data.qvel.copy()
    ropes.step(50)
    expected = G * (50 - 30) / (50 + 30 + inertia / 0.2**2)
    change = (data.qvel - before) / 50 / H
    assert -change[9] == pytest.approx(expected, rel=1e-5)
    assert change[0] * 0.2 == pytest.approx(expected, rel=1e-5)


ARM = """<body name="arm" pos=".3 .1 8"><joint type="hinge" axis="0 1 0.2" damping="1"/>
<joint type="slide" axis="0 .3 1"/><geom type="capsule" fromto="0 0 0 .8 0 .2" size=".05"/>
<site name="wrist" pos=".8 0 .2" euler="20 30 40"/><body name="hand" pos=".8 .1 .2">
<joint type="ball"/><geom type="box" size=".2 .3 .1"/><site name="eye" pos=".1 .2 .3"/></body></body>"""


def crossed(**wheel):
    """An arm with a wheel on its wrist at a fleet angle, and a ball, on one rope."""
    model, data = model_of(ARM + ball("load", "1 .4 5", 20))
    data.qpos[:2] = 0.2, 0.1
    data.qvel[:] = np.random.default_rng(1).normal(size=model.nv)
    nodes = [
        Anchor("top", (0.1, 0.2, 0.0)),
        Wheel("wheel", "wrist", (0.0, 0.05, 0.0), 0.1, (0.2, 1.0, 0.1), friction=0.3),
        Wheel("block", "hand", (0.1, 0.0, 0.2), 0.07, (0.1, 0.9, 0.3), efficiency=0.9),
        Eye("eye"),
        Anchor("load", (0.02, 0.03, 0.1)),
    ]
    ropes = MujocoRopes(model, data, [Cable("rope", nodes, ea=1e5, pretension=50.0)])
    return model, data, ropes


def test_rows_are_derivatives_of_lengths_and_mujoco_divides_alike():
    model, data, ropes = crossed()
    records = ropes.ropes
    ropes.step()
    mujoco.mj_step1(model, data)
    ropes._run(ropes._pin.handle, 1)
    jacobian = records.jacobian.copy()
    answer = np.empty_like(jacobian)
    mujoco.mj_solveM(model, data, answer, jacobian)
    assert records.response == pytest.approx(answer, rel=1e-12, abs=1e-15)
    place, share = data.qpos.copy(), records.share[2]
    lengths = np.empty((2, model.nv, 2))
    for i in range(model.nv):
        for side, sign in enumerate((1.0, -1.0)):
            data.qpos[:] = place
            mujoco.mj_integratePos(model, data.qpos, np.eye(model.nv)[i], sign * 1e-6)
            mujoco.mj_fwdPosition(model, data)
            ropes._run(ropes._pin.handle, 0)
            beyond = ropes._world.paths.span_work.length[2:4].sum()
            beyond += 0.07 * ropes._world.rims.state.contact[1, 1]  # from a direction of the hand
            lengths[side, i] = records.path[0], beyond
    rate = (lengths[0] - lengths[1]) / 2e-6
    assert -rate[:, 0] == pytest.approx(jacobian[0], abs=1e-8)
    assert share * rate[:, 0] - rate[:, 1] == pytest.approx(jacobian[2], abs=1e-8)
