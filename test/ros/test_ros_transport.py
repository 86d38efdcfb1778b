"""What scripts/env.sh has DDS do: no shared memory, nothing beyond this computer, and everybody
else still hears."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from cable_sim.ros import interface
from cable_sim.ros.launch.processes import LOOPBACK, PROFILES, RANGE, isolated_environment

ROOT = Path(__file__).resolve().parents[2]
SOURCED = (
    ". scripts/env.sh && echo ${ROS_AUTOMATIC_DISCOVERY_RANGE:-none} "
    "${FASTDDS_DEFAULT_PROFILES_FILE:-none}"
)
OURS = str(ROOT / "config" / LOOPBACK)
GIVEN = (RANGE, PROFILES, "RMW_IMPLEMENTATION")


def sourced(root=ROOT, **given):
    """What a checkout's scripts/env.sh makes of such variables: the range, and the profile."""
    environment = {name: value for name, value in os.environ.items() if name not in GIVEN} | given
    run = subprocess.run(
        ["bash", "-c", SOURCED],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(run.stdout.split())


@pytest.mark.skipif(
    not (ROOT / ".venv/share/ament_index").is_dir(), reason="ROS 2 is not from wheels"
)
@pytest.mark.parametrize(
    "given, made",
    [
        ({}, ("SYSTEM_DEFAULT", OURS)),
        (
            {RANGE: "SYSTEM_DEFAULT", PROFILES: f"/elsewhere/config/{LOOPBACK}"},
            ("SYSTEM_DEFAULT", OURS),
        ),
        ({RANGE: "SUBNET"}, ("SUBNET", "none")),
        ({RANGE: "SUBNET", PROFILES: OURS}, ("SUBNET", "none")),
        ({RANGE: "SYSTEM_DEFAULT"}, ("SYSTEM_DEFAULT", "none")),
        ({PROFILES: "/own.xml"}, ("LOCALHOST", "/own.xml")),
        ({"RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp"}, ("LOCALHOST", "none")),
    ],
)
def test_an_own_discovery_range_counts_and_none_opens_by_default(given, made):
    assert sourced(**given) == made


@pytest.mark.parametrize(
    "given, made",
    [
        ({}, ("LOCALHOST", "none")),
        ({RANGE: "SYSTEM_DEFAULT", PROFILES: OURS}, ("LOCALHOST", "none")),
        ({RANGE: "SUBNET"}, ("SUBNET", "none")),
    ],
)
def test_on_a_distribution_the_range_alone_limits_discovery(tmp_path, given, made):
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "env.sh", tmp_path / "scripts")
    assert sourced(tmp_path, **given) == made


def test_subprocesses_stay_local_by_range_or_by_profile(monkeypatch):
    monkeypatch.delenv(PROFILES, raising=False)
    assert isolated_environment(7) == {"ROS_DOMAIN_ID": "7", RANGE: "LOCALHOST"}
    monkeypatch.setenv(PROFILES, OURS)
    assert isolated_environment(7) == {"ROS_DOMAIN_ID": "7"}


@pytest.mark.skipif(
    Path(os.environ.get(PROFILES, "")).name != LOOPBACK, reason="ROS 2 is not from wheels"
)
def test_a_node_that_has_only_the_range_is_heard_and_commanded(start_node, probe, monkeypatch):
    monkeypatch.setenv(RANGE, "LOCALHOST")
    monkeypatch.delenv(PROFILES)
    node = start_node("-r", "__ns:=/range", real_time_factor=1.0)
    drive(probe, "/range")
    assert node.end() == 0


def test_a_node_shares_no_memory_and_is_heard_on_loopback(start_node, probe, monkeypatch):
    monkeypatch.setenv(RANGE, "SYSTEM_DEFAULT")
    monkeypatch.setenv(PROFILES, OURS)
    node = start_node("-r", "__ns:=/udp", real_time_factor=1.0)
    drive(probe, "/udp")
    process = Path(f"/proc/{node.process.pid}")
    assert "/dev/shm/fastdds" not in (process / "maps").read_text()
    assert set(listening(process)) == {"127.0.0.1"}
    assert node.end() == 0


def drive(probe, space):
    """Have the trolley of the node there move, and see it."""
    probe.until(
        lambda: probe.node.get_publishers_info_by_topic(f"{space}/joint_states"), "the node", 60.0
    )
    states = probe.listen(interface.JOINT_STATES._replace(topic=f"{space}/joint_states"))
    endpoint = interface.axis_command("trolley")
    out = probe.publisher(endpoint._replace(topic=f"{space}/{endpoint.topic}"))
    probe.until(
        lambda: states and states[-1].position[1] > states[0].position[1] + 0.02,
        "a trolley that moves",
        every=lambda: out.publish(endpoint.type(value=0.5, enable=True)),
    )


def listening(process):
    """The addresses of its UDP sockets; Linux."""
    links = {os.readlink(link) for link in (process / "fd").iterdir()}
    mine = {match[1] for link in links if (match := re.fullmatch(r"socket:\[(\d+)\]", link))}
    rows = [line.split() for line in (process / "net" / "udp").read_text().splitlines()[1:]]
    addresses = [row[1].split(":")[0] for row in rows if row[9] in mine]
    return [".".join(str(byte) for byte in reversed(bytes.fromhex(word))) for word in addresses]
