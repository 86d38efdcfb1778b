"""How errors fall with the step: places at an end against the exact ones, or against an own run
with a finer step.

The order is log2 of an error over that with half the step: 2 where errors fall to a quarter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, log2
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks import chains, moving_pendulums, turning_bodies
from benchmarks.moving_pendulums import ANGLE, GRAVITY, LENGTH, MASS, hanging, integrate
from benchmarks.peers import crane
from benchmarks.results import Row
from cable_sim import Anchor, Body, Cable, Drive, Joint, Scene, Simulator, Sphere, load_scene
from cable_sim.spec import Elevation, Hybrid, Winch

Array = NDArray[np.float64]
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)
"""Steps [s]; each is half of the one before."""
FINER = 8
"""How many times finer the own run is that has no exact one, than the finest of STEPS."""
EA = 2e5
STRAIN = 0.005
DAMPING_TIME = 2e-3
"""Of the elastic ones: N; of the rope at the start; s."""
PUSHED = (0.3, 0.2, 0.1)
"""Velocity of the elastic pendulums at the start [m/s]."""
SPEED = 1.0
ACCELERATION = 1.0
LAG = 0.05
"""Of the drive: set-point [m/s], bound of the ramp [m/s^2], speed loop [s]."""
WINCH = 25.0
SLIP = 5e-4
DAMPING = 40.0
"""Mass of a winch [kg], slip of its drive [m/s/N], viscous friction of the slide [N s/m]."""
DENSITY = 1.0
"""Of ropes that weigh [kg/m]."""
REST = 0.2
PUSH = 200.0
"""How long a wire gets its masses in while the load hangs [s]; what then pushes the load [N]."""
MOVING = (
    ("swinging Atwood machine", 1.0, moving_pendulums, "atwood"),
    ("pendulum on a slewing jib", 3.0, moving_pendulums, "slewing"),
    ("pendulum that is reeled in", 3.0, moving_pendulums, "reeling"),
    ("load that bounces on its rope", 2.0, moving_pendulums, "bouncing"),
    ("cube that turns on its cable", 3.0, turning_bodies, "twisting"),
    ("cube on a hinge with a spring", 3.0, turning_bodies, "springing"),
)
"""Names, ends [s], modules, and what their functions are called there."""


@dataclass(frozen=True)
class Problem:
    """A run whose error is told.

    ``place`` takes a step and a time, and returns where what is looked at is then [m]; ``exact``
    takes the time, and is left out where there is only an own run with a finer step.
    """

    name: str
    end: float
    place: Callable[[float, float], Array]
    exact: Callable[[float], Array] | None = None


def errors(problem: Problem, steps: Sequence[float] = STEPS) -> list[float]:
    """Largest distance from where it should be at the end, for every step [m]."""
    finest = min(steps) / FINER
    right = problem.exact(problem.end) if problem.exact else problem.place(finest, problem.end)
    return [
        float(np.linalg.norm(problem.place(h, problem.end) - right, axis=-1).max()) for h in steps
    ]


def orders(found: Sequence[float]) -> list[float]:
    """Order from each step to the next, half of it."""
    return [log2(one / other) for one, other in zip(found, found[1:], strict=False)]


def pendulum_scene(pushed: bool = False, **rope: Any) -> Scene:
    """A ball on a rope from the origin."""
    velocity = PUSHED if pushed else (0.0, 0.0, 0.0)
    ball = Body("ball", MASS, shape=Sphere(0.01), position=tuple(hanging()), velocity=velocity)
    return Scene(bodies=(ball,), cables=(Cable("rope", (Anchor("world"), Anchor("ball")), **rope),))


def ball_place(scene: Scene, h: float, end: float) -> Array:
    """Where the ball is at the end (3,) [m]."""
    simulator = Simulator(scene, dt=h)
    simulator.step(round(end / h))
    return np.array(simulator.observe().body("ball").position)


def pushed_place(h: float, end: float) -> Array:
    """Where a load on a rigid hybrid wire is that hangs for REST, and is pushed then (3,) [m].

    Masses come in the first steps, one a step: with the load on its way that would be of first
    order.
    """
    wire = Hybrid(density=DENSITY, most=4, damping=0.0)
    ball = Body("ball", MASS, shape=Sphere(0.01), position=(0.0, 0.0, -LENGTH))
    nodes = Anchor("world"), Anchor("ball")
    simulator = Simulator(Scene(bodies=(ball,), cables=(Cable("rope", nodes, hybrid=wire),)), dt=h)
    simulator.step(round(REST / h))
    simulator.push("ball", (PUSH, 0.0, 0.0))
    simulator.step(round((end - REST) / h))
    return np.array(simulator.observe().body("ball").position)


def exact_rigid(end: float) -> Array:
    """Where the ball of the rigid pendulum is (3,) [m]."""
    angle, _ = integrate(lambda t, y: (y[1], -GRAVITY / LENGTH * np.sin(y[0])), (ANGLE, 0.0), end)
    return LENGTH * np.array([np.sin(angle), 0.0, -np.cos(angle)])


def exact_elastic(damping_time: float, end: float) -> Array:
    """Where the ball of an elastic pendulum is (3,) [m]."""
    length = LENGTH * (1.0 - STRAIN)

    def rates(t: float, y: Array) -> Array:
        reach = float(np.linalg.norm(y[:3]))
        along = y[:3] / reach
        stretch = reach - length
        tension = EA / length * (stretch + damping_time * float(along @ y[3:]))
        pull = max(tension, 0.0) if stretch > 0.0 else 0.0
        return np.concatenate([y[3:], (0.0, 0.0, -GRAVITY) - pull / MASS * along])

    return integrate(rates, (*hanging(), *PUSHED), end)[:3]


def drive_scene() -> Scene:
    """A slide whose drive is stronger than all that acts on it."""
    return Scene(
        bodies=(Body("slide", MASS, shape=Sphere(0.1)),),
        joints=(Joint("rail", "prismatic", "slide", axis=(1.0, 0.0, 0.0)),),
        drives=(Drive("drive", "rail", max_acceleration=ACCELERATION, lag=LAG),),
    )


def drive_place(h: float, end: float) -> Array:
    """Where the slide is (1,) [m]."""
    simulator = Simulator(drive_scene(), dt=h)
    simulator.command("drive", SPEED)
    simulator.step(round(end / h))
    return np.array([simulator.drives["drive"].position])


def exact_drive(end: float) -> Array:
    """Where a slide is that goes at the speed of a ramp behind the lag, once that has ended (1,)
    [m]."""
    ramp = SPEED / ACCELERATION
    behind = exp(-(end - ramp) / LAG) - exp(-end / LAG)
    way = SPEED * (end - 0.5 * ramp)
    return np.array([way - LAG * SPEED + ACCELERATION * LAG * LAG * behind])


def slip_place(h: float, end: float, stepper: Literal["spook", "regularised"] = "spook") -> Array:
    """Where a load is that a winch with slip lifts from rest (1,) [m]."""
    ball = Body("ball", MASS, shape=Sphere(0.1), position=(0.0, 0.0, -LENGTH))
    winch = Winch("winch", WINCH)
    scene = Scene(
        bodies=(ball,),
        cables=(Cable("rope", (Anchor("world"), Anchor("ball")), length=LENGTH, winch=winch),),
        drives=(Drive("drive", "winch", target=-SPEED, slip=SLIP),),
    )
    simulator = Simulator(scene, dt=h, stepper=stepper)
    simulator.step(round(end / h))
    return np.array([simulator.observe().body("ball").position[2]])


def exact_slip(end: float) -> Array:
    """Where the lifted load is (1,) [m]: its speed closes in on one without acceleration."""
    tau = (MASS + WINCH) * SLIP
    final = SPEED - SLIP * MASS * GRAVITY
    return np.array([-LENGTH + final * (end + tau * (exp(-end / tau) - 1.0))])


def friction_place(
    h: float, end: float, stepper: Literal["spook", "regularised"] = "spook"
) -> Array:
    """Where a slide with viscous friction is that was given a speed (1,) [m]."""
    scene = Scene(
        bodies=(Body("slide", MASS, shape=Sphere(0.1), velocity=(SPEED, 0.0, 0.0)),),
        joints=(Joint("rail", "prismatic", "slide", axis=(1.0, 0.0, 0.0), damping=DAMPING),),
    )
    simulator = Simulator(scene, dt=h, stepper=stepper)
    simulator.step(round(end / h))
    return np.array([simulator.observe().joint("rail").position])


def exact_friction(end: float) -> Array:
    """Where the slide with viscous friction is (1,) [m]."""
    tau = MASS / DAMPING
    return np.array([SPEED * tau * (1.0 - exp(-end / tau))])


def crane_place(h: float, end: float) -> Array:
    """Where the load of the proof page's crane is (3,) [m]."""
    ours = crane.Ours(crane.remove_losses(load_scene(crane.SCENE)), h)
    ours.advance(round(end / h))
    return np.array(ours.load())


