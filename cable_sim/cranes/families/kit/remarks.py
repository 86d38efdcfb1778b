"""Warnings about a crane of parts that can be built, but hardly works as its author meant."""

import math
from collections.abc import Sequence

from cable_sim.cranes.families.kit.reeving import ropes_on_winch, winch_name
from cable_sim.cranes.families.kit.standing import Standing
from cable_sim.cranes.families.kit.words.carriers import body_of
from cable_sim.cranes.families.kit.words.spec import KitAxis, KitFile, KitRope
from cable_sim.cranes.rigging.reeving import fall_spans
from cable_sim.cranes.rigging.reeving_checks import warn_of_bending, warn_of_falls, warn_of_rope
from cable_sim.errors import warn
from cable_sim.spec import Beam, Rope
from cable_sim.spec.scene import GRAVITY

NEAR = 0.5
"""Share of Euler's load beyond which a mast is too soft [-]."""


def warn_of_kit(file: KitFile, standing: Standing, steel: Sequence[Beam]) -> None:
    """Warn of what drives, brakes, ropes, wheels and drums of a crane can't do well."""
    _warn_of_axes(file, standing)
    first_on = {winch_name(file, name): name for name in reversed([*file.ropes])}
    for name, rope in file.ropes.items():
        if rope.winch_mass:
            _warn_of_wheels(file, name, rope)
        if first_on[winch_name(file, name)] != name:
            continue
        if rope.drum and standing.nodes[name][0].body == standing.nodes[name][1].body:
            first, second = (node.position for node in standing.nodes[name][:2])
            shared = [winch_name(file, other) for other in file.ropes]
            rope.drum.warn(math.dist(first, second), shared.count(winch_name(file, name)))
    _warn_of_hooks(file, standing)
    _warn_of_beams(steel)


def _warn_of_axes(file: KitFile, standing: Standing) -> None:
    """Warn of joints that their drives or brakes can't hold at the start."""
    for name, axis in file.axes.items():
        efforts = standing.rest.effort
        ropes = ropes_on_winch(file, axis.on) or [axis.on]
        pull = sum(standing.pull_on(name) for name in ropes if axis.on not in efforts)
        load = abs(efforts[axis.on]) if axis.on in efforts else pull
        for what, limit in (("effort", axis.effort), ("brake", brake_of(axis))):
            if load > limit:
                told = f"axes.{name}.{what}: {limit:g} is less than the {load:.4g} that it holds"
                warn(f"{told} at the start", 4)


def _warn_of_beams(steel: Sequence[Beam]) -> None:
    """Warn of masts that are near to buckling at the start."""
    for beam in steel:
        if beam.thrust > NEAR * beam.euler_load:
            told = (
                f"parts.{beam.name}.beam: carries {beam.thrust:.4g} N along it, and buckles at "
                f"{beam.euler_load:.4g} N"
            )
            warn(told, 4)


def _warn_of_wheels(file: KitFile, name: str, rope: KitRope) -> None:
    """Warn of wheels and drums that bend a rope too much."""
    wheels = {}
    for entry in (entry for entry in rope.path if isinstance(entry, str)):
        owner, _, place = entry.rpartition(".")
        if wheel := file.owner(owner).wheels.get(place):
            wheels[f"{file.section(owner)}.{owner}.wheels.{place}.diameter"] = wheel.diameter
    if rope.drum:
        wheels[f"ropes.{name}.drum.pitch_diameter"] = rope.drum.pitch_diameter
    warn_of_bending(rope.rope, wheels)


def _warn_of_hooks(file: KitFile, standing: Standing) -> None:
    """Warn of hoist ropes that are too weak for the rated load, and of falls in one place."""
    for name, hook in file.hooks.items():
        upper = body_of(file.parts, hook.below.rpartition(".")[0])
        falls = sum(len(fall_spans(standing.nodes[r], upper, name)) for r in hook.ropes)
        for rope in hook.ropes:
            warn_of_falls(standing.nodes[rope], upper, name, f"ropes.{rope}.path")
        rated = file.rated_load()
        if rated and falls and name == next(iter(file.hooks)):
            pull = (rated + (0.0 if hook.ball else file.hook_mass(name))) * GRAVITY / falls
            told: set[tuple[Rope, float]] = set()
            for rope in hook.ropes:
                made = file.ropes[rope]
                field = f"ropes.{rope}"
                if (alike := (made.rope, made.design_factor)) not in told:
                    warn_of_rope(made.rope, pull, made.design_factor, f"{field}.rope", field)
                told.add(alike)


def brake_of(axis: KitAxis) -> float:
    """Return what the closed brake of an axis holds [N m or N]."""
    return axis.brake or BRAKE_FACTOR * axis.effort


BRAKE_FACTOR = 1.5
"""What a closed brake holds over the drive's largest effort, where the file does not say [-]."""
