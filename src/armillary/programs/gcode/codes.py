"""The G and M codes: modal groups, the words that each takes, and those that are refused. G codes are in tenths: G92.1 is 921."""

import difflib

from armillary.programs.gcode.errors import LineFault

__all__ = [
    "AXES",
    "AXIS_USERS",
    "CYCLES",
    "G_GROUPS",
    "LARGEST",
    "MOTIONS",
    "M_GROUPS",
    "WORDS_OF_G",
    "WORDS_OF_M",
    "check_g",
    "check_m",
    "g_name",
]

AXES = "xyzabcuvw"
LARGEST = 1e12  # of a word; sums of such numbers stay finite
CYCLES = frozenset({730, 810, 820, 830, 850, 860, 870, 880, 890})
MOTIONS = frozenset({0, 10, 20, 30, 800}) | CYCLES
AXIS_USERS = frozenset({100, 280, 300, 520, 920, 431, 432})  # codes of group 0 and 8 that take axis words themselves

G_GROUPS: dict[int, int] = {
    **dict.fromkeys(MOTIONS, 1),
    **dict.fromkeys((40, 100, 280, 281, 300, 301, 520, 530, 920), 0),
    **dict.fromkeys((921, 922, 923), 15),
    **dict.fromkeys((170, 180, 190), 2),
    **dict.fromkeys((900, 910), 3),
    **dict.fromkeys((901, 911), 4),
    **dict.fromkeys((930, 940), 5),
    **dict.fromkeys((200, 210), 6),
    400: 7,
    **dict.fromkeys((430, 431, 432, 490), 8),
    **dict.fromkeys((980, 990), 10),
    **dict.fromkeys((540, 550, 560, 570, 580, 590, 591, 592, 593), 12),
    **dict.fromkeys((610, 611, 640), 13),
    **dict.fromkeys((960, 970), 14),
}
M_GROUPS: dict[int, int] = {
    **dict.fromkeys((0, 1, 2, 30, 60, 99), 4),
    **dict.fromkeys((62, 63, 64, 65, 66, 67, 68), 5),
    **dict.fromkeys((6, 61), 6),
    **dict.fromkeys((3, 4, 5, 19), 7),
    7: 8,
    8: 8,
    9: 8,
    **dict.fromkeys((48, 49, 50, 51, 52, 53), 9),
    **dict.fromkeys((70, 71, 72, 73), 10),
    98: 11,
}
WORDS_OF_G: dict[int, str] = {
    0: AXES, 10: AXES, 20: AXES + "ijkrp", 30: AXES + "ijkrp", 40: "p", 100: AXES + "lprijq", 280: AXES, 300: AXES, 520: AXES,
    920: AXES, 430: "h", 431: AXES, 432: AXES + "h", 640: "pq", 730: AXES + "rqlp", 810: AXES + "rlp", 820: AXES + "rlp",
    830: AXES + "rlpq", 850: AXES + "rl", 860: AXES + "rlp", 870: AXES + "rlijk", 880: AXES + "rlp", 890: AXES + "rlp", 960: "d",
}  # fmt: skip
WORDS_OF_M: dict[int, str] = {
    19: "rpq", 50: "p", 51: "p", 52: "p", 53: "p", 61: "q", 62: "p", 63: "p", 64: "p", 65: "p", 66: "pelq", 67: "eq", 68: "eq",
    98: "pl",
}  # fmt: skip
_REFUSED_G = {
    **dict.fromkeys((410, 411, 420, 421), "cutter compensation"),
    **dict.fromkeys((70, 80), "lathe mode"),
    **dict.fromkeys((330, 331, 760), "threading"),
    **dict.fromkeys((382, 383, 384, 385), "probing"),
    **dict.fromkeys((50, 51, 52, 53), "splines"),
    **dict.fromkeys((740, 840), "tapping"),
    **dict.fromkeys((700, 710, 711, 712, 720, 721, 722), "lathe cycles"),
    **dict.fromkeys((171, 181, 191), "planes of u, v, w"),
    950: "feed per revolution",
}


def g_name(code: int) -> str:
    """G92.1 from 921."""
    return f"G{code // 10}" + (f".{code % 10}" if code % 10 else "")


def check_g(code: int, column: int) -> None:
    """Raise a fault for a G code that is not taken."""
    if code in G_GROUPS:
        return
    if code in _REFUSED_G:
        raise LineFault(f"{g_name(code)} is {_REFUSED_G[code]}, which is not supported", "remove it, or run it elsewhere", column)
    near = difflib.get_close_matches(g_name(code), map(g_name, G_GROUPS), 1)
    raise LineFault(f"there is no {g_name(code)}", f"expected a G code{f'; the nearest is {near[0]}' if near else ''}", column)


def check_m(code: int, column: int) -> None:
    """Raise a fault for an M code that is not taken."""
    if code not in M_GROUPS:
        near = difflib.get_close_matches(f"M{code}", [f"M{known}" for known in M_GROUPS], 1)
        raise LineFault(f"there is no M{code}", f"expected an M code{f'; the nearest is {near[0]}' if near else ''}", column)
