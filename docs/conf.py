"""Settings of Sphinx: `make docs` builds the pages of this folder into build/docs, without ROS or a
network."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "extensions"), str(HERE.parent)]

from pygments.lexers.special import TextLexer  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402

from cable_sim import __version__  # noqa: E402

project = "cable_sim"
author = "The cable_sim authors"
project_copyright = "the cable_sim authors; Apache-2.0"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "mathml",
    "docstrings",
    "signatures",
    "outside",
    "gallery_pages",
]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "html_image"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

# What only some installations have is not looked at: the pages are the same everywhere.
autodoc_mock_imports = [
    "pymavlink",
    "builtin_interfaces",
    "cable_sim.msg",
    "diagnostic_msgs",
    "geometry_msgs",
    "gymnasium",
    "nav_msgs",
    "osqp",
    "rcl_interfaces",
    "rclpy",
    "rosgraph_msgs",
    "sensor_msgs",
    "std_msgs",
    "std_srvs",
    "tf2_msgs",
    "visualization_msgs",
    "viser",
    "websockets",
]
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
maximum_signature_line_length = 90
# Types are told in the words of the sources, and those of other libraries have no page here.
nitpick_ignore_regex = [
    ("py:.*", r"(?!(cable_sim|cable_sim_studies|validation)\.).*"),
    (
        "py:class",
        r"cable_sim\.(model|kernels\.records|interchange\.models)\..*|cable_sim\.spec\.yaml_document\..*|.*\._\w+"
        r"|cable_sim\.sim\.(running|reader|readings\.channels|readings\.picture)\..*"
        r"|cable_sim\.sim\.(batch\.batch_driving|changes\.carry_over)\..*"
        r"|cable_sim\.sim\.statics\.probe\..*|cable_sim\.machine\.(bare|readout)\..*"
        r"|cable_sim\.viewer\.(local|page|plots)\..*|cable_sim\.rendering\.bodies\..*",
    ),  # inside of the house
]

html_math_renderer = "mathml"
highlight_language = "none"  # of blocks that name no language, such as drawings
html_theme = "furo"
html_title = "cable_sim"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]

linkcheck_timeout = 10
linkcheck_anchors = False


def setup(app: Sphinx) -> None:
    """Show blocks of CSV as they are: Pygments knows no such language."""
    app.add_lexer("csv", TextLexer)
