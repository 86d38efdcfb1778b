"""Tasks that are drawn: within their ranges and the load chart, and scenarios like any."""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs the extra `rl`")
from cable_sim.cranes import load_crane
from cable_sim.environments import ENVIRONMENTS
from cable_sim.environments.settings import Settings
from cable_sim.environments.tasks import Tasks


def drawn(name: str, number: int, **settings):
    tasks, random = Tasks(Settings(**(ENVIRONMENTS[name] | settings))), np.random.default_rng(1)
    return tasks, [tasks.draw(random, {}) for _ in range(number)]


def test_loads_hang_within_the_load_chart() -> None:
    """Also heavy ones, for which the range of the trolley is too long."""
    spec = load_crane("tower_12t").details
    places = {"trolley": (10.0, 69.0), "hoist": (15.0, 45.0)}
    _, scenarios = drawn("cable_sim/TowerCrane-v0", 200, places=places, load=(2000.0, 5400.0))
    far = []
    for scenario in scenarios:
        for radius in (scenario.start["trolley"], scenario.moves[0].to):
            assert 10.0 <= radius <= 69.0
            assert scenario.load <= 0.9 * spec.chart.capacity(radius) + 1e-6
            far.append(scenario.load / spec.chart.capacity(radius))
    assert max(far) > 0.85
    loads = [scenario.load for scenario in scenarios]
    assert 2000.0 <= min(loads) < 2200.0 and 5200.0 < max(loads) <= 5400.0


def test_a_task_is_the_crane_of_its_scenario() -> None:
    """As it is built from the file again, by itself."""
    tasks, (scenario,) = drawn("cable_sim/GantryCrane-v0", 1, wind=(3.0, 5.0))
    made, again = tasks.build(scenario), scenario.build()
    assert made == again
    assert made.details.rig.load.mass == scenario.load
    assert made.details.rig.start.at["hoist"] == scenario.rope_length
    assert made.details.rig.start.at["trolley"] == scenario.start["trolley"]
    assert 3.0 <= made.wind[0].speed <= 5.0
    assert not made.details.site.stacks


def test_what_is_given_changes_nothing_else() -> None:
    tasks = Tasks(Settings(**ENVIRONMENTS["cable_sim/TowerCrane-v0"]))
    given = {"load": 1500.0, "start": {"slewing": 0.2}, "target": {"hoist": 22.0}}
    free, fixed = (tasks.draw(np.random.default_rng(7), options) for options in ({}, given))
    assert fixed.load == 1500.0 and fixed.start["slewing"] == 0.2
    assert {move.axis: move.to for move in fixed.moves}["hoist"] == 22.0
    assert fixed.rope_length == free.rope_length and fixed.seed == free.seed
    assert fixed.moves[0] == free.moves[0]
