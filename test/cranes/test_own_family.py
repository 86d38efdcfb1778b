"""A family of cranes outside of the package: a luffing jib, which nothing in the package knows."""

import dataclasses
import math
import time
from xml.etree import ElementTree

import numpy as np
import pytest
from luffing_crane import FILE, LuffingCrane, build_luffing
from messages import naming
from transforms3d.quaternions import rotate_vector

from cable_sim.control.controllers.operator import Operator
from cable_sim.control.controllers.shaped import Shaped
from cable_sim.control.load_kinematics import load_kinematics_of
from cable_sim.control.pendulum import pendulum_length, period_of
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.run import run
from cable_sim.control.scenario import Move, Scenario
from cable_sim.cranes import catalogue, load_crane
from cable_sim.cranes.catalogue import register_family
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.parts.devices import Sensor
from cable_sim.cranes.parts.pendulum import pendulum_of_suspension
from cable_sim.errors import ConfigError, SpecError
from cable_sim.machine.machine import Machine
from cable_sim.spec.quantities import spec
from cable_sim.viewer.local import LocalSource

KIND = "luffing_jib"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The path of such a crane's file, the family known for the time of a test."""
    monkeypatch.setattr(catalogue, "FAMILIES", dict(catalogue.FAMILIES))
    register_family(KIND, LuffingCrane, build_luffing)
    path = tmp_path / "luffing.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.fixture
def crane(file) -> Crane:
    return load_crane(file)


def hoist_of(crane: Crane) -> float:
    """Coordinate of the hoist at the start [m]."""
    machine = Machine(crane)
    return machine.axis_state(machine.observe(), "hoist").position


def test_sway_is_zero_at_rest(crane) -> None:
    """It is measured from the jib's tip, also after the jib has been held for a second."""
    machine = Machine(crane)
    for seen in (machine.observe(), [machine.tick() for _ in range(100)][-1]):
        sway = machine.sway(seen)
        assert (sway.radial, sway.tangential) == pytest.approx((0.0, 0.0), abs=1e-6)
        assert (sway.radial_rate, sway.tangential_rate) == pytest.approx((0.0, 0.0), abs=1e-6)
        assert sway.length == pytest.approx(20.0 - 0.5, abs=1e-3)


@pytest.mark.ros
def test_message_of_sway_has_the_hook_in_the_frame_of_the_jib(crane) -> None:
    """Angles and length begin at the tip; the hook's position begins where the frame does."""
    pytest.importorskip("rclpy", reason="needs rclpy: scripts/setup")
    from builtin_interfaces.msg import Time

    from cable_sim.ros.basis.messages import SwayMessage

    machine = Machine(crane)
    seen = machine.observe()
    message = SwayMessage(crane.suspension, crane.ropes, "", Time()).fill(seen, machine.sway(seen))
    jib, place = seen.body("jib"), (message.hook.x, message.hook.y, message.hook.z)
    assert message.header.frame_id == "jib"
    assert jib.position + rotate_vector(place, jib.orientation) == pytest.approx(
        seen.body("hook_block").position
    )
    assert message.fall_length == pytest.approx(
        np.linalg.norm(seen.body("hook_block").position - crane.details.tip)
    )


def test_rate_of_sway_is_that_of_its_angle(crane) -> None:
    """While the jib slews and luffs, so that its tip moves."""
    machine, angles, rates = Machine(crane), [], []
    for _ in range(400):
        machine.command("slewing", 0.05)
        machine.command("luffing", 0.01)
        sway = machine.sway(machine.tick())
        angles.append((sway.radial, sway.tangential))
        rates.append((sway.radial_rate, sway.tangential_rate))
    differences = np.gradient(np.array(angles), machine.tick_time, axis=0)
    assert np.abs(angles).max() > 5e-3
    assert np.array(rates)[50:-1] == pytest.approx(differences[50:-1], abs=1e-3)


def test_sensors_of_sway_measure_from_the_tip(crane) -> None:
    """An ideal sensor reads what the machine tells, while the jib slews and luffs."""
    sensors = tuple(Sensor(name, f"sway.{name}") for name in ("radial", "tangential"))
    machine, largest = Machine(dataclasses.replace(crane, sensors=sensors)), 0.0
    for _ in range(300):
        machine.command("slewing", 0.05)
        machine.command("luffing", 0.01)
        sway = machine.sway(machine.tick())
        largest = max(largest, abs(sway.radial), abs(sway.tangential))
        read = (machine.readings["radial"], machine.readings["tangential"])
        assert read == pytest.approx((sway.radial, sway.tangential), abs=1e-12)
    assert largest > 5e-3


def period_of_sway(crane: Crane, side: int, length: float) -> float:
    """Mean period of two small sways of the load [s], with the drives at rest."""
    tip, rate = crane.details.tip[2], 0.01 * math.sqrt(9.81 / length)
    bodies = tuple(
        dataclasses.replace(body, velocity=(tip - body.position[2]) * rate * np.eye(3)[side])
        if body.name in ("hook_block", "load")
        else body
        for body in crane.scene.bodies
    )
    moving = dataclasses.replace(crane, scene=dataclasses.replace(crane.scene, bodies=bodies))
    machine, times, angles = Machine(moving), [], []
    while machine.time < 2.6 * period_of(length):
        seen = machine.tick()
        times.append(seen.time)
        angles.append(machine.sway(seen)[side])
    t, a = np.array(times), np.array(angles)
    up = np.flatnonzero((a[:-1] < 0.0) & (a[1:] >= 0.0))
    return float(np.diff(t[up] - a[up] * (t[up + 1] - t[up]) / (a[up + 1] - a[up])).mean())


