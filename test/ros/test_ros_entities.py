"""The services of simulation_interfaces about entities and worlds: two tower cranes in one node,
with a real client."""

import math
from urllib.parse import urlparse
from urllib.request import url2pathname

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
srv = pytest.importorskip(
    "simulation_interfaces.srv", reason="needs simulation_interfaces: make test builds it"
)
if not hasattr(srv.SetEntityState.Request, "set_pose"):
    pytest.skip("needs version 2.1 of simulation_interfaces", allow_module_level=True)

from geometry_msgs.msg import Pose, Twist, Vector3  # noqa: E402
from simulation_interfaces.msg import Bounds, EntityCategory, EntityFilters, Result, TagsFilter  # noqa: E402
from transforms3d.quaternions import rotate_vector  # noqa: E402

from cable_sim.cranes import load_crane  # noqa: E402
from cable_sim.machine.machine import Machine  # noqa: E402
from cable_sim.machine.placing import place  # noqa: E402
from cable_sim.ros import interface  # noqa: E402
from cable_sim.ros.basis.messages import set_orientation, set_vector, wxyz  # noqa: E402
from cable_sim.ros.services.entity_filters import matching_names  # noqa: E402
from cable_sim.ros.services.simulation_answers import Refusal  # noqa: E402
from cable_sim.scenes.machines import load_machine  # noqa: E402

PARAMETERS = {
    "crane_config": "two_towers",
    "start_paused": "true",
    "frame_prefix": "site/",
    "world_frame": "map",
}
OK, FAILED, UNSUPPORTED, NOT_FOUND = (
    Result.RESULT_OK,
    Result.RESULT_OPERATION_FAILED,
    Result.RESULT_FEATURE_UNSUPPORTED,
    Result.RESULT_NOT_FOUND,
)
INVALID_POSE = srv.SetEntityState.Response.INVALID_POSE
ROBOT, DYNAMIC, HUMAN = (
    EntityCategory.CATEGORY_ROBOT,
    EntityCategory.CATEGORY_DYNAMIC_OBJECT,
    EntityCategory.CATEGORY_HUMAN,
)
NAMES = [
    f"{c}_{part}" for c in ("east", "west") for part in ("jib", "trolley", "hook_block", "load")
]


@pytest.fixture(scope="module")
def crane():
    return load_crane("two_towers")


@pytest.fixture(scope="module")
def twin(crane):
    """The same machine without a node."""
    return Machine(crane)


@pytest.fixture
def start(node, probe, twin):
    """Both at the start, in a pause."""
    assert call(probe, "reset_simulation", scope=2).result.result == OK
    twin.reset()


def call(probe, name, **fields):
    """The response of a standard service."""
    return probe.call(getattr(srv, name.title().replace("_", "")), f"/cable_sim/{name}", **fields)


def numbers(message):
    """A Point or a Vector3 as an array."""
    return np.array([message.x, message.y, message.z])


def found(probe, **filters):
    """What passes the filters, by both services."""
    answer = call(probe, "get_entities", filters=EntityFilters(**filters))
    with_states = call(probe, "get_entities_states", filters=EntityFilters(**filters))
    assert answer.result == with_states.result and list(answer.entities) == list(
        with_states.entities
    )
    assert len(with_states.states) == len(with_states.entities)
    assert (answer.result.result == OK) == (answer.result.error_message == "")
    return answer.result, list(answer.entities)


def ball(centre, radius):
    """Bounds."""
    x, y, z = map(float, centre)
    return Bounds(
        type=Bounds.TYPE_SPHERE, points=[Vector3(x=x, y=y, z=z), Vector3(x=float(radius))]
    )


def box(low, high):
    """Bounds."""
    corners = [
        Vector3(**dict(zip("xyz", map(float, corner), strict=True))) for corner in (high, low)
    ]
    return Bounds(type=Bounds.TYPE_BOX, points=corners)


def test_entities_are_the_bodies_of_all_cranes(node, probe):
    assert found(probe) == (Result(result=OK), NAMES)


@pytest.mark.parametrize(
    "pattern, names",
    [
        ("^east_", NAMES[:4]),
        ("load", ["east_load", "west_load"]),
        ("^(east|west)_[[:alpha:]]{3}$", ["east_jib", "west_jib"]),
        ("^load$", []),
        ("west_(jib|trolley)", ["west_jib", "west_trolley"]),
    ],
)
def test_a_name_filter_is_a_regular_expression(node, probe, pattern, names):
    assert found(probe, filter=pattern) == (Result(result=OK), names)


