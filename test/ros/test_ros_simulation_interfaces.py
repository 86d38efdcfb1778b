"""The services of simulation_interfaces about time, and what of the standard is offered, with a
real client."""

import os

import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
srv = pytest.importorskip(
    "simulation_interfaces.srv", reason="needs simulation_interfaces: make test builds it"
)
if not hasattr(srv.SetEntityState.Request, "set_pose"):
    pytest.skip("needs version 2.1 of simulation_interfaces", allow_module_level=True)

from action_msgs.msg import GoalStatus  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from rclpy.qos import QoSProfile  # noqa: E402
from simulation_interfaces.action import SimulateSteps  # noqa: E402
from simulation_interfaces.msg import Result, SimulationState  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402

from cable_sim.ros import interface  # noqa: E402
from cable_sim.spec import Body, Scene, Sphere  # noqa: E402
from cable_sim.spec.files import to_yaml  # noqa: E402

PARAMETERS = {"start_paused": "true"}
TICK = 10_000_000
OK, FAILED, UNSUPPORTED = (
    Result.RESULT_OK,
    Result.RESULT_OPERATION_FAILED,
    Result.RESULT_FEATURE_UNSUPPORTED,
)
STOPPED, PLAYING, PAUSED, QUITTING = (
    SimulationState.STATE_STOPPED,
    SimulationState.STATE_PLAYING,
    SimulationState.STATE_PAUSED,
    SimulationState.STATE_QUITTING,
)
ALREADY, TRANSITION_ERROR, INCORRECT = 101, 102, 103

NEEDS = {
    0: {"spawn_entity"},
    1: {"delete_entity"},
    4: {"get_entities"},
    6: {"get_entities"},
    8: {"get_entities"},
    9: {"spawn_entity"},
    10: {"get_entity_state", "get_entities_states"},
    11: {"set_entity_state"},
    12: {"get_entity_info"},
    14: {"get_spawnables"},
    20: {"reset_simulation"},
    21: {"reset_simulation"},
    22: {"reset_simulation"},
    23: {"reset_simulation"},
    24: {"get_simulation_state"},
    25: {"set_simulation_state"},
    26: {"set_simulation_state"},
    31: {"step_simulation"},
    32: {"step_simulation", "simulate_steps"},
    33: {"simulate_steps"},
    44: {"get_current_world"},
    45: {"get_available_worlds"},
}
"""Which services and actions the standard asks for each feature that the node may tell of."""


def call(probe, name, node_name="/cable_sim", **fields):
    """The response of a standard service."""
    return probe.call(getattr(srv, name.title().replace("_", "")), f"{node_name}/{name}", **fields)


def state(probe):
    """The state of the simulation."""
    answer = call(probe, "get_simulation_state")
    assert answer.result.result == OK
    return answer.state.state


def go(probe, target):
    """Ask for a state; the result."""
    return call(probe, "set_simulation_state", state=SimulationState(state=target)).result


def bring(probe, target):
    """Have the simulation in a state, whatever it is in."""
    if target == PAUSED and state(probe) == STOPPED:
        assert go(probe, PLAYING).result == OK
    assert go(probe, target).result in (OK, ALREADY)
    assert state(probe) == target


def now(probe):
    """ROS time as the clock has it [ns]."""
    stamp = probe.fresh(interface.CLOCK).clock
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def offered(probe, space="/"):
    """Names of the standard's services and actions that a node offers in its own namespace."""
    prefix = space.rstrip("/") + "/cable_sim/"
    of = {
        name.removeprefix(prefix): types
        for name, types in probe.node.get_service_names_and_types()
        if name.startswith(prefix)
    }
    ours = {name for name, types in of.items() if types[0].startswith("simulation_interfaces/srv/")}
    actions = {
        name.removesuffix("/_action/send_goal")
        for name in of
        if name.endswith("/_action/send_goal")
    }
    return ours | actions - {interface.FOLLOW_JOINT_TRAJECTORY}


