"""Every shape of a v4 answer is read, everything else is refused by name."""

import json
from pathlib import Path

import pytest

from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.parts import read_as
from oddsdesk.feeds.the_odds_api.shapes import Outcome, moment, read_answer

EVENT = {"id": "1", "bookmakers": []}


def answer(raw: object) -> list[object]:
    return read_answer(json.dumps(raw).encode()).events


def test_an_array_one_event_and_an_empty_array_are_answers() -> None:
    assert answer([EVENT]) == [EVENT]
    assert answer(EVENT) == [EVENT]
    assert answer([]) == []


@pytest.mark.parametrize("data", [[EVENT], EVENT])
def test_history_wraps_either_and_gives_the_time(data: object) -> None:
    read = read_answer(json.dumps({"timestamp": "2026-04-16T19:00:00Z", "data": data}).encode())
    assert read.events == [EVENT]
    assert read.timestamp == 1_776_366_000_000


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ([{"sites": []}], "dead v3"),
        ({"success": True, "data": [{"sites": []}]}, "dead v3"),
        ({"last_updated": "", "props": []}, "flat list of player props"),
        ({"message": "Invalid key", "error_code": "X"}, "Invalid key"),
        ({"a": 1, "b": 2}, "one object with a, b"),
        ([1, 2], "holds none"),
        ([{"home_team": "A", "commence_time": "", "scores": None}], "these are scores"),
        ([{"home_team": "A", "commence_time": ""}], "these are events without odds"),
        ([{"home_team": "A", "scraped_date": "", "match_link": ""}], "import oddsharvester"),
        ("text", "holds none"),
        ({"timestamp": "yesterday", "data": []}, "ISO-8601"),
    ],
)
def test_other_shapes_are_refused_with_what_they_are(raw: object, reason: str) -> None:
    with pytest.raises(FeedError, match=reason):
        answer(raw)


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(FeedError, match=r"expected a v4 odds answer .* no JSON"):
        read_answer(b"<html>")


def test_times_are_iso_or_unix_seconds() -> None:
    assert moment("2026-04-16T19:00:00Z") == moment(1_776_366_000) == 1_776_366_000_000
    with pytest.raises(FeedError, match="offset"):
        moment("2026-04-16T19:00:00")


def test_a_field_of_another_type_is_named() -> None:
    with pytest.raises(FeedError, match=r"price"):
        read_as(Outcome, {"name": "Over", "price": [2.0]})


def test_the_real_dead_shape_is_refused(shared_data: Path) -> None:
    shapes = shared_data / "the-odds-api" / "other-shapes"
    with pytest.raises(FeedError, match="dead v3"):
        read_answer((shapes / "legacy_v3_odds_mlb_2024-07-09.json").read_bytes())
