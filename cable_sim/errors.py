"""What `cable_sim` raises on purpose. A message names the thing, the value and what would have been
allowed.

Whoever calls the package catches :class:`CableSimError`; anything else that comes out of it is a
bug.
"""


class CableSimError(Exception):
    """Any error that the user of the package can do something about."""


class CableSimWarning(UserWarning):
    """Something in what was given that has been put right, or left out; the message names it."""


class SpecError(CableSimError):
    """A spec that contradicts itself or names what does not exist, raised before any physics."""


class ConfigError(CableSimError):
    """A file that does not say what it should.

    Its text is all the problems, one per line as ``file:line:column: field: problem``. ``problems``
    holds them one by one, each with ``file``, ``line`` and ``column`` (from 1), ``field`` and
    ``problem``; the problem names the value and what is allowed.
    """

    def __init__(self, problems) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self):
        """Pickle by the problems, so that the error crosses from a worker process as it was."""
        return type(self), (self.problems,)


class ModelError(CableSimError):
    """A sound spec that can't be compiled: no initial state satisfies it, or it is too large."""


class StepError(CableSimError):
    """A step that failed: no convergence, or a number that is not finite. The state before it is
    intact."""


class CommandError(CableSimError):
    """A command that was refused: unknown axis or mode, wrong number of values, or one not
    finite."""
