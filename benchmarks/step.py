"""Microseconds per physics step inside compiled code: thousands of steps per call, so the call does
not count.

``rest`` leaves the drives at zero speed, ``motion`` has all of them at half their largest speed.
Each round starts from the same state, a second after the start. The tower crane on four falls
should stay below 8 us, better 5; the gantry, with four ropes and eight falls, below 15.

Beside it MuJoCo with the same crane (see ``mujoco_crane.py``): the same bodies, masses, stiffness
and path of the rope, 1 ms, ``implicitfast``. It needs 55 to 70 % of the time, for a smaller
problem: joints are coordinates there and ropes springs, so that while the load hangs free there are
    15 coordinates and no constraint (``nefc`` is 0). Here joints,
drives with their effort limits, stretch of ropes and friction of sheaves are rows of one
complementarity problem. How much of the difference each of these makes has not been measured.

What the rows buy is the step: over 10 s at rest, MuJoCo's model runs at 8 ms and is unstable at 10
ms. This one ends within a micrometre of its 2 ms result at 50, 100 and 200 ms, on two falls and on
four, with both steppers; with the hook hoisted at 0.3 m/s for four of the 10 s it ends within 14
mm. MuJoCo's rope has no friction at its sheaves, its drives start without a ramp, and its servos
creep under load, 7 cm in those 10 s.
"""

from dataclasses import replace

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Drive, Scene, Simulator, load_scene

CRANES = (
    "tower_12t_2falls_hanging",
    "tower_12t_4falls_hanging",
    "tower_crane",
    "rtg_41t_hanging",
    "gantry_crane",
)
SMALL = {"two_boxes": {}, "chain_10": {"n": 10}, "chain_100": {"n": 100}}
STEPS = 5000
SETTLING = 1000
SHARE_OF_SPEED = 0.5
TARGET = {"tower_12t_4falls_hanging": "target 8 us, goal 5 us", "rtg_41t_hanging": "target 15 us"}


def prepare_steps(simulator: Simulator, moves: bool) -> Case:
    """Steps of a scene a second after its start, at rest or in motion."""
    for drive in simulator.scene.drives[:3]:  # those of the crane, not one that a case adds
        simulator.command(drive.name, SHARE_OF_SPEED * drive.max_speed if moves else 0.0, "speed")
    simulator.step(SETTLING)
    start = simulator.save()
    return Case(lambda: simulator.step(STEPS), STEPS, lambda: simulator.restore(start))


def scenes_with_more(name: str) -> dict[str, Scene]:
    """A crane as it is, and a tower crane with a twist row on its hoist rope, and with a velocity
    driver on it.

    The gantry's ropes have their twist rows anyway.
    """
    scene = load_scene(name)
    if name in ("rtg_41t_hanging", "gantry_crane"):
        return {"": scene}
    held = {"changes": {"reeving.swivel": False}} if name == "tower_crane" else {"swivel": False}
    driver = Drive("driver", scene.cables[0].name, target=1.0, slip=10.0)
    return {
        "": scene,
        " with twist": load_scene(name, **held),
        " with driver": replace(scene, drives=(*scene.drives, driver)),
    }


def step() -> list[Row]:
    """All scenes, and MuJoCo if it is installed."""
    simulators = {}
    cases = {}
    for name in CRANES:
        for state in ("rest", "motion"):
            for more, scene in scenes_with_more(name).items():
                simulators[f"{name}{more} {state}"] = simulator = Simulator(scene)
                cases[f"{name}{more} {state}"] = prepare_steps(simulator, state == "motion")
    for name, parameters in SMALL.items():
        simulators[name] = simulator = Simulator(load_scene(name.partition("_1")[0], **parameters))
        cases[name] = prepare_steps(simulator, False)
    cases |= mujoco_cases()
    rows = []
    for name, timing in measure(cases).items():
        note = TARGET.get(name.split()[0], "")
        if name in simulators:
            report = simulators[name].report
            note = "; ".join(
                filter(None, (note, f"status {report.status}, at most {report.iterations} rounds"))
            )
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
