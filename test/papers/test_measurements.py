"""Experiments beside published measurements: none vanishes, none is missed, and theory agrees."""

import math
import re
from functools import cache

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import fsolve
from shown import assert_shown

from cable_sim import Simulator
from validation.harness import Measurement, Study
from validation.harness.catalogue import load_study, paper_module, paper_names
from validation.harness.study import Outcome, findings, run_study
from validation.measurements import DOCS, EXPERIMENTS, FIGURES, PAGE, figure_name, page

VALUES = {
    "nelson_olsson_1986": (1, 14),
    "kaheman_2022": (3, 4, 4),
    "kaheman_2022_three_arms": (3, 3),
    "schimmel_2021": (8, 8),
    "lindahl_1984": (4, 4),
    "volery_highlines": (3, 3),
    "cheung_2022": (7, 5),
    "napitupulu_2024": (1, 12),
    "ali_strings": (5, 4, 5, 2),
    "wire_rope_users_manual": (4, 3),
    "delaney_2022": (4, 6),
    "oliveira_correia_2021": (9,),
    "en_13001_2": (4,),
}
"""Numbers of findings, part by part."""
UNCLAIMED = {
    "schimmel_2021": 8,
    "lindahl_1984": 4,
    "volery_highlines": 6,
    "napitupulu_2024": 12,
    "ali_strings": 3,
    "wire_rope_users_manual": 2,
    "delaney_2022": 9,
}
"""Numbers of measurements without a claim."""
G = 9.81


@cache
def outcomes(name: str) -> tuple[Study, list[Outcome]]:
    """Study and its outcomes, run once for all tests."""
    study = load_study(name)
    return study, run_study(study)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_value_vanishes_and_none_is_missed(name):
    _, found = outcomes(name)
    assert tuple(len(outcome.result.findings) for outcome in found) == VALUES[name]
    assert [finding.name for finding in findings(found) if finding.verdict == "missed"] == []
    unclaimed = [f for f in findings(found) if isinstance(f, Measurement) and f.within is None]
    assert len(unclaimed) == UNCLAIMED.get(name, 0)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_figures_show_what_they_draw(name):
    study, found = outcomes(name)
    pictures = [picture for outcome in found for picture in outcome.result.pictures]
    assert len(pictures) == 1
    assert_shown(pictures[0].draw(), name)
    assert (DOCS / FIGURES / figure_name(study, pictures[0].name)).stat().st_size < 100_000


def test_page_is_that_of_the_studies():
    """Words are the same, and numbers to 1 %; small deviations differ between processors."""
    made = page(*zip(*(outcomes(name) for name in EXPERIMENTS), strict=True))
    shown = (DOCS / PAGE).read_text(encoding="utf-8")
    number = re.compile(r"[-+]?\d+\.\d+")
    assert number.sub("#", made) == number.sub("#", shown)
    ours, theirs = (np.array(number.findall(text), dtype=float) for text in (made, shown))
    np.testing.assert_allclose(ours, theirs, rtol=0.01, atol=0.02)


def test_page_has_every_paper_with_measurements():
    """A folder whose sources name ``Measurement`` is on the page."""
    folders = {name: load_study(name).folder for name in paper_names()}
    named = {
        name
        for name, folder in folders.items()
        if any("Measurement(" in path.read_text("utf-8") for path in folder.glob("*.py"))
    }
    assert named <= set(EXPERIMENTS) and len(named) == 11


def test_one_rope_against_the_series_of_its_amplitude():
    """Of a point on a string; the ball's own inertia is worth r^2 / 5 L^2 = 2e-5."""
    swing = paper_module("nelson_olsson_1986", "swing")
    ours = swing.measured_period(swing.WIRE, swing.BALL, swing.RADIUS, 3.0)
    series = 1.0 + math.radians(3.0) ** 2 / 16.0
    assert ours == pytest.approx(2.0 * math.pi * math.sqrt(swing.WIRE / G) * series, rel=5e-5)


def test_two_threads_against_small_angles():
    """T = 2 pi sqrt(l I / m g b^2), b half the distance of the threads."""
    skew = paper_module("cheung_2022", "skew")
    inertia = skew.ROD**2 / 12.0 + skew.RADIUS**2 / 4.0
    length = 0.734 + skew.ACCESS
    theory = 2.0 * math.pi * math.sqrt(length * inertia / (G * (0.5 * skew.APART) ** 2))
    assert skew.period(0.734, 0.02) == pytest.approx(theory, rel=2e-4)


def test_two_arms_against_their_two_equations():
    """Lagrange's, for small angles."""
    hook = paper_module("kaheman_2022", "hook")
    (m, n), (a, b), long = hook.MASSES, hook.CENTRES, hook.BETWEEN
    first, second = hook.INERTIAS
    mass = [[first + m * a**2 + n * long**2, n * long * b], [n * long * b, second + n * b**2]]
    stiffness = np.diag([(m * a + n * long) * hook.GRAVITY, n * b * hook.GRAVITY])
    theory = np.sqrt(eigh(stiffness, mass, eigvals_only=True)) / (2.0 * math.pi)
    _, found = outcomes("kaheman_2022")
    ours = [finding.ours for finding in found[0].result.findings[:2]]
    np.testing.assert_allclose(ours, theory, rtol=1e-5)


