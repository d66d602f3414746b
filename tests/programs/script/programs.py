"""Random programs as statements: what the laws of printing and reading are tried on."""

from hypothesis import strategies as st

from armillary.programs.script.expressions import Binary, Call, Name, Part, Unary, Value
from armillary.programs.script.statements import (
    Assignment,
    Branch,
    Comment,
    DwellTime,
    For,
    FrameChoice,
    Goto,
    If,
    InputWait,
    Label,
    Message,
    Motion,
    OutputSetting,
    PauseHere,
    PointDeclaration,
    Return,
    SpeedChoice,
    Statement,
    StopHere,
    Sub,
    SubCall,
    Timing,
    ToolChoice,
    Units,
    UnitsChoice,
    While,
)

__all__ = ["bodies", "numbers", "programs", "values"]

names = st.sampled_from(["a", "b1", "Count", "höhe", "P1", "e5", "x"])
frames = st.sampled_from(["TCP", "B", "table", "my frame", "", "IF", "a-b"])
indices = st.sampled_from(["", "", "P0001", "n12"])
comments = st.sampled_from(["", "", "", "# said", '#"quoted" {x} #', "#"])
numbers = st.one_of(
    st.integers(-500, 500).map(float),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3)),
    st.floats(allow_nan=False, allow_infinity=False),
)


def _grown(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(
        st.builds(Binary, st.sampled_from(["+", "-", "*", "/", "%", "^", "<", "==", ">=", "!=", "AND", "OR"]), inner, inner),
        st.builds(Unary, st.sampled_from(["-", "NOT"]), inner),
        st.builds(Call, st.sampled_from(["sin", "floor", "INPUT", "ANALOG"]), st.tuples(inner)),
        st.builds(Call, st.just("min"), st.lists(inner, min_size=1, max_size=3).map(tuple)),
        st.builds(Call, st.just("atan2"), st.tuples(inner, inner)),
        st.builds(Call, st.just("CAME"), st.just(())),
    )


_PARTS = st.builds(Part, names, st.sampled_from(["x", "z", "roll", "j2"]))
values: st.SearchStrategy[Value] = st.recursive(st.one_of(numbers, st.builds(Name, names), _PARTS), _grown, max_leaves=8)


rows = st.lists(values, min_size=6, max_size=6).map(tuple)
points = st.builds(Name, names).map(lambda name: (name,))
units = st.builds(
    Units, st.sampled_from(["", "mm", "in", "m"]), st.sampled_from(["", "deg", "rad"]), st.sampled_from(["", "s", "ms", "min"])
).filter(lambda found: found != Units())
some_units = st.one_of(st.none(), units)
plane_units = st.one_of(st.none(), st.sampled_from([Units("mm", "deg"), Units("m"), Units("", "rad")]))
time_units = st.one_of(st.none(), st.sampled_from([Units("", "", "s"), Units("", "", "min")]))
times = st.builds(Timing, values, st.sampled_from(["", "s", "ms", "min"]))
speeds = st.builds(Timing, values, st.sampled_from(["%", "mm/s", "m/min", "in/s"]))
_SHARE, _TOOL = st.builds(Timing, values, st.just("%")), st.builds(Timing, values, st.sampled_from(["mm/s", "m/s"]))


def _common() -> dict[str, st.SearchStrategy[str]]:
    return {"index": indices, "comment": comments}


def _motion(name: str, groups: st.SearchStrategy[tuple[tuple[Value, ...], ...]]) -> st.SearchStrategy[Motion]:
    suffix = st.sampled_from(["", "LSPB", "QUINTIC", "TOPT", "JERK"])
    shared = {"moving": st.one_of(st.none(), frames), "units": some_units, "frame": st.one_of(st.none(), frames), **_common()}
    timed = st.builds(
        Motion, name=st.just(name), suffix=suffix, groups=groups, timing=st.one_of(st.none(), times, speeds), **shared
    )
    if name.endswith("SPLINE"):
        return timed
    blended = st.builds(
        Motion,
        name=st.just(name),
        groups=groups,
        timing=st.one_of(st.none(), speeds),
        blend=st.one_of(st.none(), values),
        **shared,
    )
    return st.one_of(timed, blended)


motions = st.one_of(
    *(_motion(name, st.one_of(rows, points).map(lambda row: (row,))) for name in ("MOVEJ", "MOVEJ_RPY", "MOVEL")),
    *(_motion(name, rows.map(lambda row: (row,))) for name in ("DMOVE", "DMOVEJ")),
    _motion("MOVEC", st.tuples(st.one_of(rows, points, rows.map(lambda row: row[:3])), st.one_of(rows, points))),
    *(_motion(f"MOVE{kind}_SPLINE", st.lists(st.one_of(rows, points), min_size=1, max_size=3).map(tuple)) for kind in "JL"),
    st.builds(
        Motion, name=st.just("MOVEL"), groups=rows.map(lambda row: (row,)), tolerance=values, **_common(),
    ),
)  # fmt: skip
waits = st.one_of(
    st.builds(
        InputWait, port=values, condition=st.sampled_from(["HIGH", "RISE"]), timeout=st.one_of(st.none(), times), **_common(),
    ),
    st.builds(
        InputWait, port=values, condition=st.just("BELOW"), value=values, timeout=times, optional=st.booleans(), **_common(),
    ),
)  # fmt: skip
texts = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=6)
simple: st.SearchStrategy[Statement] = st.one_of(
    motions,
    motions,
    waits,
    st.builds(Comment, text=st.sampled_from(["", "# alone", "#", "#x"])),
    st.builds(StopHere, **_common()),
    st.builds(Return, **_common()),
    st.builds(PauseHere, optional=st.booleans(), **_common()),
    st.builds(Assignment, name=names, value=values, comment=comments),
    st.builds(DwellTime, value=values, units=time_units, **_common()),
    st.builds(OutputSetting, port=values, value=st.one_of(st.booleans(), values), **_common()),
    st.builds(ToolChoice, name=frames, **_common()),
    st.builds(FrameChoice, name=frames, **_common()),
    st.builds(SpeedChoice, speeds=st.one_of(st.tuples(_SHARE), st.tuples(_TOOL, _SHARE)), **_common()),
    st.builds(UnitsChoice, units=units, **_common()),
    st.builds(Message, pieces=st.lists(st.one_of(texts, values), min_size=1, max_size=3).map(tuple), **_common()),
    st.builds(
        PointDeclaration, joints=st.just(False), name=names, values=rows, units=plane_units, frame=st.one_of(st.none(), frames),
        **_common(),
    ),
    st.builds(PointDeclaration, joints=st.just(True), name=names, values=rows, units=plane_units, **_common()),
    st.builds(SubCall, name=st.just("help"), arguments=st.tuples(values, values), **_common()),
    st.builds(Goto, name=st.just("top"), **_common()),
)  # fmt: skip