def categories(*numbers):
    """A filter."""
    return [EntityCategory(category=number) for number in numbers]


@pytest.mark.parametrize(
    "filters, names",
    [
        ({"categories": categories(DYNAMIC)}, ["east_load", "west_load"]),
        ({"categories": categories(ROBOT, DYNAMIC)}, NAMES),
        ({"categories": categories(HUMAN)}, []),
        ({"tags": TagsFilter(tags=["east"])}, NAMES[:4]),
        (
            {"tags": TagsFilter(tags=["hook", "load"])},
            ["east_hook_block", "east_load", "west_hook_block", "west_load"],
        ),
        (
            {"tags": TagsFilter(tags=["east", "load"], filter_mode=TagsFilter.FILTER_MODE_ALL)},
            ["east_load"],
        ),
        (
            {"tags": TagsFilter(tags=["load"]), "filter": "^w", "categories": categories(DYNAMIC)},
            ["west_load"],
        ),
    ],
)
def test_categories_and_tags_are_filters(node, probe, filters, names):
    assert found(probe, **filters) == (Result(result=OK), names)


def test_bounds_choose_what_they_overlap(node, probe, start, twin):
    at = twin.observe().body("west_load").position
    half = {body.name: body for body in twin.crane.scene.bodies}["west_load"].shape.z / 2.0
    below = at - [0.0, 0.0, half + 0.03 + 0.5]  # its edges are drawn as bars of 3 cm
    assert found(probe, bounds=ball(below, 0.51))[1] == ["west_load"]
    assert found(probe, bounds=ball(below, 0.49))[1] == []
    assert found(probe, bounds=box(below - 1.0, below + [1.0, 1.0, 0.51]))[1] == ["west_load"]
    assert found(probe, bounds=box(below - 1.0, below + [1.0, 1.0, 0.49]))[1] == []
    assert found(probe, bounds=ball((0.0, 0.0, 0.0), 1e6))[1] == NAMES
    assert found(probe, bounds=Bounds(points=[Vector3()]))[1] == NAMES  # TYPE_EMPTY


