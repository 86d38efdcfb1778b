"""Elastic lines across a gap, and a person in the middle: what a cableway and its carriage are.

Source: the table of slacktivity.com/forces-in-highlining: three lines of webbing, a load cell at
one end, a person of 57 kg. Printed is how far the webbings stretch under 10 kN. The tension of the
longest line before the person steps on is printed as 15 kN, which is taken as 1.5 kN: the pull with
the person is 2.4 kN.
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from cable_sim import Anchor, Body, Cable, Scene, Sphere, equilibrium, modes
from validation.harness import Measurement, Picture, Progress, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PERSON, STRETCHED = 57.0, 1e4
"""Mass [kg]; pull at which the stretch of a webbing is printed [N]."""


class Line(NamedTuple):
    """Line: its webbing, span [m], pull before [N], stretch under 10 kN [-], and what was measured:
    pull with the person [N], and frequency of bouncing [Hz]."""

    webbing: str
    span: float
    before: float
    stretch: float
    pull: str
    frequency: str


LINES = (
    Line("pinkTube", 63.0, 1500.0, 0.18, "2400", "0.35"),
    Line("pinkTube", 39.0, 1400.0, 0.18, "2100", "0.46"),
    Line("halfMarathon", 41.0, 1700.0, 0.04, "3100", "0.56"),
)
UNTOLD = "the webbing's own weight, and where the person stands, are not told"
DRIVEN = "a person who bounces drives the line, and is no rigid mass"


def gap(line: Line, mass: float = PERSON) -> Scene:
    """Return a line with the person in its middle, as two ropes that hold a ball."""
    stiffness = STRETCHED / line.stretch
    half = 0.5 * line.span
    sides = [
        Cable(
            name,
            [Anchor("world", (x, 0.0, 0.0)), Anchor("person")],
            length=half / (1.0 + line.before / stiffness),
            ea=stiffness,
        )
        for name, x in (("left", -half), ("right", half))
    ]
    sag = 0.05 * line.span
    return Scene(
        bodies=[Body("person", mass, shape=Sphere(0.2), position=(0.0, 0.0, -sag))], cables=sides
    )


@cache
def stands(line: Line) -> tuple[float, float, float]:
    """Return pull [N], sag [m] and frequency up and down [Hz] of our line with the person."""
    seen = equilibrium(gap(line)).observation
    up = next(mode for mode in modes(gap(line)) if abs(mode.bodies["person"][2]) > 0.9)
    sag = -float(seen.body("person").position[2])
    return float(seen.cable("left").span_tension[0]), sag, up.frequency


def standing(progress: Progress) -> Result:
    """A line hangs across a gap, and a person of 57 kg stands on it. The pull grows from 1.4 to 1.7
    kN by half. Ours follows from the pull before and the printed stretch, with the person in the
    middle and no weight of the line's own.

    Ours pull 6 to 15 % less than measured. Printed pulls have two digits, which are worth 2 to 4 %.
    """
    found = []
    for line in progress.over(LINES):
        name = f"pull of {line.span:g} m {line.webbing} with a person"
        found.append(Measurement(name, line.pull, stands(line)[0], None, "N", UNTOLD))
    caption = "Pull over that before the person: measured (points), and here (crosses)."
    return Result(found, [Picture("pull", caption, draw)])


def bouncing(progress: Progress) -> Result:
    """The person bounces. The frequency is that of a mass on a line whose stiffness across is that
    of its pull, and of its stretch.

    Ours are 15 to 19 % lower, the stiff line as much as the soft ones. A higher pull, as measured,
    would take away a part of that.
    """
    found = []
    for line in progress.over(LINES):
        name = f"bounce of {line.span:g} m {line.webbing}"
        found.append(Measurement(name, line.frequency, stands(line)[2], None, "Hz", DRIVEN))
    return Result(found, [])


def draw() -> "Figure":
    """Pull with the person over the span."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(xlabel="pull before [N]", ylabel="pull with a person [N]")
    before = [line.before for line in LINES]
    axes.plot(before, [float(line.pull) for line in LINES], "o", label="measured")
    axes.plot(before, [stands(line)[0] for line in LINES], "x", label="ours")
    axes.legend()
    return figure
