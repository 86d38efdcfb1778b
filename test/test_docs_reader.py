"""The reader of the documentation does what a page says, and fails where something else comes of
it."""

import os
import signal
from contextlib import nullcontext
from pathlib import Path

import pytest
from docs_blocks import ROOT, NotShown, blocks_of, unseen
from docs_reader import follow
from messages import naming


@pytest.fixture
def read(tmp_path: Path):
    """Follows a page of this text, in which ''' stands for the fences; what was missing."""

    def read(text: str, **options: bool) -> list[str]:
        page = tmp_path / "page.md"
        page.write_text(text.replace("'''", "```"), encoding="utf-8")
        return follow(page, tmp_path, **options)

    return read


def test_a_page_is_followed_from_top_to_bottom(read, tmp_path: Path) -> None:
    """Files, a folder that is changed to, a module of one's own, several commands, output, a
    change."""
    here, path = Path.cwd(), os.environ["PATH"]
    read(
        """
'''bash
mkdir mine && cd mine
'''
'''python
# own/settings.py
SPEED = 3   # m/s
'''
'''diff
--- own/settings.py
-SPEED = 3   # m/s
+SPEED = 4   # m/s
'''
'''python
from own.settings import SPEED

print("speed", SPEED)
print("0.123 s, done")
'''
It says

'''text
speed   4
... s, done
'''
1.  Then

    '''console
    $ ls ../config/tower_12t.yaml && \\
    > cat own/settings.py
    ../config/tower_12t.yaml
    SPEED = 4
    $ cable-sim check ../config/tower_12t.yaml
    ...tower crane 'tower_12t'...
    '''
<!-- test: status 2 -->
'''console
$ cable-sim check nix.yaml
nix.yaml: there is no such file
'''
'''{toctree}
first
'''
"""
    )
    assert (
        (tmp_path / "cable_sim" / "mine" / "own" / "settings.py")
        .read_text()
        .endswith("\nSPEED = 4   # m/s\n")
    )
    assert (Path.cwd(), os.environ["PATH"]) == (here, path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("'''python\nprint(4)\n'''\n'''text\n5\n'''", "page.md:4 printed"),
        ("'''python\nprint('a'); print('b')\n'''\n'''text\nb\na\n'''", "Printed"),
        ("'''python\nprint(float('nan'))\n'''", "nan"),
        ("'''console\n$ echo a\nb\n'''", "page.md:1 printed"),
        ("'''console\n$ false\n$ true\n'''", "status 1 false"),
        ("'''bash\nfalse\ntrue\n'''", "status 1"),
        (
            "<!-- test: status 2 -->\n'''console\n$ cable-sim --version\n'''",
            "status 0 cable-sim --version",
        ),
        ("'''bash\ncable-sim --version\ncable-sim nix\n'''", "status 2"),
        ("'''yaml\n# a.yaml\nx: 1\n'''\n'''diff\n--- a.yaml\n-x: 2\n+x: 3\n'''", "0 times"),
        ("<!-- test: terminal -->\n'''console\n$ echo a; exit 3\nb\n'''", "printed"),
        ("<!-- test: terminal -->\n'''console\n$ echo a; exit 3\na\n'''", "status 3"),
    ],
)
def test_what_is_not_as_shown_fails(read, text: str, says: str) -> None:
    with pytest.raises(NotShown) as error:
        read(text)
    assert naming(says).search(str(error.value))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("'''python\nprint(4)\n", "page.md:1 block end"),
        ("<!-- test: skip -->\n'''bash\n'''", "page.md:1 test skip"),
        ("<!-- test: stay away -->\n'''bash\n'''", "test stay away"),
        ("'''console\nls\n'''", "console command"),
        ("'''diff\n-a\n+b\n'''", "diff file"),
    ],
)
def test_a_page_with_mistakes_is_refused(read, text: str, says: str) -> None:
    with pytest.raises(ValueError, match="page.md") as error:
        read(text)
    assert naming(says).search(str(error.value))


