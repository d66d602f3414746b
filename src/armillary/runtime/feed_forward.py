"""The torque that a command needs, sent with it: the drives need only correct what is left."""

from armillary.drivers import Command
from armillary.model import SLIDES, Model, inverse_dynamics, passive_coefficients
from armillary.runtime.feed_forward_kernels import add_passive

__all__ = ["FeedForward"]


class FeedForward:
    """Torques for a robot's commands."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._damping, self._friction = passive_coefficients(model)
        self._rubs = bool(self._damping.any() or self._friction.any())

    def fill(self, command: Command) -> None:
        """Put the torque into a command: of the bodies, and against the joints' own damping and friction."""
        command.torque[:] = inverse_dynamics(self._model, command.q, command.v, command.a)
        if self._rubs:
            add_passive(command.v, self._damping, self._friction, SLIDES, command.torque)
