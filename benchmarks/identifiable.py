"""Twelve parameters of three cranes: which lift tells which, and what all lifts together find.

A tower crane, a gantry crane and a laboratory crane differ from their files in twelve numbers each.
They make three recordings of 20 s: the hoist, the trolley, and the slewing or the gantry, each with
sharp stops. The pull of ropes is compared while the hoist moves only: at rest it depends on which
sheave sticks, and jumps by 1 % where a parameter changes by 1e-5. For each recording alone the
derivatives of the readings say how well it tells each number, the other eleven being unknown, too.
From all three together the numbers are identified.

``python -m benchmarks.identifiable`` writes ``benchmarks/results/<date>_identifiable.json``.
"""

import json
import time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.results import FOLDER, Row, machine, show
from cable_sim import Recording, load_crane
from cable_sim.sim.readings.channels import Channel
from cable_sim.sim.recording.recording_files import NEVER_READ
from cable_sim_studies.identification.bands import bands_of
from cable_sim_studies.identification.comparison import Comparison, Lift, accuracies_of
from cable_sim_studies.identification.identify import identify
from cable_sim_studies.identification.parameters import settle
from cable_sim_studies.identification.replaying import replay

SECONDS, PERIOD = 20.0, 0.01
"""Length of a recording, and time between its rows [s]."""
TOLD = 0.02
"""Standard deviation over the value [-] up to which a lift tells a parameter."""
SWAYS = ("sway.radial", "sway.tangential")
SPAN = 0.4
"""Bounds of a parameter over the file's value, to either side [-]."""


class Case(NamedTuple):
    """Crane of this comparison.

    ``start`` are changes of its file for the model and the truth. ``factors`` are the truth over
    the file's values [-] by path. ``lags`` are true delays of signals beyond the file's [s].
    ``lifts`` are the command of each axis [m/s, rad/s], and the signals that are recorded with it.
    """

    name: str
    start: dict[str, Any]
    factors: dict[str, float]
    lags: dict[str, float]
    lifts: dict[str, tuple[float, tuple[str, ...]]]

    @property
    def signals(self) -> tuple[str, ...]:
        """Return the signals of all lifts."""
        return tuple(dict.fromkeys(name for _, names in self.lifts.values() for name in names))


TOWER = Case(
    "tower_12t",
    {"rig.start.state": "hanging", "rig.start.hook_depth": 40.0, "hoist_rope.modulus": 1.0e11},
    {
        "rig.load.mass": 1.075,
        "hooks.hook_block.mass": 1.1,
        "reeving.sheave_efficiency": 0.995,
        "hoist_rope.modulus": 0.92,
        "hoist_rope.damping_ratio": 1.3,
        "axes.hoist.tau": 1.2,
        "axes.hoist.accel": 0.9,
        "axes.trolley.tau": 0.8,
        "axes.trolley.accel": 1.1,
        "axes.slewing.tau": 1.2,
        "axes.slewing.accel": 0.9,
    },
    {"sway.radial": 0.03},
    {
        "hoist": (0.5, ("hoist.position", "hoist_rope.pull", "hoist_rope.lead")),
        "trolley": (0.6, ("trolley.position", *SWAYS)),
        "slewing": (0.02, ("slewing.position", *SWAYS)),
    },
)
GANTRY = Case(
    "rtg_41t",
    {"rig.start.state": "hanging", "hoist_rope.modulus": 1.05e11},
    {
        "rig.load.mass": 0.93,
        "hooks.spreader.mass": 1.1,
        "reeving.sheave_efficiency": 0.995,
        "hoist_rope.modulus": 0.92,
        "reeving.damping_time": 1.3,
        "axes.hoist.tau": 1.2,
        "axes.hoist.accel": 0.9,
        "axes.trolley.tau": 0.8,
        "axes.trolley.accel": 1.1,
        "axes.gantry.tau": 1.2,
        "axes.gantry.accel": 0.9,
    },
    {"sway.radial": 0.03},
    {
        "hoist": (0.3, ("hoist.position", "hoist_rope_1.pull", "hoist_rope_1.lead")),
        "trolley": (0.5, ("trolley.position", *SWAYS)),
        "gantry": (0.5, ("gantry.position", *SWAYS)),
    },
)
LABORATORY = Case(
    "lab_inteco",
    {
        "sensors": {
            "encoder": {"rate": 100.0, "quantum": 1e-4},
            "camera": {"rate": 100.0, "noise": 1e-3},
            "load_pin": {"rate": 100.0, "noise": 0.01},
        },
        "hoist_rope.modulus": 3.5e9,
    },
    {
        "hooks.hook_block.mass": 1.1,
        "hoist_rope.modulus": 0.92,
        "hoist_rope.damping_ratio": 1.3,
        "rig.start.at.hoist": 1.05,
        "axes.hoist.tau": 1.2,
        "axes.hoist.accel": 0.9,
        "axes.trolley.tau": 0.8,
        "axes.trolley.accel": 1.1,
        "axes.gantry.tau": 1.2,
        "axes.gantry.accel": 0.9,
    },
    {"sway.radial": 0.03, "sway.tangential": 0.02},
    {
        "hoist": (0.1, ("hoist.position", "hoist_rope.pull")),
        "trolley": (0.15, ("trolley.position", *SWAYS)),
        "gantry": (0.15, ("gantry.position", *SWAYS)),
    },
)
CASES = (TOWER, GANTRY, LABORATORY)


class Told(NamedTuple):
    """Parameter of a crane: its truth, what was found with its band, all in its unit, and its
    standard deviation by each lift alone over its value [-]; infinite if a lift has none of it."""

    path: str
    start: float
    true: float
    found: float
    low: float
    high: float
    by_lift: dict[str, float]


