"""Ropes in MuJoCo at 2 ms: errors against closed forms, and what they take of MuJoCo's step.

A load of 1 t hangs on four falls, over two wheels at the load and one above, EA 1e7 N. Sway is that
of four falls between two points, from 0.1 rad. Targets: periods 0.1 %, drift of energy 1e-3 in 60
s, cost 1.5 of ``mj_step``, a capstan 1e-6.

The cost is told over two steps of MuJoCo: of the same model without a rope, and of it with a
spatial tendon through the same points.
"""

import math
from functools import partial
from typing import Any

import mujoco
import numpy as np

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Anchor, Cable, Drum, MujocoRopes, Sheave, Wheel, Winch

H = 2e-3
G = 9.81
MASS = 1000.0
EA = 1e7
STEPS = 100
ROUNDS = 400
"""Rounds of so few steps that some are not disturbed on a busy machine."""
TROLLEY = """<body name="trolley" pos="0 0 12"><joint type="slide" axis="1 0 0" damping="10"/>
<geom size=".1" mass="200" contype="0" conaffinity="0"/>{sites}</body>"""
ARM = "".join(
    f"""<body pos="0 0 .3"><joint type="hinge" axis="{i % 2} {(i + 1) % 2} 0" damping="1"/>
    <geom type="capsule" fromto="0 0 0 0 0 .3" size=".05"/>"""
    for i in range(7)
)
ROBOT = f"""<geom type="plane" size="9 9 1"/>{ARM}{"</body>" * 7}
<body pos="1 0 .2"><freejoint/><geom type="box" size=".2 .2 .2"/></body>"""
"""An arm of seven joints and a box on a floor."""


def model_of(upper: str, x: float = 0.0, z: float = 2.0, more: str = "") -> tuple[Any, Any]:
    """Return model and data of what is at 12 m, and of the load."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{H}"/><worldbody>{upper}
        <body name="load" pos="{x} 0 {z}"><freejoint/><geom type="box" size=".5 .5 .5" mass="{MASS}"
        contype="0" conaffinity="0"/><site name="left" pos="-.1 0 0"/><site name="right"
        pos=".1 0 0"/></body></worldbody>{more}</mujoco>"""
    )
    return model, mujoco.MjData(model)


FIXED = "<site name='top' pos='0 0 12'/>"


def four_falls(pretension: float, x: float = 0.0, z: float = 2.0, r: float = 0.1) -> Any:
    """Return a load on four falls over wheels of radius ``r`` [m], or through points without."""
    model, data = model_of(FIXED, x, z)

    def wheel(body: str, x: float, turn: float) -> Any:
        if r == 0.0:
            return Sheave(body)
        name = f"{body}_{'left' if x < 0.0 else 'right'}"
        return Wheel(name, body, (x, 0.0, 0.0), r, (0.0, turn, 0.0), efficiency=1.0)

    nodes: list[Any] = [
        Drum("top", (-3 * r, 0.0, 0.0)),
        wheel("load", -2 * r, -1.0),
        wheel("top", 0.0, 1.0),
        wheel("load", 2 * r, -1.0),
        Anchor("top", (3 * r, 0.0, 0.0)),
    ]
    cable = Cable("rope", nodes, ea=EA, pretension=pretension, winch=Winch("winch"))
    return data, MujocoRopes(model, data, [cable])


def follow(data: Any, ropes: Any, i: int, seconds: float) -> tuple[Any, Any]:
    """Return coordinate i, and energies [J] at poses, with velocities halfway between steps."""
    seen, energies = [], []
    for _ in range(round(seconds / H)):
        before, z = data.qvel[:3].copy(), data.qpos[2]
        ropes.step()
        v = 0.5 * (before + data.qvel[:3])
        energies.append(0.5 * MASS * v @ v + MASS * G * (z - 12.0) + ropes.read("rope").energy)
        seen.append(data.qpos[i])
    return np.array(seen), np.array(energies)


