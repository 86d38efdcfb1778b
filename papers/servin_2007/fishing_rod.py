"""Figure 10: a box is tossed, reeled in and lifted by a cable that consists of its velocity driver
alone."""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Simulator, load_scene
from validation.harness import Finding, Picture, Progress, Quantity, Result, Statement, at_most

from .sketch import draw_scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H = 0.01
"""Step; the paper names none for this scene [s]."""
BOX = 1.0
"""Mass of the box [kg]."""


class Phase(NamedTuple):
    """What the reel is told, and until when: slip xi [m/s/N], rate w [m/s], end in the
    demonstration [s]."""

    name: str
    slip: float
    rate: float
    until: float


PHASES = (
    Phase("toss", 10.0, 0.0, 4.0),
    Phase("rewinding", 0.1, -0.2, 25.0),
    Phase("lift", 0.05, -0.5, 60.0),
)

Array = NDArray[np.float64]


class Series(NamedTuple):
    """Samples at every step: time [s]; the box's x, z [m]; length of the line [m], tension, force
    of the ground [N]."""

    time: Array
    x: Array
    z: Array
    length: Array
    tension: Array
    ground: Array

    def of(self, phase: Phase) -> "Series":
        """The samples of one phase; phases follow one another without a gap."""
        begin = max((other.until for other in PHASES if other.until < phase.until), default=0.0)
        chosen = (self.time > begin + 0.5 * H) & (self.time < phase.until + 0.5 * H)
        return Series(*(column[chosen] for column in self))


@cache
def run() -> Series:
    """The three phases one after another."""
    simulator, rows = Simulator(load_scene("fishing_rod"), dt=H, stepper="regularised"), []
    for phase in PHASES:
        simulator.command("reel", phase.rate, slip=phase.slip)
        while simulator.time < phase.until - 0.5 * H:
            simulator.step()
            seen = simulator.observe()
            box, line = seen.body("box"), seen.cable("line")
            rows.append(
                (seen.time, *box.position[[0, 2]], line.length, line.tension, box.contact_force[2])
            )
    return Series(*np.array(rows).T)


def hanging(phase: Phase, gravity: float) -> tuple[float, float]:
    """Steady rate of the line [m/s] and time constant of the approach [s] with the box hanging
    free.

    The rates of successive steps obey v' = a v + b, from which both follow without waiting for the
    end.
    """
    scene = load_scene("fishing_rod", speed=0.0, climb=-1.0, gravity=gravity)
    simulator = Simulator(scene, dt=H, stepper="regularised")
    simulator.command("reel", phase.rate, slip=phase.slip)
    rates = []
    for _ in range(50):
        simulator.step()
        rates.append(simulator.observe().drive("reel").velocity)
    v = np.array(rates)
    (a, b), *_ = np.linalg.lstsq(np.column_stack([v[:-1], np.ones(v.size - 1)]), v[1:], rcond=None)
    return float(b / (1.0 - a)), float(H * a / (1.0 - a))


def figure_10(progress: Progress) -> Result:
    """A rod of 0.02 kg, nailed by a ball joint at a height of 12 m, a box of 1 kg, and between them
    a line whose length
    nothing but the driver constrains: it grows at the rate w + xi T. The values are those of the
    paper; rod, toss and ground are chosen here.

    With xi as a mobility, which eq. 10 makes it, a box of mass m that hangs free settles at w + xi
    m g with the time constant xi m. The values printed for the lift then just hold a box of 1 kg:
    at g = 10 m/s^2, which the paper uses for figure 9, the rate is exactly zero, and at 9.81 m/s^2
    the box rises by 1 cm/s. Those for the rewinding would pay line out under the full weight; they
    drag the box over the ground.
    """
    found: list[Finding] = []
    for phase in progress.over(PHASES):
        for gravity in (10.0, 9.81):
            rate, constant = hanging(phase, gravity)
            steady = phase.rate + phase.slip * BOX * gravity
            tag = f"{phase.name}, g = {gravity:g}"
            found.append(
                Quantity(
                    f"steady rate of the line, {tag}", None, steady, rate, 1e-6, "m/s", "w + xi m g"
                )
            )
        found.append(
            Quantity(
                f"time constant, {phase.name}", None, phase.slip * BOX, constant, 1e-6, "s", "xi m"
            )
        )
    caption = (
        "Figure 10. Above: the box in the toss, the rewinding and the lift, with rod and line "
        "every half second, then every five. Below: length of and tension in the line."
    )
    return Result([*found, *_demonstration()], [Picture("figure_10", caption, _draw)])


