"""The command line: what it lists, what it says about wrong input, and that `run` starts and ends
cleanly."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pytest
from messages import naming
from ruamel.yaml import YAML
from typer.main import get_command

from cable_sim import __version__
from cable_sim.cli import app, main
from cable_sim.cli.app import _HINTS, PANELS
from cable_sim.cli.options import _namespace
from cable_sim.ros.launch.processes import isolated_environment

ROOT = Path(__file__).resolve().parents[1]
PLAN = ROOT / "config" / "lift_plans" / "tower_pick_and_place.csv"
BRACKETS = r"\[[a-z][^]]*]"
COMMANDS = [
    "run",
    "node",
    "view",
    "cameras",
    "teleop",
    "operate",
    "control",
    "record",
    "info",
    "replay",
    "film",
    "plot",
    "papers",
    "accept",
    "gallery",
    "plc",
    "check",
    "cranes",
    "describe",
    "parameters",
    "ropes",
    "scenes",
    "evaluate",
    "sweep",
    "bench",
]


@pytest.fixture
def cable_sim(capsys):
    """Runs the command line in this process: exit status, output, errors."""

    def run(*words):
        with pytest.raises(SystemExit) as raised:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return raised.value.code, said.out, said.err

    return run


def test_ctrl_c_before_a_command_runs_is_no_traceback(cable_sim, monkeypatch):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["cable_sim.cli.app"], "app", interrupted)
    assert cable_sim("cranes") == (130, "", "")


def test_help_tells_the_units_of_options(cable_sim, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    units = {
        name: re.findall(
            r"\[[a-z][^]]*]", str([getattr(one, "help", "") for one in command.params])
        )
        for name, command in get_command(app).commands.items()
    }
    assert sum(map(len, units.values())) > 10
    for name, told in units.items():
        if told:
            _, out, _ = cable_sim(name, "--help")
            assert set(told) <= set(re.findall(BRACKETS, out))


def test_a_command_calculates_in_one_thread(monkeypatch):
    """Unless told otherwise."""
    threads = "OPENBLAS_NUM_THREADS"
    for given, expected in ((None, "1"), ("2", "2")):
        monkeypatch.setitem(os.environ, threads, "")
        monkeypatch.delenv(threads)
        if given:
            monkeypatch.setenv(threads, given)
        with pytest.raises(SystemExit):
            main(["--version"])
        assert os.environ[threads] == expected


def test_it_loads_nothing_heavy_before_a_command_runs():
    code = (
        "import sys, cable_sim.cli; print({*sys.modules} & {'numpy', 'numba', 'rclpy', "
        "'viser', 'pydantic'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "set()"


def test_help_teaches_every_command(cable_sim):
    status, output, _ = cable_sim()
    assert status == 0
    assert all(re.search(rf"\b{name}\b", output) for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(cable_sim, name):
    status, output, _ = cable_sim(name, "--help")
    assert status == 0 and "Usage" in output


@pytest.mark.parametrize("name", ["evaluate", "operate"])
def test_paragraphs_of_help_are_as_wide_as_the_terminal(cable_sim, name, monkeypatch):
    """And not broken where the source is: a paragraph's lines are full but for its last one."""
    monkeypatch.setenv("COLUMNS", "100")
    text = cable_sim(name, "--help")[1].partition("╭")[0]
    for part in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in part.strip().splitlines()]
        pairs = zip(lines, lines[1:], strict=False)
        assert all(len(line) + 1 + len(after.split()[0]) > 97 for line, after in pairs), part


@pytest.fixture
def codes(monkeypatch):
    """Control codes of the pages that would have been served."""
    page = pytest.importorskip("cable_sim.viewer.page", reason="needs viser (extra `viewer`)")
    given = []
    monkeypatch.setattr(page.Viewer, "run", lambda self, *_: given.append(self.code.text))
    return given


