"""Translation of kernels to LLVM with values in place of stack slots.

numba gives a stack slot to each variable that more than one block uses, and copies all of it for
each use. A record has hundreds of fields; to take the copies of all of them apart again takes LLVM
a quarter of the time of compiling. But a variable that is assigned once is a value, wherever its
block comes before the use on all ways (dominates it). The same machine code comes out.

This uses internals of numba, as ``compiler.py`` does.
"""

from collections import defaultdict
from typing import Any

from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks, must_use_alloca
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering


def find_values(blocks: dict[int, Any]) -> set[str]:
    """Return the names of the variables that are values.

    Each is assigned once, before all its uses.
    """
    assigned = defaultdict(list)
    used = defaultdict(list)
    for label, block in blocks.items():
        for i, inst in enumerate(block.body):
            if isinstance(inst, ir.Assign):
                assigned[inst.target.name].append((label, i))
                inst = inst.value
            if isinstance(inst, ir.Var):
                used[inst.name].append((label, i))
            elif isinstance(inst, ir.Inst) and not isinstance(inst, ir.Del):
                for variable in inst.list_vars():
                    used[variable.name].append((label, i))
    dominators = compute_cfg_from_blocks(blocks).dominators()
    values = set()
    for name, places in assigned.items():
        label = places[0][0]
        if len(places) == 1 and all(
            place > places[0] and label in dominators[place[0]] for place in used[name]
        ):
            values.add(name)
    return values - must_use_alloca(blocks)


class ValueLower(Lower):
    """numba's translation of a function, with values in place of slots."""

    def _find_singly_assigned_variable(self) -> None:
        """Find the values."""
        self._singly_assigned_vars = find_values(self.func_ir.blocks)
        self._blk_local_varmap = {}

    def delvar(self, name: str) -> None:
        """Leave a variable alone: kernels count no references."""


@register_pass(mutates_CFG=True, analysis_only=False)
class ValueLowering(BaseNativeLowering):
    """Pass that translates kernels."""

    _name = "value_lowering"  # type: ignore[assignment]

    @property
    def lowering_class(self) -> type[Lower]:
        """Class that translates a function."""
        return ValueLower
