"""The acceptance scenarios of cranes, as ``cable-sim accept`` runs them: every number within its
tolerance."""

import subprocess
import sys

import pytest
from messages import naming

from cable_sim.errors import CableSimError
from validation.acceptance.catalogue import SCENARIOS, load_scenario
from validation.harness.study import findings, run_study

LONG = {
    "tandem_lift",
    "lift_off",
    "limiters",
    "slewing_stop",
    "brake_slip",
    "container_landing",
    "snag",
    "rope_break",
    "rope_over_obstacle",
    "offshore_lift",
    "gantry_move",
    "block_twist",
}
"""Those that take most of a minute, or whose physics a file here tests in seconds."""
MARKED = [
    pytest.param(name, marks=pytest.mark.slow if name in LONG else ())
    for name in SCENARIOS.values()
]


@pytest.mark.parametrize("name", MARKED)
def test_every_number_is_within_its_tolerance(name: str) -> None:
    found = findings(run_study(load_scenario(name)))
    judged = [finding for finding in found if finding.verdict]
    assert len(judged) >= 3
    assert [(f.name, f.cells()) for f in judged if f.verdict == "missed"] == []


def test_scenarios_go_by_number_and_by_name() -> None:
    assert load_scenario("4") is load_scenario("slewing_stop")
    for number, name in SCENARIOS.items():
        study = load_scenario(name)
        assert study.title.startswith(f"Scenario {number}: ") and study.name == name
    with pytest.raises(CableSimError, match=naming("scenario '14' 4 slewing_stop")):
        load_scenario("14")


def test_the_list_names_them_all() -> None:
    command = [sys.executable, "-m", "cable_sim.cli", "accept", "--list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [
        [str(number), name] for number, name in SCENARIOS.items()
    ]
