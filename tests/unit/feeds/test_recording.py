"""Recordings are read from quotes and from other people's files."""

import json
import logging
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oddsdesk.contract.quotes import Quote, odds_row
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.recording import Moment, read_recording

START = parse_ms("2020-05-01T12:00:00Z")


def quote(bookmaker: str = "A", scraped_at: int = START) -> Quote:
    odds = {"Home": 2.0, "Away": 1.9}
    return Quote(bookmaker, "Home vs Away", "NBA", "moneyline", 0, odds, scraped_at)


def write(path: Path, *quotes: Quote) -> Path:
    path.write_bytes(b"\n".join(msgspec.json.encode(odds_row(each)) for each in quotes))
    return path


def snapshot(path: Path, *seen: str) -> Path:
    bookmakers: list[dict[str, Any]] = [
        {
            "key": f"b{number}",
            "title": f"B{number}",
            "last_update": time,
            "markets": [
                {
                    "key": "h2h",
                    "outcomes": [{"name": "Home", "price": 2.0}, {"name": "Away", "price": 1.9}],
                }
            ],
        }
        for number, time in enumerate(seen)
    ]
    event = {
        "sport_key": "basketball_nba",
        "commence_time": "2026-04-17T00:00:00Z",
        "home_team": "Home",
        "away_team": "Away",
        "bookmakers": bookmakers,
    }
    path.write_text(json.dumps([event]))
    return path


def summary(moments: list[Moment]) -> list[tuple[int, list[str]]]:
    return [(moment.at, [quote.bookmaker for quote in moment.quotes]) for moment in moments]


def test_quotes_are_read_in_the_order_of_their_scrape(tmp_path: Path) -> None:
    quotes = [quote("B", START + 5), quote("A"), quote("C", START + 5)]
    path = write(tmp_path / "q.ndjson", *quotes)
    assert summary(read_recording(str(path))) == [(START, ["A"]), (START + 5, ["B", "C"])]


def test_a_folder_of_quotes_is_one_recording(tmp_path: Path) -> None:
    write(tmp_path / "1.ndjson", quote("B", START + 5))
    write(tmp_path / "2.ndjson", quote("A"))
    assert summary(read_recording(str(tmp_path))) == [(START, ["A"]), (START + 5, ["B"])]


def test_bad_lines_are_left_out_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path / "q.ndjson", quote())
    path.write_bytes(b"bad\n" + path.read_bytes())
    with caplog.at_level(logging.WARNING):
        assert summary(read_recording(str(path))) == [(START, ["A"])]
    assert "q.ndjson: 1 bad lines left out; line 1: this is no JSON" in caplog.text


def test_a_recording_may_lie_in_the_future(tmp_path: Path) -> None:
    path = write(tmp_path / "q.ndjson", quote(scraped_at=parse_ms("2199-01-01T00:00:00Z")))
    assert len(read_recording(str(path))) == 1


@pytest.mark.parametrize("content", [b"", b"\n\n", b"bad"])
def test_a_file_without_quotes_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "q.ndjson"
    path.write_bytes(content)
    with pytest.raises(FeedError, match="there are no quotes to replay"):
        read_recording(str(path))


def test_a_file_that_is_not_there_is_told_with_the_known_formats(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match=rf"no such file.*{', '.join(sorted(IMPORTERS))}"):
        read_recording(f"odds-api:{tmp_path}/x.json")


def test_a_snapshot_is_one_moment_and_so_are_snapshots_of_one_round(tmp_path: Path) -> None:
    snapshot(tmp_path / "nba.json", "2026-04-16T19:00:10Z", "2026-04-16T18:50:00Z")
    snapshot(tmp_path / "mlb.json", "2026-04-16T19:00:40Z")
    snapshot(tmp_path / "later.json", "2026-04-16T20:00:00Z")
    first, second = read_recording(f"the-odds-api:{tmp_path}/*.json")
    assert first.at == parse_ms("2026-04-16T19:00:40Z")
    assert [quote.scraped_at for quote in first.quotes] == sorted(
        parse_ms(time)
        for time in ("2026-04-16T18:50:00Z", "2026-04-16T19:00:10Z", "2026-04-16T19:00:40Z")
    )
    assert second.at == parse_ms("2026-04-16T20:00:00Z")


def test_the_real_moment_is_one_moment(shared_data: Path) -> None:
    (moment,) = read_recording(f"the-odds-api:{shared_data}/the-odds-api/*.json.gz")
    assert len(moment.quotes) == 15_036


def test_the_real_movement_has_its_snapshots(shared_data: Path) -> None:
    moments = read_recording(f"{shared_data}/movement/world-cup-2026.quotes.ndjson.gz")
    assert len(moments) == 48
    assert sum(len(moment.quotes) for moment in moments) == 14_687
