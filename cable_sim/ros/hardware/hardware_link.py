"""Hardware component of ros2_control at the physics thread: its commands, and states for it.

From the first commands of the active component on, each tick waits for its commands, whatever the
parameter ``lockstep`` is. Before and after, time runs by itself. Otherwise a controller manager
could not start: its cycles wait for the clock, and it activates the component between two of them.
"""

from collections.abc import Callable
from typing import NamedTuple

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, describe_error, unknown
from cable_sim.ros.command.command_barrier import Answer
from cable_sim.ros.command.command_sources import CommandSources, Sender, admit
from cable_sim.ros.command.commands import AxisSetpoint, moved_axis, setpoint_of
from cable_sim.ros.hardware import hardware_protocol as protocol
from cable_sim.ros.hardware.hardware_server import Connection, HardwareServer
from cable_sim.ros.physics.physics_thread import PhysicsThread
from cable_sim.ros.state_interfaces import StateReader
from cable_sim.sim.observation import Observation

LONG = 1.0
"""Time after which a wait for commands is told [s]."""
SOURCE = "ros2_control"
"""Name of the socket among the topics of commands."""


class Attached(NamedTuple):
    """Component that is attached: its connection, as what it sends, its joints and states.

    ``axes`` are the names of the axes, with the number of the command in COMMAND_KINDS.
    """

    connection: Connection
    sender: Sender
    name: str
    axes: tuple[tuple[str, int], ...]
    read: StateReader


class HardwareLink:
    """Link of a component to the machine; all but the constructor and ``close`` run in its thread.

    Parameters
    ----------
    path: path of the socket.
    physics: thread that owns the machine.
    sources: senders of commands, and the rule which of them is obeyed.

    Raises CableSimError if the socket can not be made.
    """

    def __init__(self, path: str, physics: PhysicsThread, sources: CommandSources) -> None:
        self._physics = physics
        self._sources = sources
        self._attached: Attached | None = None
        self._engaged = False
        self._told = -1
        self._server = HardwareServer(path, self._receive)
        physics.publishers.on_state = self.send_state

    def close(self) -> None:
        """End the connection, and remove the socket."""
        self._server.close("the simulator has ended")

    def send_state(self, observation: Observation, stamp: int) -> None:
        """Send a state with its ROS time [ns]; the component is dismissed after a failure."""
        if self._attached is None:
            return
        physics = self._physics
        failure = physics.publishers.stats.failure
        if failure:
            self._dismiss(f"{failure}; reset it, and activate the hardware again")
            return
        barrier = physics.barrier
        awaited = barrier.attached and not barrier.is_open(stamp)
        if awaited and stamp != self._told and barrier.clock() - barrier.begun > LONG:
            self._told = stamp
            self._log(
                f"ros2_control: time stands at {stamp * 1e-9:.3f} s until {self._attached.name} "
                "sends the commands of its next cycle"
            )
        flags = (
            protocol.ENGAGED * self._engaged
            | protocol.AWAITING * awaited
            | protocol.PAUSED * physics.paused
        )
        numbers = self._attached.read(physics.machine, observation)
        head = protocol.Stamp(flags, barrier.epoch, stamp, float(observation.time))
        self._attached.connection.send(protocol.states(head, numbers))

    def _receive(self, connection: Connection, packet: bytes) -> None:
        """Hand a packet to the physics thread, from any thread."""
        self._physics.post(lambda: self._take(connection, packet))

    def _take(self, connection: Connection, packet: bytes) -> None:
        """Take a packet; a component that breaks the protocol, or can not be, is dismissed."""
        ours = self._attached is not None and self._attached.connection is connection
        if not packet:
            if ours:
                self._leave("has gone")
            return
        try:
            if ours:
                self._obey(packet)
            elif protocol.kind_of(packet) == protocol.HELLO:
                self._attach(connection, protocol.read_hello(packet))
        except Exception as error:  # whatever it is, silence would not tell it
            if ours:
                self._dismiss(describe_error(error))
            else:
                connection.dismiss(describe_error(error))

    def _attach(self, connection: Connection, hello: protocol.Hello) -> None:
        """Attach a component; CableSimError with the reason why it can not be."""
        physics = self._physics
        if self._attached and self._attached.connection.has_ended():  # its thread is to tell so
            self._leave("has gone")
        if self._attached:
            raise CableSimError(f"{self._attached.name} is attached to this simulator already")
        physics.refuse_failed()
        tick = round(physics.machine.tick_time * 1e9)
        axes = check_hello(hello, physics.machine.crane, tick)
        read = StateReader(physics.machine.crane, hello.states)
        name = hello.client or "the hardware component"
        sender = Sender(SOURCE, hello.client.encode())
        self._sources.introduce(sender, name)
        self._attached = Attached(connection, sender, name, axes, read)
        connection.send(protocol.welcome(tick, physics.machine.crane.name))
        self._log(f"ros2_control: {name} is attached")
        self._send_now()

    def _obey(self, packet: bytes) -> None:
        """Do what the attached component asks for."""
        assert self._attached is not None
        kind = protocol.kind_of(packet)
        if kind == protocol.COMMANDS:
            self._command(protocol.read_commands(packet, len(self._attached.axes)))
        elif kind == protocol.ENGAGE:
            self._engage(protocol.read_engage(packet))
            self._send_now()
        else:
            raise protocol.ProtocolError(f"a packet of the kind {kind}, which none may send here")

    def _command(self, commands: protocol.Commands) -> None:
        """Apply commands to the machine; those for a state before a jump of time are too late."""
        assert self._attached is not None
        physics = self._physics
        if commands.epoch != physics.barrier.epoch:
            return
        setpoints: list[AxisSetpoint | Answer] = []
        for (axis, kind), value in zip(self._attached.axes, commands.values, strict=True):
            mode = protocol.COMMAND_KINDS[kind]
            if mode is not None:
                setpoints += setpoint_of(axis, value, mode, SOURCE, physics.publishers.counts)
        first = self._engaged and not physics.barrier.attached
        if first:
            physics.barrier.attach(True)
        obeyed = admit(setpoints, moved_axis, self._attached.sender, self._sources)
        if not physics.apply_commands([*obeyed, Answer(commands.until, self._engaged)]):
            why = physics.operations.closed or physics.publishers.counts.newest_notices(1)[0]
            raise CableSimError(why)
        if first:  # commands for an earlier state open nothing; the present one has to be answered
            physics.pacer.note_wait()
            self._send_now()

    def _engage(self, engaged: bool) -> None:
        """Have ticks wait for the component's commands from the first ones on, or no longer."""
        if engaged == self._engaged:
            return
        if engaged and self._physics.operations.closed:
            raise CableSimError(self._physics.operations.closed)
        self._engaged = engaged
        self._physics.barrier.attach(False)
        self._physics.pacer.note_wait()
        assert self._attached is not None
        verb = "lets" if engaged else "no longer lets"
        self._log(f"ros2_control: {self._attached.name} {verb} time pass")

    def _dismiss(self, reason: str) -> None:
        """End the connection of the attached component with a reason."""
        assert self._attached is not None
        self._attached.connection.dismiss(reason)
        self._leave(f"was dismissed: {reason}")

    def _leave(self, how: str) -> None:
        """Go on without the component; its axes brake after ``command_timeout``."""
        assert self._attached is not None
        name = self._attached.name
        self._engage(False)
        self._attached = None
        self._physics.publishers.counts.note(f"ros2_control: {name} {how}")

    def _send_now(self) -> None:
        """Send the present state."""
        now = self._physics.timeline
        self.send_state(now.observation, now.now)

    @property
    def _log(self) -> Callable[[str], object]:
        """Log of what happened."""
        return self._physics.publishers.logger.info


