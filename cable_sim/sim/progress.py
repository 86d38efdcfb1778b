"""Progress bars for what tells how far it is, such as a batch that is built or runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


def terminal_progress(
    *columns: Any, console: "Console | None" = None, **settings: Any
) -> "Progress":
    """Return bars of rich on the terminal that vanish at their end; without a terminal, none."""
    from rich import console as consoles  # takes a tenth of a second, and many never need it
    from rich import progress

    shown = console or consoles.Console(stderr=True)
    return progress.Progress(
        *columns, console=shown, transient=True, disable=not shown.is_terminal, **settings
    )


@contextmanager
def progress_bar(
    text: str, console: "Console | None" = None
) -> Iterator[Callable[[int, int], None]]:
    """Show a bar behind a text while the body runs; yield a function of (done, total) to move it.

        with progress_bar("worlds") as progress:
            batch = BatchSimulator(scene, 1000, progress=progress)

    It shows on the standard error, or on another ``console`` of rich, if that is a terminal.
    """
    from rich import progress

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
    )
    with terminal_progress(*columns, console=console) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
