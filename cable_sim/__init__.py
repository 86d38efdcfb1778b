"""Simulator of cranes and their cables, as a library and as a ROS 2 node.

The names below are the public ones. They are loaded on first use: importing the package compiles
nothing and needs no ROS.
"""

from pkgutil import extend_path

# The generated messages live in another folder of the same package name; with this, both are found.
__path__ = extend_path(__path__, __name__)

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from cable_sim.lazy_names import load_module

if TYPE_CHECKING:  # for editors and type checkers; a test compares it with what is loaded
    from cable_sim.control.controllers.operator import Operator as Operator
    from cable_sim.control.feedback import Command as Command
    from cable_sim.control.feedback import Control as Control
    from cable_sim.control.feedback import Feedback as Feedback
    from cable_sim.control.metrics import metrics_of as metrics_of
    from cable_sim.control.plants.plant import LocalPlant as LocalPlant
    from cable_sim.control.run import run as run
    from cable_sim.control.scenario import Move as Move
    from cable_sim.control.scenario import Scenario as Scenario
    from cable_sim.control.scenario import read_scenario as read_scenario
    from cable_sim.control.task import Law as Law
    from cable_sim.control.task import Task as Task
    from cable_sim.cranes import Crane as Crane
    from cable_sim.cranes import crane_names as crane_names
    from cable_sim.cranes import load_crane as load_crane
    from cable_sim.errors import CableSimError as CableSimError
    from cable_sim.errors import CableSimWarning as CableSimWarning
    from cable_sim.errors import CommandError as CommandError
    from cable_sim.errors import ConfigError as ConfigError
    from cable_sim.errors import ModelError as ModelError
    from cable_sim.errors import SpecError as SpecError
    from cable_sim.errors import StepError as StepError
    from cable_sim.interchange.exports.write import export_model as export_model
    from cable_sim.interchange.fmi.export import export_fmu as export_fmu
    from cable_sim.interchange.models.read import ImportedModel as ImportedModel
    from cable_sim.interchange.models.read import read_model as read_model
    from cable_sim.interchange.ropes.mujoco_ropes import MujocoRopes as MujocoRopes
    from cable_sim.machine.faults import Fault as Fault
    from cable_sim.machine.machine import Machine as Machine
    from cable_sim.rendering.pictures import film as film
    from cable_sim.rendering.pictures import picture as picture
    from cable_sim.rendering.recording_plots import plot as plot
    from cable_sim.scenes import load_scene as load_scene
    from cable_sim.scenes import scene_names as scene_names
    from cable_sim.sim.batch.batch import BatchSimulator as BatchSimulator
    from cable_sim.sim.observation import Observation as Observation
    from cable_sim.sim.recording.logs import read_log as read_log
    from cable_sim.sim.recording.recording import Recording as Recording
    from cable_sim.sim.recording.recording_files import read_recording as read_recording
    from cable_sim.sim.simulator import Simulator as Simulator
    from cable_sim.sim.statics import equilibrium as equilibrium
    from cable_sim.sim.statics import modes as modes
    from cable_sim.spec import *  # noqa: F403
    from cable_sim.spec.cables.rope_catalogue import load_rope as load_rope
    from cable_sim.viewer.show import show as show
    from cable_sim_studies.identification.comparison import Lift as Lift
    from cable_sim_studies.identification.identify import identify as identify
    from cable_sim_studies.identification.parameters import Parameter as Parameter
    from cable_sim_studies.identification.replaying import replay as replay
    from cable_sim_studies.identification.validation import validate as validate

    __version__: str

_PUBLIC = {
    "control.controllers.operator": "Operator",
    "control.feedback": "Command Control Feedback",
    "control.metrics": "metrics_of",
    "control.plants.plant": "LocalPlant",
    "control.run": "run",
    "control.scenario": "Move Scenario read_scenario",
    "control.task": "Law Task",
    "cranes": "Crane crane_names load_crane",
    "errors": "CableSimError CableSimWarning CommandError ConfigError ModelError SpecError "
    "StepError",
    "interchange.fmi.export": "export_fmu",
    "interchange.models.read": "ImportedModel read_model",
    "interchange.exports.write": "export_model",
    "interchange.ropes.mujoco_ropes": "MujocoRopes",
    "machine.faults": "Fault",
    "machine.machine": "Machine",
    "rendering.pictures": "film picture",
    "rendering.recording_plots": "plot",
    "scenes": "load_scene scene_names",
    "sim.batch.batch": "BatchSimulator",
    "sim.recording.logs": "read_log",
    "sim.observation": "Observation",
    "sim.recording.recording": "Recording",
    "sim.recording.recording_files": "read_recording",
    "sim.simulator": "Simulator",
    "sim.statics": "equilibrium modes",
    "spec.cables.rope_catalogue": "load_rope",
    "spec": "Aim Air Anchor Beam Body Box BoxContact Cable Carriage Collision Cylinder Drag Drive "
    "Drum Elevation Eye Ground Heightfield Hybrid Joint Layers Loose Lumped Mesh Motion "
    "Obstacle Polyhedron Rao Rope Scene Sea Segments Sheave Sine Sphere Surface Touch "
    "Visual Wheel Winch neighbours read_motion",
    "viewer.show": "show",
}
"""Public names by their module."""
_STUDIES = {
    "identification.comparison": "Lift",
    "identification.identify": "identify",
    "identification.parameters": "Parameter",
    "identification.replaying": "replay",
    "identification.validation": "validate",
}
"""Public names of the package of studies, likewise."""
_MODULE_OF = {
    name: f"{package}.{end}"
    for package, modules in ((__name__, _PUBLIC), (f"{__name__}_studies", _STUDIES))
    for end, names in modules.items()
    for name in names.split()
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:  # with it, type checkers would believe in any name

    def __getattr__(name):
        """Load a public name when it is first used (PEP 562)."""
        if name == "__version__":
            return import_module("cable_sim.version").installed_version()
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(_module_of(name), name)
        globals()[name] = value
        return value


def _module_of(name: str) -> ModuleType:
    """Return the module of a public name; raise CableSimError if a package of an extra misses."""
    try:
        return load_module(_MODULE_OF[name])
    except ModuleNotFoundError as error:
        extra = {"viser": "viewer", "mujoco": "models"}.get(error.name or "")
        if extra is None:
            raise
        from cable_sim.errors import CableSimError

        told = f"{name}: {error.name} is not installed: pip install 'cable_sim[{extra}]'"
        raise CableSimError(told) from None


def __dir__() -> list[str]:
    """Return the public names, without what importing leaves behind."""
    return [*__all__, "__version__"]
