"""Two nodes in one graph with one clock: the second ticks with the first one's, whatever becomes of
that."""

import itertools
import math

import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from builtin_interfaces.msg import Time
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.basis.clock_follower import PATIENCE, Follower
from cable_sim.ros.basis.messages import nanoseconds, set_time

PARAMETERS = {"crane_config": "lab_inteco"}
TICK = 10_000_000
CRANE = "lab_gantry"
WEST = interface.JOINT_STATES._replace(topic="/west/joint_states")
WEST_STATS = interface.SIM_STATS._replace(topic="/west/sim_stats")
COMMANDS = interface.JOINT_COMMANDS._replace(topic="/west/joint_commands")


# Without a graph


class Hand:
    """A machine's time, by hand."""

    def __init__(self):
        self.now = 0
        self.keeps = False
        self.follower = Follower(0.01, lambda: self.now, self.shift, lambda: self.keeps)

    def shift(self, nanoseconds):
        self.now += nanoseconds

    def run(self):
        """Tick while it is time; how often."""
        count = 0
        while self.follower.ready:
            self.now, count = self.now + TICK, count + 1
            self.follower.note_tick()
        return count


def test_a_follower_starts_at_the_clock_and_makes_whole_ticks():
    hand = Hand()
    assert not hand.follower.ready
    hand.follower.take_clock(123 * TICK)
    assert hand.now == 123 * TICK and not hand.follower.ready
    hand.follower.take_clock(124 * TICK - 5000)
    assert hand.run() == 0
    hand.follower.take_clock(124 * TICK - 1)  # the same tick, rounded otherwise
    assert hand.run() == 1
    hand.follower.take_clock(130 * TICK)
    assert hand.run() == 6 and hand.now == 130 * TICK and hand.follower.missed == 0


def test_too_late_gives_time_up_and_counts_it():
    hand = Hand()
    hand.follower.take_clock(0)
    late = round((PATIENCE + 0.2) * 100)
    hand.follower.take_clock(late * TICK)
    assert hand.run() == 1 and hand.now == late * TICK and hand.follower.missed == late - 1


def test_a_pause_or_a_restarted_clock_counts_no_missed_tick():
    hand = Hand()
    hand.follower.take_clock(0)
    hand.follower.start()
    assert not hand.follower.ready
    hand.follower.take_clock(1000 * TICK)
    assert hand.now == 1000 * TICK
    hand.now += TICK  # a reset puts the time one tick on
    hand.follower.take_clock(1000 * TICK)
    assert hand.run() == 0
    hand.follower.take_clock(3 * TICK)
    assert hand.now == 3 * TICK and hand.follower.missed == 0


def test_a_lockstep_follower_skips_no_tick_but_on_a_restart():
    hand = Hand()
    hand.keeps = True
    hand.follower.take_clock(0)
    hand.follower.take_clock(500 * TICK)
    assert hand.now == 0 and hand.run() == 500 and hand.follower.missed == 0
    hand.follower.take_clock(3 * TICK)
    assert hand.now == 3 * TICK and hand.follower.due == math.inf and hand.follower.missed == 0


# With two nodes


@pytest.fixture(scope="module")
def west(node, start_node, probe):
    """A second node, which follows; in step once it has been heard at times of the first."""
    made = start_node(
        "-r",
        "__ns:=/west",
        publish_clock="false",
        follow_clock="true",
        crane_config=CRANE,
        frame_prefix="west/",
        command_timeout=60.0,
        diagnostics_period=0.1,
    )
    states = probe.listen(WEST)
    probe.listen(interface.DIAGNOSTICS)
    in_step = lambda: states and nanoseconds(states[-1].header.stamp) > 0  # noqa: E731
    probe.until(lambda: in_step() or not made.alive(), "the second node", 300.0)
    assert made.alive(), made.said()
    yield made
    assert made.end() == 0
    assert "Traceback" not in made.said()


def clock(probe):
    return nanoseconds(probe.messages["/clock"][-1].clock)


def stand(probe):
    """Pause the first node and wait for the second to have come as far; that time."""
    assert probe.call(SetBool, "/cable_sim/pause", data=True).success
    beats = probe.messages["/clock"]

    def both():
        return len(beats) > 3 and nanoseconds(beats[-3].clock) == clock(probe) == at(probe)

    probe.until(both, "both at one time")
    return clock(probe)


def at(probe):
    """Time of the second node's newest state."""
    return nanoseconds(probe.messages[WEST.topic][-1].header.stamp)


