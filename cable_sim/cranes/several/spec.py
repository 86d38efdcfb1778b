"""Several cranes in one world in the words of a lifting plan, and one beam on two of their
hooks."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.rigging.rig import Pair, Sides
from cable_sim.cranes.several.beam_shares import shares
from cable_sim.spec.cables.ropes import Rope
from cable_sim.spec.quantities import Many, Name, NonNegative, Positive, Real, Vector, spec


@spec
class Member:
    """One crane of several.

    Parameters
    ----------
    name: unique; what the crane calls ``trolley`` is ``<name>_trolley`` among several.
    crane: name in the catalogue, or path of a file.
    xy: where its origin stands in the world [m].
    heading_deg: by which it is turned anticlockwise from above [deg]: its slewing angle 0 points
        there.
    changes: values of its file that differ, by their path: ``{rig.load.mass: 3000.0}``.
    """

    name: Name
    crane: str
    xy: Pair = (0.0, 0.0)
    heading_deg: Real = 0.0
    changes: dict[str, Any] = Field(default_factory=dict)


@spec
class Together:
    """The cranes that stand together."""

    type: Literal["several"]
    cranes: Annotated[Many[Member], Field(min_length=1)]

    def __post_init__(self) -> None:
        names = [member.name for member in self.cranes]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise ValueError(f"cranes: the name {name!r} is used twice")


@spec
class Beam:
    """A straight load on two hooks.

    Parameters
    ----------
    mass: [kg].
    size: length, width and height [m].
    centre: of mass, seen from the beam's middle: along it and above its axis [m].
    color: red, green, blue in 0...1.
    """

    mass: Positive
    size: Sides
    centre: Pair = (0.0, 0.0)
    color: Vector = (0.62, 0.30, 0.22)


@spec
class Lug:
    """A lifting point of the beam, and the sling from there straight up to a hook.

    Parameters
    ----------
    crane: name of the member whose hook it is on.
    at: seen from the beam's middle: along it and above its axis [m].
    sling: length of the sling [m].
    """

    crane: Name
    at: Pair
    sling: Positive = 2.0


@spec
class BeamStart:
    """Initial state of the beam.

    Parameters
    ----------
    xy: of its middle in the world [m].
    height: of its middle above the ground [m].
    heading_deg: anticlockwise from above, of the way from the first lug to the second [deg].
    tilt_deg: by which its first end stands higher [deg].
    """

    xy: Pair
    height: NonNegative
    heading_deg: Real = 0.0
    tilt_deg: Annotated[Real, Field(gt=-90.0, lt=90.0)] = 0.0


@spec
class SharedRig:
    """One beam on two hooks: it hangs at rest at the start, and all falls are vertical.

    Parameters
    ----------
    beam, start: see there.
    lugs: two, on the hooks of two cranes, the first one nearer to the beam's first end.
    rope: that the slings are made of.
    """

    beam: Beam
    start: BeamStart
    lugs: Annotated[Many[Lug], Field(min_length=2, max_length=2)]
    rope: Rope

    def __post_init__(self) -> None:
        first, second = self.lugs
        if first.crane == second.crane:
            raise ValueError(
                f"lugs: both are on the hook of crane {first.crane!r}; a shared beam is on two "
                "hooks"
            )
        if first.at[0] >= second.at[0]:
            raise ValueError(
                f"lugs: must be in order along the beam, not at {first.at[0]:g} and "
                f"{second.at[0]:g}"
            )
        shares = self.shares(self.start.tilt_deg)
        if min(shares) <= 0.0:
            raise ValueError(
                "lugs: the centre of mass must be between them in plan at the start, but they "
                "carry "
                f"{shares[0]:.0f} and {shares[1]:.0f} kg"
            )

    def shares(self, tilt_deg: float) -> tuple[float, float]:
        """Return the shares of the two lugs in the beam [kg], under vertical falls at a tilt [deg].

        See ``cranes/several/beam_shares.py``.
        """
        (cx, cz) = self.beam.centre
        (ax, az), (bx, bz) = (lug.at for lug in self.lugs)
        return shares(self.beam.mass, (ax - cx, az - cz), (bx - cx, bz - cz), tilt_deg)


@spec
class Several(FamilySpec):
    """A file of several cranes; one field for each of its sections.

    ``rig`` puts one beam on the hooks of two of them; without it each crane has the load of its own
    file.
    """

    crane: Together
    rig: SharedRig | None = None

    def start_fields(self) -> Mapping[str, str]:
        """Return none: its cranes start as their files say."""
        return {}

    def __post_init__(self) -> None:
        known = [member.name for member in self.crane.cranes]
        for i, lug in enumerate(self.rig.lugs if self.rig else ()):
            if lug.crane not in known:
                raise ValueError(
                    f"rig.lugs.{i}.crane: {lug.crane!r} is not known; known are {', '.join(known)}"
                )
