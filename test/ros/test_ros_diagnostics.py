"""Diagnostics and statistics: each condition that should warn does, as long as it lasts or once,
and then no more."""

import math

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from builtin_interfaces.msg import Time
from cable_sim.msg import SimStats
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.qos import QoSProfile

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError
from cable_sim.kernels import status
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.basis.pacing import Pacer
from cable_sim.ros.basis.stats import Stats
from cable_sim.ros.command.commands import Counts
from cable_sim.ros.publish.diagnostics import Diagnostics

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
PARAMETERS = {"diagnostics_period": 0.1, "real_time_factor": 100.0}
TICK = 0.01


class Hands:
    """A clock that the test turns."""

    now = 50.0

    def __call__(self):
        return self.now


class Desk:
    """A machine, what is noted of its ticks, and the diagnostics of both."""

    def __init__(self, crane, factor=1.0):
        self.machine, self.counts, self.clock = Machine(crane), Counts(), Hands()
        self.stats, self.pacer = Stats(Time(), self.clock), Pacer(TICK, factor, clock=self.clock)
        self.stats.record_pace(self.pacer)
        self.diagnostics = Diagnostics("yard/cable_sim", "crane_1", Time())

    def tick(self, count=1, took=0.004, report=None):
        """Ticks that took so long [s], each when it is due or at once when that is past."""
        for _ in range(count):
            self.clock.now = max(self.clock.now, self.pacer.due) + took
            seen = self.machine.tick()
            if report is not None:
                object.__setattr__(seen, "report", report)
            self.pacer.note_tick()
            self.stats.record_tick(seen, took, self.pacer)
        return self

    def look(self):
        """Status by the name of its part: level, sentence and values."""
        message = self.diagnostics.fill(
            self.machine, self.machine.observe(), self.stats, self.counts
        )
        self.all = message.status
        return {
            s.name.removeprefix("yard/cable_sim: "): (
                s.level,
                s.message,
                {v.key: v.value for v in s.values},
            )
            for s in message.status
        }

    def told(self):
        """sim_stats."""
        return self.stats.fill(self.machine.observe(), 0, 0, False)


@pytest.fixture
def desk(crane):
    return Desk(crane).tick()


def test_all_is_well_at_the_start_and_names_tell_node_and_crane(crane):
    desk = Desk(crane)
    for _ in range(2):  # before the first tick, and after some
        found = desk.look()
        assert {part: row[0] for part, row in found.items() if row[0] != OK} == {}
        assert all(
            s.name.startswith("yard/cable_sim: ") and s.hardware_id == "crane_1" for s in desk.all
        )
        desk.tick(30)


def test_a_slow_machine_warns_until_it_has_caught_up(desk):
    desk.look()
    level, sentence, values = desk.tick(60, took=0.025).look()["run"]
    assert level == WARN and naming("25 10 ms slow").search(sentence)
    assert (
        int(values["missed ticks"]) > 30
        and int(values["overruns"]) == 60
        and float(values["behind [s]"]) > 0.0
    )
    assert float(values["asked for"]) == 1.0 and float(values["time for a tick [s]"]) == 0.01
    # a window in which no tick was given up, but which is still behind: no flicker
    missed = desk.stats.missed
    for _ in range(4):
        assert desk.tick(1, took=0.015).look()["run"][0] == WARN
    assert desk.stats.missed == missed
    desk.tick(60, took=0.001).look()
    level, sentence, values = desk.tick(10).look()["run"]
    assert level == OK and sentence == "running" and int(values["missed ticks"]) == missed
    assert float(values["behind [s]"]) == 0.0


def test_a_run_held_up_by_other_work_says_so(desk):
    """60 ticks of 10 ms end every 15 ms, the first is due in 6 ms: 0.6 s in 0.906 s."""
    desk.told()
    for _ in range(60):
        desk.clock.now = max(desk.clock.now, desk.pacer.due) + 0.0142
        desk.tick(took=0.0008)
    told = desk.told()
    assert told.status == SimStats.LATE and told.missed_ticks > 0
    figures = f"0.66x {told.missed_ticks} ticks missed 0.8 10 ms busy"
    assert naming(figures).search(told.status_text)


