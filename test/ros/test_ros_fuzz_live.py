"""The same messages over DDS at a running node, and bytes that are no message: it lives, counts,
and obeys after."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("rclpy")

from cable_sim.msg import AxisCommand
from fuzzed import Oracle, numbers, strategies
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from std_srvs.srv import SetBool, Trigger

from cable_sim.cranes import load_crane
from cable_sim.ros import interface

PARAMETERS = {
    "crane_config": "rtg_41t",
    "joystick": "true",
    "real_time_factor": 2.0,
    "diagnostics_period": 0.1,
}
TOPICS = (
    "joint_commands",
    "winch_command",
    "trolley_command",
    "gantry_command",
    "cmd_vel",
    "wind_command",
    "external_wrench",
    "cable_sim/inject_fault",
    "joy",
)
AT_A_TIME = 8
"""Messages that are sent before they are waited for; the node keeps ten of a topic."""
FREELY = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "derandomize": True,
    "phases": (Phase.generate,),
}


@pytest.fixture(scope="module")
def crane():
    """The one of the node."""
    return load_crane("rtg_41t")


@pytest.fixture(autouse=True)
def _whole_and_still(node, probe):
    """Every test begins at the start, and leaves a node that lives and obeys."""
    states = probe.messages.get("joint_states") or probe.listen(interface.JOINT_STATES)
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    assert probe.call(Trigger, "/cable_sim/reset").success
    yield
    assert probe.call(Trigger, "/cable_sim/reset").success
    out = probe.publisher(interface.axis_command("trolley"))
    command = AxisCommand(value=0.3, enable=True)

    def moving():
        speeds = dict(zip(states[-1].name, states[-1].velocity, strict=True))
        return abs(speeds["trolley"] - 0.3) < 0.05

    probe.until(moving, "the trolley obeys", every=lambda: out.publish(command))
    assert node.alive(), node.said()


def counted(probe):
    """Return how many messages were taken, rejected, not finite and unreadable by now."""
    probe.fresh(interface.DIAGNOSTICS, 2)
    return newest_counts(probe)


def newest_counts(probe):
    """Return the same counts as the last diagnostics have them."""
    (status,) = [
        s
        for s in probe.messages[interface.DIAGNOSTICS.topic][-1].status
        if s.name.endswith("commands")
    ]
    found = {pair.key: pair.value for pair in status.values}
    return tuple(int(found[name]) for name in ("taken", "rejected", "not finite", "unreadable"))


def taken(probe, number):
    """Wait until the node has counted so many messages, taken or not, since its start.

    A topic keeps its last ten messages until a tick takes them. Of fewer at a time none is lost,
    however long they are on their way on a busy machine, and all can be counted.
    """

    def counted_by_now():
        accepted, rejected, _, unreadable = newest_counts(probe)
        return accepted + rejected + unreadable >= number

    probe.until(counted_by_now, f"{number} messages counted")


def send(probe, crane, topic, number):
    """Send fuzzed messages one by one; returns what should have been counted."""
    endpoint, messages = strategies(crane)[topic]
    deep = endpoint._replace(
        qos=QoSProfile(depth=100)
    )  # sends again what did not arrive, whatever comes after it
    out = probe.publisher(deep)
    oracle = Oracle(crane)
    expected = np.zeros(3, int)
    sent = itertools.count(1)

    before = sum(counted(probe)[:2])

    @settings(max_examples=number, **FREELY)
    @given(messages)
    def one(message):
        expected[:] += oracle(endpoint, message)
        out.publish(message)
        if next(sent) % AT_A_TIME == 0:
            taken(probe, before + sum(expected[:2]))

    one()
    taken(probe, before + sum(expected[:2]))
    return tuple(expected)


def stays_finite(probe):
    """Whether everything that the node tells of its state is a number, and it simulates."""
    for endpoint in (
        interface.JOINT_STATES,
        interface.GROUND_TRUTH,
        interface.CABLE_STATES,
        interface.TF,
    ):
        assert "nan" not in str(probe.fresh(endpoint, 2)).lower().replace("nanosec", "")
    assert probe.fresh(interface.SIM_STATS, 2).status_text.find("failed") < 0


def fuzz(probe, crane, topic, number):
    """Send, and compare the counters."""
    before = counted(probe)
    expected = send(probe, crane, topic, number)
    after = counted(probe)
    assert tuple(b - a for a, b in zip(before, after, strict=True)) == (*expected, 0)
    stays_finite(probe)


@pytest.mark.parametrize("topic", TOPICS)
def test_each_of_sixty_messages_is_counted_as_it_should_be(probe, crane, topic):
    fuzz(probe, crane, topic, 60)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("topic", TOPICS)
def test_each_of_ten_thousand_messages_is_counted_correctly(probe, crane, topic):
    fuzz(probe, crane, topic, 10_000)


def spoiled(chance, message):
    """Bytes of a message, some of them others, or missing, or too many."""
    data = bytearray(serialize_message(message))
    for _ in range(chance.randint(1, 6)):
        data[chance.randrange(len(data))] = chance.choice(
            (0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256))
        )
    end = chance.choice((len(data), len(data), chance.randrange(len(data) + 1)))
    return bytes(data[:end]) + chance.choice((b"", b"", chance.randbytes(40)))


@pytest.mark.parametrize("topic", TOPICS)
def test_bytes_that_are_no_message_end_nothing(probe, crane, topic):
    endpoint, messages = strategies(crane)[topic]
    out, chance = probe.publisher(endpoint), random.Random(topic)
    before = counted(probe)
    if interface.CLOCK.topic not in probe.messages:
        probe.listen(interface.CLOCK, QoSProfile(depth=1))

    @settings(max_examples=60, **FREELY)
    @given(messages)
    def one(message):
        out.publish(spoiled(chance, message))
        probe.fresh(interface.CLOCK, 3)  # the first may have waited here

    one()
    news = [b - a for a, b in zip(before, counted(probe), strict=True)]
    # what is cut off may be dropped on its way; what arrives is taken or refused
    assert 0 < news[0] + news[1] + news[3] <= 60 + news[1]
    stays_finite(probe)


texts = st.sampled_from(("", "x" * 999, "трос"))
parameter_values = st.builds(
    ParameterValue,
    type=st.integers(0, 9),
    double_value=numbers,
    integer_value=st.integers(-(2**63), 2**63 - 1),
    bool_value=st.booleans(),
    string_value=texts,
    double_array_value=st.lists(numbers, max_size=3),
)


def test_fuzzed_parameters_are_set_or_refused_with_a_reason(probe):
    from cable_sim.ros.basis.parameters import TABLE

    kept = probe.call(
        GetParameters, "/cable_sim/get_parameters", names=[row.name for row in TABLE]
    ).values
    back = [
        Parameter(name=row.name, value=value)
        for row, value in zip(TABLE, kept, strict=True)
        if not row.read_only
    ]
    names = st.sampled_from([row.name for row in TABLE]) | texts
    odd_ones = st.builds(Parameter, name=names, value=parameter_values)
    changes = st.lists(st.one_of(odd_ones, odd_ones, odd_ones, st.sampled_from(back)), max_size=3)
    answered = {True: 0, False: 0}

    @settings(max_examples=150, **FREELY)
    @given(changes)
    def one(wanted):
        for result in probe.call(
            SetParameters, "/cable_sim/set_parameters", parameters=wanted
        ).results:
            answered[result.successful] += 1
            assert result.successful or result.reason

    one()
    odd = Parameter(name="tf_rate", value=ParameterValue(type=200))  # rclpy has no answer to it
    probe._clients["/cable_sim/set_parameters"].call_async(SetParameters.Request(parameters=[odd]))
    assert answered[True] > 0 and answered[False] > 100
    results = probe.call(SetParameters, "/cable_sim/set_parameters", parameters=back).results
    assert all(result.successful for result in results), results
