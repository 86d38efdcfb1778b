"""Sentences about identified parameters: what the recordings tell, and what would tell more."""

from collections.abc import Sequence

from cable_sim_studies.identification.bands import TOLD_APART, Bands
from cable_sim_studies.identification.fitting import Fit
from cable_sim_studies.identification.parameters import Parameter
from cable_sim_studies.identification.structure import SignalTest

ADVICE = {
    "damping": "let the load bounce freely: stop the hoist sharply, and record ten periods or more",
    "efficiency": "lift and lower at a steady speed, for some seconds each",
    "friction": "move both ways at a steady speed, for some seconds each",
    "tau": "step the command, and record speed or position at 50 Hz or more",
    "time": "step the command, and record speed or position at 50 Hz or more",
    "mass": "let the load hang at rest, and say how exact the load cell is",
    "modulus": "let the load bounce at two depths of the hook",
    "stiffness": "let the load bounce at two depths of the hook",
    "lag": "record sharp changes of the signal",
    "offset": "record the signal where its true value is known",
    "cd": "record in wind, with its speed",
}
"""Manoeuvres that tell a parameter, by a word in its path."""
AS_ONE = 0.999
"""Amount of a correlation from which on derivatives do not tell two parameters apart, either: their
difference is smaller than the error of the derivatives by differences."""
BROAD = 0.2
"""Standard deviation over the value [-] from which on a parameter is hardly known."""


def sentences(
    parameters: Sequence[Parameter], fit: Fit, bands: Bands, tests: Sequence[SignalTest]
) -> tuple[str, ...]:
    """Return sentences about the parameters, their correlations, the starts and the structure."""
    made = [_about(one, fit, bands, i) for i, one in enumerate(parameters)]
    made += _correlations(parameters, bands)
    explained = all(test.is_explained for test in tests)
    if len(fit.costs) > 1 and fit.agreeing < 2 and not explained:
        made.append(
            f"{len(fit.costs)} starts ended at different minima: give narrower bounds, or a "
            "recording with more motion, before you believe this one"
        )
    made += [_about_structure(test) for test in tests]
    made += [hint for test in tests for hint in test.hints]
    return tuple(text for text in made if text)


def advice(path: str) -> str:
    """Return the manoeuvre that would tell a parameter; empty if none is known."""
    words = path.lower()
    return next((text for word, text in ADVICE.items() if word in words), "")


def _about(parameter: Parameter, fit: Fit, bands: Bands, i: int) -> str:
    """Return a sentence on a parameter at its bound or hardly known; empty for a good one."""
    value = float(fit.values[i])
    sigma = float(bands.sigma[i])
    more = advice(parameter.path)
    more = f"; {more}" if more else ""
    assert parameter.low is not None and parameter.high is not None
    margin = 1e-4 * (parameter.high - parameter.low)
    if sigma == float("inf"):
        return f"{parameter.path} changes none of the compared signals{more}"
    if value - parameter.low < margin or parameter.high - value < margin:
        bound = f"{parameter.low:.6g}..{parameter.high:.6g}"
        return f"{parameter.path} is at a bound of {bound}: its band does not hold"
    if not parameter.sensor and sigma > BROAD * abs(value):
        share = 100.0 * sigma / max(abs(value), 1e-300)
        return f"{parameter.path} is known to {share:.0f} % only{more}"
    return ""


def _correlations(parameters: Sequence[Parameter], bands: Bands) -> list[str]:
    """Return sentences on pairs of parameters that cannot be told apart."""
    made = []
    for i, first in enumerate(parameters):
        for k, second in enumerate(parameters[i + 1 :], start=i + 1):
            r = float(bands.correlation[i, k])
            if abs(r) >= TOLD_APART:
                ways = dict.fromkeys(filter(None, (advice(first.path), advice(second.path))))
                more = "; ".join(ways)
                beyond = ", and their bands do not hold" if abs(r) >= AS_ONE else ""
                made.append(
                    f"{first.path} and {second.path} cannot be told apart from these recordings "
                    f"(correlation {r:+.3f}){beyond}" + (f": {more}" if more else "")
                )
    return made


def _about_structure(test: SignalTest) -> str:
    """Return a sentence on a signal whose residuals are not those of its sensor."""
    if test.is_explained:
        return ""
    share = 100.0 * test.excess / test.swing if test.swing else 0.0
    return (
        f"{test.signal}: the residuals are not those of the sensor (chance {test.chance:.1e}); the "
        f"model is wrong by {test.excess:.3g}, {share:.2g} % of the signal's range, and the bands "
        "do not count that"
    )
