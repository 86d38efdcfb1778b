"""Model description of an FMU: the XML file that tells a tool what is in it."""

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from cable_sim.interchange.fmi.variables import CHOICES, Variable
from cable_sim.version import installed_version

UNITS: dict[str, dict[str, int]] = {
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s^2": {"m": 1, "s": -2},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N m": {"kg": 1, "m": 2, "s": -2},
    "kg": {"kg": 1},
    "s": {"s": 1},
    "1": {},
}
"""Exponents of base units by the name of a unit."""
TYPES = {
    2: {"real": "Real", "integer": "Integer", "boolean": "Boolean"},
    3: {"real": "Float64", "integer": "Int32", "boolean": "Boolean"},
}
"""Names of types by the version of FMI."""


class About(NamedTuple):
    """Identity of an FMU.

    Parameters
    ----------
    name: of the crane.
    identifier: of the model, as C has names.
    token: that tells FMUs apart.
    version: of FMI, 2 or 3.
    step: smallest communication step, of which others are multiples [s].
    """

    name: str
    identifier: str
    token: str
    version: int
    step: float


def describe_fmu(about: About, variables: Sequence[Variable]) -> Element:
    """Return the model description of an FMU, whose value references are places in a list."""
    tokens = {2: "guid", 3: "instantiationToken"}
    root = Element(
        "fmiModelDescription",
        {
            "fmiVersion": f"{about.version}.0",
            "modelName": about.name,
            "description": f"Crane {about.name}: axes in, state, readings and limiters out",
            tokens[about.version]: about.token,
            "generationTool": f"cable_sim {installed_version()}",
            "variableNamingConvention": "structured",
        },
    )
    _add_interface(root, about)
    _add_units(root, variables)
    types = SubElement(root, "TypeDefinitions")
    for name, choices in CHOICES.items():
        _add_enumeration(types, name, choices, about.version)
    categories = SubElement(root, "LogCategories")
    for status in ("Warning", "Discard", "Error", "Fatal"):
        SubElement(categories, "Category", name=f"logStatus{status}")
    SubElement(root, "DefaultExperiment", startTime="0.0", stepSize=repr(about.step))
    listed = SubElement(root, "ModelVariables")
    for reference, variable in enumerate(variables):
        _add_variable(listed, variable, reference, about.version)
    _add_structure(SubElement(root, "ModelStructure"), variables, about.version)
    return root


def _add_interface(root: Element, about: About) -> None:
    """Add the abilities in co-simulation."""
    state = "state" if about.version == 2 else "State"
    able = {
        "modelIdentifier": about.identifier,
        "needsExecutionTool": "true",
        "canHandleVariableCommunicationStepSize": "true",
        "canBeInstantiatedOnlyOncePerProcess": "false",
        f"canGetAndSetFMU{state}": "true",
        f"canSerializeFMU{state}": "true",
    }
    if about.version == 3:
        able["fixedInternalStepSize"] = repr(about.step)
    SubElement(root, "CoSimulation", able)


def _add_units(root: Element, variables: Sequence[Variable]) -> None:
    """Add the units that variables have."""
    used = {variable.unit for variable in variables if variable.unit}
    units = SubElement(root, "UnitDefinitions")
    for name in sorted(used):
        unit = SubElement(units, "Unit", name=name)
        if name in UNITS:
            SubElement(unit, "BaseUnit", {base: str(n) for base, n in UNITS[name].items()})


def _add_enumeration(types: Element, name: str, choices: Sequence[str], version: int) -> None:
    """Add the type of an enumeration."""
    if version == 2:
        own = SubElement(SubElement(types, "SimpleType", name=name), "Enumeration")
    else:
        own = SubElement(types, "EnumerationType", name=name)
    for i, choice in enumerate(choices):
        SubElement(own, "Item", name=choice, value=str(i))


def _attributes(variable: Variable, reference: int) -> dict[str, str]:
    """Return the attributes that variables of all types have."""
    found = {
        "name": variable.name,
        "valueReference": str(reference),
        "description": variable.text,
        "causality": variable.causality,
        "variability": variable.variability,
    }
    initial = {"output": "calculated", "parameter": "exact"}.get(variable.causality)
    return found | {"initial": initial} if initial else found


def _own_attributes(variable: Variable) -> dict[str, str]:
    """Return unit, type and start of a variable."""
    own: dict[str, str] = {}
    if variable.kind in CHOICES:
        own["declaredType"] = variable.kind
    elif variable.unit:
        own["unit"] = variable.unit
    if variable.start is not None:
        make = {"real": float, "boolean": bool}.get(variable.kind, int)
        own["start"] = repr(make(variable.start)).lower()
    return own


def _add_variable(listed: Element, variable: Variable, reference: int, version: int) -> None:
    """Add a variable; FMI 2 has an element of its own for what depends on the type."""
    kind = TYPES[version].get(variable.kind, "Enumeration")
    common, own = _attributes(variable, reference), _own_attributes(variable)
    if version == 2:
        SubElement(SubElement(listed, "ScalarVariable", common), kind, own)
    else:
        SubElement(listed, kind, common | own)


def _add_structure(structure: Element, variables: Sequence[Variable], version: int) -> None:
    """Add which variables are outputs, all of which are computed at the start, too."""
    outputs = [i for i, variable in enumerate(variables) if variable.causality == "output"]
    if version == 3:
        for kind in ("Output", "InitialUnknown"):
            for i in outputs:
                SubElement(structure, kind, valueReference=str(i))
        return
    for group in ("Outputs", "InitialUnknowns"):
        unknowns = SubElement(structure, group)
        for i in outputs:
            SubElement(unknowns, "Unknown", index=str(i + 1))
