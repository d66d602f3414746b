"""The link's messages: what is sent comes back, what is none is refused in words, and the browser's side is made from ours."""

import json
import math
import types
import typing
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from armillary.interfaces.http.messages import FROM_BROWSER, TO_BROWSER, Jog, Motion, Notice, Ping
from armillary.interfaces.http.typescript import typescript
from armillary.interfaces.http.wire import BadMessage, Message, Record, decode, encode, fields_of

KINDS = {kind.key: kind for kind in (*TO_BROWSER, *FROM_BROWSER)}
HEARD = {kind.key: kind for kind in FROM_BROWSER}
NUMBERS = st.floats(-1e12, 1e12, allow_nan=False)


def values_of(of: Any) -> st.SearchStrategy[Any]:
    """Values of a field of this type."""
    origin, args = typing.get_origin(of), typing.get_args(of)
    if origin in (typing.Union, types.UnionType):
        return st.none() | values_of(args[0])
    if origin is tuple:
        return st.lists(values_of(args[0]), max_size=8).map(tuple)
    if is_dataclass(of):
        return records_of(typing.cast(type[Record], of))
    texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    kinds: dict[Any, st.SearchStrategy[Any]] = {
        float: NUMBERS,
        int: st.integers(-(2**50), 2**50),
        str: texts,
        bool: st.booleans(),
    }
    return kinds[of]


def records_of(kind: type[Record]) -> st.SearchStrategy[Any]:
    return st.tuples(*(values_of(of) for of in fields_of(kind).values())).map(lambda values: kind(*values))


MESSAGES = st.one_of([records_of(kind) for kind in KINDS.values()])


def nearly(one: Any, other: Any) -> bool:
    """The same, numbers to eight digits."""
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-7, abs_tol=1e-12)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(nearly(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, Record):
        return all(nearly(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return bool(one == other)


@given(MESSAGES)
def test_what_is_sent_comes_back(message: Message) -> None:
    text = encode(message)
    if len(text) <= 4096:
        back = decode(text, KINDS)
        assert type(back) is type(message) and nearly(message, back)


def test_what_is_no_number_is_null() -> None:
    nothing = (math.nan, math.inf)
    message = Motion(math.nan, nothing, (), (), (), nothing, (), (), (), (), (), 0.0, 0.0, 0.0, None, 0.0)
    said = json.loads(encode(message))
    assert said[1] is None and said[2] == [None, None] and said[6] == [None, None]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.sampled_from(list(HEARD)),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=15,
)


@given(st.one_of(st.text(max_size=200), st.binary(max_size=200), JSON.map(json.dumps)))
@example("[" * 4000)
@example('["jog",' + "[" * 900 + "]" * 900 + ',[],""]')
@example('["ping",' + "9" * 4000 + "]")
@example('["ping",1e999]')
@example('["jog","joints",[NaN],""]')
@example('["jog","joints",[1e300],""]')
@example('["jog","\\ud800",[],""]')
@example('["stop",true]')
@example('["jog","joints",' + json.dumps([0.0] * 1025) + ',""]')
@example("")
@example(b"\xff\xfe[")
def test_whatever_comes_is_a_message_or_is_refused_in_words(text: str | bytes) -> None:
    try:
        message = decode(text, HEARD)
    except BadMessage as error:
        said = str(error)
    else:
        assert type(message) in FROM_BROWSER
        said = encode(message)
    assert said.encode() and len(said) < 5000


@given(st.sampled_from(list(HEARD)), st.lists(JSON, max_size=4))
def test_what_is_taken_has_the_types_it_says(key: str, values: list[Any]) -> None:
    try:
        message = decode(json.dumps([key, *values]), HEARD)
    except BadMessage:
        return
    for name, of in fields_of(type(message)).items():
        value = getattr(message, name)
        if of in (float, int, str, bool):
            assert type(value) is of
            assert not isinstance(value, float) or math.isfinite(value)


def test_a_long_message_is_not_even_read() -> None:
    with pytest.raises(BadMessage, match="most"):
        decode('["ping",1' + " " * 40000 + "]", HEARD)


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(BadMessage, match="Jog's speeds"):
        decode('["jog","joints",["fast"],""]', HEARD)
    with pytest.raises(BadMessage, match="begins with one of: ping"):
        decode('["fire"]', HEARD)
    with pytest.raises(BadMessage, match="Ping has 1 values: number"):
        decode('["ping"]', HEARD)


def test_every_kind_has_its_own_key() -> None:
    assert len(KINDS) == len(TO_BROWSER) + len(FROM_BROWSER) and all(KINDS)
    assert Notice.queued and not Motion.queued and Ping.key == "ping" and Jog.key == "jog"


def test_the_browsers_side_is_made_from_ours() -> None:
    file = Path(__file__).parents[3] / "web" / "src" / "messages.ts"
    assert file.read_text(encoding="utf-8") == typescript(), "run: make messages"
