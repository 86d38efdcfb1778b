"""Requests that nobody should make, over DDS at a running node: each gets an answer with a reason,
and changes nothing.

Or it is met. Those about parameters are in ``test_ros_fuzz_live.py``.
"""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
srv = pytest.importorskip(
    "simulation_interfaces.srv", reason="needs simulation_interfaces: make test builds it"
)
if not hasattr(srv.SetEntityState.Request, "set_pose"):
    pytest.skip("needs version 2.1 of simulation_interfaces", allow_module_level=True)

from fuzzed import ODD_NAMES, headers, names, numbers  # noqa: E402
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Twist, Vector3  # noqa: E402
from simulation_interfaces.msg import (  # noqa: E402
    Bounds,
    EntityCategory,
    EntityFilters,
    EntityState,
    Resource,
    Result,
    SimulationState,
    TagsFilter,
)
from std_msgs.msg import Header  # noqa: E402

from cable_sim.cranes import load_crane  # noqa: E402
from cable_sim.ros import interface  # noqa: E402

PARAMETERS = {"start_paused": "true", "real_time_factor": 0.5}
FREELY = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "derandomize": True,
    "phases": (Phase.generate,),
}
UNSUPPORTED, OK, NOT_FOUND, FAILED = (
    Result.RESULT_FEATURE_UNSUPPORTED,
    Result.RESULT_OK,
    Result.RESULT_NOT_FOUND,
    Result.RESULT_OPERATION_FAILED,
)
BODIES = [body.name for body in load_crane("tower_12t").scene.bodies]
LONGEST_ANSWER = 12_000
"""Letters of a reason: what was asked may be in it."""

bytes_ = st.integers(0, 255)
patterns = names([*BODIES, "^load$", "[[:alpha:]]+", "(jib|trolley)", ""]) | st.sampled_from(
    (
        "(",
        "[",
        "\\",
        "(?",
        "(?P<a>",
        "*",
        "a{2,1}",
        "(a|aa)+$",
        "(x+x+)+y",
        "((a{999}){999}){999}",
        "(" * 500 + ")" * 500,
        "(((((.+){9}){9}){9}){9}){9}",
        "a{99999}",
        "(?:a{99}){99}",
        "a{" + 900 * "9" + "}",
        "(?R)",
        "(?1)",
        "(?x)a{ 999}",
        "\\p{L}+",
        "[[:nothing:]]",
        "x" * 1001,
        "(?<=a+)b",
        "(.*)*$",
        "\\1",
        "(?:load){0,65535}",
    )
)
points = st.builds(Vector3, x=numbers, y=numbers, z=numbers)
bounds = st.builds(
    Bounds, type=st.sampled_from((0, 1, 3, 1, 3, 2, 255)), points=st.lists(points, max_size=3)
)
filters = st.builds(
    EntityFilters,
    filter=patterns,
    categories=st.lists(
        st.builds(EntityCategory, category=st.sampled_from((0, 1, 4, 5)) | bytes_), max_size=2
    ),
    tags=st.builds(
        TagsFilter,
        tags=st.lists(names(["load", "hook", "tower_crane"]), max_size=3),
        filter_mode=st.sampled_from((0, 1, 0, 1, 2, 255)),
    ),
    bounds=st.just(Bounds()) | bounds,
)
near = st.sampled_from((0.0, 0.1, -0.1, 20.0, 5.0, 60.0))
turns = st.just(Quaternion()) | st.builds(Quaternion, x=numbers, y=numbers, z=numbers, w=numbers)
places = st.builds(Point, x=near, y=near, z=near) | st.builds(
    Point, x=numbers, y=numbers, z=numbers
)
speeds = st.builds(Vector3, x=near, y=near, z=near) | points
states = st.builds(
    EntityState,
    header=st.sampled_from([Header(), Header(frame_id="world")]) | headers,
    pose=st.builds(Pose, position=places, orientation=turns),
    twist=st.just(Twist(linear=Vector3(x=0.1))) | st.builds(Twist, linear=speeds, angular=speeds),
)