def test_strings_against_masses_on_a_string():
    """Frequencies of n masses between fixed ends, sin(k pi / 2 (n + 1)) (Lagrange)."""
    strings = paper_module("ali_strings", "strings")
    ours = np.array(strings.frequencies(strings.SPAN, strings.LIGHT, strings.VIOLET)[:5])
    pull = strings.LIGHT * 9.80665
    base = math.sqrt(pull / strings.VIOLET) / (2.0 * strings.SPAN)
    orders = np.arange(1, 6)
    np.testing.assert_allclose(ours, orders * base, rtol=8e-3)
    fall = ours / (orders * ours[0])
    cells = strings.MASSES - 1
    lagrange = np.sin(0.5 * np.pi * orders / cells) / np.sin(0.5 * np.pi / cells) / orders
    np.testing.assert_allclose(fall, lagrange, rtol=2e-3)


@pytest.mark.parametrize(("falls", "leads"), [(4, 1), (4, 3), (3, 0)])
def test_tackles_against_geometric_series(falls, leads):
    """The winch pulls E^-leads over E^-1 + ... + E^-n times the load."""
    tackles = paper_module("wire_rope_users_manual", "tackles")
    e = tackles.PLAIN
    theory = sum(e**k for k in range(falls)) * e**leads
    assert tackles.pull(falls, e, leads) == pytest.approx(1.0 / theory, rel=2e-3)


def test_lifted_load_against_a_rigid_drum():
    """Below 1 + v sqrt(k / m) / g with the rope's stiffness alone, and above half of its bounce."""
    lifting = paper_module("en_13001_2", "lifting")
    speed = lifting.SPEEDS[1]
    ideal = speed * math.sqrt(2.74e5 / (lifting.LOAD + 350.0)) / G
    assert 0.5 * ideal < lifting.lift("rigid", speed) - 1.0 < ideal


def test_a_stepped_pendulum_against_the_transform_of_its_step():
    """w^2 / g A y / sinh y with y = pi w / k, of a logistic step; two halves by cos(w t / 2)."""
    cart = paper_module("schimmel_2021", "cart")
    arm = cart.crane(0.3875, cart.AT_ONCE).bodies[1]
    down = -arm.position[2]
    turn = math.sqrt(arm.mass * G * down / (arm.inertia[0] + arm.mass * down**2))
    size = cart.SCALE / cart.RATE**2
    y = math.pi * turn / cart.RATE
    theory = math.degrees(turn**2 / G * size * y / math.sinh(y))
    assert cart.residual(0.3875, cart.AT_ONCE) == pytest.approx(theory, rel=5e-3)
    apart = (cart.SHAPED[1][1] - cart.SHAPED[0][1]) / cart.RATE
    halves = theory * abs(math.cos(0.5 * turn * apart))
    assert cart.residual(0.3875, cart.SHAPED) == pytest.approx(halves, rel=1e-2)


def test_three_arms_against_their_three_equations():
    """Lagrange's, for small angles; damping, which they leave out, is worth 2e-5."""
    arms = paper_module("kaheman_2022_three_arms", "arms")
    lever = np.diag(arms.CENTRES)
    lever[1:, 0], lever[2, 1] = arms.BETWEEN[0], arms.BETWEEN[1]
    mass = lever.T @ np.diag(arms.MASSES) @ lever + np.diag(arms.INERTIAS)
    stiffness = np.diag(arms.GRAVITY * (np.array(arms.MASSES) @ lever))
    theory = np.sqrt(eigh(stiffness, mass, eigvals_only=True)) / (2.0 * math.pi)
    _, found = outcomes("kaheman_2022_three_arms")
    ours = [finding.ours for finding in found[0].result.findings]
    np.testing.assert_allclose(ours, theory, rtol=5e-5)


def test_a_line_with_a_person_against_two_springs():
    """2 T sin = m g of two springs, and the growth of that force with the sag."""
    line = paper_module("volery_highlines", "line")
    for one in line.LINES:
        stiffness, half = 1e4 / one.stretch, 0.5 * one.span
        slack = half / (1.0 + one.before / stiffness)

        def force(sag, half=half, slack=slack, stiffness=stiffness):
            return (
                2.0
                * stiffness
                * (math.hypot(half, sag) / slack - 1.0)
                * sag
                / math.hypot(half, sag)
            )

        pull, sag, frequency = line.stands(one)
        assert force(sag) == pytest.approx(line.PERSON * G, rel=1e-4)
        assert pull == pytest.approx(stiffness * (math.hypot(half, sag) / slack - 1.0), rel=1e-4)
        growth = (force(sag + 1e-4) - force(sag - 1e-4)) / 2e-4
        theory = math.sqrt(growth / line.PERSON) / (2.0 * math.pi)
        assert frequency == pytest.approx(theory, rel=3e-3)


def test_a_chain_at_rest_against_the_catenary_on_a_floor():
    """Elastic catenary of a lifted length s under H, beside the floor, where H stretches the rest.

    It spans (H / w) asinh(s w / H) + H s / EA, and rises by (H / w) (sqrt(1 + (s w / H)^2) - 1)
    + w s^2 / 2 EA.
    """
    chain = paper_module("lindahl_1984", "chain")
    weight = chain.DENSITY * chain.GRAVITY * (1.0 - chain.WATER / chain.STEEL)

    def missing(unknown):
        level, lifted = unknown
        steep = lifted * weight / level
        span = level / weight * math.asinh(steep) + level * lifted / chain.EA
        rise = level / weight * (math.hypot(1.0, steep) - 1.0) + weight * lifted**2 / 2.0 / chain.EA
        laid = (chain.LENGTH - lifted) * (1.0 + level / chain.EA)
        return laid + span - chain.TOP[0], rise - chain.TOP[2]

    level, lifted = fsolve(missing, (20.0, 15.0))
    seen = Simulator(chain.tank(chain.SLOW), dt=chain.H).observe()
    theory = math.hypot(level, weight * lifted)
    assert seen.cable("chain").span_tension[-1] == pytest.approx(theory, rel=0.01)
