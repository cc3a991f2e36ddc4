"""What any endpoint answers, and any stream message tells, is what was recorded (D3, D32, D41).

Nothing is made up for what a feed left out: a number that is not known is null, never 0.
"""

import itertools
import math
from typing import Any
from urllib.parse import quote as quoted

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddsdesk.contract.quotes import MOST_LIQUIDITY, MOST_ODDS, Quote, check_quote
from oddsdesk.contract.resources import PriceMessage
from oddsdesk.contract.times import format_ms
from oddsdesk.server.stream.hub import price_frame
from oddsdesk.store.values import FoundValueBet, MarketKey

REFERENCE = "Pinnacle"
DAY_MS = 24 * 3_600_000

NUMBERS = itertools.count(1)
"""Each example is a game of its own competition."""

awkward = st.sampled_from(
    [1.01, 1.1, 1 + 2**-52, 1.7000000000000002, 2.675, 3.3333333333333335, 99_999.3, MOST_ODDS]
)
prices = awkward | st.floats(1, MOST_ODDS, exclude_min=True)
limits = (
    st.none() | st.sampled_from([0.0, 0.1, 1e-7, 12345.678901234567]) | st.floats(0, MOST_LIQUIDITY)
)
words = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp")), min_size=1, max_size=12
).filter(lambda text: any(map(str.isalnum, text)))
teams = words | st.sampled_from(
    ['O\'Brien "Ó"', "a\\b", "100%", "a/b", "Ω & ∑", "null", "1.0", "🎾 1"]
)
links = st.none() | st.sampled_from(
    ["https://odds.example/a?b=c&d=%20#e", "https://odds.example/ü/\"'\\", "http://localhost:1/"]
)


@st.composite
def rows(draw: st.DrawFn, now: int) -> list[Quote]:
    """The reference's total of a game and a bookmaker's, each with what it may leave out."""
    number = next(NUMBERS)
    shared: dict[str, Any] = {
        "match_name": f"{draw(teams)} {number} - {draw(teams)}",
        "competition": f"C{number}",
        "market_type": "total",
        "period": draw(st.integers(0, 9)),
        "is_live": draw(st.booleans()),
        "match_date": draw(st.none() | st.integers(now - DAY_MS, now + DAY_MS)),
    }
    made = []
    for bookmaker in (REFERENCE, draw(teams.filter(lambda name: name.strip() != REFERENCE))):
        own = {"Over 2.5": draw(prices), "Under 2.5": draw(prices), draw(words): draw(prices)}
        quote = Quote(
            bookmaker=bookmaker,
            odds=own,
            scraped_at=now - draw(st.integers(0, 500_000)),
            url=draw(links),
            liquidity=draw(limits),
            **shared,
        )
        made.append(check_quote(quote, now))
    return made


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_every_answer_is_what_was_recorded(module_service: Any, data: st.DataObject) -> None:
    """service.md, Resources; D3: odds and liquidity as received; D32: the reference's only."""
    service = module_service
    sharp, book = data.draw(rows(service.now))
    before = service.store.reader().last_seq()
    service.record(sharp, book)
    key = service.key()
    _check_rows(service, key, sharp, book)
    _check_lists(service, key, sharp, book)
    _check_event(service, key, sharp, book)
    _check_matrix(service, key, sharp, book)
    _check_messages(service, before, sharp, book)
    _check_value_bet(service, key, before, sharp, book)


def _check_rows(service: Any, key: str, sharp: Quote, book: Quote) -> None:
    for quote, limit in ((sharp, sharp.liquidity), (book, None)):
        asked = {"competition": quote.competition, "bookmaker": quote.bookmaker}
        row = {
            "bookmaker": quote.bookmaker,
            "match_name": quote.match_name,
            "competition": quote.competition,
            "sport": "Other",
            "market_type": "total",
            "period": quote.period,
            "is_live": quote.is_live,
            "odds": quote.odds,
            "match_date": _time(quote.match_date),
            "scraped_at": _time(quote.scraped_at),
            "url": quote.url,
            "liquidity": limit,
        }
        assert service.data("/api/odds", key, **asked) == [row]
        path = f"/api/odds/{quoted(quote.bookmaker, safe='')}"
        assert service.data(path, key, competition=quote.competition) == [row]
        live = service.data("/api/odds/live", key, **asked)
        assert live == ([row] if quote.is_live else [])


