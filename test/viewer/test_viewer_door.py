"""The door: none for pages of other servers, and beyond loopback no file and no web socket without
the code."""

import urllib.error
import urllib.request

import pytest
from messages import naming

from cable_sim.errors import CableSimError

pytest.importorskip("viser")
import websockets.asyncio.server
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from cable_sim.viewer import page
from cable_sim.viewer.page import Viewer

CODE = "abcd 2345&;"


@pytest.fixture
def viewer(crane, source):
    """One for everybody; what reaches it through loopback is asked as anybody is."""
    viewer = Viewer(crane, source, host="0.0.0.0", port=0, token=CODE)
    viewer.start()
    yield viewer
    viewer.stop()


def get(viewer, path, **headers):
    """Status, body and headers of a file."""
    request = urllib.request.Request(f"http://127.0.0.1:{viewer.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def socket(viewer, path="/", **headers):
    """A web socket as the page opens one; whether anything is sent on it."""
    address = f"ws://127.0.0.1:{viewer.port}{path}"
    with connect(
        address, additional_headers=headers, subprotocols=_spoken(), max_size=None
    ) as opened:
        return len(opened.recv(timeout=120.0)) > 0


def _spoken():
    """viser wants its version as the protocol."""
    import viser

    return [f"viser-v{viser.__version__}"]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/index.html",
        "/assets/x.js",
        "/?code=",
        "/?code=wrong-code",
        "/?websocket=ws://x/?code=",
    ],
)
def test_without_the_code_there_is_no_page(viewer, path):
    status, body, headers = get(viewer, path)
    assert status == 401 and b"control code" in body and b"<html" not in body
    assert headers["Set-Cookie"] is None


@pytest.mark.parametrize(
    "path, headers",
    [
        ("/", {}),
        ("/?code=wrong-code", {}),
        ("/", {"Cookie": "cable_sim_code=no"}),
        ("/", {"Cookie": "cable_sim_code"}),
    ],
)
def test_without_the_code_there_is_no_web_socket(viewer, path, headers):
    with pytest.raises(InvalidStatus) as refused:
        socket(viewer, path, **headers)
    assert refused.value.response.status_code == 401


def test_the_code_opens_the_page_and_its_cookie_the_rest(viewer):
    status, body, headers = get(viewer, "/?" + viewer.url.partition("/?")[2])
    assert status == 200 and b"<html" in body.lower()
    cookie, *attributes = headers["Set-Cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict"} <= {*attributes}
    status, _, headers = get(viewer, "/", Cookie=f"other=1; {cookie}")
    assert status == 200 and headers["Set-Cookie"] is None
    assert socket(viewer, Cookie=cookie)
    assert socket(viewer, "/?" + viewer.control_url.rpartition("/?")[2])


def test_on_loopback_everybody_of_this_machine_may_watch(crane, source):
    viewer = Viewer(crane, source, port=0, token=CODE)
    viewer.start()
    try:
        assert get(viewer, "/")[0] == 200 and socket(viewer)
    finally:
        viewer.stop()


@pytest.fixture
def near(crane, source):
    """A page on loopback."""
    viewer = Viewer(crane, source, port=0, token=CODE)
    viewer.start()
    yield viewer
    viewer.stop()


OWN = (
    "http://127.0.0.1:{port}",
    "http://localhost:{port}",
    "HTTP://LocalHost:{port}/",
    "http://[::1]:{port}",
)
OTHERS = (
    "http://evil.example",
    "http://evil.example:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "null",
    "",
    "https://127.0.0.1:{port}x",
    "file://",
    "ftp://127.0.0.1:{port}",
    "http://127.0.0.1:{port}@evil.example",
    "http://127.0.0.1.evil.example:{port}",
    "http://[::1",
    "http://127.0.0.1:99999",
    "//127.0.0.1:{port}",
)


@pytest.mark.parametrize("origin", OWN)
def test_the_page_itself_may_watch(near, origin):
    assert socket(near, Origin=origin.format(port=near.port))
    assert get(near, "/", Origin=origin.format(port=near.port))[0] == 200


