"""First two modes in which the towers of our cranes sway, beside those of measured tower cranes.

Source: the abstract of the paper, without masses, heights or single frequencies. So only the order
of the frequencies can be compared.
"""

from functools import cache
from typing import TYPE_CHECKING

from cable_sim import load_crane, modes
from validation.harness import Finding, Picture, Progress, Result, at_least, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLEXIBLE = {"crane.structure.mode": "flexible"}
CRANES = "tower_12t", "tower_5t", "luffing_12t"
WAYS = "along", "across"
BELOW = 0.5
"""Measured: frequencies of the first two translational modes are below that [Hz]."""
PENDULUM = 0.1
"""A tower sways faster than its load, by what a crane is built for [Hz]."""
MOVES = 0.25
"""Share of a mode's largest movement that the top of the mast has in a mode of the tower [-]."""


@cache
def sway(crane: str) -> tuple[float, float]:
    """Return the frequencies [Hz] of the tower along the jib and across it."""
    found = modes(load_crane(crane, FLEXIBLE).scene)
    top = max(name for mode in found for name in mode.bodies if name.startswith("mast"))
    along, across = (
        next(
            mode.frequency
            for mode in found
            if top in mode.bodies and abs(mode.bodies[top][axis]) > MOVES
        )
        for axis in (0, 1)
    )
    return along, across


def first_modes(progress: Progress) -> Result:
    """The authors measured two towers on site, without load: frequencies lie below 0.5 Hz. Their
    own model of beams is within 4.9 % of the first two modes along either axis.

    Ours are three cranes of the catalogue whose masts and jibs bend. A mode counts as one of the
    tower if its top moves by a quarter of the mode's largest movement.
    """
    found: list[Finding] = []
    for crane in progress.over(CRANES):
        for way, frequency in zip(WAYS, sway(crane), strict=True):
            found.append(at_most(f"{crane}, {way} the jib", BELOW, frequency, "Hz"))
        slowest = min(sway(crane))
        found.append(at_least(f"{crane}, faster than its load", PENDULUM, slowest, "Hz"))
    caption = "First modes of our towers; grey is where the measured ones lie."
    return Result(found, [Picture("towers", caption, draw)])


def draw() -> "Figure":
    """First modes of each crane."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    axes = figure.add_subplot(ylabel="frequency [Hz]", ylim=(0.0, 1.0))
    axes.axhspan(0.0, BELOW, color="0.85")
    for mark, way, name in zip("ox", range(2), WAYS, strict=True):
        found = [sway(crane)[way] for crane in CRANES]
        axes.plot(range(len(CRANES)), found, mark, label=f"{name} the jib")
    axes.set_xticks(range(len(CRANES)), CRANES)
    axes.legend()
    return figure
