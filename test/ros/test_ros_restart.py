"""A node that is killed and started again: those on the other side go on with it, without a restart
of their own."""

import os
import signal

import pytest

pytest.importorskip("rclpy")

from cable_sim.msg import AxisCommand
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from cable_sim.ros import interface
from cable_sim.ros.node.duplicate_node_check import check_for_duplicates

LATCHED = (
    interface.SCENE_MARKERS,
    interface.ROBOT_DESCRIPTION,
    interface.TF_STATIC,
    interface.LIMITS,
    interface.ACTIVE_FAULTS,
)


def seconds(message):
    """Its stamp [s]."""
    return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec


def of_the_trolley(message):
    """Its speed."""
    return dict(zip(message.name, message.velocity, strict=True))["trolley"]


def priorities(pid):
    """Real-time priorities of a process' threads, the highest first."""
    threads = map(int, os.listdir(f"/proc/{pid}/task"))
    ours = [
        os.sched_getparam(thread).sched_priority
        for thread in threads
        if os.sched_getscheduler(thread) == os.SCHED_FIFO
    ]
    return sorted(ours, reverse=True)


def test_publishers_and_subscribers_outlive_a_killed_node(start_node, probe):
    first = start_node(real_time_factor=4.0, realtime_priority=2)
    states, clock = probe.listen(interface.JOINT_STATES), probe.listen(interface.CLOCK)
    latched = {endpoint.topic: probe.listen(endpoint) for endpoint in LATCHED}
    command = AxisCommand(value=0.5, enable=True)
    probe.until(lambda: states or not first.alive(), "the first", 300.0)
    out = probe.publisher(interface.axis_command("trolley"))

    def go():
        out.publish(command)

    probe.until(
        lambda: states and of_the_trolley(states[-1]) > 0.4, "the first obeys", 60.0, every=go
    )
    probe.until(
        lambda: seconds(states[-1]) > 2.0 and all(latched.values()), "two seconds", every=go
    )
    assert probe.call(SetBool, "/cable_sim/enable", data=True).success
    # its physics thread comes first, the one of its callbacks right behind, where the system lets
    # it
    assert priorities(first.process.pid) == [2, 1] or "refused" in first.said()

    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()
    killed = seconds(states[-1])
    for messages in (states, clock, *latched.values()):
        messages.clear()
    second = start_node(real_time_factor=4.0, start_paused="true")
    # what the first one sent may still arrive; then time begins anew
    probe.until(lambda: states and seconds(states[-1]) == 0.0 < killed, "the second", 60.0)
    clock.clear()
    assert probe.call(SetBool, "/cable_sim/pause", data=False, deadline=60.0).success
    probe.until(
        lambda: states and of_the_trolley(states[-1]) > 0.4, "the second obeys", 60.0, every=go
    )
    probe.until(lambda: all(latched.values()), "what is latched comes again")
    stamps = [message.clock.sec + 1e-9 * message.clock.nanosec for message in clock]
    assert stamps == sorted(stamps)
    assert probe.call(Trigger, "/cable_sim/reset").success
    assert second.alive() and second.end() == 0


def test_a_waiting_controller_goes_on_with_the_next_node(start_node, fresh_probe):
    """In lockstep: it answers what it hears, whichever node that comes from."""
    states = fresh_probe.listen(interface.JOINT_STATES)
    end = interface.JOINT_COMMANDS
    out = fresh_probe.node.create_publisher(end.type, end.topic, end.qos)
    answered = []

    def answer():
        if states and states[-1] not in answered[-1:]:
            answered[:] = states[-1:]
            out.publish(JointState(header=states[-1].header, name=["trolley"], velocity=[0.5]))

    for _ in range(2):
        node = start_node(lockstep="command", real_time_factor=0.0)
        fresh_probe.until(
            lambda: states and seconds(states[-1]) > 1.0 and of_the_trolley(states[-1]) > 0.4,
            "a second in lockstep",
            300.0,
            every=answer,
        )
        assert node.alive()
        node.process.kill()
        node.process.wait()
        states.clear()


@pytest.mark.parametrize("other, expected", [("twin", 1), ("somebody_else", 0)])
def test_a_node_of_the_same_name_is_told_of_once(domain, probe, other, expected):
    import rclpy
    from rclpy.executors import SingleThreadedExecutor

    context, told = rclpy.Context(), []
    rclpy.init(context=context, domain_id=domain)
    nodes = [rclpy.create_node(name, context=context) for name in ("twin", other)]
    executor = SingleThreadedExecutor(context=context)
    looked = []
    check_for_duplicates(nodes[0], told.append, grace=0.1, period=0.02)
    nodes[0].create_timer(0.02, lambda: looked.append(len(told)))
    executor.add_node(nodes[0])
    while len(looked) < 40:
        executor.spin_once(timeout_sec=0.1)
    executor.shutdown()
    for node in nodes:
        node.destroy_node()
    context.try_shutdown()
    assert len(told) == expected
    assert all("/twin" in sentence and "__ns" in sentence for sentence in told)