def test_the_control_code_comes_from_a_file_or_the_environment(
    cable_sim, codes, tmp_path, monkeypatch
):
    view = ("view", "tower_12t", "--local", "--port", "0")
    (tmp_path / "code").write_text("from-a-file\n")
    assert cable_sim(*view, "--token-file", tmp_path / "code")[0] == 0
    monkeypatch.setenv("CABLE_SIM_TOKEN", "from-the-environment")
    assert cable_sim(*view)[0] == 0
    assert cable_sim(*view, "--token-file", tmp_path / "code")[0] == 0
    monkeypatch.delenv("CABLE_SIM_TOKEN")
    assert cable_sim(*view)[0] == 0
    assert (
        codes[:3] == ["from-a-file", "from-the-environment", "from-a-file"] and len(codes[3]) == 9
    )


def test_the_control_code_is_refused_where_every_user_reads_it(cable_sim, codes, tmp_path):
    view = ("view", "tower_12t", "--local", "--port", "0")
    status, _, said = cable_sim(*view, "--token", "secret-code")
    assert (
        status == 2
        and "--token-file" in said
        and "CABLE_SIM_TOKEN" in said
        and "secret" not in said
    )
    (tmp_path / "code").write_text("abc")
    status, _, said = cable_sim(*view, "--token-file", tmp_path / "code")
    assert status == 2 and "short" in said and "abc" not in said
    status, _, said = cable_sim(*view, "--token-file", tmp_path / "none")
    assert status == 2 and "such" in said
    assert "--token " not in cable_sim("view", "--help")[1] and codes == []


def test_lists(cable_sim):
    assert "tower_12t" in cable_sim("cranes")[1] and naming("name tower_12t").search(
        cable_sim("cranes")[1]
    )
    assert naming("pendulum ball cable").search(cable_sim("scenes")[1])
    assert re.search(
        r"^16mm 34x7 1960 +109.57 +10.96 +1.027 +159.6$", cable_sim("ropes")[1], re.MULTILINE
    )


def test_it_tells_its_version(cable_sim):
    assert cable_sim("--version")[:2] == (0, f"cable-sim {__version__}\n")
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_the_parameters_of_a_crane_are_a_file_for_it(cable_sim):
    pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
    status, output, _ = cable_sim("parameters", "lab_gantry")
    assert status == 0 and output.startswith("# Parameters ")
    given = YAML(typ="safe").load(output)["/**"]["ros__parameters"]
    assert (
        given["crane_config"] == "lab_gantry" and given["drives"]["trolley"]["max_speed"] == 0.281
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nix",), "command 'nix'"),
        (("run", "--port", "70000"), "--port"),
        (("run", "--port", "x"), "--port"),
        (("run", "--for", "-1"), "--for"),
        (("run", "--for", "inf"), "Invalid value '--for' inf finite number"),
        (("record", "--for", "nan"), "Invalid value '--for'"),
        (
            ("record", "--namespace", "crane-1"),
            "'--namespace' 'crane-1' ROS namespace words letters",
        ),
        (("film", "--namespace", "/a//b"), "'/a//b' ROS namespace"),
        (("run", "nix"), "names cableway_20t crawler_50t grab_3t lab_gantry lab_inteco"),
        (("run", "a", "b"), "unexpected extra argument"),
        (("node", "nix"), "names cableway_20t crawler_50t grab_3t lab_gantry lab_inteco"),
        (("view", "tower_12t", "--nix"), "'--nix'"),
        (("view", "--nix"), "'--nix'"),
        (("view", "--local", "nix.yaml"), "nix.yaml:1:1 such"),
        (("operate",), "Missing argument"),
        (("operate", "nix.csv"), "nix.csv:1:1 such"),
        (
            ("operate", PLAN, "--crane", "nix"),
            "names cableway_20t crawler_50t grab_3t lab_gantry lab_inteco",
        ),
        (("operate", PLAN, "--tolerance", "inf"), "Invalid value '--tolerance' inf finite number"),
        (("operate", PLAN, "--results", PLAN), "file"),
        (("operate", PLAN, "--rehearse", "--reset"), "--rehearse node --reset --start-node"),
        (("gallery", "--out", PLAN), "file"),
        (("bench", "--peers", "--out", ROOT), "directory"),
        (("check", "nix.yaml"), "nix.yaml such"),
        (("control", "nix"), "scenario 'nix' gantry_empty_in_a_gust"),
        (("control", "tower_matrix"), "tower_matrix matrix 1512 scenarios"),
        (
            ("control", "lab_gantry_cart", "--start-node", "--reset"),
            "--namespace --reset running node",
        ),
    ],
)
def test_wrong_input_is_one_line_and_status_2(cable_sim, words, says):
    status, _, errors = cable_sim(*words)
    assert status == 2
    assert naming(says).search(errors) and len(errors.strip().splitlines()) == 1, errors


