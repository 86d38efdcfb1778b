"""Follows a page of the documentation as its reader does: saves its files, runs its Python, types
its commands.

How a page says which of its blocks is what stands in docs_blocks.py. `cable-sim` runs in this
process where a line has nothing but it and its words, because its start takes longest; otherwise
bash runs the line.

``python test/docs_reader.py PAGE...`` follows pages and shows what they print.
"""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from docs_blocks import ROOT, SHELL, Block, NotShown, blocks_of, change, expect, typed, unseen

LINKED = ("config", "docs", "examples", "launch", "papers", "rviz", "scripts", "test/cranes")
"""What a reader finds in the checkout. Not the package: Python would take it from there, and
compile it anew."""

DEADLINE = 300.0
"""Wall time [s] for one command: it may have to compile kernels, on a machine that others use."""

END_DEADLINE = 120.0
"""Wall time [s] for what runs in another terminal to end at its Ctrl-C."""

ENDS_WELL = (0, 130, -signal.SIGINT)
"""Exit status at a Ctrl-C: the command knows it, a shell, and one that does nothing about it."""

LEFT_OUT = "..."
"""What a block printed that was left out: anything is as expected."""

OTHERS = ("dask ",)
"""Programs of others, which may have tracebacks in their logs."""

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def obey_ctrl_c() -> None:
    """In a new process: a signal that was ignored, as in the background of a script, would be
    ignored there, too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """A command that runs while the reader goes on."""

    def __init__(self, command: str, environment: dict[str, str]) -> None:
        self.command = command.strip()
        with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as said:
            self.said = Path(said.name)
            self.process = subprocess.Popen(
                ["bash", "-c", self.command],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=obey_ctrl_c,
            )

    def wait(self, shown: str, block: Block) -> None:
        """Until it has said that."""
        end = time.monotonic() + DEADLINE
        while unseen(shown, self.said.read_text()):
            if self.process.poll() is not None or time.monotonic() > end:
                return expect(shown, self.said.read_text(), block)
            time.sleep(0.05)

    def end(self) -> str:
        """Ctrl-C for it and all that it started; what it said. NotShown if it failed before or
        fails now."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(END_DEADLINE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise NotShown(f"{self.command}: still ran {END_DEADLINE} s after its Ctrl-C") from None
        said = self.said.read_text()
        self.said.unlink()
        broken = "Traceback" in said and not self.command.startswith(OTHERS)
        if broken or self.process.returncode not in ENDS_WELL:
            raise NotShown(
                f"{self.command}: ended badly, status {self.process.returncode}:\n{said}"
            )
        return said


class Reader:
    """Follows one page; ``checkout`` is the checkout's stand-in, and has to be the current folder
    of this process."""

    def __init__(self, checkout: Path, shell: bool = True) -> None:
        self.shell = shell
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.terminals: list[Terminal] = []
        self.printed = ""
        self.missing: list[str] = []
        for name in LINKED:
            (checkout / name).parent.mkdir(exist_ok=True)
            (checkout / name).symlink_to(ROOT / name)

    def follow(self, block: Block) -> None:
        """Do what a block says; NotShown if something else comes of it."""
        if "ended" in block.marks:
            self.close()
        if "sources" in block.marks:
            copy_sources()
        if "skip" in block.marks or (block.language in SHELL and not self.shell):
            self.printed = LEFT_OUT
        elif block.missing:
            self.missing.append(f"{block} needs {block.missing}")
            self.printed = LEFT_OUT
        elif block.file:
            Path(block.file).parent.mkdir(parents=True, exist_ok=True)
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "diff":
            change(block)
        elif block.language == "text" and self.printed != LEFT_OUT:
            expect(block.text, self.printed, block)
        elif block.language == "python":
            self.printed = self.python(block)
        elif block.language in SHELL:
            self.printed = self.commands(block)

    def python(self, block: Block) -> str:
        """Run a block in the page's namespace; what it printed. Tracebacks have the page's
        lines."""
        code = compile("\n" * block.line + block.text, str(block.page), "exec")
        with printing() as out:
            exec(code, self.names)
        if re.search(r"\bnan\b", out.getvalue()):
            raise NotShown(f"{block}: printed nan:\n{out.getvalue()}")
        return out.getvalue()

    def commands(self, block: Block) -> str:
        """Type the commands of a block, or start them in other terminals; what they printed."""
        said, wanted = [], typed(block)
        for command, shown in wanted:
            if "terminal" in block.marks:
                self.terminals.append(Terminal(command, dict(os.environ)))
                self.terminals[-1].wait(shown, block)
                continue
            status, printed = run_own(own) if (own := own_words(command)) else run_in_bash(command)
            last = (command, shown) == wanted[-1]
            if status != (int(block.marks.get("status", 0)) if last else 0):
                raise NotShown(f"{block}: status {status} of {command.strip()}:\n{printed}")
            expect(shown, printed, block)
            said.append(printed)
        return "".join(said)

    def close(self) -> None:
        """End what runs in other terminals, the last first; NotShown if one did not end well."""
        failed = []
        while self.terminals:
            try:
                print(self.terminals.pop().end(), end="")
            except NotShown as error:
                failed.append(str(error))
        if failed:
            raise NotShown("\n".join(failed))


