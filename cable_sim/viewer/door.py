"""The door of a page that other machines can reach: nothing is served, no file and no web socket, without the code.

The code comes in the address, ``/?code=...``. The answer leaves it as a cookie, so that the rest of the page and its
web socket need not carry it; the cookie is sent to this server alone, and not from pages of others.
"""

import http
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

COOKIE = "cable_sim_code"
REFUSAL = b"This page needs its control code: add /?code=... to the address, as the terminal tells it.\n"
Answer = Callable[[Any, Request], Any]


@contextmanager
def guarded(opens: Callable[[str], bool]) -> Iterator[Callable[[], bool]]:
    """Have every server of web sockets that is made within ask for the code that ``opens``.

    viser has no way to say so; it makes its server with ``websockets``, which has one. Gives a function that tells
    whether one has been made and asks: where it has not, nothing may be served.
    """
    plain: Any = websockets.asyncio.server.serve
    made: list[bool] = []

    def serve(*arguments: Any, process_request: Answer | None = None, **options: Any) -> Any:
        made.append(True)
        return plain(*arguments, process_request=_asking(process_request, opens), **options)

    websockets.asyncio.server.serve = serve  # type: ignore[assignment, misc]
    try:
        yield lambda: bool(made)
    finally:
        websockets.asyncio.server.serve = plain  # type: ignore[misc]


def _asking(answer: Answer | None, opens: Callable[[str], bool]) -> Answer:
    """What answers requests, behind the door."""

    def asked(connection: Any, request: Request) -> Any:
        told = code_in(request.path)
        if not (opens(told) if told else opens(_in_cookie(request))):
            headers = Headers({"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(REFUSAL))})
            return Response(http.HTTPStatus.UNAUTHORIZED, "Unauthorized", headers, REFUSAL)
        response = answer(connection, request) if answer else None
        if told and isinstance(response, Response):
            response.headers["Set-Cookie"] = f"{COOKIE}={quote(told, safe='')}; Path=/; HttpOnly; SameSite=Strict"
        return response

    return asked


def code_in(path: str) -> str:
    """The code in the address of a request, or nothing."""
    return parse_qs(urlsplit(path).query).get("code", [""])[0]


def _in_cookie(request: Request) -> str:
    """The code in the cookies of a request, or nothing."""
    try:
        found = SimpleCookie(";".join(request.headers.get_all("Cookie"))).get(COOKIE)
    except CookieError:
        return ""
    return unquote(found.value) if found else ""
