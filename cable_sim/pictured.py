"""Methods that draw: the one way in which a lower floor asks for something of a higher one.

A scene is to be looked at where it is written, and a simulator where it runs. Neither may import
what draws, so both ask the public names of the package, at the time of the call. Nothing is loaded
before.
"""

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Protocol


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

    def picture(self, **look: Any) -> PictureFile:
        """Return a picture, drawn without a browser: :func:`cable_sim.picture` has the options."""
        picture: PictureFile = import_module("cable_sim").picture(self, **look)
        return picture

    def _repr_png_(self) -> bytes:
        """Return the picture that a notebook shows."""
        return self.picture().png()


class Filmed(Pictured):
    """A simulator or machine, which can be filmed as well."""

    def film(self, path: "str | PathLike[str]" = "film.webp", **look: Any) -> FilmFile:
        """Run on and write a film of it: :func:`cable_sim.film` has the options."""
        film: FilmFile = import_module("cable_sim").film(self, path, **look)
        return film
