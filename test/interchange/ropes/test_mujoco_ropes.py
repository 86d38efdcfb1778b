"""Ropes in MuJoCo models, against closed forms, MuJoCo's own functions and finite differences."""

import math
import subprocess
import sys
import warnings

import mujoco
import numpy as np
import pytest
from messages import naming

from cable_sim import MujocoRopes, Simulator
from cable_sim.errors import CommandError, SpecError, StepError
from cable_sim.spec import Anchor, Body, Cable, Drum, Eye, Scene, Sheave, Sphere, Wheel, Winch

G = 9.81
H = 0.002
ZERO = (0.0, 0.0, 0.0)
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
    """With omega h = 60 it is caught without a bounce."""
    model, data, cable = hanging(1e9, 0.1, length=10.02)
    ropes = MujocoRopes(model, data, [cable])
    ropes.step(100)
    assert not ropes.read("rope").resolved
    assert data.qpos[2] == pytest.approx(12 - 10.02, abs=1e-6)
    assert abs(data.qvel[2]) < 1e-9
    assert ropes.read("rope").tension == pytest.approx(0.1 * G)


def test_an_unresolved_bounce_is_damped_by_half_omega_h():
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
    wheel = f"""<body name="rotor" pos="0 0 12"><joint type="hinge" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="40" diaginertia="1 {inertia} 1"/></body>"""
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


ARM = """
<body name="arm" pos=".3 .1 8"><joint type="hinge" axis="0 1 0.2" damping="1"/>
<joint type="slide" axis="0 .3 1"/><geom type="capsule" fromto="0 0 0 .8 0 .2" size=".05"/>
<site name="wrist" pos=".8 0 .2" euler="20 30 40"/><body name="hand" pos=".8 .1 .2">
<joint type="ball"/><geom type="box" size=".2 .3 .1"/><site name="eye" pos=".1 .2 .3"/>
</body></body>"""


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


def test_rows_are_derivatives_of_lengths():
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


def falls(efficiency, mass=1000.0):
    """A load on four falls between points on a winch."""
    model, data = model_of(ball("load", "0 0 2", mass))
    inner = [Sheave(body, efficiency=efficiency) for body in ("load", "top", "load")]
    nodes = [Drum("top"), *inner, Anchor("top")]
    cable = Cable("rope", nodes, ea=1e7, damping_time=0.05, winch=Winch("winch"), pretension=2452)
    return data, MujocoRopes(model, data, [cable])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_four_falls_lose_a_part_at_every_sheave(sign):
    """Hoisting, each fall has E times the tension of the one before, lowering 1 / E."""
    data, ropes = falls(0.96)
    ropes.command("winch", -0.4 * sign, 1.0)
    ropes.step(1500)
    tension = ropes.read("rope").tension
    assert tension[1:] / tension[:-1] == pytest.approx(0.96**sign, rel=1e-6)
    assert tension.sum() == pytest.approx(1000 * G, rel=1e-4)
    stretched = 0.1 * (1 + 0.25 * 1000 * G / 1e7)
    assert data.qvel[2] == pytest.approx(stretched * sign, rel=1e-8)


def test_falls_at_rest_hold_what_they_stopped_with():
    data, ropes = falls(0.96)
    ropes.command("winch", -0.4, 1.0)
    ropes.step(1000)
    running = ropes.read("rope").tension
    ropes.command("winch", 0.0, 0.5)
    ropes.step(1000)
    stopped = ropes.read("rope").tension
    ropes.step(500)
    assert ropes.read("rope").tension == pytest.approx(stopped, rel=1e-6)
    assert stopped[0] > 1.02 * stopped[-1]
    assert abs(data.qvel[2]) < 1e-9
    assert running[0] > stopped[0] * 0.99


def test_a_winch_ramps_to_its_speed():
    model, data = model_of(ball("load", "0 0 2", 1000))
    winch = {"winch": Winch("winch"), "damping_time": 0.02}
    cable = Cable("rope", [Drum("top"), Anchor("load")], ea=1e7, pretension=1000 * G, **winch)
    ropes = MujocoRopes(model, data, [cable])
    start = ropes.read("rope").unstretched
    ropes.command("winch", -0.5, 0.25)
    ropes.step(800)
    assert ropes.read("rope").tension == pytest.approx(1000 * (G + 0.25), rel=1e-3)
    ropes.step(700)  # 2 s of ramp over 0.5 m, and 1 s less a step, at whose start it is read
    seen = ropes.read("rope")
    assert seen.unstretched - start == pytest.approx(-1.0 - 0.25 * H + 0.5 * H, abs=1e-9)
    strain = (seen.length - seen.unstretched) / seen.unstretched
    assert seen.tension == pytest.approx(1e7 * strain, rel=2e-3)


