"""Access control of the page.

Pages of other servers are refused. A browser lets them open web sockets to any address, and names
their server in ``Origin``: that has to be the server that ``Host`` names. On loopback ``Host`` must
also be localhost or a number. Otherwise the owner of a name could point it to this machine after
the owner's own page was loaded.

What another server sends must not become part of the page either. The page's script opens the web
socket and plays the file that its address names (``websocket``, ``playbackPath``), and shows what
comes from there, scripts included. So an address that names another server is refused, and a
``Content-Security-Policy`` lets the page load from and connect to its own server alone. The policy
also says that no page may frame this one, where it would trick people into clicks. A page in a
notebook may be framed by servers of this machine, as Jupyter is one.

A page that other machines can reach serves nothing, no file and no web socket, without the code.
The code comes in the address, ``/?code=...``. The answer stores it as a cookie, so that the rest of
the page and its web socket need not carry it. The cookie is sent to this server alone, and not from
pages of other servers.
"""

import http
import ipaddress
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from cable_sim.errors import one_line
from cable_sim.network import is_loopback

LOG = logging.getLogger(__name__)
QUIET = LOG.getChild("sockets")
"""Logger that does not tell of connections that are no web sockets."""
QUIET.setLevel(logging.CRITICAL)
COOKIE = "cable_sim_code"
REFUSAL = (
    b"This page needs its control code: add /?code=... to the address, as the terminal tells it.\n"
)
FOREIGN = (
    b"This page is for no page of another server (Origin is not Host). "
    b"Without a code it answers to localhost or an address in numbers.\n"
)
LEADS_AWAY = b"This address leads the page to another server (websocket, playbackPath).\n"
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
SOCKET = re.compile(r"(wss?)://((?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?)(?:/.*)?", re.ASCII | re.I)
"""Address of a web socket, with its scheme and its server; no other can be read in two ways."""
POLICY = (
    "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; connect-src 'self' data: blob: {sockets}; "
    "frame-ancestors {frames}"
)
NOTEBOOKS = "http://localhost:* http://127.0.0.1:* vscode-webview: vscode-file:"
"""Pages that may frame that of a notebook: Jupyter's on this machine, and an editor's own."""
Opens = Callable[[str], bool]
Answer = Callable[[Any, Request], Any]


@contextmanager
def guard_sockets(opens: Opens | None, in_notebook: bool = False) -> Iterator[Callable[[], bool]]:
    """Let every web socket server made within this context refuse pages of other servers.

    It also asks for the code that ``opens`` accepts; None is for loopback, which needs no code.
    ``in_notebook`` lets notebooks of this machine frame the page.
    viser has no option for this, but makes its server with ``websockets``, which has one. Yields a
    function that tells whether a guarded server was made: if not, nothing may be served.
    """
    plain: Any = websockets.asyncio.server.serve
    made: list[bool] = []

    def serve(
        handler: Any, *arguments: Any, process_request: Answer | None = None, **options: Any
    ) -> Any:
        made.append(True)
        options["logger"] = QUIET
        handle = _request_handler(process_request, opens, NOTEBOOKS if in_notebook else "'none'")
        return plain(_polite(handler), *arguments, process_request=handle, **options)

    websockets.asyncio.server.serve = serve  # type: ignore[assignment, misc]
    try:
        yield lambda: bool(made)
    finally:
        websockets.asyncio.server.serve = plain  # type: ignore[misc]