class Outcome(NamedTuple):
    """Crane's parameters; sentences about them; time of all cores [s], wall time [s] and runs."""

    crane: str
    told: tuple[Told, ...]
    sentences: tuple[str, ...]
    processor: float
    seconds: float
    runs: int


def orders(axis: str, speed: float) -> Recording:
    """Return commands of an axis [m/s, rad/s]: there, a rest, and back at a lower speed."""
    names = (("time", "s"), (f"{axis}.command", "rad/s" if axis == "slewing" else "m/s"))
    times = np.arange(0.0, SECONDS, PERIOD)
    there, back = (times > 1.0) & (times < 5.0), (times > 11.0) & (times < 15.0)
    made = Recording([Channel(name, (), unit, NEVER_READ, 0) for name, unit in names], 0)
    made.append(np.column_stack([times, np.select([there, back], [speed, -0.7 * speed])]))
    return made


def truths(case: Case) -> dict[str, tuple[float, float]]:
    """Return start and truth of each parameter in its unit."""
    base = load_crane(case.name, case.start)
    settled = settle(base, list(case.factors), case.signals)
    own = {one.path: float(one.start or 0.0) for one in settled}
    found = {path: (own[path], own[path] * factor) for path, factor in case.factors.items()}
    return found | {f"lag.{signal}": (0.0, lag) for signal, lag in case.lags.items()}


def recorded(case: Case, axis: str, seed: int) -> Lift:
    """Return a lift of the true crane, with noise, and with signals that are late."""
    true = {path: value for path, (_, value) in truths(case).items() if path in case.factors}
    seeded = {"sensors.seed": seed} if "sensors" not in case.start else {}
    crane = load_crane(case.name, case.start | true | seeded)
    speed, signals = case.lifts[axis]
    made = replay(crane, orders(axis, speed), signals, noise=True)
    rows = made.rows.copy()
    for signal, lag in case.lags.items():
        if signal in signals:
            late = round(lag / PERIOD)
            column = made.columns.index(signal)
            rows[late:, column] = made.rows[:-late, column]
    shifted = Recording(made.channels, 0)
    shifted.append(rows)
    return Lift(shifted)


def wanted(case: Case) -> list[str]:
    """Return the parameters with their bounds, as texts."""
    made = []
    for path, (start, _) in truths(case).items():
        low, high = (1.0 - SPAN) * start, (1.0 + SPAN) * start
        if path.startswith("lag."):
            low, high = -0.1, 0.2
        elif path.endswith("efficiency"):
            low, high = 0.9, 1.0
        made.append(f"{path}={low:.9g}..{high:.9g}")
    return made


def alone(case: Case, axis: str, lift: Lift) -> dict[str, float]:
    """Return the standard deviation over the value [-] of each parameter by one lift."""
    base = load_crane(case.name, case.start)
    _, signals = case.lifts[axis]
    settled = settle(base, wanted(case), case.signals)
    comparison = Comparison(base, [lift], settled, accuracies_of(base, [lift], signals, {}))
    try:
        known = truths(case)
        true = np.array([known[one.path][1] for one in settled])
        sizes = [len(piece.times) for piece in comparison.pieces]
        bands = bands_of(comparison.jacobian(true), comparison.residuals(true), sizes)
        return {
            one.path: float(sigma / abs(value))
            for one, sigma, value in zip(settled, bands.sigma, true, strict=True)
        }
    finally:
        comparison.close()


def outcome(case: Case, seed: int = 1) -> Outcome:
    """Return what each lift tells of a crane, and what all of them find."""
    lifts = {axis: recorded(case, axis, seed + i) for i, axis in enumerate(case.lifts)}
    by_lift = {axis: alone(case, axis, lift) for axis, lift in lifts.items()}
    wall, processor = time.perf_counter(), time.process_time()
    found = identify(
        case.name, list(lifts.values()), wanted(case), changes=case.start, signals=case.signals
    )
    return Outcome(
        case.name,
        tuple(
            Told(
                path,
                start,
                true,
                *(found[path].value, found[path].low, found[path].high),
                {axis: told[path] for axis, told in by_lift.items()},
            )
            for path, (start, true) in truths(case).items()
        ),
        found.sentences,
        time.process_time() - processor,
        time.perf_counter() - wall,
        found.runs,
    )


def identifiable() -> list[Row]:
    """Error of each parameter of each crane, the lifts that tell it, and the time."""
    about = machine()
    day = about["date"][:16].replace(":", "").replace(" ", "_")
    target = FOLDER / f"{day}_identifiable.json"
    made: list[Outcome] = []
    rows: list[Row] = []
    for case in CASES:
        made.append(outcome(case))
        rows += _rows(made[-1])
        kept = [one._asdict() | {"told": [t._asdict() for t in one.told]} for one in made]
        target.write_text(json.dumps({"machine": about, "cranes": kept}, indent=1) + "\n")
    return rows


def _rows(one: Outcome) -> list[Row]:
    """Return the rows of a crane."""
    rows = []
    for told in one.told:
        lifts = [axis for axis, spread in told.by_lift.items() if spread < TOLD]
        inside = "in its band" if told.low <= told.true <= told.high else "out of its band"
        note = f"truth {told.true:.6g}, found {told.found:.6g}, {inside}; told by "
        error = abs(told.found / told.true - 1.0)
        note += ", ".join(lifts) or "no lift alone"
        rows.append(Row("identifiable", f"{one.crane}: {told.path}", error, error, "-", note))
    rows.append(
        Row(
            "identifiable",
            f"{one.crane}: time",
            one.processor,
            one.processor,
            "s",
            f"{one.runs} runs",
        )
    )
    return rows


if __name__ == "__main__":
    show(identifiable(), machine())
