"""Names of channels: whole, in parts, with their kind, and what errors say."""

import pytest
from live_scenes import KINDS, row_of, seen_of, started
from messages import naming

from cable_sim import Simulator
from cable_sim.errors import SpecError
from cable_sim.scenes import load_scene
from cable_sim.sim.readings.channels import Channels
from cable_sim.sim.readings.quantities import READ


@pytest.mark.parametrize("kind", [*KINDS, "rtg_41t_hanging"])
def test_every_channel_reads_what_observations_show(kind: str) -> None:
    """By its full name; a part is a column of the whole."""
    simulator = started(kind, 3)
    expected = seen_of(simulator.observe())
    recording = simulator.record([*expected])
    assert recording.rows[0].tolist() == row_of(simulator, [*expected])
    recording.stop()
    parts = [*recording.columns][1:]
    again = simulator.record(parts)
    assert again.rows.tolist() == recording.rows.tolist()


def test_no_quantity_is_left_out() -> None:
    simulator = started("tower_crane")
    known = {name for name in simulator._driver._channels._read if name.count(".") == 2}
    full = {name for name in known if name.partition(".")[0] in READ}
    assert {*seen_of(simulator.observe())} - {"time", "energy"} == full


def test_names_with_several_meanings_ask_for_the_kind() -> None:
    simulator = started("tower_crane")
    with pytest.raises(
        SpecError,
        match=naming(
            "'trolley.position' 3 bodies.trolley.position [m] joints.trolley.position "
            "drives.trolley.position"
        ),
    ):
        simulator.record(["trolley.position"])
    assert simulator.record(["hoist.position", "load.position.x"]).units[1:] == ("m or rad", "m")


def test_a_law_writes_forces_targets_and_wind_only() -> None:
    simulator = Simulator(load_scene("tower_crane"))
    channels = Channels(simulator.names, simulator._running.places)
    found = channels.written(["load.force", "load.torque", "hoist.target", "wind"])
    assert [channel.unit for channel in found][:2] == ["N", "N m"]
    with pytest.raises(SpecError, match=naming("'load' load.force load.torque")):
        channels.written(["load"])
    with pytest.raises(SpecError, match=naming("wind wind.x")):
        channels.written(["qqq"])
