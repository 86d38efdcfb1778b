"""What the node may do in a graph that is secured by SROS2, written from the interface:
``config/sros2_policy.xml``.

``python -m cable_sim.ros.launch.security --write`` writes that file; with names or files of other
cranes, and without ``--write``, it prints the policy of these. Each crane has an enclave of its
name, because its topics depend on its axes and sensors; names are relative, so a namespace is said
by the attribute ``ns`` alone.
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
    JOY,
    NODE_NAME,
    STANDARD_ACTIONS,
    STANDARD_SERVICES,
    commanded,
    published,
    served,
)
from cable_sim.scenes.machines import load_machine
from cable_sim.shared_files import shared_folders

SHIPPED = ("tower_12t", "rtg_41t")
"""Cranes of the policy that comes along: those of the launch files for a tower and a gantry
crane."""
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
EVENTS, LOG = "/parameter_events", "/rosout"


class Rights(NamedTuple):
    """Everything that a node does in the graph, by name; a leading ``~`` is the node's own
    namespace."""

    publishes: frozenset[str]
    subscribes: frozenset[str]
    serves: frozenset[str]
    acts: frozenset[str]


def rights(crane: Crane) -> Rights:
    """What a node may do that runs the crane, with every option on: game pad, clock, standard
    services.

    It may read the clock, too: ROS has every node listen for which ``use_sim_time`` is set.
    """
    takes = {_own(endpoint.topic) for endpoint in (*commanded(crane), JOY)}
    tells = {_own(endpoint.topic) for endpoint in published(crane)}
    serves = (*served(crane), *STANDARD_SERVICES, *OF_EVERY_NODE)
    return Rights(
        frozenset(tells | {EVENTS, LOG}),
        frozenset(takes | {CLOCK.topic}),
        frozenset(f"~/{name}" for name in serves),
        frozenset(f"~/{name}" for name in STANDARD_ACTIONS),
    )


def policy(cranes: Iterable[Crane]) -> str:
    """The XML of a policy, version 0.2.0, with an enclave for each crane."""
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


def shipped() -> Path:
    """The file that comes along."""
    return shared_folders("config")[0] / "sros2_policy.xml"


def main(words: Sequence[str] | None = None) -> int:
    """Print a policy, or write the one that comes along; returns 0, or 2 for a crane that is
    wrong."""
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
        shipped().write_text(text, encoding="utf-8")
        print(f"written to {shipped()}")
    else:
        print(text, end="")
    return 0


def _own(topic: str) -> str:
    """Topics in the node's own namespace as the policy writes them."""
    return (
        f"~/{topic.removeprefix(NODE_NAME + '/')}" if topic.startswith(NODE_NAME + "/") else topic
    )


if __name__ == "__main__":
    sys.exit(main())
