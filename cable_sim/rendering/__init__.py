"""What a frame of a crane looks like: meshes, ropes and cameras, shared with the page; and pictures
of it in pixels.

``renderer.Renderer`` draws a frame, ``film.write_film`` makes a moving picture of many. Nothing
here needs a browser, a display or a graphics card.
"""