@pytest.mark.parametrize("side", [0, 1], ids=["outward", "across"])
def test_pendulum_length_is_that_of_a_small_sway(file, side) -> None:
    """Of the hoist's coordinate: the same from a crane that starts higher, but for stretch."""
    crane, higher = load_crane(file), load_crane(file, {"rig.start.depth": 12.0})
    hoist = hoist_of(crane)
    length = pendulum_length(crane)(hoist, across=bool(side))
    assert hoist == pytest.approx(20.0, abs=0.2)
    assert pendulum_length(higher)(hoist, across=bool(side)) == pytest.approx(length, rel=5e-3)
    assert period_of_sway(crane, side, length) == pytest.approx(period_of(length), rel=0.02)


@pytest.mark.parametrize("name", ["tower_12t", "lab_inteco"])
def test_geometry_alone_tells_what_families_answer(name) -> None:
    """The length by the suspension is that of the family, but for the stretch of ropes."""
    hanging = {"rig.start.state": "hanging"} if name == "tower_12t" else {}
    crane = load_crane(name, hanging)
    hoist = hoist_of(crane)
    for across in (False, True):
        ours = pendulum_of_suspension(crane)(hoist + 0.1, across)
        assert ours == pytest.approx(pendulum_length(crane)(hoist + 0.1, across), rel=5e-3)


def test_shipped_controllers_slew_it(file) -> None:
    """A scenario starts it where it says, with its load; shaped, the move leaves less sway."""
    scenario = Scenario(
        crane=str(file),
        load=3000.0,
        rope_length=25.0,
        start={"luffing": math.radians(60.0)},
        moves=(Move("slewing", by=0.4),),
        measured=False,
        watch=12.0,
        dt=4e-3,
        period=0.02,
    )
    built = scenario.build()
    assert built.details.rig.start.luffing_deg == pytest.approx(60.0)
    assert (built.details.rig.load.mass, built.details.rig.start.depth) == (3000.0, 25.0)
    left = {}
    for controller in (Operator(), Shaped("zv")):
        seen = run(dataclasses.replace(scenario, controller=controller))
        assert seen.position[-1, seen.axes.index("slewing")] == pytest.approx(0.4, abs=0.01)
        left[controller.kind] = np.abs(seen.sway[-500:, 1]).max()
    assert left["zv"] < 0.5 * left["operator"]


def test_what_does_not_fit_is_told(file) -> None:
    moves = (Move("hoist", by=1.0),)
    with pytest.raises(SpecError, match=naming("start.trolley start luffing hoist")):
        Scenario(crane=str(file), start={"trolley": 1.0}, moves=moves).build()
    with pytest.raises(SpecError, match=naming("carry 0 kg")):
        Scenario(crane=str(file), load=0.0, moves=moves).build()


def test_where_its_load_hangs_is_not_told_wrongly(crane) -> None:
    """Luffing moves the load along a curve that is none of those that are known."""
    plant = LocalPlant(crane)
    assert load_kinematics_of(crane, plant.reset()) is None


def test_the_page_shows_it(crane) -> None:
    source, until = LocalSource(Machine(crane)), time.monotonic() + 60.0
    try:
        while source.latest() is None and time.monotonic() < until:
            time.sleep(0.01)
        frame = source.latest()
    finally:
        source.close()
    assert frame is not None and {"tower_head", "jib", "hook_block", "load"} <= set(frame.poses)
    assert frame.sway.radial == pytest.approx(0.0, abs=1e-6)


@pytest.mark.ros
def test_ros_describes_it(crane) -> None:
    pytest.importorskip("rclpy", reason="needs rclpy: scripts/setup")
    from cable_sim.ros.basis.description import robot_description
    from cable_sim.ros.basis.frames import floating_bodies, links

    robot = ElementTree.fromstring(robot_description(crane))
    assert {"slewing", "luffing"} <= {joint.get("name") for joint in robot.iter("joint")}
    assert {"tower_head", "jib"} <= {link.name for link in links(crane)}
    assert set(floating_bodies(crane)) == {"hook_block", "load"}


def test_a_word_stands_for_one_family(file) -> None:
    @spec
    class Other(FamilySpec):
        crane: str

    register_family(KIND, LuffingCrane, build_luffing)
    with pytest.raises(SpecError, match="'luffing_jib'"):
        register_family(KIND, Other, build_luffing)


def test_a_family_is_unknown_until_it_is_registered(tmp_path) -> None:
    path = tmp_path / "luffing.yaml"
    path.write_text(FILE, encoding="utf-8")
    with pytest.raises(ConfigError, match="'luffing_jib'"):
        load_crane(path)