@pytest.mark.parametrize(
    ("given", "taken"),
    [("", ""), ("/", ""), ("crane_1", "crane_1"), ("/site/crane_1/", "/site/crane_1")],
)
def test_a_namespace_may_have_slashes_at_both_ends(given, taken):
    assert _namespace(given) == taken


def test_a_scenario_that_is_named_twice_is_run_once(cable_sim, monkeypatch, tmp_path):
    """By its number and by its name."""
    told = []

    def report(studies, form, results, console):
        told.extend(study.name for study in studies)
        return 0

    monkeypatch.setattr("validation.harness.command.report_studies", report)
    assert cable_sim("accept", "4", "slewing_stop", "5", "--results", tmp_path)[0] == 0
    assert told == ["slewing_stop", "gust"]


def test_teleop_needs_a_terminal(cable_sim, monkeypatch):
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        status, _, errors = cable_sim("teleop")
    assert status == 2 and naming("teleop terminal").search(errors)


def test_info_of_what_is_no_bag(cable_sim, tmp_path):
    pytest.importorskip("rosbags", reason="needs rosbags (extra `bag`)")
    status, _, errors = cable_sim("info", tmp_path)
    assert status == 2 and "bag" in errors


def test_check_sums_up_what_is_sound(cable_sim, tmp_path):
    status, output, _ = cable_sim("check", ROOT / "config" / "tower_12t.yaml")
    assert (
        status == 0
        and "tower crane 'tower_12t': 4 bodies" in output
        and naming("slewing 0.7 rpm").search(output)
    )
    status, output, _ = cable_sim("check", PLAN)
    assert status == 0 and naming("lift plan tower_12t 16 commands 136 s").search(output)
    scene = tmp_path / "scene.yaml"
    scene.write_text(
        "name: ball\nbodies:\n- {name: ball, mass: 1.0, shape: {kind: sphere, radius: 0.1}}\n"
    )
    status, output, _ = cable_sim("check", scene)
    assert status == 0 and "scene 'ball': 1 bodies" in output


@pytest.mark.parametrize(
    "name, told",
    [
        ("tower_crane", "tower_crane tower crane 'tower_12t' 4 bodies"),
        ("pendulum", "pendulum scene 'pendulum' 1 bodies"),
        ("tower_slew_trolley_hoist", "scenario tower_12t controller operator"),
    ],
)
def test_check_knows_the_names_of_the_catalogues(cable_sim, name, told):
    status, output, errors = cable_sim("check", name)
    assert status == 0 and naming(told).search(output) and not errors


def test_check_suggests_the_name_that_was_meant(cable_sim):
    for name, meant in (("tower_12", "tower_12t"), ("pendullum", "pendulum")):
        status, _, errors = cable_sim("check", name)
        assert status == 2 and naming(f"such {meant}").search(errors)


@pytest.mark.parametrize(
    "was, becomes, told",
    [
        ("mass: 4000.0", "mass: 4.0", "rig.load.mass 4 kg crane lifts 6 t"),
        ("mass: 4000.0", "mass: 6001.0", "rig.load.mass 6001 kg beyond 6000"),
        ("trolley: 20.0", "trolley: 60.0", "rig.load.mass 4000 kg beyond 3338"),
        (r"  start:\n(    .*\n)+", "  start: {at: {trolley: 20.0, hoist: 40.0}}\n", None),
    ],
)
def test_check_warns_of_what_is_hardly_meant(cable_sim, tmp_path, was, becomes, told):
    text = (ROOT / "config" / "tower_12t.yaml").read_text()
    changed, count = re.subn(was, becomes, text)
    assert count == 1
    file = tmp_path / "crane.yaml"
    file.write_text(changed)
    status, output, errors = cable_sim("check", file)
    assert status == 0 and "tower crane 'crane'" in output
    if told is None:
        assert errors == ""
    else:
        assert re.match(rf"cable-sim: warning: {re.escape(str(file))}:\d+:\d+: ", errors)
        assert naming(told).search(errors) and len(errors.splitlines()) == 1


