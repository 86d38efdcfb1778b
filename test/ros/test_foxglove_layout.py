"""The layout for Foxglove shows topics and fields that a tower crane has."""

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from cable_sim.cranes import load_crane
from cable_sim.rendering.onboard import OnboardCameras
from cable_sim.ros import interface

ROOT = Path(__file__).resolve().parents[2]
LAYOUT = json.loads((ROOT / "config" / "foxglove_tower_crane.json").read_text(encoding="utf-8"))
PANELS: dict[str, Any] = LAYOUT["configById"]


@pytest.fixture(scope="module")
def topics() -> dict[str, Any]:
    """Types of a tower crane's topics, and of its cameras'."""
    crane = load_crane("tower_12t")
    cameras = OnboardCameras(crane, 64, 48).names
    endpoints = [*interface.published_endpoints(crane)]
    endpoints += [endpoint for name in cameras for endpoint in interface.camera_endpoints(name)]
    return {f"/{endpoint.topic.lstrip('/')}": endpoint.type for endpoint in endpoints}


def leaves(part: Any) -> list[str]:
    """Panels of a part of the layout."""
    return [part] if isinstance(part, str) else [*leaves(part["first"]), *leaves(part["second"])]


def paths() -> list[str]:
    """Paths to fields that are plotted or shown on a gauge."""
    plotted = [path["value"] for panel in PANELS.values() for path in panel.get("paths", ())]
    return [*plotted, *(panel["path"] for panel in PANELS.values() if "path" in panel)]


def test_every_panel_has_its_place():
    assert sorted(leaves(LAYOUT["layout"])) == sorted(PANELS)


def test_shown_topics_are_published(topics):
    shown = {topic for panel in PANELS.values() for topic in panel.get("topics", ())}
    shown |= {panel["topicToRender"] for panel in PANELS.values() if "topicToRender" in panel}
    for panel in PANELS.values():
        shown |= set(panel.get("imageMode", {}).values())
    assert len(shown) == 8 and shown <= set(topics)


@pytest.mark.parametrize("path", paths())
def test_plotted_fields_are_there(path, topics):
    topic, *fields = re.sub(r"\[:\]|\{[^}]*\}", "", path).split(".")
    kind = topics[topic]
    for field in fields:
        told = kind.get_fields_and_field_types()
        assert field in told, f"{kind.__name__} has no {field}"
        package, _, name = re.sub(r"sequence<(.*)>", r"\1", told[field]).partition("/")
        kind = getattr(import_module(f"{package}.msg"), name) if name else None
    assert kind is None, f"{path} is no number"
    for rope in re.findall(r'name=="(\w+)"', path):
        assert rope in load_crane("tower_12t").ropes
