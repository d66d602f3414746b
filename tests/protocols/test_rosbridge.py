"""rosbridge's packing: fragments in any order and within bounds, pictures that others read, CBOR's own examples."""

import base64
import io
import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.protocols.rosbridge import BadFrame, Fragments, as_cbor, as_json, as_png, in_fragments, read_frame


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe", "this is no JSON"),
        ("{", "this is no JSON"),
        ("[" * 100_000, "this is no JSON"),
        ("[1]", 'an object with an "op" is expected'),
        ('{"op": 3}', 'an object with an "op" is expected'),
        ('{"op": "publish", "msg": ' + "[" * 60 + "]" * 60 + "}", "nested deeper than 40 levels"),
    ],
)
def test_what_is_no_frame_is_refused(data: str | bytes, said: str) -> None:
    with pytest.raises(BadFrame, match=said):
        read_frame(data)


def test_text_and_bytes_are_read_alike_and_what_goes_out_is_plain_ascii() -> None:
    said = {"op": "publish", "msg": {"data": "é🤖"}}
    assert read_frame(as_json(said)) == read_frame(as_json(said).encode()) == said
    assert as_json(said).isascii()


@given(st.text(max_size=400), st.integers(16, 200), st.randoms())
def test_fragments_come_together_in_any_order(text: str, size: int, order: random.Random) -> None:
    whole = as_json({"op": "publish", "msg": text})
    parts = in_fragments(whole, size, "7")
    if len(whole) <= size:
        assert parts == [whole]
        return
    order.shuffle(parts)
    fragments = Fragments()
    found = [fragments.add(read_frame(part)) for part in parts]
    assert found[:-1] == [None] * (len(parts) - 1) and found[-1] == whole


def test_fragments_of_several_messages_at_once_and_what_never_ends() -> None:
    fragments = Fragments()
    one = [read_frame(part) for part in in_fragments("a" * 40, 20, "one")]
    two = [read_frame(part) for part in in_fragments("b" * 40, 20, "two")]
    assert fragments.add(one[0], now=0.0) is None and fragments.add(two[0], now=1.0) is None
    assert fragments.add(two[1], now=2.0) == "b" * 40
    assert fragments.add(one[1], now=30.0) is None, "its first part is too old"
    for k in range(1000):
        fragments.add({"id": str(k), "data": "x", "num": 0, "total": 2}, now=31.0)
    assert len(fragments._begun) <= 16, "nobody fills the memory with what is half done"


@pytest.mark.parametrize(
    "said",
    [
        {"id": "a", "data": "x", "num": 2, "total": 2},
        {"id": "a", "data": "x", "num": -1, "total": 2},
        {"id": "a", "data": "x", "num": 0, "total": 10**9},
        {"id": "a", "data": 3, "num": 0, "total": 2},
        {"id": None, "data": "x", "num": 0, "total": 2},
        {"id": "a", "data": "x", "num": True, "total": 2},
    ],
)
def test_what_is_no_fragment_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(BadFrame):
        Fragments().add(said)


@pytest.mark.parametrize("text", ["", "{}", "x" * 1000, json.dumps({"data": list(range(300))})])
def test_a_picture_has_the_text_as_its_pixels(text: str) -> None:
    from matplotlib import image

    pixels = image.imread(io.BytesIO(base64.b64decode(as_png(text))))
    data = np.round(255.0 * pixels[..., :3]).astype(np.uint8).tobytes()
    assert data.rstrip(b"\n").decode() == text


# The examples of RFC 8949, appendix A, and of RFC 8746.
@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, "00"), (23, "17"), (24, "1818"), (1000, "1903e8"), (1000000, "1a000f4240"), (1000000000000, "1b000000e8d4a51000"),
        (-1, "20"), (-1000, "3903e7"), (1.1, "fb3ff199999999999a"), (False, "f4"), (True, "f5"), (None, "f6"), ("", "60"),
        ("IETF", "6449455446"), ("ü", "62c3bc"), (b"\x01\x02", "420102"), ([1, [2, 3]], "8201820203"),
        ({"a": 1, "b": [2, 3]}, "a26161016162820203"), (np.array([1.0]), "d85648000000000000f03f"),
        (np.array([1, 2], np.uint8), "d840420102"), (np.array([-1], np.int32), "d84e44ffffffff"),
    ],
)  # fmt: skip
def test_cbor_is_as_its_rules_show(value: Any, data: str) -> None:
    assert as_cbor(value).hex() == data


def test_what_cannot_be_written_in_cbor_is_refused() -> None:
    for value in (object(), 2**70, np.array(["a"])):
        with pytest.raises(BadFrame):
            as_cbor(value)
