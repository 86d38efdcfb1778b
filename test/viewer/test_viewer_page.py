"""The page as a whole, without a browser: who may serve what where, and that the loop survives
everything."""

import gc
import threading
import time
import urllib.request
from contextlib import suppress
from socket import create_connection
from types import SimpleNamespace

import numpy as np
import pytest
import rich
from messages import naming

from cable_sim.cli.app import app
from cable_sim.errors import CableSimError

pytest.importorskip("viser")
import viser
from msgspec import msgpack
from typer.testing import CliRunner
from viser.infra._async_message_buffer import AsyncMessageBuffer
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from cable_sim.rendering.bodies import extent_around
from cable_sim.viewer.http_auth import code_of
from cable_sim.viewer.page import Server, Viewer, is_loopback

SPOKEN = [f"viser-v{viser.__version__}"]


@pytest.fixture
def viewer(crane, source):
    viewer = Viewer(crane, source, port=0, token="abcd-2345")
    viewer.start()
    yield viewer
    viewer.stop()


def wait_for(condition, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.01)


@pytest.mark.parametrize(
    "host, near",
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("192.168.1.5", False),
        ("example.org", False),
    ],
)
def test_loopback(host, near):
    assert is_loopback(host) is near


def test_other_machines_never_control_without_a_code(crane, source):
    with pytest.raises(CableSimError, match="code"):
        Viewer(crane, source, host="0.0.0.0", require_token=False)


def test_serves_one_page_at_its_own_port_and_on_loopback_only(viewer, crane, source):
    with urllib.request.urlopen(viewer.url) as answer:
        assert answer.status == 200
    listening = viewer.server._websock_server._host
    assert listening == "127.0.0.1"
    with pytest.raises(CableSimError, match="taken"):
        Viewer(crane, source, port=viewer.port).start()


def test_the_library_behind_the_page_says_nothing(crane, source, capsys):
    """Neither its addresses, which have no code, nor that it ends; a notebook would show both."""
    viewer = Viewer(crane, source, port=0)
    viewer.start()
    viewer.stop()
    assert capsys.readouterr().out == "" and not rich.get_console().quiet


def test_addresses(viewer):
    assert viewer.url == f"http://127.0.0.1:{viewer.port}/"
    assert (
        viewer.control_url == f"{viewer.url}?websocket=ws://127.0.0.1:{viewer.port}/?code=abcd-2345"
    )
    assert code_of(viewer.server, 999) == ""


def test_page_can_not_be_published(viewer):
    assert viewer.server.request_share_url() is None


def test_wishes_reach_the_source_and_end_with_the_viewer(viewer, source):
    viewer.desk.set_speed("trolley", 30.0, page=1)
    wait_for(lambda: source.commands("trolley") == [0.5] * len(source.commands("trolley")) != [])
    viewer.stop()
    assert source.commands("trolley")[-1] == 0.0
    assert source.calls[-1] == ("close",)


def test_broken_source_is_said_and_survived(viewer, source, frame_of):
    source.broken = True
    wait_for(lambda: "cut" in viewer._status.content)
    source.broken, source.frame = False, frame_of(time=3.0)
    viewer.desk.pause(False)
    wait_for(lambda: "running" in viewer._status.content)


def test_events_are_shown_for_a_while_with_their_time(viewer, source, frame_of, monkeypatch):
    monkeypatch.setattr("cable_sim.viewer.events.SHOWN_TIME", 600.0)
    source.frame = frame_of(time=1.0, messages=("limit reached",))
    wait_for(lambda: "1.0 s: limit reached" in viewer._status.content)
    monkeypatch.setattr("cable_sim.viewer.events.SHOWN_TIME", 0.0)
    wait_for(lambda: "limit reached" not in viewer._status.content)


def test_what_lasts_is_shown_as_long_as_it_lasts(viewer, source, frame_of):
    source.frame = frame_of(time=1.0, messages=("limit reached",), condition="too slow")
    wait_for(lambda: "slow" in viewer._status.content)
    assert "limit reached" not in viewer._status.content
    source.frame = frame_of(time=1.5, messages=("limit reached",))
    wait_for(lambda: "1.0 s: limit reached" in viewer._status.content)


def test_old_news_are_said_to_be_old(viewer, source, frame_of, monkeypatch):
    monkeypatch.setattr("cable_sim.viewer.readouts.STALE", 0.3)
    end = time.monotonic() + 120.0
    while "data" not in viewer._status.content:
        assert time.monotonic() < end
        source.frame = frame_of(time=2.0)  # another object with the same contents
        time.sleep(0.02)
    monkeypatch.setattr("cable_sim.viewer.readouts.STALE", 600.0)
    source.frame = frame_of(time=2.1)
    wait_for(lambda: "running" in viewer._status.content)


@pytest.mark.parametrize(
    "failure, speed", [(TimeoutError(), 0.0), (RuntimeError("no storage"), 30.0), (None, 30.0)]
)
def test_page_that_does_not_answer_loses_its_axes(viewer, failure, speed):
    def answer(*_, **__):
        if failure is not None:
            raise failure

    storage = SimpleNamespace(get_item=answer)
    panel = SimpleNamespace(client=SimpleNamespace(local_storage=storage))
    viewer.desk.set_speed("trolley", 30.0, page=5)
    viewer._answer(5, panel)
    assert viewer.desk.speed("trolley") == speed
    assert not viewer._asked, "nothing is kept of a page that has gone"


