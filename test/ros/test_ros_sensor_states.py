"""Sensors at the socket for ros2_control: names, and the bits of the topics of the same devices."""

import math
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from builtin_interfaces.msg import Time
from ruamel.yaml import YAML
from std_srvs.srv import SetBool, Trigger

from cable_sim.control.feedback import feedback_of
from cable_sim.control.pendulum import pendulum_length
from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.basis import messages
from cable_sim.ros.launch.ros2_control import description_with_control
from cable_sim.ros.publish import device_messages
from cable_sim.ros.state_interfaces import StateReader, components
from cable_sim.spec.wind import Steady

ROOT = Path(__file__).resolve().parents[2]
WRENCH = ["force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"]
IMU = [
    *("orientation.x", "orientation.y", "orientation.z", "orientation.w"),
    *("angular_velocity.x", "angular_velocity.y", "angular_velocity.z"),
    *("linear_acceleration.x", "linear_acceleration.y", "linear_acceleration.z"),
]
"""What force_torque_sensor_broadcaster and imu_sensor_broadcaster claim of a sensor."""


def all_names(crane):
    """Every state interface of a crane."""
    return [
        f"{part}/{one}" for part, known in components(crane).items() for one in known.interfaces
    ]


def numbers_of(message, *paths):
    """Numbers of a message by paths such as ``force.x``."""
    found = []
    for path in paths:
        value = message
        for name in path.split("."):
            value = getattr(value, name)
        found.append(float(value))
    return found


def same(one, other):
    """Whether two numbers have the same bits, or both are no readings."""
    return one == other or (math.isnan(one) and math.isnan(other))


def test_sensor_tags_are_what_stock_broadcasters_claim():
    crane = load_crane("two_towers")
    robot = ElementTree.fromstring(description_with_control(crane, socket="/run/a").encode())
    tags = {
        tag.get("name"): [state.get("name") for state in tag.iter("state_interface")]
        for tag in robot.findall("ros2_control/sensor")
    }
    for tower in ("east", "west"):
        assert tags[f"{tower}_load_cell"] == WRENCH and tags[f"{tower}_hook_imu"] == IMU
        assert tags[f"{tower}_wind"] == ["speed", "direction"]
        assert f"{tower}_sway.radial" in tags["readings"] and f"{tower}_load" in tags["readings"]
    assert tags["limits"][-3:] == ["estop", "enable", "stop"]
    joints = {tag.get("name") for tag in robot.findall("ros2_control/joint")}
    assert not joints & set(tags), "joint_state_broadcaster would mix them up"
    moving = {"position", "velocity", "effort"}
    assert not any(moving & set(names) for names in tags.values()), "it would take them for joints"
    by_topics = ElementTree.fromstring(description_with_control(crane).encode())
    assert by_topics.find("ros2_control/sensor") is None


def test_shipped_broadcasters_claim_what_the_crane_has():
    crane = load_crane("tower_12t")
    shipped = YAML(typ="safe").load(ROOT / "config" / "ros2_control_sensors.yaml")
    given = {key.removeprefix("/**/"): value["ros__parameters"] for key, value in shipped.items()}
    bodies = {body.name for body in crane.scene.bodies}
    known = set(all_names(crane))
    for name, wanted in (("load_cell", WRENCH), ("hook_imu", IMU)):
        own = given[f"{name}_broadcaster"]
        assert own["frame_id"] in bodies
        assert {f"{own['sensor_name']}/{one}" for one in wanted} <= known
    assert given["hook_imu_broadcaster"]["static_covariance_orientation"] == [-1.0, *[0.0] * 8]
    noise = {sensor.name: sensor.noise for sensor in crane.sensors}
    for what, own in (("angular_velocity", "rate"), ("linear_acceleration", "acceleration")):
        covariance = given["hook_imu_broadcaster"][f"static_covariance_{what}"]
        assert covariance[0::4] == pytest.approx([noise[f"hook.{own}.{k}"] ** 2 for k in "xyz"])
    assert set(given["sensor_broadcaster"]["interfaces"]) <= known
    example = given["anti_sway_controller"]
    joints = {axis.joint: axis for axis in crane.axes}
    trolley, hoist = joints[example["trolley"]], joints[example["hoist"]]
    assert example["sway"] in known
    assert (example["max_speed"], example["max_acceleration"]) == (
        trolley.max_speed,
        trolley.max_acceleration,
    )
    (lag,) = [drive.lag for drive in crane.scene.drives if drive.name == trolley.drive]
    assert example["lag"] == lag
    length = pendulum_length(crane)
    for depth in (10.0, 0.5 * hoist.upper, hoist.upper):
        line = example["length_at_zero"] + example["length_slope"] * depth
        assert line == pytest.approx(length(depth), rel=0.01)


