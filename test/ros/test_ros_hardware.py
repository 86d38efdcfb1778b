"""The socket for ros2_control: a component in C++ and one in Python at a real node, in lockstep."""

import math
import select
import signal
import socket
import struct
import subprocess
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from std_srvs.srv import SetBool, Trigger

from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import nanoseconds
from cable_sim.ros.hardware import hardware_protocol as protocol
from cable_sim.ros.hardware.hardware_server import HardwareServer

CRANE = "lab_inteco"
JOINTS = ("gantry", "trolley", "hoist")
TICK = 10_000_000
CYCLES = 120
SENSORS = ("sway/radial", "hoist_rope/tension_winch", "limits/estop", "limits/stop")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Where the node's socket is."""
    return str(tmp_path_factory.mktemp("socket") / "ros2_control.sock")


@pytest.fixture(scope="module")
def node(start_waiting, path):
    """A node that waits at its start; it replaces the socket of one that was killed."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as killed:
        killed.bind(path)
    made = start_waiting(path, crane_config=CRANE)
    yield made
    assert made.end() == 0
    assert "Traceback" not in made.said()
    assert not Path(path).exists()


@pytest.fixture(scope="module")
def program(cpp_program):
    """The small program of the package that drives a crane."""
    return cpp_program("drive_crane")


@pytest.fixture
def drive(program, path):
    """Starts the program; it is ended after the test."""
    started = []

    def start(cycles, *joints, crane=CRANE, cycle=TICK, where=path, patience=60.0):
        words = [where, crane, str(cycle), str(cycles), str(patience), *(joints or JOINTS)]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen([program, *words], stdout=pipe, stderr=pipe, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


class Component:
    """A component in Python, packet by packet."""

    def __init__(self, path, **changes):
        self.peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.peer.settimeout(60.0)
        self.peer.connect(path)
        self.peer.send(changes.get("packet") or hello(**changes))

    def receive(self):
        """The next packet: its kind, and what it holds."""
        packet = self.peer.recv(protocol.MOST_BYTES)
        kind = struct.unpack_from("=I", packet)[0] if packet else 0
        if kind == protocol.GOODBYE:
            return kind, packet[6:].decode()
        if kind == protocol.STATES:
            flags, epoch, count, stamp, time = struct.unpack_from("=IIIqd", packet, 4)
            assert len(packet) == 32 + 8 * count
            return kind, protocol.Stamp(flags, epoch, stamp, time)
        return kind, packet

    def until(self, kind, wanted=lambda found: True):
        """The next of a kind that is wanted."""
        while True:
            found = self.receive()
            assert found[0], "the connection has ended"
            if found[0] == kind and wanted(found[1]):
                return found[1]

    def engage(self):
        self.peer.send(struct.pack("=II", protocol.ENGAGE, 1))
        return self.until(protocol.STATES, lambda state: state.flags & protocol.ENGAGED)

    def newest(self, before, awaited):
        """The newest state; one that awaits commands, or any that has come."""
        if awaited:
            fresh = lambda s: s.flags & protocol.AWAITING and s.stamp > before.stamp  # noqa: E731
            return self.until(protocol.STATES, fresh)
        while select.select([self.peer], [], [], 0.0)[0]:
            before = self.until(protocol.STATES)
        return before

    def command(self, state, *values):
        head = struct.pack("=IIq", protocol.COMMANDS, state.epoch, state.stamp)
        self.peer.send(head + struct.pack(f"={len(values)}d", *values))

    def close(self):
        self.peer.close()


def hello(
    joints=JOINTS, crane=CRANE, cycle=TICK, version=protocol.VERSION, kind=1, states=(), cut=None
):
    """The first packet of a component."""
    text = lambda words: struct.pack("=H", len(words)) + words.encode()  # noqa: E731
    head = struct.pack("=I8sIIq", protocol.HELLO, protocol.MAGIC, version, len(joints), cycle)
    named = b"".join(struct.pack("=I", kind) + text(joint) for joint in joints)
    read = struct.pack("=I", len(states)) + b"".join(map(text, states))
    return (head + text("component") + text(crane) + named + read)[:cut]


def law(cycle, states):
    """Commands of the program, by the same arithmetic."""
    if cycle % 7 == 6:
        return [math.nan] * len(states)
    return [
        0.05 * (i + 1.0) - 0.2 * state.position + state.velocity / 3.0
        for i, state in enumerate(states)
    ]


def run_alone(ticks):
    """States of a machine of this process, before and after each cycle of some ticks; the second
    half of them has no commands."""
    machine = Machine(load_crane(CRANE))
    axes = {axis.joint: axis.name for axis in machine.crane.axes}
    found = []
    for cycle in range(2 * CYCLES + 1):
        seen = machine.observe()
        states = [machine.axis_state(seen, axes[joint]) for joint in JOINTS]
        sensors = (machine.sway(seen).radial, seen.cable("hoist_rope").tension, 0.0, -1.0)
        numbers = [number for state in states for number in state]
        found.append([float(number) for number in (seen.time, *numbers, *sensors)])
        for joint, value in zip(JOINTS, law(cycle, states), strict=True):
            if cycle < CYCLES and math.isfinite(value):
                machine.command(axes[joint], value)
        machine.tick(ticks)
    return found


@pytest.mark.parametrize("ticks", [1, 2])
def test_a_component_in_cpp_makes_the_run_of_one_process(probe, node, drive, ticks):
    """To the last bit; the law depends on every number that is read. Once it lets go of its
    interfaces, the axes come to rest, although the last commands are sent on."""
    assert probe.call(SetBool, "/cable_sim/pause", data=True).success
    assert probe.call(Trigger, "/cable_sim/reset").success
    driver = drive(CYCLES, *JOINTS, *SENSORS, cycle=ticks * TICK)
    first = driver.stdout.readline()
    time.sleep(0.5)  # the commands that were sent before it have come by then
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    out, errors = driver.communicate(timeout=60.0)
    assert driver.returncode == 0, errors
    lines = [line.split() for line in (first + out).splitlines()]
    stamps = [int(line[0]) for line in lines]
    assert [b - a for a, b in zip(stamps, stamps[1:], strict=False)] == [ticks * TICK] * (
        2 * CYCLES
    )
    read = [[float.fromhex(word) for word in line[1:]] for line in lines]
    assert read == run_alone(ticks)
    speeds = [[abs(speed) for speed in line[2:10:3]] for line in read]
    assert min(speeds[CYCLES]) > 0.01 and max(speeds[-1]) < 1e-3, (speeds[CYCLES], speeds[-1])


def test_a_killed_component_leaves_time_running_and_comes_back(probe, node, drive):
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    killed = drive(0)
    for _ in range(50):
        killed.stdout.readline()
    other = drive(1)
    assert naming("drive_crane attached simulator").search(other.communicate()[1])
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    last = probe.fresh(interface.JOINT_STATES)
    assert max(map(abs, last.velocity)) > 0.01
    probe.until(
        lambda: max(map(abs, probe.messages["joint_states"][-1].velocity)) < 1e-4,
        "rest, by the watchdog",
    )
    again = drive(5)
    assert again.communicate()[1] == "" and again.returncode == 0


def test_a_component_that_leaves_can_attach_again_at_once(node, path):
    for _ in range(150):
        with closing(Component(path)) as component:
            kind, said = component.receive()
            assert kind == protocol.WELCOME, said


def test_a_machine_that_stood_still_finds_no_simulator_silent(probe, node, drive):
    """Both processes are stopped, as those of a suspended virtual machine, for longer than the
    patience; the component runs first afterwards."""
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    probe.change(real_time_factor=1.0)  # it waits for states, and not for whom it tells of them
    driver = drive(0, patience=1.0)
    lines = [driver.stdout.readline() for _ in range(20)]
    for process in (node.process, driver):
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)  # the component waits for a state by then
    time.sleep(2.5)
    for process in (driver, node.process):
        process.send_signal(signal.SIGCONT)
        time.sleep(0.3)
    lines += [driver.stdout.readline() for _ in range(200)]
    assert all(lines) and driver.poll() is None, driver.communicate()[1]
    probe.change(real_time_factor=0.0)


REFUSALS = [
    ({"version": 1}, "version 1 protocol simulator 2"),
    ({"crane": "tower_12t"}, "crane 'tower_12t' simulator's 'lab_inteco'"),
    ({"joints": ("gantry", "slewing")}, "joint 'slewing' gantry trolley"),
    ({"joints": ("hoist", "hoist")}, "2 joints"),
    ({"joints": ()}, "0 joints"),
    ({"kind": 9}, "joint 'gantry' command kind 9"),
    ({"states": ("hoist/pull",)}, "'hoist/pull' 'hoist' position velocity effort"),
    ({"states": ("imu/x",)}, "interface 'imu/x' 'gantry' 'trolley'"),
    ({"cycle": TICK // 2}, "update_rate 200 Hz simulator's tick_rate 100"),
    ({"cycle": 0}, "update_rate 0 Hz"),
    ({"cut": 40}, "cut after 40 bytes"),
    ({"packet": hello().replace(b"CABLESIM", b"SOMEBODY")}, "cable_sim_ros2_control"),
]


def test_a_component_that_can_not_be_is_told_why(node, path):
    for changes, reason in REFUSALS:
        with closing(Component(path, **changes)) as component:
            kind, said = component.receive()
            assert kind == protocol.GOODBYE and naming(reason).search(said), (changes, said)
    for packet, reason in [
        (struct.pack("=IIq2d", protocol.COMMANDS, 1, 0, 0.0, 0.0), "command 3 joints"),
        (struct.pack("=I", 77), "packet kind 77"),
        (b"ab", "packet 2 bytes"),
        (struct.pack("=I", protocol.ENGAGE), "packet 4 bytes engage"),
    ]:
        with closing(Component(path)) as component:
            component.until(protocol.WELCOME)
            component.peer.send(packet)
            assert naming(reason).search(component.until(protocol.GOODBYE))
    assert node.alive()


def test_commands_from_before_a_reset_let_no_time_pass(probe, node, path):
    with closing(Component(path)) as component:
        assert probe.call(SetBool, "/cable_sim/pause", data=False).success
        component.command(component.engage(), 0.1, 0.1, 0.1)
        before = component.until(protocol.STATES, lambda state: state.flags & protocol.AWAITING)
        assert probe.call(Trigger, "/cable_sim/reset").success
        after = component.until(protocol.STATES, lambda state: state.epoch != before.epoch)
        assert after.time == 0.0 and after.flags & protocol.AWAITING
        component.command(before._replace(stamp=after.stamp), 0.1, 0.1, 0.1)
        assert [component.until(protocol.STATES).stamp for _ in range(2)] == [after.stamp] * 2
        component.command(after._replace(stamp=after.stamp + TICK), math.nan, 0.1, math.inf)
        later = [
            component.until(protocol.STATES, lambda state: state.stamp > after.stamp)
            for _ in range(2)
        ]
        awaited = [bool(state.flags & protocol.AWAITING) for state in later]
        assert awaited == [False, True], "one answer for two ticks"
        assert [state.stamp - after.stamp for state in later] == [TICK, 2 * TICK]
        assert [round(state.time, 9) for state in later] == [0.01, 0.02]
        probe.listen(interface.DIAGNOSTICS)
        probe.until(
            lambda: any(
                "ros2_control: axis 'hoist': value inf ignored" in pair.value
                for message in probe.messages["/diagnostics"]
                for status in message.status
                for pair in status.values
            ),
            "the notice of infinity",
        )


def test_a_manager_on_simulated_time_goes_on(probe, node, path):
    """Its order of calls: it activates the component between two cycles, while it sleeps on the
    clock until the next one."""
    clock = probe.listen(interface.CLOCK)
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    now = lambda: nanoseconds(clock[-1].clock)  # noqa: E731
    with closing(Component(path)) as component:
        state = component.engage()
        begun = state.stamp
        for cycle in range(20):
            probe.until(lambda: now() >= begun + TICK, f"cycle {cycle}", 10.0)  # noqa: B023
            begun = now()
            state = component.newest(state, awaited=cycle > 0)
            component.command(state, 0.1, 0.1, 0.1)


def test_a_wait_of_both_ends_is_told(probe, node, path):
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    with closing(Component(path)) as component:
        component.command(component.engage(), 0.1, 0.1, 0.1)
        told = "component sends commands next cycle"
        probe.until(lambda: naming(told).search(node.said()), "what the simulator waits for", 10.0)


def test_a_socket_that_can_not_be_is_refused(tmp_path):
    path = tmp_path / "a.sock"
    take = lambda *_: None  # noqa: E731
    there = HardwareServer(str(path), take)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CableSimError, match="simulator's"):
        HardwareServer(str(path), take)
    there.close("the end")
    assert not path.exists()
    path.write_text("a file")
    with pytest.raises(CableSimError, match="socket"):
        HardwareServer(str(path), take)
    with pytest.raises(CableSimError, match=naming("longer 107 bytes")):
        HardwareServer("a" * 108, take)
    with pytest.raises(CableSimError, match=naming("file directory")):
        HardwareServer(str(tmp_path / "no" / "a.sock"), take)


def test_cpp_tells_of_a_simulator_that_is_absent_silent_or_other(drive, tmp_path):
    """A server that answers nothing, then one of another version, and one that leaves."""
    where = str(tmp_path / "other.sock")
    absent = drive(1, where=where, patience=0.1)
    assert naming("after 0.1 s start").search(absent.communicate()[1])
    answers = {
        b"": "has been silent for 0.3 s",
        struct.pack("=IIIqH", protocol.WELCOME, 3, 0, TICK, 0): "has version 3 of the protocol",
        protocol.goodbye("no more"): "says: no more",
        struct.pack("=II", protocol.STATES, 0): "sent a state of 8 bytes, where 104 were due",
        struct.pack("=I", 99): "sent a packet of the unknown kind 99, of 4 bytes",
    }

    def answer(connection, packet):
        if packet[:4] == struct.pack("=I", protocol.HELLO) and reply:
            connection.send(reply)

    reply = b""
    with closing_with(HardwareServer(where, answer)):
        for reply, told in answers.items():
            said = drive(1, where=where, patience=0.3).communicate(timeout=60.0)[1]
            assert told in said, (reply, said)


@contextmanager
def closing_with(server):
    """Close a server at the end."""
    yield server
    server.close("the end")
