"""Microseconds per physics step inside compiled code: thousands of steps per call, so the call does not count.

``rest`` leaves the drives at zero speed, ``motion`` has all of them at half their largest speed. Each round starts from
the same state, a second after the start. The tower crane on four falls should stay below 8 us, better 5.

Beside it MuJoCo with the same crane (see ``mujoco_crane.py``): the same bodies, masses, stiffness and path of the rope,
1 ms, ``implicitfast``. It needs about two thirds of the time, because it solves less. Its joints are coordinates and
its ropes springs, so while the load hangs free it has no constraint at all, only a mass matrix of 15 coordinates. Its
integrator takes damping implicitly but stiffness not: the slings make it unstable at 10 ms on two falls and at 15 ms
on four. Here joints, drives with their effort limits, the stretch of the ropes and the friction of their sheaves are
rows of one complementarity problem, solved to rounding and stable at any step and stiffness. MuJoCo's rope runs over
its sheaves without friction, and its servos stand for drives and brakes.
"""

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Simulator, load_scene

CRANES = ("tower_12t_2falls_hanging", "tower_12t_4falls_hanging", "tower_crane")
SMALL = {"two_boxes": {}, "chain_10": {"n": 10}, "chain_100": {"n": 100}}
STEPS = 5000
SETTLING = 1000
SHARE_OF_SPEED = 0.5
TARGET = {"tower_12t_4falls_hanging": "target 8 us, goal 5 us"}


def prepared(simulator: Simulator, moves: bool) -> Case:
    """Steps of a scene a second after its start, at rest or in motion."""
    for drive in simulator.scene.drives:
        simulator.command(drive.name, SHARE_OF_SPEED * drive.max_speed if moves else 0.0, "speed")
    simulator.step(SETTLING)
    start = simulator.save()
    return Case(lambda: simulator.step(STEPS), STEPS, lambda: simulator.restore(start))


def step() -> list[Row]:
    """All scenes, and MuJoCo if it is installed."""
    simulators, cases = {}, {}
    for name in CRANES:
        for state in ("rest", "motion"):
            simulators[f"{name} {state}"] = simulator = Simulator(load_scene(name))
            cases[f"{name} {state}"] = prepared(simulator, state == "motion")
    for name, parameters in SMALL.items():
        simulators[name] = simulator = Simulator(load_scene(name.partition("_1")[0], **parameters))
        cases[name] = prepared(simulator, False)
    cases |= mujoco_cases()
    rows = []
    for name, timing in measure(cases).items():
        note = TARGET.get(name.split()[0], "")
        if name in simulators:
            report = simulators[name].report
            note = "; ".join(filter(None, (note, f"status {report.status}, at most {report.iterations} rounds")))
        rows.append(Row("step", name, 1e6 * timing.best, 1e6 * timing.median, "us", note))
    return rows


def mujoco_cases() -> dict[str, Case]:
    """The two hanging cranes in MuJoCo, at rest and in motion; none if it is not installed."""
    try:
        from benchmarks.mujoco_crane import MujocoCrane
    except ImportError:
        return {}
    cases = {}
    for name in CRANES[:2]:
        for state in ("rest", "motion"):
            crane = MujocoCrane(load_scene(name), SHARE_OF_SPEED if state == "motion" else 0.0)
            crane.advance(SETTLING)
            start = crane.save()
            cases[f"mujoco {name} {state}"] = Case(
                lambda c=crane: c.advance(STEPS), STEPS, lambda c=crane, s=start: c.restore(s)
            )
    return cases
