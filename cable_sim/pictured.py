"""Methods that draw: the one way in which a lower floor asks for something of a higher one.

A scene is to be looked at where it is written, and a simulator where it runs. Neither may import
what draws, so both ask the public names of the package, at the time of the call. Nothing is loaded
before.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Protocol

Angles = tuple[float, float]
MOST = 8
"""Largest number of names in a line."""


def listed(names: Iterable[str]) -> str:
    """Return names in a line; of many the first ones, and how many more there are."""
    found = tuple(names)
    more = len(found) - MOST
    return ", ".join(found[:MOST]) + (f" and {more} more" if more > 0 else "")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in HTML, its numbers with six digits."""
    lines = [heads, *([_cell(value) for value in row] for row in rows)]
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in line) for line in lines)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in cells)}</table>"


def _cell(value: object) -> str:
    """Return the text of a value."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class PictureFile(Protocol):
    """A picture, as :class:`cable_sim.rendering.pictures.Picture` is one."""

    def png(self) -> bytes:
        """Return the picture as a PNG file."""

    def save(self, path: "str | PathLike[str]") -> Path:
        """Write the picture to a file; its ending tells the format."""


class FilmFile(Protocol):
    """A film, as :class:`cable_sim.rendering.pictures.Film` is one."""

    @property
    def path(self) -> Path:
        """File of the film."""


class Pictured:
    """A scene, crane, simulator or machine that can be drawn in its present state."""

    def picture(
        self, width: int = 800, height: int = 500, look: Angles | None = None
    ) -> PictureFile:
        """Return a picture of ``width`` and ``height`` [pixels], drawn without a browser.

        ``cable_sim.picture`` has the options.
        """
        picture: PictureFile = import_module("cable_sim").picture(self, width, height, look)
        return picture

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the words of ``repr``, and the picture."""
        data = b64encode(self.picture().png()).decode("ascii")
        return f'<pre>{escape(repr(self))}</pre><img src="data:image/png;base64,{data}">'


class Filmed(Pictured):
    """A simulator or machine, which can be filmed as well."""

    def film(
        self,
        path: "str | PathLike[str]" = "film.webp",
        seconds: float = 10.0,
        speed: float = 1.0,
        rate: float = 15.0,
        width: int = 640,
        height: int = 400,
        look: Angles | None = None,
    ) -> FilmFile:
        """Run on for some ``seconds`` [s] and write a film of it.

        ``rate`` is that of its pictures [1/s], ``speed`` the simulated over the film's time [-],
        ``width`` and ``height`` are in pixels. ``cable_sim.film`` has the options.
        """
        options = (seconds, speed, rate, width, height, look)
        film: FilmFile = import_module("cable_sim").film(self, path, *options)
        return film
