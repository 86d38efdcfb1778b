"""A recording as a film: frames are those that were, at regular simulated times."""

from types import SimpleNamespace

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
pytest.importorskip("rosbags", reason="needs rosbags (extra `bag`)")

from builtin_interfaces.msg import Time
from PIL import Image
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from cable_sim.cli import main
from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.bags.bag_frames import recorded_crane, recorded_frames, recorded_span
from cable_sim.ros.bags.recorder import Recorder
from cable_sim.ros.basis.description import robot_description
from cable_sim.ros.basis.frames import BASE
from cable_sim.ros.basis.messages import (
    CableStatesMessage,
    JointStateMessage,
    SwayMessage,
    TransformsMessage,
    set_time,
    transform,
)
from cable_sim.ros.publish.cable_markers import CableMarkers


class Writer:
    """Writes what a node would publish of a machine, as it is when it is told."""

    def __init__(self, folder, machine, world="world", prefix=""):
        crane, self.stamp, self.machine = machine.crane, Time(), machine
        self.recorder = Recorder(
            folder, lambda topic: topic if topic.startswith("/") else f"/{topic}"
        )
        self.joints = JointStateMessage(crane, self.stamp)
        self.cables = CableStatesMessage(crane, "base_link", self.stamp)
        self.sway = SwayMessage(crane.suspension, crane.ropes, "", self.stamp)
        self.moves = TransformsMessage(
            [body.name for body in crane.scene.bodies], prefix, world, self.stamp
        )
        self.markers = CableMarkers(crane, prefix, world)
        self.take(interface.ROBOT_DESCRIPTION, String(data=robot_description(crane)))
        self.take(
            interface.TF_STATIC, TFMessage(transforms=[transform(world, prefix + BASE, self.stamp)])
        )

    def take(self, endpoint, message):
        data = message if isinstance(message, bytes) else serialize_message(message)
        self.recorder.take(endpoint, data)

    def write(self, seen, markers):
        set_time(self.stamp, round(1e9 * seen.time))
        axes = [self.machine.axis_state(seen, axis.name) for axis in self.machine.crane.axes]
        self.take(interface.JOINT_STATES, self.joints.fill(seen, axes))
        self.take(interface.SWAY_STATE, self.sway.fill(seen, self.machine.sway(seen)))
        self.take(interface.CABLE_STATES, self.cables.fill(seen))
        if markers:
            self.take(interface.CABLE_MARKERS, self.markers.fill(seen))
        self.take(interface.TF, self.moves.fill(seen))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Two seconds of the tower crane slewing, then one from the start again: its bag, and the
    frames by time."""
    machine = Machine(load_crane("tower_12t"))
    bag, frames = tmp_path_factory.mktemp("recorded") / "bag", {}
    writer = Writer(bag, machine)
    for ticks in (200, 100):
        machine.reset()
        for tick in range(1, ticks + 1):
            machine.command("slewing", 0.05)
            seen = machine.tick()
            if tick % 2 == 0:
                writer.write(seen, markers=tick % 10 == 0)
                frames[round(seen.time, 2)] = machine.frame(seen)
    writer.recorder.close()
    return SimpleNamespace(bag=bag, frames=frames, crane=machine.crane)


def test_a_recording_says_of_what_it_is(recorded):
    assert recorded_crane(recorded.bag) == "tower_12t"
    assert recorded_span(recorded.bag) == pytest.approx((0.02, 2.0))


def test_its_frames_are_those_that_were(recorded):
    frames = list(recorded_frames(recorded.bag, recorded.crane, 0.5, end=1.9))
    times = [frame.time for frame in frames]
    assert times == pytest.approx([0.02, 0.52, 1.02, 1.52, 0.02, 0.52]), "and go on after the reset"
    for frame in frames[:4]:
        was = recorded.frames[round(frame.time, 2)]
        assert set(frame.poses) == set(was.poses) and set(frame.cables) == set(was.cables)
        for name, (place, turn) in was.poses.items():
            assert frame.poses[name][0] == pytest.approx(place, abs=1e-9)
            assert abs(np.dot(frame.poses[name][1], turn)) == pytest.approx(1.0)
        assert frame.axes["slewing"].position == pytest.approx(was.axes["slewing"].position)
        for name, picture in was.cables.items():
            assert frame.cables[name].tension == pytest.approx(picture.tension)
            assert frame.cables[name].points[[0, -1]] == pytest.approx(
                picture.points[[0, -1]], abs=1e-6
            )


@pytest.mark.parametrize("placed", [False, True])
def test_frames_of_a_film_are_in_the_cranes_own_world(recorded, tmp_path, placed):
    machine = Machine(recorded.crane)
    writer = Writer(tmp_path / "bag", machine, "c/map", "c/")
    if placed:
        stand = transform("world", "c/map", writer.stamp)
        stand.transform.translation.x = 150.0
        writer.take(interface.TF_STATIC, TFMessage(transforms=[stand]))
    seen = machine.tick()
    writer.write(seen, markers=True)
    writer.recorder.close()
    (frame,) = recorded_frames(tmp_path / "bag", recorded.crane, 0.5, prefix="c/")
    for name, (place, _) in frame.poses.items():
        assert place == pytest.approx(seen.body(name).position)


def test_a_film_of_it(recorded, tmp_path, capsys):
    film = tmp_path / "film.webp"
    small = ("--rate", "5", "--width", "96", "--height", "64")
    with pytest.raises(SystemExit) as ended:
        main(["film", str(recorded.bag), "-o", str(film), "--for", "1", *small])
    assert ended.value.code == 0, capsys.readouterr().err
    with Image.open(film) as image:
        assert (image.n_frames, image.width) == (
            11,
            96,
        )  # six up to 1.02 s, and five after the reset


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--namespace", "nix"), "/nix/joint_states --namespace names simulator's"),
        (("--start", "60"), "--start 60 recording 1.980 s simulated time long"),
        (("--crane", "rtg_41t"), "frame"),
        (("--crane", "nix"), "names"),
    ],
)
def test_what_is_not_in_it_is_told(recorded, tmp_path, capsys, words, says):
    with pytest.raises(SystemExit) as ended:
        main(["film", str(recorded.bag), "-o", str(tmp_path / "film.webp"), *words])
    errors = capsys.readouterr().err
    assert (
        ended.value.code == 2
        and naming(says).search(errors)
        and len(errors.strip().splitlines()) == 1
    ), errors
    assert not list(tmp_path.iterdir())


def test_messages_that_would_be_misread_are_refused(recorded, monkeypatch):
    from cable_sim.ros.bags import bag_frames

    sway = interface.SWAY_STATE._replace(topic="joint_states")
    monkeypatch.setattr(bag_frames, "AT_ONCE", (sway,))
    with pytest.raises(
        bag_frames.CableSimError,
        match=naming("type sensor_msgs/msg/JointState topic /joint_states"),
    ):
        list(recorded_frames(recorded.bag, recorded.crane, 0.5))
