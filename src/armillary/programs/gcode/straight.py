"""Commands of straight moves, made quickly: there are as many of them as a program has lines."""

from armillary.programs.commands import SourceLine
from armillary.programs.gcode.canon import Canon, Position, StraightFeed, StraightTraverse

__all__ = ["source_line", "straight"]

# A frozen dataclass sets its fields through object.__setattr__ by name, which takes twice as long as its slots' own setters.
_new = object.__new__
_set_source = Canon.__dict__["source"].__set__
_set_feed_position = StraightFeed.__dict__["position"].__set__
_set_traverse_position = StraightTraverse.__dict__["position"].__set__


def source_line(file: str, line: int) -> SourceLine:
    """A SourceLine."""
    made = _new(SourceLine)
    fields = made.__dict__
    fields["file"], fields["line"] = file, line
    return made


def straight(motion: int, source: SourceLine, position: Position) -> StraightFeed | StraightTraverse:
    """A StraightTraverse for motion 0, a StraightFeed for any other."""
    if motion:
        feed = _new(StraightFeed)
        _set_source(feed, source)
        _set_feed_position(feed, position)
        return feed
    traverse = _new(StraightTraverse)
    _set_source(traverse, source)
    _set_traverse_position(traverse, position)
    return traverse
