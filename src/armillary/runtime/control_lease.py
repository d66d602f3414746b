"""Who may move the robot: one at a time."""

from dataclasses import dataclass

from armillary.runtime.errors import RuntimeProblem

__all__ = ["ControlLease", "NoControl"]


class NoControl(RuntimeProblem):
    """Somebody else has control of the robot."""


@dataclass
class ControlLease:
    """The one lease.

    Attributes:
        holder: The number of who has it; 0 for nobody.
        name: What he calls himself.
    """

    holder: int = 0
    name: str = ""

    def take(self, client: int, name: str, *, force: bool = False) -> None:
        """Have control, if nobody has, or by force.

        Raises:
            NoControl: Somebody else has it.
        """
        if self.holder not in (0, client) and not force:
            raise NoControl(f"{self.name or f'client {self.holder}'} has control; ask there, or take it over")
        self.holder, self.name = client, name or (self.name if self.holder == client else "")

    def give_back(self, client: int) -> None:
        """Have it no longer; nothing happens where one never had it."""
        if self.holder == client:
            self.holder, self.name = 0, ""
