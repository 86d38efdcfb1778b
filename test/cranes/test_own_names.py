"""Levers, page, controllers and tasks of learners with axes that the family names as it likes."""

import dataclasses
import math

import luffing_crane
import numpy as np
import pytest
from luffing_crane import LuffingCrane, build_luffing
from messages import naming
from named_crane import NAMES, NamedCrane, UsualCrane, build_named

from cable_sim.control.controllers.lqr import Lqr
from cable_sim.control.controllers.shaped import Shaped
from cable_sim.control.lift_plans.lift_plan import parse_plan
from cable_sim.control.lift_plans.time_series import rehearse
from cable_sim.control.load_kinematics import needed_axes
from cable_sim.control.pendulum import pendulum_length
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.run import run
from cable_sim.control.scenario import Move, Scenario
from cable_sim.cranes import catalogue, load_crane
from cable_sim.cranes.catalogue import register_family
from cable_sim.cranes.family_spec import hoist_of
from cable_sim.cranes.operator_levers import find_levers
from cable_sim.errors import CableSimError, SpecError
from cable_sim.machine.pictures.frame import Frame
from cable_sim.machine.states import AxisState
from cable_sim.rendering.caption import figures
from cable_sim.spec.quantities import spec

FILES = (LuffingCrane, UsualCrane, NamedCrane)
ARROW_UP, ARROW_LEFT = "\x1b[A", "\x1b[D"


@pytest.fixture
def path_of(tmp_path, monkeypatch):
    """A function that returns the path of a crane's file for a class of files."""
    monkeypatch.setattr(catalogue, "FAMILIES", dict(catalogue.FAMILIES))

    def path(file: type[LuffingCrane], named: bool = False) -> str:
        monkeypatch.delitem(catalogue.FAMILIES, "luffing_jib", raising=False)
        build = build_named if named or file is NamedCrane else build_luffing
        register_family("luffing_jib", file, build)
        made = tmp_path / f"{file.__name__}.yaml"
        made.write_text(luffing_crane.FILE, encoding="utf-8")
        return str(made)

    return path


def own(file: type[LuffingCrane], usual: str) -> str:
    """Return the name of an axis in a crane of that file."""
    return NAMES[usual] if file is NamedCrane else usual


@pytest.mark.parametrize("file", FILES)
def test_levers_move_slewing_luffing_and_hoist(path_of, file) -> None:
    levers = find_levers(load_crane(path_of(file)))
    assert {name: lever.axis.name for name, lever in levers.items()} == {
        "sideways": own(file, "slewing"),
        "outward": own(file, "luffing"),
        "up": own(file, "hoist"),
    }
    senses = {name: lever.sense_of_coordinate for name, lever in levers.items()}
    assert senses == {"sideways": 1, "outward": -1, "up": -1}


def test_names_that_the_family_does_not_tell_have_no_lever(path_of) -> None:
    assert find_levers(load_crane(path_of(LuffingCrane, named=True))) == {}


@pytest.mark.ros
@pytest.mark.parametrize("file", FILES)
def test_keys_luff_outward_and_hoist(path_of, file) -> None:
    pytest.importorskip("rclpy", reason="needs rclpy: scripts/setup")
    from cable_sim.ros.command.teleop import Levers

    crane = load_crane(path_of(file))
    levers = Levers(crane)
    for key in (ARROW_UP, ARROW_LEFT, "w"):
        assert levers.press(key)
    speeds = levers.speeds()
    assert speeds == {
        own(file, name): pytest.approx(0.2 * sense * crane.axis(own(file, name)).max_speed)
        for name, sense in (("slewing", 1.0), ("luffing", -1.0), ("hoist", -1.0))
    }
    assert f"down / up     (f r)   {own(file, 'luffing')}: first jib up" in levers.help()
    assert f"home / end    (w s)   {own(file, 'hoist')}: first up" in levers.help()


@pytest.mark.ros
@pytest.mark.parametrize("file", FILES)
def test_the_pad_luffs_outward_and_hoists(path_of, file) -> None:
    """Left stick left and forward, right stick pulled back."""
    pytest.importorskip("rclpy", reason="needs rclpy: scripts/setup")
    from sensor_msgs.msg import Joy

    from cable_sim.ros.command.joystick import Joystick

    crane = load_crane(path_of(file))
    wishes = Joystick(crane).read(Joy(axes=[1.0, 1.0, 0.0, 0.0, -1.0], buttons=[1]))
    assert {wish.axis: wish.value for wish in wishes} == {
        own(file, name): pytest.approx(sense * crane.axis(own(file, name)).max_speed)
        for name, sense in (("slewing", 1.0), ("luffing", -1.0), ("hoist", -1.0))
    }


