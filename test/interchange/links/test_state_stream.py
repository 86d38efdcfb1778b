"""The state stream: its frames are the machine's, its readers are many, its orders few."""

import contextlib
import functools
import http.client
import json
import shutil
import socket
import subprocess
import threading
import time
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from messages import naming

pytest.importorskip("msgspec", reason="needs the extra `stream`")
trimesh = pytest.importorskip("trimesh", reason="needs the extra `stream`")
from websockets.exceptions import InvalidStatus  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

from cable_sim import Body, Box, Collision, Machine, Scene, Simulator, Surface  # noqa: E402
from cable_sim.cranes import load_crane  # noqa: E402
from cable_sim.errors import CableSimError  # noqa: E402
from cable_sim.interchange.links.state_frames import FrameEncoder  # noqa: E402
from cable_sim.interchange.links.state_stream import StateStream  # noqa: E402
from cable_sim.machine.bare import crane_of  # noqa: E402
from cable_sim.machine.pictures.frame import Frame  # noqa: E402
from cable_sim.machine.pictures.pictures import picture_bodies  # noqa: E402
from cable_sim.viewer.local import LocalSource  # noqa: E402

EXAMPLE = Path(__file__).parents[3] / "examples" / "state_stream"


class Given:
    """A source with a frame that a test gives it, which keeps the orders."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.orders = frame, []

    def latest(self) -> Frame:
        return self.frame

    def command(self, axis: str, speed: float) -> None:
        self.orders.append((axis, speed))

    def emergency_stop(self, engaged: bool) -> None:
        self.orders.append(("stop", engaged))

    def go_on(self) -> None:
        self.frame = replace(self.frame, time=self.frame.time + 0.01)


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t", {"rig.start.state": "hanging"})


@pytest.fixture(scope="module")
def frame(crane) -> Frame:
    machine = Machine(crane)
    return machine.frame(machine.tick())


@contextlib.contextmanager
def served(crane, source, **options):
    stream = StateStream(crane, source, **options)
    try:
        yield stream
    finally:
        stream.close()


def reader(stream: StateStream, **options):
    return connect(f"ws://127.0.0.1:{stream.port}/", proxy=None, **options)


def test_a_frame_is_the_state_of_the_machine(crane, frame: Frame) -> None:
    told = json.loads(FrameEncoder(crane).encode(frame))
    assert told["time"] == frame.time and told["number"] == 1
    assert abs(told["clock"] - time.time()) < 60.0
    bodies = {body["name"]: body for body in told["bodies"]}
    assert bodies.keys() == frame.poses.keys() | {aim.name for aim in crane.scene.aims}
    for name, (place, turn) in frame.poses.items():
        assert bodies[name]["position"] == pytest.approx(place, abs=1e-5)
        assert bodies[name]["orientation"] == pytest.approx(turn, abs=1e-5)
    for rope in told["ropes"]:
        drawn = frame.cables[rope["name"]]
        assert np.reshape(rope["points"], (-1, 3)) == pytest.approx(drawn.points, abs=1e-5)
        assert rope["tension"] == pytest.approx(drawn.tension.max())
    assert [axis["name"] for axis in told["axes"]] == [axis.name for axis in crane.axes]
    assert {axis["name"]: axis["brake"] for axis in told["axes"]} == frame.brakes


def test_ropes_tell_their_speed_off_the_drum_and_open_brakes(crane) -> None:
    machine = Machine(crane)
    for _ in range(200):
        machine.command("hoist", 0.4)
        seen = machine.tick()
    told = json.loads(FrameEncoder(crane).encode(machine.frame(seen)))
    hoist = next(axis for axis in told["axes"] if axis["name"] == "hoist")
    rope = next(rope for rope in told["ropes"] if rope["name"] == "hoist_rope")
    assert hoist["brake"] is False and hoist["speed"] > 0.3
    assert rope["speed"] == pytest.approx(hoist["speed"] * crane.axis("hoist").ratio, rel=1e-3)


def sliding_box(angular: float = 0.0):
    """A box on rough ground that slides at 2 m/s, and turns."""
    box = Body(
        "box",
        10.0,
        shape=Box(1.0, 1.0, 0.2),
        position=(0.0, 0.0, 0.1),
        velocity=(2.0, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, angular),
    )
    return Scene(bodies=[box], surfaces=[Surface("ground")], collision=Collision())


@pytest.mark.parametrize("angular", [0.0, 1.5])
def test_sliding_speed_is_that_of_the_fastest_point(angular: float) -> None:
    scene = sliding_box(angular)
    simulator, crane = Simulator(scene, dt=1e-3), crane_of(scene)
    encoder, frames = FrameEncoder(crane), []
    for _ in range(2):
        simulator.step()
        seen = simulator.observe()
        poses = picture_bodies(seen)
        frames.append(Frame(seen.time, poses, {}, {}, contacts=seen.contacts))
    encoder.encode(frames[0])
    (contact,) = json.loads(encoder.encode(frames[1]))["contacts"]
    view = simulator.bodies["box"]
    arms = np.reshape(contact["points"], (-1, 3)) - view.position
    speeds = np.linalg.norm((view.velocity + np.cross(view.angular_velocity, arms))[:, :2], axis=1)
    assert {contact["first"], contact["second"]} == {"box", "ground"}
    assert contact["slip"] == pytest.approx(speeds.max(), abs=5e-3)
    assert contact["force"] == pytest.approx(98.1, rel=0.02)


def test_each_event_is_told_once(crane, frame: Frame) -> None:
    scene = sliding_box()
    falling = replace(scene.bodies[0], position=(0.0, 0.0, 0.5), velocity=(0.0, 0.0, 0.0))
    scene = replace(scene, bodies=(falling,))
    simulator, encoder, told = Simulator(scene, dt=1e-3), FrameEncoder(crane_of(scene)), []
    for _ in range(60):
        simulator.step(10)
        seen = simulator.observe()
        shown = Frame(seen.time, picture_bodies(seen), {}, {}, events=seen.events)
        told += json.loads(encoder.encode(shown))["events"]
    assert [(e["time"], e["begins"]) for e in told] == [(e.time, e.begins) for e in seen.events]
    assert told[0]["impact"] == pytest.approx(np.sqrt(2 * 9.81 * 0.4), rel=0.02)


def test_numbers_that_are_none_are_null(crane, frame: Frame) -> None:
    lost = {name: (np.full(3, np.nan), turn) for name, (_, turn) in frame.poses.items()}
    text = FrameEncoder(crane).encode(replace(frame, poses=lost))
    assert b"NaN" not in text
    assert json.loads(text)["bodies"][0]["position"] == [None, None, None]


def test_readers_get_new_frames_alone(crane, frame: Frame) -> None:
    source = Given(frame)
    with served(crane, source) as stream, reader(stream) as one, reader(stream) as other:
        first = []
        for _ in range(3):
            source.go_on()
            both = [json.loads(end.recv(10.0)) for end in (one, other)]
            assert both[0] == both[1]
            first.append(both[0])
        with pytest.raises(TimeoutError):
            one.recv(0.2)
    assert [f["time"] for f in first] == pytest.approx([frame.time + 0.01 * k for k in (1, 2, 3)])


def test_frames_go_over_udp_too(crane, frame: Frame, caplog) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.bind(("127.0.0.1", 0))
        ear.settimeout(10.0)
        source = Given(None)
        with served(crane, source, udp=ear.getsockname()) as stream, reader(stream) as one:
            source.frame = frame
            assert json.loads(ear.recv(65535)) == json.loads(one.recv(10.0))
            long = next(iter(frame.cables.values()))
            rope = long._replace(points=np.ones((9000, 3)) / 7.0)
            for _ in range(2):
                source.frame = replace(frame, time=source.frame.time + 1.0, cables={"rope": rope})
                one.recv(10.0)
    assert len(caplog.records) == 1 and naming("65507 UDP bytes").search(caplog.text)


def test_orders_are_obeyed_or_refused_by_name(crane, frame: Frame) -> None:
    source = Given(frame)
    with served(crane, source, control=True) as stream, reader(stream) as end:
        end.recv(10.0)

        def refused(order: str) -> str:
            end.send(order)
            return json.loads(end.recv(10.0))["error"]

        assert naming("axis 'crab' slewing trolley hoist").search(
            refused('{"axis": "crab", "speed": 1}')
        )
        assert naming("speed None finite").search(refused('{"axis": "hoist"}'))
        assert naming("number").search(refused("hoist up"))
        assert naming("height").search(refused('{"axis": "hoist", "height": 1}'))
        assert naming("emergency_stop").search(refused("{}"))
        assert source.orders == []
        end.send('{"axis": "hoist", "speed": -1}')
        end.send('{"emergency_stop": true}')
        refused("[]")
        assert source.orders == [("hoist", -1.0), ("stop", True)]


def test_without_control_no_order_is_obeyed(crane, frame: Frame) -> None:
    source = Given(frame)
    with served(crane, source) as stream, reader(stream) as end:
        end.recv(10.0)
        end.send('{"emergency_stop": true}')
        assert naming("--control").search(json.loads(end.recv(10.0))["error"])
    assert source.orders == []


def get(stream: StateStream, path: str, **headers: str):
    """Status, headers and body of a page."""
    connection = http.client.HTTPConnection("127.0.0.1", stream.port, timeout=20.0)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def test_the_scene_has_a_node_for_each_body_that_is_drawn(crane, frame: Frame, tmp_path) -> None:
    with served(crane, Given(frame)) as stream:
        status, headers, body = get(stream, "/scene.glb", Origin="http://localhost:3000")
        assert naming("/scene.glb").search(get(stream, "/")[2].decode())
    assert status == 200 and headers["Access-Control-Allow-Origin"] == "http://localhost:3000"
    (tmp_path / "scene.glb").write_bytes(body)
    nodes = set(trimesh.load(tmp_path / "scene.glb").graph.nodes)
    assert {"world", "load", "jib", "trolley"} <= nodes
    assert not nodes & {cable.name for cable in crane.scene.cables}


def test_pages_of_other_servers_are_refused(crane, frame: Frame) -> None:
    with served(crane, Given(frame), control=True) as stream:
        for origin in ("http://stranger.example", "null", "http://localhost.stranger.example"):
            assert get(stream, "/scene.glb", Origin=origin)[0] == 403
            with pytest.raises(InvalidStatus):
                reader(stream, origin=origin)
        with reader(stream, origin="http://localhost:3000") as end:
            assert json.loads(end.recv(10.0))["number"] == 1


def test_a_killed_reader_disturbs_nobody(crane, frame: Frame, caplog) -> None:
    source = Given(frame)
    with served(crane, source) as stream, reader(stream) as kept:
        kept.recv(10.0)
        killed = reader(stream)
        killed.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        killed.socket.close()
        for _ in range(5):
            source.go_on()
            kept.recv(10.0)
    assert caplog.records == []


def test_a_port_that_is_taken_and_an_open_host_are_refused(crane, frame: Frame) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CableSimError, match=naming(f"127.0.0.1:{port}").pattern):
            StateStream(crane, Given(frame), port=port)
    with pytest.raises(CableSimError, match=naming("'0.0.0.0' password --unprotected").pattern):
        StateStream(crane, Given(frame), host="0.0.0.0")


def test_a_failure_of_the_stream_is_logged(crane, frame: Frame, caplog) -> None:
    source = Given(replace(frame, brakes={"hoist": object()}))
    with served(crane, source):
        deadline = time.monotonic() + 10.0
        while not caplog.records and time.monotonic() < deadline:
            time.sleep(0.01)
    assert naming("stream frames").search(caplog.text)


@pytest.mark.browser
def test_the_reader_in_three_js_shows_the_crane(crane) -> None:
    """At the places that the machine has, in Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None or shutil.which("npm") is None:
        pytest.skip("chromium or npm is not installed")
    if not (EXAMPLE / "node_modules" / "three").is_dir():
        got = subprocess.run(["npm", "install", "--no-audit"], cwd=EXAMPLE, capture_output=True)
        if got.returncode:
            pytest.skip("npm gets no packages here")
    source = LocalSource(Machine(crane), period=1.0 / 60.0)
    pages = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(SimpleHTTPRequestHandler, directory=EXAMPLE)
    )
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    with (
        contextlib.closing(source),
        served(crane, source) as stream,
        sync_api.sync_playwright() as playwright,
    ):
        flags = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": 400, "height": 300})
        page.goto(f"http://127.0.0.1:{pages.server_port}/three.html?stream=127.0.0.1:{stream.port}")
        page.wait_for_function("window.shown > 10", timeout=120_000)
        for _ in range(20):
            source.command("slewing", 0.05)
            time.sleep(0.1)
        source.pause(True)
        time.sleep(1.0)
        shown = page.evaluate("placeOf('trolley')")
        place, _ = source.latest().poses["trolley"]
        browser.close()
    pages.shutdown()
    pages.server_close()
    assert shown == pytest.approx([place[0], place[2], -place[1]], abs=1e-3)
    assert abs(place[1]) > 0.1
