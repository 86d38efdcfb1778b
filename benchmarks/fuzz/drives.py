"""Random drives of all shipped cranes into everything, and their judges.

A seed determines its drive: the crane, loads and poses at the start, wind, bypassed limiters, and
the operator (``driving.py``). Each is judged for a minute by

* energy: it never rises by more than 0.1 % of that at play (``account.py``);
* depth: no two shapes are more than DEEP in one another, as the step finds them in every step,
  and as ``coal`` finds loads, hooks and spreaders between two repetitions of orders;
* status: every flag has its cause in what the operator did, and is told in words;
* all that is observed is finite, and no rope pushes.
"""

import json
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import results
from benchmarks.fuzz.account import SHARE, Watch
from benchmarks.fuzz.driving import REPEAT, Rammer
from benchmarks.fuzz.penetration import Penetration
from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import crane_names, read_crane
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, StepError
from cable_sim.kernels import status
from cable_sim.kernels.collision.candidates import shapes_of
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import explain
from cable_sim.spec.wind import Steady

CRANES = tuple(sorted(name for name, file in crane_names().items() if name == file))
"""Shipped cranes, by turns of the seeds."""
SECONDS = 60.0
"""Length of a drive [s]."""
DEEP = 5e-3
"""Depth of two shapes from which on it is a finding [m]."""
TRIES = 20
"""Starts to try, of which those with shapes in one another are passed over."""
TOLD = status.OVERLOADED | status.WIRE_BROKE | status.CATCH_MISSED
"""Flags that the machine's notices tell with name and figure: snags, and falls into slack ropes."""
DRUMS = status.DRUM_FULL | status.DRUM_EMPTY
"""Flags of hoists that were driven beyond their ways."""
SHORT = status.NODES_MET | status.SWUNG_ROUND
"""Flags of hoists that have hauled their hooks in to their trolleys, and of carriages that have run
over their buffers to a rope's end."""
WAY = 0.02
"""Part of a hoist's way at its ends from which on its drum may be full or empty [-]."""
STRETCHED = 0.5
"""Strain of a rope, told as overloaded, beyond which its energy is not judged: no step follows a
winch that winds up most of a rope's length in it [-]."""


class Outcome(NamedTuple):
    """What came of a drive: findings in words, and figures."""

    seed: int
    crane: str
    changes: dict[str, float]
    findings: list[str]
    flags: dict[str, float]
    """First times [s] of the flags of the status, in words."""
    gain: tuple[float, float, float]
    """Largest gain of energy, that at play [J], and its time [s]."""
    depth: tuple[float, str, float]
    """Largest depth [m] of two shapes in a step, their names, and its time [s]."""
    seen_depth: tuple[float, str, float]
    """The same as coal finds it."""
    pressed: float
    """Largest depth to which a force has pressed a soft contact [m]."""
    events: int
    """Number of times that shapes began or ended to touch."""
    tension: float
    """Largest tension seen [N]."""
    acts: int
    """Releases, hookings and turns of twistlocks."""
    seconds: float
    """Simulated time [s]."""
    processor: float
    """Processor time [s]."""


class Start(NamedTuple):
    """A machine at its start, and what of its crane's file was changed for it."""

    machine: Machine
    changes: dict[str, float]


def random_start(name: str, random: np.random.Generator) -> Start:
    """Return a crane with another load, at another pose within its limits, where nothing overlaps.

    A pose that its file does not allow, such as one too low for its rope, is passed over. So is one
    where shapes overlap. After TRIES of them the pose is that of the file.
    """
    rig: Any = getattr(read_crane(name), "rig", None)
    plain = load_crane(name)
    places: dict[str, float] = dict(getattr(getattr(rig, "start", None), "at", None) or {})
    for _ in range(TRIES):
        changes: dict[str, float] = {}
        if getattr(getattr(rig, "load", None), "mass", None):
            changes["rig.load.mass"] = float(rig.load.mass * random.uniform(0.05, 1.3))
        for place in places:
            found = _limits(plain, place)
            if found is not None:
                changes[f"rig.start.at.{place}"] = float(random.uniform(*found))
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                machine = Machine(load_crane(name, changes))
        except CableSimError:
            continue
        if not any("overlap" in str(one.message) for one in told):
            return Start(machine, changes)
    return Start(Machine(plain), {})


