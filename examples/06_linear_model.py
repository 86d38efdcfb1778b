"""The linear model of a tower crane: what swings in it, and a regulator of one's own from its A and
B."""

import numpy as np
from scipy.linalg import solve_discrete_are

from cable_sim import load_crane
from cable_sim.control.methods.linearisation import linearise

crane = load_crane("tower_12t", {"rig.load.mass": 3000.0})
standing = linearise(crane, {"trolley": 40.0, "hoist": 30.0})
slewing = linearise(crane, {"trolley": 40.0, "hoist": 30.0}, slewing_speed=0.07)

print(f"states: {', '.join(slewing.states)}")
print(f"inputs: accelerations of {', '.join(slewing.inputs)}")
for name, model in (("standing", standing), ("slewing at 0.07 rad/s", slewing)):
    outward = np.degrees(model.rest[model.states.index("sway.radial")])
    print(
        f"{name}: swings at {np.round(model.frequencies, 4)} rad/s, hangs outward by "
        f"{outward:.2f} deg"
    )

# A regulator of trolley and radial sway at 10 Hz: take the part of the model that it needs.
names = "trolley.position", "trolley.speed", "sway.radial", "sway.radial.rate"
part = [standing.states.index(name) for name in names]
F, G = standing.discrete(period=0.1)
F, G = F[np.ix_(part, part)], G[part][:, [standing.inputs.index("trolley")]]
cost, effort = np.diag([1.0, 0.0, 30.0**2, 0.0]), np.array([[10.0]])
last = solve_discrete_are(F, G, cost, effort)
K = np.linalg.solve(effort + G.T @ last @ G, G.T @ last @ F)
print(f"regulator of trolley and radial sway: a = -K x with K = {np.round(K[0], 3)}")
print(
    f"slowest pole of the loop: {np.abs(np.linalg.eigvals(F - G @ K)).max():.4f} of what is off "
    "is left after 0.1 s"
)
