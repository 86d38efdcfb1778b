"""Reference controllers, one file each; a scenario names them by their ``kind``."""

from typing import Annotated

from pydantic import Field

from cable_sim.control.controllers.custom import Custom
from cable_sim.control.controllers.operator import Operator

AnyController = Annotated[Operator | Custom, Field(discriminator="kind")]
"""Settings of any of them, told apart by ``kind``."""