class Steps:
    """A client of the action, and what it is told as (completed, remaining).

    It listens to the feedback itself: rclpy's clients hear no more of a goal once they know that it
    has ended.
    """

    def __init__(self, probe, name="/cable_sim/simulate_steps"):
        self.client = ActionClient(probe.node, SimulateSteps, name)
        self.told = []
        self.listener = probe.node.create_subscription(
            SimulateSteps.Impl.FeedbackMessage,
            f"{name}/_action/feedback",
            self._take,
            QoSProfile(depth=10_000),
        )
        probe.until(self.client.server_is_ready, "the action", 60.0)
        probe.until(lambda: self.listener_is_heard(probe, name), "its feedback")

    def listener_is_heard(self, probe, name):
        """Whether discovery has matched the listener with the server's publisher."""
        return probe.node.count_publishers(f"{name}/_action/feedback") > 0

    def _take(self, message):
        self.told.append((message.feedback.completed_steps, message.feedback.remaining_steps))

    def destroy(self, probe):
        """Leave."""
        self.client.destroy()
        probe.node.destroy_subscription(self.listener)


@pytest.fixture(scope="module")
def steps(node, probe):
    """A client of the action."""
    made = Steps(probe)
    yield made
    made.destroy(probe)


def begin(probe, steps, count):
    """Send a goal: its handle, and where its feedback is collected from now on."""
    steps.told = []
    sent = steps.client.send_goal_async(SimulateSteps.Goal(steps=count))
    probe.until(sent.done, "the answer to the goal")
    assert sent.result().accepted
    return sent.result(), steps.told


def end(probe, goal):
    """Status and result of a goal, once it has ended."""
    result = goal.get_result_async()
    probe.until(result.done, "the result of the goal")
    return result.result().status, result.result().result.result


def test_features_are_those_of_what_is_in_the_graph(node, probe):
    told = call(probe, "get_simulator_features").features
    assert set(told.features) == set(NEEDS) and len(told.features) == len(NEEDS)
    assert told.spawn_formats == ["urdf"] and told.custom_info
    wanted = set.union(*NEEDS.values()) | {"get_simulator_features"}
    probe.until(lambda: offered(probe) >= wanted, "all of them in the graph")
    assert offered(probe) == wanted


def test_the_services_without_the_package_are_there_as_well(node, probe):
    assert probe.call(Trigger, "/cable_sim/step").success


@pytest.mark.parametrize(
    "start, target, code, then",
    [
        (PAUSED, PAUSED, ALREADY, PAUSED),
        (PAUSED, PLAYING, OK, PLAYING),
        (PLAYING, PLAYING, ALREADY, PLAYING),
        (PLAYING, PAUSED, OK, PAUSED),
        (PLAYING, STOPPED, OK, STOPPED),
        (STOPPED, STOPPED, ALREADY, STOPPED),
        (STOPPED, PAUSED, INCORRECT, STOPPED),
        (STOPPED, PLAYING, OK, PLAYING),
        (PAUSED, STOPPED, OK, STOPPED),
        (PAUSED, SimulationState.STATE_NO_WORLD, INCORRECT, PAUSED),
        (PAUSED, SimulationState.STATE_LOADING_WORLD, INCORRECT, PAUSED),
        (PAUSED, 77, INCORRECT, PAUSED),
    ],
)
def test_each_transition_has_its_result(node, probe, start, target, code, then):
    bring(probe, start)
    result = go(probe, target)
    assert result.result == code and bool(result.error_message) == (code != OK)
    assert state(probe) == then


def test_stopped_is_the_start_at_time_zero_until_a_step_by_hand(node, probe):
    bring(probe, PAUSED)
    assert call(probe, "step_simulation", steps=3).result.result == OK
    bring(probe, STOPPED)
    probe.until(lambda: now(probe) == 0, "the clock at 0")
    assert probe.call(SetBool, "/cable_sim/pause", data=True).success and state(probe) == STOPPED
    assert call(probe, "reset_simulation").result.result == OK and state(probe) == STOPPED
    assert probe.call(Trigger, "/cable_sim/step").success and state(probe) == PAUSED


