"""What is wrong with JSON, in plain words."""

import msgspec
import pytest

from oddsdesk.contract.texts import json_words, shown


@pytest.mark.parametrize(("value", "text"), [("bwin", "'bwin'"), ("a\nb", r"'a\nb'"), (-1, "-1")])
def test_short_values_are_shown_whole_and_on_one_line(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize("value", ["x" * 10**6, 10**4000, [["x" * 10**6]] * 50])
def test_long_values_are_cut(value: object) -> None:
    assert "..." in shown(value)
    assert len(shown(value)) < 600


class _Part(msgspec.Struct):
    price: float


class _Row(msgspec.Struct):
    name: str | None = None
    parts: list[_Part] = []
    by_day: dict[int, bool] = {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "expected an object, got a list"),
        ('{"name": 1}', "name: expected a text or null, got a whole number"),
        ('{"parts": [{"price": 1}, {}]}', "parts, item 2, price is missing"),
        ('{"parts": [{"price": "1"}]}', "parts, item 1, price: expected a number, got a text"),
        ('{"by_day": {"1": null}}', "by_day, a value: expected true or false, got null"),
        ('{"by_day": {"Monday": true}}', "by_day, a name: expected a whole number, got a text"),
        ('{"parts": [{"price": 1e999}]}', "parts, item 1, price: the number is out of range"),
        ("nonsense", "this is not JSON: invalid character (byte 4)"),
        ('{"name": ', "this is incomplete JSON: it ends too early"),
    ],
)
def test_the_place_and_what_was_expected_are_said_in_plain_words(text: str, words: str) -> None:
    with pytest.raises(msgspec.DecodeError) as refused:
        msgspec.json.decode(text, type=_Row)
    assert json_words(refused.value) == words


def test_what_is_not_known_is_left_as_it_is() -> None:
    assert json_words(msgspec.ValidationError("Odd - at `$.a`")) == "a: Odd"
    assert json_words(msgspec.DecodeError("Odd")) == "Odd"
