"""Many cranes as one vector environment: one call ticks them all, on all processors."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from cable_sim.environments.environment import CraneEnv
from cable_sim.errors import CommandError
from cable_sim.machine.fleet import Fleet

Floats = NDArray[np.float32]


class CraneVectorEnv(VectorEnv[Floats, Floats, NDArray[np.bool_]]):
    """Several :class:`~cable_sim.environments.environment.CraneEnv` that are stepped together.

    Each goes as it would alone, to the bit, whatever the number of environments and threads. The
    step after the end of an episode begins the next one, and its action is ignored. With
    ``autoreset`` False an ended one stands still, for a reward of 0, until it is reset.

    Parameters
    ----------
    num_envs: number of environments.
    threads: number of threads; left out, one for each processor that this process may use.
    autoreset: False to leave it to ``reset(options={"reset_mask": ...})`` to begin anew.
    settings: as of a single environment.
    """

    metadata: dict[str, Any] = CraneEnv.metadata | {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self, num_envs: int = 1, threads: int | None = None, autoreset: bool = True, **settings: Any
    ) -> None:
        first = CraneEnv(**settings)
        self.num_envs = num_envs
        self.envs = [first, *(copy.copy(first) for _ in range(num_envs - 1))]
        mode = AutoresetMode.NEXT_STEP if autoreset else AutoresetMode.DISABLED
        self.metadata = first.metadata | {"autoreset_mode": mode}
        self._autoreset = autoreset
        self.render_mode = first.render_mode
        self.single_action_space = first.action_space
        self.single_observation_space = first.observation_space
        self.action_space = batch_space(first.action_space, num_envs)
        self.observation_space = batch_space(first.observation_space, num_envs)
        self._fleet = Fleet(num_envs, threads)
        self._ended: NDArray[np.bool_] = np.zeros((2, num_envs), np.bool_)
        self._shape = (len(first.entries),)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Any = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode in every environment.

        ``seed`` is that of the first one, which the others count on, or a list. ``options`` are as
        of a single environment; ``reset_mask`` (n,) among them chooses the environments.
        """
        given = dict(options or {})
        mask = given.pop("reset_mask", np.ones(self.num_envs, np.bool_))
        seeds = [None] * self.num_envs if seed is None else seed
        if isinstance(seeds, int):
            seeds = [seeds + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise CommandError(f"seed: needs {self.num_envs} values, not {len(seeds)}")
        infos: dict[str, Any] = {}
        seen: Floats = np.zeros((self.num_envs, *self._shape), np.float32)
        for i, env in enumerate(self.envs):
            if mask[i]:
                seen[i], info = env.reset(seed=seeds[i], options=given)
                infos = self._add_info(infos, info, i)
                self._ended[:, i] = False
            else:
                seen[i] = env.observation
        return seen, infos

    def step(self, actions: Floats) -> tuple[Floats, Any, Any, Any, dict[str, Any]]:
        """Hold actions (n, a) for a period in all environments.

        CommandError, before time passes, for actions of another shape, or that are not finite.
        """
        shape = self.action_space.shape
        if np.shape(actions) != shape:
            raise CommandError(f"actions: must be {shape} numbers, not {np.shape(actions)}")
        began = self._over
        for env, action, over in zip(self.envs, actions, began, strict=True):
            if not over:
                env.checked(action)
        going = [i for i in range(self.num_envs) if not began[i]]
        for i in going:
            self.envs[i].begin(actions[i])
        if going:
            machines = [self.envs[i].machine for i in going]
            self._fleet.tick(machines, self.envs[0].settings.ticks)
        seen: Floats = np.zeros((self.num_envs, *self._shape), np.float32)
        rewards = np.zeros(self.num_envs)
        ended = np.zeros((2, self.num_envs), np.bool_) if self._autoreset else self._ended
        infos: dict[str, Any] = {}
        for i, env in enumerate(self.envs):
            info: dict[str, Any] = {}
            if not began[i]:
                seen[i], rewards[i], ended[0, i], ended[1, i], info = env.end()
            elif self._autoreset:
                seen[i], info = env.reset()
            else:
                seen[i] = env.observation
            infos = self._add_info(infos, info, i)
        self._ended = ended
        terminated, truncated = ended.copy()
        return seen, rewards, terminated, truncated, infos

    @property
    def _over(self) -> NDArray[np.bool_]:
        """Environments (n,) whose episodes have ended."""
        return self._ended[0] | self._ended[1]

    def close_extras(self, **_: Any) -> None:
        """Release the cranes and the threads."""
        for env in self.envs:
            env.close()
        self._fleet.close()
