"""Cable models, and the parts that they are made of.

massless     massless, torsion, stops, transverse, ways, parting
elevation    the same with elevation, wave, chords, giving
contacts     of all of these and of hybrid wires: strand, contacts, catching, sliding, tightening,
             polyhedron
hybrid       hybrid, pieces, elimination, masses, weight, ends, adapt, wire_contacts, severing;
             friction, along, hmr_friction; flexure, bending; crossing, meeting
lumped       particles; tutorial, lumped, chain; ground, bending
"""
