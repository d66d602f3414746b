"""What a cell's station is started with: what its cell.toml says, and what was asked for over that."""

from collections.abc import Mapping, Sequence
from typing import Any

from armillary.runtime.prepared import description_of
from armillary.runtime.station_settings import StationSettings

__all__ = ["settings_of"]


def settings_of(
    source: str, *, driver: str = "", options: Mapping[str, Any] | None = None, twin: Mapping[str, Any] | None = None,
    start: Sequence[float] | Any = None, recordings: str = "", **asked: Any,
) -> StationSettings:  # fmt: skip
    """The settings for a source.

    Args:
        driver, options, twin, start, recordings: Over what the cell says, where they are given.
        asked: Other settings, as they are.

    Raises:
        RuntimeProblem: One that is none.
    """
    settings, description = dict[str, Any](source=str(source), **asked), description_of(source)
    if description is not None:
        settings["driver"], settings["options"] = description.driver.name, dict(description.driver.options)
        settings["period"], settings["goes_on"] = 1.0 / description.station.rate, description.station.goes_on
        settings["twin"] = dict(description.twin)
        if description.station.recordings is not None:
            settings["recordings"] = str(description.station.recordings)
    if driver and driver != settings.get("driver"):
        settings["driver"], settings["options"] = driver, {}
    settings["twin"] = {**settings.get("twin", {}), **(twin or {})}
    settings["options"] = {**settings.get("options", {}), **(options or {})}
    if recordings:
        settings["recordings"] = recordings
    if start is not None:
        settings["start"] = tuple(float(value) for value in start)
    return StationSettings(**settings)
