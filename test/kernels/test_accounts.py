"""The account of a strand: what comes back of what an update of its contact nodes would give."""

import pytest

from cable_sim.kernels.cables.contact import path_accounts
from cable_sim.kernels.jit import kernel


@kernel
def owed(before, longer, gained, tension):
    """The account after an update."""
    return path_accounts.update_path_offset(before, longer, gained, tension)


@pytest.mark.parametrize("longer", [-2e-2, -1e-4, 0.0, 3e-3])
@pytest.mark.parametrize("before", [0.0, 1e-3, 0.5])
def test_without_a_mass_the_strained_path_never_grows(before: float, longer: float) -> None:
    after = owed(before, longer, 0.0, 0.0)
    assert after >= 0.0
    assert longer - (after - before) <= 1e-15
    assert after == pytest.approx(max(0.0, before + longer))


@pytest.mark.parametrize("gained", [-500.0, -20.0, -1.0, 1.0, 30.0])
@pytest.mark.parametrize("longer", [-2e-2, -1e-3, 1e-3, 4e-3])
@pytest.mark.parametrize("before", [0.0, 1e-3, 0.5])
def test_an_update_gives_what_the_rope_itself_lost(
    before: float, longer: float, gained: float
) -> None:
    """T (dS - dE) + dA is not above zero; where dA is, and the path is of no help, not above dA."""
    tension = 20e3
    taken = owed(before, longer, gained, tension) - before
    assert min(longer, 0.0) - 1e-12 <= taken <= max(longer, 0.0) + 1e-12
    assert tension * (longer - taken) + gained <= max(0.0, gained) + 1e-6


@pytest.mark.parametrize("gained", [-5.0, 5.0])
def test_a_slack_rope_gets_no_length_for_its_weight(gained: float) -> None:
    assert owed(1e-3, 0.02, gained, 0.0) == 1e-3