def _polite(handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a handler of connections that closes one whose message it does not understand."""

    async def handle(connection: Any) -> None:
        try:
            await handler(connection)
        except Exception as error:
            LOG.warning("page: a connection was closed: %s", one_line(error))
            await connection.close(1007, "this message can't be read")

    return handle


def _request_handler(answer: Answer | None, opens: Opens | None, frames: str) -> Answer:
    """Return a request handler that checks access before it answers."""

    def handle(connection: Any, request: Request) -> Any:
        if _is_foreign(request, on_loopback=opens is None):
            return _refusal(http.HTTPStatus.FORBIDDEN, FOREIGN)
        told = code_in(request.path)
        if opens is not None and not (opens(told) if told else opens(_cookie_code(request))):
            return _refusal(http.HTTPStatus.UNAUTHORIZED, REFUSAL)
        sockets = _own_sockets(request)
        if sockets is None:
            return _refusal(http.HTTPStatus.FORBIDDEN, LEADS_AWAY)
        response = answer(connection, request) if answer else None
        if isinstance(response, Response):
            policy = POLICY.format(sockets=" ".join(sockets), frames=frames)
            response.headers["Content-Security-Policy"] = policy
        if opens is not None and told and isinstance(response, Response):
            kept = f"{COOKIE}={quote(told, safe='')}"
            response.headers["Set-Cookie"] = f"{kept}; Path=/; HttpOnly; SameSite=Strict"
        return response

    return handle


def _refusal(status: http.HTTPStatus, text: bytes) -> Response:
    """Return an answer of one sentence."""
    headers = Headers({"Content-Type": "text/plain; charset=utf-8"})
    headers["Content-Length"] = str(len(text))
    return Response(status, status.phrase, headers, text)


def _is_foreign(request: Request, on_loopback: bool) -> bool:
    """Return True for a request from another server's page, or under a name that is not safe.

    A name is not safe if anybody can point it to this machine.
    """
    hosts, origins = (request.headers.get_all(name) for name in ("Host", "Origin"))
    if len(hosts) != 1 or len(origins) > 1:
        return True
    scheme = origins[0].partition(":")[0] if origins else "http"
    default = PORTS.get(scheme.lower(), 0)
    called = _server(f"//{hosts[0]}", default)
    if on_loopback and not _is_this_machine(called):
        return True
    return bool(origins) and (default == 0 or called != _server(origins[0], default))


def _own_sockets(request: Request) -> list[str] | None:
    """Return the web sockets of this server by the names in a request; None if it leads away."""
    asked = parse_qs(urlsplit(request.path).query, keep_blank_values=True)
    host = request.headers["Host"]
    found = [f"{scheme}://{host}" for scheme in ("ws", "wss") if SOCKET.fullmatch(f"ws://{host}")]
    for address in asked.get("websocket", []):
        match = SOCKET.fullmatch(address)
        default = PORTS[match[1].lower()] if match else 0
        if match is None or _server(f"//{match[2]}", default) != _server(f"//{host}", default):
            return None
        found.append(f"{match[1]}://{match[2]}")
    return None if "playbackPath" in asked else found


def _server(address: str, default: int) -> tuple[str, int] | None:
    """Return host and port of an address, with one name for all of loopback; None without any."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
        port = default if parts.port is None else parts.port
    except ValueError:
        return None
    return ("localhost" if is_loopback(host) else host, port) if host else None


def _is_this_machine(server: tuple[str, int] | None) -> bool:
    """Return True for loopback and numeric addresses, which nobody can point to another machine."""
    if server is None:
        return False
    try:
        return server[0] == "localhost" or bool(ipaddress.ip_address(server[0]))
    except ValueError:
        return False


def code_in(path: str) -> str:
    """Return the code in the address of a request, or an empty text."""
    return parse_qs(urlsplit(path).query).get("code", [""])[0]


def _cookie_code(request: Request) -> str:
    """Return the code in the cookies of a request, or an empty text."""
    try:
        found = SimpleCookie(";".join(request.headers.get_all("Cookie"))).get(COOKIE)
    except CookieError:
        return ""
    return unquote(found.value) if found else ""


def code_of(server: Any, client_id: int) -> str:
    """Return the control code in the address of a client's web socket, or an empty text.

    viser does not expose the address. If its internals have changed, pages enter the code by hand.
    """
    try:
        return code_in(server._websock_server._live_connections[client_id].request.path)
    except (AttributeError, KeyError):
        return ""
