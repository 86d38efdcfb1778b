"""The rows that keep light bodies calm and spans open: their entries against differences, and how
small z^2 gets."""

import numpy as np
import pytest

from cable_sim.kernels import step
from cable_sim.kernels.cables.massless.transverse import (
    ACROSS,
    AT_END,
    AT_START,
    CALM,
    SHARE,
    unit_normals,
)
from cable_sim.kernels.multibody.rotation import compose, exp
from cable_sim.kernels.records.arrays import copy_record
from cable_sim.model.cables.variants import run
from cable_sim.model.compile import compile_scene, workspace
from cable_sim.model.damping import dense_jacobian
from cable_sim.spec import Anchor, Body, Box, Cable, Eye, Scene

STEP, H, TENSION = 1e-6, 0.05, 1e6
BEAD = Body("bead", 1.0, shape=Box(0.4, 0.3, 0.2), position=(0.1, 0.2, -5.0))
LOAD = Body("load", 1e5, shape=Box(3.0, 3.0, 3.0), position=(0.0, 0.0, -11.5))
SCENE = Scene(
    bodies=[BEAD, LOAD],
    cables=[
        Cable(
            "rope",
            [Anchor("world"), Eye("bead", (0.1, 0.0, 0.1)), Anchor("load", (0.0, 0.1, 1.5))],
            ea=1e8,
            pretension=TENSION,
        )
    ],
)


def filled(scene=SCENE, turn=(0.0, 0.0, 0.0)):
    model, _, state, control = compile_scene(scene, dt=H)
    work = workspace(model)
    state.bodies.orientation[1] = compose(exp(turn), tuple(state.bodies.orientation[1]))
    fill(model, state, control, work)
    return model, state, control, work


def fill(model, state, control, work) -> None:
    run(model, state, control, work, H, step.LOOK)


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.7, -0.4, 1.1)])
def test_entries_are_the_derivative_of_the_motion_across_a_span(turn) -> None:
    model, state, control, work = filled(turn=turn)
    jacobian = dense_jacobian(model, work).reshape(model.rows.kind.size, -1, 6)
    for k in range(2):
        across = np.array(unit_normals(tuple(work.spans.direction[k])))
        row = model.spans.inertia_row[k, ACROSS]
        for b, i in np.ndindex(2, 6):
            ends = []
            for sign in (1.0, -1.0):
                moved = copy_record(state)
                by = np.zeros(6)
                by[i] = sign * STEP
                bodies = moved.bodies
                bodies.position[b + 1] += by[:3]
                bodies.orientation[b + 1] = compose(
                    exp(tuple(by[3:])), tuple(bodies.orientation[b + 1])
                )
                fill(model, moved, control, work)
                ends.append(across @ (work.nodes.position[k + 1] - work.nodes.position[k]))
            difference = (ends[0] - ends[1]) / (2.0 * STEP)
            np.testing.assert_allclose(jacobian[row : row + 2, b + 1, i], difference, atol=5e-8)


def test_the_springs_are_second_derivatives_of_the_length() -> None:
    """K across a span is T / l, at an arm T r.f where that is positive: twice differentiated
    lengths say the same."""
    model, state, control, work = filled()
    rows, length = model.spans.inertia_row, work.spans.length
    taking_part = (rows >= 0) & work.rows.active[rows]
    springs = np.divide(
        1.0 / (SHARE * H), work.rows.compliance[rows], where=taking_part, out=np.zeros(rows.shape)
    )
    np.testing.assert_allclose(springs[:2, ACROSS], TENSION / length[:2], rtol=1e-9)
    pull_up, pull_down = -work.spans.direction[0], work.spans.direction[1]
    arm = np.array([0.1, 0.0, 0.1])
    assert springs[0, AT_END] == pytest.approx(TENSION * (arm @ pull_up), rel=1e-9)
    assert arm @ pull_down < 0.0 and not work.rows.active[rows[1, AT_START]]
    # the bead turned about y, across its arm: the potential T l has both springs in it
    energies = []
    for angle in (-1e-3, 0.0, 1e-3):
        moved = copy_record(state)
        moved.bodies.orientation[1] = exp((0.0, angle, 0.0))
        fill(model, moved, control, work)
        energies.append(TENSION * work.spans.length[0])
    second = (energies[0] - 2.0 * energies[1] + energies[2]) / 1e-6
    fill(model, state, control, work)
    along = work.spans.direction[0]
    slide = np.cross([0.0, 1.0, 0.0], arm)
    slide -= (slide @ along) * along
    assert second == pytest.approx(
        TENSION * (slide @ slide) / length[0] + springs[0, AT_END], rel=1e-4
    )


