from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.times import format_ms, parse_ms

STAMP = "2026-11-20T18:30:00.000Z"
FIRST, LAST = parse_ms("0001-01-01T00:00:00.000Z"), parse_ms("9999-12-31T23:59:59.999Z")
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.integers(FIRST, LAST))
def test_what_is_written_is_read_back(ms: int) -> None:
    text = format_ms(ms)
    assert len(text) == len(STAMP)
    assert parse_ms(text) == ms


@given(st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)), offsets)
def test_any_offset_names_the_same_moment(moment: datetime, offset: timezone) -> None:
    aware = moment.replace(tzinfo=offset)
    expected = aware.timestamp() * 1000
    assert abs(parse_ms(aware.isoformat()) - expected) <= 0.501
    in_utc = aware.astimezone(UTC).isoformat(timespec="milliseconds")
    assert format_ms(parse_ms(in_utc)) == in_utc.replace("+00:00", "Z")


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20T18:30:00Z",
        "2026-11-20T18:30Z",
        "2026-11-20t18:30:00z",
        "2026-11-20 18:30:00.000000000Z",
        "2026-11-20T18:30:00,0Z",
        "2026-11-20T19:30:00+01:00",
        "2026-11-20T19:30:00+0100",
        "2026-11-20T19:30:00+01",
        "2026-11-20T13:00:00.000-05:30",
        "20261120T183000Z",
        "2026-W47-5T18:30:00Z",
    ],
)
def test_iso_8601_is_read_in_its_forms(text: str) -> None:
    assert format_ms(parse_ms(text)) == STAMP


@pytest.mark.parametrize("text", ["2026-11-20T18:30:00", "2026-11-20T18:30", "20261120T183000"])
def test_a_missing_offset_is_never_guessed(text: str) -> None:
    with pytest.raises(ValueError, match=f"needs an offset such as Z.*{text}"):
        parse_ms(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-11-20",
        "1795199400",
        "2026-02-30T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-11-20T18:60:00Z",
        "2026-11-20T18:30:60Z",
        "2026-11-20T18:30:00+25:00",
        "2026-11-20T18:30:00+01:99",
        "2026-11-20T18:30:00+01:",
        "2026-11-20T18:30:00ZZ",
        " 2026-11-20T18:30:00Z",
        "٢026-11-20T18:30:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59.9999Z",
        "9999-12-31T23:59:59-12:00",
    ],
)
def test_what_is_no_time_is_refused_and_shown(text: str) -> None:
    with pytest.raises(ValueError, match="expected an ISO-8601 time such as") as refusal:
        parse_ms(text)
    assert str(refusal.value).endswith(f"got {text!r}")


def test_a_long_text_is_not_thrown_back_whole() -> None:
    with pytest.raises(ValueError, match="expected") as refusal:
        parse_ms("2" * 1_000_000)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (2**63 - 1, "9999-12-31T23:59:59.999Z"),
        (-(2**63), "0001-01-01T00:00:00.000Z"),
        (1e300, "9999-12-31T23:59:59.999Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_times_that_no_wire_can_write_end_with_its_years(ms: int, text: str) -> None:
    assert format_ms(ms) == text
    assert format_ms(parse_ms(text)) == text
