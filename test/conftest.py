"""For all tests: linear algebra on one thread, and which tests `make test` puts into the same
process.

`make test` divides the tests between two processes (pytest-xdist). A file stays together, because
its tests share fixtures and results. Everything that goes by the clock, on the wire or in a
browser, is one group: real nodes then have one other process beside them, never each other.
"""

import os
from pathlib import Path

import pytest

# Before numpy is loaded. Matrices are small here, and threads of OpenBLAS that wait for one another
# while something else runs take a hundred times as long as one: 1.7 s instead of 12 ms for the
# eigenvalues of 158 x 158.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).parent
CLOCK = "clock"
GOES_BY_THE_CLOCK = (
    "ros/",
    "viewer/test_viewer_browser",
    "viewer/test_viewer_local",
    "viewer/test_viewer_page",
    "test_cli",
    "test_tutorial",
)
FIRST = (
    "acceptance/test_block_twist",
    "test_kernel_cache",
    "kernels/",
    CLOCK,
    "papers/",
    "acceptance/",
    "sim/test_contacts",
    "sim/",
    "test_examples",
    "test_tutorials",
)
"""Long ones, so that no process is alone with one at the end. The first compiles the step when
kernels have changed; the other process has what needs none meanwhile, and nothing that goes by the
clock."""


WITHOUT_A_NODE = ("own_cable_model", "examples", "cluster_sweep")
"""Tutorials that need not wait for the clock."""


def group(item: pytest.Item) -> str:
    """Tests with the same one stay in one process and in order."""
    path = item.path.relative_to(ROOT).with_suffix("").as_posix()
    if path == "test_tutorials" and item.name.endswith(
        tuple(f"[{name}]" for name in WITHOUT_A_NODE)
    ):
        return f"{path} without a node"
    return CLOCK if path.startswith(GOES_BY_THE_CLOCK) else path


def place(item: pytest.Item) -> int:
    """In which order the groups are taken."""
    name = group(item)
    return next((i for i, start in enumerate(FIRST) if name.startswith(start)), len(FIRST))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order and group the tests where they are divided."""
    if not getattr(config.option, "loadgroup", False):  # what xdist tells its workers
        return
    items.sort(key=place)
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group(item)))
