"""Gymnasium environments: a crane brings its load from where it hangs to where it shall hang.

    import gymnasium
    env = gymnasium.make("cable_sim.environments:cable_sim/TowerCrane-v0")

Importing this room registers them. ModuleNotFoundError, which says what to install, without
Gymnasium.
"""

from cable_sim.environments.registration import ENVIRONMENTS, register_environments

__all__ = ["ENVIRONMENTS"]

register_environments()
