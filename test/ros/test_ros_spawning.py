"""Loads that are spawned and deleted by simulation_interfaces in a running node."""

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
srv = pytest.importorskip(
    "simulation_interfaces.srv", reason="needs simulation_interfaces: make test builds it"
)
if not hasattr(srv, "SpawnEntity") or not hasattr(srv.SpawnEntity.Request(), "entity_resource"):
    pytest.skip("needs version 2.1 of simulation_interfaces", allow_module_level=True)

from geometry_msgs.msg import PoseStamped, WrenchStamped  # noqa: E402
from simulation_interfaces.msg import Resource, Result  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402

from cable_sim.ros import interface  # noqa: E402
from cable_sim.ros.services.simulation_answers import Spawning  # noqa: E402

PARAMETERS = {"start_paused": "true", "frame_prefix": "site/"}
OK, FAILED, NOT_FOUND = (Result.RESULT_OK, Result.RESULT_OPERATION_FAILED, Result.RESULT_NOT_FOUND)
CRATE = """<robot name="crate"><link name="base"><inertial><origin xyz="0 0 0.5"/>
<mass value="800"/><inertia ixx="50" iyy="60" izz="70"/></inertial>
<collision><origin xyz="0 0 0.5"/><geometry>{}</geometry></collision></link></robot>"""
BOX = CRATE.format('<box size="1 1 1"/>')


def call(probe, service, /, **fields):
    """The response of a standard service."""
    kind = getattr(srv, service.title().replace("_", ""))
    return probe.call(kind, f"/cable_sim/{service}", **fields)


def spawn(probe, uri="", text="", at=(4.0, 9.0, 0.0), frame="", turn=1.0, **fields):
    """Code, sentence and name of a load that is to come."""
    pose = PoseStamped()
    pose.header.frame_id = frame
    pose.pose.position.x, pose.pose.position.y, pose.pose.position.z = map(float, at)
    pose.pose.orientation.w = turn
    resource = Resource(uri=uri, resource_string=text)
    answer = call(probe, "spawn_entity", entity_resource=resource, initial_pose=pose, **fields)
    return answer.result.result, answer.result.error_message, answer.entity_name


def states(probe):
    """Poses and twists by the names of the entities."""
    answer = call(probe, "get_entities_states")
    return {n: (s.pose, s.twist) for n, s in zip(answer.entities, answer.states, strict=True)}


def steps(probe, count):
    """Let so many ticks pass."""
    assert call(probe, "step_simulation", steps=count).result.result == OK


@pytest.fixture
def clean(node, probe):
    """Without loads before and after."""
    assert call(probe, "reset_simulation", scope=255).result.result == OK
    yield
    assert call(probe, "reset_simulation", scope=4).result.result == OK


def test_what_can_be_spawned_is_listed(node, probe):
    answer = call(probe, "get_spawnables", sources=["elsewhere"])
    assert answer.result.result == OK and "searched" in answer.result.error_message
    found = {s.entity_resource.uri: s for s in answer.spawnables}
    bounds = found["cable-sim:load/container_20ft"].spawn_bounds
    assert bounds.type == 1 and bounds.points[0].x == pytest.approx(6.058 / 2)
    for i, uri in enumerate(found):
        assert spawn(probe, uri, at=(10.0 * i - 20.0, 30.0, 4.0))[0] == OK
    assert call(probe, "reset_simulation", scope=4).result.result == OK


def test_a_load_comes_and_goes_and_nothing_else_changes(clean, probe):
    probe.call(SetBool, "/cable_sim/pause", data=True)
    steps(probe, 30)
    before = states(probe)
    transforms = probe.listen(interface.TF)
    markers = probe.listen(interface.SCENE_MARKERS)
    assert spawn(probe, text=BOX, name="mine") == (OK, "", "mine")
    after = states(probe)
    assert {name: after[name] for name in before} == before
    pose, twist = after["mine"]
    assert (pose.position.x, pose.position.y, pose.position.z) == (4.0, 9.0, 0.5)
    info = call(probe, "get_entity_info", entity="mine").info
    assert (info.category.category, list(info.tags)) == (4, ["spawned"])
    assert info.description == "spawned load, 800 kg"
    probe.until(
        lambda: any(t.child_frame_id == "site/mine" for m in transforms for t in m.transforms),
        "its frame",
    )
    probe.until(lambda: any(k.ns == "site/mine" for m in markers for k in m.markers), "its marker")
    steps(probe, 20)
    assert call(probe, "delete_entity", entity="mine").result.result == OK
    assert set(states(probe)) == set(before)
    result = call(probe, "get_entity_state", entity="mine").result
    assert result.result == NOT_FOUND


def test_names_are_made_unique_if_that_is_allowed(clean, probe):
    uri = "cable-sim:load/pallet"
    assert spawn(probe, uri, at=(4, 9, 0.5)) == (OK, "", "pallet")
    code, sentence, _ = spawn(probe, uri, at=(8, 9, 0.5))
    assert code == Spawning.NAME_NOT_UNIQUE and naming("'pallet' taken").search(sentence)
    assert spawn(probe, uri, at=(8, 9, 0.5), allow_renaming=True) == (OK, "", "pallet_1")
    assert spawn(probe, uri, at=(12, 9, 0.5), name="load", allow_renaming=True)[2] == "load_1"


