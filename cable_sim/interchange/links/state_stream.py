"""Server of a crane's state for pictures and sounds elsewhere, such as in Unity or three.js.

One port serves the scene as glTF (``/scene.glb``) and a web socket, over which every reader gets
the frames of ``state_frames.py``, 60 a second. The same frames go to one address over UDP. A reader
that does not keep up misses frames. Nobody who reads is waited for.

With ``control`` a reader may also send orders, ``{"axis": "trolley", "speed": 0.4}`` in SI units
and the sense of the axis, to be renewed like any other command, and ``{"emergency_stop": true}``.
An order that can't be obeyed is answered with ``{"error": "..."}``.

Browsers let any page open a web socket to this machine, so pages of other servers are refused.
"""

import asyncio
import logging
import math
from contextlib import suppress
from urllib.parse import urlsplit

import msgspec
from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosedError
from websockets.http11 import Request, Response

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, unknown
from cable_sim.interchange.exports.gltf import glb_of
from cable_sim.interchange.links.state_frames import FrameEncoder
from cable_sim.loop_thread import LoopThread
from cable_sim.machine.pictures.frame import Source
from cable_sim.network import is_loopback

LOG = logging.getLogger(__name__)
RATE = 60.0
"""Frames per second of wall time."""
WAITING = 1 << 20
"""Bytes that wait for a reader above which it misses frames."""
LARGEST = 65507
"""Bytes of a datagram."""
SCENE = "/scene.glb"
GUIDE = f"State of a crane: web socket here, its scene at {SCENE}.\n".encode()
FOREIGN = b"Pages of other servers are refused (Origin).\n"
ORDERS = 'an order is {"axis": name, "speed": number} or {"emergency_stop": true or false}'
READ_ONLY = "this stream is read only; start it with --control"


class Order(msgspec.Struct, forbid_unknown_fields=True):
    """Order of a reader: the speed of an axis [rad/s or m/s], the emergency stop, or both."""

    axis: str | None = None
    speed: float | None = None
    emergency_stop: bool | None = None


class StateStream:
    """Serves the frames of a source, in a thread of its own, until it is closed.

    Parameters
    ----------
    crane: crane whose frames they are.
    source: where frames come from and orders go to.
    host, port: to listen on; port 0 takes a free one, which ``port`` then tells.
    udp: host and port to send every frame to.
    control: whether readers may send orders.
    unprotected: has to be said of a host that other machines reach: the stream has no password.

    Raises CableSimError when it can't listen there.
    """

    def __init__(
        self,
        crane: Crane,
        source: Source,
        host: str = "127.0.0.1",
        port: int = 0,
        udp: tuple[str, int] | None = None,
        control: bool = False,
        unprotected: bool = False,
    ) -> None:
        if not (unprotected or is_loopback(host)):
            raise CableSimError(
                f"host {host!r} is open to other machines, and the stream has no password; say "
                "--unprotected where a fence or a tunnel keeps others out, or listen on 127.0.0.1"
            )
        self._source = source
        self._axes = [axis.name for axis in crane.axes]
        self._control = control
        self._encoder = FrameEncoder(crane)
        self._scene = glb_of(crane.scene, ropes=False)
        self._udp = udp
        self._told = False
        self._thread = LoopThread("stream")
        try:
            self._server, self._sending = self._thread.do(self._serve(host, port))
        except OSError as error:
            self._thread.end()
            raise CableSimError(f"can't serve {host}:{port}: {error.strerror or error}") from None
        self.port = int(next(iter(self._server.sockets)).getsockname()[1])

    def close(self) -> None:
        """Stop serving."""
        self._thread.do(self._stop())
        self._thread.end()

    async def _serve(self, host: str, port: int) -> tuple[Server, "asyncio.Task[None]"]:
        """Start to serve and to send."""
        datagrams = None
        if self._udp:
            datagrams, _ = await self._thread.loop.create_datagram_endpoint(
                asyncio.DatagramProtocol, remote_addr=self._udp
            )
        server = await serve(
            self._hear, host, port, process_request=self._answer, compression=None, max_size=4096
        )
        sending = asyncio.create_task(self._send(server, datagrams))
        sending.add_done_callback(_tell_failure)
        return server, sending

    async def _stop(self) -> None:
        """End sending and all connections."""
        self._sending.cancel()
        self._server.close()
        await self._server.wait_closed()

    async def _send(self, server: Server, datagrams: asyncio.DatagramTransport | None) -> None:
        """Send new frames by the clock."""
        sent = None
        clock = self._thread.loop.time
        due = clock()
        while True:
            due = max(due + 1.0 / RATE, clock())
            await asyncio.sleep(due - clock())
            frame = self._source.latest()
            if frame is None or (sent is not None and frame is sent):
                continue
            sent = frame
            encoded = self._encoder.encode(frame)
            if datagrams is not None:
                self._send_datagram(datagrams, encoded)
            readers = (r for r in server.connections if waits(r) < WAITING)
            broadcast(readers, encoded, text=True)

    def _send_datagram(self, datagrams: asyncio.DatagramTransport, frame: bytes) -> None:
        """Send a frame over UDP; tell once of one that is too large."""
        if len(frame) <= LARGEST:
            datagrams.sendto(frame)
        elif not self._told:
            self._told = True
            LOG.warning(
                "a frame has %d bytes, and UDP carries %d: use the web socket", len(frame), LARGEST
            )

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer a request: None goes on as a web socket."""
        origin = request.headers.get("Origin")
        if origin is not None and not is_loopback(urlsplit(origin).hostname or ""):
            return _response(403, "Forbidden", "text/plain", FOREIGN)
        if request.path.partition("?")[0] == SCENE:
            allowed = {"Access-Control-Allow-Origin": origin} if origin else {}
            return _response(200, "OK", "model/gltf-binary", self._scene, **allowed)
        if "Upgrade" not in request.headers:
            return _response(200, "OK", "text/plain", GUIDE)
        return None

    async def _hear(self, connection: ServerConnection) -> None:
        """Obey the orders of a reader, and tell it of those that can't be."""
        with suppress(ConnectionClosedError):  # of a reader that was killed
            async for message in connection:
                if problem := self._obey(message):
                    await connection.send(msgspec.json.encode({"error": problem}), text=True)

    def _obey(self, message: str | bytes) -> str:
        """Obey an order; return what is wrong with it, or nothing."""
        if not self._control:
            return READ_ONLY
        try:
            order = msgspec.json.decode(message, type=Order)
        except (msgspec.DecodeError, ValueError) as error:
            return f"{ORDERS}; {error}"
        if order.emergency_stop is not None:
            self._source.emergency_stop(order.emergency_stop)
        if order.axis is None and order.speed is None:
            return "" if order.emergency_stop is not None else ORDERS
        if order.axis not in self._axes:
            return unknown("axis", order.axis, self._axes)
        if order.speed is None or not math.isfinite(order.speed):
            return f"speed: {order.speed} is not allowed; it must be a finite number [rad/s or m/s]"
        self._source.command(order.axis, order.speed)
        return ""


def _tell_failure(sending: "asyncio.Task[None]") -> None:
    """Tell why no more frames come, unless the stream was closed."""
    if not sending.cancelled() and sending.exception():
        LOG.error("the stream sends no more frames", exc_info=sending.exception())


def waits(reader: ServerConnection) -> int:
    """Return how many bytes wait for a reader."""
    return reader.transport.get_write_buffer_size()


def _response(status: int, reason: str, kind: str, body: bytes, **more: str) -> Response:
    """Return the response to a request."""
    known = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
    return Response(status, reason, Headers(known | more), body)