def check_hello(hello: protocol.Hello, crane: Crane, tick: int) -> tuple[tuple[str, int], ...]:
    """Return the axis of each joint, with the number of its command.

    Raises CableSimError where the component is of another crane, has joints or commands that the
    crane does not have, or cycles that are no whole number of ticks [ns].
    """
    if hello.crane not in ("", crane.name):
        raise CableSimError(
            f"the description is that of the crane {hello.crane!r}, and the simulator's is "
            f"{crane.name!r}; give both the same"
        )
    axes = {axis.joint: axis for axis in crane.axes}
    found = []
    for kind, joint in hello.joints:
        if joint not in axes:
            raise CableSimError(unknown("joint", joint, axes))
        if kind >= len(protocol.COMMAND_KINDS):
            raise protocol.ProtocolError(f"joint {joint!r}: a command of the kind {kind}")
        mode = protocol.COMMAND_KINDS[kind]
        if mode is not None and mode not in axes[joint].modes:
            raise CableSimError(
                f"joint {joint!r}: takes no {mode}; it takes {', '.join(axes[joint].modes)}"
            )
        found.append((axes[joint].name, kind))
    if not found or len(dict(found)) < len(found):
        raise CableSimError(f"{len(found)} joints; there must be some, and each once")
    ticks = round(hello.cycle / tick)
    if ticks < 1 or abs(hello.cycle - ticks * tick) > ticks:  # both are rounded to nanoseconds
        raise CableSimError(
            f"update_rate is {1e9 / hello.cycle if hello.cycle else 0.0:g} Hz, and the simulator's "
            f"tick_rate {1e9 / tick:g} Hz; it must be that or a whole fraction of it"
        )
    return tuple(found)