def mean_period(x: Any) -> float:
    """Return the mean period of a signal about its mean [s]."""
    x = x - x.mean()
    at = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    cross = at + x[at] / (x[at] - x[at + 1])
    return float((cross[-1] - cross[0]) / (len(cross) - 1) * H)


def drift(energies: Any, swing: float) -> float:
    """Return the change of energy from the first to the last second, over that of the swing."""
    count = round(1.0 / H)
    return float(abs(energies[-count:].mean() - energies[:count].mean()) / swing)


def oscillations() -> list[Row]:
    """Errors of periods, and drifts of energy in 60 s."""
    data, ropes = four_falls(0.3 * MASS * G)
    rope = ropes.read("rope")
    stiffness = 16.0 * EA / rope.unstretched
    omega = math.sqrt(stiffness / MASS)
    z, energies = follow(data, ropes, 2, 60.0)
    amplitude = 0.2 * MASS * G / stiffness  # 1.2 of the weight is carried at the start
    bounce = mean_period(z) * omega / (2 * math.pi) - 1.0
    lost = drift(energies, 0.5 * stiffness * amplitude**2)
    length, angle = 10.0, 0.1
    place = length * math.sin(angle), 12.0 - length * math.cos(angle)
    data, ropes = four_falls(0.25 * MASS * G * math.cos(angle), *place, r=0.0)
    x, energies = follow(data, ropes, 0, 60.0)
    period = 2 * math.pi * math.sqrt(length / G) * (1 + angle**2 / 16 + 11 * angle**4 / 3072)
    sway = mean_period(x) / period - 1.0
    swung = drift(energies, MASS * G * length * (1.0 - math.cos(angle)))
    return [
        Row(
            "mujoco_ropes",
            "period of the bounce",
            abs(bounce),
            abs(bounce),
            "-",
            f"omega h {omega * H:.3f}",
        ),
        Row("mujoco_ropes", "drift of its energy in 60 s", lost, lost, "-"),
        Row("mujoco_ropes", "period of the sway", abs(sway), abs(sway), "-"),
        Row("mujoco_ropes", "drift of its energy in 60 s, sway", swung, swung, "-"),
    ]


def ratios() -> list[Row]:
    """Errors of Atwood's machine, of a capstan, and of four falls that are hoisted."""
    balls = "".join(
        f"""<body name="{name}" pos="{x} 0 2"><freejoint/><geom size=".1" mass="{mass}"
        contype="0" conaffinity="0"/></body>"""
        for name, x, mass in (("a", -0.2, 30.0), ("b", 0.2, 90.0))
    )
    rows = []
    place = "top", (0.0, 0.0, 0.0), 0.2
    for case, ratio, wheel in (
        ("Atwood's machine", 1.0, Wheel("wheel", *place, efficiency=1.0)),
        ("capstan of 0.1", math.exp(0.1 * math.pi), Wheel("wheel", *place, friction=0.1)),
    ):
        model, data = model_of(FIXED + balls, 5.0)
        nodes: list[Any] = [Anchor("a"), wheel, Anchor("b")]
        ropes = MujocoRopes(model, data, [Cable("rope", nodes, ea=1e9, damping_time=0.05)])
        ropes.step(400)
        before = data.qvel[8]
        ropes.step(50)
        tension = ropes.read("rope").tension
        fall = (before - data.qvel[8]) / (50 * H)
        missed = abs(fall / (G * (90 - 30 * ratio) / (90 + 30 * ratio)) - 1.0)
        rows.append(Row("mujoco_ropes", f"{case}, acceleration", missed, missed, "-"))
        missed = abs(tension[1] / tension[0] / ratio - 1.0)
        rows.append(Row("mujoco_ropes", f"{case}, tensions", missed, missed, "-"))
    return rows


def standing(h: float, ratio: float) -> Any:
    """Return ropes with a load that stands on the ground, on one rope without tension."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="{h}"/><worldbody><geom type="plane" size="5 5 1"/>
        <site name="top" pos="0 0 10.5"/><body name="load" pos="0 0 .5"><freejoint/>
        <geom type="box" size=".5 .5 .5" mass="{MASS}"/></body></worldbody></mujoco>"""
    )
    nodes: list[Any] = [Drum("top"), Anchor("load")]
    cable = Cable("rope", nodes, ea=EA, damping_ratio=ratio, winch=Winch("winch"))
    ropes = MujocoRopes(model, mujoco.MjData(model), [cable])
    ropes.step(round(0.2 / h))
    return ropes


