"""A page on a live simulator in one line: who takes the steps, and what the page may do."""

import threading
import time
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
import pytest
from messages import naming

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.errors import CableSimError, CommandError, SpecError
from cable_sim.kernel_cache import KernelCache

pytest.importorskip("viser")
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.machine.bare import BareMachine
from cable_sim.machine.external_wrenches import Push
from cable_sim.machine.machine import Machine
from cable_sim.spec.wind import Steady
from cable_sim.viewer.hand import FREQUENCY, MOST, Hand
from cable_sim.viewer.local import LoopSource
from cable_sim.viewer.page import Viewer
from cable_sim.viewer.show import Page, make_machine, show


@pytest.fixture
def scene():
    """A ball of 10 kg on a rope of 5 m."""
    return Scene(
        bodies=[Body("ball", 10.0, shape=Sphere(0.25), position=(0.0, 0.0, -5.0))],
        cables=[Cable("rope", [Anchor("world"), Anchor("ball")], ea=1e6, length=5.0)],
    )


@pytest.fixture
def simulator(scene):
    return Simulator(scene)


def wait_for(condition, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.005)


def frame_of(page: Page):
    return page._source.latest()


def test_page_runs_the_very_simulator_with_its_recording(simulator):
    recording = simulator.record(["rope.tension"], every=10)
    with show(simulator, ["ball.position", "rope.tension"], wait=False) as page:
        assert page.simulator is simulator
        wait_for(lambda: simulator.time > 0.1)
        page.pause()
        wait_for(lambda: frame_of(page).paused)
        before = simulator.time
        page.step()
        wait_for(lambda: frame_of(page).time > before)
        assert simulator.time == pytest.approx(before + 0.01)
        wait_for(lambda: {"ball.position.z", "rope.tension"} <= set(frame_of(page).readings))
        assert frame_of(page).readings["ball.position.z"] == pytest.approx(-5.0, abs=0.01)
    assert len(recording) == pytest.approx(simulator.time / 0.01 + 1, abs=1.1)
    after = simulator.time
    simulator.step(5)
    assert simulator.time == pytest.approx(after + 0.005), "the program has it back"


def test_steps_beside_the_page_are_refused_and_allowed_on_hold(simulator):
    with show(simulator, wait=False) as page:
        wait_for(lambda: simulator.time > 0.05)
        with pytest.raises(CommandError, match=naming("'with page.hold():'")):
            simulator.step(10)
        with page.hold():
            now = simulator.time
            simulator.step(1000)
            assert simulator.time == pytest.approx(now + 1.0)
        wait_for(lambda: simulator.time > now + 1.05)
        assert not frame_of(page).paused and frame_of(page).condition == ""
    simulator.step(10)


def test_plant_does_not_step_a_machine_that_a_page_runs(scene):
    plant = LocalPlant(scene_machine(scene))
    machine = plant.machine
    with show(plant, wait=False) as page:
        assert page.machine is machine
        for step in (machine.tick, lambda: plant.step({}), lambda: machine.simulator.step(10)):
            with pytest.raises(CommandError, match="step"):
                step()
        plant.reset()
        wait_for(lambda: machine.time > 0.05)
    before = machine.time
    assert plant.step({}).time == pytest.approx(before + 0.01)


WAITING = {
    "a live view": lambda machine: machine.simulator.bodies["ball"].position,
    "observation": lambda machine: machine.observe(),
    "save": lambda machine: machine.save(),
    "reset": lambda machine: machine.reset(),
    "emergency stop": lambda machine: machine.emergency_stop(True),
    "wind": lambda machine: setattr(machine, "wind", Steady(1.0)),
    "fault": lambda machine: machine.faults.clear(),
    "push": lambda machine: machine.pushes.give(Push("ball", (1.0, 0.0, 0.0), (0.0,) * 3), 0.0),
    "recording": lambda machine: machine.simulator.record(["rope.tension"]).stop(),
}
"""Calls by a program that are allowed beside the page, when it does not step."""


@pytest.mark.parametrize("what", WAITING)
def test_looks_and_commands_beside_the_page_wait_for_a_turn(what, scene):
    machine = Machine(scene_machine(scene))
    done = threading.Event()

    def call() -> None:
        WAITING[what](machine)
        done.set()

    with show(machine, wait=False) as page:
        with page.hold():
            machine.simulator.step(2)  # nothing has been read since
            thread = threading.Thread(target=call)
            thread.start()
            assert not done.wait(0.1)
        assert done.wait(120.0)
        thread.join()
        now = machine.time
        wait_for(lambda: machine.time > now)
        assert not frame_of(page).paused


def test_second_page_of_a_simulator_ends_the_first(simulator):
    """A cell of a notebook that runs again shows the same simulator again."""
    first = show(simulator, wait=False)
    wait_for(lambda: simulator.time > 0.05)
    with show(simulator, wait=False) as second:
        with pytest.raises(URLError):
            urlopen(first.url)
        now = simulator.time
        wait_for(lambda: simulator.time > now + 0.05)
        first.close()
        with pytest.raises(CommandError, match="step"):
            simulator.step()
        assert not frame_of(second).paused
    simulator.step()


def test_loop_of_the_program_takes_the_steps_over_from_a_page(simulator):
    show(simulator, wait=False)
    with show(simulator, run=False, speed=float("inf")) as page:
        before = simulator.time
        simulator.step(10)
        page.draw()
        assert simulator.time == pytest.approx(before + 0.01)


