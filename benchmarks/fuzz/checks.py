"""What holds for every scene, checked while it runs.

* Building and running end in an Observation, or in an error of the project that tells why.
* All that is observed is finite.
* A passive scene's energy stays below that of its start, up to ``SHARE`` of what has been at play:
  kinetic and elastic energy of the start, and the work of the weight so far. Poses, velocities and
  strains that are read are of one instant with ``spook``. With ``regularised`` what is thrown has
  the kinetic energy of half a step before its pose, and what stiff rows hold that of its pose: the
  smaller one of a reading and of its mean with the next counts, at the start the larger one. What
  is pressed into grounds does not count: it was at play before it went there, and after it came
  back. What the ground gives back of what was pressed into it at the start is at play. Of elevation
  cables counts what the model has (``weight.py``).
* A rope that only pulls never pushes. Rods (``pulls_only=False``), chains of masses, the tutorial's
  springs and wires
  that resist bending do by design: their segments are bars.

* The simulator's own balance (``kernels/multibody/balance.py``) does not tell of energy that is not
  there.

A symptom that comes with a status other than 0 has been told, and is counted apart.
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.fuzz.scenes import Case
from benchmarks.fuzz.weight import LeftOut
from cable_sim import Simulator
from cable_sim.errors import CableSimError, StepError
from cable_sim.kernels.status import ENERGY_GAINED
from cable_sim.sim.observation import Observation
from cable_sim.sim.readings.energy import Energy
from cable_sim.spec import Cable, Scene

SHARE = 0.01
"""Part of the energy at play by which a passive scene may exceed its start [-]."""
ROUNDING = 1e-6
"""Part of a rope's largest tension below which a pressing tension is rounding [-]."""
PATIENCE = 120.0
"""Longest that the steps of one scene may take [s]."""
ALARM = 0.5
"""Part of the energy allowed below which no status may tell that there is more [-]."""
PUSH = 2.0
"""Force of a push, in weights of its body [-]."""


class Outcome(NamedTuple):
    """The symptoms of a case, each as (name, told), why it was refused or stopped, its status flags
    and a detail; notes of what differs by design."""

    symptoms: frozenset[tuple[str, bool]] = frozenset()
    ending: str = "ran"
    status: int = 0
    detail: str = ""
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """True if something went wrong without a word."""
        return any(not told for _, told in self.symptoms)


def examine(case: Case, steps: int) -> Outcome:
    """Build and run a case for so many steps, and return what came of it."""
    try:
        simulator = Simulator(case.scene, dt=case.dt, stepper=case.stepper)
    except CableSimError as error:
        return Outcome(ending=f"refused: {type(error).__name__}", detail=str(error))
    except Exception as error:
        return _crash_outcome("building", error)
    watch = _Watch(case, simulator)
    try:
        for _ in watch.run(steps):
            pass
    except StepError as error:
        return watch.outcome(ending="stopped", detail=str(error))
    except Exception as error:
        return _crash_outcome("running", error)
    return watch.outcome()


def _crash_outcome(while_: str, error: Exception) -> Outcome:
    text = f"{type(error).__name__}: {error}"
    return Outcome(
        frozenset({(f"{while_} raised {type(error).__name__}", False)}),
        "crashed",
        detail=text[:300],
    )


