"""The linear model against finite differences of the reduced crane, closed forms, and the crane
itself."""

import math

import numpy as np
import pytest
from messages import naming
from test_crane_model import CraneInput, rates

from cable_sim.control.methods.linearisation import jacobians, linearise, rest_state
from cable_sim.control.methods.reduced_crane import CraneState
from cable_sim.control.methods.regulator import SCALED
from cable_sim.cranes import load_crane
from cable_sim.cranes.family_spec import ask_family
from cable_sim.errors import SpecError
from cable_sim.machine.machine import Machine
from cable_sim.spec.scene import GRAVITY

RESTS = [  # slews, reach, travel, length, turn
    (True, 40.0, 0.3, 30.0, 0.07),
    (True, 3.0, -2.0, 55.0, -0.05),
    (True, 60.0, 0.0, 12.0, 0.0),
    (True, 25.0, 1.0, 20.0, 0.4),
    (False, -4.0, 10.0, 9.0, 0.0),
]


@pytest.mark.parametrize("slews, reach, travel, length, turn", RESTS)
def test_jacobians_are_the_differences_of_the_reduced_crane(
    slews, reach, travel, length, turn
) -> None:
    rest, h = rest_state(reach, travel, length, turn), 1e-5
    still = np.array(rates(rest, CraneInput(), slews))
    assert still[[7, 9]] == pytest.approx(0.0, abs=1e-12)
    a, b = jacobians(rest, slews)

    def differences(n: int, of) -> np.ndarray:
        columns = [
            (np.array(of(h * unit)) - np.array(of(-h * unit))) / (2.0 * h) for unit in np.eye(n)
        ]
        return np.array(columns).T

    found = differences(
        10, lambda d: rates(CraneState(*(np.array(rest) + d).tolist()), CraneInput(), slews)
    )
    assert a == pytest.approx(found, abs=1e-8)
    assert b == pytest.approx(
        differences(3, lambda d: rates(rest, CraneInput(*d.tolist()), slews)), abs=1e-8
    )


def test_a_crane_that_slews_has_its_two_modes_apart_by_its_turn() -> None:
    """Seen from a frame that turns with w, small swings go with sqrt(g / l) + w and - w."""
    crane, speed = load_crane("tower_12t"), 0.06
    standing, slewing = (
        linearise(crane, {"trolley": 10.0, "hoist": 25.0, "slewing": 1.0}, slewing_speed=w)
        for w in (0.0, speed)
    )
    own = standing.frequencies
    assert own == pytest.approx([own[0]] * 2)
    assert slewing.frequencies == pytest.approx([own[0] - speed, own[0] + speed], rel=1e-3)
    assert math.tan(slewing.rest[6]) == pytest.approx(speed**2 * 10.0 / GRAVITY, rel=0.02)
    assert slewing.rest[:6] == pytest.approx([10.0, 0.0, 1.0, speed, 25.0, 0.0])


def test_discrete_time_is_exact_for_inputs_that_are_held() -> None:
    model = linearise(load_crane("rtg_41t"), {"hoist": 12.0})
    f, g = model.discrete(0.3)
    w = float(model.frequencies[0])
    sway, rate = model.states.index("sway.radial"), model.states.index("sway.radial.rate")
    assert f[sway, [sway, rate]] == pytest.approx([math.cos(0.3 * w), math.sin(0.3 * w) / w])
    assert g[sway, 0] == pytest.approx((math.cos(0.3 * w) - 1.0) / GRAVITY)
    assert g[:2, 0] == pytest.approx([0.045, 0.3])


@pytest.mark.parametrize("hoist", [6.0, 12.0, 19.0])
def test_one_scaled_system_is_the_linear_model_at_every_length(hoist: float) -> None:
    """With speeds over w, accelerations over w^2 and the sway times l."""
    model = linearise(load_crane("rtg_41t"), {"hoist": hoist})
    w = float(model.frequencies[0])
    length = GRAVITY / w**2
    part = [
        model.states.index(n)
        for n in ("trolley.position", "trolley.speed", "sway.radial", "sway.radial.rate")
    ]
    scale = np.array([1.0, 1.0 / w, length, length / w])
    a = model.A[np.ix_(part, part)] * scale[:, None] / scale / w
    b = model.B[part, model.inputs.index("trolley")] * scale * w
    assert a == pytest.approx(SCALED[0], abs=1e-12)
    assert b == pytest.approx(SCALED[1], abs=1e-12)


