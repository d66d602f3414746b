"""A BVH file's numbers, from bytes to doubles, at about a nanosecond a byte."""

import numpy as np
from numpy.typing import NDArray

from armillary.model.compiled import compiled

__all__ = ["NOT_A_NUMBER", "READ", "WRONG_COUNT", "read_numbers"]

READ, NOT_A_NUMBER, WRONG_COUNT = 0, 1, 2
_EXACT = np.uint64(2**53)  # up to here every integer is a double
_POWERS = np.array([10.0**k for k in range(23)])  # and every one of these powers of ten is too


@compiled()
def read_numbers(
    data: NDArray[np.uint8], at: int, end: int, channels: int, out: NDArray[np.float64], hard: NDArray[np.int64]
) -> tuple[int, int, int, int]:
    """Read numbers that stand between blanks and line ends.

    A number of which the digits and the power of ten are both exact doubles is rounded right by one multiplication or division;
    others are only noted, for whoever can read them right.

    Args:
        channels: How many each line must have; 0 for any.
        hard: For those that are noted: where each begins, and where in `out` it belongs, shape (n, 2).

    Returns:
        How many were read; how many of them are noted; what ended it; and where: at what is no number, or at the beginning of
        a line that has too many or too few.
    """
    count, noted, line, first = 0, 0, at, 0
    while at < end:
        byte = data[at]
        if byte == 32 or byte == 9:
            at += 1
            continue
        if byte == 10 or byte == 13:
            if channels and count != first and count - first != channels:
                return count, noted, WRONG_COUNT, line
            at += 1
            line, first = at, count
            continue
        start, negative = at, False
        if byte == 45 or byte == 43:
            negative = byte == 45
            at += 1
        digits, power, seen, significant, dots = np.uint64(0), 0, 0, 0, 0
        while at < end:
            byte = data[at]
            if 48 <= byte <= 57:
                seen += 1
                if significant < 19:
                    digits = digits * np.uint64(10) + np.uint64(byte - 48)
                    if digits:
                        significant += 1
                    power -= dots
                else:
                    significant += 1
                    power += 1 - dots
            elif byte == 46 and not dots:
                dots = 1
            else:
                break
            at += 1
        if at < end and seen and (data[at] == 101 or data[at] == 69):
            mark, below, exponent, there = at, False, 0, 0
            at += 1
            if at < end and (data[at] == 45 or data[at] == 43):
                below = data[at] == 45
                at += 1
            while at < end and 48 <= data[at] <= 57:
                exponent = min(exponent * 10 + int(data[at]) - 48, 100_000)
                there += 1
                at += 1
            if not there:
                return count, noted, NOT_A_NUMBER, mark
            power += -exponent if below else exponent
        if not seen or (at < end and data[at] != 32 and data[at] != 9 and data[at] != 10 and data[at] != 13):
            return count, noted, NOT_A_NUMBER, start
        if count >= len(out):
            return count, noted, WRONG_COUNT, line
        if significant <= 19 and digits <= _EXACT and -22 <= power <= 22:
            value = np.float64(digits)
            value = value * _POWERS[power] if power >= 0 else value / _POWERS[-power]
            out[count] = -value if negative else value
        else:
            hard[noted, 0], hard[noted, 1] = start, count
            noted += 1
        count += 1
    if channels and count != first and count - first != channels:
        return count, noted, WRONG_COUNT, line
    return count, noted, READ, at