@pytest.mark.parametrize("origin", OTHERS)
def test_pages_of_other_servers_may_not_watch(near, origin):
    with pytest.raises(InvalidStatus) as refused:
        socket(near, Origin=origin.format(port=near.port))
    assert refused.value.response.status_code == 403
    status, body, _ = get(near, "/", Origin=origin.format(port=near.port))
    assert status == 403 and b"another server" in body


@pytest.mark.parametrize(
    "host, seen",
    [
        ("localhost:{port}", True),
        ("127.0.0.1:{port}", True),
        ("localhost:9000", True),
        ("10.1.2.3", True),
        ("evil.example:{port}", False),
        ("", False),
        ("localhost.evil.example", False),
    ],
)
def test_a_name_that_others_own_does_not_lead_to_loopback(near, host, seen):
    """It would, for a browser, be the same server as that of his page; a tunnel from another port
    is localhost."""
    host = host.format(port=near.port)
    assert get(near, "/", Host=host)[0] == (200 if seen else 403)
    assert get(near, "/", Host=host, Origin=f"http://{host}")[0] == (200 if seen else 403)


def test_with_the_code_other_pages_may_not_watch_either(viewer):
    """And any name of this machine will do, as nobody can guess the code."""
    code = "/?" + viewer.url.partition("/?")[2]
    assert (
        get(viewer, code, Host="crane.example:8080", Origin="http://crane.example:8080")[0] == 200
    )
    assert get(viewer, code, Host="crane.example", Origin="https://crane.example:443")[0] == 200
    for origin in ("http://evil.example", "http://crane.example:8081", "null"):
        assert get(viewer, code, Host="crane.example:8080", Origin=origin)[0] == 403


@pytest.mark.parametrize(
    "query",
    [
        "websocket=ws://evil.example/",
        "websocket=",
        "websocket=ws://127.0.0.1:1/",
        "websocket=ws://127.0.0.1:{port}&websocket=ws://evil.example/",
        "websocket=ws://evil.example\\@127.0.0.1:{port}/",
        "websocket=ws://user@127.0.0.1:{port}/",
        "websocket=//127.0.0.1:{port}/",
        "%77ebsocket=ws%3A%2F%2Fevil.example",
        "playbackPath=http://evil.example/x.viser",
        "playbackPath",
    ],
)
def test_an_address_that_leads_to_another_server_is_refused(near, query):
    status, body, _ = get(near, "/?" + query.format(port=near.port))
    assert status == 403 and b"leads the page to another server" in body


def test_an_address_may_name_the_socket_of_its_own_server(near):
    """As that with the control code does, and by the name of loopback that was used."""
    _, _, headers = get(near, "/?" + near.control_url.rpartition("/?")[2])
    policy = headers["Content-Security-Policy"]
    assert f"connect-src 'self' data: blob: ws://127.0.0.1:{near.port}" in policy
    assert "frame-ancestors 'none'" in policy and "http:" not in policy
    status, _, headers = get(near, f"/?websocket=ws://localhost:{near.port}")
    assert status == 200 and f"ws://localhost:{near.port}" in headers["Content-Security-Policy"]


def test_a_host_can_not_change_the_policy(viewer):
    code = "/?" + viewer.url.partition("/?")[2]
    _, _, headers = get(viewer, code, Host="a;script-src *")
    assert "*" not in headers["Content-Security-Policy"]


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_a_viser_that_can_not_be_guarded_does_not_serve(host, crane, source, monkeypatch):
    made = []

    class Other(page.Server):
        """Makes its server in another way."""

        def __init__(self, **options):
            asking, websockets.asyncio.server.serve = websockets.asyncio.server.serve, _plain
            super().__init__(**options)
            websockets.asyncio.server.serve = asking
            made.append(self)

    _plain = websockets.asyncio.server.serve
    monkeypatch.setattr(page, "Server", Other)
    viewer = Viewer(crane, source, host=host, port=0)
    with pytest.raises(CableSimError, match=naming("closed strangers")):
        viewer.start()
    with pytest.raises(OSError):
        urllib.request.urlopen(f"http://127.0.0.1:{made[0].get_port()}/", timeout=2.0)
