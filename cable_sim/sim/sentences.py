"""Sentences for the flags of a status."""

from cable_sim.kernels import status

SENTENCES = {
    status.NOT_CONVERGED: "the contact and friction forces of a step did not settle",
    status.LOST_PIVOT: "rigid constraints repeat or contradict each other; give one of them a "
    "compliance",
    status.NOT_FINITE: "velocities stopped being finite; the state is that of the step before",
    status.TOO_FAST: "a body would be faster than 1e5 m/s or 1e5 rad/s; the state is that of the "
    "step before",
    status.OVERSTRAINED: "a rope was stretched to more than eleven times its length, as one "
    "whose end is drawn round a solid may be, or a chain that is too fine for the step to more "
    "than 1.1 times",
    status.CONTACTS_FULL: "a cable touched more edges and faces than it has contacts; give it more "
    "contacts",
    status.SLOTS_FULL: "a body met more than eight obstacles at once, or a scene more points "
    "than the room of its collision, and may sink in there: use fewer and larger obstacles, or "
    "more room",
    status.TOO_FINE: "a chain of masses is under more tension or thrust than its step can follow, "
    "and shakes itself apart if that lasts: give it fewer masses, or the simulator a shorter step",
    status.WIRE_BROKE: "a cable was under more tension than its breaking force, and broke",
    status.OVERLOADED: "a cable was under more tension than its breaking force, and held, because "
    "its parts is not set: peak_utilisation of its observation has the figure",
    status.CATCH_MISSED: "a cable got taut so fast that the step does not follow its swing, "
    "and the peak of its tension is too low: use a shorter step",
    status.DRUM_FULL: "there is more rope on a drum than its layers hold; wind less, or give "
    "it more layers",
    status.DRUM_EMPTY: "a winch has paid out its dead wraps; pay out less, or wind more rope "
    "on its drum",
    status.END_INSIDE: "an end or eye of a cable is, or was, inside an obstacle that the cable "
    "touches, or below its ground: the cable runs straight there",
    status.TURNED_BACK: "an end of a cable with torsion has swung right back, where its twist is "
    "not defined: give it a swivel, or hold the body on it",
    status.TOO_STEEP: "a span of an elevation cable is steep, and its tension too small: use a "
    "hybrid wire",
    status.STRAIGHTENED: "a tight span was straightened: use fewer points, a shorter step or the "
    "scheme 'adaptive'",
    status.SWUNG_ROUND: "a short span of a taut cable turned too far in a step, by more than a "
    "quarter of a radian, or half a radian in a hybrid wire: use a shorter step, or keep the body "
    "on it farther away",
    status.TURNED_FAR: "a body on a joint off its centre turned too far in a step, by more than "
    "a quarter of a radian: use a shorter step",
    status.CAME_OFF: "a rope that friction held came off an edge all at once and went slack, "
    "which lifts its weight: give the wire more masses, or the obstacle less friction",
    status.LIFTED_OFF: "a rope lifted off a wheel, but the model keeps the wheel's bend: use an "
    "eye instead",
    status.OVERHAULED: "an endless rope slips on its first wheel: choose the wheel with the "
    "best grip as its first node",
    status.WENT_THROUGH: "a wire went through another one, or itself: there was no room for one "
    "more crossing of the two",
    status.ENERGY_GAINED: "the energy of a scene without drives has risen by more than 1 % of the "
    "energy involved, so forces or motions are wrong: use a shorter step; energy_balance of an "
    "observation has the figures",
    status.ENERGY_LOST: "a light body swings across its cables faster than the step follows, so "
    "these have lost more than 1 % of the energy involved, or their tension for a step: use a "
    "shorter step",
    status.NODES_MET: "two nodes of a cable met and stopped each other: the cable was taken in too "
    "far, or ran to its end",
}


def explain(flags: int) -> str:
    """Return the status of a report in words; an empty text if there is no flag."""
    return "; ".join(sentence for flag, sentence in SENTENCES.items() if flags & flag)
