"""Programs that a cell has at its first start, so that there is something to look at, to run and to change."""

from collections.abc import Mapping

__all__ = ["sample_programs"]

_WELCOME = """\
# Welcome. Robot commands: one a line, in mm and degrees (docs/robot-commands.md).
# From where the tool is, 30 mm up and back again, twice; it ends where it began.
MESSAGE "hello"
FOR i = 1 TO 2
  DMOVE 0 0 30 0 0 0 [50 mm/s]
  DMOVE 0 0 -30 0 0 0 [50 mm/s]
END
MESSAGE "done"
"""
_SQUARE = """\
(A square of 40 mm with rounded corners, twice, from where the tool is; upright, so that it is free of the table.)
G21 G91 G64 P0.5 F3000
#<side> = 40
o1 repeat [2]
  G1 Z[#<side>]
  G1 Y[#<side>]
  G1 Z[-#<side>]
  G1 Y[-#<side>]
o1 endrepeat
(MSG,the square is done)
M2
"""
_PAPER_5 = """\
(The loop of paper 5: eight moves of the tool beside the pedestal, three rounds. X Y Z in mm, A B C in degrees.)
#1 = 0
o101 while [#1 LT 3]
  G0 X100 Y-450 Z-280 A10 B75 C-75
  G0 X0 Y-450 Z-280 A10 B75 C-75
  G0 X-100 Y-450 Z-280 A20 B75 C-75
  G0 X-200 Y-450 Z-280 A30 B75 C-75
  G0 X-100 Y-450 Z-280 A20 B75 C-75
  G0 X100 Y-450 Z-280 A0 B75 C-75
  G0 X200 Y-450 Z-180 A10 B75 C-75
  G0 X200 Y-450 Z-280 A10 B75 C-75
  #1 = [#1 + 1]
o101 endwhile
M2
"""
_PAPER_2 = """\
# The three commands of paper 2, as they are printed there.
P0001 MOVEJ_RPY_LSPB {TCP} 0.00 1174.40 1176.00 0.00 0.00 0.00 [20] (mm,deg,s) {B}
P0002 MOVEJ_SPLINE_LSPB {TCP} 0.00 0.00 0.00 0.00 0.00 0.00; 30.00 15.00 30.00 -15.00 20.00 15.00; 0.00 0.00 0.00 0.00 0.00 0.00 [20] (mm,deg,s) {B}
P0003 STOP
"""  # noqa: E501
_OF_ROBOTS = {"cobot6": {"paper5.ngc": _PAPER_5}, "industrial6": {"paper2.arm": _PAPER_2}}


def sample_programs(robot: str) -> Mapping[str, str]:
    """Texts by file name. Those that go anywhere but from where the robot stands only for the robot that they are meant for.

    Args:
        robot: Its name, as its description says it.
    """
    return {"welcome.arm": _WELCOME, "square.ngc": _SQUARE} | _OF_ROBOTS.get(robot, {})