def test_steps_are_so_many_ticks_and_the_answer_comes_after_them(node, probe):
    bring(probe, PAUSED)
    for count in (1, 1, 7):
        before = call(probe, "get_entity_state", entity="load").state.header.stamp
        assert call(probe, "step_simulation", steps=count).result.result == OK
        after = call(probe, "get_entity_state", entity="load").state.header.stamp
        assert (
            after.sec - before.sec
        ) * 1_000_000_000 + after.nanosec - before.nanosec == count * TICK
        assert state(probe) == PAUSED


def test_a_step_without_a_number_is_one(node, probe):
    assert srv.StepSimulation.Request().steps == 1


def test_others_are_served_while_many_steps_are_taken(node, probe):
    bring(probe, PAUSED)
    client = probe.node.create_client(srv.StepSimulation, "/cable_sim/step_simulation")
    probe.until(client.service_is_ready, "the service")
    answer = client.call_async(srv.StepSimulation.Request(steps=10_000_000))
    probe.until(lambda: state(probe) == PLAYING, "steps under way")
    assert call(probe, "step_simulation").result.result == FAILED
    assert call(probe, "get_simulator_features").features.features and not answer.done()
    assert go(probe, PAUSED).result == OK
    probe.until(answer.done, "the answer")
    assert (
        answer.result().result.result == FAILED
        and "10000000" in answer.result().result.error_message
    )
    assert state(probe) == PAUSED
    probe.node.destroy_client(client)


@pytest.mark.parametrize("wrong, word", [(PLAYING, "PLAYING"), (STOPPED, "STOPPED")])
def test_steps_need_a_pause(node, probe, steps, wrong, word):
    bring(probe, wrong)
    result = call(probe, "step_simulation", steps=1).result
    assert (
        result.result == FAILED
        and word in result.error_message
        and "PAUSED" in result.error_message
    )
    status, result = end(probe, begin(probe, steps, 5)[0])
    assert (
        status == GoalStatus.STATUS_ABORTED
        and result.result == FAILED
        and word in result.error_message
    )
    assert state(probe) == wrong


def test_no_steps_are_refused(node, probe, steps):
    bring(probe, PAUSED)
    result = call(probe, "step_simulation", steps=0).result
    assert result.result == FAILED and "0" in result.error_message
    status, result = end(probe, begin(probe, steps, 0)[0])
    assert (
        status == GoalStatus.STATUS_ABORTED
        and result.result == FAILED
        and "0" in result.error_message
    )


def test_the_action_tells_of_every_step(node, probe, steps):
    bring(probe, PAUSED)
    before = now(probe)
    goal, told = begin(probe, steps, 50)
    status, result = end(probe, goal)
    assert (
        status == GoalStatus.STATUS_SUCCEEDED and result.result == OK and not result.error_message
    )
    probe.until(lambda: len(told) == 50, "feedback of every step")
    assert told == [(done, 50 - done) for done in range(1, 51)]
    probe.until(lambda: now(probe) == before + 50 * TICK, "the clock of the last step")
    assert state(probe) == PAUSED


def test_a_goal_can_be_cancelled_and_others_are_served_meanwhile(node, probe, steps):
    bring(probe, PAUSED)
    goal, told = begin(probe, steps, 10_000_000)
    probe.until(lambda: len(told) > 3, "some steps")
    assert state(probe) == PLAYING
    refused = call(probe, "step_simulation", steps=1).result
    assert refused.result == FAILED
    cancelling = goal.cancel_goal_async()
    probe.until(cancelling.done, "the answer to the cancelling")
    assert len(cancelling.result().goals_canceling) == 1
    status, result = end(probe, goal)
    assert (
        status == GoalStatus.STATUS_CANCELED
        and result.result == FAILED
        and "10000000" in result.error_message
    )
    assert state(probe) == PAUSED
    assert call(probe, "step_simulation", steps=1).result.result == OK  # nothing is left of it


