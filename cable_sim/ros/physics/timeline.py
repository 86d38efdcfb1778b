"""Present state of a machine, and its ROS time."""

from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation


class Timeline:
    """Newest state of a machine in ROS time. Used by the physics thread only.

    ROS time is ``origin`` [ns] plus the machine's own. A reset starts the machine's time anew and
    moves the origin. So ROS time never runs backwards, which TF buffers and timers handle badly.
    """

    def __init__(self, machine: Machine) -> None:
        self.origin = 0
        self.begin(machine, machine.observe())

    def begin(self, machine: Machine, observation: Observation) -> None:
        """Take another machine, or one that was put elsewhere, and its state."""
        self.machine = machine
        self.observation = observation
        self.before = observation

    def take(self, observation: Observation) -> None:
        """Take the state after a tick."""
        self.before = self.observation
        self.observation = observation

    @property
    def now(self) -> int:
        """ROS time of the present state [ns]."""
        # from the count of steps, because the sum of a million steps of 1 ms is not quite 1000 s
        return self.origin + round(self.observation.steps * self.machine.simulator.dt * 1e9)

    @property
    def ticks(self) -> int:
        """Number of ticks up to the present state."""
        return int(self.observation.steps) // self.machine.substeps

    def move(self, now: int) -> None:
        """Make ``now`` [ns] the ROS time of the present state."""
        self.origin += now - self.now

    def machine_time(self, stamp: int) -> float:
        """Return the machine's time [s] of a ROS time [ns]."""
        return (stamp - self.origin) * 1e-9

    def __str__(self) -> str:
        return f"{self.now * 1e-9:.3f} s"
