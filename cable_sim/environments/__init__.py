"""Gymnasium environments: a crane brings its load from where it hangs to where it shall hang.

    import gymnasium
    env = gymnasium.make("cable_sim.environments:cable_sim/TowerCrane-v0")

Importing this room registers them; where the package is installed, ``import gymnasium`` does that by itself.
"""

from cable_sim.environments.registration import ENVIRONMENTS, register_environments

__all__ = ["ENVIRONMENTS", "register_environments"]

# Behind the import above: what this loads may be Gymnasium, and that asks for the function right then.
register_environments()
