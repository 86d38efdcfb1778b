"""Formulas as MathML, which browsers draw themselves: no script, no font and no network are needed
to read them.

docutils turns LaTeX into MathML. A formula that it does not know is a warning with its place, and
so ends the build.
"""

from html import escape

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def inline(self: HTML5Translator, node: nodes.math) -> None:
    """A formula within a line."""
    self.body.append(_drawn(node, block=False))
    raise nodes.SkipNode


def display(self: HTML5Translator, node: nodes.math_block) -> None:
    """A formula of its own; with a label it can be pointed at."""
    name = f' id="{self.escape("equation-" + node["label"])}"' if node.get("label") else ""
    self.body.append(f'<div class="math"{name}>{_drawn(node, block=True)}</div>\n')
    raise nodes.SkipNode


def _drawn(node: nodes.math | nodes.math_block, block: bool) -> str:
    """The MathML of a formula; its LaTeX, and a warning, where that can't be made."""
    text = node.astext()
    try:
        return tex2mathml(text, as_block=block)
    except MathError as error:
        logger.warning("formula %r: %s", text, error, location=node, type="mathml")
        return f"<code>{escape(text)}</code>"


def setup(app: Sphinx) -> dict[str, object]:
    """Draw formulas in HTML in this way."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
