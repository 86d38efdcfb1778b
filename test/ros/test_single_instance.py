"""The lock by which a user has one simulator on a ROS domain."""

import os
import tempfile

import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from cable_sim.errors import CableSimError
from cable_sim.ros.launch.single_instance import claim


@pytest.fixture
def path(tmp_path, monkeypatch):
    """The lock file of a domain in a temporary folder of the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    return tmp_path / f"cable_sim-{os.getuid()}-domain-7.lock"


def test_a_domain_is_claimed_once_until_it_is_closed(path):
    place = claim()
    assert place is not None and claim() is None
    place.close()
    again = claim()
    assert again is not None and path.is_file()
    again.close()


def test_a_link_is_not_followed(path, tmp_path):
    target = tmp_path / "victim"
    path.symlink_to(target)
    with pytest.raises(CableSimError, match=naming("domain-7.lock locked remove")):
        claim()
    assert not target.exists()


def test_a_file_of_another_user_is_refused(path, monkeypatch):
    claim().close()
    path.rename(path.with_name(path.name.replace(str(os.getuid()), "4711")))
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    with pytest.raises(CableSimError, match="user"):
        claim()
