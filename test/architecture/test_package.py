"""What several files say must agree, and the layout must be one that colcon and pip both accept."""

import ast
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import cable_sim
from cable_sim.version import installed_version

ROOT = Path(__file__).resolve().parents[2]
MESSAGES = sorted([*ROOT.glob("msg/*.msg"), *ROOT.glob("tools/tf2_msgs/msg/*.msg")])


def setup_arguments() -> dict[str, ast.expr]:
    """The keyword arguments of the call of setup() in setup.py, unevaluated."""
    tree = ast.parse((ROOT / "setup.py").read_text())
    call = next(
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "setup"
    )
    return {keyword.arg: keyword.value for keyword in call.keywords}


def said_in_setup(name: str) -> str:
    """The expression of one of them."""
    return ast.unparse(setup_arguments()[name])


def citation() -> Any:
    """What CITATION.cff says."""
    return YAML(typ="safe", pure=True).load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def package_version() -> str | None:
    """What package.xml says, where the version stands."""
    return ElementTree.parse(ROOT / "package.xml").findtext("version")


def test_one_version_everywhere():
    """Only the citation has it in writing as well, because GitHub reads that file as it is."""
    assert cable_sim.__version__ == package_version()
    assert said_in_setup("version") == "MANIFEST.findtext('version')"
    assert citation()["version"] == package_version()


def test_one_maintainer_and_one_address_everywhere():
    """As long as the repository has no public address, nobody tells one."""
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    authors = [author["name"] for author in citation()["authors"]]
    assert [person.text for person in manifest.findall("maintainer")] == authors
    assert said_in_setup("maintainer") == "MAINTAINER.text"
    assert said_in_setup("maintainer_email") == "MAINTAINER.get('email')"
    assert said_in_setup("url") == "MANIFEST.findtext('url')"
    address = citation().get("url", citation().get("repository-code"))
    assert manifest.findtext("url") == address


def test_without_a_checkout_the_prefix_gives_the_version(tmp_path):
    module = tmp_path / "lib" / "python3.12" / "site-packages" / "cable_sim" / "version.py"
    shared = tmp_path / "share" / "cable_sim"
    shared.mkdir(parents=True)
    (shared / "package.xml").write_text(
        "<package><name>cable_sim</name>\n<version> 7.8.9 </version></package>"
    )
    assert installed_version(module) == "7.8.9"
    module.parents[1].mkdir(parents=True)
    (module.parents[1] / "package.xml").write_text("<name>another</name><version>1.2.3</version>")
    assert installed_version(module) == "7.8.9", "a file of another package says nothing"


def test_pinned_and_declared_dependencies_are_the_same():
    arguments = setup_arguments()
    declared = ast.literal_eval(arguments["extras_require"])
    declared["core"] = ast.literal_eval(arguments["install_requires"])
    for name in (
        "core",
        "viewer",
        "bag",
        "plc",
        "opcua",
        "stream",
        "usd",
        "mavlink",
        "meshes",
        "mpc",
        "fmi",
        "rl",
        "sweep",
        "bench",
        "test",
        "lint",
        "docs",
    ):
        lines = (ROOT / f"requirements/{name}.txt").read_text().splitlines()
        pinned = {line for line in lines if line and line[0] not in "#-"}
        assert pinned == {re.split(r"[<>=]", entry)[0] for entry in declared[name]}, name


def test_every_dependency_has_a_version():
    fixed = (ROOT / "requirements/constraints.txt").read_text()
    for file in (ROOT / "requirements").glob("*.txt"):
        for line in file.read_text().splitlines():
            if line and line[0] not in "#-" and "==" not in line:
                name = re.split("[<>]", line)[0]
                assert re.search(rf"^{re.escape(name)}==", fixed, re.MULTILINE), (
                    f"{file.name}: {line}"
                )


def test_a_release_has_both_packages_side_by_side():
    """bloom finds packages by catkin_pkg; it looks no further below a first package.xml."""
    packages = pytest.importorskip("catkin_pkg.packages", reason="comes with colcon")
    if not (ROOT / ".git").exists():
        pytest.skip("the release is made from a commit")
    subprocess.run([ROOT / "scripts" / "release"], check=True, capture_output=True)
    release = ROOT / "build" / "release"
    found = packages.find_packages(str(release))
    assert {path: package.name for path, package in found.items()} == {
        "cable_sim": "cable_sim",
        "cable_sim_ros2_control": "cable_sim_ros2_control",
    }
    assert {package.version for package in found.values()} == {package_version()}
    for path in found:
        assert (release / path / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_cmake_builds_every_message():
    listed = set(re.findall(r'"(msg/\w+\.msg)"', (ROOT / "CMakeLists.txt").read_text()))
    assert listed == {f"msg/{path.name}" for path in ROOT.glob("msg/*.msg")}


@pytest.mark.parametrize("path", MESSAGES, ids=lambda path: path.stem)
def test_every_field_of_a_message_is_explained(path):
    lines = path.read_text().splitlines()
    assert lines[0].startswith("#")
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            assert len(line.partition("#")[2].strip()) > 5, f"{path.name}:{number}: {line}"


@pytest.mark.parametrize("path", MESSAGES, ids=lambda path: path.stem)
def test_quantities_have_units(path):
    for line in path.read_text().splitlines():
        if line.startswith(("float", "uint64", "uint32")):
            assert re.search(r"\[[^\]]+\]|SI units", line.partition("#")[2]), f"{path.name}: {line}"


@pytest.mark.parametrize("path", MESSAGES, ids=lambda path: path.stem)
def test_message_says_who_publishes_and_who_listens(path):
    header = " ".join(line for line in path.read_text().splitlines() if line.startswith("#"))
    assert "ublished by" in header
    assert "ubscribed by" in header or "read by" in header


def test_generated_messages_have_room():
    assert not (ROOT / "cable_sim/msg").exists(), "colcon generates cable_sim.msg; do not shadow it"
    assert not (ROOT / "srv").exists()


@pytest.mark.parametrize("folder", ["launch", "config", "msg", "papers", "test", "rviz"])
def test_folder_is_no_package(folder):
    assert not list((ROOT / folder).rglob("__init__.py"))


def test_pip_is_told_which_packages_to_take():
    assert ast.unparse(setup_arguments()["packages"]) == "find_packages(include=['cable_sim*'])"
    assert not (ROOT / "setup.cfg").exists()


def test_folders_beside_the_package_come_along() -> None:
    """However it is installed: by colcon, and by pip from a source distribution."""
    listed = re.search(r"foreach\(folder ([a-z ]+)\)", (ROOT / "CMakeLists.txt").read_text())
    assert listed and all((ROOT / folder).is_dir() for folder in listed[1].split())
    tree = ast.parse((ROOT / "setup.py").read_text())
    shared = next(
        n.value
        for n in tree.body
        if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "SHARED"
    )
    assert sorted(listed[1].split()) == sorted(ast.literal_eval(shared))
    manifest = (ROOT / "MANIFEST.in").read_text()
    assert all(f"recursive-include {folder} " in manifest for folder in listed[1].split())
    assert "package.xml" in manifest, "setup.py reads the version from it"


def test_every_room_is_a_package():
    folders = tuple(ROOT / name for name in ("cable_sim", "cable_sim_studies", "validation"))
    rooms = {path.parent for folder in folders for path in folder.rglob("*.py")}
    assert [str(room) for room in rooms if not (room / "__init__.py").exists()] == []
