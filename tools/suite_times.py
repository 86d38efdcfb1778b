"""Times of the tests by folder, and the tests above five seconds, from the report of a run.

``make test PYTEST_ARGS=--junitxml=build/tests.xml`` writes the report, and
``python -m tools.suite_times build/tests.xml`` prints its table.
"""

import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

LONG = 5.0
"""Above so much a test is marked slow, or has a reason [s]."""


def read_times(report: Path) -> Iterator[tuple[str, str, float]]:
    """Yield folder, name and time [s] of each test of a report; with set-up and tear-down."""
    for case in ET.parse(report).iter("testcase"):
        file = case.attrib["classname"].split(".")
        folder = file[1] if len(file) > 2 else "."
        yield folder, f"{file[-1]}::{case.attrib['name']}", float(case.attrib["time"])


def print_times(report: Path) -> None:
    """Print the sum of each folder, the longest first, and the tests above :data:`LONG`."""
    times = list(read_times(report))
    folders: dict[str, list[float]] = defaultdict(list)
    for folder, _, time in times:
        folders[folder].append(time)
    print(f"{sum(time for *_, time in times):8.0f} s {len(times):6}  all")
    for folder, spent in sorted(folders.items(), key=lambda item: -sum(item[1])):
        print(f"{sum(spent):8.0f} s {len(spent):6}  {folder}")
    for folder, name, time in sorted(times, key=lambda row: -row[2]):
        if time > LONG:
            print(f"{time:8.1f} s  {folder}/{name}")


if __name__ == "__main__":
    print_times(Path(sys.argv[1]))
