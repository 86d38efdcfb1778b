"""Actuators of a compiled model as drives.

MuJoCo's actuator gives the force F = g u + b_0 + b_1 l + b_2 dl/dt on l = r q, with the command u,
the gear r and the coordinate q of a joint, so r F on q. Three of its forms are drives:

    motor:     b = 0:                    effort r g u
    position:  b = (0, -g, -kv):         r F = r^2 kv ((u / r - q) kp / kv - dq/dt)
    velocity:  b = (0, 0, -g):           r F = r^2 kv (u / r - dq/dt)

A drive that holds the speed (target - q) / T less ``slip`` times its effort has slip = 1 / (r^2 kv)
and T = kv / kp. A position actuator without kv gets T of one step of the model, which is noted.
"""

from typing import Any

import mujoco

from cable_sim.interchange.models.ropes import Ropes
from cable_sim.interchange.models.source import Source, has_coordinate
from cable_sim.spec import Drive

Bias = mujoco.mjtBias
Gain = mujoco.mjtGain
Dyn = mujoco.mjtDyn
Transmission = mujoco.mjtTrn


def build_drives(source: Source, ropes: Ropes) -> list[Drive]:
    """Return the drives of the actuators of a model; those on tendons add driven cables."""
    drives = []
    for a in range(source.model.nu):
        law = _law(source, a)
        name = source.name("actuator", a, f"drive_{a}")
        on = _acts_on(source, a, name, ropes) if law else None
        if law and on:
            drives.append(Drive(name, on, **law))
    return drives


def _acts_on(source: Source, a: int, name: str, ropes: Ropes) -> str | None:
    """Return the name of the joint or cable that an actuator acts on, or None."""
    model = source.model
    kind = Transmission(model.actuator_trntype[a])
    number = int(model.actuator_trnid[a][0])
    if kind == Transmission.mjTRN_TENDON:
        cable = ropes.drive(number, name)
        if cable is None:
            source.note("actuator", a, "is left out: its tendon is no rope in space")
        return cable
    joint = kind in (Transmission.mjTRN_JOINT, Transmission.mjTRN_JOINTINPARENT)
    if joint and has_coordinate(model, number):
        return source.names["joint", number]
    word = kind.name.removeprefix("mjTRN_").lower()
    told = "a ball or free joint" if joint else f"a {word}"
    source.note("actuator", a, f"is left out: it acts on {told}; drives act on hinges and slides")
    return None


def _law(source: Source, a: int) -> dict[str, Any] | None:
    """Return the fields of the drive of an actuator, or None if it is no drive."""
    model = source.model
    gain = float(model.actuator_gainprm[a][0])
    offset, by_length, by_rate = model.actuator_biasprm[a][:3].tolist()
    fixed = model.actuator_gaintype[a] == Gain.mjGAIN_FIXED
    affine = model.actuator_biastype[a] == Bias.mjBIAS_AFFINE
    plain = model.actuator_biastype[a] == Bias.mjBIAS_NONE
    if model.actuator_dyntype[a] != Dyn.mjDYN_NONE:
        word = Dyn(model.actuator_dyntype[a]).name.removeprefix("mjDYN_").lower()
        source.note("actuator", a, f"its activation ({word}) is left out")
        fixed = fixed and word in ("filter", "filterexact")
    gear = float(model.actuator_gear[a][0])
    command = float(source.data.ctrl[a]) if a < source.data.ctrl.size else 0.0
    if fixed and gain and gear:
        if plain:
            return _motor(source, a, gain * gear, gain * gear * command)
        if affine and not offset and by_length == -gain:
            return _position(source, a, gear, gain, -by_rate, command)
        if affine and not (offset or by_length) and by_rate == -gain < 0.0:
            held = {"mode": "speed", "target": command / gear, "slip": 1.0 / (gear**2 * gain)}
            return held | _most(source, a, abs(gear))
    source.note("actuator", a, "is left out: allowed are motor, position and velocity")
    return None


def _motor(source: Source, a: int, factor: float, effort: float) -> dict[str, Any]:
    """Return the fields of a drive that gives an effort, ``factor`` times the command."""
    model = source.model
    most = _most(source, a, abs(float(model.actuator_gear[a][0])))
    if model.actuator_ctrllimited[a]:
        given = abs(factor) * float(abs(model.actuator_ctrlrange[a]).max())
        most["max_effort"] = min(given, most.get("max_effort", given))
    if factor != 1.0:
        source.note("actuator", a, f"its drive takes the effort itself, {factor:g} times ctrl")
    return {"mode": "effort", "target": effort, **most}


def _position(
    source: Source, a: int, gear: float, kp: float, kv: float, command: float
) -> dict[str, Any] | None:
    """Return the fields of a drive that goes to a position."""
    if kp < 0.0 or kv < 0.0:
        source.note("actuator", a, f"is left out: kp {kp:g}, kv {kv:g}; allowed is 0 and above")
        return None
    if kv == 0.0:
        kv = kp * float(source.model.opt.timestep)
        source.note("actuator", a, f"has kv {kv:g}, of one step: a drive can't be without")
    return {
        "mode": "position",
        "target": command / gear,
        "slip": 1.0 / (gear**2 * kv),
        "damping_time": kv / kp,
        **_most(source, a, abs(gear)),
    }


def _most(source: Source, a: int, gear: float) -> dict[str, float]:
    """Return the bound of the effort at the coordinate, the larger one of both senses."""
    model = source.model
    if not model.actuator_forcelimited[a]:
        return {}
    lower, upper = (gear * float(force) for force in model.actuator_forcerange[a])
    if lower != -upper:
        source.note("actuator", a, f"forcerange {lower:g} ... {upper:g} is taken for both senses")
    return {"max_effort": max(abs(lower), abs(upper))}
