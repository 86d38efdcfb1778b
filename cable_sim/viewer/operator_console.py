"""The operator's console behind the page: speed commands, control rights, and requests.

Nothing here depends on browsers: pages report their sliders, and the viewer's one thread calls
:meth:`OperatorConsole.perform`. The commands of a page always end. A page that leaves or no longer
answers is dropped, and its axes go to zero. An axis at zero receives that command for a moment and
is then free for others.
"""

import hmac
import math
import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from operator import methodcaller

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.errors import CableSimError
from cable_sim.machine.faults import Fault, FaultKind
from cable_sim.machine.pictures.frame import Source

COMMAND_PERIOD = 0.05
"""Period of a speed command [s]; without one the machine brakes after some 0.5 s."""
FAREWELLS = 4
"""Number of zero commands after a motion.

More than one is sent in case a message gets lost. They end, so that another controller is not
contradicted.
"""
PROBLEM_TIME = 5.0
"""Least duration [s] of the message about a refused request, even if later commands succeed."""
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters of a code, without letters and digits that look alike."""
LEAST_TOKEN = 8
"""Least length of a chosen control code. Pages may try as often as they like."""


class ControlCode:
    """The code that lets a page control the crane.

    Parameters
    ----------
    token: the code; left out, a random one of 8 characters (40 bits).
    required: False lets every page control.

    Raises CableSimError for a code that is too short.
    """

    def __init__(self, token: str | None = None, required: bool = True) -> None:
        if token is not None and len(_strip_code(token)) < LEAST_TOKEN:
            count = len(_strip_code(token))
            told = f"the control code is too short: it has {count} letters and digits"
            raise CableSimError(f"{told}; use {LEAST_TOKEN} or more")
        self.required = required
        self.text = token or "-".join(
            "".join(secrets.choice(ALPHABET) for _ in range(4)) for _ in range(2)
        )

    def opens(self, attempt: str) -> bool:
        """Return True if the attempt is the code; case, blanks and dashes do not matter."""
        if not self.required:
            return True
        return hmac.compare_digest(_strip_code(attempt).encode(), _strip_code(self.text).encode())


@dataclass
class AxisSetpoint:
    """Set-point of an axis: speed [trade unit], page of the slider, next time to send it [s]."""

    speed: float = 0.0
    page: int | None = None
    due: float = 0.0
    farewells: int = 0


class OperatorConsole:
    """Set-points of all pages for all axes, and the requests that go with them.

    Parameters
    ----------
    crane: crane whose axes give the limits and trade units.
    """

    def __init__(self, crane: Crane) -> None:
        self._axes = {axis.name: axis for axis in crane.axes}
        self._wishes = {axis.name: AxisSetpoint() for axis in crane.axes}
        self._stops: deque[Callable[[Source], None]] = deque()
        self._requests: deque[Callable[[Source], None]] = deque()
        self._lock = threading.Lock()
        self.problem = ""
        self._told_until = -math.inf

    def speed(self, axis: str) -> float:
        """Return the speed command of an axis in trade units."""
        return self._wishes[axis].speed

    def set_speed(self, axis: str, speed: float, page: int) -> None:
        """Set a page's speed command [trade unit] and take the axis over; not finite is zero."""
        limit = trade_limit(self._axes[axis])
        speed = min(max(speed, -limit), limit) if math.isfinite(speed) else 0.0
        with self._lock:
            wish = self._wishes[axis]
            if speed == 0.0 and wish.speed == 0.0 and wish.farewells == 0:
                return
            farewells = FAREWELLS if speed == 0.0 else 0
            self._wishes[axis] = AxisSetpoint(speed, page if speed else None, 0.0, farewells)

    def stop(self) -> None:
        """Set all axes to zero, whichever page moves them."""
        for name in self._axes:
            self.set_speed(name, 0.0, -1)

    def drop(self, page: int) -> None:
        """Stop the axes of a page that is gone."""
        for name in self.axes_moved_by(page):
            self.set_speed(name, 0.0, page)

    def axes_moved_by(self, page: int) -> list[str]:
        """Return the names of the axes that a page moves."""
        return [name for name, wish in self._wishes.items() if wish.page == page and wish.speed]

    def emergency_stop(self, engaged: bool) -> None:
        """Engage or release the emergency stop before all other requests, and zero all sliders.

        The last request counts. Engaged, it has a zero sent to every axis, so that none has to wait
        for one after the release.
        """
        self.stop()
        for wish in self._wishes.values() if engaged else ():
            wish.farewells = FAREWELLS
        self._stops.append(lambda source: source.emergency_stop(engaged))

    def pause(self, paused: bool) -> None:
        """Stop or continue the clock."""
        self._requests.append(lambda source: source.pause(paused))

    def step(self) -> None:
        """Pause, and advance one tick."""
        self._requests.append(lambda source: source.pause(True))
        self._requests.append(lambda source: source.step())

    def reset(self) -> None:
        """Stop, and go back to the start."""
        self.stop()
        self._requests.append(lambda source: source.reset())

    def reset_limiters(self) -> None:
        """Reset the latched limiters."""
        self._requests.append(lambda source: source.reset_limiters())

    def inject(self, kind: FaultKind, target: str, value: float | None) -> None:
        """Inject a fault; an impossible one is reported like a refusal of the source."""
        self._requests.append(lambda source: source.inject(Fault(kind, target, value)))

    def clear_faults(self) -> None:
        """Remove all faults."""
        self._requests.append(lambda source: source.clear_faults())

    def perform(self, source: Source, now: float) -> None:
        """Send the commands and requests that are due at the time ``now`` [s] of any steady clock.

        A failure of the source is reported in ``problem``, and tried again with the next command.
        """
        for waiting in (self._stops, self._requests):
            while waiting:
                self.problem = _problem(waiting.popleft(), source)
                self._told_until = now + PROBLEM_TIME if self.problem else now
        for name, wish in self._wishes.items():
            with self._lock:
                if now < wish.due or (wish.speed == 0.0 and wish.farewells == 0):
                    continue
                wish.due = now + COMMAND_PERIOD
                if wish.speed == 0.0:
                    wish.farewells -= 1
                speed = wish.speed / self._axes[name].trade_factor
            problem = _problem(methodcaller("command", name, speed), source)
            if problem or now >= self._told_until:
                self.problem = problem


def _problem(request: Callable[[Source], None], source: Source) -> str:
    """Make a request; return its error as text for the status line, because the viewer goes on."""
    try:
        request(source)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def trade_limit(axis: Axis) -> float:
    """Return the largest speed of an axis in trade units, positive."""
    return abs(axis.max_speed * axis.trade_factor)


def refusal(attempt: str) -> str:
    """Return the answer to an attempt that is not the code; an empty text as long as it is empty.

    It tells only what is true of all codes.
    """
    count = len(_strip_code(attempt))
    if count == 0:
        return ""
    if count < LEAST_TOKEN:
        return f"Codes have at least {LEAST_TOKEN} letters and digits; this one has {count}."
    return "**Wrong code.** The terminal that serves this page shows the right one."


def _strip_code(code: str) -> str:
    """Return a code without the characters that people add or leave out when they copy it."""
    return "".join(letter for letter in code.lower() if letter.isalnum())
