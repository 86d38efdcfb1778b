"""Real nodes in processes of their own, on a domain of their own, watched by a probe; no ROS is
imitated.

Tests wait for what they expect, up to a deadline, and never for a fixed time.
"""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import forked_node
import numpy as np
import pytest
from transforms3d.axangles import axangle2mat
from transforms3d.euler import euler2mat

# before rclpy loads its messages: wrong types then fail where they are assigned
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"
if (
    Path(os.environ.get("FASTDDS_DEFAULT_PROFILES_FILE", "")).name != "fastdds_udp.xml"
):  # of scripts/env.sh
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

TEST_INTERFACES = Path(__file__).resolve().parents[2] / "build" / "test_interfaces" / "prefix"
"""Where ``scripts/setup test`` builds simulation_interfaces, if no ROS distribution has it."""

DEADLINE = 120.0
"""Wall time [s] that anything may take on a busy machine; what is asserted is usually there within
one."""

START_DEADLINE = 300.0
"""Until a node is ready [s]: it may have to compile its kernels, on a machine that others use."""


def pytest_collection_modifyitems(items):
    """Everything here needs ROS."""
    for item in items:
        if os.sep + os.path.join("test", "ros") + os.sep in str(item.path):
            item.add_marker("ros")


@pytest.fixture(scope="session")
def domain():
    """A ROS domain that nobody on this machine uses."""
    from cable_sim.ros.launch.processes import free_domain

    number = free_domain()
    os.environ["ROS_DOMAIN_ID"] = str(number)
    return number


def _find_test_interfaces():
    """Let this process, and the nodes that it starts, find the interfaces that were built for the
    tests."""
    for site in TEST_INTERFACES.glob("lib/python3*/site-packages"):
        sys.path.append(str(site))
        for name, path in (
            ("PYTHONPATH", site),
            ("AMENT_PREFIX_PATH", TEST_INTERFACES),
            ("LD_LIBRARY_PATH", TEST_INTERFACES / "lib"),
        ):
            os.environ[name] = os.pathsep.join(filter(None, [os.environ.get(name, ""), str(path)]))
    for library in TEST_INTERFACES.glob("lib/*_typesupport_*_c.so"):
        ctypes.CDLL(
            str(library)
        )  # the loader took its paths at the start; what is loaded is found by its name


_find_test_interfaces()


@pytest.fixture(scope="module")
def machine(crane):
    """The crane after a second and a half of slewing, trolleying and hoisting."""
    from cable_sim.machine.machine import Machine

    made = Machine(crane)
    for _ in range(150):
        made.command("slewing", 0.05)
        made.command("trolley", 0.5)
        made.command("hoist", -0.3)
        made.tick()
    return made


@pytest.fixture(scope="module")
def observation(machine):
    """What it looks like then."""
    return machine.observe()


def words_of(*arguments, **parameters):
    """What a node's command line says of parameters, and other arguments for ROS."""
    given = (word for name, value in parameters.items() for word in ("-p", f"{name}:={value}"))
    return ["--ros-args", *given, *arguments]


class NodeProcess:
    """A simulator node in its own process; ended by its own process number."""

    started = []

    def __init__(self, folder, *arguments, **parameters):
        self.errors = folder / f"stderr_{time.monotonic_ns()}.txt"
        self.errors.touch()
        self.process = forked_node.start_node(words_of(*arguments, **parameters), self.errors)
        self.started.append(self)

    @classmethod
    def threads(cls, patience=10.0):
        """What the threads of all nodes do that run: for who hears nothing."""
        told = []
        for node in cls.started:
            if not node.alive():
                continue
            before, end = len(node.said()), time.monotonic() + patience
            node.process.send_signal(signal.SIGUSR1)
            while len(node.said()) == before and time.monotonic() < end:
                time.sleep(0.1)
            told.append(f"node {node.process.pid}: {node.said()[before:]}")
        return "\n".join(told)

    def alive(self):
        """Whether it runs."""
        return self.process.poll() is None

    def said(self):
        """What it wrote to stderr."""
        return self.errors.read_text()

    def complaints(self):
        """Lines that it wrote to stderr, but for the one that it is ready."""
        return [line for line in self.said().splitlines() if "ready after" not in line]

    def end(self, number=signal.SIGINT):
        """Send a signal, and return the exit status."""
        if self.alive():
            self.process.send_signal(number)
        return self.ended()

    def ended(self, deadline=DEADLINE):
        """Wait for its end; the exit status."""
        try:
            return self.process.wait(deadline)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            pytest.fail(f"the node did not end within {deadline} s: {self.said()}")


