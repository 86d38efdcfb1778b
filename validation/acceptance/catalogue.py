"""Scenarios by number or by name."""

from importlib import import_module

from cable_sim.errors import CableSimError
from validation.harness.study import Study

SCENARIOS = {
    1: "gantry_move",
    2: "lift_off",
    3: "limiters",
    4: "slewing_stop",
    5: "gust",
    6: "brake_slip",
    7: "block_twist",
    8: "container_landing",
    9: "snag",
    10: "rope_break",
    11: "rope_over_obstacle",
    12: "tandem_lift",
    13: "offshore_lift",
}
"""Module of each scenario, by its number."""


def known_scenarios() -> str:
    """Numbers and names, for messages."""
    return ", ".join(f"{number} {name}" for number, name in SCENARIOS.items())


def load_scenario(wanted: str) -> Study:
    """The scenario of a number or a name; CableSimError lists the known ones for another."""
    named = {str(number): name for number, name in SCENARIOS.items()} | {
        name: name for name in SCENARIOS.values()
    }
    if wanted not in named:
        raise CableSimError(f"scenario {wanted!r} is not known; known are {known_scenarios()}")
    study = import_module(f"validation.acceptance.{named[wanted]}").STUDY
    assert isinstance(study, Study)
    return study
