"""Pictures of a crane's frames: meshes, ropes and cameras, which the page shares, and pixels.

``renderer.Renderer`` draws a frame, ``film.write_film`` makes a moving picture of many. Nothing
here needs a browser, a display or a graphics card.
"""