def copy_sources() -> None:
    """Put into the current folder what of the checkout is to be changed, and what then checks its
    style."""
    for name in ("cable_sim", "cable_sim_studies", "validation", "test/architecture"):
        shutil.copytree(ROOT / name, name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", "pyproject.toml")


def own_words(command: str) -> list[list[str]]:
    """The words of each line, if all are calls of cable-sim that need no shell; otherwise none."""
    lines = [
        line
        for line in re.sub(r"\\\n", " ", command).splitlines()
        if line.partition("#")[0].strip()
    ]
    if any(
        not line.startswith("cable-sim ") or re.search(r"[|&;<>$*?`(){}~]", line) for line in lines
    ):
        return []
    return [shlex.split(line, comments=True)[1:] for line in lines]


def run_own(lines: list[list[str]]) -> tuple[int, str]:
    """Exit status and output of calls of cable-sim, in this process, up to the first that fails."""
    from cable_sim.cli import main

    handlers = [
        signal.getsignal(number) for number in NUMBERS
    ]  # commands that end at Ctrl-C set their own
    status: object = 0
    with printing() as out:
        for words in lines:
            try:
                main(words)
            except SystemExit as ended:
                status = ended.code or 0
            finally:
                for number, handler in zip(NUMBERS, handlers, strict=True):
                    signal.signal(number, handler)
            if status:
                break
    return int(str(status)), out.getvalue()


def run_in_bash(command: str) -> tuple[int, str]:
    """Exit status and output of what is typed into a shell; this process goes to where a ``cd``
    leads."""
    with tempfile.NamedTemporaryFile("r", suffix=".pwd") as place:
        done = subprocess.run(
            ["bash", "-c", f"set -e\n{command}\npwd > {shlex.quote(place.name)}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        if where := place.read().strip():
            os.chdir(where)
    print(done.stdout, end="")
    return done.returncode, done.stdout


@contextlib.contextmanager
def printing() -> Iterator[io.StringIO]:
    """Collects what is printed, errors among it, and prints it at the end, whatever becomes of
    it."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            yield out
    finally:
        print(out.getvalue(), end="")


@contextlib.contextmanager
def surroundings(folder: Path) -> Iterator[Path]:
    """A reader's: ``folder / "cable_sim"`` as the current folder, the project on the paths, a ROS
    domain, no screen."""
    checkout = folder / "cable_sim"
    checkout.mkdir()
    kept = Path.cwd(), dict(os.environ), list(sys.path), set(sys.modules)
    for name, path in (("PATH", Path(sys.executable).parent), ("PYTHONPATH", ROOT)):
        os.environ[name] = os.pathsep.join(filter(None, [str(path), os.environ.get(name, "")]))
    os.environ |= {"COLUMNS": "120", "MPLBACKEND": "Agg", "PYTHONUNBUFFERED": "1"}
    if importlib.util.find_spec("rclpy"):
        from cable_sim.ros.launch.processes import free_domain, isolated_environment

        os.environ |= isolated_environment(free_domain())
    sys.path.insert(
        0, ""
    )  # as in Python that is typed into: modules of the current folder are found
    os.chdir(checkout)
    try:
        yield checkout
    finally:
        os.chdir(kept[0])
        os.environ.clear()
        os.environ.update(kept[1])
        sys.path[:] = kept[2]
        for name in set(sys.modules) - kept[3]:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]


def follow(page: Path, folder: Path, shell: bool = True) -> list[str]:
    """Follow a page from its beginning to its end; ``shell=False`` leaves its commands out. What
    was missing."""
    with surroundings(folder) as checkout:
        reader = Reader(checkout, shell)
        try:
            for block in blocks_of(page):
                reader.follow(block)
        except BaseException:
            with contextlib.suppress(NotShown):  # the first thing that went wrong counts
                reader.close()
            raise
        reader.close()
    return reader.missing


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as temporary:
            print(*follow(Path(name).resolve(), Path(temporary)), sep="\n")
