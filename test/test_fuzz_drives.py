"""Random drives of cranes into everything, and that each of their judges finds what it is for."""

import numpy as np
import pytest

from benchmarks.fuzz import account, drives
from benchmarks.fuzz.campaign import campaign
from benchmarks.fuzz.driving import Rammer
from benchmarks.fuzz.penetration import Penetration
from cable_sim.cranes import load_crane
from cable_sim.kernels.status import LOST_PIVOT
from cable_sim.machine.machine import Machine

TOWER = drives.CRANES.index("tower_12t")
"""Seed of a drive of a tower crane, with a load that is let go."""


def change_state(monkeypatch, when, change):
    """Change the state of each machine after a tick, once, at a time [s]."""
    done = []

    def tick(self, count=1, tick=Machine.tick):
        seen = tick(self, count)
        if self.time > when and not done:
            done.append(self)
            change(self.simulator._running)
        return seen

    monkeypatch.setattr(Machine, "tick", tick)


def load_row(running):
    """Row of the load."""
    return running.names.bodies.index("load") + 1


def test_a_seed_determines_its_drive():
    first, second = (drives.drive(TOWER, 3.0)._replace(processor=0.0) for _ in range(2))
    assert first == second
    assert drives.drive(TOWER + len(drives.CRANES), 1.0).changes != first.changes


@pytest.mark.parametrize("seed", [TOWER, drives.CRANES.index("rtg_41t")])
def test_a_sound_drive_has_no_finding(seed):
    outcome = drives.drive(seed, 10.0)
    assert not outcome.findings
    assert outcome.seconds == pytest.approx(10.0, abs=0.3)


def test_energy_from_nowhere_is_found(monkeypatch):
    """A load gets 1 % faster than all energy at play allows."""

    def throw(running):
        running.state.bodies.velocity[load_row(running), 2] += 20.0

    change_state(monkeypatch, 4.0, throw)
    findings = drives.drive(TOWER, 6.0).findings
    assert any(finding.startswith("energy") for finding in findings), findings


@pytest.mark.parametrize("column", ["drives", "motions"])
def test_work_that_is_forgotten_is_found(column, monkeypatch):
    """Without the work of drives, or of the ship, what they lift is a gain."""
    seed = drives.CRANES.index("overhead_32t" if column == "drives" else "offshore_25t")
    conclude = drives.Judge.conclude
    gains = []

    def look(self, seen, look=drives.Judge.look):
        look(self, seen)
        self.watch.account.work[getattr(account, column.upper())] = 0.0

    monkeypatch.setattr(drives.Judge, "look", look)
    monkeypatch.setattr(
        drives.Judge, "conclude", lambda self: (gains.append(self.watch.gain), conclude(self))
    )
    findings = drives.drive(seed, 10.0).findings
    assert any(finding.startswith("energy") for finding in findings), gains


@pytest.mark.parametrize(
    ("seed", "seconds", "share"),
    [(135, 45.0, 1e-6), (562, 55.0, 3e-4), (1703, 7.0, 1e-5)],
    ids=["boom", "line", "two carriages"],
)
def test_account_closes_where_most_happens(seed, seconds, share):
    """A boom flung about on a ship, a line wound up that is strained by 7 %, and trimmed ropes.

    Without the angular momentum that goes along the first gains 0.5 %, without the strain that is
    wound up the second 2.5 %, and with rope ends counted for each of two carriages the third 0.7 %.
    """
    gain, at_play, _ = drives.drive(seed, seconds).gain
    assert gain <= share * at_play


def sink(running):
    """Put the load a decimetre into the ground."""
    running.state.bodies.position[load_row(running), 2] = 0.4


def test_what_sinks_in_is_found(monkeypatch):
    change_state(monkeypatch, 0.3, sink)
    findings = drives.drive(TOWER, 1.0).findings
    assert any(finding.startswith("depth: 0.1 m, load in ground") for finding in findings), findings


def test_what_sinks_in_is_found_by_coal():
    machine, _, _ = drives.begin(TOWER)
    coal = Penetration(machine)
    coal.look(machine.tick(50), {})
    assert coal.worst[0] < drives.DEEP
    sink(machine.simulator._running)
    coal.look(machine.tick(), {})
    assert coal.worst[0] > 0.05 and coal.worst[1] == "load in ground"


def test_a_flag_without_a_cause_is_found(monkeypatch):
    from cable_sim.machine.running import RunningMachine

    def tick(self, count=1, tick=RunningMachine.tick):
        return tick(self, count) | LOST_PIVOT

    monkeypatch.setattr(RunningMachine, "tick", tick)
    findings = drives.drive(TOWER, 0.5).findings
    assert len(findings) == 1 and findings[0].startswith("status 2: rigid constraints")


def test_a_campaign_goes_on_where_it_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(drives, "SECONDS", 0.5)
    monkeypatch.setattr(drives.results, "FOLDER", tmp_path)
    monkeypatch.setattr(drives, "drive", lambda seed, run=drives.drive: run(seed, 0.5))
    assert campaign(2, TOWER, 0, 1, tmp_path, ("drives",)) == 0
    before = (tmp_path / "drives.jsonl").read_text()
    assert campaign(3, TOWER, 0, 1, tmp_path, ("drives",)) == 0
    after = (tmp_path / "drives.jsonl").read_text()
    assert after.startswith(before) and len(after.splitlines()) == 3
    assert list(tmp_path.glob("*_drives.json"))


def test_a_rammer_comes_near_what_it_aims_at():
    """The hook of a tower crane goes to the platform, 45 m from the mast at 120 degrees."""
    machine = Machine(load_crane("tower_12t", {"rig.start.state": "hanging"}))
    rammer = Rammer(machine, 1)
    hung = machine.crane.suspension
    shape = machine.simulator.names.shapes.index("platform")
    nearest = np.inf
    while machine.time < 60.0:
        rammer.target, rammer.until = (hung, shape, np.zeros(3), 1.0), 1e9
        rammer.act()
        seen = machine.tick(25)
        way = rammer.place(seen, shape, np.zeros(3)) - seen.body("load").position
        nearest = min(nearest, np.linalg.norm(way))
    assert nearest < 7.0
