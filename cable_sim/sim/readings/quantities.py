"""Quantities that are seen of a running scene, told once.

From this table are made the arrays of observations, live views, channels with their units, and the
page of channels: a row that is added here appears in all of them.
"""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from cable_sim.kernels.multibody.drives import WORK

XYZ = ("x", "y", "z")
WXYZ = ("w", "x", "y", "z")
ENERGIES = ("kinetic", "potential", "elastic", "ground")
PARTS = (XYZ, WXYZ, ENERGIES)
"""Names of the columns of a quantity that has several."""
TENSIONS = "readings.spans.tension"
"""Tensions of all spans, of which cables and wheels have rows of their own."""


class Quantity(NamedTuple):
    """A quantity of a kind of objects: its array, and the columns that it takes there.

    ``array`` is a name such as ``seen.bodies.position``. ``parts`` are the names of several
    columns; one column has none. ``first`` is the first of them.
    """

    array: str
    unit: str
    meaning: str
    parts: tuple[str, ...] = ()
    first: int = 0

    @property
    def is_read(self) -> bool:
        """Return True if it is computed from the state, when it is asked for."""
        return self.array.startswith(("readings", "work"))

    def part(self, array: NDArray[Any], rows: int | slice) -> NDArray[Any]:
        """Return the view of its columns in a row, or in some rows, of its array."""
        if array.ndim == 1:
            return array[rows, ...]
        end = self.first + len(self.parts)
        return array[rows, slice(self.first, end) if self.parts else self.first, ...]


READ: dict[str, dict[str, Quantity]] = {
    "bodies": {
        "position": Quantity("seen.bodies.position", "m", "centre of mass", XYZ),
        "orientation": Quantity("seen.bodies.orientation", "-", "unit quaternion", WXYZ),
        "velocity": Quantity("seen.bodies.velocity", "m/s", "of the centre of mass", XYZ),
        "angular_velocity": Quantity("seen.bodies.velocity", "rad/s", "in the world", XYZ, 3),
        "contact_force": Quantity(
            "readings.bodies.contact_force", "N", "of all that touches the body", XYZ
        ),
    },
    "joints": {
        "position": Quantity("seen.joints.position", "m or rad", "coordinate"),
        "velocity": Quantity("readings.joints.velocity", "m/s or rad/s", "rate of the coordinate"),
        "force": Quantity("readings.joints.force", "N", "of the parent on the child", XYZ),
        "torque": Quantity(
            "readings.joints.torque", "N m", "of the parent on the child, about the point", XYZ
        ),
        "open": Quantity("seen.joints.open", "-", "holds nothing"),
    },
    "drives": {
        "position": Quantity("readings.drives.position", "m or rad", "coordinate"),
        "velocity": Quantity("readings.drives.velocity", "m/s or rad/s", "rate of the coordinate"),
        "reference": Quantity("seen.drives.reference", "m/s or rad/s", "speed that it follows"),
        "effort": Quantity("readings.drives.effort", "N or N m", "of motor and brake"),
        "saturated": Quantity("readings.drives.saturated", "-", "effort at its limit"),
        "brake_closed": Quantity("seen.drives.brake_closed", "-", "brake holds"),
        "brake_work": Quantity("seen.drives.motion", "J", "heat of the brake so far", first=WORK),
    },
    "carriages": {"position": Quantity("seen.carriages.position", "m or rad", "coordinate")},
    "cables": {
        "tension": Quantity(TENSIONS, "N", "at the first node, where a winch pulls"),
        "length_paid_out": Quantity("readings.cables.length_paid_out", "m", "unstretched length"),
        "length_rate": Quantity("readings.cables.length_rate", "m/s", "speed of paying out"),
        "slack": Quantity("readings.cables.slack", "-", "carries no tension"),
        "twist": Quantity("work.cables.twist", "rad", "of the last node's end, right-handed"),
        "torque": Quantity("readings.cables.torque", "N m", "against the twist"),
        "peak_utilisation": Quantity(
            "seen.cables.peak_utilisation", "-", "largest tension so far over the breaking force"
        ),
        "peak_time": Quantity("seen.cables.peak_time", "s", "time of that tension"),
    },
    "wheels": {
        "slip": Quantity("seen.wheels.slip", "m/s", "speed of the rope past the rim"),
        "wrap": Quantity("work.wheels.wrap", "rad", "angle by which the rope turns"),
        "heat": Quantity("seen.wheels.heat", "J", "of the friction on the rim so far"),
        "tension_before": Quantity(TENSIONS, "N", "of the rope before it", first=-1),
        "tension_behind": Quantity(TENSIONS, "N", "of the rope behind it"),
    },
    "watched": {
        "normal_force": Quantity("seen.pool.pressed", "N", "sum over the points of a watched pair")
    },
}
"""Quantities that can be read, by kind of object; vectors are in the world frame."""

WRITTEN: dict[str, dict[str, Quantity]] = {
    "bodies": {
        "force": Quantity("control.bodies.wrench", "N", "on the centre of mass", XYZ),
        "torque": Quantity("control.bodies.wrench", "N m", "on the body", XYZ, 3),
    },
    "drives": {
        "target": Quantity(
            "control.drives.target", "m, rad, m/s, rad/s, N or N m", "by the mode of the drive"
        )
    },
}
"""Quantities that a law can write."""

SCENE_READ = {
    "time": Quantity("seen.time", "s", "since the start"),
    "wind": Quantity("control.wind", "m/s", "steady part", XYZ),
    "energy": Quantity("readings.energy", "J", "of all bodies and cables", ENERGIES),
}
SCENE_WRITTEN = {"wind": SCENE_READ["wind"]}
"""Quantities of the whole scene."""


def first_row(kind: str) -> int:
    """Return the row of the first object of a kind: the first body of all is the world."""
    return 1 if kind == "bodies" else 0


def of_rows(kind: str) -> dict[str, Quantity]:
    """Return the quantities of a kind whose arrays have a row for each of its objects."""
    return {name: made for name, made in READ[kind].items() if made.array != TENSIONS}
