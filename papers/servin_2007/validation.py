"""The validation tests of section 5.1, stretch and twist alike: two boxes, one cable, one mode.

The two tests differ by what is watched and what is inert; :class:`Test` says it, and everything
else is shared.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim import Scene, Simulator
from cable_sim.sim.observation import Observation
from validation.harness import Finding, Mode, Quantity, at_most, fit_mode

from .schemes import SCHEMES

H = 0.01
"""Time step of the section [s]."""
MASS, SIDE, LENGTH = 1000.0, 2.0, 4.0
"""Of the boxes [kg, m] and of the cable [m]."""
DURATIONS = {10.0: 100.0, 1e3: 10.0, 1e6: 1.0}
"""Shown and measured time [s] for each constant of the figures (a), (b), (c)."""

Array = NDArray[np.float64]


class Test(NamedTuple):
    """One of the two tests.

    ``inertia`` of the mode [kg or kg m^2]; ``scene`` for a constant; ``displacement`` [m or rad],
    its ``rate`` and the cable's ``load`` [N or N m] as observed; ``printed`` periods [s]; ``unit``
    of displacement and of the constant.
    """

    name: str
    constant: str
    unit: str
    constant_unit: str
    inertia: float
    scene: Callable[[float], Scene]
    displacement: Callable[[Observation], float]
    rate: Callable[[Observation], float]
    load: Callable[[Observation], float]
    printed: tuple[str, ...]

    def period_printed(self, constant: float) -> str:
        """Period that the paper gives [s], as printed."""
        return dict(zip(DURATIONS, self.printed, strict=True))[constant]

    def omega(self, constant: float) -> float:
        """Angular frequency without a time step [rad/s]."""
        return math.sqrt(constant / self.inertia)


class Series(NamedTuple):
    """Samples at every step and the start: time [s], displacement, its rate, the load over the
    constant, energies.

    ``energy`` has the columns kinetic, potential, elastic [J].
    """

    time: Array
    displacement: Array
    rate: Array
    load: Array
    energy: Array

    @property
    def total(self) -> Array:
        """W [J]."""
        return self.energy.sum(axis=1)


def short(constant: float) -> str:
    """10, 1e3, 1e6."""
    return f"{constant:g}" if constant < 1e3 else f"1e{round(math.log10(constant))}"


@cache
def record(test: Test, constant: float, stepper: str) -> Series:
    """Run a test and observe every step."""
    simulator = Simulator(test.scene(constant), dt=H, stepper=stepper)
    rows = [_sample(test, constant, simulator.observe())]
    for _ in range(round(DURATIONS[constant] / H)):
        simulator.step()
        rows.append(_sample(test, constant, simulator.observe()))
    time, displacement, rate, load, *energy = np.array(rows).T
    return Series(time, displacement, rate, load, np.array(energy).T)


def _sample(test: Test, constant: float, seen: Observation) -> tuple[float, ...]:
    """One row of a series."""
    return (
        seen.time,
        test.displacement(seen),
        test.rate(seen),
        test.load(seen) / constant,
        *seen.energy,
    )


def modes(test: Test) -> list[Finding]:
    """Period, decay and amplitude of every run, and how far all of them are from a pure mode and
    from eq. 8."""
    runs = [(constant, stepper) for constant in DURATIONS for stepper in SCHEMES]
    seen = {run: fit_mode(record(test, *run).displacement, H) for run in runs}
    found = [finding for run in runs for finding in _mode(test, *run, seen[run])]
    pure = max(mode.residual for mode in seen.values())
    found.append(
        at_most(
            f"distance of the {test.name} from pure modes",
            1e-9,
            pure,
            "",
            "largest, over the amplitude",
        )
    )
    for stepper in SCHEMES:
        error = max(
            load_error(record(test, *run), stepper) / seen[run].amplitude
            for run in runs
            if run[1] == stepper
        )
        name = f"load against displacement, {test.constant}, {stepper}"
        found.append(
            at_most(
                name, 1e-9, error, "", f"largest |f/c - {FOLLOWS[stepper]}|, over the amplitude"
            )
        )
    return found


def _mode(test: Test, constant: float, stepper: str, seen: Mode) -> list[Finding]:
    """Findings on the mode of one run."""
    scheme = SCHEMES[stepper]
    omega = test.omega(constant)
    tag = f"{test.constant} = {short(constant)}, {stepper}"
    z, ideal = omega * H, float(record(test, constant, stepper).rate[0]) / omega
    period, rate = scheme.period(z, H), -math.log(scheme.factor(z)) / H
    printed, note = test.period_printed(constant), _about_period(test, constant, stepper)
    return [
        Quantity(f"period, {tag}", printed, period, seen.period, 1e-6, "s", note),
        Quantity(f"decay rate, {tag}", None, rate, seen.decay_rate(H), 1e-6, "1/s"),
        Quantity(f"amplitude, {tag}", None, ideal, seen.amplitude, 1e-6, test.unit),
    ]


FOLLOWS = {"regularised": "phi at the end of the step", "spook": "mean of phi over the step"}
"""What the load is proportional to, by time stepper."""


def load_error(series: Series, stepper: str) -> float:
    """Largest distance of load over constant from the displacement that the scheme says it follows
    [m or rad].

    The mean over both ends of the step is that over three of the poses of ``spook`` themselves.
    """
    phi, load = series.displacement, series.load
    if stepper == "regularised":
        return float(np.abs(load[1:] - phi[1:]).max())
    return float(np.abs(load[1:] - 0.5 * (phi[1:] + phi[:-1])).max())


def _about_period(test: Test, constant: float, stepper: str) -> str:
    """The period without a time step, which is what the paper prints."""
    exact = 2.0 * math.pi / test.omega(constant)
    note = f"theory is that of the scheme at h = {H:g} s; without a time step {exact:.4g} s"
    if constant == 1e6 and stepper == "regularised":
        note += (
            ". The paper prints that one and says that its run differs, which it does as "
            "backward Euler must"
        )
    return note


STEP_EFFECT = 2e-4
"""Of a step on a period: a third of (omega h)^2 at most, where omega h is below 0.02."""


def continuum(test: Test) -> list[Finding]:
    """The periods that the paper calls theoretical, where a step is small against them."""
    found: list[Finding] = []
    for constant in (10.0, 1e3):
        printed, exact = test.period_printed(constant), 2.0 * math.pi / test.omega(constant)
        for stepper in SCHEMES:
            name = f"period against 2 pi sqrt(m/c), {test.constant} = {short(constant)}, {stepper}"
            seen = fit_mode(record(test, constant, stepper).displacement, H).period
            found.append(Quantity(name, printed, exact, seen, STEP_EFFECT, "s"))
    return found


def energies(test: Test) -> list[Finding]:
    """What becomes of the energy in every run."""
    return [finding for constant in DURATIONS for finding in _energy(test, constant)]


def _energy(test: Test, constant: float) -> list[Finding]:
    """The energy falls by the same factor each step with one scheme, and stays with the other."""
    z, tag = test.omega(constant) * H, f"{test.constant} = {short(constant)}"
    damped, kept = record(test, constant, "regularised"), record(test, constant, "spook")
    start = 0.5 * test.inertia * kept.rate[0] ** 2
    change = float(np.abs(kept.total / start - 1.0).max())
    return [
        Quantity(
            f"energy factor per step, {tag}, regularised",
            None,
            1.0 / (1.0 + z * z),
            _farthest(damped.total[1:] / damped.total[:-1], 1.0 / (1.0 + z * z)),
            1e-6,
            "",
            "of all steps the one farthest from theory",
        ),
        at_most(
            f"change of W, {tag}, spook", 1e-9, change, "", "over the kinetic energy at the start"
        ),
    ]


def _farthest(values: Array, theory: float) -> float:
    """The value farthest from theory."""
    return float(values[np.abs(values - theory).argmax()])
