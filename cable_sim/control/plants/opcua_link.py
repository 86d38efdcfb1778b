"""A controller outside, such as a PLC, in the loop over OPC UA.

The address space has the image of ``registers.py`` below Objects / crane: a variable for each name
in Commands, in State and in Control, such as ``ns=2;s=Commands.trolley.speed``. A set of commands
counts once ``cycle`` has changed, so it is written last, or last in one request with the others.
NaN is no order.

*Rights.* Everyone may read. Commands are for sessions of the user ``operator`` with the password,
and for those whose channel or user certificate is among the trusted ones. On loopback a channel may
be open; beyond it has to be signed, or signed and encrypted (Basic256Sha256), by certificates. The
password is always encrypted by the server's.

asyncua serves, in a thread of its own, which shows the newest readings of a tick and skips those
that it comes too late for.
"""

import logging
import secrets
import socket
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import asyncua
from asyncua.crypto.cert_gen import setup_self_signed_certificate
from asyncua.crypto.permission_rules import USER_TYPES, SimpleRoleRuleset, User, UserRole
from asyncua.crypto.uacrypto import der_from_x509, load_certificate
from asyncua.server.user_managers import UserManager
from cryptography.x509.oid import ExtendedKeyUsageOID

from cable_sim.control.plants.clocked_link import Brief, ClockedLink
from cable_sim.control.plants.registers import GROUPS, LONG, REAL, WORD, describe
from cable_sim.errors import CableSimError
from cable_sim.loop_thread import LoopThread
from cable_sim.machine.machine import Machine
from cable_sim.network import is_loopback

ua: Any = asyncua.ua
OPERATOR = "operator"
"""Name of the user who may command."""
URI = "urn:cable_sim"
SPACE = "urn:cable_sim:crane"
"""Names of the application, and of the namespace of its nodes, whose index is 2."""
STOP = "emergency_stop"
TYPES = {WORD: ua.VariantType.UInt16, LONG: ua.VariantType.UInt32, REAL: ua.VariantType.Float}
"""Types of OPC UA for the kinds of values; the emergency stop is a Boolean."""
OPEN = ua.SecurityPolicyType.NoSecurity
SECURED = [
    ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt,
    ua.SecurityPolicyType.Basic256Sha256_Sign,
]
CERTIFICATE = "server.der"
KEY = "server.pem"
WRITING = tuple(
    ua.NodeId(getattr(ua.ObjectIds, f"{kind}Request_Encoding_DefaultBinary"))
    for kind in ("Write", "Call")
)
"""Requests that change something."""


