"""Ropes of a scene as tendons of MuJoCo.

A rope of stiffness k and unstretched length L pulls with k (l - L) where its path l is
longer: the spring of a spatial tendon with springlength (0, L). One that can't stretch has the
range (0, L). A rope on a winch has an actuator, kp (ctrl - l) with kp = k, that may pull only. Its
command is L, and that of the start is in the keyframe. Eyes, sheaves and drums are sites, as the
path turns there in a point; it wraps the cylinder of a wheel.
"""

from typing import Any

import numpy as np
from transforms3d.quaternions import quat2mat

from cable_sim.interchange.exports.elements import SEEN, Document, add, set_values
from cable_sim.rendering.bodies import node_places
from cable_sim.rendering.meshes import quaternions_from_z
from cable_sim.sim.observation import Observation
from cable_sim.spec import Cable, Wheel
from cable_sim.spec.quantities import WORLD

MOST = 2.0
"""Angle of wrap above which a rope is held on the rim of its wheel [rad]."""
OUTSIDE = 1.0 + 1e-9
"""Distance of that place from the axis, over the radius: within, it would wrap from inside [-]."""
WHEELS = "two wheels are next to each other on it"


def add_cable(document: Document, cable: Cable, seen: Observation) -> None:
    """Add the tendon of a cable as it is seen at the start."""
    if reason := _why_not(document, cable):
        document.left_out.append(f"cable {cable.name!r}: is left out: {reason}")
        return
    _note_cable(document, cable)
    length = seen.cable(cable.name).length_paid_out
    color = [*cable.color, 1.0]
    width = 0.5 * cable.diameter
    tendon = add(document.parts["tendon"], "spatial", name=cable.name, width=width, rgba=color)
    for number, node in enumerate(cable.nodes):
        if isinstance(node, Wheel):
            _wrap(document, tendon, cable, node, seen.wheel(node.name).wrap)
        else:
            site = f"{cable.name}_{number}"
            add(document.made[node.body], "site", name=site, pos=node.position, size=[0.02])
            add(tendon, "site", site=site)
    rigidity = cable.axial_rigidity
    stiffness = cable.stiffness or (rigidity / length if rigidity else 0.0)
    damping = stiffness * (cable.damping_time or 0.0)
    if cable.winch and stiffness:
        _add_winch(document, cable, stiffness, damping, length)
    elif stiffness:
        span = [0.0 if cable.pulls_only else length, length]
        set_values(tendon, stiffness=stiffness, damping=damping, springlength=span)
    else:
        set_values(tendon, range=[0.0, length], limited=True)


def _why_not(document: Document, cable: Cable) -> str:
    """Return why a cable can't be a tendon; empty for one that can."""
    kinds = [node.kind for node in cable.nodes]
    reasons = (
        ("loose" in kinds, "it has a loose end"),
        (
            any(getattr(node, "body", WORLD) not in document.made for node in cable.nodes),
            "it hangs on a carriage",
        ),
        (cable.model.segments > 0, "it is made of masses"),
        (cable.closed, "it is endless"),
        (("wheel", "wheel") in zip(kinds, kinds[1:], strict=False), WHEELS),
        (cable.driven, "a drive changes its path"),
    )
    return next((told for wrong, told in reasons if wrong), "")


def _wrap(document: Document, tendon: Any, cable: Cable, wheel: Wheel, wrap: float) -> None:
    """Lay a tendon around a wheel by an angle [rad], on the side where it turns about the axis.

    MuJoCo wraps by less than half a turn. So a rope that turns by more than MOST runs through a
    site on the rim, in the middle of its arc.
    """
    axis = np.array(wheel.axis) / np.linalg.norm(wheel.axis)
    body = document.made[wheel.body]
    name = document.name("geom", f"{cable.name}_{wheel.name}")
    add(
        body,
        "geom",
        name=name,
        type="cylinder",
        size=[wheel.radius, 0.25 * wheel.radius],
        pos=wheel.position,
        quat=quaternions_from_z(axis),
        contype=0,
        conaffinity=0,
        mass=0,
        group=SEEN,
    )
    out = _middle(document, cable, wheel, wrap, axis)
    side = f"{name}_side"
    add(body, "site", name=side, pos=wheel.position + 1.5 * wheel.radius * out)
    add(tendon, "geom", geom=name, sidesite=side)
    if wrap > MOST:
        rim = f"{name}_rim"
        add(body, "site", name=rim, pos=wheel.position + OUTSIDE * wheel.radius * out)
        add(tendon, "site", site=rim)
        add(tendon, "geom", geom=name, sidesite=side)


def _middle(document: Document, cable: Cable, wheel: Wheel, wrap: float, axis: Any) -> Any:
    """Return the direction (3,) from the axis n of a wheel to the middle of a rope's arc.

    Seen from the axis, the node before is in the direction u at the distance D. The rope comes
    to the wheel in the direction cos a u + sin a n x u, cos a = r / D, and turns on from there.
    """
    own = document.own.get(wheel.body)
    turn = quat2mat(own.orientation) if own else np.eye(3)
    places = node_places(document.scene, cable)
    at = cable.nodes.index(wheel)
    away = turn.T @ (places[at - 1] - places[at])
    away = away - axis * (away @ axis)
    far = np.linalg.norm(away)
    angle = np.arccos(min(wheel.radius / far, 1.0)) + 0.5 * wrap
    return (np.cos(angle) * away + np.sin(angle) * np.cross(axis, away)) / far


def _add_winch(
    document: Document, cable: Cable, stiffness: float, damping: float, length: float
) -> None:
    """Add the actuator of a winch; its command is the unstretched length."""
    assert cable.winch is not None
    on = next((d.name for d in document.scene.drives if d.on == cable.winch.name), cable.winch.name)
    add(
        document.parts["actuator"],
        "position",
        name=document.name("actuator", on),
        tendon=cable.name,
        kp=stiffness,
        kv=damping,
        forcerange=[-stiffness * length, 0.0],
        forcelimited=True,
    )
    document.commands.append(length)
    told = f"its command is the rope's unstretched length, {length:.6g} m at the start"
    document.left_out.append(f"winch {cable.winch.name!r}: {told}; its mass is left out")


def _note_cable(document: Document, cable: Cable) -> None:
    """Note what of a cable its tendon has not."""
    for given, told in (
        (cable.model.spans_weigh or cable.model.has_masses, "its weight and sag are left out"),
        (cable.damping_ratio, "damping_ratio is left out"),
        (
            any((getattr(n, "efficiency", None) or 1.0) < 1.0 for n in cable.nodes),
            "losses are left out",
        ),
        (any(wheel.friction for wheel in cable.wheels), "friction of wheels is left out"),
        (any(wheel.turns for wheel in cable.wheels), "full turns are left out"),
        (cable.touches, "obstacles that it touches are left out"),
        (cable.twists, "torsion is left out"),
    ):
        if given:
            document.left_out.append(f"cable {cable.name!r}: {told}")
