"""Emergency brakes, such as discs on drums: a limiter closes them after their axis' brake delay.

The drive has only one brake. While the emergency brake is closed, that brake holds more by its
share.
"""

from cable_sim.cranes.crane import Crane

SOON = 1e-9
"""Tolerance of times [s], which are sums of steps."""


class EmergencyBrakes:
    """The emergency brakes of a machine.

    Parameters
    ----------
    crane: crane whose axes define the brakes.
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
        """Close the brakes whose delay is over, or open all of them; once a tick.

        Returns True if any brake moved.
        """
        if not self._brakes or (not wanted and self.since is None):
            return False
        self.since = (now if self.since is None else self.since) if wanted else None
        return self._set(now)

    def share(self, axis: str) -> float:
        """Return the present additional share of an axis' brake, over its effort as new [-]."""
        return self._brakes[axis][0] if axis in self._closed else 0.0

    def restore(self, now: float, since: float | None) -> None:
        """Go back to brakes that were requested at ``since`` [s]; None for not at all."""
        self.since = since
        self._set(now)

    def _set(self, now: float) -> bool:
        """Set the closed brakes for a time [s]; return True if they changed."""
        before = self._closed
        since = self.since
        self._closed = tuple(
            name
            for name, (_, delay) in self._brakes.items()
            if since is not None and now - since >= delay - SOON
        )
        return self._closed != before