class Probe:
    """A node of the test: subscribes, publishes, calls, and waits with a deadline."""

    def __init__(self, domain, name="probe"):
        import rclpy
        from rclpy.executors import SingleThreadedExecutor

        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node(name, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.messages, self.sent_at = {}, {}
        self._publishers, self._clients = {}, {}

    def listen(self, endpoint, qos=None):
        """Collect an endpoint's messages in a list, and when they were sent [ns] in ``sent_at``."""
        got = self.messages.setdefault(endpoint.topic, [])
        times = self.sent_at.setdefault(endpoint.topic, [])

        def take(message, info):
            got.append(message)
            times.append(info["source_timestamp"])

        self.node.create_subscription(endpoint.type, endpoint.topic, take, qos or endpoint.qos)
        return got

    def until(self, condition, what="", deadline=DEADLINE, every=None):
        """Spin until the condition holds, and return what it returned; call ``every`` meanwhile."""
        end, last = time.monotonic() + deadline, 0.0
        while time.monotonic() < end:
            if every is not None and time.monotonic() - last > 0.03:
                last = time.monotonic()
                every()
            self.executor.spin_once(timeout_sec=0.02)
            result = condition()
            if result:
                return result
        wanted = what() if callable(what) else what or condition
        threads = NodeProcess.threads()
        pytest.fail(f"not within {deadline} s: {wanted}; {self.heard()}\n{threads}")

    def heard(self):
        """The number of messages of each topic, and the age of the newest [s]: for who fails."""
        now = time.time_ns()
        return ", ".join(
            f"{topic}: {len(sent)} messages, newest {(now - sent[-1]) * 1e-9:.1f} s old"
            for topic, sent in self.sent_at.items()
            if sent
        )

    def fresh(self, endpoint, count=1, **options):
        """The newest message of an endpoint, after ``count`` more have come."""
        if endpoint.topic not in self.messages:
            self.listen(endpoint)
        got = self.messages[endpoint.topic]
        seen = len(got)
        self.until(lambda: len(got) >= seen + count, f"{count} on {endpoint.topic}", **options)
        return got[-1]

    def published(self, namespace="/"):
        """The topics of the simulator node and their types; none before it is discovered."""
        try:
            found = self.node.get_publisher_names_and_types_by_node("cable_sim", namespace)
        except RuntimeError:
            return {}
        return dict(found)

    def publisher(self, endpoint):
        """A publisher that the node already hears."""
        if endpoint.topic not in self._publishers:
            made = self.node.create_publisher(endpoint.type, endpoint.topic, endpoint.qos)
            self._publishers[endpoint.topic] = made
            self.until(
                lambda: made.get_subscription_count() > 0, f"a subscriber of {endpoint.topic}"
            )
        return self._publishers[endpoint.topic]

    def call(self, kind, name, /, deadline=DEADLINE, **fields):
        """The response of a service."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
        client = self._clients[name]
        self.until(client.service_is_ready, f"service {name}", deadline)
        future = client.call_async(kind.Request(**fields))
        self.until(future.done, f"an answer of {name}", deadline)
        return future.result()

    def change(self, **values):
        """Set parameters of the node, texts and numbers, all of which have to be accepted."""
        from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
        from rcl_interfaces.srv import SetParameters

        made = []
        for name, value in values.items():
            text = isinstance(value, str)
            kind = ParameterType.PARAMETER_STRING if text else ParameterType.PARAMETER_DOUBLE
            content = {"string_value": value} if text else {"double_value": value}
            made.append(Parameter(name=name, value=ParameterValue(type=kind, **content)))
        for result in self.call(
            SetParameters, "/cable_sim/set_parameters", parameters=made
        ).results:
            assert result.successful, result.reason

    def close(self):
        """Leave."""
        self.executor.shutdown(timeout_sec=1.0)
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture(scope="module")
def probe(domain):
    """A node of the test."""
    pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
    made = Probe(domain)
    yield made
    made.close()


@pytest.fixture
def fresh_probe(domain):
    """A probe for one test: one keeps the names of dead nodes whose last message was lost."""
    made = Probe(domain)
    yield made
    made.close()


@pytest.fixture(scope="module")
def start_node(domain, tmp_path_factory):
    """Starts simulator nodes; those that are left over at the end of a file are ended there, also
    after a failure: a node that went on would take the time of all that follow."""
    folder, started = tmp_path_factory.mktemp("nodes"), []

    def start(*arguments, **parameters):
        started.append(NodeProcess(folder, *arguments, **parameters))
        return started[-1]

    yield start
    for process in started:
        if process.alive():
            process.process.kill()
            process.process.wait()


@pytest.fixture(scope="module")
def start_waiting(start_node, probe):
    """Starts a node that waits at its start for a component at a socket, and is there."""
    from cable_sim.ros.interface import CLOCK

    def start(path, **parameters):
        quick = {"start_paused": "true", "real_time_factor": 0.0, "lockstep_timeout": 0.0}
        made = start_node(ros2_control_socket=path, **quick, **parameters)
        clock = probe.listen(CLOCK)
        probe.until(lambda: clock or not made.alive(), "the first clock", START_DEADLINE)
        assert made.alive(), made.said()
        return made

    return start


STARTS = """
import json, sys
from cable_sim.ros.node.simulator_node import main
for words in json.loads(sys.argv[1]):
    print(f"\\x1e{main(words)}", file=sys.stderr, flush=True)
"""
"""Nodes that can't start, one after the other; importing everything for each takes longest."""


@pytest.fixture(scope="session")
def refused_starts(domain):
    """Starts nodes with (arguments, parameters) with which they can't: status of each, and what it
    wrote to stderr."""

    def start(cases):
        lines = json.dumps([words_of(*arguments, **parameters) for arguments, parameters in cases])
        command = [sys.executable, "-c", STARTS, lines]
        quiet = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.PIPE,
            "text": True,
        }
        said = subprocess.run(command, **quiet, timeout=START_DEADLINE, check=True).stderr
        first, *others = said.split("\x1e")
        statuses, after = zip(*(part.split("\n", 1) for part in others), strict=True)
        return list(zip(map(int, statuses), (first, *after), strict=False))

    return start


