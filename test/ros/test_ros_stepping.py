"""Many ticks at a request: told of, cancelled, ended by others, refused. The node is real and in
this process."""

import threading

import pytest
from messages import naming

rclpy = pytest.importorskip("rclpy")

from rclpy.parameter import Parameter  # noqa: E402

from cable_sim.ros.node import simulation  # noqa: E402
from cable_sim.ros.node.simulator_node import SimulatorNode  # noqa: E402

TIMEOUT = 30.0


@pytest.fixture(scope="module")
def simulator(domain):
    """A paused node, whose services nobody executes."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    given = {"start_paused": True, "publish_clock": False, "crane_config": "lab_inteco"}
    node = SimulatorNode(
        context=context,
        namespace="stepping",
        parameter_overrides=[Parameter(k, value=v) for k, v in given.items()],
    )
    node.start()
    yield node
    node.stop()
    node.destroy_node()
    context.try_shutdown()


@pytest.fixture
def physics(simulator):
    """Its physics thread."""
    return simulator.simulation.physics


def ask(physics, action, *arguments, **options):
    """Have the physics thread do something, and wait."""
    return physics.post(lambda: action(*arguments, **options)).result(TIMEOUT)


def steps(physics):
    """Physics steps so far."""
    return ask(physics, lambda: int(physics.timeline.observation.steps))


def now(physics):
    """ROS time of the present state [ns]."""
    return ask(physics, lambda: physics.timeline.now)


def test_many_ticks_are_so_many_and_each_is_told_of(physics):
    before, told = steps(physics), []
    done, sentence = ask(physics, physics.step, 25, told=lambda *numbers: told.append(numbers))
    assert done and "advanced" in sentence
    assert steps(physics) == before + 25 * physics.machine.substeps
    assert told == [(i, 25 - i) for i in range(1, 26)]
    assert physics.paused and physics.pacer.missed == 0


def test_they_end_when_they_are_cancelled(physics):
    before, told = steps(physics), []
    done, sentence = ask(
        physics, physics.step, 1000, lambda *n: told.append(n), lambda: len(told) == 7
    )
    assert not done and "7 of 1000" in sentence
    assert steps(physics) == before + 7 * physics.machine.substeps


@pytest.mark.parametrize("what", ["pause", "reset"])
def test_others_are_served_between_two_ticks_and_can_end_it(physics, what):
    begun, ended = threading.Event(), []
    stepping = physics.post(lambda: physics.step(1_000_000, lambda *_: begun.set()))
    assert begun.wait(TIMEOUT)
    refused, sentence = ask(physics, physics.step)
    assert not refused and "steps" in sentence
    ended.append(
        ask(physics, physics.pause, True) if what == "pause" else ask(physics, physics.reset)
    )
    done, sentence = stepping.result(TIMEOUT)
    assert ended[0][0] and not done and "of 1000000" in sentence
    assert ask(physics, physics.step)[0]


def test_letting_time_run_ends_it_and_time_runs(physics):
    begun = threading.Event()
    stepping = physics.post(lambda: physics.step(1_000_000, lambda *_: begun.set()))
    assert begun.wait(TIMEOUT)
    assert ask(physics, physics.pause, False)[0]
    assert not stepping.result(TIMEOUT)[0]
    assert not ask(physics, physics.step)[0]
    assert ask(physics, physics.pause, True)[0]


@pytest.mark.parametrize("ticks", [0, -3])
def test_no_ticks_are_refused(physics, ticks):
    done, sentence = ask(physics, physics.step, ticks)
    assert not done and str(ticks) in sentence


def test_a_snapshot_is_a_way_back_from_a_failure(physics, monkeypatch):
    assert ask(physics, physics.save_snapshot)[0]
    saved = steps(physics)

    def broken():
        raise FloatingPointError("it broke")

    monkeypatch.setattr(physics.machine, "tick", broken)
    for act in (physics.step, physics.step, physics.save_snapshot, lambda: physics.pause(False)):
        done, sentence = ask(physics, act)
        assert not done and "broke" in sentence
    monkeypatch.undo()
    before = now(physics)
    assert ask(physics, physics.load_snapshot)[0]
    assert steps(physics) == saved and now(physics) == before + 10_000_000
    assert ask(physics, physics.step)[0]


def service(simulator, name):
    """What a service of the node answers to a request with nothing in it."""
    (found,) = [one for one in simulator.services if one.srv_name == f"~/{name}"]
    return found.callback(found.srv_type.Request(), found.srv_type.Response())


def test_a_service_that_times_out_is_reported_and_done_later(physics, simulator, monkeypatch):
    assert ask(physics, physics.step, 3)[0]
    free = threading.Event()
    busy = physics.post(lambda: free.wait(TIMEOUT))  # as a tick that takes long
    monkeypatch.setattr(simulation, "REQUEST_TIMEOUT", 0.01)
    answer = service(simulator, "reset")
    assert not answer.success and naming("reset 0.01 s").search(answer.message)
    free.set()
    assert busy.result(TIMEOUT) and steps(physics) == 0


def test_steps_do_not_block_a_stop_and_later_calls_are_refused(physics, simulator):
    """Last: the thread is gone afterwards."""
    begun = threading.Event()
    stepping = physics.post(lambda: physics.step(1_000_000, lambda *_: begun.set()))
    assert begun.wait(TIMEOUT)
    physics.stop()
    assert not physics.is_alive() and not stepping.result(TIMEOUT)[0]
    answer = service(simulator, "step")
    assert not answer.success and naming("step ended").search(answer.message)
