"""Units of the trade and the factors that make them SI."""

import math
from typing import NamedTuple

from cable_sim.errors import SpecError, suggestion

LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "km": 1e3, "in": 0.0254, "ft": 0.3048}
ANGLES = {"rad": 1.0, "mrad": 1e-3, "deg": math.radians(1.0), "°": math.radians(1.0)}
TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
GRAVITY = 9.80665
"""Standard gravity [m/s^2], of kgf, tf and g."""
POUND = 0.45359237


class Unit(NamedTuple):
    """Unit of SI and the factor that leads to it [SI unit / unit]."""

    si: str
    factor: float


def _rates(units: dict[str, float], per: str) -> dict[str, float]:
    """Return units over a time, such as m/min, by their factor [SI unit / unit]."""
    return {f"{name}/{per}": factor / TIMES[per] for name, factor in units.items()}


_BY_SI: dict[str, dict[str, float]] = {
    "s": TIMES,
    "m": LENGTHS,
    "rad": ANGLES,
    "m/s": {unit: f for per in ("s", "min", "h") for unit, f in _rates(LENGTHS, per).items()},
    "rad/s": {
        **_rates(ANGLES, "s"),
        **_rates(ANGLES, "min"),
        **dict.fromkeys(("rpm", "1/min"), math.tau / 60.0),
    },
    "m/s^2": {"m/s^2": 1.0, "m/s²": 1.0, "mm/s^2": 1e-3, "mm/s²": 1e-3, "g": GRAVITY},
    "rad/s^2": {"rad/s^2": 1.0, "deg/s^2": math.radians(1.0)},
    "kg": {"kg": 1.0, "t": 1e3, "lb": POUND},
    "N": {
        **{"N": 1.0, "daN": 10.0, "kN": 1e3, "MN": 1e6},
        **{"kgf": GRAVITY, "tf": 1e3 * GRAVITY, "lbf": POUND * GRAVITY},
    },
    "N m": {"N m": 1.0, "Nm": 1.0, "kN m": 1e3, "kNm": 1e3},
    "-": {"-": 1.0, "1": 1.0, "%": 1e-2},
    "Hz": {"Hz": 1.0, "kHz": 1e3},
    "W": {"W": 1.0, "kW": 1e3},
    "A": {"A": 1.0, "mA": 1e-3},
    "V": {"V": 1.0, "mV": 1e-3},
    "J": {"J": 1.0, "kJ": 1e3},
}
UNITS = {name: Unit(si, f) for si, of_si in _BY_SI.items() for name, f in of_si.items()}
"""Known units by name."""


def unit_of(text: str, where: str) -> Unit:
    """Return the unit of a text such as ``m/min``; SpecError, which lists the known ones."""
    found = UNITS.get(text.strip())
    if found is None:
        known = ", ".join(UNITS)
        raise SpecError(
            f"{where}: unit {text!r} is not known{suggestion(text, UNITS)}; {known} are"
        )
    return found


def units_like(si: str) -> dict[str, float]:
    """Return units of the same kind as one of SI, by their factor [SI unit / unit]."""
    return dict(_BY_SI[si])
