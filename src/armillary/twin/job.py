"""What a twin's process is started with: a file of JSON."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from armillary.description import CellDescription, open_cell
from armillary.description.cell_fit import own_cell
from armillary.description.dh import is_dh
from armillary.description.settings import read_toml
from armillary.description.source import find_source
from armillary.model import Coupling, Model, Scene
from armillary.motion import bounds_of, scene_of
from armillary.twin.settings import BadTwin, TwinSettings

__all__ = ["TwinJob"]


@dataclass(frozen=True, kw_only=True)
class TwinJob:
    """What a server is started with.

    Attributes:
        source: A robot's name, its description or its cell.toml. group: Of its joints, "" for all.
        start: Where it stands, one value for each joint.
        port: 0 for any that is free.
        settings: Of the twin.
        ready_file: Is written when it listens: its port, its process and its assumptions, as JSON.
    """

    source: str
    start: tuple[float, ...]
    ready_file: Path
    group: str = ""
    port: int = 0
    settings: TwinSettings = field(default_factory=TwinSettings)

    @classmethod
    def read(cls, path: Path) -> "TwinJob":
        """Raises:
        BadTwin: The file is not there, no JSON, or has a key that is missing or not known.
        """
        try:
            values: dict[str, Any] = json.loads(path.read_text())
            known = {"source", "group", "start", "port", "settings", "ready_file"}
            if odd := sorted(set(values) - known):
                raise BadTwin(f"{path}: no such key: {odd[0]}; there are: {', '.join(sorted(known))}")
            return cls(
                source=str(values["source"]), group=str(values.get("group") or ""),
                start=tuple(float(value) for value in values["start"]), port=int(values.get("port", 0)),
                settings=TwinSettings.from_json(values.get("settings", {})), ready_file=Path(values["ready_file"]),
            )  # fmt: skip
        except OSError as error:
            raise BadTwin(f"{path} cannot be read: {error.strerror}") from None
        except KeyError as error:
            raise BadTwin(f"{path}: {error} is missing") from None
        except (TypeError, ValueError, AttributeError) as error:
            raise BadTwin(f"{path}: {error}") from None

    def scene(self, model: Model) -> Scene | None:
        """The robot among what stands in its cell, as a cell sees it."""
        return scene_of(self._cell(), model) if self.settings.contacts else None

    def coupling(self, model: Model) -> Coupling | None:
        """Of the cell's motors, where they move the model's joints."""
        cell = self._cell()
        return bounds_of(cell, model).coupling if cell is not None else None

    def _cell(self) -> CellDescription | None:
        path = find_source(self.source)
        own = own_cell(path) if path.suffix != ".toml" else path if not is_dh(read_toml(path)) else None
        return open_cell(own).cell if own is not None else None