def test_a_pose_is_that_of_the_link(clean, probe):
    """Turned upside down it has its centre of mass below the origin of its link."""
    pose = PoseStamped()
    pose.header.frame_id = "site/base_link"
    pose.pose.position.y, pose.pose.position.z = 8.0, 3.0
    pose.pose.orientation.x, pose.pose.orientation.w = 1.0, 0.0
    crate = Resource(resource_string=BOX)
    answer = call(probe, "spawn_entity", entity_resource=crate, initial_pose=pose)
    assert answer.result.result == OK, answer.result.error_message
    assert states(probe)["crate"][0].position.z == pytest.approx(2.5)


@pytest.mark.parametrize(
    "request_, code, words",
    [
        ({}, Spawning.NO_RESOURCE, "uri"),
        ({"uri": "cable-sim:load/palet"}, NOT_FOUND, "pallet"),
        ({"uri": "file:///no/such.urdf"}, NOT_FOUND, "/no/such.urdf"),
        ({"uri": "package://no_such/a.urdf"}, NOT_FOUND, "'no_such' installed"),
        ({"uri": "file:///no/such.sdf"}, Spawning.UNSUPPORTED_FORMAT, "URDF read"),
        ({"text": "<sdf/>"}, Spawning.RESOURCE_PARSE_ERROR, "root 'sdf'"),
        (
            {"text": CRATE.format('<mesh filename="file:///no/a.stl"/>')},
            Spawning.MISSING_ASSETS,
            "a.stl",
        ),
        (
            {"text": CRATE.format('<mesh filename="a.dae"/>')},
            Spawning.UNSUPPORTED_ASSETS,
            "STL files",
        ),
        ({"text": BOX, "name": "2 loads"}, Spawning.NAME_INVALID, "letter"),
        ({"text": BOX, "entity_namespace": "/a"}, Spawning.NAMESPACE_INVALID, "empty"),
        ({"text": BOX, "turn": 0.5}, Spawning.INVALID_POSE, "length 0.5"),
        ({"text": BOX, "at": (0, 0, np.nan)}, Spawning.INVALID_POSE, "finite"),
        ({"text": BOX, "at": (4, 9, -0.2)}, Spawning.INVALID_POSE, "0.2 m 'ground'"),
        ({"text": BOX, "frame": "moon"}, Spawning.INVALID_POSE, "'moon' world's"),
    ],
)
def test_a_bad_request_is_answered_and_changes_nothing(clean, probe, request_, code, words):
    before = states(probe)
    given, sentence, name = spawn(probe, **request_)
    assert (given, name) == (code, "") and naming(words).search(sentence)
    assert states(probe) == before


@pytest.mark.parametrize(
    "name, code, words", [("trolley", FAILED, "part crane"), ("lod", NOT_FOUND, "load")]
)
def test_what_was_not_spawned_is_not_deleted(clean, probe, name, code, words):
    result = call(probe, "delete_entity", entity=name).result
    assert result.result == code and naming(words).search(result.error_message)


def test_a_hook_takes_a_load_in_a_running_crane(clean, probe):
    assert probe.call(Trigger, "/cable_sim/release_load").success
    hook = states(probe)["hook_block"][0].position
    answer = probe.call(SetBool, "/cable_sim/attach", data=True)
    assert not answer.success and naming("load attach").search(answer.message)
    place = (hook.x, hook.y, hook.z - 1.7)
    assert spawn(probe, text=BOX, at=place)[0] == OK
    answer = probe.call(SetBool, "/cable_sim/attach", data=True)
    assert answer.success and answer.message.startswith("crate attached")
    steps(probe, 100)
    there = states(probe)["crate"][0].position
    assert there.z > hook.z - 1.5
    assert probe.call(SetBool, "/cable_sim/attach", data=False).success
    steps(probe, 100)
    assert states(probe)["crate"][0].position.z < there.z - 0.5


def test_a_wrench_moves_a_load_and_a_reset_puts_it_back(clean, probe):
    assert spawn(probe, text=BOX, at=(4.0, 9.0, 2.0))[0] == OK
    pushes = probe.node.create_publisher(WrenchStamped, interface.EXTERNAL_WRENCH.topic, 1)
    push = WrenchStamped()
    push.header.frame_id = "site/crate"
    push.wrench.force.x = 8000.0
    probe.until(lambda: pushes.get_subscription_count(), "the node")

    def moved():
        pushes.publish(push)
        steps(probe, 5)
        return states(probe)["crate"][0].position.x > 4.05

    probe.until(moved, "a push")
    assert call(probe, "reset_simulation", scope=2).result.result == OK
    there = states(probe)["crate"][0].position
    assert (there.x, there.z) == (4.0, 2.5)
    assert call(probe, "reset_simulation", scope=0).result.result == OK
    assert "crate" not in states(probe)


def test_a_snapshot_of_other_loads_is_forgotten(clean, probe):
    assert probe.call(Trigger, "/cable_sim/save_snapshot").success
    assert spawn(probe, text=BOX)[0] == OK
    answer = probe.call(Trigger, "/cable_sim/load_snapshot")
    assert not answer.success and "snapshot" in answer.message
