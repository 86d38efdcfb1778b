"""Figure 8: the hook falls into the straight, tensionless rope; how its energy decays for ropes of
different weight."""

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator
from validation.harness import (
    Finding,
    Mode,
    Picture,
    Progress,
    Quantity,
    Result,
    Statement,
    at_least,
    at_most,
    fit_mode,
)

from .bounce import bounce
from .lift import (
    DAMPING,
    DENSITIES,
    FALL,
    HOOK,
    POINTS,
    G,
    lift_system,
    lifting_tension,
    resting_drop,
    spans,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H, SAMPLE = 1e-3, 10
"""Step [s], and steps between two samples."""
END, LATE = 40.0, (20.0, 32.0)
"""What is simulated, and the long term: strings have come to rest, energy is linear in the height
[s]."""
EARLY = 5.0
"""The beginning [s]."""
LIGHT = 2000.0
"""Mass of a hook with which the spans' own frequencies matter [kg]."""
MATERIAL = {HOOK: 5e-3, LIGHT: 2e-3}
"""Damping time of the rope's stretch for each hook [s]: the same decay without mass, 1.6 and 2.6 %
of critical."""

Array = NDArray[np.float64]


class Fall(NamedTuple):
    """Samples of the hook [s, J, N], where it rests in the end [m], and the energy of straightened
    waves [J]."""

    time: Array
    energy: Array
    tension: Array
    rest: float
    lost: float

    def late(self) -> Mode:
        """The oscillation of the energy in the long term."""
        chosen = (self.time >= LATE[0]) & (self.time < LATE[1])
        return fit_mode(self.energy[chosen], SAMPLE * H)


@cache
def fallen(density: float, mass: float = HOOK) -> Fall:
    """Release the hook at the lowest place without tension, all spans straight."""
    simulator = Simulator(lift_system(density, mass, damping_time=MATERIAL[mass]), dt=H)
    rest, rows = -resting_drop(density, mass), []
    while simulator.time < END - 0.5 * H:
        simulator.step(SAMPLE)
        seen = simulator.observe()
        hook = seen.body("hook")
        energy = 0.5 * mass * hook.velocity @ hook.velocity + mass * G * (hook.position[2] - rest)
        rows.append((seen.time, energy, seen.cable("rope").tension))
    return Fall(*np.array(rows).T, float(hook.position[2]), seen.cable("rope").energy_lost)


def figure_8(progress: Progress) -> Result:
    """A hook of 5 t is put where the rope is just not tight, all spans straight, and released. Its
    energy m v^2 / 2 + m g z, counted from where it comes to rest, starts near the same value for
    every rope, and swings about zero.

    The long-term rate is fitted to the energy between 20 and 32 s. With mass the bounce becomes a
    mode of hook and strings together (``bounce.py``), whose decay the linear theory gives: here
    within 5 % of the massless one, the paper's "the same". That is not so for every crane. The
    strings take part in the bounce near their own frequencies, and the more the longer and the less
    tight they are; with a hook of 2 t, whose bounce is faster and whose rope is less tight, the
    decay is faster by 9 % at 1 and 2 kg/m, as the linear theory says. At 3 kg/m bounce and string
    have become two modes whose rates are 1.35 and 1.6 times the massless one: the energy beats.
    """
    found: list[Finding] = []
    massless = fallen(0.0)
    for density in progress.over(DENSITIES):
        found += _decay(density, massless)
    found += _beginning() + _light()
    shares = max(fallen(density).lost / massless.energy[0] for density in DENSITIES)
    found.append(
        at_most(
            "energy of straightened waves over the hook's",
            2e-3,
            shares,
            "",
            "the lightest rope at its tightest",
        )
    )
    caption = (
        "Figure 8. Energy of the hook: the beginning, and the envelope of later swings (largest "
        "energy within half a "
        "second) beside the massless decay (dotted); above a hook of 5 t, below of 2 t."
    )
    return Result(found, [Picture("figure_8", caption, _draw)])


def _decay(density: float, massless: Fall) -> list[Finding]:
    """Of the hook of 5 t."""
    fall, tag = fallen(density), f"{density:g} kg/m"
    mode, theory = fall.late(), bounce(density, DAMPING, MATERIAL[HOOK])
    rate, plain = mode.decay_rate(SAMPLE * H), massless.late().decay_rate(SAMPLE * H)
    rest = -resting_drop(density)
    found: list[Finding] = [
        Quantity(
            f"long-term decay rate, {tag}", None, theory.decay, rate, 0.01, "1/s", "linear theory"
        ),
        Quantity(
            f"long-term frequency, {tag}",
            None,
            theory.omega,
            2.0 * math.pi / mode.period,
            1e-3,
            "rad/s",
        ),
        Quantity(
            f"place of rest below the release, {tag}",
            None,
            rest + FALL,
            fall.rest + FALL,
            1e-3,
            "m",
        ),
    ]
    if density:
        found.append(
            Quantity(f"decay rate against the massless rope, {tag}", None, plain, rate, 0.05, "1/s")
        )
    return found


def _beginning() -> list[Finding]:
    """How far the energies are from the massless one in the first seconds, over the size of its
    swing."""
    massless = fallen(0.0)
    early = massless.time < EARLY
    apart = [
        float(
            np.abs(fallen(density).energy - massless.energy)[early].max()
            / np.ptp(massless.energy[early])
        )
        for density in DENSITIES
    ]
    return [
        at_least(
            "difference from the massless energy at the beginning, 3 kg/m",
            0.1,
            apart[-1],
            "",
            "of its swing",
        ),
        Statement(
            "the heavier the rope, the more the beginning differs",
            "every difference is larger than the one before",
            bool(np.all(np.diff(apart) > 0.0)),
            ", ".join(f"{share:.2g}" for share in apart),
        ),
    ]


def _light() -> list[Finding]:
    """The hook of 2 t: where the paper's claim ends."""
    found: list[Finding] = []
    plain = fallen(0.0, LIGHT).late().decay_rate(SAMPLE * H)
    for density in (0.0, 0.5, 1.0, 2.0):
        rate = fallen(density, LIGHT).late().decay_rate(SAMPLE * H)
        theory = bounce(density, DAMPING, MATERIAL[LIGHT], LIGHT).decay
        found.append(
            Quantity(
                f"long-term decay rate, 2 t on {density:g} kg/m", None, theory, rate, 0.01, "1/s"
            )
        )
    heavy = fallen(3.0, LIGHT).late().decay_rate(SAMPLE * H)
    note = "two modes together, of 1.35 and 1.6 by the linear theory"
    found.append(
        at_least("decay rate over the massless one, 2 t on 3 kg/m", 1.2, heavy / plain, "", note)
    )
    return found


@cache
def swayed(density: float, damping: float) -> Mode:
    """The pendulum across the jib, released from rest on the hanging rope with 0.1 m/s."""
    tension = lifting_tension(density)
    simulator = Simulator(lift_system(density, pretension=tension, damping=damping, sway=0.1), dt=H)
    values = []
    for _ in range(600):
        simulator.step(100)
        values.append(simulator.observe().body("hook").position[1])
    return fit_mode(values, 100.0 * H)


def pendulum(progress: Progress) -> Result:
    """The pendulum frequency for ropes of different weight and damping, the hook swaying across the
    jib.

    A rope of mass m on the two falls puts half its weight and the share c = (M - 1) (2 M - 1) / 6
    M^2 of its inertia on the hook (a third, for many intervals M), so for a hook of mass H

        omega^2 = (g / h) (H + m / 2) / (H + c m),

    faster by m / 12 H, a fifth of a percent at 3 kg/m: the paper saw no influence. The damping b of
    the strings brakes the sway at the rate b c m / 2 (H + c m), which moves its frequency by
    nothing that could be seen.
    """
    found: list[Finding] = []
    plain = math.sqrt(G / FALL)
    cases = [*((density, DAMPING) for density in DENSITIES), (1.0, 0.0), (1.0, 4.0)]
    for density, damping in progress.over(cases):
        mode, rope = swayed(density, damping), _falls(density)
        theory = plain * math.sqrt((HOOK + rope.mass / 2.0) / (HOOK + rope.inertia))
        tag, omega = f"{density:g} kg/m, b = {damping:g} 1/s", 2.0 * math.pi / mode.period
        found += [
            Quantity(
                f"pendulum frequency, {tag}",
                None,
                theory,
                omega,
                2e-5,
                "rad/s",
                "with the rope's weight",
            ),
            Quantity(
                f"pendulum frequency against massless, {tag}", None, plain, omega, 2.5e-3, "rad/s"
            ),
        ]
    rope, rate = _falls(DENSITIES[-1]), swayed(DENSITIES[-1], DAMPING).decay_rate(100.0 * H)
    theory = 0.5 * DAMPING * rope.inertia / (HOOK + rope.inertia)
    found.append(
        Quantity(
            "damping of the sway by that of the strings, 3 kg/m", None, theory, rate, 0.01, "1/s"
        )
    )
    return Result(found)


class Falls(NamedTuple):
    """The rope of both falls: its mass, and what of it the hook feels as inertia [kg]."""

    mass: float
    inertia: float


def _falls(density: float) -> Falls:
    """Of the rope of that density."""
    mass, intervals = density * 2.0 * spans()[1].chord, POINTS - 1
    return Falls(mass, mass * (intervals - 1) * (2 * intervals - 1) / (6.0 * intervals**2))


def _envelope(fall: Fall) -> tuple[Array, Array]:
    """Largest size of the energy in every half second."""
    window = round(0.5 / (SAMPLE * H))
    rows = fall.time.size // window
    return fall.time[: rows * window : window], np.abs(fall.energy[: rows * window]).reshape(
        rows, window
    ).max(axis=1)


def _draw() -> "Figure":
    """Beginning and envelope for both hooks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 6.0))
    grid = figure.subplots(2, 2)
    for row, mass in zip(grid, (HOOK, LIGHT), strict=True):
        for color, density in enumerate(DENSITIES):
            fall = fallen(density, mass)
            style = {"color": f"C{color}", "label": f"{density:g} kg/m"}
            early = fall.time < 3.0
            row[0].plot(fall.time[early], 1e-3 * fall.energy[early], **style)
            time, size = _envelope(fall)
            row[1].semilogy(time[time < LATE[1]], 1e-3 * size[time < LATE[1]], **style)
        time, size = _envelope(fallen(0.0, mass))
        decay = bounce(0.0, DAMPING, MATERIAL[mass], mass).decay
        time = time[time < LATE[1]]
        row[1].semilogy(time, 1e-3 * size[0] * np.exp(-decay * time), "k:", linewidth=0.9)
        row[0].set_ylabel(f"energy of the hook of {1e-3 * mass:g} t [kJ]")
        row[1].set_ylabel("its swings [kJ]")
    for axes in grid[1]:
        axes.set_xlabel("time [s]")
    for axes in grid.ravel():
        axes.margins(x=0.0)
    grid[0, 1].legend()
    return figure