def _limits(crane: Crane, place: str) -> tuple[float, float] | None:
    """Return the least and largest value of an entry of the start; None of one without limits."""
    name = place.removesuffix("_deg")
    factor = 180.0 / np.pi if place.endswith("_deg") else 1.0
    axes = [axis for axis in crane.axes if axis.name == name]
    joints = [joint for joint in crane.scene.joints if joint.name == name]
    for bounds in [(axis.lower, axis.upper) for axis in axes] + [
        (j.lower, j.upper) for j in joints
    ]:
        low, high = bounds
        if np.isfinite([low, high]).all():
            return low * factor, high * factor
    return None


def begin(seed: int) -> tuple[Machine, Rammer, dict[str, float]]:
    """Return the machine of a seed at its start, its operator, and what of its file was changed."""
    random = np.random.default_rng(seed)
    machine, changes = random_start(CRANES[seed % len(CRANES)], random)
    wind = Steady(random.uniform(0.0, 25.0), random.uniform(0.0, 360.0))
    if random.random() < 0.3:
        machine.wind = (wind,)
    if random.random() < 0.5:
        for limiter in machine.crane.limiters:
            machine.faults.inject(Fault("limiter_bypass", limiter.name))
    return machine, Rammer(machine, seed), changes


class Judge:
    """What is seen of a drive."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.watch = Watch(machine.simulator)
        self.penetration = Penetration(machine)
        self.flags: dict[int, float] = {}
        self.findings: list[str] = []
        self.tension = 0.0
        self.strain = 0.0
        self.hoisted = [np.inf, -np.inf]
        self.overran = False
        cables = machine.crane.scene.cables
        ropes = [cable.rope for cable in cables]
        strains = [one.minimum_breaking_force / one.ea if one else 0.0 for one in ropes]
        self.breaking_strain = np.nan_to_num(np.array(strains), posinf=0.0)

    def look(self, seen: Observation) -> None:
        """Look at what can be seen after some ticks."""
        flags = seen.report.status
        while flags:
            flag = flags & -flags
            flags ^= flag
            self.flags.setdefault(flag, seen.time)
        arrays = (seen.body_position, seen.body_velocity, seen.joint_force, seen.span_tension)
        if not all(np.isfinite(array).all() for array in arrays):
            self.findings.append(f"not finite at {seen.time:.6g} s")
        self.tension = max(self.tension, float(seen.span_tension.max(initial=0.0)))
        strains = seen.cable_peak_utilisation * self.breaking_strain
        self.strain = max(self.strain, float(strains.max(initial=0.0)))
        if seen.span_tension.min(initial=0.0) < 0.0:
            self.findings.append(f"a rope pushes at {seen.time:.6g} s")
        for axis in self.machine.crane.axes:
            position = self.machine.axis_state(seen, axis.name).position
            if "hoist" in axis.name:
                share = (position - axis.lower) / (axis.upper - axis.lower)
                self.hoisted = [min(self.hoisted[0], share), max(self.hoisted[1], share)]
            elif not axis.lower <= position <= axis.upper:
                self.overran = True
        count = len(self.machine.simulator.names.shapes)
        soft = {shapes_of(key, count): kept[2] for key, kept in self.watch.depths.items()}
        self.penetration.look(seen, soft)

    def conclude(self) -> None:
        """Judge what was seen of the whole drive."""
        gain, at_play, when = self.watch.gain
        if gain > SHARE * at_play and self.strain < STRETCHED:
            self.findings.append(f"energy: {gain:.4g} J of {at_play:.4g} J at {when:.6g} s")
        for depth, names, when in (self.depth, self.penetration.worst):
            if depth > DEEP:
                self.findings.append(f"depth: {depth:.4g} m, {names}, at {when:.6g} s")
        for flag, when in self.flags.items():
            if not self.is_explained(flag):
                self.findings.append(f"status {flag}: {explain(flag)}, at {when:.6g} s")

    def is_explained(self, flag: int) -> bool:
        """Return True if a flag has its cause in what the operator did."""
        if flag & TOLD:
            known = self.machine.overloads or flag == status.CATCH_MISSED
            return bool(known)
        low, high = self.hoisted
        if flag & SHORT or (flag & status.LOST_PIVOT and status.NODES_MET in self.flags):
            return low < WAY or self.overran  # the stops of several falls hold the same
        return bool(flag & DRUMS) and (low < WAY or high > 1.0 - WAY)

    @property
    def depth(self) -> tuple[float, str, float]:
        """Largest depth [m] of two shapes in any step, their names, and its time [s]."""
        names = self.machine.simulator.names.shapes
        depths = self.watch.depths.items()
        key, (depth, step, _) = max(depths, key=lambda one: one[1][0], default=(0, (0.0, 0, 0.0)))
        told = " in ".join(names[i] for i in shapes_of(key, len(names))) if depth else ""
        return depth, told, step * self.machine.simulator.dt


def drive(seed: int, seconds: float = SECONDS) -> Outcome:
    """Run the drive of a seed, and judge it."""
    began = time.process_time()
    machine, operator, changes = begin(seed)
    judge = Judge(machine)
    ticks = round(REPEAT / machine.tick_time)
    try:
        while machine.time < seconds:
            acts = operator.acts
            operator.act()
            if operator.acts != acts:
                judge.watch.begin_anew()
            judge.look(machine.tick(ticks))
        machine.tick()  # which judges the last reading
    except StepError as error:
        judge.findings.append(f"stopped: {error}")
    except Exception as error:
        judge.findings.append(f"raised {type(error).__name__}: {error}"[:300])
    judge.conclude()
    return Outcome(
        seed,
        machine.crane.name,
        changes,
        judge.findings,
        {explain(flag): when for flag, when in judge.flags.items()},
        judge.watch.gain,
        judge.depth,
        judge.penetration.worst,
        max((kept[2] for kept in judge.watch.depths.values()), default=0.0),
        int(machine.simulator.save().state.pool.events[0]),
        judge.tension,
        operator.acts,
        machine.time,
        time.process_time() - began,
    )


def run(count: int, seed: int, folder: Path) -> int:
    """Run the drives of ``seed``, ``seed + 1``, ...; return 1 if there is a finding, else 0.

    Each is a line of ``drives.jsonl`` in ``folder``; those that are there already are not run
    again, so that a campaign that was ended goes on. The summary is in ``benchmarks/results``.
    """
    console = Console()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "drives.jsonl"
    known = {outcome.seed: outcome for outcome in read(path)}
    seeds = range(seed, seed + count)
    left = [one for one in seeds if one not in known]
    with path.open("a", encoding="utf-8") as file:
        for one in track(left, "random drives", disable=not left, console=console):
            outcome = known[one] = drive(one)
            file.write(json.dumps(outcome._asdict()) + "\n")
            file.flush()
            for finding in outcome.findings:
                console.print(f"seed {one}, {outcome.crane}: {finding}", markup=False)
    done = [known[one] for one in seeds]
    console.print(_table(done))
    console.print(f"written to {save(done)}")
    return int(any(outcome.findings for outcome in done))


def read(path: Path) -> Iterator[Outcome]:
    """Return the outcomes in a file, none if it is not there."""
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            yield Outcome(**json.loads(line))


def save(outcomes: Iterable[Outcome]) -> Path:
    """Write figures of all drives by crane, and the drives with findings; return the file."""
    about = results.machine()
    kept = [*outcomes]
    stamp = about["date"][:16].replace(" ", "_").replace(":", "")
    path = results.FOLDER / f"{stamp}_drives.json"
    found = [outcome._asdict() for outcome in kept if outcome.findings]
    told = {"machine": about, "cranes": summarise(kept), "findings": found}
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return path


def summarise(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Any]]:
    """Return figures of all drives, by crane."""
    by_crane: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_crane.setdefault(outcome.crane, []).append(outcome)
    return {name: _figures(own) for name, own in sorted(by_crane.items())}


def _figures(own: list[Outcome]) -> dict[str, Any]:
    """Return the figures of the drives of a crane."""
    kinds = Counter(finding.partition(":")[0] for one in own for finding in one.findings)
    return {
        "drives": len(own),
        "seconds": sum(one.seconds for one in own),
        "processor_seconds": sum(one.processor for one in own),
        "events": sum(one.events for one in own),
        "largest_gain_share": max(one.gain[0] / max(one.gain[1], 1e-9) for one in own),
        "largest_depth": max(one.depth[0] for one in own),
        "largest_depth_by_coal": max(one.seen_depth[0] for one in own),
        "largest_pressed": max(one.pressed for one in own),
        "flags": dict(Counter(flag for one in own for flag in one.flags)),
        "findings": dict(kinds),
        "drives_with_findings": sum(bool(one.findings) for one in own),
    }


def _table(outcomes: list[Outcome]) -> Table:
    """Return the figures of all cranes as a table."""
    table = Table(caption=f"{len(outcomes)} drives of {SECONDS:g} s")
    names = ("drives", "events", "largest_gain_share", "largest_depth", "largest_depth_by_coal")
    for name in ("crane", *names, "drives_with_findings"):
        table.add_column(name.replace("_", " "), justify="left" if name == "crane" else "right")
    for crane, figures in summarise(outcomes).items():
        table.add_row(crane, *(f"{figures[name]:.4g}" for name in (*names, "drives_with_findings")))
    return table