@pytest.fixture(scope="module")
def crane():
    """The crane that the nodes run."""
    from cable_sim.cranes import load_crane

    return load_crane("tower_12t")


@pytest.fixture(scope="module")
def node(request, start_node, probe):
    """One node for a module, with its ``PARAMETERS``; it has to end well, without having said
    anything bad."""
    from cable_sim.ros.interface import CLOCK

    made = start_node(**getattr(request.module, "PARAMETERS", {}))
    clock = probe.listen(CLOCK)
    probe.until(lambda: clock or not made.alive(), "the first clock", START_DEADLINE)
    assert made.alive(), made.said()
    yield made
    assert made.end() == 0
    assert "Traceback" not in made.said() and "ready after" in made.said()


@pytest.fixture(scope="session")
def cpp_program(tmp_path_factory):
    """Compiles a small program of cable_sim_ros2_control by the compiler of this machine."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler here")
    package = Path(__file__).resolve().parents[2] / "cable_sim_ros2_control"
    strict = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
    strict.append("-ffp-contract=off")  # the bits of Python, on every processor

    def build(name):
        made = tmp_path_factory.mktemp("program") / name
        files = [str(package / file) for file in ("src/link.cpp", f"test/{name}.cpp")]
        include = [f"-I{package / folder}" for folder in ("include", "test/doubles")]
        subprocess.run(
            [compiler, *strict, *include, *files, "-pthread", "-o", str(made)], check=True
        )
        return str(made)

    return build


@pytest.fixture(scope="session")
def place():
    """Forward kinematics of a robot description: ``place(robot, link, coordinates)``."""
    return _place


def _place(robot, link, coordinates):
    """Pose of a link in the base as a URDF says it: along the chain of its joints."""
    pose = np.eye(4)
    while link != "base_link":
        (joint,) = [j for j in robot.iter("joint") if j.find("child").get("link") == link]
        origin, local = joint.find("origin"), np.eye(4)
        numbers = {key: [float(v) for v in origin.get(key).split()] for key in ("xyz", "rpy")}
        local[:3, :3], local[:3, 3] = euler2mat(*numbers["rpy"], "sxyz"), numbers["xyz"]
        if joint.get("type") in ("continuous", "revolute", "prismatic"):
            axis = np.array([float(v) for v in joint.find("axis").get("xyz").split()])
            local = local @ _motion(joint.get("type"), axis, coordinates[joint.get("name")])
        pose, link = local @ pose, joint.find("parent").get("link")
    return pose


def _motion(kind, axis, coordinate):
    """What a joint does at a coordinate."""
    made = np.eye(4)
    if kind == "prismatic":
        made[:3, 3] = axis * coordinate
    else:
        made[:3, :3] = axangle2mat(axis, coordinate)
    return made
