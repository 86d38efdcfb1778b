"""Models in and out: cranes and scenes for the tools of others, and theirs for ours."""

from typing import TYPE_CHECKING

from cable_sim.lazy_names import load_lazily

if TYPE_CHECKING:  # for editors and type checkers
    from cable_sim.interchange.fmi.export import export_fmu as export_fmu

__all__ = ["export_fmu"]
__getattr__ = load_lazily(__name__, {"export_fmu": "cable_sim.interchange.fmi.export"})
