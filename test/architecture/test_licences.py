"""Which licences `make licences` lets pass, and that NOTICE names what the project uses."""

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("licences", ROOT / "scripts" / "licences.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("told", "allowed"),
    [
        ("MIT License", "MIT"),
        ("Apache License, Version 2.0", "Apache-2.0"),
        ("Mozilla Public License 2.0 (MPL 2.0)", "MPL-2.0"),
        ("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", "Apache-2.0 and BSD"),
        ("GPL-3.0-only OR Apache-2.0", "Apache-2.0"),
        ("MIT AND GPL-3.0-only", None),
        ("BSD License; GNU General Public License (GPL)", None),
        ("GNU Lesser General Public License v3 (LGPLv3)", None),
        ("UNKNOWN", None),
        ("", None),
    ],
)
def test_a_licence_is_allowed_or_not(licences: ModuleType, told: str, allowed: str | None) -> None:
    assert licences.verdict(told) == allowed


def test_wheels_of_ros_tell_it_in_their_package_xml(licences: ModuleType, tmp_path: Path) -> None:
    share = tmp_path / "share" / "spdlog_vendor"
    share.mkdir(parents=True)
    (share / "package.xml").write_text(
        "<package><license>Apache 2.0</license><license>MIT</license></package>"
    )
    assert (
        licences.licence("ros-spdlog-vendor", "1.7.0", "UNKNOWN", tmp_path) == "Apache-2.0 and MIT"
    )
    assert licences.licence("ros-other", "1.7.0", "UNKNOWN", tmp_path) is None


def test_what_a_person_looked_up_holds_for_that_version(
    licences: ModuleType, tmp_path: Path
) -> None:
    assert (
        licences.licence("exudyn", "1.13.6", "LicenseRef-EXUDYN-General-License", tmp_path) == "BSD"
    )
    assert (
        licences.licence("exudyn", "2.0.0", "LicenseRef-EXUDYN-General-License", tmp_path) is None
    )
    fixed = "\n".join(
        (ROOT / "requirements" / name).read_text() for name in ("constraints.txt", "ros.txt")
    )
    for name in {name for name, _ in licences.LOOKED_UP}:
        pinned = re.search(rf"^{name.replace('_', '.')}==(\d+\.\d+)", fixed, re.MULTILINE)
        assert pinned is None or (name, pinned[1]) in licences.LOOKED_UP, (
            f"{name}: look its licence up again"
        )


def test_notice_names_every_dependency() -> None:
    tree = ast.parse((ROOT / "setup.py").read_text())
    call = next(
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "setup"
    )
    said = {
        keyword.arg: ast.literal_eval(keyword.value)
        for keyword in call.keywords
        if "require" in str(keyword.arg) and keyword.arg != "python_requires"
    }
    wanted = {
        *said["install_requires"],
        *(name for extra in said["extras_require"].values() for name in extra),
    }
    listed = set(re.split(r"[,\s]+", (ROOT / "NOTICE").read_text()))
    assert {re.split(r"[<>=]", name)[0] for name in wanted} - listed == set()
