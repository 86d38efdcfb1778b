"""Styles for what viser has no setting for; they find its elements by their own styles."""

from cable_sim.viewer.drawing import camera

SHEET = f"""<style>@media (max-width: {camera.NARROW:g}px) {{
div[style*="position: fixed"][style*="max-height: 60%"] {{
width: 100% !important; max-height: {100.0 * camera.SHEET:g}% !important }}
div[style*="position: fixed"][style*="max-height: 60%"] div[style*="width: 20em"] {{
width: 100% !important }} }}
div:has(> button svg[class*="hand-stop"]) {{ position: sticky; top: 0; z-index: 2 }}
div[style^="overflow: hidden"]:has(button svg[class*="hand-stop"]) {{
overflow: clip !important }}</style>"""
"""Makes the sheet that viser shows on a narrow page as wide as the page, and lower than its own.

The emergency stop stays at the top of its panel while what is below it scrolls.
"""