def _is_blank(statement: Statement) -> bool:
    return isinstance(statement, Comment) and not statement.text


def _tidy(statements: list[Statement]) -> tuple[Statement, ...]:
    """As a reader keeps empty lines: one at a time, none at the ends."""
    kept: list[Statement] = []
    for statement in statements:
        if not _is_blank(statement) or (kept and not _is_blank(kept[-1])):
            kept.append(statement)
    return tuple(kept[:-1] if kept and _is_blank(kept[-1]) else kept)


def _blocks(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    body = st.lists(inner, max_size=3).map(_tidy)
    branch = st.builds(Branch, condition=values, body=body, comment=comments)
    last = st.builds(Branch, condition=st.none(), body=body, comment=comments)
    steps = st.one_of(st.none(), values.filter(lambda value: value != 0.0))
    branches = st.tuples(st.lists(branch, min_size=1, max_size=2), st.lists(last, max_size=1)).map(lambda two: (*two[0], *two[1]))
    return st.one_of(
        st.builds(If, branches=branches, end_comment=comments, index=indices),
        st.builds(While, condition=values, body=body, end_comment=comments, **_common()),
        st.builds(For, name=names, first=values, last=values, step=steps, body=body, end_comment=comments, **_common()),
    )


bodies = st.lists(st.recursive(simple, _blocks, max_leaves=6), max_size=6).map(_tidy)


@st.composite
def programs(draw: st.DrawFn) -> tuple[Statement, ...]:
    """Statements that are a whole program: with the label and the subroutine that jumps and calls in it lead to."""
    body = draw(bodies)
    sub = Sub(name="help", parameters=("a", "b1"), body=(Label(name="top"), *draw(bodies)), comment=draw(comments))
    return (Label(name="top"), *body, sub)