def test_a_slack_rope_lets_fall_and_takes_up_again():
    model, data, cable = hanging(length=11.0, damping_time=0.01)
    ropes = MujocoRopes(model, data, [cable])
    ropes.step(200)
    fallen = 0.5 * G * (200 * H) * (201 * H)
    assert data.qpos[2] == pytest.approx(2 - fallen)
    seen = ropes.read("rope")
    assert seen.tension == [0.0]
    assert seen.energy == 0.0
    assert seen.slack == pytest.approx(11.0 - 10.0 - fallen + data.qvel[2] * -H, abs=1e-9)
    peak = 0.0
    for _ in range(300):
        ropes.step()
        peak = max(peak, float(ropes.read("rope").tension[0]))
    assert peak > 10 * 1000 * G
    ropes.step(4000)
    assert ropes.read("rope").tension == pytest.approx(1000 * G, rel=1e-3)


def test_a_drop_into_the_rope_has_the_peak_of_its_energy():
    """m g (d + e) = k e^2 / 2."""
    model, data, cable = hanging(length=11.0)
    ropes = MujocoRopes(model, data, [cable])
    peak = 0.0
    for _ in range(400):
        ropes.step()
        peak = max(peak, float(ropes.read("rope").tension[0]))
    weight = 1000 * G
    assert peak == pytest.approx(weight * (1 + math.sqrt(1 + 2 * 1e7 / 11.0 / weight)), rel=2e-3)


def test_ropes_share_a_load_and_their_bounce_has_its_period():
    """Four ropes of EA on one load are one of 4 EA."""
    model, data = model_of(ball("load", "0 0 2", 1000))
    ends = [Anchor("top"), Anchor("load")]
    cables = [Cable(f"r{i}", ends, ea=1e8, pretension=300 * G) for i in range(4)]
    ropes = MujocoRopes(model, data, cables)
    omega = math.sqrt(4e8 / ropes.read("r0").unstretched / 1000.0)
    z = []
    for _ in range(5000):
        ropes.step()
        z.append(data.qpos[2])
    assert mean_period(z) * H * omega == pytest.approx(2 * math.pi, rel=2e-6)
    assert np.ptp(z[-200:]) == pytest.approx(np.ptp(z[:200]), rel=1e-3)


@pytest.mark.parametrize("ratio", [0.05, 0.9])
def test_a_damped_bounce_is_that_of_its_recurrence(ratio):
    """(1 + beta w^2) (z+ - 2 z + z-) + w^2 z + 2 ratio w (z+ - z-) / 2 = 0, w = omega h."""
    model, data, cable = hanging(1e8, pretension=1.2 * 1000 * G, damping_ratio=ratio)
    ropes = MujocoRopes(model, data, [cable])
    omega = math.sqrt(1e8 / ropes.read("rope").unstretched / 1000.0)
    z = []
    for _ in range(50):
        ropes.step()
        z.append(data.qpos[2] - 2.0 - 0.2 * G / omega**2)
    w = omega * H
    beta = 0.25 / math.sin(w / 2) ** 2 - 1 / w**2
    before, now, after = np.array(z[:-2]), np.array(z[1:-1]), np.array(z[2:])
    left = (1 + beta * w * w) * (after - 2 * now + before) + w * w * now
    assert left + ratio * w * (after - before) == pytest.approx(0.0, abs=1e-14)