def device_numbers(machine, seen, hung):
    """What the messages of a suspension tell, by state interface."""
    crane, stamp = machine.crane, Time()
    own, found = hung.own_name, {}

    def take(sensor, names, numbers):
        found.update(zip((f"{own(sensor)}/{name}" for name in names), numbers, strict=True))

    topics = [endpoint.topic for endpoint in interface.device_endpoints(crane, hung)]
    if "load_cell" in topics:
        told = device_messages.LoadCellMessage(crane, hung, "", stamp).fill(machine)
        take("load_cell", WRENCH, numbers_of(told.wrench, *WRENCH))
    if "hook_imu" in topics:
        told = device_messages.ImuMessage(crane, hung, "", stamp).fill(machine)
        assert told.orientation_covariance[0] == -1.0, "no orientation, so NaN"
        take("hook_imu", IMU, [math.nan] * 4 + numbers_of(told, *IMU[4:]))
    if "wind" in topics:
        told = device_messages.WindMessage(crane, hung, "world", stamp).fill(machine).twist.twist
        take("wind", ("speed", "direction"), (math.nan, math.nan))
        found["x, y"] = (own("wind"), told.linear.x, told.linear.y)
    told = messages.SwayMessage(hung, crane.falls(hung), "", stamp)
    told = told.fill(seen, machine.sway(seen, hung))
    names = ("radial", "tangential", "radial_rate", "tangential_rate", "length")
    fields = ("sway_radial", "sway_tangential", "rate_radial", "rate_tangential", "fall_length")
    take("sway", names, numbers_of(told, *fields))
    return found


@pytest.mark.parametrize("name", ["tower_12t", "two_towers", "overhead_32t"])
def test_states_have_the_bits_of_the_messages(name):
    """With noise, delay, wind and an emergency stop, in motion."""
    machine = Machine(load_crane(name), wind=Steady(speed=7.0, direction_deg=40.0))
    for tick in range(130):
        for axis in machine.crane.axes:
            if tick < 100:
                machine.command(axis.name, 0.2 * axis.max_speed)
        if tick == 100:
            machine.emergency_stop(True)
        machine.tick()
    seen, crane = machine.observe(), machine.crane
    names = all_names(crane)
    read = dict(zip(names, StateReader(crane, names)(machine, seen), strict=True))
    told = {}
    for hung in crane.suspensions:
        told |= device_numbers(machine, seen, hung)
        if "x, y" in told:
            sensor, x, y = told.pop("x, y")
            speed, direction = (read[f"{sensor}/{one}"] for one in ("speed", "direction"))
            assert (x, y) == (speed * math.cos(direction), speed * math.sin(direction))
            assert speed > 3.0
            told |= {f"{sensor}/speed": speed, f"{sensor}/direction": direction}
    feedback = feedback_of(machine, seen)
    told |= {f"readings/{key}": value for key, value in feedback.readings.items()}
    cables = messages.CableStatesMessage(crane, "", Time()).fill(seen).cables
    fields = ("tension_winch", "length_paid_out", "length_rate", "slack")
    for cable in (cable for cable in cables if cable.name in crane.ropes):
        told |= {f"{cable.name}/{field}": float(getattr(cable, field)) for field in fields}
    limits = device_messages.LimitsMessage(crane, Time()).fill(machine)
    told |= {f"limits/{key}": code for key, code in zip(limits.name, limits.state, strict=True)}
    told["limits/stop"] = limits.stop
    for axis in crane.axes:
        state = feedback.axes[axis.name]._asdict()
        told |= {f"{axis.joint}/{key}": value for key, value in state.items()}
    assert told.keys() == read.keys()
    wrong = {key: (value, read[key]) for key, value in told.items() if not same(value, read[key])}
    assert not wrong and read["limits/estop"] == 3 and read["limits/stop"] == 0