def test_no_rows_where_none_are_needed() -> None:
    model, _, _, _ = compile_scene(SCENE, dt=1e-5)
    assert (model.spans.inertia_row == -1).all()
    model, _, _, _ = compile_scene(SCENE, dt=H)
    assert (model.spans.inertia_row[:2, ACROSS] >= 0).all() and (
        model.spans.inertia_row[2] == -1
    ).all()


def test_a_slack_cable_has_no_spring() -> None:
    slack = Scene(
        bodies=[BEAD, LOAD], cables=[Cable("rope", SCENE.cables[0].nodes, ea=1e8, length=12.0)]
    )
    model, _, _, work = filled(slack)
    rows = model.spans.inertia_row[:2].ravel()
    assert not work.rows.active[rows].any()


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 3.0])
def test_rows_resist_with_what_was_paid(share) -> None:
    model, state, control, work = filled()
    state.bodies.velocity[1, :3] = [3.0, -2.0, 0.5]
    state.spans.energy_taken[:] = 1e9
    fill(model, state, control, work)
    row = model.spans.inertia_row[0, ACROSS]
    rates = (dense_jacobian(model, work) @ state.bodies.velocity.ravel())[row : row + 2]
    assert (work.rows.inner[row : row + 2, 1] == 0.0).all()
    needed = 0.5 * H / work.rows.compliance[row] * (rates @ rates)
    state.spans.energy_taken[0, ACROSS] = share * needed - 0.5 * CALM / model.spans.mobility[
        0, ACROSS
    ] * (rates @ rates)
    fill(model, state, control, work)
    np.testing.assert_allclose(
        work.rows.inner[row : row + 2, 1], (min(share, 1.0) - 1.0) * rates, atol=1e-9
    )


def test_bodies_that_stand_still_need_nothing_paid() -> None:
    """Also where the rows have given more than they took."""
    model, state, control, work = filled()
    state.spans.energy_taken[:] = -1.0
    fill(model, state, control, work)
    row = model.spans.inertia_row[0, ACROSS]
    assert work.rows.active[row] and (work.rows.inner[row : row + 2, 1] == 0.0).all()


def test_what_was_paid_is_what_the_bodies_lost() -> None:
    """Move a weightless bead across a straight rope, where nothing acts but the rows.

    The rope is straight in the middle of the step, where its forces are taken.
    """
    before = (-0.5 * H * 3.0, -0.5 * H * 2.0, -5.0)
    bead = Body("bead", 1.0, shape=Box(0.4, 0.3, 0.2), position=before, velocity=(3.0, 2.0, 0.0))
    load = Body("load", 1e5, shape=Box(3.0, 3.0, 3.0), position=(0.0, 0.0, -10.0))
    nodes = [Anchor("world"), Eye("bead"), Anchor("load")]
    rope = Cable("rope", nodes, ea=1e8, pretension=TENSION)
    scene = Scene(bodies=[bead, load], cables=[rope], gravity=(0.0, 0.0, 0.0))
    model, state, control, work = filled(scene)
    run(model, state, control, work, H, 1)
    across = state.bodies.velocity[1:, :2]
    lost = 0.5 * 13.0 - 0.5 * np.array([1.0, 1e5]) @ (across**2).sum(axis=1)
    assert state.spans.energy_taken.sum() == pytest.approx(lost, rel=1e-9) and lost > 0.0
