"""The page in a real browser: it draws, asks nobody else for anything, moves the crane only with
the code."""

import io
import shutil
import threading
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from messages import naming

pytestmark = pytest.mark.browser
pytest.importorskip("viser")
sync_api = pytest.importorskip("playwright.sync_api")
Image = pytest.importorskip("PIL.Image")
from websockets.sync.server import serve  # noqa: E402

from cable_sim import Simulator, load_scene  # noqa: E402
from cable_sim.cranes import load_crane  # noqa: E402
from cable_sim.machine.machine import Machine  # noqa: E402
from cable_sim.rendering.camera import Camera  # noqa: E402
from cable_sim.scenes.machines import load_machine  # noqa: E402
from cable_sim.viewer.drawing.camera import CURVES, PANEL  # noqa: E402
from cable_sim.viewer.local import LocalSource  # noqa: E402
from cable_sim.viewer.page import Viewer  # noqa: E402
from cable_sim.viewer.show import show  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --use-gl=angle --use-angle=swiftshader"
).split() + ["--host-resolver-rules=MAP stranger.example 127.0.0.1"]


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=ARGUMENTS
        )
        yield browser
        browser.close()


class Visit:
    """A page, with what it asked for and complained about."""

    def __init__(self, browser, address: str, pixels: float = 0.4) -> None:
        self.page = browser.new_page(viewport={"width": 900, "height": 1000})
        self.hosts: set[str] = set()
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("websocket", lambda socket: self._note(socket.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._listen)
        # Small pictures: the test machine draws them without a graphics card.
        self.page.goto(address + ("&" if "?" in address else "?") + f"fixedDpr={pixels}")

    def _note(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob"):
            self.hosts.add(parts.hostname or "")

    def _listen(self, message) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def wait_for(self, condition) -> None:
        _wait_for(self.page, condition)

    def picture(self, mode: str) -> np.ndarray:
        """The picture as numbers 0...255."""
        return np.asarray(
            Image.open(io.BytesIO(self.page.locator("canvas").first.screenshot())).convert(mode),
            float,
        )

    def canvas_spread(self) -> float:
        """Standard deviation of the picture's grey values, 0...255."""
        return float(self.picture("L").std())

    def lower_left(self) -> np.ndarray:
        """Grey values of the part of the picture that no panel covers."""
        return self.picture("L")[600:, :550]

    def purple(self) -> int:
        """Pixels that have much more red and blue than green."""
        red, green, blue = np.moveaxis(self.picture("RGB"), -1, 0)
        return int(((red > 1.5 * green + 20.0) & (blue > 1.5 * green + 20.0)).sum())


@pytest.fixture
def viewer(crane, source):
    viewer = Viewer(crane, source, port=0, token="abcd-2345", rate=10.0)
    viewer.start()
    yield viewer
    viewer.stop()


def test_watching_is_free_controlling_takes_the_code(browser, viewer, source, frame_of):
    visit = Visit(browser, viewer.url)
    page = visit.page
    page.get_by_text("small tower").wait_for()
    visit.wait_for(lambda: visit.canvas_spread() > 12.0)
    assert not page.get_by_text("stop trolley").count()

    page.keyboard.press("l")
    field = page.locator("input.mantine-TextInput-input").locator("visible=true")
    field.fill("abcd-2346")
    page.get_by_text("Wrong code.").wait_for()
    assert not page.get_by_text("stop trolley").count()
    assert source.calls == [], "a page without the code moves nothing"

    field.fill("abcd-2345")
    page.get_by_text("stop trolley").wait_for()
    _drag_slider(page, 1, 0.9)
    visit.wait_for(lambda: len(source.commands("trolley")) > 3)
    assert 0.3 < source.commands("trolley")[-1] <= 1.0

    page.get_by_text("stop trolley").click()
    visit.wait_for(lambda: source.commands("trolley")[-1] == 0.0)
    stop = page.locator('button:has(svg[class*="hand-stop"])').locator("visible=true")
    place = stop.bounding_box()
    stop.click()
    visit.wait_for(lambda: ("emergency_stop", True) in source.calls)
    source.frame = frame_of(time=1.0, emergency_stop=True, messages=("emergency stop engaged",))
    page.get_by_text("EMERGENCY STOP").nth(1).wait_for()
    page.get_by_text("1.0 s: emergency stop engaged").wait_for()
    assert stop.bounding_box() == place, "it never moves"
    page.get_by_role("button", name="EMERGENCY STOP IS ENGAGED").wait_for()
    _look_at_state_while_scrolled(visit)
    source.frame = frame_of(time=1.5)
    visit.wait_for(lambda: stop.inner_text() == "EMERGENCY STOP")
    many = {f"limiter_number_{i}": "tripped" for i in range(12)}
    source.frame = frame_of(time=2.0, limits=many, condition="a long story " * 20)
    page.get_by_text("limiter number 11: tripped").wait_for()
    page.get_by_text("a long story").wait_for()
    assert stop.bounding_box() == place, "it never moves"

    _look_at_it_on_a_phone(page)
    assert visit.hosts == {"127.0.0.1"}
    assert visit.complaints == []
    page.close()


def test_curves_stand_beside_the_picture_and_never_above_it(browser, viewer):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(f"{viewer.url}?fixedDpr=0.3")
    curves = page.locator(".uplot").locator("visible=true")
    _wait_for(page, lambda: curves.count() > 2)
    view = page.locator("canvas").first.bounding_box()
    assert view["width"] == pytest.approx(1400.0 - CURVES - PANEL, abs=4.0)
    for chart in (curve.bounding_box() for curve in curves.all()):
        assert chart["x"] + chart["width"] <= view["x"]
    page.close()


def test_address_with_the_code_controls_and_a_closed_page_stops(browser, viewer, source):
    visit = Visit(browser, viewer.control_url)
    visit.page.get_by_text("stop slewing").wait_for()
    visit.page.keyboard.press("j")
    visit.wait_for(lambda: len(source.commands("slewing")) > 3)
    assert source.commands("slewing")[-1] > 0.0
    visit.page.close()
    end = time.monotonic() + 120.0
    while source.commands("slewing")[-1] != 0.0:
        assert time.monotonic() < end, "the axis went on without an operator"
        time.sleep(0.02)
    count = len(source.calls)
    time.sleep(1.5)
    assert len(source.calls) - count <= 4, "farewells end"


class Stranger:
    """Another server: its page frames what it is told to; it notes what else it is asked for."""

    def __init__(self) -> None:
        self.framed = ""
        self.asked: list[str] = []
        self.server = serve(lambda socket: None, "127.0.0.1", 0, process_request=self._answer)
        port = self.server.socket.getsockname()[1]
        self.address, self.neighbour = f"stranger.example:{port}", f"localhost:{port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def _answer(self, connection, request):
        if request.path != "/frame":
            self.asked.append(request.path)
            return None
        text = f'<iframe src="{self.framed}" width="800" height="600"></iframe>'
        response = connection.respond(200, text)
        response.headers["Content-Type"] = "text/html"
        return response


@pytest.fixture
def stranger():
    stranger = Stranger()
    yield stranger
    stranger.server.shutdown()


def _frame(browser, stranger, address, framed):
    """The page of another server, by a name of it, with the framed page in it."""
    stranger.framed = framed
    page = browser.new_page()
    page.goto(f"http://{address}/frame")
    return page


def test_a_page_of_another_server_can_not_frame_the_page(browser, viewer, stranger, crane, source):
    for address in (stranger.address, stranger.neighbour):
        page = _frame(browser, stranger, address, viewer.url)
        page.wait_for_function("window.frames.length === 1")
        _wait_for(page, lambda page=page: page.frames[1].url.startswith("chrome-error:"))
        page.close()
    shown = Viewer(crane, source, port=0, require_token=False, in_notebook=True)
    shown.start()
    try:
        page = _frame(browser, stranger, stranger.address, shown.url)
        _wait_for(page, lambda: page.frames[1].url.startswith("chrome-error:"))
        page.close()
        assert not shown.watched
        page = _frame(browser, stranger, stranger.neighbour, shown.url)  # as Jupyter does
        _wait_for(page, lambda: shown.watched)
        page.close()
    finally:
        shown.stop()


LOADS = """(server) => Promise.all([
new Promise((done) => { const socket = new WebSocket(`ws://${server}/socket`);
  socket.onopen = () => done(true); socket.onerror = () => done(false); }),
new Promise((done) => { const script = document.createElement('script');
  script.src = `http://${server}/script`; document.head.append(script);
  script.onload = () => done(true); script.onerror = () => done(false); }),
new Promise((done) => { const image = new Image(); image.src = `http://${server}/image`;
  image.onload = () => done(true); image.onerror = () => done(false); }),
fetch(`http://${server}/fetch`, {mode: 'no-cors'}).then(() => true, () => false)])"""
"""Ways to another server in a script, which the page itself or what is shown on it might run."""


def test_nothing_of_another_server_gets_into_the_page(browser, viewer, stranger):
    page = browser.new_page()
    for query in (
        f"websocket=ws://{stranger.address}/",
        f"%77ebsocket=ws://{stranger.neighbour}",
        f"playbackPath=http://{stranger.address}/scene.viser",
        "playbackPath=data:,x",
    ):
        answer = page.goto(f"{viewer.url}?{query}")
        assert answer.status == 403 and naming("leads page server").search(answer.text())
    page.goto(viewer.control_url + "&fixedDpr=0.4")
    page.get_by_text("stop trolley").wait_for()
    assert page.evaluate(LOADS, stranger.neighbour) == [False] * 4
    assert stranger.asked == []
    page.close()


def _wait_for(page, condition, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        page.wait_for_timeout(50)


def test_limiters_are_seen_and_things_break_on_purpose(browser):
    """From the page to a crane that runs in this process, and back."""
    tower = load_crane("tower_12t")
    source = LocalSource(Machine(tower))
    viewer = Viewer(tower, source, port=0, token="abcd-2345", rate=10.0)
    viewer.start()
    try:
        visit = Visit(browser, viewer.control_url)
        page = visit.page
        page.get_by_text("all limiters clear").wait_for()
        page.get_by_text("Faults", exact=True).click()
        for field, option in (
            ("brake_slip", "sensor_dead"),
            ("slewing.position", "hoist_rope.pull"),
        ):
            page.locator(f"input[value='{field}']").first.click()
            page.get_by_role("option", name=option).click()
        page.get_by_text("inject", exact=True).click()
        page.get_by_text("load moment limiter: invalid").wait_for()
        page.get_by_text("fault: sensor dead hoist_rope.pull").wait_for()
        page.get_by_text("clear faults").click()
        page.get_by_text("all limiters clear").wait_for()
        assert source.latest().faults == () and visit.complaints == []
        page.close()
    finally:
        viewer.stop()


def test_keys_of_a_hand_move_it_and_not_the_camera(browser):
    hand = load_crane("nehe_rope")
    source = LocalSource(Machine(hand))
    viewer = Viewer(hand, source, port=0, token="abcd-2345", rate=10.0)
    viewer.start()
    try:
        visit = Visit(browser, viewer.control_url)
        visit.page.get_by_text("stop z").wait_for()
        (client,) = viewer.server.get_clients().values()
        visit.page.wait_for_timeout(500)
        before = np.array(client.camera.position)
        for key, axis in (("ArrowRight", "x"), ("ArrowUp", "y"), ("Home", "z")):
            visit.page.keyboard.press(key)
            visit.wait_for(lambda axis=axis: source.latest().axes[axis].position > 0.05)
        visit.page.keyboard.down("ArrowLeft")  # held, it would turn the camera
        visit.page.wait_for_timeout(500)
        visit.page.keyboard.up("ArrowLeft")
        np.testing.assert_allclose(client.camera.position, before, atol=1e-6)
        assert not visit.page.get_by_text("cab", exact=True).count() and visit.complaints == []
        visit.page.close()
    finally:
        viewer.stop()


@pytest.mark.slow
def test_each_page_shows_or_hides_the_nodes_of_wires_for_itself(browser):
    """A wire over a cylinder: purple contact nodes on its edges."""
    machine = Machine(load_machine("wire_over_cylinder"))
    machine.tick()
    source = LocalSource(machine, paused=True)
    viewer = Viewer(machine.crane, source, port=0, rate=10.0)
    viewer.start()
    try:
        one, other = (Visit(browser, viewer.url, pixels=1.0) for _ in range(2))
        for visit in (one, other):
            visit.wait_for(lambda visit=visit: visit.purple() > 30)
        box = one.page.get_by_label("wire nodes")
        assert box.is_checked()
        box.uncheck()
        one.wait_for(lambda: one.purple() == 0)
        assert other.purple() > 30
        source.step()
        one.page.wait_for_timeout(500)
        assert one.purple() == 0, "new frames do not bring them back"
        box.check()
        one.wait_for(lambda: one.purple() > 30)
        assert one.complaints == other.complaints == []
        before = one.lower_left(), other.lower_left()
        one.page.get_by_role("checkbox", name="labels").check()
        one.wait_for(lambda: (np.abs(one.lower_left() - before[0]) > 40.0).sum() > 200)
        assert (np.abs(other.lower_left() - before[1]) > 40.0).sum() < 100
        assert one.complaints == other.complaints == []
        one.page.close()
        other.page.close()
    finally:
        viewer.stop()


def test_a_body_of_a_live_simulator_is_dragged_and_plotted(browser):
    simulator = Simulator(load_scene("pendulum", angle=0.0))  # at rest: no late picture misleads
    with show(simulator, ["ball.position"], wait=False) as shown:
        visit = Visit(browser, shown.url, pixels=1.0)
        page = visit.page
        page.get_by_text("ball.position [m]").wait_for()
        page.get_by_text("drag a body to pull at it").wait_for()
        assert not page.get_by_text("EMERGENCY STOP").count(), "there is no drive to stop"
        visit.wait_for(lambda: visit.canvas_spread() > 10.0)
        page.keyboard.down("Control")
        _drag_ball(visit, shown)
        visit.wait_for(lambda: shown._source.latest().poses["ball"][0][0] > 0.3)
        page.mouse.up()
        visit.wait_for(lambda: shown._source.hand_line is None)
        told = [text for text in visit.complaints if "passive event listener" not in text]
        assert told == [] and visit.hosts == {"127.0.0.1"}
        page.close()


def _drag_ball(visit, shown) -> None:
    """Drag the ball to the right from where the page has it; a lagging page follows late."""
    page = visit.page
    x, y = _place_of(shown, "ball", page.locator("canvas").first.bounding_box())
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(x + 40.0 * step, y)
        page.wait_for_timeout(60)
    visit.wait_for(lambda: shown._source.hand_line is not None)


def _place_of(shown, body: str, box) -> tuple[float, float]:
    """Return where a page has a body [pixels], from the camera that it reports."""
    (client,) = shown._viewer.server.get_clients().values()
    eye, target = np.array(client.camera.position), np.array(client.camera.look_at)
    scale = shown._viewer._extent.scale
    camera = Camera(eye, target, round(box["width"]), round(box["height"]))
    place = scale * np.array(shown._source.latest().poses[body][0])
    u, v, _ = camera.project(place)
    return box["x"] + float(u), box["y"] + float(v)


def _look_at_state_while_scrolled(visit) -> None:
    """The head of the panel tells the state, and the stop stays, with its end scrolled to."""
    page = visit.page
    page.set_viewport_size({"width": 900, "height": 500})
    end = page.get_by_text("labels", exact=True)
    end.scroll_into_view_if_needed()
    visit.wait_for(lambda: 0.0 < end.bounding_box()["y"] < 500.0)
    button = page.locator('button:has(svg[class*="hand-stop"])').locator("visible=true")
    assert 0.0 <= button.bounding_box()["y"] < 250.0
    box = page.get_by_text("cable_sim: EMERGENCY STOP").bounding_box()
    x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
    seen = page.evaluate("([x, y]) => document.elementFromPoint(x, y).textContent", [x, y])
    assert seen == "cable_sim: EMERGENCY STOP"
    page.get_by_text("small tower").scroll_into_view_if_needed()
    page.set_viewport_size({"width": 900, "height": 1000})


def _look_at_it_on_a_phone(page) -> None:
    """The panel is a sheet as wide as the page, below the picture, without open curves."""
    page.set_viewport_size({"width": 390, "height": 844})
    sheet = page.locator('div[style*="position: fixed"][style*="max-height"]')
    sheet.wait_for()
    page.wait_for_timeout(500)
    box = sheet.bounding_box()
    assert (box["x"], box["width"]) == (0.0, 390.0)
    assert box["y"] >= 0.6 * 844 - 1.0 and box["y"] + box["height"] == 844.0
    assert sheet.get_by_text("EMERGENCY STOP").first.is_visible()
    assert not sheet.get_by_text("time before now [s]").locator("visible=true").count()


def _drag_slider(page, number: int, share: float) -> None:
    """Click on a slider's track at a share of its width; sliders count from the top."""
    track = page.locator(".mantine-Slider-root").nth(number)
    box = track.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + share * box["width"], box["y"] + 0.5 * box["height"])