def test_commands_that_need_ros_name_what_works_without(cable_sim, monkeypatch):
    """As where pip has installed the wheel alone."""
    contracts = (ROOT / "pyproject.toml").read_text().partition('name = "ROS only in ros/"')[2]
    forbidden = re.findall(
        r'"(\w+)",', contracts.partition("]\nallow")[0].partition("modules = [\n")[2]
    )
    assert len(forbidden) > 10 and set(forbidden) <= set(_HINTS)
    for package in forbidden:
        error = ModuleNotFoundError(f"No module named {package!r}", name=f"{package}.msg")
        monkeypatch.setattr("cable_sim.cli.running.known_crane", Mock(side_effect=error))
        status, _, errors = cable_sim("run")
        assert status == 2 and "cable-sim view tower_crane --local" in errors


def test_help_has_every_command_in_one_group():
    named = [name for names in PANELS.values() for name in names]
    assert sorted(named) == sorted(c.callback.__name__ for c in app.registered_commands)
    assert len(set(named)) == len(named)


def test_check_tells_in_one_line_what_has_been_put_right(cable_sim, tmp_path):
    """Faces that all run clockwise as seen from outside."""
    corners = "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"
    faces = "[[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]"
    scene = tmp_path / "scene.yaml"
    shape = f"{{kind: polyhedron, corners: {corners}, faces: {faces}}}"
    scene.write_text(f"name: wedge\nobstacles:\n- {{name: wedge, shape: {shape}}}\n")
    status, _, errors = cable_sim("check", scene)
    assert status == 0
    assert re.fullmatch("cable-sim: warning: Polyhedron: faces: .*clockwise.*\n", errors), errors


def test_check_tells_every_problem_with_its_line(cable_sim, tmp_path):
    text = (ROOT / "config" / "tower_12t.yaml").read_text()
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        text.replace("layers: 5 ", "layers: many ").replace("mass: 600.0 ", "mass: light ")
    )
    status, _, errors = cable_sim("check", wrong)
    assert status == 1
    lines = errors.strip().splitlines()
    assert len(lines) == 2 and all(
        re.match(rf"{re.escape(str(wrong))}:\d+:\d+: ", line) for line in lines
    ), errors
    plan = tmp_path / "plan.csv"
    plan.write_text("time,motion,speed\n0,hoist,x\n1,nix,0\n")
    status, _, errors = cable_sim("check", plan)
    assert status == 1 and len(errors.strip().splitlines()) == 2


def test_a_rehearsal_needs_no_ros(cable_sim, tmp_path):
    plan = tmp_path / "up.csv"
    plan.write_text("time,motion,speed\n0,hoist,6\n1,hoist,0\n")
    status, output, _ = cable_sim("operate", plan, "--rehearse", "--results", tmp_path / "results")
    assert status == 1 and "peak line pull" in output  # it ends with the load half taken up
    (folder,) = (tmp_path / "results").iterdir()
    assert {path.name for path in folder.iterdir()} == {
        "report.json",
        "report.md",
        "track.csv",
        "track.png",
    }


# `run`, with real processes


@pytest.fixture(scope="module")
def domain():
    """A ROS domain that nobody on this machine uses."""
    pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
    from cable_sim.ros.launch.processes import free_domain

    return free_domain()