def test_a_swinging_machine_goes_as_in_a_scene():
    """Two loads on a lossy wheel, one of which swings, beside a simulation of the same cable.

    MuJoCo's start takes its velocities for those of half a step before: g t h / 2 at the end.
    """
    masses, places = (60.0, 100.0), ((-0.2, 0.0, 6.0), (0.2, 0.0, 6.0))
    bodies = "".join(
        ball(n, "{} {} {}".format(*p), m) for n, p, m in zip("ab", places, masses, strict=True)
    )
    model, data = model_of(bodies)
    data.qvel[0] = 1.0
    wheel = Wheel("wheel", "top", (0.0, 0.0, 0.0), 0.2, efficiency=0.95)
    more = {"ea": 1e7, "pretension": 70 * G}
    ropes = MujocoRopes(model, data, [Cable("rope", [Anchor("a"), wheel, Anchor("b")], **more)])
    model.opt.timestep = H / 8
    ropes.step(6000)
    wheel = Wheel("wheel", "world", (0.0, 0.0, 12.0), 0.2, efficiency=0.95)
    loads = [
        Body(n, m, shape=Sphere(0.1), position=p, velocity=(1.0, 0.0, 0.0) if n == "a" else ZERO)
        for n, p, m in zip("ab", places, masses, strict=True)
    ]
    scene = Scene(bodies=loads, cables=[Cable("rope", [Anchor("a"), wheel, Anchor("b")], **more)])
    simulator = Simulator(scene, dt=H / 8)
    simulator.step(6000)
    seen = simulator.observe()
    for name, start in (("a", 0), ("b", 7)):
        there = seen.body(name).position
        assert data.qpos[start : start + 3] == pytest.approx(there, abs=1e-3), name


STANDING = """<geom type="plane" size="5 5 1"/><body name="load" pos="0 0 .5"><freejoint/>
<geom type="box" size=".5 .5 .5" mass="{mass}"/></body>"""


@pytest.mark.parametrize(("mass", "haul"), [(1000.0, 5.6e-3), (1.0, 5.4e-5)])
def test_a_load_on_the_ground_and_its_rope_share_the_weight(mass, haul):
    """Contacts are a step late for the rope; at rest the tension is that of the strain."""
    model, data = model_of(STANDING.format(mass=mass))
    mujoco.mj_step(model, data, 1000)
    cable = Cable("rope", [Drum("top"), Anchor("load")], ea=1e7, winch=Winch("winch"))
    ropes = MujocoRopes(model, data, [cable])
    ropes.command("winch", -haul / 0.5)
    ropes.step(250)
    ropes.command("winch", 0.0)
    ropes.step(500)
    seen = ropes.read("rope")
    strain = (seen.length - seen.unstretched) / seen.unstretched
    assert seen.tension == pytest.approx(1e7 * strain, rel=1e-7)
    force = np.zeros(6)
    ground = 0.0
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, force)
        ground += force[0]
    assert 0.3 * mass * G < ground < 0.7 * mass * G
    assert ground + seen.tension[0] == pytest.approx(mass * G, rel=1e-6)


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "implicit"])
def test_a_servo_holds_a_load_on_its_arm(integrator):
    """The torque is that of the load and of half the arm, with any integrator."""
    arm = """<body name="arm" pos="0 0 11"><joint name="hinge" axis="0 1 0" damping="5"/>
      <geom type="capsule" fromto="0 0 0 1 0 0" size=".05" mass="5" contype="0" conaffinity="0"/>
      <site name="wrist" pos="1 0 0"/></body>"""
    bodies = arm + ball("load", "1 0 2", 100).replace("<freejoint/>", "<joint type='slide'/>")
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option timestep='{H}' integrator='{integrator}'/><worldbody>{bodies}</worldbody>"
        "<actuator><position joint='hinge' kp='2e4' kv='200'/></actuator></mujoco>"
    )
    data = mujoco.MjData(model)
    rope = Cable("rope", [Anchor("wrist"), Anchor("load")], ea=1e6, damping_ratio=0.3)
    ropes = MujocoRopes(model, data, [rope])
    ropes.step(8000)
    assert ropes.read("rope").tension == pytest.approx(100 * G, rel=1e-4)
    reach = math.cos(data.qpos[0])
    assert data.qfrc_actuator[0] == pytest.approx(-102.5 * G * reach, rel=1e-4)


def explicit(model, ropes):
    """MuJoCo's own step with the callback."""
    mujoco.set_mjcb_passive(ropes.passive)
    try:
        for _ in range(5000):
            mujoco.mj_step(model, ropes._data)
            yield ropes._data.qpos[2]
    finally:
        mujoco.set_mjcb_passive(None)


def test_the_callback_is_explicit_and_says_what_step_it_takes():
    model, data, cable = hanging(1e7, pretension=1.2 * 1000 * G)
    ropes = MujocoRopes(model, data, [cable])
    z = list(explicit(model, ropes))
    omega = math.sqrt(1e7 / ropes.read("rope").unstretched / 1000.0)
    period = 2 * math.pi * (omega * H / 2) / math.asin(omega * H / 2)
    assert mean_period(z) * H * omega == pytest.approx(period, rel=2e-6)
    assert ropes.longest_step == pytest.approx(2 / omega)
    model.opt.timestep = 2.01 / omega
    with pytest.raises(StepError, match=naming("timestep MujocoRopes.step")):
        list(explicit(model, ropes))