def test_loop_of_the_program_draws_and_waits_while_paused(simulator):
    with show(simulator, ["rope.tension"], run=False, speed=float("inf")) as page:
        turns = []

        def loop() -> None:
            while simulator.time < 0.995:
                simulator.step(10)
                page.draw()
                turns.append(simulator.time)

        page.pause()
        thread = threading.Thread(target=loop)
        thread.start()
        wait_for(lambda: frame_of(page).time == pytest.approx(0.01))
        page.step()
        wait_for(lambda: len(turns) == 1)
        wait_for(lambda: frame_of(page).time == pytest.approx(0.02))
        page.play()
        thread.join(60.0)
        assert len(turns) == 100
        page.draw()
        with pytest.raises(CableSimError, match=naming("run simulation")):
            page.hold()


def test_loop_keeps_to_the_clock(simulator):
    source = LoopSource(BareMachine(simulator), speed=2.0)
    began = time.monotonic()
    for _ in range(20):
        simulator.step(10)
        source.draw()
    assert time.monotonic() - began > 0.09
    source.close()


def test_notebooks_get_a_frame(simulator, monkeypatch):
    monkeypatch.setattr("cable_sim.viewer.show._in_notebook", lambda: True)
    with show(simulator, wait=False, paused=True, height=321) as page:
        assert page._repr_html_().startswith(f'<iframe src="{page.url}"')
        assert 'height="321"' in page._repr_html_()
        with urlopen(page.url) as answer:
            assert "frame-ancestors http://localhost:*" in answer.headers["Content-Security-Policy"]
        assert frame_of(page) is None or frame_of(page).paused
        with pytest.raises(CableSimError, match="run=False"):
            page.draw()


def test_script_waits_until_its_page_has_been_left(simulator, monkeypatch, capsys):
    states = iter([False, False, True, True])
    monkeypatch.setattr(Viewer, "watched", property(lambda _: next(states, False)))
    monkeypatch.setattr("cable_sim.viewer.show.CLOSED_TIME", 0.2)
    page = show(simulator)
    assert next(states, None) is None, "it waited for somebody to come, and to go"
    assert page.url in capsys.readouterr().out
    now = simulator.time
    time.sleep(0.1)
    assert simulator.time == now, "the page is closed"


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_impossible_speeds_are_refused(simulator, speed):
    with pytest.raises(CableSimError, match="speed"):
        show(simulator, speed=speed, wait=False)


def test_unknown_channel_is_refused_before_anything_is_served(simulator):
    threads = threading.active_count()
    with pytest.raises(SpecError, match=r"ball\.position"):
        show(simulator, ["ball.postion"], wait=False)
    assert threading.active_count() == threads


@pytest.fixture
def viewers(monkeypatch, tmp_path):
    """Viewers whose machine is made only when their page tells that kernels are compiled."""
    seen = []

    def make_slowly(viewer, plots):
        seen.append(viewer)
        with urlopen(viewer.url) as answer:
            assert answer.status == 200
        KernelCache(tmp_path / "cache" / "one").load("step.run_world-1.nbc", bytes)
        wait_for(lambda: naming("compiling machine").search(viewer._status.content))
        return make_machine(viewer, plots)

    monkeypatch.setattr("cable_sim.viewer.show.make_machine", make_slowly)
    return seen


def test_page_of_a_scene_is_there_while_its_kernels_are_compiled(scene, viewers):
    with show(scene, ["rope.tension"], wait=False) as page:
        (viewer,) = viewers
        assert page.machine.crane is viewer.crane and page.simulator.scene is scene
        wait_for(lambda: "running" in viewer._status.content)
        assert "compiling" not in viewer._status.content
        wait_for(lambda: len(viewer._history.columns("rope.tension")[1]) > 1)


def test_page_is_closed_where_what_it_shows_can_not_be_made(scene, viewers):
    with pytest.raises(SpecError, match=r"rope\.tension"):
        show(scene, ["rope.tensoin"], wait=False)
    with pytest.raises(URLError):
        urlopen(viewers[0].url)


@pytest.fixture(params=["simulator", "machine"])
def shown(request, scene):
    if request.param == "simulator":
        return BareMachine(Simulator(scene))
    return Machine(scene_machine(scene))


def test_hand_pulls_the_held_point_to_the_pointer(shown):
    """At rest: the spring balances rope and weight, m w^2 d = m g tan(angle) across."""
    hand = Hand(shown)
    hold = np.array([0.25, 0.0, -5.0])
    hand.pull("ball", np.array([1.0, 0.0, -5.0]), hold)
    for _ in range(1500):
        hand.act()
        shown.tick()
    at, target = hand.line
    ball = shown.simulator.bodies["ball"]
    across = ball.position[0]
    stretch = np.array(target) - at
    force = FREQUENCY**2 * stretch
    # The rope's direction carries what weight and spring leave.
    left = force + np.array([0.0, 0.0, -9.81])
    assert np.cross(left, ball.position)[1] == pytest.approx(0.0, abs=0.02)
    assert across > 0.5
    hand.release()
    assert hand.line is None
    shown.tick()
    assert not shown.simulator.bodies["ball"].velocity[0] > 0.0


def test_hand_is_no_stronger_than_three_times_the_weight(shown):
    hand = Hand(shown)
    hand.pull("ball", np.array([0.0, 0.0, 100.0]), np.array([0.0, 0.0, -5.0]))
    hand.act()
    shown.tick()
    speed = shown.simulator.bodies["ball"].velocity[2]
    assert speed == pytest.approx((MOST - 9.81) * 0.01, rel=0.05)