@pytest.fixture
def run(domain):
    """Starts `cable-sim run` and reads what it says; what is left over is killed."""
    started = []

    def start(*words):
        environment = {**os.environ, **isolated_environment(domain)}
        process = subprocess.Popen(
            [sys.executable, "-m", "cable_sim.cli", "run", *words],
            cwd=ROOT,
            env=environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def lines_until(process, word, deadline=400.0):
    """Lines up to the one with the word."""
    guard = threading.Timer(deadline, process.kill)
    guard.start()
    lines = []
    for line in process.stdout:
        lines.append(line)
        if naming(word).search(line):
            guard.cancel()
            return lines
    guard.cancel()
    pytest.fail("".join(lines))


def children(process):
    """Process numbers of its children, as Linux knows them, without what compiles beside them.

    A child that has not become its own program yet still shows the parent's words, for a moment
    in between none but a name in brackets, and one that has ended stays in the list until the
    parent asks for it.
    """
    if not shutil.which("ps"):
        pytest.skip("needs ps")
    own = Path(f"/proc/{process.pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    listed = subprocess.run(
        ["ps", "-ww", "--ppid", str(process.pid), "-o", "pid=,args="],
        capture_output=True,
        text=True,
    )
    others = "cable_sim.sim.precompile", own
    return [
        int(number)
        for number, words in (line.split(maxsplit=1) for line in listed.stdout.splitlines())
        if not words.startswith("[") and not any(other in words for other in others)
    ]


def gone(numbers, deadline=120.0):
    """Whether none of the processes is left, waiting a little."""
    end = time.monotonic() + deadline
    while any(Path(f"/proc/{number}").exists() for number in numbers) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(Path(f"/proc/{number}").exists() for number in numbers)


@pytest.mark.ros
def test_run_shows_the_page_and_ends_by_itself(run):
    pytest.importorskip("viser", reason="needs viser (extra `viewer`)")
    process = run("--for", "1", "--port", "0")
    said = "".join(lines_until(process, "ends after 1 s"))
    assert re.search(r"watch +http://127\.0\.0\.1:\d+/", said) and re.search(r"code +\S+", said)
    numbers = children(process)
    assert 2 <= len(numbers) <= 3  # node and page, and what compiles the rest, where it is due
    rest, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    assert all("ready after" in line for line in rest.splitlines())
    assert gone(numbers)


@pytest.mark.ros
def test_a_node_runs_on_when_its_page_is_killed(run):
    pytest.importorskip("viser", reason="needs viser (extra `viewer`)")
    process = run("--port", "0")
    lines_until(process, "Ctrl-C ends")
    node, page = children(process)
    os.kill(page, signal.SIGKILL)
    told = "".join(lines_until(process, "open"))
    assert naming("page status 137 crane").search(told)
    assert "cable-sim view tower_crane --host 127.0.0.1 --port 0" in told
    assert children(process) == [node]
    process.send_signal(signal.SIGINT)
    assert process.wait(300) == 0
    assert gone([node])


@pytest.mark.ros
@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name
)
def test_run_leaves_nothing_behind(run, number):
    process = run("--no-viewer")
    lines_until(process, "Ctrl-C ends")
    numbers = children(process)
    process.send_signal(number)
    assert process.wait(300) == (-number if number == signal.SIGKILL else 0)
    assert gone(numbers)


@pytest.mark.ros
def test_run_ends_with_its_node_and_refuses_a_second_one(run):
    process = run("--no-viewer", "--rtf", "2")
    lines_until(process, "Ctrl-C ends")
    second = run("--no-viewer", "--for", "0.1")
    assert second.wait(300) == 2
    assert naming("simulator running ROS domain").search(second.stdout.read())
    (node,) = children(process)
    os.kill(node, signal.SIGKILL)
    rest, _ = process.communicate(timeout=300)
    assert process.returncode == 137
    assert naming("node status 137").search(rest)


@pytest.mark.ros
def test_run_says_that_the_port_is_taken(run):
    pytest.importorskip("viser", reason="needs viser (extra `viewer`)")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = run("--port", str(port))
        output, _ = process.communicate(timeout=300)
    assert process.returncode == 2
    assert naming(f"port {port} 127.0.0.1 taken").search(output) and "Traceback" not in output