@pytest.mark.parametrize(
    "how, then",
    [("pause", PAUSED), ("play", PLAYING), ("stop", STOPPED), ("reset", PAUSED)],
    ids=lambda value: value,
)
def test_who_changes_the_state_ends_the_steps(node, probe, steps, how, then):
    bring(probe, PAUSED)
    goal, told = begin(probe, steps, 10_000_000)
    probe.until(lambda: told, "a step")
    if how == "reset":
        assert call(probe, "reset_simulation").result.result == OK
    else:
        assert go(probe, {"pause": PAUSED, "play": PLAYING, "stop": STOPPED}[how]).result == OK
    status, result = end(probe, goal)
    assert status == GoalStatus.STATUS_ABORTED and result.result == FAILED and result.error_message
    assert state(probe) == then


@pytest.mark.parametrize(
    "scope, state_goes_back, time_goes_back",
    [
        (0, True, True),
        (1, False, True),
        (2, True, False),
        (3, True, True),
        (6, True, False),
        (255, True, True),
    ],
)
def test_a_reset_is_of_what_its_scope_says(node, probe, scope, state_goes_back, time_goes_back):
    bring(probe, PAUSED)
    assert call(probe, "reset_simulation", scope=2).result.result == OK
    assert call(probe, "set_entity_state", **pushed()).result.result == OK
    assert call(probe, "step_simulation", steps=20).result.result == OK
    before = call(probe, "get_entity_state", entity="load").state
    assert before.header.stamp.sec + before.header.stamp.nanosec > 0
    assert call(probe, "reset_simulation", scope=scope).result.result == OK
    after = call(probe, "get_entity_state", entity="load").state
    went_back = abs(after.pose.position.y) < 1e-9
    assert abs(before.pose.position.y) > 0.01 and went_back == state_goes_back
    if not state_goes_back:
        assert after.pose == before.pose and after.twist == before.twist
    then, stamp = (
        s.header.stamp.sec * 1_000_000_000 + s.header.stamp.nanosec for s in (before, after)
    )
    assert stamp == (0 if time_goes_back else then + TICK)
    probe.until(lambda: now(probe) == stamp, "the clock")
    assert state(probe) == PAUSED


@pytest.mark.parametrize("scope", [8, 9, 12, 128])
def test_an_unadvertised_scope_is_unsupported_without_effect(node, probe, scope):
    bring(probe, PAUSED)
    before = call(probe, "get_entity_state", entity="load").state
    result = call(probe, "reset_simulation", scope=scope).result
    assert result.result == UNSUPPORTED and str(scope) in result.error_message
    after = call(probe, "get_entity_state", entity="load").state
    assert (after.header, after.pose, after.twist) == (before.header, before.pose, before.twist)


def pushed():
    """A request that gives the load a speed across the jib."""
    request = srv.SetEntityState.Request(entity="load", set_twist=True)
    request.state.twist.linear.y = 0.5
    return {"entity": "load", "set_twist": True, "state": request.state}


def test_quitting_answers_and_ends_the_node_amid_steps(start_node, probe):
    """And as it follows another node's clock, it has no time to reset."""
    parameters = {
        "publish_clock": "false",
        "follow_clock": "true",
        "start_paused": "true",
        "crane_config": "pendulum",
    }
    made = start_node("-r", "__ns:=/quits", **parameters)
    steps = Steps(probe, "/quits/cable_sim/simulate_steps")
    space = "/quits/cable_sim"
    assert set(call(probe, "get_simulator_features", space).features.features) == set(NEEDS) - {21}
    for scope, code in ((1, UNSUPPORTED), (3, UNSUPPORTED), (2, OK), (0, OK)):
        assert call(probe, "reset_simulation", space, scope=scope).result.result == code
    _, told = begin(probe, steps, 10_000_000)
    probe.until(lambda: told, "a step")
    answer = call(probe, "set_simulation_state", space, state=SimulationState(state=QUITTING))
    assert answer.result.result == OK
    assert made.ended() == 0
    assert not made.complaints()
    steps.destroy(probe)


