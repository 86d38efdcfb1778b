"""Scenes of the comparisons of contact: alike in both engines, apart at the start, and at rest."""

import warnings

import numpy as np
import pytest

from benchmarks.peers import contact
from cable_sim import Simulator

BUILDS = {one.name: one for one in contact.CONTACTS}


@pytest.mark.parametrize("name", BUILDS)
def test_nothing_overlaps_at_the_start(name: str) -> None:
    (build, _) = BUILDS[name].enter.args
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulator(build(), dt=contact.H)


@pytest.mark.parametrize("build", [contact.stack, contact.container, contact.slings])
def test_what_rests_is_judged_by_overlap_and_creep(build) -> None:
    times = contact.AT_REST._replace(watched=1.0)
    made = contact.Ours(build(), times.settling)
    figures = contact.judge(made, contact.AT_REST)
    assert figures[contact.DEPTH] < 0.1 and figures[contact.CREEP] < 0.01
    assert set(contact.judge(made, contact.BIN)) == {contact.DEPTH}


@pytest.mark.parametrize("name", BUILDS)
def test_both_engines_have_the_same_bodies(name: str) -> None:
    pytest.importorskip("mujoco", reason="needs mujoco (extra `bench`)")
    from benchmarks.peers.mujoco_contact import WAYS, Touching

    (build, _) = BUILDS[name].enter.args
    scene = build()
    for way in WAYS:
        peer = Touching(scene, contact.H, contact.FRICTION, 0.0, way)
        masses = [body.mass for body in scene.bodies]
        np.testing.assert_allclose(peer.model.body_mass[-len(masses) :], masses)
        np.testing.assert_allclose(peer.places(), [body.position for body in scene.bodies])
        assert peer.model.ntendon == len(scene.cables)
