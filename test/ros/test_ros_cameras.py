"""Cameras of a running crane: pictures, intrinsics and frames agree with each other."""

import io
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from slow_cases import slow_but
from transforms3d.quaternions import quat2mat

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from PIL import Image as Pillow
from std_msgs.msg import Header

from cable_sim.cli import main
from cable_sim.rendering.camera import Camera
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import wxyz
from cable_sim.ros.publish.camera_messages import camera_info, camera_transform, image_message

WIDTH, HEIGHT = 640, 480


def seen_at(info, transform, point):
    """Pixel of a point in the world, by what messages say of a camera."""
    place, turn = transform.transform.translation, quat2mat(wxyz(transform.transform.rotation))
    inside = turn.T @ (np.asarray(point) - (place.x, place.y, place.z))
    u, v, depth = np.reshape(info.k, (3, 3)) @ inside
    return u / depth, v / depth, depth


def test_intrinsics_and_frame_are_those_of_the_renderer():
    """Middles of pixels are whole numbers in ROS, and end in .5 for the renderer."""
    eye, target = np.array([3.0, -7.0, 9.0]), np.array([1.0, 2.0, 1.0])
    camera = Camera(eye, target, WIDTH, HEIGHT, up=(0.2, 0.3, 1.0))
    header = Header(frame_id="eye")
    info, transform = camera_info(camera, header), camera_transform(camera, header, "map")
    assert (transform.header.frame_id, transform.child_frame_id) == ("map", "eye")
    assert (info.width, info.height) == (WIDTH, HEIGHT)
    assert np.reshape(info.p, (3, 4))[:, :3] == pytest.approx(np.reshape(info.k, (3, 3)))
    for point in ([1.0, 2.0, 1.0], [2.0, 3.0, 0.0], [0.0, 1.0, 2.5]):
        u, v, inverse = camera.project(np.array(point))
        assert seen_at(info, transform, point) == pytest.approx((u - 0.5, v - 0.5, 1.0 / inverse))


def test_rows_of_a_picture_are_those_of_its_message():
    pixels = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    message = image_message(pixels, Header())
    assert (message.height, message.width, message.step) == (2, 3, 9)
    assert list(message.data) == list(range(18)) and message.encoding == "rgb8"


def test_a_machine_without_a_hook_has_no_camera(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["cameras", "nehe_rope"])
    assert ended.value.code == 2 and "cameras" in capsys.readouterr().err


@pytest.fixture(scope="module")
def cameras(node, tmp_path_factory):
    """The program beside the node."""
    words = ["cameras", "tower_12t", "--width", str(WIDTH), "--height", str(HEIGHT)]
    errors = tmp_path_factory.mktemp("cameras") / "errors.txt"
    with errors.open("w") as file:
        process = subprocess.Popen([sys.executable, "-m", "cable_sim.cli", *words], stderr=file)
    yield process
    if process.poll() is None:
        os.kill(process.pid, signal.SIGINT)
    assert process.wait(60.0) == 0, errors.read_text()


@pytest.mark.parametrize("name", slow_but(["hook_camera"], ["hook_camera", "cab_camera"]))
def test_the_load_is_seen_where_frames_and_intrinsics_say(cameras, probe, crane, name):
    topics = interface.camera_endpoints(name)
    if interface.TF.topic not in probe.messages:
        probe.listen(interface.TF)
    got = probe.messages[interface.TF.topic]
    infos = probe.listen(topics.info)
    probe.until(lambda: infos or cameras.poll() is not None, "intrinsics")
    packed = probe.fresh(topics.compressed)
    picture = probe.fresh(topics.image)
    assert picture.header.frame_id == interface.camera_frame(name)
    assert (picture.width, picture.height, picture.encoding) == (WIDTH, HEIGHT, "rgb8")
    moves = {move.child_frame_id: move for message in got for move in message.transforms}
    load, camera = moves["load"].transform.translation, moves[picture.header.frame_id]
    body = next(body for body in crane.scene.bodies if body.name == "load")
    steps = np.linspace(-0.4, 0.4, 9)
    top = [(x * body.shape.x, y * body.shape.y, 0.5 * body.shape.z) for x in steps for y in steps]
    drawn = np.reshape(picture.data, (HEIGHT, WIDTH, 3)).astype(int)
    unpacked = np.asarray(Pillow.open(io.BytesIO(packed.data.tobytes()))).astype(int)
    assert np.abs(unpacked - drawn).mean() < 3.0
    red = 0
    for place in np.array(top) + (load.x, load.y, load.z):
        u, v, depth = seen_at(infos[-1], camera, place)
        assert depth > 0.0
        pixel = drawn[round(v), round(u)]
        red += pixel[0] > 1.2 * max(pixel[1:])
    assert red > 0.5 * len(top), "the load is red, between its slings"