def _check_lists(service: Any, key: str, sharp: Quote, book: Quote) -> None:
    newest = _time(max(sharp.scraped_at, book.scraped_at))
    [game] = service.data("/api/games", key, competition=sharp.competition)
    [event] = service.data("/api/events", key, competition=sharp.competition)
    for listed in (game, event):
        assert listed["match_name"] == sharp.match_name
        assert listed["match_date"] == _time(sharp.match_date)
        assert listed["bookmaker_count"] == 2
    assert game["last_scraped_at"] == newest


def _check_event(service: Any, key: str, sharp: Quote, book: Quote) -> None:
    [event] = service.data("/api/events", key, competition=sharp.competition)
    detail = service.data(f"/api/events/{event['slug']}", key)
    assert detail["match_date"] == _time(sharp.match_date)
    [market], [reference] = detail["markets"], detail["reference"]
    assert (market["url"], market["scraped_at"]) == (book.url, _time(book.scraped_at))
    assert reference["scraped_at"] == _time(sharp.scraped_at)
    for heard, quote in ((market, book), (reference, sharp)):
        assert {each["selection"]: each["odds"] for each in heard["selections"]} == quote.odds


def _check_matrix(service: Any, key: str, sharp: Quote, book: Quote) -> None:
    [game] = service.data("/api/games", key, competition=sharp.competition)
    matrix = service.data(f"/api/games/{game['game_id']}", key)
    assert matrix["match_date"] == _time(sharp.match_date)
    [market] = matrix["markets"]
    assert {row["selection"] for row in market["selections"]} == {*sharp.odds, *book.odds}
    for row in market["selections"]:
        name = row["selection"]
        sharp_cell = {"liquidity": sharp.liquidity, "scraped_at": _time(sharp.scraped_at)}
        book_cell = {"url": book.url, "scraped_at": _time(book.scraped_at)}
        assert row["reference"] == _cell(sharp, name, sharp_cell)
        assert row["books"] == {book.bookmaker: _cell(book, name, book_cell)}


def _check_messages(service: Any, before: int, sharp: Quote, book: Quote) -> None:
    heard: dict[str, dict[str, float]] = {}
    for change in service.store.reader().changes_after(before, 100):
        frame = price_frame(change, REFERENCE)
        assert frame is not None
        message = msgspec.json.decode(frame[frame.index(b"{") :], type=PriceMessage)
        heard.setdefault(message.bookmaker, {})[message.selection] = message.odds
        is_sharp = message.bookmaker == REFERENCE
        assert message.liquidity == (sharp.liquidity if is_sharp else msgspec.UNSET)
        assert message.match_name == sharp.match_name
    assert heard == {REFERENCE: sharp.odds, book.bookmaker: book.odds}


def _check_value_bet(service: Any, key: str, before: int, sharp: Quote, book: Quote) -> None:
    line = {name: sharp.odds[name] for name in ("Over 2.5", "Under 2.5")}
    price, against = book.odds["Over 2.5"], sharp.odds["Over 2.5"]
    bet = FoundValueBet(book.bookmaker, "Over 2.5", price, line, against, against, 5.0, 1.02)
    game = service.store.reader().changes_after(before, 1)[0].game
    found = {MarketKey(game, "total", sharp.period): [bet]}
    service.store.replace_value_bets(found, service.now).result(timeout=10)
    [heard] = service.data("/api/value-bets", key, competition=sharp.competition)
    assert (heard["odds"], heard["reference_odds"]) == (price, against)
    assert heard["liquidity"] == sharp.liquidity
    assert heard["match_date"] == _time(sharp.match_date)
    assert math.isclose(heard["ev_pct"], 5.0)


def _time(at: int | None) -> str | None:
    return None if at is None else format_ms(at)


def _cell(quote: Quote, selection: str, fields: dict[str, Any]) -> dict[str, Any] | None:
    price = quote.odds.get(selection)
    return None if price is None else {"odds": price, **fields}
