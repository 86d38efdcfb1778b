"""What the documentation makes of docstrings and signatures. Needs no Sphinx: what is tested is
plain text."""

import importlib.util
from pathlib import Path
from types import ModuleType

from cable_sim.cranes.parts.devices import Limiter, Quantity, Sensor
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Body
from cable_sim.spec.wind import Gust

EXTENSIONS = Path(__file__).parents[1] / "docs" / "extensions"


def extension(name: str) -> ModuleType:
    """An extension, which is in no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", EXTENSIONS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DOCSTRING = """\
Does.

Parameters
----------
lower, upper: of p* [m];
    |F v| too.
name: see there.

Raises it."""
LISTED = """\
Does.


:Parameters:

    ``lower``, ``upper``
        of p\\* [m];
        \\|F v\\| too.
    ``name``
        see there.


Raises it."""
WITH_FORMULA = ["With w = 1,", "", "    a* = |b|,", "", "    c_ = d", "", "so it is."]
WITH_BLOCK = [*WITH_FORMULA[:2], ".. code-block:: none", "", *WITH_FORMULA[2:6], "", "so it is."]


def test_parameters_become_a_list() -> None:
    assert "\n".join(extension("docstrings").convert(DOCSTRING.splitlines())) == LISTED


def test_indented_lines_become_blocks_as_they_are() -> None:
    assert extension("docstrings").convert(WITH_FORMULA) == WITH_BLOCK


def test_code_roles_and_emphasis_stay() -> None:
    protected = extension("docstrings").protected
    for kept in (
        "``a*b_``",
        ":class:`~cable_sim.spec.Body`",
        "*Times.* One",
        "**both**",
        "snake_case",
    ):
        assert protected(kept) == kept
    assert protected("p* and q_ of |x|, *but* ``p*``") == "p\\* and q\\_ of \\|x\\|, *but* ``p*``"


def test_signatures_are_those_of_the_source() -> None:
    told = extension("signatures").signature_of
    signature, result = told(Gust)
    assert signature.startswith("(peak: NonNegative, base: NonNegative=0.0, start: Real=0.0")
    assert "kind" not in signature, "it has one value only"
    assert "shape: Solid | None=None" in told(Body)[0]
    assert (
        "stop: Literal[0, 1] | None=None" in told(Limiter)[0]
        and "noise: NonNegative=0.0" in told(Sensor)[0]
    )
    assert "kind: Literal['sum', 'magnitude'," in told(Quantity)[0]
    assert told(Simulator.step) == ("(count: int=1)", "~cable_sim.sim.observation.Report")
    assert told(Simulator)[0].startswith("(scene: ~cable_sim.spec.scene.Scene, dt: float=0.001")
    assert result is None and told(len) is None


def test_pages_elsewhere_are_handed_out_as_files(tmp_path: Path) -> None:
    (tmp_path / "rviz").mkdir()
    text = "[a](../../README.md#more) [b](../c.md#d) [e](../../f.py) [g](h.md) [`i/`](../../rviz)"
    told = extension("outside").handed_out(
        text, tmp_path / "docs" / "howto" / "a.md", tmp_path / "docs"
    )
    assert told == "[a](path:../../README.md) [b](../c.md#d) [e](../../f.py) [g](h.md) `i/`"
