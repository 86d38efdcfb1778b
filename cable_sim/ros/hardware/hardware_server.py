"""Local socket at which a hardware component of ros2_control attaches, one at a time.

A thread accepts connections and receives packets; any thread may send. Needs no ROS.
"""

import os
import select
import socket
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cable_sim.errors import CableSimError
from cable_sim.ros.hardware.hardware_protocol import MOST_BYTES, goodbye

LONGEST_PATH = 107
"""Largest number of bytes in the path of a local socket (``sockaddr_un`` of Linux)."""


class Connection:
    """Connection of one component; its socket never blocks who sends."""

    def __init__(self, peer: socket.socket) -> None:
        self._peer = peer

    def send(self, packet: bytes) -> bool:
        """Send a packet; return False if it was left out, as the component reads none."""
        try:
            self._peer.send(packet, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except OSError:  # full, or gone: then the receiving thread finds its end
            return False
        return True

    def receive(self) -> bytes:
        """Wait for a packet; an empty one is the end of the connection."""
        try:
            return self._peer.recv(MOST_BYTES)
        except OSError:
            return b""

    def has_ended(self) -> bool:
        """Return True if the other end has closed, even if its last packets are not read yet."""
        look = select.poll()
        try:
            look.register(self._peer, select.POLLRDHUP)
        except ValueError:  # its thread has closed it already
            return True
        return bool(look.poll(0))

    def dismiss(self, reason: str) -> None:
        """End the connection with a reason."""
        self.send(goodbye(reason))
        self.close()

    def close(self) -> None:
        """End the connection; a thread that waits for a packet gets an empty one."""
        with suppress(OSError):
            self._peer.shutdown(socket.SHUT_RDWR)


class HardwareServer:
    """Listener at a path of the file system.

    Only the user who runs it can connect. The file of a server that was killed is replaced.

    Parameters
    ----------
    path: path of the socket.
    received: callback in the connection's thread for a packet; an empty one is the last.

    Raises CableSimError if the socket can not be made.
    """

    def __init__(self, path: str, received: Callable[[Connection, bytes], None]) -> None:
        self.path = path
        self._received = received
        self._connections: set[Connection] = set()
        self._lock = threading.Lock()
        self._listener = _listen(path)
        self._ended = False
        threading.Thread(target=self._accept, name="hardware", daemon=True).start()

    def close(self, reason: str) -> None:
        """End all connections with a reason, and remove the file."""
        self._ended = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            left = list(self._connections)
        for connection in left:
            connection.dismiss(reason)
        Path(self.path).unlink(missing_ok=True)

    def _accept(self) -> None:
        """Accept connections until the end, each with a thread of its own."""
        while not self._ended:
            try:
                peer, _ = self._listener.accept()
            except OSError:  # closed
                return
            connection = Connection(peer)
            with self._lock:
                self._connections.add(connection)
            threading.Thread(
                target=self._receive, args=(connection, peer), name="hardware", daemon=True
            ).start()

    def _receive(self, connection: Connection, peer: socket.socket) -> None:
        """Receive packets until the end of a connection."""
        with peer:
            while packet := connection.receive():
                self._received(connection, packet)
            with self._lock:
                self._connections.discard(connection)
            self._received(connection, b"")


def _listen(path: str) -> socket.socket:
    """Return a socket that listens at a path."""
    where = f"parameter 'ros2_control_socket': {path!r}"
    if not hasattr(socket, "AF_UNIX") or not hasattr(socket, "SOCK_SEQPACKET"):
        raise CableSimError(f"{where}: this system has no local sockets of packets; Linux has")
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise CableSimError(f"{where} is longer than {LONGEST_PATH} bytes, the most of a socket")
    _remove_stale(path, where)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        listener.bind(path)
        os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
        listener.listen(4)
    except OSError as error:
        listener.close()
        raise CableSimError(f"{where} can't be made: {error.strerror}") from None
    return listener


def _remove_stale(path: str, where: str) -> None:
    """Remove the socket of a server that was killed.

    Raises CableSimError if a server listens there, or if something else stands there.
    """
    if not os.path.lexists(path):
        return
    if not stat.S_ISSOCK(os.lstat(path).st_mode):
        raise CableSimError(f"{where} is there and is no socket; give another path")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            Path(path).unlink(missing_ok=True)
        except OSError as error:
            raise CableSimError(f"{where} can't be used: {error.strerror}") from None
        else:
            raise CableSimError(f"{where} is another simulator's; end it, or give another path")
