"""Cable models, and the parts that they are made of.

massless     massless, torsion, span_stops, transverse, path_growth, turn_checks, breakage,
             catches, swing_losses
elevation    the same with elevation, wave, chords, slopes, wave_compliance
contacts     of all of these and of hybrid wires: contact_path, contacts, contact_detection,
             swept_edges, sliding, shortest_path, path_accounts, buried_ends, polyhedron,
             edge_growth
hybrid       hybrid, segments, taut_runs, elimination, bars, masses, weight, ends,
             adaptive_resolution, wire_contacts, wire_breakage, path_ahead; friction, mixing,
             edge_sliding, hmr_friction; flexure; crossing_nodes, crossing_rows,
             crossing_friction, crossing_landing, crossing_layers
lumped       particles; tutorial, lumped, chain; ground, bending
"""