class _Watch:
    """What is seen of a run."""

    def __init__(self, case: Case, simulator: Simulator) -> None:
        self.case = case
        self.simulator = simulator
        self.status = 0
        self.symptoms: dict[str, tuple[bool, str]] = {}
        self.pulling = [cable for cable in case.scene.cables if only_pulls(cable)]
        self.energy = _Energy(case.scene, case.stepper)

    def outcome(self, ending: str = "ran", detail: str = "") -> Outcome:
        found = frozenset((name, told) for name, (told, _) in self.symptoms.items())
        details = [text for _, text in self.symptoms.values()] + ([detail] if detail else [])
        return Outcome(found, ending, self.status, "; ".join(details))

    def run(self, steps: int) -> Iterator[Observation]:
        """Step and observe by turns."""
        began = time.process_time()
        self._look()
        for step in range(steps):
            for at, act, thing in self.case.acts:
                if at == step:
                    self._act(act, thing)
            self.status |= self.simulator.step().status
            yield self._look()
            if time.process_time() - began > PATIENCE:
                self._note("slow", f"{step + 1} steps took {PATIENCE:g} s")
                return

    def _note(self, symptom: str, text: str) -> None:
        self.symptoms.setdefault(symptom, (self.status != 0, text))

    def _act(self, act: str, thing: str) -> None:
        """Intervene, and begin the account of the energy anew."""
        if intervene(self.simulator, act, thing, push_force(self.case, act, thing)):
            self.energy.restart()

    def _look(self) -> Observation:
        seen = self.simulator.observe()
        self.status |= seen.report.status
        for name in Observation.__annotations__:
            values = getattr(seen, name)
            if (
                isinstance(values, np.ndarray)
                and values.dtype.kind == "f"
                and not np.isfinite(values).all()
            ):
                self._note("not finite", f"{name} at {seen.time:.6g} s")
        if self.case.passive:
            self._check_energy(seen)
        for cable in self.pulling:
            tensions = seen.cable(cable.name).span_tension
            least = float(tensions.min())
            most = float(np.abs(tensions).max())
            if least < -ROUNDING * max(1.0, most):
                self._note(
                    "pushes",
                    f"{cable.name}: {least:.4g} N beside {most:.4g} N at {seen.time:.6g} s",
                )
        return seen

    def _check_energy(self, seen: Observation) -> None:
        """Note an energy that rises, and a status that says so where it does not."""
        found = self.energy.gain(seen)
        if found is None:
            return
        gained, allowed, at_play = found
        text = f"{gained:.4g} J more than {at_play:.4g} J at play, at {seen.time:.6g} s"
        if gained > allowed:
            self._note("energy", text)
        elif gained < ALARM * allowed and seen.report.status & ENERGY_GAINED:
            self.symptoms.setdefault("alarm", (False, f"told for nothing: {text}"))


class _Energy:
    """Account of a passive scene's energy."""

    def __init__(self, scene: Scene, stepper: str) -> None:
        self.left_out = LeftOut(scene)
        self.of_one_instant = stepper == "spook"
        self.restart()

    def restart(self) -> None:
        """Take what is seen next for the start."""
        self.start: Energy | None = None
        self.before: Energy | None = None
        self.lowest = 0.0

    def timely(self, now: Energy) -> Energy | None:
        """Return the energies of an instant: those given, or of the reading before."""
        if self.of_one_instant:
            return now
        before = self.before
        self.before = now
        if before is None:
            return None
        choose = max if self.start is None else min
        mean = 0.5 * (before.kinetic + now.kinetic)
        return before._replace(kinetic=choose(before.kinetic, mean))

    def gain(self, seen: Observation) -> tuple[float, float, float] | None:
        """Return the energy gained, that allowed and that at play [J]; None before the start."""
        kinetic, potential = self.left_out.energies(seen)
        now = self.timely(
            seen.energy._replace(
                kinetic=seen.energy.kinetic - kinetic, potential=seen.energy.potential - potential
            )
        )
        if now is None or not np.isfinite(now.total):
            return None
        if self.start is None:
            self.start = now
            self.lowest = now.potential
        start = self.start
        self.lowest = min(self.lowest, now.potential)
        returned = max(start.ground - now.ground, 0.0)
        at_play = start.kinetic + abs(start.elastic) + start.potential - self.lowest + returned
        gained = (now.total - now.ground) - (start.total - start.ground) - returned
        allowed = SHARE * at_play + 1e-6 * (1.0 + abs(start.potential))
        return gained, allowed, at_play


def push_force(case: Case, act: str, thing: str) -> tuple[float, float, float]:
    """Return the force of an intervention on a body [N]; zero for one that does not push."""
    pushed = [body.mass for body in case.scene.bodies if act == "push" and body.name == thing]
    return (PUSH * sum(pushed) * 9.81, 0.0, 0.0)


def intervene(
    simulator: Simulator,
    act: str,
    thing: str,
    force: tuple[float, float, float],
    place: float = 1.0,
) -> bool:
    """Intervene in a running scene; return False where it does not allow that.

    A cut is at ``place`` along the cable [m].
    """
    try:
        if act == "cut":
            simulator.cut(thing, place)
        elif act == "push":
            simulator.push(thing, force=force)
        else:
            getattr(simulator, act)(thing)
    except CableSimError:
        return False
    return True


def only_pulls(cable: Cable) -> bool:
    """Return True for a cable whose tension is never below zero; see the head of this file for the
    others."""
    bars = cable.lumped is not None and cable.lumped.method != "springs"
    bends = cable.hybrid is not None and cable.hybrid.bending > 0.0
    return cable.pulls_only and not bars and not bends
