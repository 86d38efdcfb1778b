"""What a mass costs, in the simulator with all that is around it."""

from cable_sim import Anchor, Cable, Scene, load_scene
from cable_sim.spec import Loose, Lumped
from validation.harness import Finding, Progress, Reading, Result
from validation.harness.timing import step_time

SIZES = (100, 1000, 10_000)
WORK = 400_000
"""Masses times steps of a timed run."""


def chain(masses: int) -> Scene:
    """A chain held at one end."""
    made = Lumped(masses, density=1.0, air_friction=0.01)
    return Scene(
        cables=(Cable("rope", (Anchor("world"), Loose((0.1 * masses, 0.0, 0.0))), lumped=made),)
    )


def timings(progress: Progress) -> Result:
    """Nanoseconds per mass and step: the tutorial's rope in its own steps, and chains of three
    sizes."""
    found: list[Finding] = [
        Reading("tutorial, 80 masses", _nanoseconds(load_scene("nehe_rope"), 80), "ns")
    ]
    found += [
        Reading(f"chain, {n} masses", _nanoseconds(chain(n), n), "ns") for n in progress.over(SIZES)
    ]
    return Result(found)


def _nanoseconds(scene: Scene, masses: int) -> float:
    """For each mass and step."""
    return 1e9 * step_time(scene, 1e-3, max(WORK // masses, 1)) / masses