def test_what_is_left_out(read, tmp_path: Path) -> None:
    """By a mark, for want of a program, and on pages where commands are not typed; output of those
    is not asked for."""
    text = """
<!-- test: skip, nobody is there to look -->
'''bash
touch looked
'''
'''text
nothing
'''
<!-- test: needs no_such_program -->
'''console
$ no_such_program
'''
<!-- test: skip, a second reason -->
'''console
$ touch skipped
'''
'''console
$ touch typed
'''
"""
    (missing,) = read(text)
    assert missing.endswith("page.md:10 needs no_such_program")
    assert {path.name for path in (tmp_path / "cable_sim").iterdir() if path.is_file()} == {"typed"}


def test_pages_without_a_shell(read, tmp_path: Path) -> None:
    read("'''bash\ntouch typed\n'''\n'''python\nopen('written', 'w').close()\n'''", shell=False)
    assert {path.name for path in (tmp_path / "cable_sim").iterdir() if path.is_file()} == {
        "written"
    }


def test_another_terminal_runs_on_and_is_ended(read, tmp_path: Path) -> None:
    """What it shows is waited for; at the end of the page it gets a Ctrl-C."""
    read(
        """
<!-- test: terminal -->
'''console
$ trap 'echo end > ended; exit 0' INT; sleep 0.2; echo $$ > number; echo ready; while true; do sleep 0.05; done
ready
'''
'''bash
kill -0 $(cat number)
test ! -e ended
'''
"""  # noqa: E501 (one line is typed)
    )
    assert (tmp_path / "cable_sim" / "ended").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "cable_sim" / "number").read_text()), 0)


def test_another_terminal_is_ended_where_the_page_says_so(read) -> None:
    read(
        """
<!-- test: terminal -->
'''console
$ trap 'echo end > ended; exit 0' INT; echo ready; while true; do sleep 0.05; done
ready
'''
<!-- test: ended -->
'''bash
test -e ended
'''
"""
    )


@pytest.mark.parametrize("program", ["ours", "dask"])
def test_logs_have_no_tracebacks_but_those_of_others(read, program: str) -> None:
    typed = f"{program} () {{ echo Traceback; }}; {program}"
    page = f"<!-- test: terminal -->\n'''console\n$ {typed}\nTraceback\n'''"
    with pytest.raises(NotShown, match="ended badly") if program == "ours" else nullcontext():
        read(page)


def test_sources_are_a_copy_to_be_changed(read, tmp_path: Path) -> None:
    read(
        """
<!-- test: sources -->
'''diff
--- cable_sim/errors.py
 class CableSimError(Exception):
+    # mine
'''
"""
    )
    assert "# mine" in (tmp_path / "cable_sim" / "cable_sim" / "errors.py").read_text()
    assert "# mine" not in (ROOT / "cable_sim" / "errors.py").read_text()


def test_commands_leave_the_handling_of_signals_as_it_was(read) -> None:
    before = signal.getsignal(signal.SIGINT)
    read("'''bash\ncable-sim --version\n'''")
    assert signal.getsignal(signal.SIGINT) is before


def test_marks_belong_to_the_next_block_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- test: skip, a reason, with a comma -->\n\n```bash\n```\n```bash\n```\n")
    first, second = blocks_of(page)
    assert first.marks == {"skip": "a reason, with a comma"} and second.marks == {}


@pytest.mark.parametrize(
    ("shown", "printed", "line"),
    [
        ("a ... c", "  a  b   c d", ""),
        ("a ... c", "a\nc", "a ... c"),
        ("1.5 m", "11.5 metres", ""),
        ("1.5 m", "1.55 m", "1.5 m"),
        ("...\nlast", "first\nlast", ""),
        ("a\na", "a", "a"),
    ],
)
def test_what_counts_as_shown(shown: str, printed: str, line: str) -> None:
    assert unseen(shown, printed) == line