def test_a_winch_hauls_under_the_callback():
    model, data = model_of(ball("load", "0 0 2", 1000))
    winch = {"winch": Winch("winch"), "damping_time": 0.01}
    cable = Cable("rope", [Drum("top"), Anchor("load")], ea=1e7, pretension=1000 * G, **winch)
    ropes = MujocoRopes(model, data, [cable])
    start = ropes.read("rope").unstretched
    ropes.command("winch", -0.5)
    steps = explicit(model, ropes)
    height = [next(steps) for _ in range(501)][-1]
    steps.close()
    assert ropes.read("rope").unstretched == pytest.approx(start - 0.5 * 500 * H)
    assert height == pytest.approx(2.5, abs=2e-3)


def test_an_explicit_damper_needs_a_shorter_step():
    """The largest step is that at which z^2 + 2 gamma omega^2 h = 4: just below, it calms."""
    model, data, cable = hanging(1e7, pretension=1.2 * 1000 * G, damping_time=0.01)
    ropes = MujocoRopes(model, data, [cable])
    next(explicit(model, ropes))
    longest = ropes.longest_step
    model.opt.timestep = 0.999 * longest
    z = np.array(list(explicit(model, ropes)))
    assert abs(z[-1] - z[-2]) < 1e-3
    square = 1e7 / ropes.read("rope").unstretched / 1000.0
    assert longest**2 * square + 2 * 0.01 * square * longest == pytest.approx(4.0)


def test_the_callback_leaves_other_models_and_steppers_alone():
    model, data, cable = hanging(1e7, pretension=1000 * G)
    ropes = MujocoRopes(model, data, [cable])
    other_model, other, _ = hanging()
    mujoco.set_mjcb_passive(ropes.passive)
    try:
        mujoco.mj_step(other_model, other)
        ropes.step()
    finally:
        mujoco.set_mjcb_passive(None)
    assert other.qvel[2] == pytest.approx(-G * H)
    assert abs(data.qvel[2]) < 1e-9


@pytest.mark.parametrize("anew", [False, True])
def test_ropes_follow_a_reset_and_are_laid_anew(anew):
    model, data, cable = hanging(1e7, pretension=1000 * G)
    ropes = MujocoRopes(model, data, [cable])
    data.qvel[2] = 0.1
    ropes.step(50)
    first = data.qpos.copy()
    mujoco.mj_resetData(model, data)
    data.qvel[2] = 0.1
    if anew:
        ropes.lay()
    ropes.step(50)
    assert np.array_equal(data.qpos, first)


def test_a_reset_by_mujoco_is_told():
    model, data, cable = hanging()
    ropes = MujocoRopes(model, data, [cable])
    ropes.step(10)
    data.qvel[2] = 1e11
    warned = []
    mujoco.set_mju_user_warning(warned.append)
    try:
        with pytest.raises(StepError, match=naming("MuJoCo unstable reset")):
            ropes.step()
    finally:
        mujoco.set_mju_user_warning(None)
    assert warned


@pytest.mark.parametrize(("mass", "swift"), [(1.5, True), (2.5, False)])
def test_a_light_body_across_a_taut_rope_is_told(mass, swift):
    """A ball between two spans of 0.1 m under 98 kN needs h^2 T / (l m) < 2."""
    bodies = ball("hook", "0 0 11.9", mass) + ball("load", "0 0 11.8", 1e4)
    model, data = model_of(bodies)
    ends = [Anchor("top"), Anchor("hook"), Anchor("load")]
    cables = [
        Cable(name, pair, ea=1e6, pretension=1e4 * G)
        for name, pair in (("upper", ends[:2]), ("lower", ends[1:]))
    ]
    ropes = MujocoRopes(model, data, cables)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ropes.step(20)
    assert (ropes.swift > 0, len(told)) == (swift, int(swift))


def test_an_unresolved_rope_has_the_energy_of_its_tension():
    model, data, cable = hanging(1e9, 0.1, length=10.02)
    ropes = MujocoRopes(model, data, [cable])
    ropes.step(100)
    stiffness = 1e9 / 10.02
    assert ropes.read("rope").energy == pytest.approx((0.1 * G) ** 2 / 2 / stiffness, rel=1e-3)


