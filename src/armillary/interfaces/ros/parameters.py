"""Parameters as ROS's master has them: a tree of values, each with a name, and a bound to what they take together."""

import json
from typing import Any

from armillary.errors import ArmillaryError

__all__ = ["BadParameter", "Parameters"]

_LONGEST = 256  # characters of a name
_ALL = 50_000_000  # characters of all names and values
_MOST = 10_000  # values


class BadParameter(ArmillaryError):
    """A parameter that cannot be set or deleted; says why."""


class Parameters:
    """Values of JSON by their full names ("/robot/speed"). An object is a folder of its fields, which are parameters too."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}  # of what is no folder, or an empty one
        self._sizes: dict[str, int] = {}
        self._size = 0

    @property
    def names(self) -> list[str]:
        return sorted(self._values)

    def get(self, name: str, default: Any = None) -> Any:
        """A value, or a folder with all that is in it. What is done to a folder changes no parameter."""
        if name in self._values:
            return self._values[name]
        tree: dict[str, Any] = {}
        for key in self._below(name):
            *folders, last = key[len(name.rstrip("/")) + 1 :].split("/")
            inner = tree
            for folder in folders:
                inner = inner.setdefault(folder, {})
            inner[last] = self._values[key]
        return tree or default

    def has(self, name: str) -> bool:
        return name in self._values or bool(self._below(name))

    def set(self, name: str, value: Any) -> None:
        """Put a value, or a folder of values, in the place of what is there.

        Raises:
            BadParameter: It is no name, or there is too much; nothing has changed.
        """
        if name == "/" and not isinstance(value, dict):
            raise BadParameter("/ is the folder of all parameters; it takes an object")
        added = _leaves(name, value)
        sizes = {key: len(key) + len(json.dumps(each)) for key, each in added.items()}
        # A value gives way to what is put below it.
        parts = name.strip("/").split("/")
        above = [key for k in range(1, len(parts)) if (key := "/" + "/".join(parts[:k])) in self._values]
        replaced = {*above, *self._below(name), *([name] if name in self._values else [])}
        size = self._size + sum(sizes.values()) - sum(self._sizes[key] for key in replaced)
        if size > _ALL or len(self._values) - len(replaced) + len(added) > _MOST:
            raise BadParameter(
                f"the parameters would be more than {_ALL} characters or {_MOST} values together; delete some first"
            )
        for key in replaced:
            del self._values[key], self._sizes[key]
        self._values.update(added)
        self._sizes.update(sizes)
        self._size = size

    def delete(self, name: str) -> None:
        """Raises:
        BadParameter: All of them at once.
        """
        if name == "/":
            raise BadParameter("/ would be all of them; delete them one by one")
        for key in [key for key in (name, *self._below(name)) if key in self._values]:
            del self._values[key]
            self._size -= self._sizes.pop(key)

    def _below(self, name: str) -> list[str]:
        folder = name.rstrip("/") + "/"
        return [key for key in self._values if key.startswith(folder)]


def _leaves(name: str, value: Any) -> dict[str, Any]:
    """The values of which a value consists, each by its full name."""
    found, waiting = dict[str, Any](), [(name.rstrip("/"), value)]
    while waiting:
        at, inner = waiting.pop()
        if len(at) > _LONGEST:
            raise BadParameter(f"the name of {at[:40]!r}... is longer than {_LONGEST} characters")
        if not isinstance(inner, dict) or (not inner and at):
            found[at] = inner
            continue
        for key, each in inner.items():
            if not key or "/" in key:
                raise BadParameter(f"{at}: {key[:40]!r} is no name; it is a text without slashes")
            waiting.append((f"{at}/{key}", each))
    return found
