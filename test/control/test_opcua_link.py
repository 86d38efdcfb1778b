"""A controller over OPC UA: who may do what, that its commands move the crane, and its readings."""

import asyncio
import csv
import math
import socket
import threading

import pytest
from messages import naming

pytest.importorskip("asyncua", reason="needs the extra `opcua`")
from asyncua import Client, ua
from asyncua.crypto.cert_gen import setup_self_signed_certificate
from asyncua.crypto.security_policies import SecurityPolicyBasic256Sha256
from cryptography.x509.oid import ExtendedKeyUsageOID

from cable_sim.control.plants.clocked_link import replay
from cable_sim.control.plants.opcua_link import OpcUaLink
from cable_sim.control.plants.registers import GROUPS, Registers
from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError
from cable_sim.kernels.records.arrays import arrays_by_name
from cable_sim.machine.machine import Machine

CHANGES = {"rig.start.state": "hanging"}
REFUSED = (ua.uaerrors.BadUserAccessDenied, ua.uaerrors.BadIdentityTokenRejected)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Folder with the server's certificate."""
    return tmp_path_factory.mktemp("own")


@pytest.fixture
def link(own):
    made = OpcUaLink(Machine(load_crane("tower_12t", CHANGES)), own)
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(own):
    """A link for tests that leave its machine alone."""
    made = OpcUaLink(Machine(load_crane("tower_12t", CHANGES)), own)
    yield made
    made.close()


def client(link: OpcUaLink, password: str | None = None) -> Client:
    """A client, of the operator with a password."""
    made = Client(f"opc.tcp://127.0.0.1:{link.port}/", timeout=20)
    if password is not None:
        made.set_user("operator")
        made.set_password(password)
    return made


def real(value: float) -> ua.Variant:
    return ua.Variant(value, ua.VariantType.Float)


def during(link: OpcUaLink, seconds: float, act):
    """Run the link for so long while ``act`` talks to it; both results."""
    result = []
    thread = threading.Thread(target=lambda: result.append(link.run(seconds)))
    thread.start()
    told = asyncio.run(act())
    thread.join()
    return result[0], told


async def write(user: Client, cycle: int, **values: float) -> None:
    """Write commands, ``cycle`` last."""
    names = [name.replace("__", ".") for name in values]
    nodes = [user.get_node(f"ns=2;s=Commands.{name}") for name in (*names, "cycle")]
    counted = ua.Variant(cycle, ua.VariantType.UInt16)
    await user.write_values(nodes, [*map(real, values.values()), counted])


def test_commands_move_the_crane_and_readings_are_its_own(link: OpcUaLink) -> None:
    async def act() -> float:
        async with client(link, link.password) as user:
            for cycle in range(1, 21):
                await write(user, cycle, trolley__speed=0.4)
                await asyncio.sleep(0.02)
            await asyncio.sleep(1.5)
            return await user.get_node("ns=2;s=State.tick").read_value()

    run, _ = during(link, 2.0, act)

    async def look() -> dict[str, float]:
        async with client(link) as anybody:
            names = [(g, n) for g in GROUPS[1:] for n in link.registers.groups[g].kinds]
            nodes = [anybody.get_node(f"ns=2;s={group}.{name}") for group, name in names]
            return dict(zip(names, await anybody.read_values(nodes), strict=True))

    shown = asyncio.run(look())
    machine = link.machine
    seen = machine.observe()
    assert len(run.log) == 200 and 15 <= run.renewed <= 20
    assert shown["State", "tick"] == 200 and shown["State", "milliseconds"] == 2000
    assert shown["State", "cycle"] == 20
    trolley = machine.axis_state(seen, "trolley")
    assert trolley.position > 20.1
    assert shown["State", "trolley.position"] == pytest.approx(trolley.position, rel=1e-6)
    for name, value in machine.readings.items():
        assert shown["Control", name] == pytest.approx(value, rel=1e-6, nan_ok=True)
    again = Machine(load_crane("tower_12t", CHANGES))
    replay(again, run.log)
    for mine, other in zip(machine.save().simulator, again.save().simulator, strict=True):
        others = arrays_by_name(other)
        found = arrays_by_name(mine).items()
        assert [name for name, one in found if one.tobytes() != others[name].tobytes()] == []


