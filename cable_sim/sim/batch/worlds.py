"""Memory of many worlds: a row each for what one running scene has, and for its pins.

The first world is a running scene, whose memory is the first row. Of the others there are only
numbers: a row of memory, the words of the pins with other addresses, and the arrays of the model
that differ. Workspaces hold
nothing that a step depends on, so worlds that are never stepped at the same time share one.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError
from cable_sim.kernels.pins import Pin, word_places
from cable_sim.kernels.records.arrays import arrays_by_name, arrays_of
from cable_sim.kernels.records.world import Model
from cable_sim.model.compile import compile_scene, workspace
from cable_sim.sim.readings.present import SHIFTED
from cable_sim.sim.running import RunningScene
from cable_sim.spec import Scene


class Pins(NamedTuple):
    """Pins of many worlds: words (n, k), and the address (n,) of each row."""

    words: NDArray[np.int64]
    addresses: NDArray[np.int64]


class Worlds:
    """Worlds that are alike but for numbers.

    Parameters
    ----------
    first: running scene of the first world, with a row of memory for each world.
    lanes: bounds (k + 1,) of the worlds that share a workspace, in order.
    """

    def __init__(self, first: RunningScene, lanes: NDArray[np.int64]) -> None:
        self.first = first
        self.memory = first.rows
        self.accuracy = np.zeros((len(self.memory), 2))
        self.varied: dict[str, NDArray[Any]] = {}
        self._works = [first.work] + [workspace(first.model) for _ in lanes[2:]]
        self._lanes = lanes
        self._unread = np.zeros_like(self.accuracy)  # what is looked at has an accuracy, too
        self._contacts: list[NDArray[Any]] = []  # addresses of code that the pins show
        self.moved = self._pins(first.moved, self.accuracy)
        self.looked = self._pins(first.looked, self._unread)

    @property
    def nbytes(self) -> int:
        """Bytes of all worlds, without the workspaces, of which each thread has one."""
        varied = sum(array.nbytes for array in self.varied.values())
        words = self.moved.words.nbytes + self.looked.words.nbytes
        return self.memory.nbytes + 2 * self.accuracy.nbytes + words + varied

    def rows(self, name: str) -> NDArray[Any]:
        """Return an array of the block in all worlds, (n, ...), which may be written."""
        place = self.first.places[name]
        size = int(np.prod(place.shape)) * place.dtype.itemsize
        part = self.memory[:, place.offset : place.offset + size]
        return part.view(place.dtype).reshape(len(self.memory), *place.shape)

    def set_scene(self, i: int, scene: Scene, stepper: str) -> None:
        """Start world i as a scene that differs in numbers from that of the first one.

        Raises ModelError if it differs in more.
        """
        model, names, state, control = compile_scene(scene, stepper, self.first.dt)
        shapes = [array.shape for array in arrays_of((model, state, control))]
        own = self.first.model, self.first.state, self.first.control
        if names != self.first.names or shapes != [array.shape for array in arrays_of(own)]:
            raise ModelError(
                f"world {i}: differs from world 0 in more than numbers: objects, nodes, contacts "
                "or layers"
            )
        states = arrays_by_name(state)
        controls = arrays_by_name(control)
        for name, place in self.first.places.items():
            group, _, field = name.partition(".")
            if group == "state" or group == "seen" and field in SHIFTED:
                place.view(self.memory[i])[...] = states[field]
            elif group == "control":
                place.view(self.memory[i])[...] = controls[field]
        self._vary_model(i, model)

    def copy(self, i: int, j: int) -> None:
        """Start world i as world j started."""
        self.memory[i] = self.memory[j]
        for values in self.varied.values():
            values[i] = values[j]

    def _vary_model(self, i: int, model: Model) -> None:
        """Store the arrays of the model of world i that differ from the first one's."""
        firsts = arrays_by_name(self.first.model)
        for name, array in arrays_by_name(model).items():
            if name not in self.varied:
                if array.tobytes() == firsts[name].tobytes():
                    continue
                self.varied[name] = np.tile(firsts[name], (len(self.memory), *[1] * array.ndim))
                for pins, pin in ((self.moved, self.first.moved), (self.looked, self.first.looked)):
                    self._point_at(pins, pin, name)
            self.varied[name][i] = array

    def _point_at(self, pins: Pins, pin: Pin, name: str) -> None:
        """Let the pins of all worlds show their own rows of an array of the model."""
        values = self.varied[name]
        own = arrays_by_name(self.first.model)[name]
        for array, at in word_places(pin.records):
            if array is own:
                pins.words[:, at] = _addresses(values)

    def _pins(self, pin: Pin, accuracy: NDArray[np.float64]) -> Pins:
        """Return the pins of all worlds, with their accuracies (n, 2), from that of the first."""
        n = len(self.memory)
        words = np.tile(pin.words, (n, 1))
        begin = self.first.memory.ctypes.data
        shift = _addresses(self.memory) - begin
        works = [
            dict(zip(map(id, arrays_of(self.first.work)), arrays_of(work), strict=True))
            for work in self._works
        ]
        for array, at in word_places(pin.records):
            if array is pin.records.accuracy:
                words[:, at] = _addresses(accuracy)
            elif array is pin.records.contacts:
                self._contacts.append(np.repeat(array[None], n, axis=0))
                words[:, at] = _addresses(self._contacts[-1])
            elif 0 <= array.ctypes.data - begin < self.first.memory.nbytes:
                words[:, at] += shift
            elif id(array) in works[0]:
                for k, own in enumerate(works):
                    words[self._lanes[k] : self._lanes[k + 1], at] = own[id(array)].ctypes.data
        return Pins(words, _addresses(words))


def _addresses(rows: NDArray[Any]) -> NDArray[np.int64]:
    """Return the address (n,) of each row of an array (n, ...)."""
    return rows.ctypes.data + rows.strides[0] * np.arange(len(rows))
