"""What an axis definition says: `#3->29308.7083Y + 29308.7083Z`, counts of a motor per unit of each axis, and an offset."""

import re
from dataclasses import dataclass

from armillary.emulators.pmac.refusal import Code, Refusal

__all__ = ["AXES", "AxisDefinition", "read_axis_definition"]

AXES = "ABCUVWXYZ"  # in the order of PMAC's Q-variables
_TRIPLES = ("XYZ", "UVW")
_PART = re.compile(r"\s*([+-]?)\s*(\d+\.?\d*|\.\d+)?\s*([A-CU-Z])?")


@dataclass(frozen=True)
class AxisDefinition:
    """How a motor follows the axes of its coordinate system.

    Attributes:
        scales: Counts per unit, by axis.
        offset: Counts at which all its axes are zero.
    """

    scales: dict[str, float]
    offset: float = 0.0

    @property
    def text(self) -> str:
        parts = "".join(f"{scale:+.12g}{axis}" for axis, scale in self.scales.items())
        return parts.lstrip("+") + (f"{self.offset:+.12g}" if self.offset else "")


def read_axis_definition(text: str) -> AxisDefinition:
    """Read what stands behind the arrow.

    Several axes in one definition must be of one triple, X Y Z or U V W: rotary axes A, B and C take one motor each (PMAC User
    Manual, axis types).

    Raises:
        Refusal: It is no axis definition.
    """
    scales: dict[str, float] = {}
    offset, at, body = 0.0, 0, text.upper().strip()
    while at < len(body):
        found = _PART.match(body, at)
        if found is None or found.end() == at or not (found.group(2) or found.group(3)) or (at > 0 and not found.group(1)):
            raise Refusal(Code.SYNTAX)
        number = float(found.group(2) or 1.0) * (-1.0 if found.group(1) == "-" else 1.0)
        axis = found.group(3)
        if axis is None:
            offset += number
        elif axis in scales:
            raise Refusal(Code.SYNTAX)
        else:
            scales[axis] = number
        at = found.end()
        while at < len(body) and body[at] == " ":
            at += 1
    if not scales or (len(scales) > 1 and not any(set(scales) <= set(triple) for triple in _TRIPLES)):
        raise Refusal(Code.SYNTAX)
    return AxisDefinition(scales, offset)
