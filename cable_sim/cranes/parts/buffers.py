"""Buffers before the end stops of trolleys and gantries."""

from typing import Any

from cable_sim.spec.quantities import NonNegative, Positive, spec


@spec
class Buffer:
    """A rubber or spring buffer.

    A body of mass m that runs into it with the speed v compresses it by at most ``v sqrt(m / k)``.

    Parameters
    ----------
    stiffness: k [N/m].
    damping_time: ratio of damping to stiffness [s]; it presses only.
    """

    stiffness: Positive
    damping_time: NonNegative = 0.02


def stops(buffer: Buffer | None) -> dict[str, Any]:
    """Options of a Joint whose end stops have such buffers; none for hard stops."""
    if buffer is None:
        return {}
    return {"stop_compliance": 1.0 / buffer.stiffness, "stop_damping_time": buffer.damping_time}
