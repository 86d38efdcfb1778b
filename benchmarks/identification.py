"""Whole identifications of a tower crane, seed by seed: error, band, time.

A recording of 60 s under commands that lift, lower and stop sharply, with the noise and rounding of
the crane's load pin and encoder, is made by a crane whose five numbers differ from the file. From
the file's numbers on they are identified. ``python -m benchmarks.identification 50`` takes hours.
"""

import argparse
import sys
import time
from typing import NamedTuple

import numpy as np

from benchmarks.results import Row, machine, show
from cable_sim import Recording, load_crane
from cable_sim.sim.readings.channels import Channel
from cable_sim.sim.recording.recording_files import NEVER_READ
from cable_sim_studies.identification.identify import Identification, identify
from cable_sim_studies.identification.replaying import replay

CRANE = "tower_12t"
START = {"rig.start.state": "hanging", "rig.start.hook_depth": 40.0}
TRUE = {
    "rig.load.mass": 4300.0,
    "reeving.sheave_efficiency": 0.975,
    "hoist_rope.modulus": 0.92e11,
    "drives.hoist.tau": 0.22,
    "hoist_rope.damping_ratio": 0.03,
}
"""In kg, -, Pa, s, -."""
GIVEN = (
    "rig.load.mass=2000..6000",
    "reeving.sheave_efficiency=0.9..1",
    "hoist_rope.modulus=6e10..1.6e11",
    "drives.hoist.tau=0.05..0.6",
    "hoist_rope.damping_ratio=0.002..0.1",
)
SIGNALS = ("hoist.position", "hoist_rope.pull", "hoist_rope.lead")
SECONDS, PERIOD = 60.0, 0.01
"""Length of a recording, and time between its rows [s]."""
SEEDS = 3


class Trial(NamedTuple):
    """Identification from one recording: errors [-], truths in their bands, wall time [s], runs."""

    errors: np.ndarray
    inside: np.ndarray
    seconds: float
    runs: int


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


def trial(seed: int) -> Trial:
    """Record with the noise of a seed, and identify."""
    true = load_crane(CRANE, START | TRUE | {"sensors.seed": seed})
    lift = replay(true, orders(), SIGNALS, noise=True)
    begin = time.perf_counter()
    found = identify(CRANE, lift, GIVEN, changes=START, signals=SIGNALS)
    return judge(found, time.perf_counter() - begin)


def judge(found: Identification, seconds: float) -> Trial:
    """Compare with the true values."""
    errors = np.array([found[path].value / value - 1.0 for path, value in TRUE.items()])
    inside = np.array([found[p].low <= value <= found[p].high for p, value in TRUE.items()])
    return Trial(errors, inside, seconds, found.runs)


def identification(seeds: int = SEEDS) -> list[Row]:
    """Largest error of each number, share of truths in their bands, and the time."""
    trials = []
    for seed in range(1, seeds + 1):
        trials.append(trial(seed))
        print(seed, *(f"{error:+.1e}" for error in trials[-1].errors), trials[-1].inside.tolist())
        sys.stdout.flush()
    errors = np.abs([one.errors for one in trials])
    inside = np.mean([one.inside for one in trials], axis=0)
    rows = [
        Row("identification", path, errors[:, i].min(), float(np.median(errors[:, i])), "-", note)
        for i, path in enumerate(TRUE)
        for note in [f"error: largest {errors[:, i].max():.1e}; in its band {inside[i]:.0%}"]
    ]
    seconds = [one.seconds for one in trials]
    note = f"{max(one.runs for one in trials)} runs of {SECONDS:g} s at most, {seeds} seeds"
    rows.append(Row("identification", "time", min(seconds), float(np.median(seconds)), "s", note))
    return rows


def main() -> None:
    """Read the number of seeds, and show the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=SEEDS)
    show(identification(parser.parse_args().seeds), machine())


if __name__ == "__main__":
    main()
