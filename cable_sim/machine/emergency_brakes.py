"""Emergency brakes, such as discs on drums: closed while a limiter wants them, with the delay of
their axis' brake.

The drive knows one brake. While the emergency brake is closed, that one holds as much more.
"""

from cable_sim.cranes.crane import Crane

SOON = 1e-9
"""Times are sums of steps [s]."""


class EmergencyBrakes:
    """Those of a machine.

    Parameters
    ----------
    crane: whose axes tell what they hold.
    """

    def __init__(self, crane: Crane) -> None:
        delays = {drive.name: drive.brake_close_delay for drive in crane.scene.drives}
        self._brakes = {
            axis.name: (axis.emergency_brake, delays[axis.drive])
            for axis in crane.axes
            if axis.emergency_brake > 0.0
        }
        self.since: float | None = None
        self._closed: tuple[str, ...] = ()

    def update(self, now: float, wanted: bool) -> bool:
        """Close those whose delay is over, or open all of them; once a tick. Returns whether any of
        them moved."""
        if not self._brakes or (not wanted and self.since is None):
            return False
        self.since = (now if self.since is None else self.since) if wanted else None
        return self._set(now)

    def share(self, axis: str) -> float:
        """What the brake of an axis holds more by at present, over what it holds as new [-]."""
        return self._brakes[axis][0] if axis in self._closed else 0.0

    def restore(self, now: float, since: float | None) -> None:
        """Go back to when they were wanted, None for not at all."""
        self.since = since
        self._set(now)

    def _set(self, now: float) -> bool:
        """Which are closed at a time; whether that has changed."""
        before, since = self._closed, self.since
        self._closed = tuple(
            name
            for name, (_, delay) in self._brakes.items()
            if since is not None and now - since >= delay - SOON
        )
        return self._closed != before
