"""Units and descriptions of the columns of a sweep's results, for files and pages."""

from cable_sim.control.metrics import AxisMetrics, Definition, definitions

AXIS = "axis."
"""Prefix of the column of a matrix' axis."""
_OWN = {
    "run": ("", "digest of all that determines the run"),
    "case": ("", "name in the matrix"),
    "seed": ("", "of sensors' noise and turbulence; null as the files have it"),
    "status": ("", "done or failed"),
    "error": ("", "class of the error of a failed run"),
    "reason": ("", "why it failed"),
    "simulated": ("s", "simulated time that it got to"),
    "wall": ("s", "time that it took on the wall"),
    "worker": ("", "host and process that did it"),
    "finished": ("", "when it ended, UTC"),
}


def definition(column: str) -> Definition:
    """Return unit and description of a column; both are empty for an unknown metric."""
    if column in _OWN:
        return Definition(*_OWN[column])
    if column.startswith(AXIS):
        return Definition("", f"variant of {column.removeprefix(AXIS)}")
    axis, dot, name = column.rpartition(".")
    found = definitions(AxisMetrics).get(name) if dot else definitions().get(column)
    if found is None:
        return Definition("", "")
    return found._replace(words=f"{axis}: {found.words}") if dot else found


def column_metadata(column: str) -> dict[str, str]:
    """Return unit and description of a column as a field's metadata."""
    unit, words = definition(column)
    return {"unit": unit, "description": words}