def test_a_set_of_commands_counts_with_its_cycle(server: OpcUaLink) -> None:
    before = server.commands

    async def act() -> None:
        async with client(server, server.password) as user:
            await user.get_node("ns=2;s=Commands.hoist.speed").write_value(real(0.5))
            assert server.commands == before
            await write(user, 7)

    asyncio.run(act())
    taken = server.registers.commands.unpack(server.commands)
    assert (
        taken["cycle"] == 7 and taken["hoist.speed"] == 0.5 and math.isnan(taken["slewing.speed"])
    )


def test_the_emergency_stop_is_a_boolean_that_stops(link: OpcUaLink) -> None:
    async def act() -> bool:
        async with client(link, link.password) as user:
            stop = user.get_node("ns=2;s=Commands.emergency_stop")
            with pytest.raises(ua.uaerrors.BadTypeMismatch):
                await stop.write_value(real(1.0))
            await stop.write_value(ua.Variant(True, ua.VariantType.Boolean))
            await write(user, 1)
            await asyncio.sleep(0.5)
            return await user.get_node("ns=2;s=State.emergency_stop").read_value()

    _, stopped = during(link, 1.5, act)
    assert stopped is True and link.machine.stopped


def test_who_is_not_the_operator_reads_alone(server: OpcUaLink) -> None:
    before = server.commands

    async def act() -> None:
        async with client(server) as anybody:
            assert await anybody.get_node("ns=2;s=State.trolley.position").read_value() > 1.0
            with pytest.raises(ua.uaerrors.BadUserAccessDenied):
                await write(anybody, 1, hoist__speed=1.0)
        for password in ("", "wrong", server.password + "x"):
            with pytest.raises(REFUSED):
                await client(server, password).connect()
        async with client(server, server.password) as operator:
            for name in ("State.trolley.position", "Control.load"):
                with pytest.raises(ua.uaerrors.BadUserAccessDenied):
                    await operator.get_node(f"ns=2;s={name}").write_value(real(1.0))

    asyncio.run(act())
    assert server.commands == before


def test_subscribers_are_told_of_changes(link: OpcUaLink) -> None:
    told = []

    class Heard:
        def datachange_notification(self, node, value, data) -> None:
            told.append(value)

    async def act() -> None:
        async with client(link, link.password) as user:
            subscription = await user.create_subscription(20, Heard())
            await subscription.subscribe_data_change(user.get_node("ns=2;s=State.trolley.position"))
            for cycle in range(1, 31):
                await write(user, cycle, trolley__speed=0.4)
                await asyncio.sleep(0.03)

    during(link, 1.5, act)
    assert len(told) > 5 and told == sorted(told) and told[-1] > told[0] + 0.01


async def make_certificate(folder) -> tuple[str, str]:
    """Certificate and key of a client in a folder."""
    key, certificate = folder / "key.pem", folder / "certificate.der"
    folder.mkdir(exist_ok=True)
    await setup_self_signed_certificate(
        key,
        certificate,
        "urn:test:client",
        "localhost",
        [ExtendedKeyUsageOID.CLIENT_AUTH],
        {"commonName": "client"},
    )
    return str(certificate), str(key)


async def certified(link: OpcUaLink, folder, **options) -> Client:
    """A client with a certificate of its own, on a signed and encrypted channel."""
    made = client(link, **options)
    made.application_uri = "urn:test:client"
    await made.set_security(SecurityPolicyBasic256Sha256, *await make_certificate(folder))
    return made


def test_channels_are_encrypted_by_certificates(server: OpcUaLink, own, tmp_path) -> None:
    async def act() -> None:
        async with await certified(server, tmp_path / "any", password=server.password) as operator:
            await write(operator, 3, hoist__speed=0.25)
        async with await certified(server, tmp_path / "any") as anybody:
            with pytest.raises(ua.uaerrors.BadUserAccessDenied):
                await write(anybody, 4, hoist__speed=1.0)

    asyncio.run(act())
    assert server.registers.commands.unpack(server.commands)["hoist.speed"] == 0.25
    assert (own / "server.pem").stat().st_mode & 0o077 == 0