def _demonstration() -> list[Finding]:
    """What the box does in the three phases."""
    series = run()
    toss, rewinding, lift = (series.of(phase) for phase in PHASES)
    steady = rewinding.time > PHASES[0].until + 5.0
    law = PHASES[1].rate + PHASES[1].slip * rewinding.tension[steady].mean()
    reeled = np.diff(rewinding.length[steady]).mean() / H
    pull = float(lift.tension[lift.time > lift.time[-1] - 10.0].mean())
    return [
        Statement(
            "the toss pays line out",
            "by more than 10 m",
            bool(toss.length[-1] - toss.length[0] > 10.0),
            f"from {toss.length[0]:.2f} to {toss.length[-1]:.2f} m",
        ),
        Quantity(
            "rate of rewinding over the ground",
            None,
            float(law),
            float(reeled),
            1e-3,
            "m/s",
            "w + xi T, means",
        ),
        Statement(
            "rewinding drags the box and does not lift it",
            "x falls, z stays",
            bool(rewinding.x[-1] < rewinding.x[0] - 1.0 and np.ptp(rewinding.z[steady]) < 1e-3),
            f"x from {rewinding.x[0]:.2f} to {rewinding.x[-1]:.2f} m, z by "
            f"{1e3 * np.ptp(rewinding.z[steady]):.2g} mm",
        ),
        at_most(
            "smallest force of the ground in the lift",
            1e-9,
            float(lift.ground.min()),
            "N",
            "the box leaves it",
        ),
        Quantity(
            "tension at the end of the lift",
            None,
            BOX * 10.0,
            pull,
            0.03,
            "N",
            "m g, about: the box swings",
        ),
    ]


def _draw() -> "Figure":
    """Three side views and two series."""
    from matplotlib.figure import Figure

    figure, series, scene = Figure(figsize=(10.0, 6.4)), run(), load_scene("fishing_rod")
    grid = figure.add_gridspec(3, 3, height_ratios=(2.4, 1, 1))
    simulator = Simulator(scene, dt=H, stepper="regularised")
    for column, phase in enumerate(PHASES):
        view = figure.add_subplot(grid[0, column])
        simulator.command("reel", phase.rate, slip=phase.slip)
        while simulator.time < phase.until - 0.5 * H:
            draw_scene(view, scene, simulator.observe(), alpha=0.35)
            simulator.step(round(min(_every(phase), phase.until - simulator.time) / H))
        draw_scene(view, scene, simulator.observe())
        shown = series.of(phase)
        view.plot(shown.x, shown.z, ":", color="#1f5fa8", linewidth=1.0)
        view.axhline(0.0, color="#777777", linewidth=1.0)
        view.set(
            xlim=(-3.5, 16.0),
            ylim=(-0.8, 12.8),
            aspect="equal",
            xlabel="x [m]",
            xticks=range(0, 16, 5),
        )
        view.set_title(rf"{phase.name}: $\xi$ = {phase.slip:g}, $w$ = {phase.rate:g}")
        if column == 0:
            view.set_ylabel("z [m]")
    for row, (values, label) in enumerate(
        ((series.length, "length [m]"), (series.tension, "tension [N]")), start=1
    ):
        axes = figure.add_subplot(grid[row, :])
        axes.plot(series.time, values)
        for phase in PHASES[:-1]:
            axes.axvline(phase.until, color="#777777", linewidth=0.8)
        axes.set_ylabel(label)
        axes.margins(x=0.0)
    axes.set_xlabel("time [s]")
    return figure


def _every(phase: Phase) -> float:
    """Time between two pictures of the line [s]."""
    return 0.5 if phase.name == "toss" else 5.0