def test_the_page_has_keys_for_names_of_the_family(path_of) -> None:
    pytest.importorskip("viser", reason="needs viser (extra `viewer`)")
    from cable_sim.viewer.panel import KEYS, keys_of
    from cable_sim.viewer.plots import History

    usual = load_crane(path_of(LuffingCrane))
    assert keys_of(usual) == {name: KEYS[name] for name in ("slewing", "luffing", "hoist")}
    named = load_crane(path_of(NamedCrane))
    assert keys_of(named) == {"turntable": ("J", "L"), "boom": ("K", "I"), "winch": ("R", "F")}
    assert History(named).lift == named.axis("winch")


def test_a_caption_has_radius_and_angle(path_of) -> None:
    crane = load_crane(path_of(NamedCrane))
    axes = {axis.name: AxisState(0.5, 0.0, 0.0) for axis in crane.axes}
    frame = Frame(0.0, {"hook_block": ((3.0, 4.0, 20.0), (1.0, 0.0, 0.0, 0.0))}, {}, axes)
    shown = {figure.label: figure.value.strip() for figure in figures(crane, frame)}
    assert (shown["hook  radius"], shown["angle"]) == ("5.0 m", "29°")


def test_lift_plans_are_for_the_names_of_the_family(path_of) -> None:
    rows = "time,motion,speed\n0,boom,-0.5\n2,boom,0\n2,winch,10\n4,winch,0"
    plan = parse_plan(rows, load_crane(path_of(NamedCrane)))
    assert set(plan.courses) == {"boom", "winch"}
    series = rehearse(plan, load_crane(path_of(NamedCrane)))
    assert np.ptp(series.axes["boom"]) > 0.005 and np.ptp(series.axes["winch"]) > 0.2
    with pytest.raises(SpecError, match=naming("slewing trolley hoist LuffingCrane")):
        parse_plan(rows, load_crane(path_of(LuffingCrane)))


@pytest.mark.ros
def test_lift_plans_need_topics_to_be_played_at_a_node(path_of) -> None:
    pytest.importorskip("rclpy", reason="needs rclpy: scripts/setup")
    from cable_sim.ros.operate.plan_player import Operator

    crane = load_crane(path_of(NamedCrane))
    plan = parse_plan("time,motion,speed\n0,boom,-0.5\n2,boom,0", crane)
    with pytest.raises(CableSimError, match=naming("lift plan boom topic")):
        Operator(crane, plan)


def test_a_hoist_of_another_name_is_one(path_of) -> None:
    crane, usual = load_crane(path_of(NamedCrane)), load_crane(path_of(UsualCrane))
    assert (hoist_of(crane), hoist_of(usual)) == ("winch", "hoist")
    assert hoist_of(dataclasses.replace(crane, axes=crane.axes[:2])) == ""
    assert pendulum_length(crane)(15.0) == pendulum_length(usual)(15.0)
    with pytest.raises(SpecError, match=naming("axis winch NamedCrane turntable boom")):
        needed_axes(dataclasses.replace(crane, axes=crane.axes[:2]), "this")


@pytest.mark.parametrize("controller", [Shaped("zvd"), Lqr()], ids=["zvd", "lqr"])
def test_controllers_do_the_same_whatever_the_names(path_of, controller) -> None:
    """With the same bits, while the hoist moves, too."""
    seen = []
    for file in (UsualCrane, NamedCrane):
        moves = (("luffing", 0.05), ("slewing", 0.15), ("hoist", -3.0))
        scenario = Scenario(
            crane=path_of(file),
            load=3000.0,
            rope_length=25.0,
            start={own(file, "luffing"): math.radians(60.0)},
            moves=tuple(Move(own(file, name), by=by) for name, by in moves),
            controller=controller,
            measured=False,
            watch=5.0,
            dt=4e-3,
            period=0.02,
        )
        seen.append(run(scenario))
    usual, named = seen
    assert named.axes == tuple(NAMES[name] for name in usual.axes)
    assert usual.position.tobytes() == named.position.tobytes()
    assert usual.sway.tobytes() == named.sway.tobytes()
    assert usual.pendulum == named.pendulum


