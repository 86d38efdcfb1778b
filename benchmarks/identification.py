"""Whole identifications of a tower crane, seed by seed: error, band, time.

A recording of 60 s under commands that lift, lower and stop sharply, with the noise and rounding of
the crane's load pin and encoder, is made by a crane whose five numbers differ from the file. From
the file's numbers on they are identified; again with a load pin that is ten times worse. In a few
recordings the loss of the sheaves is left out of the model, which the residuals have to tell.

``python -m benchmarks.identification 50`` takes half an hour, and writes all figures to
``benchmarks/results/<date>_identification.json`` after each seed.
"""

import argparse
import json
import time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.results import FOLDER, Row, machine, show
from cable_sim import Recording, load_crane
from cable_sim.sim.readings.channels import Channel
from cable_sim.sim.recording.recording_files import NEVER_READ
from cable_sim_studies.identification.identify import identify
from cable_sim_studies.identification.replaying import replay

CRANE = "tower_12t"
DEPTH = 40.0
"""Of the hook at the start [m]. Each seed adds a part of the encoder's step: else the rounding,
which the same motion repeats, would be the same in all recordings."""
STEP = 1e-3
"""Of the encoder [m]."""
LOSS = "reeving.sheave_efficiency"
TRUE = {
    "rig.load.mass": 4300.0,
    LOSS: 0.975,
    "hoist_rope.modulus": 0.92e11,
    "drives.hoist.tau": 0.22,
    "hoist_rope.damping_ratio": 0.03,
}
"""In kg, -, Pa, s, -."""
GIVEN = {
    "rig.load.mass": "2000..6000",
    LOSS: "0.9..1",
    "hoist_rope.modulus": "6e10..1.6e11",
    "drives.hoist.tau": "0.05..0.6",
    "hoist_rope.damping_ratio": "0.002..0.1",
}
"""Bounds, in the same units."""
SENSORS: dict[str, dict[str, float]] = {
    "file": {},
    "worse": {"sensors.load_pin.noise": 100.0, "sensors.load_pin.quantum": 50.0},
}
"""Load pin of the file (noise 10 N, steps of 5 N), and one ten times worse [N]: 0.3 % of the rated
line pull. The encoder has steps of 1 mm in both, as 800 in a turn of the drum give on two falls."""
SIGNALS = ("hoist.position", "hoist_rope.pull", "hoist_rope.lead")
SECONDS, PERIOD = 60.0, 0.01
"""Length of a recording, and time between its rows [s]."""
SEEDS = 50
LOSSLESS = 3
"""Recordings that are identified without the loss, too."""


class Trial(NamedTuple):
    """Identification from one recording.

    ``found`` has value and band (low, high) of each parameter in its unit. ``explained`` is True
    if all residuals are those of the sensors. ``seconds`` and ``processor`` are the wall time and
    the time of all cores [s]; ``runs`` and ``starts`` those of the fit.
    """

    sensors: str
    seed: int
    lossless: bool
    found: dict[str, tuple[float, float, float]]
    explained: bool
    hints: int
    seconds: float
    processor: float
    runs: int
    starts: tuple[int, int]


def orders() -> Recording:
    """Return commands [m/s] of two speeds, three times down and up, with stops for bounces."""
    channels = [
        Channel(name, (), unit, NEVER_READ, 0)
        for name, unit in (("time", "s"), ("hoist.command", "m/s"))
    ]
    times = np.arange(0.0, SECONDS, PERIOD)
    phase = times % 20.0
    speeds = np.select(
        [
            (phase > 1.0) & (phase < 5.0),
            (phase > 7.0) & (phase < 11.0),
            (phase > 13.0) & (phase < 14.0),
        ],
        [0.5, -0.4, -0.2],
    )
    made = Recording(channels, 0)
    made.append(np.column_stack([times, speeds]))
    return made


def trial(sensors: str, seed: int, lossless: bool = False) -> Trial:
    """Record with the noise of a seed, and identify, with or without a loss in the model."""
    depth = DEPTH + STEP * float(np.random.default_rng(seed).random())
    start: dict[str, Any] = {"rig.start.state": "hanging", "rig.start.hook_depth": depth}
    changes = start | SENSORS[sensors]
    true = load_crane(CRANE, changes | TRUE | {"sensors.seed": seed})
    lift = replay(true, orders(), SIGNALS, noise=True)
    wall, processor = time.perf_counter(), time.process_time()
    wanted = [f"{path}={bounds}" for path, bounds in GIVEN.items() if path != LOSS or not lossless]
    own = changes | ({LOSS: 1.0} if lossless else {})
    found = identify(CRANE, lift, wanted, changes=own, signals=SIGNALS)
    return Trial(
        sensors,
        seed,
        lossless,
        {one.path: (one.value, one.low, one.high) for one in found.estimates},
        found.is_explained,
        sum(len(test.hints) for test in found.tests),
        time.perf_counter() - wall,
        time.process_time() - processor,
        found.runs,
        found.starts,
    )


def identification(seeds: int = SEEDS) -> list[Row]:
    """Errors of each number, share of truths in their bands, what residuals tell, and times."""
    about = machine()
    day = about["date"][:16].replace(":", "").replace(" ", "_")
    target = FOLDER / f"{day}_identification.json"
    trials: list[Trial] = []
    for seed in range(1, seeds + 1):
        trials += [trial(sensors, seed) for sensors in SENSORS]
        if seed <= LOSSLESS:
            trials.append(trial("worse", seed, lossless=True))
        kept = {"machine": about, "true": TRUE, "trials": [one._asdict() for one in trials]}
        target.write_text(json.dumps(kept) + "\n", encoding="utf-8")
        print(f"seed {seed}: {trials[-1].processor:.1f} s of processor", flush=True)
    whole = [one for one in trials if not one.lossless]
    rows = [row for name in SENSORS for row in _errors([t for t in whole if t.sensors == name])]
    told = [one for one in trials if one.lossless]
    rows.append(_share("a loss left out is told", [not one.explained for one in told]))
    return rows


def _errors(trials: list[Trial]) -> list[Row]:
    """Return rows of trials with the same sensors."""
    sensors = trials[0].sensors
    rows = []
    for path, value in TRUE.items():
        errors = np.abs([one.found[path][0] / value - 1.0 for one in trials])
        inside = np.mean([one.found[path][1] <= value <= one.found[path][2] for one in trials])
        note = f"error: largest {errors.max():.1e}; truth in its band {inside:.0%}"
        case = f"{sensors}: {path}"
        rows.append(Row("identification", case, errors.min(), float(np.median(errors)), "-", note))
    for name in ("seconds", "processor"):
        times = [getattr(one, name) for one in trials]
        note = f"largest {max(times):.0f} s, {max(one.runs for one in trials)} runs"
        rows.append(
            Row(
                "identification",
                f"{sensors}: {name}",
                min(times),
                float(np.median(times)),
                "s",
                note,
            )
        )
    rows.append(_share(f"{sensors}: explained", [one.explained for one in trials]))
    return rows


def _share(case: str, found: list[bool]) -> Row:
    """Return the share of True, as a row."""
    share = float(np.mean(found)) if found else float("nan")
    return Row("identification", case, share, share, "-", f"{sum(found)} of {len(found)}")


def main() -> None:
    """Read the number of seeds, and show the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=SEEDS)
    show(identification(parser.parse_args().seeds), machine())


if __name__ == "__main__":
    main()