def test_waits_for_the_first_frame(crane, source, frame_of):
    source.frame = None
    source.progress = "compiling: 40 s"
    viewer = Viewer(crane, source, port=0)
    viewer.start()
    try:
        wait_for(lambda: naming("waiting simulation").search(viewer._status.content))
        assert "compiling: 40 s" in viewer._status.content
        source.frame = frame_of()
        wait_for(lambda: "running" in viewer._status.content)
        assert "compiling" not in viewer._status.content
    finally:
        viewer.stop()


def test_a_page_is_up_before_what_it_prepares(crane, source):
    viewer = Viewer(crane, source, port=0)
    up = []

    def prepare():
        with urllib.request.urlopen(viewer.url) as answer:
            up.append(answer.status)
        raise CableSimError("the rope is too short")

    with pytest.raises(CableSimError, match="short"):
        viewer.run(prepare)
    assert up == [200] and source.calls[-1] == ("close",)


def test_all_that_is_sent_to_pages_is_sent_by_their_own_thread(
    crane, source, frame_of, monkeypatch
):
    """A push from another thread changes what asyncio goes through to wake those who wait."""
    senders = set()
    push = AsyncMessageBuffer.push

    def noted(buffer, message):
        senders.add(threading.current_thread())
        push(buffer, message)

    viewer = Viewer(crane, source, port=0, require_token=False)

    def serve_noted(**options):
        server = Server(**options)
        monkeypatch.setattr(AsyncMessageBuffer, "push", noted)
        return server

    monkeypatch.setattr("cable_sim.viewer.page.Server", serve_noted)
    viewer.start()
    try:
        address = viewer.url.replace("http", "ws")
        with connect(address, subprotocols=SPOKEN, max_size=None, max_queue=None) as socket:
            socket.send(msgpack.encode(CAMERA))
            wait_for(lambda: viewer.watched)
            viewer.chart([])
            viewer.reframe(extent_around(crane.scene, np.full((2, 3), 90.0)))
            viewer._next_text = 0.0
            source.frame = frame_of(time=7.0, angle=1.0)
            wait_for(lambda: "7.0 s" in viewer._status.content)
        assert senders == {viewer.server._websock_server._server_thread}
    finally:
        viewer.stop()


def test_a_page_that_fails_ends_its_program_with_an_error(viewer, monkeypatch):
    def fail() -> None:
        raise ZeroDivisionError("no width")

    monkeypatch.setattr(viewer, "_write", fail)
    wait_for(lambda: viewer._failure)
    with pytest.raises(RuntimeError, match=naming("page failed")) as error:
        assert viewer.serving
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_the_command_of_a_page_that_fails_has_another_status(source, monkeypatch):
    def fail(viewer) -> None:
        raise ZeroDivisionError("no width")

    monkeypatch.setattr(Viewer, "_write", fail)
    result = CliRunner().invoke(app, ["view", "nehe_rope", "--local", "--port", "0"])
    assert result.exit_code == 1 and naming("page failed").search(str(result.exception))


CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (0.0, 0.0, 9.0),
    "fov": 1.0,
    "near": 0.1,
    "far": 99.0,
    "image_height": 100,
    "image_width": 100,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}
"""First message of a page."""
MALFORMED = (
    "a text",
    b"",
    b"\x00\x01nonsense",
    msgpack.encode([1, 2]),
    msgpack.encode({"type": "NoSuchMessage"}),
    msgpack.encode({"kind": 1}),
    msgpack.encode({"type": "GuiUpdateMessage"}),
    msgpack.encode({"type": "GuiUpdateMessage", "uuid": [], "updates": 3}),
    msgpack.encode(CAMERA | {"position": None}),
    msgpack.encode({"type": "RunJavascriptMessage", "source": "1"}),
)


@pytest.mark.filterwarnings("ignore:.*does not match annotation")
def test_malformed_messages_leave_no_traceback(viewer, frame_of, source, capfd, caplog):
    for message in MALFORMED:
        address = viewer.url.replace("http", "ws")
        with connect(address, subprotocols=SPOKEN, max_size=None) as socket:
            socket.recv(timeout=120.0)
            socket.send(message)
            with suppress(ConnectionClosed):
                socket.ping().wait(0.5)
    for raw in (b"GET / HTTP/9\r\n\r\n", b"\x16\x03\x01\x00", b"GET / HTTP/1.1\r\n"):
        with create_connection(("127.0.0.1", viewer.port)) as plain:
            plain.sendall(raw)
    wait_for(lambda: not viewer.watched)
    gc.collect()
    source.frame = frame_of(time=8.0)
    wait_for(lambda: "8.0 s" in viewer._status.content)
    assert viewer.serving
    assert "Traceback" not in "".join(capfd.readouterr())
    assert not [record for record in caplog.records if record.exc_info]
    assert caplog.records, "it is told of in a line"


def test_another_extent_draws_the_scene_anew(viewer, crane):
    first = viewer.server.initial_camera
    before = np.array(first.position), viewer._extent
    bodies = viewer._bodies
    viewer.reframe(viewer._extent)
    assert viewer._bodies is bodies, "the same one changes nothing"
    turned = []
    viewer._panels[1] = SimpleNamespace(rider=SimpleNamespace(reframe=turned.append))
    wider = extent_around(crane.scene, np.array([[-90.0, -90.0, 0.0], [90.0, 90.0, 90.0]]))
    viewer.reframe(wider)
    viewer._panels.clear()
    assert viewer._bodies is not bodies and turned == [viewer._extent]
    assert viewer._extent.radius == wider.radius > before[1].radius
    there, where = np.array(first.position) / wider.scale, before[0] / before[1].scale
    assert np.linalg.norm(there - wider.center) > 1.2 * np.linalg.norm(where - before[1].center)