def chain_place(h: float, end: float) -> Array:
    """Where the masses of a chain of 100 are that falls from 45 degrees (n + 1, 3) [m]."""
    simulator = Simulator(chains.sloping_scene(100), dt=h)
    simulator.step(round(end / h))
    return np.array(simulator.observe().cable("chain").curve)


def problems() -> list[Problem]:
    """All."""
    rope: dict[str, Any] = {"ea": EA, "length": LENGTH * (1.0 - STRAIN)}
    wave = Elevation(density=DENSITY, points=9, damping=0.0)
    return [
        Problem("rigid pendulum", 3.0, partial(ball_place, pendulum_scene()), exact_rigid),
        Problem(
            "elastic pendulum",
            3.0,
            partial(ball_place, pendulum_scene(pushed=True, **rope)),
            partial(exact_elastic, 0.0),
        ),
        Problem(
            "damped elastic pendulum",
            3.0,
            partial(ball_place, pendulum_scene(pushed=True, damping_time=DAMPING_TIME, **rope)),
            partial(exact_elastic, DAMPING_TIME),
        ),
        *(
            Problem(name, end, getattr(where, f"{way}_place"), getattr(where, f"exact_{way}"))
            for name, end, where, way in MOVING
        ),
        Problem("drive, ramp and lag", 1.2, drive_place, exact_drive),
        Problem("winch with slip", 0.1, slip_place, exact_slip),
        Problem("slide with viscous friction", 0.5, friction_place, exact_friction),
        Problem("tower crane: hoists, travels and slews", 3.0, crane_place),
        Problem("chain of 100 masses", 1.0, chain_place),
        Problem("elevation span", 1.0, partial(ball_place, pendulum_scene(elevation=wave, **rope))),
        Problem("hybrid wire", 1.2, pushed_place),
    ]


def order() -> list[Row]:
    """mm of error with every step, and the order to the next."""
    rows = []
    for problem in problems():
        found = errors(problem)
        notes = [f"order {one:.2f} to half the step" for one in orders(found)]
        against = (
            "the exact run" if problem.exact else f"its own run at {1e3 * STEPS[-1] / FINER} ms"
        )
        for h, error, note in zip(STEPS, found, [*notes, f"against {against}"], strict=True):
            rows.append(
                Row(
                    "order", f"{problem.name}, {1e3 * h:g} ms", 1e3 * error, 1e3 * error, "mm", note
                )
            )
    return rows