def test_statistics_say_the_same_in_their_own_windows(desk):
    assert desk.told().status == SimStats.RUNNING
    told = desk.tick(60, took=0.025).told()
    assert told.status == SimStats.LATE and "slow" in told.status_text and told.missed_ticks > 30
    assert told.step_time_mean == pytest.approx(0.025) and told.step_time_max == pytest.approx(
        0.025
    )
    assert told.real_time_factor == pytest.approx(0.4, abs=0.01)
    missed, told = (
        told.missed_ticks,
        desk.tick(2, took=0.001).told(),
    )  # what is left of the lateness is being made up
    assert (
        told.status == SimStats.LATE and told.missed_ticks == missed and told.real_time_factor > 1.0
    )
    assert naming("Catching 10x 0 ticks missed 1 10 ms").search(told.status_text)
    desk.tick(78, took=0.001).told()
    told = desk.tick(5, took=0.002).told()
    assert (told.status, told.status_text) == (
        SimStats.RUNNING,
        "",
    ) and told.step_time_max == pytest.approx(0.002)
    assert desk.look()["run"][0] == WARN  # the diagnostics' window has the slow ones as well
    assert told.ticks == 146 and math.isnan(told.energy_drift)


def test_a_late_tick_that_catches_up_counts_but_does_not_warn(desk):
    desk.tick(1, took=0.05).tick(20, took=0.001)
    level, _, values = desk.look()["run"]
    assert level == OK and values["overruns"] == "1" and values["missed ticks"] == "0"


def test_as_fast_as_possible_is_never_late(crane):
    level, _, values = Desk(crane, 0.0).tick(20, took=0.5).look()["run"]
    assert level == OK and values["overruns"] == "0" and values["asked for"] == "0"


def test_paused_and_failed(desk):
    desk.stats.paused = True
    level, sentence, values = desk.look()["run"]
    assert (level, sentence, values["real time factor"]) == (OK, "paused", "0")
    assert desk.told().status == SimStats.PAUSED
    desk.stats.failure = "the simulation failed at 3 s: why"
    found = desk.look()
    assert found["run"][:2] == found["solver"][:2] == (ERROR, desk.stats.failure)
    told = desk.told()
    assert (told.status, told.status_text) == (SimStats.FAILED, desk.stats.failure)


def test_a_solver_that_is_not_exact_warns_with_its_residual_once(desk):
    report = desk.machine.observe().report._replace(
        status=status.NOT_CONVERGED, residual=0.03, iterations=40
    )
    found = desk.tick(2, report=report).tick(3).look()
    level, sentence, values = found["solver"]
    assert level == WARN and "settle" in sentence
    assert (values["residual"], values["iterations"], values["ticks that were not exact"]) == (
        "0.03",
        "40",
        "2",
    )
    told = desk.told()
    assert told.status == SimStats.NOT_EXACT and "2 of 6 ticks" in told.status_text
    assert (told.solver_residual, told.solver_iterations) == (pytest.approx(0.03), 40)
    assert desk.tick().look()["solver"][:2] == (OK, "exact")


def test_a_full_drum_warns_in_the_solver_but_counts_as_exact(desk):
    report = desk.machine.observe().report._replace(status=status.DRUM_FULL)
    level, sentence, values = desk.tick(1, report=report).look()["solver"]
    assert level == WARN and "drum" in sentence and values["ticks that were not exact"] == "0"


def test_rejected_clamped_and_timed_out_commands_warn_once_each(desk):
    machine = desk.machine
    desk.look()
    with pytest.raises(CommandError):
        machine.command("jib", 1.0)
    assert desk.look()["commands"][:2] == (WARN, "1 rejected")
    machine.command("trolley", 99.0)
    assert desk.look()["commands"][:2] == (WARN, "1 clamped to a limit")
    desk.counts.add("unreadable", "joint_commands: broken")
    level, sentence, values = desk.look()["commands"]
    assert (level, sentence, values["notice 0"]) == (WARN, "1 unreadable", "joint_commands: broken")
    desk.tick(60)
    level, sentence, values = desk.look()["commands"]
    assert (level, sentence, values["stale"]) == (WARN, "1 timed out", "1")
    desk.counts.add("failed", "KeyError: 'boom'")
    level, sentence, values = desk.look()["commands"]
    assert (level, sentence, values["failed"], values["notice 1"]) == (
        WARN,
        "1 failed",
        "1",
        "KeyError: 'boom'",
    )
    desk.counts.add("not_finite")  # NaN is a way to say nothing
    level, sentence, values = desk.look()["commands"]
    assert (level, sentence, values["not finite"]) == (OK, "understood", "1")
    assert (values["rejected"], values["clamped"]) == ("1", "1")
    machine.counts.clear()  # as a reset does
    assert desk.look()["commands"][0] == OK