def test_a_simulation_that_failed_says_so_until_it_is_reset(start_node, probe, tmp_path):
    """A ball that falls so fast that after 1.8 s it is faster than 1e5 m/s."""
    scene = Scene(
        name="falls", gravity=(0.0, 0.0, -57000.0), bodies=(Body("ball", shape=Sphere(0.1)),)
    )
    file = tmp_path / "falls.yaml"
    file.write_text(to_yaml(scene))
    made = start_node(
        "-r", "__ns:=/fails", publish_clock="false", start_paused="true", crane_config=str(file)
    )
    space = "/fails/cable_sim"
    result = call(probe, "step_simulation", space, deadline=60.0, steps=1000).result
    assert result.result == FAILED and naming("failed 1.7*").search(result.error_message)
    for name, fields, code in (
        ("step_simulation", {}, FAILED),
        ("set_simulation_state", {"state": SimulationState(state=PLAYING)}, TRANSITION_ERROR),
        ("set_entity_state", {"entity": "ball", "set_twist": True}, FAILED),
    ):
        result = call(probe, name, space, **fields).result
        assert result.result == code and "reset first" in result.error_message
    assert call(probe, "reset_simulation", space).result.result == OK
    assert call(probe, "step_simulation", space).result.result == OK
    assert made.end() == 0


def older(folder):
    """A package as an older version is, of the types of this one: without worlds and the action.
    Its place."""
    import simulation_interfaces

    (real,) = simulation_interfaces.__path__
    package = folder / "simulation_interfaces"
    (package / "srv").mkdir(parents=True)
    (package / "__init__.py").write_text(f"__path__.append({real!r})\n")
    lacking = {"GetCurrentWorld", "GetAvailableWorlds"}
    names = sorted({name for name in dir(srv) if hasattr(getattr(srv, name), "Request")} - lacking)
    modules = {name: "".join("_" + c.lower() if c.isupper() else c for c in name) for name in names}
    lines = [f"__path__.append({real + '/srv'!r})\n"]
    lines += [
        f"from simulation_interfaces.srv.{module} import {name}\n"
        for name, module in modules.items()
    ]
    (package / "srv" / "__init__.py").write_text("".join(lines))
    (package / "action").mkdir()
    (package / "action" / "__init__.py").write_text("")
    return folder


def test_types_an_older_package_lacks_are_not_offered(start_node, probe, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{older(tmp_path)}:{os.environ['PYTHONPATH']}")
    made = start_node(
        "-r", "__ns:=/older", publish_clock="false", start_paused="true", crane_config="pendulum"
    )
    lacking = {
        32: "partly",
        33: "simulate_steps",
        44: "get_current_world",
        45: "get_available_worlds",
    }
    features = call(
        probe, "get_simulator_features", "/older/cable_sim", deadline=60.0
    ).features.features
    assert set(features) == set(NEEDS) - {33, 44, 45}
    wanted = set.union(*NEEDS.values()) - set(lacking.values()) | {"get_simulator_features"}
    probe.until(lambda: offered(probe, "/older") >= wanted, "what there is")
    assert offered(probe, "/older") == wanted
    assert made.end() == 0 and not made.complaints()


def test_without_the_package_the_node_runs_with_its_own_services(
    start_node, probe, tmp_path, monkeypatch
):
    nothing = (
        tmp_path / "simulation_interfaces.py"
    )  # a module of that name that has nothing in it, found first
    nothing.write_text("")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ['PYTHONPATH']}")
    made = start_node(
        "-r", "__ns:=/without", publish_clock="false", start_paused="true", crane_config="pendulum"
    )
    # an answer to a client whom the node has not found yet gets lost
    probe.fresh(interface.SIM_STATS._replace(topic="/without/sim_stats"), 2, deadline=60.0)
    assert probe.call(Trigger, "/without/cable_sim/step", 60.0).success
    assert offered(probe, "/without") == set()
    assert made.end() == 0 and not made.complaints()
