"""Narrow phase of contact: distance or depth of two convex shapes, and the points where they touch.

shapes      rows of shapes, their support points, a pair seen from its first shape
simplex     nearest point of up to four points
distance    shapes that are apart (Gilbert, Johnson & Keerthi)
expansion   shapes that overlap (expanding polytope)
polishing   the last digits of a direction, also for round shapes
separation  what the pool of contacts calls: signed distance and normal
features, manifold   up to four points
"""