def test_the_node_makes_the_clocks_ticks_with_the_clocks_stamps(probe, west):
    begin, before = stand(probe), probe.fresh(WEST_STATS, 2)
    told = lambda: naming("waiting /clock").search(probe.messages[WEST_STATS.topic][-1].status_text)  # noqa: E731
    probe.until(told, "the reason why it stands")
    seen = len(probe.messages[WEST.topic])
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    probe.until(lambda: at(probe) > begin + 100 * TICK, "a second")
    probe.until(lambda: not told(), "no reason while it runs")
    end, after = stand(probe), probe.fresh(WEST_STATS, 2)
    made, missed = after.ticks - before.ticks, after.missed_ticks - before.missed_ticks
    assert (made + missed) * TICK == end - begin and made > 0
    stamps = [nanoseconds(m.header.stamp) for m in probe.messages[WEST.topic][seen:]]
    assert {stamp % TICK for stamp in stamps} == {0} and stamps == sorted(stamps)
    assert probe.node.count_publishers("/clock") == 1


def test_pause_and_steps_of_the_first_are_those_of_the_second(probe, west):
    before = stand(probe)
    for count in (1, 2, 3):
        assert probe.call(Trigger, "/cable_sim/step").success
        probe.until(
            lambda count=count: at(probe) == before + count * TICK, f"step {count} of the second"
        )
    assert stand(probe) == before + 3 * TICK
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    probe.until(lambda: at(probe) > before + 50 * TICK, "both running")


def change(probe, **values):
    """Set parameters of the second node."""
    parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    for result in probe.call(
        SetParameters, "/west/cable_sim/set_parameters", parameters=parameters
    ).results:
        assert result.successful, result.reason


def step(probe, count):
    """So many ticks of the first node."""
    for _ in range(count):
        assert probe.call(Trigger, "/cable_sim/step").success


def waits_for(probe, words):
    """The second node's statistics, once they say what it waits for."""
    got = probe.messages[WEST_STATS.topic]
    return probe.until(lambda: naming(words).search(got[-1].status_text) and got[-1], words)


def answer(probe, stamp):
    """Command the second node, which commands nothing, in answer to its state of that time [ns]."""
    message = JointState()
    set_time(message.header.stamp, stamp)
    probe.publisher(COMMANDS).publish(message)


def test_a_pause_misses_no_ticks_and_ends_at_the_clocks_time(probe, west):
    begin, before = stand(probe), probe.fresh(WEST_STATS, 2).missed_ticks
    assert probe.call(SetBool, "/west/cable_sim/pause", data=True).success
    step(probe, 150)
    assert at(probe) == begin
    assert probe.call(SetBool, "/west/cable_sim/pause", data=False).success
    after = lambda: at(probe) == clock(probe) > begin + 150 * TICK  # noqa: E731
    probe.until(after, "the clock's time", every=lambda: step(probe, 1))
    assert probe.fresh(WEST_STATS, 2).missed_ticks == before


def test_commands_do_not_keep_a_waiting_node_from_reporting(probe, west):
    """They come more often than it tells; which a stick in an operator's hand does as well."""
    stand(probe)
    probe.fresh(WEST_STATS, 10, every=lambda: answer(probe, 0))
    assert naming("waiting /clock").search(probe.messages[WEST_STATS.topic][-1].status_text)


def test_lockstep_ticks_need_clock_and_command_and_none_is_lost(probe, west):
    """The clock goes on without it, by more than it would be patient; then it catches up, command
    by command."""
    begin, before = stand(probe), probe.fresh(WEST_STATS, 2).missed_ticks
    change(probe, lockstep="command", lockstep_timeout=0.0)
    try:
        step(probe, 80)
        waits_for(probe, f"command stamped {begin * 1e-09:.3f} s")
        assert at(probe) == begin
        for count in range(80):
            answer(probe, begin + count * TICK)
            probe.until(
                lambda count=count: at(probe) == begin + (count + 1) * TICK, f"tick {count + 1}"
            )
        answer(probe, clock(probe))
        waits_for(probe, "waiting /clock")
        assert at(probe) == clock(probe) == begin + 80 * TICK
        step(probe, 1)
        probe.until(
            lambda: at(probe) == begin + 81 * TICK,
            "the tick that was commanded before the clock came",
        )
        assert probe.fresh(WEST_STATS, 2).missed_ticks == before
        # after a pause of its own it is at the clock's time, and whoever commands it is told
        assert probe.call(SetBool, "/west/cable_sim/pause", data=True).success
        step(probe, 80)
        assert probe.call(SetBool, "/west/cable_sim/pause", data=False).success
        probe.until(
            lambda: at(probe) == clock(probe) == begin + 161 * TICK,
            "its state with the clock's time",
        )
        answer(probe, clock(probe))
        step(probe, 1)
        probe.until(lambda: at(probe) == begin + 162 * TICK, "the next tick")
    finally:
        change(probe, lockstep="off", lockstep_timeout=5.0)