def lift(h: float) -> Any:
    """Return tensions every 2 ms of a load that is lifted off the ground by a winch at 0.2 m/s."""
    ropes = standing(h, 0.05)
    ropes.command("winch", -0.2, 1.0)
    tensions = []
    for _ in range(500):
        ropes.step(round(H / h))
        tensions.append(ropes.read("rope").tension[0])
    return np.array(tensions)


def contacts() -> list[Row]:
    """Errors of the tension of a load on the ground, over its weight."""
    weight = MASS * G
    ropes = standing(H, 0.0)
    ropes.command("winch", -0.5 * weight / (EA / 10.0) / 0.5)
    lag = 0.0
    for _ in range(round(0.5 / H)):
        ropes.step()
        seen = ropes.read("rope")
        strain = max(seen.length / seen.unstretched - 1.0, 0.0)
        lag = max(lag, abs(seen.tension[0] - EA * strain) / weight)
    rows = [Row("mujoco_ropes", "load on the ground, half its weight in 0.5 s", lag, lag, "-")]
    reference = lift(H / 20.0)
    for h in (H, H / 2.0):
        tensions = lift(h)
        peak = abs(tensions.max() / reference.max() - 1.0)
        rms = float(np.sqrt(np.mean((tensions - reference) ** 2)) / weight)
        told = f"at {1e3 * h:g} ms"
        rows.append(Row("mujoco_ropes", "lift off the ground, peak", peak, peak, "-", told))
        rows.append(Row("mujoco_ropes", "lift off the ground, rms", rms, rms, "-", told))
    return rows


def costs() -> list[Row]:
    """Steps with and without ropes, by turns."""
    sites = "".join(f"<site name='u{i}' pos='{x} 0 0'/>" for i, x in enumerate((-0.2, 0.0, 0.2)))
    through = ("u0", "left", "u1", "right", "u2")
    tendon = "".join(f"<site site='{name}'/>" for name in through)
    tendon = f"<tendon><spatial stiffness='2.5e5' springlength='0 39.9'>{tendon}</spatial></tendon>"
    rows = []
    for name, more in (("load", ""), ("load beside an arm", ROBOT)):
        upper = TROLLEY.format(sites=sites) + more
        for case, efficiency in (("", 1.0), (", three lossy sheaves", 0.98)):
            inner = [Sheave(node, efficiency=efficiency) for node in through[1:-1]]
            nodes: list[Any] = [Drum("u0"), *inner, Anchor("u2")]
            cable = Cable("rope", nodes, ea=EA, pretension=0.25 * MASS * G, winch=Winch("winch"))
            ropes = MujocoRopes(*model_of(upper), [cable])
            timings = measure(
                {
                    "without a rope": _plain(*model_of(upper)),
                    "with a tendon": _plain(*model_of(upper, more=tendon)),
                    "rope": Case(partial(ropes.step, STEPS), STEPS),
                },
                ROUNDS,
            )
            rope = timings["rope"]
            rows += [
                Row(
                    "mujoco_ropes",
                    f"{name}{case}: cost over mj_step {other}",
                    rope.best / timings[other].best,
                    rope.median / timings[other].median,
                    "-",
                    f"{1e6 * rope.best:.2f} us over {1e6 * timings[other].best:.2f} us",
                )
                for other in ("without a rope", "with a tendon")
            ]
    return rows


def _plain(model: Any, data: Any) -> Case:
    """Return the case of MuJoCo's own steps, one call each, as with ropes."""

    def take_steps() -> None:
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    return Case(take_steps, STEPS, partial(mujoco.mj_resetData, model, data))


def mujoco_ropes() -> list[Row]:
    """Run all of it."""
    return [*oscillations(), *ratios(), *contacts(), *costs()]