CRATE = """<robot name="crate"><link name="base"><inertial><mass value="{}"/>
<inertia ixx="50" iyy="60" izz="{}"/></inertial>
<collision><geometry><box size="1 1 {}"/></geometry></collision></link></robot>"""
sizes = st.sampled_from((*6 * (1.0,), 2.0, 70.0, 0.0, -1.0, 1e300, float("nan")))
resources = st.builds(
    Resource,
    uri=st.sampled_from(("", "", "", "cable-sim:load/pallet", "file:///no.urdf")) | names([]),
    resource_string=st.builds(CRATE.format, sizes, sizes, sizes) | names([]),
)
above = st.builds(Point, x=near, y=near, z=st.sampled_from((5.0, 20.0)))
spots = (
    st.builds(PoseStamped, pose=st.builds(Pose, position=above))
    | st.builds(PoseStamped, header=headers, pose=st.builds(Pose, position=places))
    | st.builds(PoseStamped, pose=st.builds(Pose, position=places, orientation=turns))
)

REQUESTS = {
    "spawn_entity": (
        {
            "name": st.sampled_from(("", "mine", "load")) | names(BODIES),
            "allow_renaming": st.booleans(),
            "entity_resource": resources,
            "entity_namespace": st.sampled_from(("", "", "", "/a")),
            "initial_pose": spots,
        },
        {OK, NOT_FOUND, FAILED, *range(101, 110)},
    ),
    "delete_entity": (
        {"entity": st.sampled_from(("mine", "load")) | names(BODIES)},
        {OK, NOT_FOUND, FAILED},
    ),
    "get_spawnables": ({"sources": st.lists(names([]), max_size=1)}, {OK}),
    "get_entities": ({"filters": filters}, {OK, FAILED, UNSUPPORTED}),
    "get_entities_states": ({"filters": filters}, {OK, FAILED, UNSUPPORTED}),
    "get_entity_state": ({"entity": names(BODIES)}, {OK, NOT_FOUND}),
    "get_entity_info": ({"entity": names(BODIES)}, {OK, NOT_FOUND}),
    "set_entity_state": (
        {
            "entity": st.just("load") | st.just("hook_block") | names(BODIES),
            "state": states,
            "set_pose": st.sampled_from((False, False, False, True)),
            "set_twist": st.sampled_from((True, True, True, False)),
            "set_acceleration": st.sampled_from((False, False, False, True)),
        },
        {OK, NOT_FOUND, FAILED, srv.SetEntityState.Response.INVALID_POSE},
    ),
    "step_simulation": ({"steps": st.sampled_from((0, 1, 2, 3))}, {OK, FAILED}),
    "reset_simulation": (
        {"scope": st.sampled_from((0, 1, 2, 3, 4, 6, 255)) | bytes_},
        {OK, UNSUPPORTED},
    ),
    "set_simulation_state": (
        {
            "state": st.builds(
                SimulationState, state=st.sampled_from((0, 1, 2)) | bytes_.filter(lambda s: s != 3)
            )
        },
        {OK, 101, 102, 103},
    ),
    "get_simulation_state": ({}, {OK}),
    "get_current_world": ({}, {OK}),
    "get_available_worlds": (
        {
            "additional_sources": st.lists(names([]), max_size=2),
            "continue_on_error": st.booleans(),
            "offline_only": st.booleans(),
            "filter": st.builds(TagsFilter, tags=st.lists(names([]), max_size=1)),
        },
        {OK, UNSUPPORTED},
    ),
}


def call(probe, service, /, **fields):
    """The response of a standard service."""
    kind = getattr(srv, service.title().replace("_", ""))
    return probe.call(kind, f"/cable_sim/{service}", **fields)


def where(probe):
    """Pose and twist of every body."""
    return [(state.pose, state.twist) for state in call(probe, "get_entities_states").states]


