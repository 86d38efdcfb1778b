"""A simulator as viewers take it: without an operator, in ticks of its own steps."""

from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.errors import CableSimError, CommandError
from cable_sim.machine.machine import Machine
from cable_sim.machine.pictures.frame import Frame
from cable_sim.machine.pictures.pictures import picture_bodies, picture_cables
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Scene

TICK = 0.01
"""Longest tick [s], unless a step is longer."""


class BareMachine:
    """A simulator that ticks by its own steps, with its own law, recording and commands.

    It has no axes: its drives do what the program that made it commands.

    Parameters
    ----------
    simulator: the simulator that is run and shown.
    crane: its crane, for names of parts and the view; left out, the scene alone.
    tick: longest tick [s].
    """

    def __init__(
        self, simulator: Simulator, crane: Crane | None = None, tick: float = TICK
    ) -> None:
        self.simulator = simulator
        self.crane = replace(crane or scene_machine(simulator.scene), axes=(), limiters=())
        self.substeps = max(int(tick / simulator.dt + 1e-9), 1)
        self.notices: deque[str] = deque(maxlen=20)

    @property
    def tick_time(self) -> float:
        """Simulated time of one tick [s]."""
        return self.substeps * self.simulator.dt

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.simulator.time

    def tick(self) -> None:
        """Advance one tick; raise StepError as the simulator does."""
        self.simulator.step(self.substeps)

    def observe(self) -> Observation:
        """Observe without advancing."""
        return self.simulator.observe()

    def frame(self, observation: Observation) -> Frame:
        """Return the observation as a frame for viewers."""
        return Frame(
            observation.time,
            picture_bodies(observation),
            picture_cables(observation),
            axes={},
            contacts=observation.contacts,
        )

    def reset(self) -> None:
        """Go back to the start."""
        self.simulator.reset()

    def command(self, axis: str, speed: float) -> None:
        """Refuse a speed command [rad/s or m/s]: there are no axes."""
        raise CommandError(f"axis {axis!r} is not known; the simulator is commanded by its program")


class HasMachine(Protocol):
    """An object with a machine, such as a plant."""

    @property
    def machine(self) -> Machine:
        """Machine that is shown."""


Shown = Scene | Simulator | Crane | Machine | HasMachine | str | Path
"""All that can be shown: a scene, simulator, crane, machine or plant, a catalogue name, or a
file."""


def machine_of(shown: Shown | BareMachine) -> Machine | BareMachine:
    """Return what is shown as a machine that ticks.

    A simulator or machine is the very one that was given. Cranes and scenes become machines that
    can be driven. An object with a ``machine``, such as a plant, stands for that.

    Raises CableSimError for anything else, ConfigError for an unknown name or a wrong file.
    """
    return live_machine(shown) or Machine(crane_of(shown))


def live_machine(shown: Shown | BareMachine) -> Machine | BareMachine | None:
    """Return the machine of what ticks already; None for scenes and cranes, names and files."""
    given = getattr(shown, "machine", shown)
    if isinstance(given, Machine | BareMachine):
        return given
    return BareMachine(given) if isinstance(given, Simulator) else None


def crane_of(shown: object) -> Crane:
    """Return the crane of a scene or crane, or of its name or file.

    Raises as :func:`machine_of`.
    """
    if isinstance(shown, Crane):
        return shown
    if isinstance(shown, Scene):
        return scene_machine(shown)
    if isinstance(shown, str | Path):
        return _load(shown)
    raise CableSimError(
        f"{type(shown).__name__} can't be shown; give a Scene, Simulator, Crane or Machine, the "
        "name of a crane or scene, or the path of a file"
    )


def still_of(shown: Shown | BareMachine) -> Machine | BareMachine:
    """Return the same to look at but not to drive, which takes less time to make.

    Raises as :func:`machine_of`.
    """
    crane = _load(shown) if isinstance(shown, str | Path) else shown
    if isinstance(crane, Scene):
        return BareMachine(Simulator(crane))
    if isinstance(crane, Crane):
        return BareMachine(Simulator(crane.scene), crane)
    return machine_of(crane)


def _load(name_or_path: str | Path) -> Crane:
    """Return the crane or scene of a name or a file; raise ConfigError if there is none."""
    from cable_sim.scenes.machines import load_machine  # all scenes and cranes are slow to import

    return load_machine(name_or_path)
