"""The crane in the browser: a page to watch and to control it, on any source of frames.

``cable_sim.viewer.page.Viewer`` serves the page; ``cable_sim.viewer.local.LocalSource`` runs the
crane in the same process. Only ``page`` imports viser, and ``http_auth`` the web sockets that it
serves with.
"""