TICK = 10_000_000
CYCLES = 150
SENSORS = (
    *("load_cell/force.z", "hook_imu/angular_velocity.y", "hook_imu/linear_acceleration.x"),
    *("sway/radial_rate", "hoist_rope/length_rate", "readings/sway.radial", "wind/speed"),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Where the node's socket is."""
    return str(tmp_path_factory.mktemp("socket") / "ros2_control.sock")


@pytest.fixture(scope="module")
def node(start_waiting, path):
    """A tower crane that waits at its start, with every device's topic at every tick."""
    rates = {f"sensor_rates.{topic}": 100.0 for topic in ("load_cell", "hook_imu", "wind")}
    made = start_waiting(path, **rates)
    yield made
    assert made.end() == 0


def run_alone():
    """The same run in this process: the numbers of SENSORS at every tick, by its number."""
    machine = Machine(load_crane("tower_12t"))
    found = []
    for _ in range(CYCLES):
        seen = machine.observe()
        told = machine.readings
        found.append(
            [
                *(told[f"hoist_rope.{end}"] for end in ("pull",)),
                *(told[f"hook.{key}"] for key in ("rate.y", "acceleration.x")),
                *(machine.sway(seen).radial_rate, seen.cable("hoist_rope").length_rate),
                *(told["sway.radial"], told["wind.speed"]),
            ]
        )
        state = machine.axis_state(seen, "trolley")
        machine.command("trolley", 0.05 - 0.2 * state.position + state.velocity / 3.0)
        machine.tick()
    return found


def test_a_component_in_cpp_reads_noise_and_delay_to_the_bit(probe, node, path, cpp_program):
    """The numbers of one process, and of the topics with the same stamps."""
    kinds = (interface.LOAD_CELL, interface.HOOK_IMU, interface.WIND)
    heard = [probe.listen(endpoint, qos=1000) for endpoint in kinds]
    assert probe.call(Trigger, "/cable_sim/reset").success
    words = [path, "tower_12t", str(TICK), str(CYCLES), "60", "trolley", *SENSORS]
    pipe = subprocess.PIPE
    with subprocess.Popen([cpp_program("drive_crane"), *words], stdout=pipe, text=True) as driver:
        first = driver.stdout.readline()
        time.sleep(0.5)  # the commands that were sent before it have come by then
        assert probe.call(SetBool, "/cable_sim/pause", data=False).success
        lines = [
            line.split() for line in (first + driver.communicate(timeout=60.0)[0]).splitlines()
        ]
    stamps = [int(line[0]) for line in lines][:CYCLES]
    read = [[float.fromhex(word) for word in line[5:]] for line in lines][:CYCLES]
    alone = run_alone()
    assert len(read) == CYCLES and all(map(same, sum(read, []), sum(alone, [])))
    assert any(math.isfinite(line[5]) for line in read) and len({line[2] for line in read}) > 100
    rows = dict(zip(stamps, read, strict=True))
    end = lambda got: messages.nanoseconds(got[-1].header.stamp) >= stamps[-1]  # noqa: E731
    probe.until(lambda: all(got and end(got) for got in heard), "the topics of the last cycle")
    compared = 0
    for got, paths, places in (
        (heard[0], ["wrench.force.z"], [0]),
        (heard[1], ["angular_velocity.y", "linear_acceleration.x"], [1, 2]),
        (heard[2], ["twist.twist.linear.x"], [6]),
    ):
        for message in got:
            row = rows.get(messages.nanoseconds(message.header.stamp))
            if row:
                told = numbers_of(message, *paths)
                assert all(map(same, told, (row[place] for place in places)))
                compared += 1
    assert compared > CYCLES