def test_names_and_shapes_are_those_of_the_crane() -> None:
    tower = linearise(load_crane("tower_12t"), {"trolley": 30.0, "hoist": 20.0})
    assert tower.inputs == ("trolley", "slewing", "hoist")
    assert tower.A.shape == (10, 10) and tower.B.shape == (10, 3) and tower.C.shape == (4, 10)
    assert tower.states[2] == "slewing.position" and len(tower.states) == 10
    cart = linearise(load_crane("lab_gantry"), {"hoist": 0.3})  # it has no travel
    assert cart.inputs == ("trolley", "hoist") and cart.A.shape == (8, 8) and cart.C.shape == (4, 8)
    assert "gantry.position" not in cart.states


@pytest.mark.parametrize(
    "crane, at, speed, says",
    [
        ("tower_12t", {"hoist": 20.0}, 0.0, "trolley"),
        ("tower_12t", {"trolley": 90.0, "hoist": 20.0}, 0.0, "trolley 2.8 69.5 m 90"),
        ("tower_12t", {"trolley": 9.0, "hoist": 20.0}, 0.5, "slewing_speed -0.0733 0.0733"),
        ("tower_12t", {"trolley": 9.0, "hoist": 20.0}, math.nan, "slewing_speed"),
        ("rtg_41t", {"hoist": 12.0}, 0.1, "rtg_41t slew 0 0.1"),
        ("rtg_41t", {"hoist": 12.0, "boom": 1.0}, 0.0, "axis 'boom'"),
        ("two_towers", {"hoist": 12.0}, 0.0, "load sways"),
    ],
)
def test_what_cannot_be_is_said(crane, at, speed, says) -> None:
    with pytest.raises(SpecError, match=naming(says)):
        linearise(load_crane(crane), at, speed)


CRANES = [  # crane, axis, speed and duration of the pulse, hoist, other axes, changes of the file
    ("rtg_41t", "trolley", 0.2, 13.6, {}, {"rig.start.trolley": -3.0, "site.stacks": ()}),
    ("rtg_41t", "gantry", 0.05, 13.6, {}, {"rig.start.trolley": -3.0, "site.stacks": ()}),
    (
        "tower_12t",
        "trolley",
        0.3,
        30.0,
        {"trolley": 30.0},
        {"rig.start.radius": 30.0, "site.platforms": ()},
    ),
    (
        "tower_12t",
        "slewing",
        0.003,
        30.0,
        {"trolley": 30.0},
        {"rig.start.radius": 30.0, "site.platforms": ()},
    ),
]


@pytest.mark.parametrize("name, axis, speed, hoist, at, changes", CRANES)
def test_the_crane_answers_a_small_pulse_as_the_model_says(
    name, axis, speed, hoist, at, changes
) -> None:
    """The axis gets to a low speed within a second, and the load swings by up to a degree. In the
    first half of it all the sway is within 3 % of its largest, and the period within 1 %: the model
    has no second pendulum, and no friction in the sheaves, which counts for more in smaller swings.
    """
    start = "rig.start.depth" if name == "rtg_41t" else "rig.start.hook_depth"
    crane = load_crane(name, {"rig.start.state": "hanging", start: hoist} | changes)
    model = linearise(crane, {"hoist": hoist} | at)
    machine = Machine(crane, dt=2e-3, substeps=5)
    f, g = model.discrete(machine.tick_time)
    state = np.zeros(len(model.states))
    drive = model.inputs.index(axis)
    output = int(axis in ("gantry", "slewing"))
    period, before, seen, told = 2.0 * math.pi / float(model.frequencies[0]), 0.0, [], []
    while machine.time < 1.2 * period:
        machine.command(axis, speed)
        observation = machine.tick()
        now = machine.axis_state(observation, axis).velocity
        push = np.zeros(len(model.inputs))
        push[drive] = (now - before) / machine.tick_time
        state, before = f @ state + g @ push, now
        seen.append(machine.sway(observation)[output])
        told.append((model.C @ state)[output])
    ours, theirs = np.array(told), np.array(seen)
    first = len(seen) // 2
    assert np.abs(ours[:first] - theirs[:first]).max() < 0.03 * np.abs(ours).max()
    swings = [
        np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))[-1] for values in (ours, theirs)
    ]
    assert swings[1] == pytest.approx(swings[0], rel=0.01)


def test_a_trolley_camera_reads_a_share_of_the_slope_of_falls() -> None:
    """The middle of the spreader hangs 1.034 m below its sheaves, which 10 m of falls carry
    aside."""
    crane = load_crane("rtg_41t")
    assert ask_family(crane).camera_share(crane)(11.6) == pytest.approx(10.0 / 11.034, rel=1e-3)
    tower = load_crane("tower_12t")
    assert ask_family(tower).camera_share(tower)(20.0) == 1.0
