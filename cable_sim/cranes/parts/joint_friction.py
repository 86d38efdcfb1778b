"""Friction of the joints that cranes travel on, in the words of their files.

It acts on the coordinate q of a joint, beside the drive:

    Q = -c dq/dt - F sign(dq/dt),        |Q| <= F at rest.

A drive that holds a speed has to give it, so its effort shows it. Without power and brake a crane
coasts: all that moves with the joint loses the momentum c q + F t on the way q in the time t.
"""

import dataclasses

from cable_sim.errors import SpecError
from cable_sim.spec import Drive, Joint
from cable_sim.spec.quantities import NonNegative, spec


@spec
class JointFriction:
    """Friction of one joint.

    Parameters
    ----------
    damping: c, viscous friction [N s/m or N m s/rad].
    dry_friction: F, Coulomb's friction, of the rolling of wheels and in bearings [N or N m].
    """

    damping: NonNegative = 0.0
    dry_friction: NonNegative = 0.0


@spec
class RailFriction:
    """Friction of the gantry on its runway, and of the trolley on its girders."""

    gantry: JointFriction = JointFriction()
    trolley: JointFriction = JointFriction()


def with_friction(
    joints: tuple[Joint, ...], friction: RailFriction, drives: tuple[Drive, ...]
) -> tuple[Joint, ...]:
    """Return the joints with the friction of the fields of their names.

    Raises SpecError for dry friction that a drive can't overcome.
    """
    efforts = {drive.on: drive.max_effort for drive in drives}
    given = {field.name: getattr(friction, field.name) for field in dataclasses.fields(friction)}
    for name, found in given.items():
        if found.dry_friction and found.dry_friction >= efforts.get(name, float("inf")):
            raise SpecError(
                f"friction.{name}.dry_friction: must be below the drive's largest effort of "
                f"{efforts[name]:g}, or nothing moves; not {found.dry_friction:g}"
            )
    return tuple(
        dataclasses.replace(joint, **dataclasses.asdict(given[joint.name]))
        if joint.name in given
        else joint
        for joint in joints
    )