def finite(states):
    """Whether all of these are numbers."""
    parts = [
        part
        for pose, twist in states
        for part in (pose.position, pose.orientation, twist.linear, twist.angular)
    ]
    return all(
        np.isfinite([getattr(part, name) for name in part.get_fields_and_field_types()]).all()
        for part in parts
    )


@pytest.fixture(autouse=True)
def _whole(node, probe):
    """Every test begins at the start, in a pause, and leaves a node that can be reset and takes
    steps."""
    begin(probe)
    yield
    begin(probe)
    assert call(probe, "step_simulation", steps=3).result.result == OK
    assert finite(where(probe)) and node.alive(), node.said()


def begin(probe):
    """At the start, in a pause."""
    call(probe, "set_simulation_state", state=SimulationState(state=SimulationState.STATE_PLAYING))
    assert call(probe, "reset_simulation", scope=6).result.result == OK
    assert call(probe, "set_simulation_state", state=SimulationState(state=2)).result.result in (
        OK,
        101,
    )
    assert call(probe, "get_simulation_state").state.state == 2


CHANGING = "set_entity_state", "spawn_entity", "delete_entity"
"""Services that leave everything as it is when they refuse."""


def fuzz(probe, name, number):
    """Make requests one by one; how often each result came."""
    fields, allowed = REQUESTS[name]
    seen = dict.fromkeys(allowed, 0)

    @settings(max_examples=number, **FREELY)
    @given(st.fixed_dictionaries(fields))
    def one(request):
        before = where(probe) if name in CHANGING else None
        result = call(probe, name, **request).result
        assert result.result in allowed
        assert (result.result == OK) == (result.error_message == "") or name == "get_spawnables"
        assert len(result.error_message) < LONGEST_ANSWER
        seen[result.result] += 1
        if before is not None:
            after = where(probe)
            assert finite(after) and (result.result == OK or after == before)

    one()
    return seen


@pytest.mark.parametrize("name", REQUESTS)
def test_each_of_sixty_requests_is_met_or_refused_with_a_reason(probe, name):
    assert fuzz(probe, name, 60)[OK] > 0 or name == "delete_entity"


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", REQUESTS)
def test_ten_thousand_requests_are_met_or_refused_with_a_reason(probe, name):
    assert fuzz(probe, name, 10_000)[OK] > 0 or name == "delete_entity"


def test_every_service_is_asked():
    assert {*REQUESTS} == {*interface.STANDARD_SERVICES} - {"get_simulator_features"}


FOR_LOADS = "slings", "attach"
"""What is refused where the load stands as it does, or there is none."""


@pytest.mark.parametrize(
    "number", [200, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
)
def test_services_in_any_order_answer_and_time_never_goes_back(probe, number):
    """The node's own services, at random; what they refuse they say, and time never runs
    backwards."""
    own = {name: kind for name, kind in interface.SERVICES.items() if name != "twistlocks"}
    chance, done = random.Random(1), {name: set() for name in own}
    clock = probe.messages["/clock"]
    seen = len(clock)
    for _ in range(number):
        name = chance.choice([*own])
        fields = {"data": chance.random() < 0.5} if hasattr(own[name].Request(), "data") else {}
        answer = probe.call(own[name], f"/cable_sim/{name}", **fields)
        assert answer.message and "Error" not in answer.message, answer
        done[name].add(answer.success)
    stamps = [message.clock.sec * 1_000_000_000 + message.clock.nanosec for message in clock[seen:]]
    assert stamps == sorted(stamps)
    assert all(True in results for name, results in done.items() if name not in FOR_LOADS), done
    assert probe.call(
        interface.SERVICES["emergency_stop"], "/cable_sim/emergency_stop", data=False
    ).success
    assert probe.call(interface.SERVICES["enable"], "/cable_sim/enable", data=True).success


def test_odd_names_come_back_in_the_reason(probe):
    """What was asked for is to be seen in the answer, whatever it is."""
    for name in ODD_NAMES:
        result = call(probe, "get_entity_state", entity=name).result
        assert result.result == NOT_FOUND and (repr(name)[1:20] in result.error_message or not name)
