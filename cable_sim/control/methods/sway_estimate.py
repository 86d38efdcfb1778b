"""The sway now, as a controller on a crane can know it.

The reduced crane sways by what trolley and jib are seen to do; what it lacks comes from the camera,
or from the truth where a scenario says so. Without pictures, as of a camera that is dead, the
reduced crane goes on alone.
"""

from collections.abc import Callable
from typing import NamedTuple

from cable_sim.control.feedback import Feedback
from cable_sim.control.methods.reduced_crane import Pivot, Sway, step
from cable_sim.control.methods.regulator import SwayObserver
from cable_sim.control.methods.sway_camera import Camera
from cable_sim.control.task import Task
from cable_sim.cranes.family_spec import ask_family

DIRECTIONS = ("sway.radial", "sway.tangential")
"""Readings of the camera."""


class _Eye(NamedTuple):
    """View of the sway in one direction: age of a picture in ticks, and a picture or None.

    A picture is the sway [rad] with the time since the one before [s].
    """

    age: int
    look: Callable[[Feedback], tuple[float, float] | None]


class SwayEstimate:
    """Estimator of the sway; call :meth:`update` once a tick.

    Parameters
    ----------
    task: task with its crane, sensors and period.
    settling: see :class:`~cable_sim.control.methods.regulator.SwayObserver`.
    """

    def __init__(self, task: Task, settling: float) -> None:
        self._period = task.period
        self._share = ask_family(task.crane).camera_share(task.crane)
        self._model = Sway()
        eyes = [_camera(task, name) if task.measured else _truth(task, name) for name in DIRECTIONS]
        self._looks = [eye.look for eye in eyes]
        self._observers = [SwayObserver(task.period, eye.age, settling) for eye in eyes]

    def update(
        self,
        seen: Feedback,
        pivot: Pivot,
        hoist: float,
        length: float,
        hoisting: float,
        frequency: float,
    ) -> Sway:
        """The sway now, less what wind puts aside for long.

        ``pivot``: how the trolley has moved in the last tick; ``hoist``: coordinate [m]; ``length``
        of the pendulum [m], which grows by ``hoisting`` [m/s], and its ``frequency`` [rad/s].
        """
        self._model = model = step(self._model, pivot, length, hoisting, self._period)
        share = self._share(hoist)
        lacks = []
        for look, observer, angle in zip(
            self._looks, self._observers, (model.radial, model.tangential), strict=True
        ):
            picture = look(seen)
            if picture is None:
                lacks.append(observer.update(angle, frequency, None, 0.0))
            else:
                lacks.append(observer.update(angle, frequency, picture[0] / share, picture[1]))
        (radial, radial_rate), (tangential, tangential_rate) = lacks
        return Sway(
            model.radial + radial,
            model.radial_rate + radial_rate,
            model.tangential + tangential,
            model.tangential_rate + tangential_rate,
        )


def _camera(task: Task, name: str) -> _Eye:
    """A direction as the crane's camera sees it."""
    camera = Camera(
        next(sensor for sensor in task.crane.sensors if sensor.name == name), task.period
    )

    def look(seen: Feedback) -> tuple[float, float] | None:
        reading = seen.readings[name]
        since = camera.look(seen.time, reading)
        return None if since is None else (reading, since)

    return _Eye(camera.age, look)


def _truth(task: Task, name: str) -> _Eye:
    """A direction as it is, at every tick."""
    place = DIRECTIONS.index(name)

    def look(seen: Feedback) -> tuple[float, float] | None:
        return None if seen.sway is None else (seen.sway[place], task.period)

    return _Eye(0, look)
