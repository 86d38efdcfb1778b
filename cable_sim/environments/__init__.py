"""Gymnasium environments: a crane moves its load from a start to a target.

    import gymnasium
    env = gymnasium.make("cable_sim.environments:cable_sim/TowerCrane-v0")

Importing this package registers the environments. Without Gymnasium the import raises
ModuleNotFoundError, whose message says what to install.
"""

from cable_sim.environments.registration import ENVIRONMENTS, register_environments

__all__ = ["ENVIRONMENTS"]

register_environments()
