"""Sentences for the flags of a status."""

from cable_sim.kernels import status

SENTENCES = {
    status.NOT_CONVERGED: "the contact and friction forces of a step did not settle",
    status.LOST_PIVOT: "rigid constraints repeat or contradict one another; give one a compliance",
    status.NOT_FINITE: "velocities stopped being finite; the state is that of the step before",
    status.TOO_FAST: "a body would be faster than 1e5 m/s or 1e5 rad/s; the state is that of the "
    "step before",
    status.OVERSTRAINED: "a rope has more than eleven times its length, or a chain too fine for "
    "the step 1.1 times",
    status.CONTACTS_FULL: "a cable met more edges and faces than it has room for; give it more "
    "contacts",
    status.SLOTS_FULL: "a body met more than six obstacles at once, and may go into one of them: "
    "make fewer and larger ones of them",
    status.TOO_FINE: "a chain of masses is under more tension or thrust than its step can follow, "
    "and shakes itself apart if that lasts: give it fewer masses, or the simulator a shorter step",
    status.WIRE_BROKE: "a cable was under more tension than its breaking force, and broke",
    status.DRUM_FULL: "there is more rope on a drum than its layers hold; take in less, or give "
    "it more layers",
    status.DRUM_EMPTY: "a winch has paid out of its dead wraps; pay out less, or wind more rope "
    "on its drum",
    status.END_INSIDE: "an end or eye is, or was, inside of an obstacle that its cable touches, "
    "or under its ground: it runs straight there",
    status.TURNED_BACK: "an end of a cable with torsion has swung right back, where its twist "
    "can't be told: give it a swivel, or hold the body on it",
    status.TOO_STEEP: "a span of an elevation cable is steep, and its tension too small: take a "
    "hybrid wire",
    status.STRAIGHTENED: "a tight span was straightened: take fewer points, a shorter step or the "
    "scheme 'adaptive'",
    status.SWUNG_ROUND: "a short span of a taut cable turned by more than a quarter of a radian "
    "in a step, of a hybrid wire half of one, which can't be followed: take a shorter step, or "
    "keep the body on it farther away",
    status.TURNED_FAR: "a body turned by more than a quarter of a radian in a step on a joint "
    "beside its centre, which can't be followed: take a shorter step",
    status.CAME_OFF: "rope that friction held came off an edge all at once and went slack, which "
    "lifts its weight: give the wire more masses, or the obstacle less friction",
    status.LIFTED_OFF: "a rope lifted off a wheel, which bends it all the same: use an eye",
    status.OVERHAULED: "an endless rope slips on its first wheel: begin where it holds best",
    status.ENERGY_GAINED: "the energy of a scene that nothing drives has risen by more than 1 % of "
    "what was at play, so forces or motions are wrong: take a shorter step; energy_balance of an "
    "observation has the figures",
    status.NODES_MET: "two nodes of a cable met and stopped one another: it was taken in too far, "
    "or ran to its end",
}


def explain(flags: int) -> str:
    """Return the status of a report in words; an empty text if there is no flag."""
    return "; ".join(sentence for flag, sentence in SENTENCES.items() if flags & flag)
