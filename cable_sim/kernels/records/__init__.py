"""Records of the kernels' arrays, one concept a file."""

from cable_sim.kernels.records.arrays import *
from cable_sim.kernels.records.balance import *
from cable_sim.kernels.records.bodies import *
from cable_sim.kernels.records.cables import *
from cable_sim.kernels.records.collision import *
from cable_sim.kernels.records.devices import *
from cable_sim.kernels.records.drives import *
from cable_sim.kernels.records.driving import *
from cable_sim.kernels.records.grips import *
from cable_sim.kernels.records.joints import *
from cable_sim.kernels.records.lines import *
from cable_sim.kernels.records.machine import *
from cable_sim.kernels.records.obstacles import *
from cable_sim.kernels.records.ropes import *
from cable_sim.kernels.records.rows import *
from cable_sim.kernels.records.waves import *
from cable_sim.kernels.records.wheels import *
from cable_sim.kernels.records.wires import *
from cable_sim.kernels.records.world import *
