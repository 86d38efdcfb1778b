"""How long somebody waits who starts something, with compiled kernels in the cache: each run is a
process of its own.

From the start of the process to the first step of a crane, and to the first picture of a ball on a
rope; to the first ``joint_states`` of a node that somebody waits for; and from ``make run`` to the
address of the page, and to the first picture in a browser that is open already. The last needs
playwright and Debian's chromium, which draws without a graphics card here. On an idle machine only,
so not run unless named: ``cable-sim bench startup``.
"""

import io
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.results import Row
from cable_sim.ros.launch.processes import free_domain

ROOT = Path(__file__).resolve().parents[1]
CRANE = "tower_12t"
RUNS = 5
PATIENCE = 120.0
"""Longest wait for anything [s]."""
STEP = f"""
from cable_sim import Simulator
from cable_sim.cranes import load_crane
Simulator(load_crane({CRANE!r}).scene).step()
print("done", flush=True)
"""
PICTURE = """
from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
ball = Body("ball", mass=100.0, shape=Sphere(0.2), position=(0.0, 0.0, -5.0))
rope = Cable("rope", (Anchor("world"), Anchor("ball")), ea=1e6, damping_ratio=0.02)
simulator = Simulator(Scene(bodies=(ball,), cables=(rope,)))
simulator.step(100)
simulator.picture()
print("done", flush=True)
"""
NODE = (
    sys.executable,
    "-m",
    "cable_sim.ros.node.simulator_node",
    "--ros-args",
    "--log-level",
    "warn",
    "-p",
    f"crane_config:={CRANE}",
)
BROWSER = (
    "--no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --use-gl=angle --use-angle=swiftshader"
).split()
DRAWN = 12.0
"""Standard deviation of the grey values, 0...255, of a canvas with something on it."""


def startup() -> list[Row]:
    """First step, first message, address and first picture [s]."""
    os.environ["ROS_DOMAIN_ID"] = str(free_domain())
    rows = [
        _row("process to first step", [_time_of(STEP) for _ in range(RUNS)], "target 2 s"),
        _row("process to first picture", [_time_of(PICTURE) for _ in range(RUNS)], "target 1 s"),
    ]
    try:
        rows.append(
            _row(
                "node to first joint_states",
                [_time_to_first_message() for _ in range(RUNS)],
                "target 3 s",
            )
        )
    except ModuleNotFoundError as error:
        print(f"no node is started: {error.name} is not installed")
    times = _times_to_first_pictures()
    if times:
        rows.append(
            _row("make run to the address", [address for address, _ in times], "set-up done before")
        )
        rows.append(
            _row("make run to the first picture", [picture for _, picture in times], "target 10 s")
        )
    return rows


def _row(case: str, seconds: list[float], note: str) -> Row:
    return Row("startup", f"{CRANE}, {case}", min(seconds), statistics.median(seconds), "s", note)


@contextmanager
def _process(command: tuple[str, ...], **options: Any) -> Iterator["subprocess.Popen[str]"]:
    """A process and all that it starts, interrupted at the end."""
    process = subprocess.Popen(command, cwd=ROOT, text=True, start_new_session=True, **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        process.wait(PATIENCE)


def _time_of(program: str) -> float:
    """Of a program, until it says that it is done."""
    begin = time.perf_counter()
    with subprocess.Popen(
        (sys.executable, "-c", program), cwd=ROOT, text=True, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline().strip()
        taken = time.perf_counter() - begin
    if said != "done":
        raise RuntimeError("the process ended before it was done")
    return taken


def _time_to_first_message() -> float:
    """Of a node on a ROS domain that has no other."""
    import rclpy
    from sensor_msgs.msg import JointState

    heard: list[Any] = []
    rclpy.init()
    ear = rclpy.create_node("benchmark")
    ear.create_subscription(JointState, "joint_states", heard.append, 10)
    begin = time.perf_counter()
    try:
        with _process(NODE) as process:
            _wait(
                lambda: bool(heard) or process.poll() is not None,
                lambda: rclpy.spin_once(ear, timeout_sec=0.05),
            )
            taken = time.perf_counter() - begin
    finally:
        ear.destroy_node()
        rclpy.shutdown()
    if not heard:
        raise RuntimeError("the node ended before its first message")
    return taken


def _times_to_first_pictures() -> list[tuple[float, float]]:
    """Until the address and the picture, RUNS times; empty, which it says, where there is no
    browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        chromium = None
    if chromium is None:
        print("no picture is waited for: playwright or chromium is not installed")
        return []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=BROWSER)
        try:
            return [_time_to_first_picture(browser) for _ in range(RUNS)]
        finally:
            browser.close()


def _time_to_first_picture(browser: Any) -> tuple[float, float]:
    page = browser.new_page(viewport={"width": 900, "height": 700})
    begin = time.perf_counter()
    with _process(("make", "run", f"CRANE={CRANE}", "PORT=0"), stdout=subprocess.PIPE) as process:
        address = _address(process)
        told = time.perf_counter() - begin
        page.goto(f"{address}?fixedDpr=0.4")  # a small picture: it is the processor that draws
        _wait(lambda: _is_drawn(page), lambda: page.wait_for_timeout(50))
        seen = time.perf_counter() - begin
        page.close()
    return told, seen


def _address(process: "subprocess.Popen[str]") -> str:
    """Where the page is, as the terminal says it."""
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"watch +(http://\S+)", line)
        if found:
            return found[1]
    raise RuntimeError("make run ended without an address")


def _is_drawn(page: Any) -> bool:
    """Whether the page's canvas shows something."""
    import numpy as np
    from PIL import Image

    canvas = page.locator("canvas").first
    if not canvas.count():
        return False
    picture = Image.open(io.BytesIO(canvas.screenshot())).convert("L")
    return float(np.asarray(picture).std()) > DRAWN


def _wait(until: Callable[[], bool], meanwhile: Callable[[], None]) -> None:
    """Do something until something is so; RuntimeError if it takes too long."""
    deadline = time.monotonic() + PATIENCE
    while not until():
        if time.monotonic() > deadline:
            raise RuntimeError(f"did not happen within {PATIENCE:g} s")
        meanwhile()