OTHER = [
    ({"cables": []}, "cables"),
    ({"nodes": [Anchor("peak"), Anchor("load")]}, "nodes.0 'peak' top world load"),
    ({"ea": None}, "rope ea"),
    ({"stiffness": 1e5, "ea": None}, "stiffness"),
    (
        {
            "nodes": [
                Anchor("top"),
                Wheel("w", "top", (0, 0, 0), 0.1, friction=0.1, inertia=1.0),
                Anchor("load"),
            ]
        },
        "inertia",
    ),
    ({"pulls_only": False}, "pulls_only"),
    ({"gj": 10.0}, "gj"),
    ({"nodes": [Anchor("top"), Anchor("top")]}, "rope nodes length"),
]


@pytest.mark.parametrize(("fields", "told"), OTHER)
def test_what_ropes_have_not_is_refused_by_name(fields, told):
    model, data, _ = hanging()
    given = {"nodes": [Anchor("top"), Anchor("load")], "ea": 1e7} | fields
    cables = given.pop("cables", None)
    with pytest.raises(SpecError, match=naming(told)):
        MujocoRopes(model, data, [Cable("rope", **given)] if cables is None else cables)


def test_values_out_of_range_are_refused_by_name():
    for fields, told in (({"ea": 0.0}, "ea 0"), ({"ea": -1.0}, "ea -1.0")):
        with pytest.raises(SpecError, match=naming(told)):
            Cable("rope", [Anchor("a"), Anchor("b")], **fields)
    with pytest.raises(SpecError, match=naming("efficiency 1.5")):
        Sheave("top", efficiency=1.5)
    model, data, cable = hanging(winch=Winch("winch"))
    with pytest.raises(SpecError, match=naming("rope twice")):
        MujocoRopes(model, data, [Cable("rope", [Anchor("top"), Anchor("load")], ea=1e6)] * 2)
    cable = Cable("rope", [Drum("top"), Anchor("load")], ea=1e6, winch=Winch("winch"))
    ropes = MujocoRopes(model, data, [cable])
    for call, told in (
        (lambda: ropes.command("drum", 1.0), "'drum' winch"),
        (lambda: ropes.command("winch", math.nan), "speed nan"),
        (lambda: ropes.command("winch", 1.0, 0.0), "acceleration 0.0"),
        (lambda: ropes.read("wire"), "'wire' rope"),
    ):
        with pytest.raises(CommandError, match=naming(told)):
            call()
    with pytest.raises(SpecError, match=naming("model MjModel")):
        MujocoRopes(data, data, [cable])
    with pytest.raises(SpecError, match=naming("data 2 1 bodies")):
        MujocoRopes(model_of("")[0], data, [cable])


@pytest.mark.parametrize("option", ["integrator='RK4'", "><flag sleep='enable'/></option><option"])
def test_an_integrator_with_another_step_is_refused(option):
    model, data = model_of(ball("load", "0 0 2", 1.0), option)
    with pytest.raises(SpecError, match=naming("mjINT_RK4" if "RK4" in option else "sleep")):
        MujocoRopes(model, data, [Cable("rope", [Anchor("top"), Anchor("load")], ea=1e6)])


def test_the_callback_refuses_losses():
    _, ropes = falls(0.9)
    with pytest.raises(SpecError, match=naming("losses MujocoRopes.step")):
        ropes.passive(ropes._model, ropes._data)


@pytest.mark.parametrize("before", [1.0, 0.4, 0.0])
def test_a_catch_within_a_step_errs_by_a_known_part(before):
    """Without weight, at omega h = 0.5, the energy comes back within (omega h)^2 / 4."""
    model, data = model_of(ball("load", "0 0 2", 1000), "gravity='0 0 0'")
    stiffness = 1000 * (0.5 / H) ** 2
    length = 10.0 + before * H
    rope = Cable("rope", [Anchor("top"), Anchor("load")], ea=stiffness * length, length=length)
    ropes = MujocoRopes(model, data, [rope])
    data.qvel[2] = -1.0
    ropes.step(20)
    assert ropes.read("rope").tension == [0.0]
    assert data.qvel[2] ** 2 == pytest.approx(1.0, abs=0.5**2 / 4)


def test_without_mujoco_its_extra_is_named():
    code = "import sys; sys.modules['mujoco'] = None; from cable_sim import MujocoRopes"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    told = "CableSimError: MujocoRopes mujoco installed pip install 'cable_sim[models]'"
    assert naming(told).search(done.stderr)
