"""Bodies of a crane whose poses come from outside while it runs, such as a ship's from a topic."""

from cable_sim.spec.quantities import NonNegative, Positive, spec


@spec
class Following:
    """Manner in which a body follows poses that come one by one.

    Parameters
    ----------
    delay: the body is where it was to be so long ago [s]. So there is a pose ahead of it, as long
        as they come more often than that, and its way between two poses is smooth.
    speed, turning: largest rates [m/s, rad/s].
    acceleration, turning_acceleration: largest change of the rates [m/s^2, rad/s^2]. A pose that
        jumps is approached so, and the body comes to rest so where no more poses come.
    """

    delay: NonNegative = 0.2
    speed: Positive = 10.0
    acceleration: Positive = 5.0
    turning: Positive = 1.0
    turning_acceleration: Positive = 1.0
