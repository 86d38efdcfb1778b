"""Tracker of a rate: its value some time ahead, from noisy samples.

Between samples z of a rate the tracker goes on with its acceleration, x' = a; each sample corrects
both, critically damped with the bandwidth b over the period h:

    r = z - (x + h a),    x+ = x + h a + (1 - k^2) r,    a+ = a + (1 - k)^2 r / h,    k = exp(-b h),

an alpha-beta filter. What it tells of a rate with the frequency w, T ahead, has over that rate, for
w h << 1, the factor

    F = (b^2 + (2 b + T b^2) i w) / (b + i w)^2.
"""

import math


class RateTracker:
    """Tracker of a rate.

    Parameters
    ----------
    period: time between two samples [s].
    bandwidth: b [rad/s]; with less it is smoother, and later to see a change.
    """

    def __init__(self, period: float, bandwidth: float) -> None:
        kept = math.exp(-bandwidth * period)
        self._period = period
        self._alpha = 1.0 - kept * kept
        self._beta = (1.0 - kept) ** 2 / period
        self.rate = 0.0
        self.change = 0.0

    def see(self, sample: float) -> None:
        """Take a sample in the rate's unit; one that is NaN is missing, and it goes on without."""
        self.rate += self._period * self.change
        if sample == sample:
            off = sample - self.rate
            self.rate += self._alpha * off
            self.change += self._beta * off

    def ahead(self, time: float) -> float:
        """Return the rate that is expected in a time [s]."""
        return self.rate + time * self.change


def response(frequency: float, bandwidth: float, ahead: float) -> complex:
    """Return F for an angular frequency and a bandwidth [rad/s], a time ahead [s]; see above."""
    s = 1.0j * frequency
    return (bandwidth**2 + (2.0 * bandwidth + ahead * bandwidth**2) * s) / (bandwidth + s) ** 2
