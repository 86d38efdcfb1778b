"""The bars of the proof page: every ratio of the summary on a logarithmic scale."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.contest import ENGINES, OURS, Outcome, Ratio

SAME = 1e-6
"""From 1: the ratio of errors of those that have the arithmetic of ours, which needs no bar."""
COLORS = dict(zip(ENGINES, ("black", "#4477aa", "#cc6677", "#228833", "#ccbb44"), strict=True))
HEIGHT = 0.12
SMALL = 7
"""Of a bar [inches], and of the letters [points]."""


def draw(outcomes: Sequence[Outcome], path: Path) -> bool:
    """Write the picture; nothing if there is no ratio. Whether there is one."""
    import matplotlib
    from matplotlib.figure import Figure

    groups = _groups(outcomes)
    bars = sum(len(ratios) for ratios in groups.values())
    if not bars:
        return False
    figure = Figure(figsize=(7.5, 1.0 + HEIGHT * (bars + len(groups))), layout="constrained")
    axes = figure.subplots()
    y = 0.0
    ticks = {}
    for label, ratios in groups.items():
        ticks[y + 0.5 * (len(ratios) - 1)] = label
        for ratio in ratios:
            spread = [[ratio.middle - ratio.low], [ratio.high - ratio.middle]]
            axes.barh(
                y,
                ratio.middle - 1.0,
                left=1.0,
                color=COLORS[ratio.engine],
                height=0.9,
                xerr=spread,
                error_kw={"elinewidth": 0.8},
                label=ratio.engine,
            )
            y += 1.0
        y += 1.0
    axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_yticks(list(ticks), list(ticks.values()), fontsize=SMALL)
    axes.set_ylim(-1.0, y - 1.0)
    axes.invert_yaxis()
    axes.set_xlabel("over that of cable_sim; left of 1 the peer is better", fontsize=SMALL)
    axes.tick_params(axis="x", labelsize=SMALL)
    shown = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(
        [shown[name] for name in ENGINES if name in shown],
        [name for name in ENGINES if name in shown],
        loc="outside upper center",
        ncols=len(shown),
        frameon=False,
        fontsize=SMALL,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "proof"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    return True


def _groups(outcomes: Sequence[Outcome]) -> dict[str, list[Ratio]]:
    """Ratios of each comparison and each thing that is compared, by their label."""
    groups: dict[str, list[Ratio]] = {}
    for outcome in outcomes:
        for ratio in outcome.ratios:
            if ratio.engine != OURS and abs(ratio.middle - 1.0) > SAME:
                groups.setdefault(f"{outcome.comparison.title}: {ratio.what}", []).append(ratio)
    return groups
