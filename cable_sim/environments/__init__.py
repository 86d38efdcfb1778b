"""Gymnasium environments: a crane moves its load from a start to a target.

    import gymnasium
    env = gymnasium.make("cable_sim.environments:cable_sim/TowerCrane-v0")

Importing this package registers the environments. Without Gymnasium the import raises
ModuleNotFoundError, whose message says what to install.
"""

from typing import Any

try:
    import gymnasium
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    hint = "gymnasium is not installed: pip install 'cable_sim[rl]'"
    raise ModuleNotFoundError(hint, name=error.name) from None

__all__ = ["ENVIRONMENTS"]

ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "cable_sim/TowerCrane-v0": {
        "crane": "tower_12t",
        "places": {"slewing": (-0.5, 0.5), "trolley": (15.0, 45.0), "hoist": (15.0, 45.0)},
        "load": (1000.0, 4000.0),
    },
    "cable_sim/GantryCrane-v0": {
        "crane": "rtg_41t",
        "places": {"trolley": (-8.0, 8.0), "hoist": (6.0, 14.0)},
        "load": (10.0e3, 40.0e3),
        "changes": {"site.stacks": ()},
    },
}
"""Settings by name of the environment.

They are the ones that differ from the defaults of
:class:`~cable_sim.environments.settings.Settings`.
"""

for _name, _settings in ENVIRONMENTS.items():
    gymnasium.register(
        _name,
        "cable_sim.environments.environment:CraneEnv",
        vector_entry_point="cable_sim.environments.vector:CraneVectorEnv",
        kwargs=_settings,
    )
