"""What other packages add: found by name among the entry points that they declare."""

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from armillary.errors import ArmillaryError

__all__ = ["Plugins"]

T = TypeVar("T")


class Plugins(Generic[T]):
    """Things of one kind by their names: our own, and those that installed packages declare in an entry point group.

    Args:
        group: The entry point group, for example "armillary.planners".
        kind: What one is called in messages, for example "planner".
        ours: Our own: each a function that imports and returns it, so that nothing is imported before it is needed.
        error: What is raised for one that cannot be loaded.
        unknown: What is raised for a name that there is none of.
        also: Names that stand for something else and are listed too.
    """

    def __init__(
        self, group: str, kind: str, ours: Mapping[str, Callable[[], T]], *, error: type[ArmillaryError],
        unknown: type[ArmillaryError] | None = None, also: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.group, self.kind, self._ours, self._also = group, kind, dict(ours), also
        self._error, self._unknown = error, unknown or error
        self._loaded: dict[str, T] = {}

    @property
    def names(self) -> list[str]:
        """All that there are, ours first."""
        return [*self._ours, *sorted(set(self._others()) - set(self._ours))]

    def find(self, name: str) -> T:
        """One by its name."""
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> T:
        if name in self._ours:
            return self._ours[name]()
        others = self._others()
        if name not in others:
            raise self._unknown(f"there is no {self.kind} '{name}'; there are: {', '.join((*self._also, *self.names))}")
        try:
            found: T = others[name].load()
        except Exception as error:  # another package's code: anything can come out of it
            raise self._error(f"the {self.kind} '{name}' ({others[name].value}) cannot be loaded: {error}") from error
        return found

    def _others(self) -> dict[str, EntryPoint]:
        return {entry.name: entry for entry in entry_points(group=self.group)}