@pytest.mark.parametrize(
    "filters, code, word",
    [
        ({"filter": "(load"}, FAILED, "(load"),
        ({"filter": "(" * 900}, FAILED, "filter"),
        ({"filter": "x" * 1001}, FAILED, "1001"),
        ({"categories": categories(3)}, FAILED, "3"),
        ({"tags": TagsFilter(tags=["a"], filter_mode=9)}, FAILED, "9"),
        (
            {"bounds": Bounds(type=Bounds.TYPE_CONVEX_HULL, points=3 * [Vector3()])},
            UNSUPPORTED,
            "2",
        ),
        ({"bounds": Bounds(type=99)}, UNSUPPORTED, "99"),
        ({"bounds": Bounds(type=Bounds.TYPE_SPHERE, points=[Vector3()])}, FAILED, "two points"),
        ({"bounds": ball((0, 0, math.nan), 1.0)}, FAILED, "finite"),
        ({"bounds": ball((0, 0, 0), -1.0)}, FAILED, "-1"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_filter_that_can_not_be_is_named(node, probe, filters, code, word):
    result, entities = found(probe, **filters)
    assert result.result == code and word in result.error_message and not entities


def test_states_are_those_of_the_ground_truth(node, probe, start, crane):
    truth = interface.load_endpoint(interface.GROUND_TRUTH, crane, crane.suspensions[1])
    heard = probe.listen(truth)
    assert put(probe, twist=((0.3, 0.2, 0.0), (0.0, 0.0, 0.1)), entity="west_load").result == OK
    assert call(probe, "step_simulation", steps=3).result.result == OK
    state = call(probe, "get_entity_state", entity="west_load").state
    probe.until(
        lambda: heard and heard[-1].header.stamp == state.header.stamp,
        "the ground truth of that instant",
    )
    assert state.header.frame_id == "map"
    assert state.pose == heard[-1].pose.pose
    turn = wxyz(state.pose.orientation)
    assert np.linalg.norm(turn) == pytest.approx(1.0)
    every = call(probe, "get_entities_states")
    assert every.states[NAMES.index("west_load")] == state
    assert all(s.header == state.header for s in every.states)


def test_an_acceleration_is_the_mean_of_the_last_tick(node, probe, start):
    assert np.isnan(
        numbers(call(probe, "get_entity_state", entity="east_load").state.acceleration.linear)
    ).all()
    assert put(probe, twist=((0.0, 2.0, 0.0), (0.0, 0.0, 0.0))).result == OK
    seen = []
    for _ in range(3):
        assert call(probe, "step_simulation", steps=1).result.result == OK
        seen.append(call(probe, "get_entity_state", entity="east_load").state)
    for field in ("linear", "angular"):
        first, second = (numbers(getattr(state.twist, field)) for state in seen[1:])
        assert numbers(getattr(seen[2].acceleration, field)) == pytest.approx(
            (second - first) / 0.01, abs=1e-12
        )
    assert seen[2].acceleration.linear.z != 0.0


def test_infos_say_what_each_is(node, probe):
    for name, category, tags in (
        ("east_load", DYNAMIC, {"tower_crane", "load", "east"}),
        ("west_jib", ROBOT, {"tower_crane", "base", "west"}),
        ("west_hook_block", ROBOT, {"tower_crane", "hook", "west"}),
    ):
        answer = call(probe, "get_entity_info", entity=name)
        assert answer.result.result == OK
        assert answer.info.category.category == category and set(answer.info.tags) == tags
        assert "kg" in answer.info.description


@pytest.mark.parametrize("name", ["get_entity_state", "get_entity_info", "set_entity_state"])
@pytest.mark.parametrize("entity", ["", "load", "world"])
def test_an_entity_that_is_not_there_is_not_found(node, probe, name, entity):
    result = call(probe, name, entity=entity).result
    assert (
        result.result == NOT_FOUND
        and repr(entity) in result.error_message
        and "east_load" in result.error_message
    )


def put(probe, pose=None, twist=None, entity="east_load", frame="", **flags):
    """Set an entity's state; the result."""
    request = srv.SetEntityState.Request(
        entity=entity, set_pose=pose is not None, set_twist=twist is not None
    )
    request.state.header.frame_id = frame
    if pose:
        set_vector(request.state.pose.position, pose[0])
        set_orientation(request.state.pose.orientation, pose[1])
    if twist:
        set_vector(request.state.twist.linear, twist[0])
        set_vector(request.state.twist.angular, twist[1])
    for flag, value in flags.items():
        setattr(request, flag, value)
    fields = {name: getattr(request, name) for name in request.get_fields_and_field_types()}
    return call(probe, "set_entity_state", **fields).result


@pytest.mark.parametrize("frame", ["", "map", "site/base_link"])
def test_what_is_set_is_there_and_goes_on_as_the_machine_does(node, probe, start, twin, frame):
    half = 0.03
    seen = twin.observe()
    trolley, load = seen.body("east_trolley").position, seen.body("east_load").position
    turn = math.cos(half), math.sin(half), 0.0, 0.0
    pose = trolley + rotate_vector(load - trolley, turn), turn
    twist = (0.1, 0.0, 0.05), (0.0, 0.0, 0.2)
    assert put(probe, pose, twist, frame=frame) == Result(result=OK)
    place(twin, "east_load", *pose, *twist)
    for steps in (0, 30):
        if steps:
            assert call(probe, "step_simulation", steps=steps).result.result == OK
        for _ in range(steps):
            twin.tick()
        answer, expected = call(probe, "get_entities_states"), twin.observe()
        for name, state in zip(answer.entities, answer.states, strict=True):
            body = expected.body(name)
            assert np.array_equal(numbers(state.pose.position), body.position), name
            assert np.array_equal(wxyz(state.pose.orientation), body.orientation), name
            assert np.array_equal(numbers(state.twist.linear), body.velocity), name
            assert np.array_equal(numbers(state.twist.angular), body.angular_velocity), name


HERE, UPRIGHT, STILL = (15.0, 0.0, 5.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "fields, code, word",
    [
        ({"pose": ((math.nan, 0.0, 0.0), UPRIGHT)}, INVALID_POSE, "finite"),
        ({"pose": (HERE, (math.inf, 0.0, 0.0, 0.0))}, INVALID_POSE, "finite"),
        ({"pose": (HERE, (0.0, 0.0, 0.0, 0.0))}, INVALID_POSE, "length 0"),
        ({"pose": (HERE, (1.0, 1.0, 0.0, 0.0))}, INVALID_POSE, "1.41421"),
        ({"pose": ((2e4, 0.0, 0.0), UPRIGHT)}, INVALID_POSE, "bounds"),
        ({"pose": ((500.0, 0.0, 5.0), UPRIGHT)}, FAILED, "east_hoist_rope"),
        ({"twist": ((math.nan, 0.0, 0.0), STILL)}, FAILED, "finite"),
        ({"twist": ((0.0, 101.0, 0.0), STILL)}, FAILED, "100 m/s"),
        ({"twist": (STILL, STILL), "frame": "east_jib"}, FAILED, "east_jib"),
        ({"twist": (STILL, STILL), "entity": "west_trolley"}, FAILED, "axis"),
        ({"twist": (STILL, STILL), "set_acceleration": True}, FAILED, "set_acceleration"),
        ({}, FAILED, "set_pose"),
    ],
    ids=lambda value: next(iter(value), "nothing") if isinstance(value, dict) else "",
)
def test_what_can_not_be_set_is_refused_and_changes_nothing(node, probe, start, fields, code, word):
    before = call(probe, "get_entities_states")
    result = put(probe, **fields)
    assert result.result == code and naming(word).search(result.error_message)
    after = call(probe, "get_entities_states")
    assert [(s.pose, s.twist) for s in after.states] == [(s.pose, s.twist) for s in before.states]


def test_a_default_pose_is_a_pose(node, probe, start):
    """Its orientation is a unit quaternion, so what refuses it is the rope."""
    assert put(probe, pose=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))).result == FAILED
    assert Pose().orientation.w == 1.0 and Twist().linear.x == 0.0


def test_the_world_is_the_file_that_the_node_was_started_with(node, probe):
    answer = call(probe, "get_current_world")
    assert answer.result.result == OK and answer.world.name == "two_towers"
    path = url2pathname(urlparse(answer.world.world_resource.uri).path)
    assert load_machine(path).scene == load_machine("two_towers").scene


def test_available_worlds_are_what_crane_config_takes(node, probe):
    answer = call(probe, "get_available_worlds")
    assert answer.result.result == OK
    names = [world.name for world in answer.worlds]
    assert {"tower_12t", "rtg_41t", "two_towers", "pendulum"} <= set(names) and len(
        set(names)
    ) == len(names)
    for world in answer.worlds:
        kind, _, place_ = world.world_resource.uri.partition(":")
        assert kind in ("file", "cable-sim") and world.description
        if kind == "file":
            assert url2pathname(urlparse(world.world_resource.uri).path).endswith(
                f"/{world.name}.yaml"
            )
        else:
            assert place_ == f"scene/{world.name}"
    assert load_machine("pendulum").scene.bodies


@pytest.mark.parametrize(
    "fields, code",
    [
        ({"additional_sources": ["https://example.org/worlds"]}, UNSUPPORTED),
        ({"additional_sources": ["https://example.org/worlds"], "continue_on_error": True}, OK),
        ({"filter": TagsFilter(tags=["indoor"])}, UNSUPPORTED),
        ({"offline_only": True}, OK),
    ],
)
def test_worlds_are_not_searched_for_elsewhere(node, probe, fields, code):
    answer = call(probe, "get_available_worlds", **fields)
    assert answer.result.result == code and bool(answer.worlds) == (code == OK)
    assert bool(answer.result.error_message) == (code != OK)


def test_a_regular_expression_that_never_ends_is_given_up():
    with pytest.raises(Refusal, match="long"):
        matching_names("(a|aa)+$", [60 * "a" + "!"])


@pytest.mark.parametrize(
    "pattern",
    [
        "((a{999}){999}){999}",
        "(((((.+){9}){9}){9}){9}){9}",
        "a{" + 900 * "9" + "}",
        "(?ix)(a{ 999}){#\n999}",
        "(?R)",
        "(a|(?1))",
        "(a|(?-1))",
        "(?P<n>(?&n))",
        "(?P<n>(?P>n))",
    ],
)
def test_a_regular_expression_that_takes_all_memory_is_refused(pattern):
    with pytest.raises(Refusal, match="repeats|group"):
        matching_names(pattern, NAMES)


@pytest.mark.parametrize(
    "pattern", ["^[[:alpha:]]{4}_", "(?:(?:.{2}){2}_){1}", "^.{0,65535}_load$|_.{3,20}$"]
)
def test_a_regular_expression_may_repeat_what_names_are_long(pattern):
    assert matching_names(pattern, NAMES)
