"""Check the types of what users copy: ``python -m tools.typed_pages``.

Pyright reads the Python blocks of README, documentation and examples as their readers' editors do.
The blocks of one page are one program, and its lines keep their numbers, so that an error names a
line of the page. Blocks that change the sources of the package, and what follows on their page, are
left out.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "build" / "typed_pages"
ABSENT = re.compile(
    r'Import "(?!cable_sim(?!\.msg))\S+" could not be resolved'
    r'|"\w+" is not exported from module "cable_sim\.msg"'
    r'|"\w+" is not a known attribute of module "mujoco"'
)
"""Complaint about messages, which are made where ROS is and declare no exports, and about packages
of others that are not installed, or have compiled modules without types."""
CONFIGURATION = {
    "extraPaths": [str(ROOT), str(ROOT / "test" / "cranes")],
    "typeCheckingMode": "standard",
    "reportMissingModuleSource": False,
    "reportRedeclaration": False,  # a page may define its controller again
}

sys.path.insert(0, str(ROOT / "test"))
from docs_blocks import blocks_of  # noqa: E402  # the reader of the tests


def pages() -> list[Path]:
    """Return the pages whose blocks are checked."""
    folders = (ROOT / "docs", ROOT / "examples")
    return [ROOT / "README.md", *(page for folder in folders for page in folder.rglob("*.md"))]


def programs_of(page: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of each program on a page: the page's own, and files that it saves."""
    lines: list[str] = []
    for block in blocks_of(page):
        if "sources" in block.marks:
            break
        if block.file.endswith(".py"):
            yield block.file, "\n" * block.line + block.text
        elif block.language == "python":
            lines += [""] * (block.line - len(lines)) + block.text.splitlines()
    if lines:
        yield "page.py", "\n".join(lines) + "\n"


def write_programs(texts: dict[Path, list[tuple[str, str]]], folder: Path) -> dict[Path, Path]:
    """Write the programs of sources, each into a folder of its own; return sources by program."""
    shutil.rmtree(folder, ignore_errors=True)
    written = {}
    for number, (source, programs) in enumerate(texts.items()):
        for name, text in programs:
            path = folder / str(number) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            written[path] = source
    return written


def find_errors(texts: dict[Path, list[tuple[str, str]]], folder: Path) -> list[str]:
    """Return place and text of each error that pyright finds in programs, by their sources."""
    written = write_programs(texts, folder)
    roots = [{"root": str(own)} for own in sorted(folder.iterdir())]
    project = folder / "pyrightconfig.json"
    project.write_text(json.dumps(CONFIGURATION | {"executionEnvironments": roots}))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    found = subprocess.run([*command, "-p", str(project)], capture_output=True, text=True)
    if not found.stdout.startswith("{"):
        raise SystemExit(f"pyright: {found.stdout}{found.stderr}")
    answer = json.loads(found.stdout)
    if answer["summary"]["filesAnalyzed"] < len(written):
        raise SystemExit(f"pyright read {answer['summary']['filesAnalyzed']} of {len(written)}")
    return [
        f"{written[Path(one['file'])]}:{one['range']['start']['line'] + 1}: {one['message']}"
        for one in answer["generalDiagnostics"]
        if one["severity"] == "error" and not ABSENT.match(one["message"])
    ]


def main() -> None:
    """Print all errors; exit status 1 if there are any."""
    texts = {page: [*programs_of(page)] for page in pages()}
    examples = (ROOT / "examples").rglob("*.py")
    texts |= {path: [(path.name, path.read_text(encoding="utf-8"))] for path in examples}
    errors = find_errors(texts, PROGRAMS)
    print("\n".join(errors), end="\n" if errors else "")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