def test_trusted_certificates_command_and_others_stay_out(own, tmp_path) -> None:
    machine = Machine(load_crane("tower_12t", CHANGES))
    known, trusted = tmp_path / "known", tmp_path / "trusted"
    asyncio.run(make_certificate(known))
    trusted.mkdir()
    (trusted / "client.der").write_bytes((known / "certificate.der").read_bytes())
    link = OpcUaLink(machine, own, trusted=trusted)

    async def act() -> None:
        async with await certified(link, known) as friend:
            await write(friend, 5, hoist__speed=0.125)
        with pytest.raises(Exception) as refused:  # the channel is closed, by whatever word
            await (await certified(link, tmp_path / "stranger")).connect()
        assert not isinstance(refused.value, AssertionError)

    try:
        asyncio.run(act())
        assert link.registers.commands.unpack(link.commands)["hoist.speed"] == 0.125
    finally:
        link.close()


def test_beyond_loopback_every_channel_is_secured(own) -> None:
    link = OpcUaLink(Machine(load_crane("lab_gantry")), own, host="0.0.0.0")
    try:
        modes = asyncio.run(client(link).connect_and_get_server_endpoints())
        assert {one.SecurityMode.name for one in modes} == {"Sign", "SignAndEncrypt"}
        with pytest.raises(Exception, match="(?i)security|endpoint|policy"):
            asyncio.run(client(link).connect())
    finally:
        link.close()


def test_bytes_that_are_none_and_killed_clients_end_nothing(link: OpcUaLink, caplog) -> None:
    async def act() -> None:
        killed = client(link, link.password)
        await killed.connect()
        killed.disconnect_socket()
        for junk in (b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 40, b"HEL" + b"\xff" * 60):
            with socket.create_connection(("127.0.0.1", link.port)) as end:
                end.sendall(junk)
        async with client(link, link.password) as user:
            await write(user, 9)

    run, _ = during(link, 1.0, act)
    assert len(run.log) == 100 and run.renewed == 1
    assert len([one for one in caplog.records if one.name.startswith("asyncua")]) <= 20


def test_ports_and_folders_that_can_t_be_are_told(own, tmp_path) -> None:
    machine = Machine(load_crane("lab_gantry"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CableSimError, match=naming(f"127.0.0.1:{port}").pattern):
            OpcUaLink(machine, own, port=port)
    with pytest.raises(CableSimError, match=naming("nowhere trusted folder").pattern):
        OpcUaLink(machine, own, trusted=tmp_path / "nowhere")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "one.pem").write_text("nothing")
    with pytest.raises(CableSimError, match=naming("one.pem certificate").pattern):
        OpcUaLink(machine, own, trusted=tmp_path / "bad")


@pytest.mark.parametrize("name", ["tower_12t", "tandem_lift", "sts_51t"])
def test_the_csv_has_every_value_at_its_place(name: str, tmp_path) -> None:
    registers = Registers(load_crane(name))
    registers.write_csv(tmp_path / "io.csv")
    with (tmp_path / "io.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(len(block.kinds) for block in registers.groups.values())
    assert len({row["Name"] for row in rows}) == len(rows)
    sizes = {"UINT": 1, "UDINT": 2, "REAL": 2}
    taken: dict[str, int] = {"%QW": 0, "%IW": 0}
    for row in rows:
        area, place = row["Logical Address"][:3], int(row["Logical Address"][3:])
        assert place == taken[area]  # one after the other
        taken[area] += sizes[row["Data Type"]]
        group, _, value = row["OPC UA Node"].removeprefix("ns=2;s=").partition(".")
        assert registers.groups[group].address(value) == int(row["Modbus Register"])
        assert row["Name"].isidentifier() and row["Comment"]
    assert taken == {"%QW": registers.commands.size, "%IW": registers.size}
