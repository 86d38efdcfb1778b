"""Modes of a scene: how it oscillates near its equilibrium, and how fast that decays.

They are the eigenvalues l = -z w +- i w sqrt(1 - z^2) of the free motions of a
:class:`~cable_sim.sim.statics.linear_scene.LinearScene`, with its motors held: natural frequency
w and damping ratio z.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from cable_sim.kernels.records.world import Floats
from cable_sim.sim.simulator import Snapshot
from cable_sim.sim.statics.linear_scene import LinearScene, linearise
from cable_sim.spec import Scene

STILL = 1e-3
"""Eigenvalue below which nothing oscillates or decays [rad/s]: a period of two hours. Motions that
nothing resists have one of zero but for rounding."""


@dataclass(frozen=True, eq=False)
class Mode:
    """One way in which a scene oscillates.

    Parameters
    ----------
    frequency: natural frequency [Hz].
    damping_ratio: of critical damping [-]; below 0 the oscillation grows.
    bodies: (6,) displacement and turn of each body that moves [m, rad], world frame, where the
        mode swings out farthest. The largest number of the whole mode is 1.
    motion: (m + k,) of the coordinates of the linear scene, in the same scale.
    """

    frequency: float
    damping_ratio: float
    bodies: Mapping[str, Floats]
    motion: Floats

    @property
    def period(self) -> float:
        """Period without damping [s]."""
        return 1.0 / self.frequency


@dataclass(frozen=True, eq=False)
class Modes:
    """All modes of a scene, the slowest first; a sequence of :class:`Mode`.

    Parameters
    ----------
    linear: what they are modes of, with the equilibrium.
    found: the modes.
    rates: real eigenvalues [1/s], of what creeps back without oscillation, below 0, or falls over,
        above 0.
    neutral: number of free motions that nothing resists.
    """

    linear: LinearScene
    found: tuple[Mode, ...]
    rates: tuple[float, ...]
    neutral: int

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, number: int) -> Mode:
        return self.found[number]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.found)

    @property
    def frequencies(self) -> Floats:
        """Natural frequencies (n,) [Hz]."""
        return np.array([mode.frequency for mode in self.found])

    @property
    def damping_ratios(self) -> Floats:
        """Damping ratios (n,) [-]."""
        return np.array([mode.damping_ratio for mode in self.found])

    def snapshot(self, number: int, amplitude: float) -> Snapshot:
        """Return the start of a simulator that is displaced by a mode, and let go.

        ``amplitude`` multiplies the mode: it is the largest displacement [m] or turn [rad].
        """
        return self.linear.snapshot(amplitude * self.found[number].motion)


def modes(scene: Scene, dt: float = 1e-3) -> Modes:
    """Return the modes of a scene about its equilibrium, with its motors held.

    ``dt`` is the step of the snapshots [s]. Raises ModelError as :func:`linearise
    <cable_sim.sim.statics.linearise>` does.
    """
    return modes_of(linearise(scene, dt))


def modes_of(linear: LinearScene) -> Modes:
    """Return the modes of a linear scene."""
    held = len(linear.drives)
    k = len(linear.stiffness)
    matrix = np.zeros((2 * k, 2 * k))
    matrix[:k, k:] = np.eye(k)
    matrix[k:, :k] = -linear.stiffness[:, held:]
    matrix[k:, k:] = -linear.damping[:, held:]
    values, vectors = np.linalg.eig(matrix)
    order = np.argsort(np.abs(values), kind="stable")
    swinging = [i for i in order if values[i].imag > STILL]
    real = [float(values[i].real) for i in order if abs(values[i].imag) <= STILL]
    rates = tuple(rate for rate in real if abs(rate) > STILL)
    found = tuple(_mode(linear, values[i], vectors[:k, i]) for i in swinging)
    return Modes(linear, found, rates, k - len(found) - math.ceil(len(rates) / 2))


def _mode(linear: LinearScene, value: complex, vector: Floats) -> Mode:
    """Return a mode from its eigenvalue and the free motions of its eigenvector."""
    motion = np.concatenate([np.zeros(len(linear.drives)), vector])
    moved = linear.motions @ motion
    largest = moved[np.argmax(np.abs(moved))]
    motion = np.real(motion / largest)
    bodies = {name: linear.body(name) @ motion for name in linear.bodies}
    return Mode(
        abs(value) / (2.0 * math.pi),
        -value.real / abs(value),
        {name: shape for name, shape in bodies.items() if np.abs(shape).max() > STILL},
        motion,
    )
