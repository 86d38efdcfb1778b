"""ExternalWrenches on the load that a scenario plans: forces from outside, each for some time."""

from collections.abc import Sequence

from cable_sim.spec.quantities import NonNegative, Positive, Vector, spec


@spec
class LoadPush:
    """A force on the load, at its centre of mass and along the axes of the world.

    Parameters
    ----------
    force: [N].
    start: when it begins [s].
    duration: how long it lasts [s].
    """

    force: Vector
    start: NonNegative = 0.0
    duration: Positive = 1.0


def force_on_load(pushes: Sequence[LoadPush], time: float, period: float) -> Vector | None:
    """Sum of the pushes in the tick that begins at a time [s] and lasts a period [s], in N.

    A push acts in the ticks that begin from its start on until its end, to the nearest tick. In the
    tick after the last one the sum is zero, and then None. The zero ends a force that lasts until
    the next one.
    """
    total = [0.0, 0.0, 0.0]
    told = False
    for push in pushes:
        passed = time - push.start + 0.5 * period
        if 0.0 <= passed < push.duration:
            total = [a + b for a, b in zip(total, push.force, strict=True)]
        told = told or 0.0 <= passed < push.duration + period
    return (total[0], total[1], total[2]) if told else None
