"""Contact of convex shapes: which pairs may meet, where they touch, and the rows of these points.

Narrow phase:

shapes      rows of shapes, their support points, a pair seen from its first shape
simplex     nearest point of up to four points
distance    shapes that are apart (Gilbert, Johnson & Keerthi)
expansion   shapes that overlap (expanding polytope)
polishing   the last digits of a direction, also for round shapes
separation  what the pool of contacts calls: signed distance and normal
rims        planes of shapes that touch with their rims alone
features, manifold   up to four points

Broad phase and pool:

candidates  pairs of shapes that may meet
pool        contacts and their rows
cone        friction, called by the solver
impacts     restitution
keeping     what is kept of a step, events
"""
