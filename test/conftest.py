"""For all tests: linear algebra on one thread, and which tests `make test` puts into the same
process.

`make test` divides the tests between two processes (pytest-xdist). A file stays together, because
its tests share fixtures and results. Everything that goes by the clock, on the wire or in a
browser, is one group: real nodes then have one other process beside them, never each other.
"""

import gc
import os
from pathlib import Path
from typing import Any

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
    "kernels/test_adapt",
    "architecture/",
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
"""Long ones, so that no process is alone with one at the end.

When kernels have changed, the first compiles the step of cranes and the second that of everything;
the other process has what needs none meanwhile, and nothing that goes by the clock.
"""

NEEDS_STEP = ("kernels/test_edge_growth", "kernels/test_giving", "kernels/test_jacobians")
"""Files that need the step of everything, which would be compiled twice."""


WITHOUT_A_NODE = ("own_cable_model", "examples", "cluster_sweep")
"""Tutorials that need not wait for the clock."""


def group(name: str) -> str:
    """Return the group of a test of that name; a group stays in one process and in order."""
    file = name.partition("::")[0].removesuffix(".py").removeprefix(f"{ROOT.name}/")
    if file == "test_tutorials" and name.endswith(
        tuple(f"[{tutorial}]" for tutorial in WITHOUT_A_NODE)
    ):
        return f"{file} without a node"
    return CLOCK if file.startswith(GOES_BY_THE_CLOCK) else file


def place(name: str) -> int:
    """Return the place of a test's group in the order in which groups are taken."""
    of = group(name)
    if of.startswith(NEEDS_STEP):
        return FIRST.index("papers/")
    return next((i for i, start in enumerate(FIRST) if of.startswith(start)), len(FIRST))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the tests where they are divided."""
    if hasattr(config, "workerinput"):  # a process of xdist
        items.sort(key=lambda item: place(item.nodeid))


def pytest_collection_finish() -> None:
    """Leave what is loaded by now out of Python's search for garbage.

    That is half a million objects, which stay to the end, and a sixth of the time of some tests.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what divides the tests by group.

    The groups of ``--dist loadgroup`` would be parts of the tests' names, of which neither ``--lf``
    nor a command line without xdist knows anything.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        """Takes a test's group for its scope."""

        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    return Groups(config, log)
