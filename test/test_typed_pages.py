"""Pages and examples as type checkers read them: which programs are on a page, and their errors."""

import importlib.util
from pathlib import Path

import pytest
from docs_blocks import ROOT

from tools.typed_pages import find_errors, main, pages, programs_of

PAGE = """\
Text.

```python
from cable_sim import Body
```

```python
# law.py
def law(time: float) -> float:
    return time
```

```python
from law import law
law("now")
Body("load", mass="heavy")
```

<!-- test: sources -->
```python
wrong +
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_blocks_of_a_page_are_one_program(page: Path) -> None:
    """Lines keep their numbers, a file is a program of its own, changed sources are none."""
    programs = dict(programs_of(page))
    assert [*programs] == ["law.py", "page.py"]
    lines, shown = programs["page.py"].splitlines(), PAGE.splitlines()
    kept = {i: line for i, line in enumerate(lines) if line}
    assert kept == {i: shown[i] for i in (3, 13, 14, 15)}
    assert programs["law.py"].splitlines()[8] == "def law(time: float) -> float:"


def test_readme_tutorials_and_examples_are_read() -> None:
    found = {str(path.relative_to(ROOT)) for path in pages()}
    assert {"README.md", "docs/index.md", "docs/tutorials/controller.md"} <= found


def test_wrong_calls_are_found_at_their_lines(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyright", reason="pyright is not installed (extra `lint`)")
    found = find_errors({page: [*programs_of(page)]}, tmp_path / "programs")
    assert [line.splitlines()[0].split(": ")[0] for line in found] == [f"{page}:15", f"{page}:16"]


@pytest.mark.skipif(not importlib.util.find_spec("pyright"), reason="pyright is not installed")
def test_pages_and_examples_have_no_type_errors(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main()
    assert capsys.readouterr().out == "" and ended.value.code == 0
