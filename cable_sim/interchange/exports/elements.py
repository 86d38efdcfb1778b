"""Documents of MuJoCo, whose numbers have all their digits."""

from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np

from cable_sim.spec import Body, Scene
from cable_sim.spec.quantities import WORLD

STEP = 1e-3
"""Step of the model [s]."""
SEEN = 2
"""Group of geoms that are only seen."""


class Document:
    """A model of MuJoCo as it grows.

    ``left_out`` tells by name what it can't say. ``own`` are the bodies of the scene, ``made``
    their elements, ``parts`` the sections, ``commands`` and ``activations`` those of the actuators
    at the start.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.left_out: list[str] = []
        self.root = Xml.Element("mujoco", model=scene.name)
        self.compiler = add(self.root, "compiler", angle="radian")
        add(self.root, "option", gravity=scene.gravity, timestep=STEP, integrator="implicitfast")
        kinds = ("asset", "worldbody", "contact", "equality", "tendon", "actuator", "keyframe")
        self.parts = {kind: Xml.SubElement(self.root, kind) for kind in kinds}
        self.own: dict[str, Body] = {body.name: body for body in scene.bodies}
        self.made = {WORLD: self.parts["worldbody"]}
        sun = {"pos": (0, 0, 100), "dir": (0.3, 0.6, -1)}
        add(self.parts["worldbody"], "light", directional=True, **sun)
        self._names: set[tuple[str, str]] = set()
        self.commands: list[float] = []
        self.activations: list[float] = []

    def name(self, kind: str, wanted: str) -> str:
        """Return a name that no other element of a kind has."""
        name, number = wanted, 1
        while (kind, name) in self._names:
            number += 1
            name = f"{wanted}_{number}"
        self._names.add((kind, name))
        return name


def add(parent: Xml.Element, tag: str, **values: Any) -> Xml.Element:
    """Return a new element below a parent, with numbers, words and vectors."""
    made = Xml.SubElement(parent, tag)
    set_values(made, **values)
    return made


def set_values(made: Xml.Element, **values: Any) -> None:
    """Set attributes of an element."""
    for name, value in values.items():
        if isinstance(value, bool):
            value = str(value).lower()
        elif not isinstance(value, str):
            value = " ".join(
                repr(float(x)) if x != int(x) else str(int(x)) for x in np.ravel(value)
            )
        made.set(name, value)


def text_of(root: Xml.Element) -> str:
    """Return the text of a document."""
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode") + "\n"
