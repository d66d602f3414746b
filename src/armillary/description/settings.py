"""Strict, typed reading of TOML tables: each value checked, each unknown key answered with the nearest.

Units other than SI are a suffix of the key (`rpy_deg`, `xyz_mm`) and are converted here, at the door.
"""

import re
import tomllib
from collections.abc import Callable, Iterable
from math import isfinite, pi
from pathlib import Path
from typing import Any, TypeVar

from armillary.description.errors import InvalidCell
from armillary.description.robot import nearest_first

__all__ = ["Settings", "read_toml"]

T = TypeVar("T")
_MAX_BYTES = 4 * 1024 * 1024
_UNITS = {"": 1.0, "_deg": pi / 180, "_mm": 1e-3}


def read_toml(path: Path) -> "Settings":
    """The top table of a TOML file.

    Raises:
        UnreadableFile: It cannot be had.
        InvalidCell: It is not TOML; the line is said.
    """
    from armillary.description.document import read_bytes

    data = read_bytes(path)
    if len(data) > _MAX_BYTES:
        raise InvalidCell(str(path), None, f"it has {len(data) / 1e6:.0f} MB", "give a cell's or robot's file")
    try:
        text = data.decode("utf-8")
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidCell(str(path), line, "it is not UTF-8", "save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        line = int(found.group(1)) if (found := re.search(r"line (\d+)", str(error))) else text.count("\n") + 1
        what = re.sub(r" \(at .*\)", "", str(error))
        raise InvalidCell(str(path), line, f"it is not TOML: {what}", "mend this line") from None
    except RecursionError:
        raise InvalidCell(str(path), None, "it is nested too deep", "flatten it") from None
    return Settings(str(path), text, table, ())


class Settings:
    """One table of a TOML file: values are taken out by name, and none may be left over."""

    def __init__(self, file: str, text: str, table: dict[str, Any], path: tuple[str, ...], index: int = 0) -> None:
        self.file, self.text, self.table, self.path = file, text, table, path
        self.index = index  # which of the tables of an array, [[path]], this is
        self._taken: list[str] = []

    def error(self, key: str, what: str, remedy: str) -> InvalidCell:
        """An error that points at a key of this table."""
        return InvalidCell(self.file, self.line(key), f"{'.'.join((*self.path, key))}: {what}", remedy)

    def line(self, key: str = "") -> int | None:
        """The line of a key of this table (or of the table), as near as a search tells."""
        header = ".".join(self.path)
        inside = not self.path
        before = self.index  # tables of the same name that come first
        for number, line in enumerate(self.text.splitlines(), 1):
            bare = line.split("#")[0].strip()
            if bare.startswith("["):
                name = bare.strip("[] ").replace('"', "").replace("'", "")
                inside = name == header and before == 0
                if not key and inside:
                    return number
                if name == header:
                    before -= 1
                wanted = ".".join((*self.path, key))
                if key and (name == wanted or name.startswith(wanted + ".")):
                    return number
            elif inside and key and re.match(rf"[\"']?{re.escape(key)}(_deg|_mm)?[\"']?\s*[=.]", bare):
                return number
        if key and (own := self.line()) is not None:  # the key is missing: its table's line
            return own
        if self.path:  # an inline table: the line where it stands in the one above
            parent = Settings(self.file, self.text, {}, self.path[:-1])
            return parent.line(self.path[-1])
        return None

    def expect(self, *keys: str) -> None:
        """Refuse a key that is not one of these (or one with a unit) before asking what is missing: it may be misspelt."""
        known = {key + suffix for key in keys for suffix in _UNITS}
        for key in self.table:
            if key not in known:
                near = nearest_first(key, [*keys, *sorted(known)])
                raise self.error(key, f"no such key; the nearest known is '{near[0]}'", f"known here: {', '.join(sorted(keys))}")

    def has(self, key: str) -> bool:
        return key in self.table

    def take(self, key: str) -> Any:
        """The raw value of a key, or None."""
        self._taken.append(key)
        return self.table.get(key)

    def string(self, key: str, default: str = "") -> str:
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.error(key, f"{value!r} is not text", f'write {key} = "..."')
        return value

    def choice(self, key: str, known: Iterable[str], default: str) -> str:
        value = self.string(key, default)
        names = list(known)
        if value not in names:
            near = ", ".join(nearest_first(value, names))
            raise self.error(key, f"'{value}' is not known", f"use one of, nearest first: {near}")
        return value

    def boolean(self, key: str, default: bool = False) -> bool:
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, f"{value!r} is neither true nor false", f"write {key} = true, or false")
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        value = self.take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, "it is not a list of names", f'write {key} = ["...", "..."]')
        return tuple(value)

    def number(
        self, key: str, default: float | None = None, *, units: tuple[str, ...] = ("",),
        above: float | None = None, least: float | None = None,
    ) -> float | None:  # fmt: skip
        """A finite number, in SI or in a unit that is a suffix of the key (`units`)."""
        found = self._in_unit(key, units)
        if found is None:
            return default
        name, value, factor = found
        number = self._finite(name, value) * factor
        if above is not None and not number > above:
            raise self.error(name, f"{value} is not above {above:g}", "write a larger value")
        if least is not None and not number >= least:
            raise self.error(name, f"{value} is below {least:g}", "write a larger value")
        return number

    def vector(
        self, key: str, count: int, default: tuple[float, ...] | None = None, *, units: tuple[str, ...] = ("",)
    ) -> tuple[float, ...] | None:
        """So many finite numbers."""
        found = self._in_unit(key, units)
        if found is None:
            return default
        name, value, factor = found
        if not isinstance(value, list) or len(value) != count:
            have = f"{len(value)} numbers" if isinstance(value, list) else repr(value)
            raise self.error(name, f"{have} where {count} are needed", f"write {name} = [{', '.join(['0.0'] * count)}]")
        return tuple(self._finite(name, item) * factor for item in value)

    def numbers(self, key: str, *, units: tuple[str, ...] = ("",)) -> tuple[float, ...] | None:
        """Any number of finite numbers."""
        found = self._in_unit(key, units)
        if found is None:
            return None
        name, value, factor = found
        if not isinstance(value, list):
            raise self.error(name, f"{value!r} is not a list", f"write {name} = [...]")
        return tuple(self._finite(name, item) * factor for item in value)

    def matrix(self, key: str) -> tuple[tuple[float, ...], ...] | None:
        """A square matrix as a list of rows."""
        value = self.take(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
            raise self.error(key, "it is not a list of rows", f"write {key} = [[1, 0], [0, 1]]")
        rows = tuple(tuple(self._finite(key, item) for item in row) for row in value)
        if any(len(row) != len(rows) for row in rows):
            raise self.error(key, "it is not square", "write as many rows as columns")
        return rows

    def table_at(self, key: str) -> "Settings | None":
        """The table of that name, or None."""
        value = self.take(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error(key, f"{value!r} is not a table", f"write [{'.'.join((*self.path, key))}]")
        return Settings(self.file, self.text, value, (*self.path, key))

    def tables(self, key: str) -> "list[Settings]":
        """An array of tables, [[key]]."""
        value = self.take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(key, "it is not an array of tables", f"write [[{'.'.join((*self.path, key))}]]")
        return [Settings(self.file, self.text, item, (*self.path, key), index) for index, item in enumerate(value)]

    def named(self, key: str, read: Callable[[str, "Settings"], T]) -> tuple[T, ...]:
        """A table of tables, each read with its name: [frames.table], [frames.fixture]."""
        table = self.table_at(key)
        if table is None:
            return ()
        found = []
        for name in table.table:
            inner = table.table_at(name)
            assert inner is not None
            found.append(read(name, inner))
            inner.finish()
        return tuple(found)

    def finish(self) -> None:
        """Refuse what was not asked for: a key that is not known is a mistake, not a wish."""
        for key in self.table:
            if key not in self._taken:
                near = nearest_first(key, list(dict.fromkeys(self._taken)))
                hint = f"; the nearest known is '{near[0]}'" if near else ""
                raise self.error(key, f"no such key{hint}", f"known here: {', '.join(sorted(set(self._taken)))}")

    def _in_unit(self, key: str, units: tuple[str, ...]) -> tuple[str, Any, float] | None:
        given = []
        for suffix in units:
            value = self.take(key + suffix)
            if value is not None:
                given.append((key + suffix, value, _UNITS[suffix]))
        if len(given) > 1:
            raise self.error(given[1][0], f"'{given[0][0]}' says it already", "keep one of the two")
        return given[0] if given else None

    def _finite(self, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, f"{value!r} is not a number", "write a number")
        if not isfinite(value) or abs(value) > 1e30:
            raise self.error(key, f"{value} is not a finite number", "write the real value")
        return float(value)
