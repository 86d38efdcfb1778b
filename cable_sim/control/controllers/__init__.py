"""Reference controllers, one file each; a scenario names them by their ``kind``."""

from typing import Annotated

from pydantic import Field

from cable_sim.control.controllers.constant_tension import ConstantTension
from cable_sim.control.controllers.custom import Custom
from cable_sim.control.controllers.energy import Energy
from cable_sim.control.controllers.fmu import Fmu
from cable_sim.control.controllers.heave_compensation import HeaveCompensation
from cable_sim.control.controllers.lqr import Lqr
from cable_sim.control.controllers.mpc import Mpc
from cable_sim.control.controllers.offshore_lift import OffshoreLift
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.controllers.operators_trick import OperatorsTrick
from cable_sim.control.controllers.shaped import Shaped

AnyController = Annotated[
    Operator
    | Shaped
    | OperatorsTrick
    | Lqr
    | Energy
    | Mpc
    | HeaveCompensation
    | ConstantTension
    | OffshoreLift
    | Fmu
    | Custom,
    Field(discriminator="kind"),
]
"""Settings of any of them, told apart by ``kind``."""