class OpcUaLink(ClockedLink):
    """Serves a machine over OPC UA, and runs it by the clock.

    Parameters
    ----------
    machine: that is commanded; only the thread that calls :meth:`run` touches it.
    host, port: to listen on; port 0 takes a free one, which ``port`` then tells.
    password: of the operator; left out, a random one, which ``password`` then tells.
    folder: where the server's certificate ``server.der`` and key ``server.pem`` are, or are made.
    trusted: folder with certificates (.der, .pem) of clients that may command; with it, no others
        may connect by a certificate.

    Raises CableSimError when it can't listen there, and for a certificate that can't be read.
    """

    def __init__(
        self,
        machine: Machine,
        folder: str | Path,
        host: str = "127.0.0.1",
        port: int = 0,
        password: str | None = None,
        trusted: str | Path | None = None,
    ) -> None:
        super().__init__(machine)
        self.password = password or secrets.token_urlsafe(9)
        self._nodes: dict[str, list[tuple[Any, Any]]] = {}
        self._written: dict[str, float] = dict.fromkeys(self.registers.commands.kinds, 0.0)
        self._shown: dict[ua.NodeId, float] = {}
        self._newest: tuple[Mapping[str, float], ...] | None = None
        self._thread = LoopThread("opcua")
        try:
            given = Path(trusted) if trusted is not None else None
            self.port = port or _free_port(host)
            self._server = self._thread.do(self._serve(host, Path(folder), given))
        except (OSError, ValueError) as error:
            self._thread.end()
            raise CableSimError(f"can't serve OPC UA on {host}:{port}: {error}") from None
        self.show_now(machine.observe())
        self._brief = Brief()
        for log in _server_logs():
            log.addFilter(self._brief)

    def close(self) -> None:
        """Stop serving."""
        self._thread.do(self._server.stop())
        self._thread.end()
        for log in _server_logs():
            log.removeFilter(self._brief)

    def show(self, state: Mapping[str, float], control: Mapping[str, float]) -> None:
        """Have values shown as soon as the server comes to it."""
        waits = self._newest is not None
        self._newest = state, control
        if not waits:
            self._thread.soon(lambda: self._thread.loop.create_task(self._publish()))

    async def _publish(self) -> None:
        """Write the newest readings that have changed into the address space."""
        newest, self._newest = self._newest, None
        for group, values in zip(GROUPS[1:], newest or (), strict=True):
            for (node, kind), value in zip(self._nodes[group], values.values(), strict=True):
                if self._shown.get(node) != value:
                    self._shown[node] = value
                    shown = ua.DataValue(ua.Variant(_plain(kind, value), kind))
                    await self._server.write_attribute_value(node, shown)

    async def _serve(self, host: str, folder: Path, trusted: Path | None) -> asyncua.Server:
        """Make the address space, and start to serve."""
        rights = _Rights(self.password, await _certificates(trusted))
        server = asyncua.Server(user_manager=rights)
        await server.init()
        server.set_endpoint(f"opc.tcp://{host}:{self.port}/")
        server.set_server_name("cable_sim")
        await server.set_application_uri(URI)
        await self._take_certificate(server, folder)
        server.set_security_policy([OPEN, *SECURED] if is_loopback(host) else SECURED, _Rules())
        if trusted is not None:
            server.set_certificate_validator(rights.check)
        space = await server.register_namespace(SPACE)
        crane = self.machine.crane
        top = await server.nodes.objects.add_object(ua.NodeId(crane.name, space), crane.name)
        for group, block in self.registers.groups.items():
            place = await top.add_folder(ua.NodeId(group, space), group)
            self._nodes[group] = [
                await self._add_variable(server, place, name, kind)
                for name, kind in block.kinds.items()
            ]
        await server.start()
        return server

    async def _add_variable(
        self, server: asyncua.Server, place: Any, name: str, kind: str
    ) -> tuple[Any, Any]:
        """Add a variable to a group; return its number and type."""
        group = place.nodeid.Identifier
        known = ua.VariantType.Boolean if name == STOP else TYPES[kind]
        node = ua.NodeId(f"{group}.{name}", place.nodeid.NamespaceIndex)
        start = float("nan") if kind == REAL else 0.0
        made = await place.add_variable(node, name, ua.Variant(_plain(known, start), known))
        told = ua.LocalizedText(describe(self.machine.crane, name))
        await made.write_attribute(ua.AttributeIds.Description, ua.DataValue(told))
        if group == GROUPS[0]:
            self._written[name] = start
            await made.set_writable()
            server.set_attribute_value_setter(node, partial(self._take, name))
        return node, known

    def _take(self, name: str, node: Any, attribute: ua.AttributeIds, value: ua.DataValue) -> None:
        """Take a command that is written; with a new ``cycle``, all of them."""
        node.attributes[attribute].value = value
        self._written[name] = float(value.Value.Value)
        if name == "cycle":
            block = self.registers.commands
            self.commands = tuple(block.pack([self._written[one] for one in block.kinds]))

    async def _take_certificate(self, server: asyncua.Server, folder: Path) -> None:
        """Give the server the certificate and key of a folder, made where there are none."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        await setup_self_signed_certificate(
            folder / KEY,
            folder / CERTIFICATE,
            URI,
            socket.gethostname(),
            [ExtendedKeyUsageOID.SERVER_AUTH],
            {"commonName": "cable_sim"},
        )
        (folder / KEY).chmod(0o600)
        await server.load_certificate(folder / CERTIFICATE)
        await server.load_private_key(folder / KEY)


class _Rights(UserManager):
    """Rights of sessions: the operator commands, anybody reads."""

    def __init__(self, password: str, trusted: tuple[bytes, ...] | None) -> None:
        self._password = password.encode()
        self._trusted = trusted

    def get_user(
        self,
        iserver: Any,
        username: str | None = None,
        password: str | None = None,
        certificate: bytes | None = None,
    ) -> User | None:
        """Return the user of a session; None refuses it."""
        if username is not None:
            right = secrets.compare_digest((password or "").encode(), self._password)
            known = username == OPERATOR and right
            return User(UserRole.User, OPERATOR) if known else None
        if certificate is not None and certificate in (self._trusted or ()):
            return User(UserRole.User, "trusted")
        return User(UserRole.Anonymous)

    async def check(self, certificate: Any, _: Any) -> None:
        """Refuse a certificate that is not among the trusted ones."""
        if der_from_x509(certificate) not in (self._trusted or ()):
            raise ua.uaerrors.BadCertificateUntrusted


class _Rules(SimpleRoleRuleset):
    """Requests that a user may make: everyone reads, the operator writes."""

    def check_validity(self, user: User, action_type_id: Any, body: Any) -> bool:
        """Return True if a request is allowed."""
        if action_type_id in WRITING:
            return user.role == UserRole.User
        return action_type_id in _ASKED


_ASKED = frozenset(map(ua.NodeId, USER_TYPES))
"""Requests that change nothing but the client's own sessions and subscriptions."""


async def _certificates(folder: Path | None) -> tuple[bytes, ...] | None:
    """Return the certificates in a folder; ValueError names one that can't be read."""
    if folder is None:
        return None
    if not folder.is_dir():
        raise ValueError(f"there is no folder {str(folder)!r} of trusted certificates")
    found = []
    for path in sorted(p for p in folder.iterdir() if p.suffix in (".der", ".pem", ".crt")):
        try:
            found.append(der_from_x509(await load_certificate(path)))
        except ValueError as error:
            raise ValueError(f"{path} is no certificate: {error}") from None
    return tuple(found)


def _plain(kind: ua.VariantType, value: float) -> Any:
    """Return a value as Python has those of a type."""
    if kind == ua.VariantType.Float:
        return float(value)
    return bool(value) if kind == ua.VariantType.Boolean else int(value)


def _server_logs() -> list[logging.Logger]:
    """Return the loggers of asyncua; a filter holds for one of them alone."""
    return [
        logging.getLogger(n) for n in logging.root.manager.loggerDict if n.startswith("asyncua")
    ]


def _free_port(host: str) -> int:
    """Return a port that nobody listens on."""
    with socket.create_server((host, 0)) as place:
        return int(place.getsockname()[1])
