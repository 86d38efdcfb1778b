"""Schedules, the colour scale, the joystick, the parameter table: what needs no graph and no
physics."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import naming

pytest.importorskip("rclpy")

from sensor_msgs.msg import Joy

from cable_sim.errors import CommandError
from cable_sim.ros.basis import parameters
from cable_sim.ros.basis.pacing import EveryTick, EveryWhile, Pacer
from cable_sim.ros.command.commands import AxisSetpoint, Counts
from cable_sim.ros.command.joystick import DEAD_ZONE, Joystick, shaped
from cable_sim.scenes.machines import load_machine


class Hands:
    """A clock that the test turns."""

    now = 100.0

    def __call__(self):
        return self.now


def test_ticks_keep_to_the_plan_and_not_to_when_they_happened():
    clock = Hands()
    pacer = Pacer(0.01, 1.0, clock=clock)
    for n in range(1, 50):
        clock.now = pacer.due + 0.004  # always late, by less than a tick
        pacer.note_tick()
        assert pacer.due == pytest.approx(100.0 + 0.01 * n)
    assert pacer.missed == 0


def test_who_is_far_behind_gives_up_the_time_and_counts_it():
    clock = Hands()
    pacer = Pacer(0.01, 2.0, patience=0.1, clock=clock)
    clock.now = 101.0
    pacer.note_tick()
    assert 0.0 <= clock.now - pacer.due < 0.0051
    assert pacer.missed in (198, 199)  # two hundred ticks of 5 ms would have fitted; one was done


def test_a_machine_that_is_too_slow_never_gets_further_behind():
    clock = Hands()
    pacer = Pacer(0.01, 1.0, patience=0.1, clock=clock)
    for _ in range(1000):
        clock.now = max(clock.now, pacer.due) + 0.02  # every tick takes twice its time
        pacer.note_tick()
        assert clock.now - pacer.due <= 0.1 + 1e-9
    assert pacer.missed == pytest.approx(1000, rel=0.02)


def test_as_fast_as_possible_is_always_due():
    clock = Hands()
    pacer = Pacer(0.01, 0.0, clock=clock)
    clock.now += 5.0
    pacer.note_tick()
    assert pacer.due == clock.now and pacer.missed == 0


@pytest.mark.parametrize(
    "rate, tick_rate", [(100.0, 100.0), (50.0, 100.0), (30.0, 100.0), (1.0, 100.0), (0.0, 100.0)]
)
def test_messages_come_at_their_rate_and_evenly(rate, tick_rate):
    every = EveryTick(rate, tick_rate)
    due = [tick for tick in range(1, 1001) if every.due(tick)]
    assert len(due) == round(1000 * rate / tick_rate)
    gaps = set(np.diff(due).tolist())
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_wall_time_messages_keep_their_mean_rate_and_never_burst():
    clock = Hands()
    every = EveryWhile(0.1, clock)
    assert every.due() and not every.due()
    clock.now += 0.13
    assert every.due()
    clock.now += 0.08  # 0.21 after the first: the plan, not the delay, decides
    assert every.due()
    clock.now += 10.0
    assert every.due()
    clock.now += 0.01
    assert not every.due()
    every.restart()
    clock.now += 0.09
    assert not every.due()
    clock.now += 0.02
    assert every.due() and every.next == pytest.approx(clock.now + 0.09)
    assert not EveryWhile(0.0, clock).due()


def test_parameter_table_and_settings_have_equal_names_and_order():
    names = [f.name for f in dataclasses.fields(parameters.Settings)]
    assert [row.field for row in parameters.TABLE] + ["own"] == names


def defaults(**changes):
    """The table's defaults, with changes."""
    return parameters.Settings(**({row.field: row.default for row in parameters.TABLE} | changes))


def test_the_defaults_fit_together():
    assert parameters.check(defaults()) == ""
    assert defaults().substeps == 10


@pytest.mark.parametrize(
    "changes, word",
    [
        ({"physics_step": 0.003}, "physics_step"),
        ({"physics_step": 0.02}, "physics_step"),
        ({"tf_rate": 101.0}, "tf_rate"),
        ({"command_timeout": float("nan")}, "command_timeout"),
        ({"world_frame": ""}, "world_frame"),
        ({"publish_tf": "some"}, "floating"),
    ],
    ids=str,
)
def test_settings_that_do_not_fit_are_told(changes, word):
    assert word in parameters.check(defaults(**changes))


def pad(slewing=0.0, trolley=0.0, hoist=0.0, held=1):
    """What a game pad says."""
    return Joy(axes=[slewing, trolley, 0.0, 0.0, hoist], buttons=[held])


def test_the_pad_needs_its_button_and_releasing_it_brakes_once(crane):
    stick = Joystick(crane)
    assert stick.read(pad(1.0, held=0)) == []
    assert stick.read(pad(1.0))[0] == AxisSetpoint("slewing", crane.axis("slewing").max_speed)
    assert all(wish.brake and wish.value == 0.0 for wish in stick.read(pad(1.0, held=0)))
    assert stick.read(pad(1.0, held=0)) == []


def test_pulling_the_right_stick_hoists(crane):
    (hoist,) = [wish for wish in Joystick(crane).read(pad(hoist=-1.0)) if wish.axis == "hoist"]
    assert hoist.value == -crane.axis("hoist").max_speed


def test_a_pad_with_too_few_axes_is_refused(crane):
    with pytest.raises(CommandError, match="needs 5 axes"):
        Joystick(crane).read(Joy(axes=[0.0, 0.0], buttons=[1]))


@given(st.floats(-2.0, 2.0))
def test_levers_are_odd_steady_and_dead_in_the_middle(deflection):
    share = shaped(deflection)
    assert -1.0 <= share <= 1.0 and share == -shaped(-deflection)
    assert share == 0.0 if abs(deflection) <= DEAD_ZONE else share * deflection >= 0.0


def test_a_machine_that_no_stick_moves_says_so():
    with pytest.raises(CommandError, match=naming("axes lever slewing gantry trolley")):
        Joystick(load_machine("two_towers")).read(pad())


def test_counts_begin_anew_and_keep_their_newest_notices():
    counts = Counts()
    for number in range(30):
        counts.add("rejected", f"notice {number}")
    assert counts.of["rejected"] == 30 and counts.newest_notices(2) == ["notice 28", "notice 29"]
    assert (
        counts.take_unlogged() == [f"notice {number}" for number in range(25, 30)]
        and counts.take_unlogged() == []
    )
    counts.start_again()
    assert counts.of["rejected"] == 0 and counts.newest_notices(1) == ["notice 29"]
