"""The Gymnasium environment of a crane."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from cable_sim.control.feedback import Command, Control, Feedback
from cable_sim.control.scenario import Scenario
from cable_sim.control.task import Task
from cable_sim.environments.episode import Episode
from cable_sim.environments.observations import BOUND, entries
from cable_sim.environments.settings import Settings
from cable_sim.environments.tasks import Tasks
from cable_sim.errors import CommandError, SpecError
from cable_sim.machine.machine import Machine

Floats = NDArray[np.float32]
RENDER_MODES = ["rgb_array"]


class CraneEnv(gymnasium.Env[Floats, Floats]):
    """Environment that moves a crane's load from a start to a target, fast and with little sway.

    An action is a share of the largest speed for each commanded axis, in the order of the crane.
    Its sign is that of the axis: at +1 the hoist pays out. The observation is defined in
    ``environments/observations.py``, the reward in ``environments/reward.py``.

    An episode terminates with success when the load has arrived and is calm. It terminates with
    failure when a limiter trips or the load touches what is below it. Limiters that only keep an
    axis within its range do not count. The episode is truncated after ``time_limit``.

    ``reset(options=...)`` may fix ``start`` or ``target``, a mapping of axes to coordinates [m,
    rad], ``load`` [kg] and ``wind`` [m/s]. The same seed and actions give the same bits.

    Parameters
    ----------
    render_mode: ``rgb_array`` for pictures by :meth:`render`; None for no pictures.
    settings: see :class:`~cable_sim.environments.settings.Settings`; invalid ones raise SpecError.

    Attributes
    ----------
    entries: names of the observation's entries.
    axes: names of the action's entries.
    scenario: task of this episode; its controller is not used.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 10}

    def __init__(self, render_mode: str | None = None, **settings: Any) -> None:
        self.settings = Settings(**settings)
        if render_mode not in (None, *RENDER_MODES):
            raise SpecError(
                f"render_mode: must be None or {', '.join(RENDER_MODES)}, not {render_mode!r}"
            )
        self.render_mode = render_mode
        self.metadata = CraneEnv.metadata | {
            "render_fps": max(1, round(1.0 / self.settings.period))
        }
        self._tasks = Tasks(self.settings)
        self.axes = self._tasks.axes
        self.entries = entries(self.axes)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (len(self.axes),), np.float32)
        self.observation_space = gymnasium.spaces.Box(
            -BOUND, BOUND, (len(self.entries),), np.float32
        )
        self.scenario: Scenario | None = None
        self._episode: Episode | None = None
        self._picture: Any = None

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Draw the next task; SpecError for invalid options.

        After a SpecError the last episode goes on.
        """
        super().reset(seed=seed)
        scenario = self._tasks.draw(self.np_random, options or {})
        episode = Episode(self.settings, self._tasks, scenario)
        self.scenario = scenario
        self._episode = episode
        self._picture = None
        info = {"load": scenario.load, "target": np.array(episode.point)}
        return episode.observation, info | episode.metrics

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Hold shares (n,) of the largest speeds [-], clipped to -1 ... 1, for a period.

        CommandError for an action of another shape, or that is not finite.
        """
        self.begin(action)
        self.machine.tick(self.settings.ticks)
        return self.end()

    def checked(self, action: Floats) -> NDArray[np.float64]:
        """Return an action as numbers (n,) [-]; CommandError if it can't be taken."""
        wanted = f"{len(self.axes)} numbers, for {', '.join(self.axes)}"
        try:
            given = np.asarray(action, dtype=float)
        except (TypeError, ValueError):
            raise CommandError(f"action: must be {wanted}, not {action!r}") from None
        if given.shape != self.action_space.shape:
            raise CommandError(f"action: must be {wanted}, not an array of shape {given.shape}")
        if not np.isfinite(given).all():
            raise CommandError(f"action: {given.tolist()} is not finite")
        return given

    def begin(self, action: Floats) -> None:
        """Command an action, before its period passes."""
        episode = self._running
        episode.command(np.clip(self.checked(action), -1.0, 1.0).tolist())

    def end(self) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Return observation (m,) [-], reward [-], ends and metrics after an action's period."""
        episode = self._running
        reward, arrived, failure = episode.outcome()
        late = episode.time > self.settings.time_limit - 0.5 * self.settings.period
        info = episode.metrics | {"is_success": arrived, "failure": failure}
        info |= {f"reward_{part}": value for part, value in reward.items()}
        return episode.observation, sum(reward.values()), arrived or failure != "", late, info

    @property
    def machine(self) -> Machine:
        """Machine of the episode under way."""
        return self._running.plant.machine

    @property
    def observation(self) -> Floats:
        """Present observation (m,) [-] of the episode under way."""
        return self._running.observation

    def render(self) -> NDArray[np.uint8] | None:
        """Return a picture (400, 800, 3), seen from the side and from above.

        Without a render mode it is None.
        """
        if self.render_mode is None:
            return None
        episode = self._running
        if self._picture is None:
            from cable_sim.environments.picture import Picture

            self._picture = Picture(episode.crane, episode.point)
        return self._picture.draw(episode.plant.observation)

    def close(self) -> None:
        """Release the crane of the current episode."""
        if self._episode is not None:
            self._episode.plant.close()

    @property
    def task(self) -> Task:
        """Task of this episode, in the form that ``cable_sim.control.controllers`` take."""
        return self._running.task

    @property
    def seen(self) -> Feedback:
        """Feedback of the crane, in the form that ``cable_sim.control.controllers`` take."""
        return self._running.seen

    def action_of(self, control: Control) -> Floats:
        """Return the action equivalent to a controller's command.

        SpecError for an axis that is not commanded, or for a position command.
        """
        shares = dict.fromkeys(self.axes, 0.0)
        for name, wanted in control.items():
            if name not in shares or isinstance(wanted, Command) and wanted.mode != "speed":
                raise SpecError(
                    f"control: {name!r} must be a speed of {', '.join(self.axes)}, not {wanted}"
                )
            speed = wanted.value if isinstance(wanted, Command) else wanted
            shares[name] = speed / self._running.crane.axis(name).max_speed
        return np.clip(np.array(list(shares.values())), -1.0, 1.0).astype(np.float32)

    @property
    def _running(self) -> Episode:
        """Episode under way; ResetNeeded before the first reset."""
        if self._episode is None:
            raise ResetNeeded("call reset() before anything else")
        return self._episode
