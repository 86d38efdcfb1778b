"""SROS2 policy of the node, written from the interface: ``config/sros2_policy.xml``.

``python -m cable_sim.ros.launch.security --write`` writes that file. With names or files of other
cranes, and without ``--write``, it prints their policy. Each crane has an enclave of its name,
because its topics depend on its axes and sensors. Names are relative, so only the attribute ``ns``
has a namespace.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.ros.interface import (
    CLOCK,
    FOLLOW_JOINT_TRAJECTORY,
    JOY,
    LIFECYCLE_SERVICES,
    NODE_NAME,
    STANDARD_ACTIONS,
    STANDARD_SERVICES,
    TRANSITION_EVENT,
    commanded_endpoints,
    published_endpoints,
    service_names,
)
from cable_sim.scenes.machines import load_machine
from cable_sim.shared_files import shared_folders

SHIPPED = ("tower_12t", "rtg_41t")
"""Cranes of the shipped policy: those of the launch files for a tower and a gantry crane."""
OF_EVERY_NODE = (
    "describe_parameters",
    "get_parameter_types",
    "get_parameters",
    "list_parameters",
    "set_parameters",
    "set_parameters_atomically",
    "get_type_description",
)
"""Services that ROS gives to every node."""
EVENTS = "/parameter_events"
LOG = "/rosout"


class Rights(NamedTuple):
    """Rights of a node in the graph, by name; a leading ``~`` is the node's own namespace."""

    publishes: frozenset[str]
    subscribes: frozenset[str]
    serves: frozenset[str]
    acts: frozenset[str]


def rights(crane: Crane) -> Rights:
    """Return the rights of a node of this crane with every option on.

    The options are game pad, clock, lifecycle and standard services. The node may read the clock,
    too: every ROS node with ``use_sim_time`` subscribes to it.
    """
    takes = {_policy_topic(endpoint.topic) for endpoint in (*commanded_endpoints(crane), JOY)}
    tells = {_policy_topic(endpoint.topic) for endpoint in published_endpoints(crane)}
    serves = (*service_names(crane), *STANDARD_SERVICES, *LIFECYCLE_SERVICES, *OF_EVERY_NODE)
    return Rights(
        frozenset(tells | {_policy_topic(TRANSITION_EVENT), EVENTS, LOG}),
        frozenset(takes | {CLOCK.topic}),
        frozenset(f"~/{name}" for name in serves),
        frozenset(f"~/{name}" for name in (FOLLOW_JOINT_TRAJECTORY, *STANDARD_ACTIONS)),
    )


def policy(cranes: Iterable[Crane]) -> str:
    """Return the XML of a policy, version 0.2.0, with an enclave for each crane."""
    root = ElementTree.Element("policy", version="0.2.0")
    enclaves = ElementTree.SubElement(root, "enclaves")
    for crane in cranes:
        enclave = ElementTree.SubElement(enclaves, "enclave", path=f"/{NODE_NAME}/{crane.name}")
        profiles = ElementTree.SubElement(enclave, "profiles")
        profile = ElementTree.SubElement(profiles, "profile", ns="/", node=NODE_NAME)
        allowed = rights(crane)
        for group, item, what, names in (
            ("topics", "topic", "publish", allowed.publishes),
            ("topics", "topic", "subscribe", allowed.subscribes),
            ("services", "service", "reply", allowed.serves),
            ("actions", "action", "execute", allowed.acts),
        ):
            listed = ElementTree.SubElement(profile, group, {what: "ALLOW"})
            for name in sorted(names):
                ElementTree.SubElement(listed, item).text = name
    ElementTree.indent(root)
    comment = (
        "<!-- Written by cable_sim.ros.launch.security, and written anew when the interface "
        "changes; do not edit. -->"
    )
    return (
        '<?xml version="1.0" '
        f'encoding="UTF-8"?>\n{comment}\n{ElementTree.tostring(root, encoding="unicode")}\n'
    )


def shipped_policy() -> Path:
    """Return the path of the shipped policy."""
    return shared_folders("config")[0] / "sros2_policy.xml"


def main(words: Sequence[str] | None = None) -> int:
    """Print a policy, or write the shipped one; returns 0, or 2 for an invalid crane."""
    parser = argparse.ArgumentParser(
        prog="python -m cable_sim.ros.launch.security", description="Write an SROS2 policy."
    )
    parser.add_argument(
        "cranes", nargs="*", help=f"names or files; left out, {' and '.join(SHIPPED)}"
    )
    parser.add_argument(
        "--write", action="store_true", help="to config/sros2_policy.xml instead of the terminal"
    )
    given = parser.parse_args(words)
    if given.write and given.cranes:
        parser.error("--write is for the policy that comes along, which has its own cranes")
    try:
        text = policy(load_machine(name) for name in given.cranes or SHIPPED)
    except CableSimError as error:
        print(error, file=sys.stderr)
        return 2
    if given.write:
        shipped_policy().write_text(text, encoding="utf-8")
        print(f"written to {shipped_policy()}")
    else:
        print(text, end="")
    return 0


def _policy_topic(topic: str) -> str:
    """Return a topic as the policy writes it, with ``~`` for the node's own namespace."""
    return (
        f"~/{topic.removeprefix(NODE_NAME + '/')}" if topic.startswith(NODE_NAME + "/") else topic
    )


if __name__ == "__main__":
    sys.exit(main())
