"""Has every installed package a licence that this project may stand on? Exit status 1, and a list,
if one has not.

`make licences` installs every extra of setup.py first. pip-licenses knows what packages tell of
themselves; the wheels of ROS 2 bring a package.xml along that tells it. What tells none, or one
that means nothing to a program, was looked up by a person and stands in LOOKED_UP; a new version of
it has to be looked up again.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

ALLOWED = {
    "Apache-2.0": "Apache 2.0 | Apache License 2.0 | Apache License, Version 2.0 | Apache "
    "Software License | Apache-2.0 WITH LLVM-exception",
    "BSL-1.0": "Boost Software License 1.0 | Boost Software License 1.0 (BSL-1.0)",
    "BSD": "BSD License | BSD-2-Clause | BSD-3-Clause | 0BSD",
    "MIT": "MIT License | MIT-0 | MIT-CMU | ISC | ISC License (ISCL)",
    "PSF": "PSF-2.0 | Python Software Foundation License | CNRI-Python",
    "MPL-2.0": "Mozilla Public License 2.0 (MPL 2.0)",
    "zlib": "Zlib | zlib License",
    "public domain": "Public Domain | CC0-1.0 | Unlicense | The Unlicense (Unlicense)",
}
"""Licences by the name that is shown, with the other names that packages give them. MPL asks for
the source of changed files of the package itself; nothing here changes any."""
LOOKED_UP = {
    # imported unchanged, which is all that its copyleft asks for
    ("asyncua", "2.1"): "LGPL-3.0",
    ("pymavlink", "2.4"): "LGPL-3.0",
    ("cmeel-qhull", "8.0"): "BSD",  # Qhull's own text asks for what BSD asks for, in other words
    # by its text, "or any other that OSI approves of", which is all that it tells
    ("apsw", "3.54"): "zlib",
    ("cpplint", "2.0"): "BSD",  # "Freely Distributable" is a remark beside it
    ("docutils", "0.22"): "public domain",  # as the next
    # the GPL among what it tells is of an Emacs mode that is not in the wheel
    ("docutils", "0.23"): "public domain",
    # a licence of its own name with the text of three clauses; for benchmarks only
    ("exudyn", "1.13"): "BSD",
    ("FMPy", "0.3"): "BSD",  # two clauses, in a file of its own; the icons are not used
    ("pytest-timeout", "2.4"): "MIT",  # "DFSG approved" is a remark beside it
    ("ros-fastcdr", "2.2"): "Apache-2.0",  # of Jazzy
    ("ros-fastcdr", "2.3"): "Apache-2.0",
    ("ros-fastdds", "3.2"): "Apache-2.0",
    ("ros-fastrtps", "2.14"): "Apache-2.0",  # of Jazzy
    ("setuptools", "79.0"): "MIT",
    ("urdf_parser_py", "0.0"): "BSD",
    ("xacro", "2.1"): "BSD",  # the words of three clauses alone
    # Apache 2.0 with another paragraph on trade marks, by its text
    ("usd-core", "26.11"): "Apache-2.0",
}
OURS = {"cable_sim", "cable-sim", "cable_sim_studies", "tf2_msgs"}
"""Built from this checkout."""
_NAMED = {
    name.strip().lower(): short
    for short, names in ALLOWED.items()
    for name in (short, *names.split("|"))
}


def verdict(told: str) -> str | None:
    """The allowed licence, or all of them, in an expression such as ``Apache-2.0 OR GPL-3.0``; None
    for any other.

    Of what ``AND`` or a semicolon joins all must be allowed, of what ``OR`` joins one.
    """
    found = []
    for part in re.split(r"\s+AND\s+|;", told):
        choices = (_NAMED.get(choice.strip().lower()) for choice in re.split(r"\s+OR\s+", part))
        first = next(filter(None, choices), None)
        if first is None:
            return None
        found.append(first)
    return " and ".join(sorted(set(found)))


def told_by_ros(name: str, prefix: Path) -> str:
    """What the package.xml of a wheel of ROS 2 says; empty if there is none."""
    path = prefix / "share" / name.replace("-", "_").removeprefix("ros_") / "package.xml"
    if not path.is_file():
        return ""
    return ";".join(element.text or "" for element in ElementTree.parse(path).iterfind("license"))


def licence(name: str, version: str, told: str, prefix: Path) -> str | None:
    """The licence of a package; None for one that is not allowed or not known."""
    looked_up = LOOKED_UP.get((name, ".".join(version.split(".")[:2])))
    return looked_up or verdict(told) or verdict(told_by_ros(name, prefix))


def installed() -> Iterator[tuple[str, str, str]]:
    """Name, version and what it says of its licence, of every package of this Python but this
    project."""
    command = [
        sys.executable,
        "-m",
        "piplicenses",
        "--from=mixed",
        "--with-system",
        "--format=json",
    ]
    for entry in json.loads(
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
    ):
        if entry["Name"] not in OURS:
            yield entry["Name"], entry["Version"], entry["License"]


def main() -> int:
    """Look at all of them; 0 if all may be used."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="every package with its licence")
    given = parser.parse_args()
    found = [(*one, licence(*one, Path(sys.prefix))) for one in installed()]
    if given.list:
        for name, version, _, allowed in sorted(found):
            print(f"{name:45s} {version:12s} {allowed or 'not allowed'}")
    for allowed, count in Counter(allowed for *_, allowed in found if allowed).most_common():
        print(f"{count:4d}  {allowed}")
    wrong = [
        f"{name} {version}: {told}" for name, version, told, allowed in found if allowed is None
    ]
    for line in wrong:
        print(f"not allowed, or not known: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
