"""What several processes have to say on one terminal."""

import io

import pytest
from rich.console import Console

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from cable_sim.ros.together import _Company  # noqa: E402

OPEN = ["watch    http://127.0.0.1:8080/", "control  http://127.0.0.1:8080/"]
CLOSED = ["watch    http://1.2.3.4:80/?code=7", "control  http://1.2.3.4:80/?code=7&websocket=ws://1.2.3.4:80/?code=7",
          "code     7"]  # fmt: skip


@pytest.mark.parametrize("lines", [OPEN, CLOSED], ids=["without a code", "with a code"])
def test_the_page_is_up_when_all_is_told_that_it_says_about_its_address(lines):
    out = io.StringIO()
    company = _Company(Console(file=out))
    for line in lines:
        assert not company._page_up.is_set()
        company._hear("viewer", line)
    assert company._page_up.is_set() and company._page == lines
    company._hear("node", "code red")
    assert out.getvalue() == "node: code red\n"