def environment(path: str, file: type[LuffingCrane], **settings):
    """Return the environment of a crane that luffs and hoists its load."""
    pytest.importorskip("gymnasium", reason="needs the extra `rl`")
    from cable_sim.environments.environment import CraneEnv

    places = {own(file, "luffing"): (1.0, 1.2), own(file, "hoist"): (15.0, 25.0)}
    usual = {"crane": path, "places": places, "load": (1000.0, 4000.0), "tick": 0.05, "dt": 0.005}
    return CraneEnv(**(usual | settings))


@pytest.mark.parametrize("file", [UsualCrane, NamedCrane])
def test_a_learner_luffs_the_load_to_its_place(path_of, file) -> None:
    """With an action in proportion to the way, which the observation tells."""
    env = environment(path_of(file), file, time_limit=120.0, render_mode="rgb_array")
    assert env.axes == (own(file, "luffing"), own(file, "hoist"))
    assert env.action_space.shape == (2,) and env.observation_space.shape == (14,)
    seen, _ = env.reset(seed=1)
    over = False
    while not over:
        ways = [env.entries.index(f"{axis}.way") for axis in env.axes]
        action = np.array([10.0, 3.0], dtype=np.float32) * seen[ways]
        seen, _, terminated, truncated, info = env.step(np.clip(action, -1.0, 1.0))
        over = terminated or truncated
    assert info["is_success"], info
    assert env.render().shape == (400, 800, 3)


def test_a_learner_sees_the_same_whatever_the_names(path_of) -> None:
    seen = []
    for file in (UsualCrane, NamedCrane):
        env = environment(path_of(file), file)
        random = np.random.default_rng(2)
        values = [env.reset(seed=3)[0]]
        values += [env.step(random.uniform(-1.0, 1.0, 2))[0] for _ in range(30)]
        seen.append(np.array(values))
    assert seen[0].tobytes() == seen[1].tobytes()


def test_loads_of_learners_hang_within_the_reach(path_of) -> None:
    """The heavier the load, the higher the jib."""
    pytest.importorskip("gymnasium", reason="needs the extra `rl`")
    from cable_sim.environments.settings import Settings
    from cable_sim.environments.tasks import Tasks

    places, load = {"luffing": (0.3, 1.4)}, (1000.0, 4000.0)
    tasks, random = Tasks(Settings(path_of(UsualCrane), places, load)), np.random.default_rng(1)
    shares = []
    for scenario in (tasks.draw(random, {}) for _ in range(200)):
        reach = load_crane(path_of(UsualCrane)).details.reach(scenario.load)
        for angle in (scenario.start["luffing"], scenario.moves[0].to):
            shares.append(50.0 * math.cos(angle) / reach)
    assert 0.85 < max(shares) <= 0.9 + 1e-9


def test_tasks_that_cant_be_are_told(path_of) -> None:
    @spec
    class Rated(LuffingCrane):
        """The file of a crane that tells its rated load alone."""

        def rated_load(self) -> float:
            """Return the largest load [kg]."""
            return 5000.0

    path = path_of(UsualCrane)
    with pytest.raises(SpecError, match=naming("4000 kg 22.5 m load 27.0*")):
        environment(path, UsualCrane, places={"luffing": (0.5, 1.0)})
    with pytest.raises(SpecError, match=naming("luffing hoist slewing")):
        environment(path, UsualCrane, places={"slewing": (0.0, 1.0)})
    with pytest.raises(SpecError, match=naming("crane axis moves load outward")):
        environment(path_of(Rated), Rated)


def test_the_place_of_the_load_is_found_from_readings(path_of) -> None:
    """As near as the sway below the tip tells it, after luffing and slewing."""
    pytest.importorskip("gymnasium", reason="needs the extra `rl`")
    from cable_sim.environments.load_position import Places

    plant = LocalPlant(load_crane(path_of(NamedCrane)))
    rest = plant.reset()
    places = Places(plant.crane, rest)
    assert places.point(places.load_position(rest)) == pytest.approx(rest.load.position)
    for _ in range(1000):
        seen = plant.step({"turntable": 0.05, "boom": 0.02, "winch": 0.2})
    at = {name: state.position for name, state in seen.axes.items()}
    true = places.load_position(seen)
    assert places.point(true) == pytest.approx(seen.load.position)
    read = places.estimate(at, seen.sway.radial, seen.sway.tangential)
    assert np.hypot(seen.sway.radial, seen.sway.tangential) > 5e-3
    assert math.dist(places.point(read), seen.load.position) < 0.2
