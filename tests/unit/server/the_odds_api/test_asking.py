"""Parameters are read as The Odds API reads them, and refused with its codes."""

import contextlib
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.server.the_odds_api.asking import (
    Asked,
    TurnedDown,
    iso,
    read_query,
    require_bookmakers,
)


def read(**said: str) -> Asked:
    return read_query(urlencode({"apiKey": "any", **said}).encode())


def refusal(raw: bytes) -> TurnedDown:
    with pytest.raises(TurnedDown) as refused:
        read_query(raw)
    return refused.value


def test_defaults_are_theirs() -> None:
    asked = read()
    assert asked.markets == ("h2h",)
    assert (asked.regions, asked.bookmakers, asked.event_ids, asked.date) == (None,) * 4
    assert not any((asked.is_american, asked.is_unix, asked.links, asked.lists_all))


def test_lists_may_have_blanks_and_come_in_parts() -> None:
    assert read(regions="us, UK,").regions == {"us", "uk"}
    asked = read_query(b"apiKey=a&markets=h2h&markets=totals&regions=&unknown=1")
    assert asked.markets == ("h2h", "totals")
    assert asked.regions is None


def test_a_key_is_needed_but_not_looked_at() -> None:
    assert read_query(b"api_key=YOUR_API_KEY").markets == ("h2h",)
    for raw in (b"", b"apiKey=", b"regions=us"):
        refused = refusal(raw)
        assert (refused.code, refused.status) == ("MISSING_KEY", 401)
        assert refused.body.keys() == {"message", "error_code", "details_url"}
        assert refused.body["details_url"].endswith("#missing-key")


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("regions", "mars", "INVALID_REGION"),
        ("regions", "us,de", "INVALID_REGION"),
        ("markets", "h2h,nonsense", "INVALID_MARKET"),
        ("bookmakers", "Draft Kings", "INVALID_BOOKMAKERS"),
        ("bookmakers", ",".join(f"b{number}" for number in range(201)), "INVALID_BOOKMAKERS"),
        ("oddsFormat", "fractional", "INVALID_ODDS_FORMAT"),
        ("dateFormat", "iso8601", "INVALID_DATE_FORMAT"),
        ("eventIds", "a b", "INVALID_EVENT_IDS"),
        ("commenceTimeFrom", "yesterday", "INVALID_COMMENCE_TIME_FROM"),
        ("commenceTimeTo", "2026-11-20", "INVALID_COMMENCE_TIME_TO"),
        ("date", "2026-13-01T00:00:00Z", "INVALID_HISTORICAL_TIMESTAMP"),
        ("date", "２０２６-11-20T00:00:00Z", "INVALID_HISTORICAL_TIMESTAMP"),
        ("daysFrom", "4", "INVALID_SCORES_DAYS_FROM"),
        ("daysFrom", "+1", "INVALID_SCORES_DAYS_FROM"),
        ("daysFrom", "9" * 5_000, "INVALID_SCORES_DAYS_FROM"),
        ("includeLinks", "yes", "INVALID_INCLUDE_LINKS"),
        ("all", "1", "INVALID_ALL_SPORTS_PARAM"),
    ],
)
def test_bad_values_are_refused_with_their_code(name: str, text: str, code: str) -> None:
    refused = refusal(urlencode({"apiKey": "any", name: text}).encode())
    assert (refused.code, refused.status) == (code, 422)
    assert refused.message.startswith(f"{name}: expected ")
    assert len(refused.message) < 250


def test_an_interval_that_ends_before_it_begins_is_refused() -> None:
    times = {"commenceTimeFrom": "2026-11-21T00:00:00Z", "commenceTimeTo": "2026-11-20T00:00:00Z"}
    raw = urlencode({"apiKey": "any", **times}).encode()
    assert refusal(raw).code == "INVALID_COMMENCE_TIME_RANGE"


def test_odds_need_regions_or_bookmakers() -> None:
    require_bookmakers(read(regions="us"))
    require_bookmakers(read(bookmakers="pinnacle"))
    with pytest.raises(TurnedDown, match="regions or bookmakers"):
        require_bookmakers(read())


def test_times_have_whole_seconds() -> None:
    assert iso(1_776_366_031_999) == "2026-04-16T19:00:31Z"
    assert read(dateFormat="unix").time(1_776_366_031_999) == 1_776_366_031


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with contextlib.suppress(TurnedDown):
        read_query(b"apiKey=a&" + raw)


def test_too_many_parameters_are_refused() -> None:
    assert refusal(b"&".join(b"apiKey=a" for _ in range(51))).code == "INVALID_PARAMETERS"
    assert refusal(b"apiKey=%ff").code == "INVALID_PARAMETERS"
    assert refusal("apiKey=ä".encode()).code == "INVALID_PARAMETERS"