def test_drives_warn_of_stops_limits_and_lost_power(desk):
    machine = desk.machine
    assert desk.look()["drives"][1] == "ready"
    machine.emergency_stop(True)
    assert desk.look()["drives"][:2] == (WARN, "emergency stop engaged")
    machine.emergency_stop(False)
    machine.enable(False)
    assert desk.look()["drives"][:2] == (WARN, "dead-man control released")
    machine.enable(True)
    machine.command("hoist", 0.0)
    waiting = "after the emergency stop slewing, trolley wait for a command of zero or a reset"
    assert desk.look()["drives"][:2] == (WARN, waiting)
    machine.reset_latches()
    for _ in range(20):
        machine.command("trolley", 1e9, "effort")
        desk.tick()
    assert desk.look()["drives"][:2] == (WARN, "at the effort limit of the drive: trolley")
    machine.faults.inject(Fault("drive_trip", "hoist"))
    level, sentence, values = desk.tick().look()["drives"]
    assert (level, sentence) == (ERROR, "without power: hoist") and "power" in values["hoist"]
    machine.faults.clear()
    machine.reset()
    assert desk.tick().look()["drives"][:2] == (OK, "ready")


def test_dead_sensors_are_an_error_as_long_as_the_fault_lasts(desk):
    desk.machine.faults.inject(Fault("sensor_dead", "hoist.position"))
    found = desk.tick().look()
    assert found["sensors"][:2] == (ERROR, "without a reading: hoist.position")
    assert found["limiters"][0] == ERROR and "invalid" in found["limiters"][1]
    assert found["faults"][:2] == (WARN, "sensor_dead hoist.position")
    desk.machine.faults.clear()
    found = desk.tick().look()
    assert {found[part][0] for part in ("sensors", "limiters", "faults")} == {OK}


def test_a_limiter_that_is_bypassed_or_acts_warns(desk):
    desk.machine.faults.inject(Fault("limiter_bypass", "load_limiter"))
    level, sentence, _ = desk.tick().look()["limiters"]
    assert level == WARN and "load_limiter bypassed" in sentence
    desk.machine.emergency_stop(True)
    assert "estop tripped" in desk.look()["limiters"][1]


def test_slack_hoist_ropes_warn_but_not_slings_of_standing_loads(desk, crane):
    level, _, values = desk.look()["cables"]
    assert level == OK and {values[f"{name} slack"] for name in crane.slings} == {"True"}
    seen = desk.machine.observe()
    loose = seen.replaced(cable_slack=np.ones_like(seen.cable_slack))
    status = desk.diagnostics.fill(desk.machine, loose, desk.stats, desk.counts).status
    (found,) = [one for one in status if one.name.endswith("cables")]
    assert (found.level, found.message) == (WARN, "slack: hoist_rope")


def test_a_rope_that_parts_is_an_error(desk):
    assert desk.look()["cables"][0] == OK
    desk.machine.faults.inject(Fault("rope_break", "hoist_rope"))
    level, sentence, _ = desk.tick(3).look()["cables"]
    assert level == ERROR and "parted: hoist_rope" in sentence


def test_a_machine_without_a_control_has_nothing_to_measure():
    assert Desk(load_crane("nehe_rope")).tick(2).look()["sensors"][:2] == (
        OK,
        "nothing has been measured",
    )


def test_statistics_do_not_come_again_after_diagnostics(node, fresh_probe):
    deep = QoSProfile(depth=100)
    stats = fresh_probe.listen(interface.SIM_STATS, deep)
    diagnostics = fresh_probe.listen(interface.DIAGNOSTICS, deep)  # here ten times a second, too
    fresh_probe.until(lambda: stats and diagnostics, "one of each")
    before = len(stats), len(diagnostics)
    fresh_probe.until(lambda: len(diagnostics) >= before[1] + 15, "more diagnostics")
    assert len(stats) - before[0] <= 18


def test_a_node_too_slow_warns_until_a_lower_factor_is_set(node, probe):
    """A hundred times real time leaves a tick a tenth of a millisecond; as fast as possible is then
    no lateness."""
    from rcl_interfaces.srv import SetParameters
    from rclpy.parameter import Parameter

    def run_status():
        (found,) = [
            s for s in probe.fresh(interface.DIAGNOSTICS).status if s.name == "cable_sim: run"
        ]
        return found

    probe.until(lambda: run_status().level == WARN, "a warning that it is too slow")
    found = run_status()
    values = {pair.key: pair.value for pair in found.values}
    assert (
        naming("100x").search(found.message)
        and int(values["missed ticks"]) > 0
        and int(values["overruns"]) > 0
    )
    told = probe.fresh(interface.SIM_STATS)
    assert told.status == SimStats.LATE and "Running" in told.status_text and told.missed_ticks > 0
    less = Parameter("real_time_factor", value=0.0).to_parameter_msg()
    assert (
        probe.call(SetParameters, "/cable_sim/set_parameters", parameters=[less])
        .results[0]
        .successful
    )
    probe.until(lambda: run_status().level == OK, "no warning")
    probe.until(lambda: probe.fresh(interface.SIM_STATS).status == SimStats.RUNNING, "running")