def test_a_command_moves_a_follower_as_it_moves_a_lone_machine(probe, west):
    """Tick by tick, to the last bit: the clock of another decides when, and never how."""
    stand(probe)
    assert probe.call(Trigger, "/west/cable_sim/reset").success
    start = stand_after_reset(probe)
    probe.publisher(COMMANDS).publish(JointState(name=["trolley", "hoist"], velocity=[0.05, -0.02]))
    probe.until(lambda: commands_taken(probe), "the command to be taken")
    assert probe.call(
        Trigger, "/cable_sim/step"
    ).success  # to where the second one is after its reset
    machine = Machine(load_crane(CRANE), command_timeout=60.0)
    for axis, speed in (("trolley", 0.05), ("hoist", -0.02)):
        machine.command(axis, speed)
    for tick in range(1, 61):
        assert probe.call(Trigger, "/cable_sim/step").success
        probe.until(lambda tick=tick: at(probe) == start + tick * TICK, f"tick {tick}")
        observation = machine.tick()
        positions = [
            machine.axis_state(observation, name).position for name in ("trolley", "hoist")
        ]
        assert list(probe.messages[WEST.topic][-1].position) == positions


def stand_after_reset(probe):
    """Time of the second node's state after a reset of its own, to which the standing clock has not
    come yet."""
    states = probe.messages[WEST.topic]
    probe.until(lambda: at(probe) == clock(probe) + TICK, "the reset")
    return nanoseconds(states[-1].header.stamp)


def commands_taken(probe):
    """Whether the second node's diagnostics count a command."""
    return [pair for pair in pairs(probe, "west", "commands") if pair == ("taken", "1")]


def pairs(probe, crane, name):
    """Keys and values of a crane's newest diagnostics of a name."""
    found = [s for m in probe.messages["/diagnostics"] for s in m.status if s.hardware_id == crane]
    last = [s for s in found if s.name.endswith(name)][-1:]
    return [(v.key, v.value) for s in last for v in s.values]


def clock_at(tick):
    """The time of a tick as a message."""
    return Clock(clock=Time(sec=tick * TICK // 10**9, nanosec=tick * TICK % 10**9))


def test_a_node_waits_for_a_clock_and_follows_its_restart(probe, node, start_node):
    """With a clock that the test makes, on a topic of its own."""
    clock = interface.CLOCK._replace(topic="/clock_by_hand")
    words = ("-r", "__ns:=/alone", "-r", f"/clock:={clock.topic}")
    made = start_node(
        *words,
        publish_clock="false",
        follow_clock="true",
        crane_config=CRANE,
        diagnostics_period=0.1,
    )
    states = probe.listen(interface.JOINT_STATES._replace(topic="/alone/joint_states"))
    probe.listen(interface.DIAGNOSTICS)
    stats = probe.listen(interface.SIM_STATS._replace(topic="/alone/sim_stats"))
    noticed = lambda: any(  # noqa: E731
        naming("message /clock").search(text) for _, text in pairs(probe, "alone", "commands")
    )
    probe.until(lambda: noticed() or not made.alive(), "the notice", 300.0)
    assert made.alive() and {nanoseconds(m.header.stamp) for m in states} <= {0}
    probe.until(
        lambda: stats and naming("waiting /clock").search(stats[-1].status_text),
        "the reason in sim_stats",
    )
    hand = probe.publisher(clock)
    for begin in (500, 20):  # the second time as from a node that was started anew
        ticks, seen = itertools.count(begin), len(states)
        tell = lambda ticks=ticks: hand.publish(clock_at(next(ticks)))  # noqa: E731
        probe.until(
            lambda seen=seen: len(states) > seen + 30, f"thirty ticks from {begin}", every=tell
        )
        last = next(ticks) - 1
        probe.until(
            lambda last=last: nanoseconds(states[-1].header.stamp) == last * TICK, "the last one"
        )
        stamps = [nanoseconds(m.header.stamp) // TICK for m in states[seen:]]
        assert begin < stamps[0] and stamps == list(range(stamps[0], last + 1))
    assert made.end() == 0 and "Traceback" not in made.said()
