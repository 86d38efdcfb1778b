"""What a loop around the steps costs: in Python, as a compiled law, and with a recording.

``loop``: a body hovers with a load on a rope, at 1 ms. Every step reads its height and speed and
sets the force on it. In Python by live views, by observations, and as a law in the compiled run;
beside it one step by itself, an observation of the tower crane, and the same loop in MuJoCo, if
that is installed.

``recording``: steps a second of the tower crane and of the hovering body without a recording, and
with one of the load's position and the rope's tension at every and at every tenth step.
"""

from typing import Any

from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator, Sphere, load_scene

LOOPS = 2000
STEPS = 5000
WEIGHT = 24.525
MODEL = """
<mujoco><option timestep="0.001"/><worldbody>
  <body name="quad" pos="0 0 10"><freejoint/><site name="a"/>
    <geom type="box" size=".2 .2 .05" mass="2" contype="0" conaffinity="0"/></body>
  <body name="load" pos="0.5 0 7.04"><freejoint/><site name="b"/>
    <geom size=".05" mass=".5" contype="0" conaffinity="0"/></body>
</worldbody><tendon>
  <spatial limited="true" range="0 3"><site site="a"/><site site="b"/></spatial>
</tendon></mujoco>
"""


def hovering() -> Simulator:
    """A load on a rope of 3 m below a body that can be pushed."""
    bodies = [
        Body("quad", 2.0, shape=Box(0.4, 0.4, 0.1), position=(0.0, 0.0, 10.0)),
        Body("load", 0.5, shape=Sphere(0.05), position=(0.5, 0.0, 7.04)),
    ]
    rope = Cable("rope", [Anchor("quad"), Anchor("load")])
    return Simulator(Scene(bodies=bodies, cables=[rope]), dt=1e-3)


def hover(time: Any, x: Any, u: Any, memory: Any) -> None:
    """The force that holds the height."""
    u[0] = WEIGHT + 8.0 * (10.0 - x[0]) - 6.0 * x[1]


def loop() -> list[Row]:
    """Microseconds of one turn of the loop."""
    cases = {
        "live views, push, step": _live(),
        "observe, push, step": _observing(),
        "the same as a law": _law(),
        "step(1)": _calls(lambda s: s.step(1)),
        "observe()": _calls(lambda s: s.observe()),
        "observe() of tower_crane": _calls(lambda s: s.observe(), load_scene("tower_crane")),
        **_mujoco(),
    }
    return [
        Row("loop", name, 1e6 * timing.best, 1e6 * timing.median, "us")
        for name, timing in measure(cases).items()
    ]


def recording() -> list[Row]:
    """Steps a second."""
    cases = {}
    for name, channels in (
        ("hovering", ["load.position", "rope.tension"]),
        ("tower_crane", ["load.position", "hoist_rope.tension"]),
    ):
        for every in (0, 10, 1):
            simulator = hovering() if name == "hovering" else Simulator(load_scene(name))
            told = f"every {every}" if every else "without"
            cases[f"{name} {told}"] = _recorded(simulator, channels, every)
    return [
        Row("recording", name, 1.0 / timing.best, 1.0 / timing.median, "steps/s")
        for name, timing in measure(cases).items()
    ]


def _recorded(simulator: Simulator, channels: list[str], every: int) -> Case:
    """Steps from the same start, with a recording or without."""
    kept: list[Any] = []

    def again() -> None:
        while kept:
            kept.pop().stop()
        simulator.reset()
        if every:
            kept.append(simulator.record(channels, every))

    return Case(lambda: simulator.step(STEPS), STEPS, again)


def _live() -> Case:
    """The loop by live views."""
    simulator = hovering()
    quad = simulator.bodies["quad"]

    def run() -> None:
        for _ in range(LOOPS):
            height = quad.position[2]
            quad.push((0.0, 0.0, WEIGHT + 8.0 * (10.0 - height) - 6.0 * quad.velocity[2]))
            simulator.step(1)

    return Case(run, LOOPS, simulator.reset)


def _observing() -> Case:
    """The loop by observations."""
    simulator = hovering()

    def run() -> None:
        for _ in range(LOOPS):
            seen = simulator.observe().body("quad")
            force = WEIGHT + 8.0 * (10.0 - seen.position[2]) - 6.0 * seen.velocity[2]
            simulator.push("quad", (0.0, 0.0, force))
            simulator.step(1)

    return Case(run, LOOPS, simulator.reset)


def _law() -> Case:
    """The loop in the compiled run."""
    simulator = hovering()
    simulator.use_law(hover, ["quad.position.z", "quad.velocity.z"], ["quad.force.z"])
    return Case(lambda: simulator.step(STEPS), STEPS, simulator.reset)


def _calls(call: Any, scene: Scene | None = None) -> Case:
    """One call on a simulator, again and again."""
    simulator = hovering() if scene is None else Simulator(scene)

    def run() -> None:
        for _ in range(LOOPS):
            call(simulator)

    return Case(run, LOOPS, simulator.reset)


def _mujoco() -> dict[str, Case]:
    """The loop in MuJoCo; nothing if it is not installed."""
    try:
        import mujoco
    except ImportError:
        return {}
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)

    def run() -> None:
        for _ in range(LOOPS):
            force = WEIGHT + 8.0 * (10.0 - data.xpos[1, 2]) - 6.0 * data.qvel[2]
            data.xfrc_applied[1, 2] = force
            mujoco.mj_step(model, data)

    def steps() -> None:
        for _ in range(LOOPS):
            mujoco.mj_step(model, data)

    def again() -> None:
        mujoco.mj_resetData(model, data)

    return {
        "mujoco: read, push, mj_step": Case(run, LOOPS, again),
        "mujoco: mj_step": Case(steps, LOOPS, again),
    }
