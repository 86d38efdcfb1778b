"""The run of scenario 12 with its PLC lasts as long as the PLC's program does; the numbers:
scenario 12."""

import sys

import pytest
from messages import naming

from cable_sim.errors import CableSimError
from validation.acceptance.tandem_link import VARIABLE, requested_length, run_led


class Link:
    """Runs until it is told that the program has ended."""

    ended = False

    def run(self, most, ending):
        self.ended = ending.wait(most)
        return "run"


def test_a_run_ends_with_its_plc_program_however_slow_it_starts():
    link = Link()
    assert run_led(link, [sys.executable, "-c", "print('{\"cycles\": 3.0}')"], 60.0) == (
        "run",
        {"cycles": 3.0},
    )
    assert link.ended


def test_a_program_that_fails_ends_the_run_and_is_named():
    link = Link()
    with pytest.raises(CableSimError, match=naming("failed status 3 -c raise SystemExit")):
        run_led(link, [sys.executable, "-c", "raise SystemExit(3)"], 60.0)
    assert link.ended


@pytest.mark.parametrize("text", ["soon", "0", "-1800", "nan", "inf", "1.5"])
def test_a_length_that_can_not_be_is_refused(monkeypatch, text):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(
        CableSimError, match=naming(f"{VARIABLE}={text} wanted length run seconds 2")
    ):
        requested_length()


@pytest.mark.parametrize(("text", "seconds"), [("", None), ("2", 2.0), ("1800", 1800.0)])
def test_a_length_that_can_be_is_taken(monkeypatch, text, seconds):
    monkeypatch.setenv(VARIABLE, text)
    assert requested_length() == seconds
