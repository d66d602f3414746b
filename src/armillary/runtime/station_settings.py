"""What a station is to run: written once into its folder, read by each of its processes."""

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from armillary.runtime.errors import RuntimeProblem

__all__ = ["PACES", "StationSettings"]

PACES = ("real", "fast", "lock_step")
_FILE = "settings.json"


@dataclass(frozen=True, kw_only=True)
class StationSettings:
    """What is to run, and how.

    Attributes:
        source: Of the robot, as for `load_model`.
        group: Of its joints; "" for all.
        driver: The motor side: "physics", "ideal", or another by name.
        options: What the driver is told.
        start: Where a robot that is not real begins, in the model's order; empty for the cell's home.
        period: Of a tick [s].
        pace: "real" time, "fast" (as fast as it goes), or "lock_step" (fast, and time stands still while nothing moves).
        real_time: Take a core and real-time priority; otherwise it sleeps between ticks and is less punctual.
        patience: How late a tick may be, and how long a simulated motor side waits for one [s]; 0 for 0.02 with real time, and
            0.1 without.
        goes_on: Motion goes on when the front is silent; it stops on the path otherwise.
        record: Whether everything is recorded.
        recordings: Into which folder; "" for the usual one.
        twin: Settings of the physics twin.
        pendant: Where the teach pendant listens: host and port; empty for none.
        rosbridge: Likewise of rosbridge, and how often it tells of the joints (rate [Hz]); empty for none.
    """

    source: str
    group: str = ""
    driver: str = "physics"
    options: dict[str, Any] = field(default_factory=dict)
    start: tuple[float, ...] = ()
    period: float = 0.001
    pace: str = "real"
    real_time: bool = True
    patience: float = 0.0
    goes_on: bool = False
    record: bool = True
    recordings: str = ""
    twin: dict[str, Any] = field(default_factory=dict)
    pendant: dict[str, Any] = field(default_factory=dict)
    rosbridge: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.pace not in PACES:
            raise RuntimeProblem(f"there is no pace '{self.pace}'; there are: {', '.join(PACES)}")
        if self.rosbridge and self.steps:
            raise RuntimeProblem(
                f"a rosbridge keeps the time of the clock, and the pace '{self.pace}' none; leave out one of them"
            )
        if not 0.0 <= self.patience <= 10.0:
            raise RuntimeProblem(f"a patience of {self.patience} s; give 0 to 10 s")
        if not 0.001 <= self.period <= 0.004:
            raise RuntimeProblem(f"ticks of {self.period} s; give 0.001 to 0.004 s (1000 to 250 Hz)")

    @property
    def borne(self) -> float:
        """How late a tick may be [s]."""
        return self.patience or (0.02 if self.real_time or self.steps else 0.1)

    @property
    def steps(self) -> bool:
        """Whether time is counted in ticks and not by a clock."""
        return self.pace != "real"

    def write(self, folder: Path) -> None:
        (folder / _FILE).write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, folder: Path) -> "StationSettings":
        """Raises:
        RuntimeProblem: There are none, or another version wrote them.
        """
        try:
            values = json.loads((folder / _FILE).read_text())
        except (OSError, ValueError) as error:
            raise RuntimeProblem(f"{folder}: this is no station's folder: {error}") from None
        known = {each.name for each in fields(cls)}
        if set(values) != known:
            raise RuntimeProblem(f"{folder}: another version of Armillary runs there")
        values["start"] = tuple(values["start"])
        return cls(**values)
