"""Converts odds of SharpAPI, its CSV snapshots and JSON answers, into quotes.

One row is one price. Fields are described at https://docs.sharpapi.io/en/api-reference/odds.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from oddsdesk.base.spreadsheets import SheetError, read_csv
from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import named_sport
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.markets import Form, form_of
from oddsdesk.contract.quotes import UNNAMED, BadQuoteError, Quote, check_link
from oddsdesk.contract.texts import json_words
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, Importer, SourceFile, file_by_file
from oddsdesk.feeds.notation import (
    NOT_OFFERED,
    decimal_odds,
    is_json,
    is_offered,
    iso_ms,
    line_text,
    read_json,
    signed_text,
)
from oddsdesk.matching.names import shipped_names
from oddsdesk.pricing.selections import order_selections

__all__ = ["IMPORTER", "convert"]

_EXPECTED: Final = N_(
    "expected odds of SharpAPI (rows with sportsbook, market_type and selection_type)"
)
NEEDED: Final = frozenset({"sportsbook", "market_type", "selection_type", "timestamp"})
_MOST_NAMED: Final = 20
"""How many broken rows of a file are named."""
IMPOSSIBLE: Final = N_("impossible price")
UNLIKE: Final = N_("decimal and American odds differ")
UNKNOWN: Final = "unknown outcome"
SAID_TWICE: Final = "duplicate"
TWO_PRICES: Final = N_("two prices for one selection")
SUSPENDED: Final = "suspended"
OUTRIGHT: Final = "outright"
ONE_SIDE: Final = N_("one side missing")
NO_MARGIN: Final = N_("prices of two markets in one")
BROKEN_ROW: Final = N_("broken row")
_LEAST_TOTAL, _MOST_TOTAL = 0.9, 1.25
"""Implied probabilities of all outcomes of a market together. Odds to advance, with the draw of the
match result as the third, add up to 1.34."""
_STEP_BACK: Final = 0.1
"""How much likelier a line may be than one that includes it; thin exchanges differ by 0.02."""
_ROUNDING: Final = 0.01
"""How far the rounded odds of one price may differ."""


class Row(msgspec.Struct, frozen=True):
    """One price."""

    sportsbook: str
    market_type: str
    selection_type: str
    timestamp: str
    selection: str = ""
    sport: str = ""
    league: str = ""
    home_team: str = ""
    away_team: str = ""
    odds_decimal: float | None = None
    odds_american: float | None = None
    line: float | None = None
    event_start_time: str | None = None
    is_live: bool = False
    is_active: bool = True
    player_name: str | None = None
    deep_link: str | None = None
    max_bet: float | None = None

    @property
    def has_price(self) -> bool:
        """Whether it has a price, readable or not."""
        return self.odds_decimal is not None or self.odds_american is not None

    @property
    def is_of_game(self) -> bool:
        """Whether two different teams or players meet."""
        home, away = fold_name(self.home_team), fold_name(self.away_team)
        return bool(home and away) and home.casefold() != away.casefold()


class MarketKind(msgspec.Struct, frozen=True):
    """A market of the contract; ``stat`` is what a player's price is about."""

    market_type: str
    period: int = 0
    stat: str = ""


_MARKETS: Final = MappingProxyType(
    {
        "moneyline": "moneyline",
        "moneyline_3-way": "moneyline",
        "point_spread": "spread",
        "spread": "spread",
        "run_line": "spread",
        "puck_line": "spread",
        "set_handicap": "spread",
        "asian_handicap": "spread",
        "game_handicap": "games_handicap",
        "total": "total",
        "total_goals": "total",
        "total_points": "total",
        "total_runs": "total",
        "total_sets": "total",
        "asian_total_goals": "total",
        "total_games": "total_games",
        "team_total": "team_total",
        "team_total_goals": "team_total",
        "team_total_points": "team_total",
        "team_total_runs": "team_total",
        "both_teams_to_score": "btts",
        "double_chance": "double_chance",
        "draw_no_bet": "draw_no_bet",
    }
)
_PART: Final = re.compile(r"([1-5])(?:st|nd|rd|th)_(half|quarter|period|set)_(.+)")
_PARTS: Final = MappingProxyType(
    {
        "Football": {"half": 2},
        "AmericanFootball": {"half": 1},
        "Basketball": {"quarter": 4},
        "Hockey": {"period": 3},
        "Tennis": {"set": 5},
    }
)
"""Parts that the contract counts as periods 1, 2, ... of the sport, and how many."""
_PLAYER: Final = re.compile(r"player_(.+?)(?:_o_u)?")
_SPORTS: Final = MappingProxyType({"football": "americanfootball", "hockey": "icehockey"})
"""SharpAPI's names of sports that mean another sport elsewhere."""
_DRAWS: Final = frozenset({"draw", "tie", "x", "the draw"})
_CHANCES: Final = MappingProxyType({"home_draw": "1X", "away_draw": "X2", "home_away": "12"})
_BETWEEN_SIDES: Final = re.compile(r"\s+or\s+|\s*/\s*", re.IGNORECASE)
_SIDES: Final = MappingProxyType(
    {Form.YES_NO: frozenset({"Yes", "No"}), Form.DOUBLE_CHANCE: frozenset({"1X", "X2", "12"})}
)
_OTHER_SIDE: Final = MappingProxyType({"Over": "Under", "Under": "Over"})
_MARKET_CLOSES: Final = frozenset({"kalshi", "polymarket"})
"""Sportsbooks whose ``event_start_time`` is when a market closes."""
_BOOKMAKERS: Final = MappingProxyType(
    {
        "ballybet": "Bally Bet",
        "bet365": "Bet365",
        "betano": "Betano",
        "betmgm": "BetMGM",
        "betonline": "BetOnline.ag",
        "betparx": "betPARX",
        "betrivers": "BetRivers",
        "bookmaker": "BookMaker.eu",
        "bwin": "bwin",
        "circa": "Circa",
        "draftkings": "DraftKings",
        "espnbet": "theScore Bet",
        "fanduel": "FanDuel",
        "hardrock": "Hard Rock Bet",
        "saba": "SABA",
        "sbobet": "SBOBET",
        "skybet": "Sky Bet",
        "sx_bet": "SX Bet",
        "thescorebet": "theScore Bet",
    }
)
"""By SharpAPI's names; others are made of the name itself."""


def market_kind(name: str, sport: str) -> MarketKind | None:
    """Return the market of a name such as ``1st_half_total_goals``; None for one without a place.

    Args:
        name: SharpAPI's name.
        sport: One of the contract's sports.
    """
    period = 0
    if part := _PART.fullmatch(name):
        period, name = int(part[1]), part[3]
        if period > _PARTS.get(sport, {}).get(part[2], 0):
            return None
    if market_type := _MARKETS.get(name):
        return MarketKind(market_type, period)
    player = _PLAYER.fullmatch(name)
    if player is None or name == "player_prop":
        return None
    return MarketKind("player_prop", period, player[1].replace("_", " "))


def bookmaker_named(sportsbook: str) -> str:
    """Return a bookmaker's name; ``unibet_se`` is Unibet SE."""
    if known := _BOOKMAKERS.get(sportsbook):
        return known
    words = fold_name(sportsbook).replace("_", " ").split()
    return " ".join(
        word.upper() if len(word) == 2 else word[:1].upper() + word[1:] for word in words
    )


def competition_named(league: str, sport: str) -> str:
    """Return the competition of a league such as ``england_-_premier_league``.

    One without a code keeps its name, in title case.
    """
    if sport == "Tennis":
        return "TENNIS"
    names, words = shipped_names(), fold_name(league).replace("_", " ")
    for name in (words, words.replace(" - ", " ")):
        if names.knows(name):
            return names.competition_named(name)
    return words.title()


def selection_of(kind: MarketKind, row: Row) -> str | None:
    """Return what a row selects; None if that is unclear.

    The side must agree with the text: Novig's ``France No`` has the side ``home``.
    """
    side, text = row.selection_type, fold_name(row.selection)
    match form_of(kind.market_type):
        case Form.WINNER:
            return _winner(row, draw=kind.market_type == "moneyline")
        case Form.HANDICAP:
            team = _winner(row, draw=False)
            has_both = team is not None and row.line is not None
            return f"{team} {signed_text(row.line or 0.0)}" if has_both else None
        case Form.OVER_UNDER:
            is_plain = text.casefold() in ("over", "under")
            return _over_under("", side, row.line) if is_plain else None
        case Form.TEAM_OVER_UNDER:
            team, _, side = side.partition("_")
            is_team = team in ("home", "away")
            return _over_under(team.capitalize(), side, row.line) if is_team else None
        case Form.DOUBLE_CHANCE:
            return _CHANCES.get(side) or _chance(text, row)
        case Form.PLAYER_OVER_UNDER:
            player = fold_name(row.player_name or row.selection)
            return _over_under(f"{player} {kind.stat}", side, row.line) if player else None
        case _:
            return side.capitalize() if side in ("yes", "no") else None


def _winner(row: Row, *, draw: bool) -> str | None:
    text, team = fold_name(row.selection), ""
    if row.selection_type in ("home", "away"):
        team = fold_name(row.home_team if row.selection_type == "home" else row.away_team)
    elif draw and row.selection_type == "draw":
        return "Draw" if text.casefold() in _DRAWS else None
    return team if team and text.casefold() == team.casefold() else None


def _over_under(subject: str, side: str, line: float | None) -> str | None:
    if line is None or side not in ("over", "under"):
        return None
    return f"{subject} {side.capitalize()} {line_text(line)}".strip()


def _chance(text: str, row: Row) -> str | None:
    """Return the pair of ``France / Draw``."""
    teams = {fold_name(row.home_team).casefold(): "1", fold_name(row.away_team).casefold(): "2"}
    names = [part.casefold() for part in _BETWEEN_SIDES.split(text)]
    sides = {"X" if name in _DRAWS else teams.get(name, "?") for name in names}
    return next((pair for pair in _CHANCES.values() if set(pair) == sides), None)


def read_rows(data: bytes) -> list[Any]:
    """Return the rows of a file, not looked into yet, of CSV as texts.

    Raises:
        FeedError: it is neither CSV nor JSON of this kind; says which.
    """
    if is_json(data):
        rows = list(_rows_of_json(read_json(data, _EXPECTED)))
        if rows and not any(isinstance(row, dict) and set(row) >= NEEDED for row in rows):
            raise FeedError(f"{_EXPECTED}, but none of these has them")
        return rows
    try:
        titles, cells = read_csv(data)
        if not set(titles) >= NEEDED:
            raise FeedError(
                f"{_EXPECTED}, but this lacks {', '.join(sorted(NEEDED - set(titles)))}"
            )
        return [{name: text for name, text in row.cells.items() if text} for row in cells]
    except SheetError as error:
        raise FeedError(f"{_EXPECTED}, but this {error}") from error


def _rows_of_json(raw: Any) -> Iterator[Any]:
    if isinstance(raw, dict):
        if isinstance(error := raw.get("error"), dict) and "message" in error:
            raise FeedError(f"{_EXPECTED}, but the service answered an error: {error['message']}")
        raw = raw.get("data")
    if not isinstance(raw, list):
        raise FeedError(f"{_EXPECTED}, but this holds none")
    for row in raw:
        if isinstance(row, dict) and isinstance(row.get("odds"), list):
            yield from _rows_of_event(row)
        elif isinstance(row, dict) and isinstance(odds := row.get("odds"), dict):
            yield row | {f"odds_{name}": odds.get(name) for name in ("american", "decimal")}
        else:
            yield row


def _rows_of_event(event: dict[str, Any]) -> Iterator[Any]:
    """Yield the rows of an answer that is grouped by event."""
    teams = str(event.get("event_name") or "").split(" vs ")
    shared = {name: value for name, value in event.items() if name in Row.__struct_fields__}
    if len(teams) == 2:
        shared = dict(zip(("home_team", "away_team"), teams, strict=True)) | shared
    if "start_time" in event:
        shared = {"event_start_time": event["start_time"]} | shared
    for row in event["odds"]:
        yield shared | row if isinstance(row, dict) else row


def convert(file: SourceFile) -> Imported:
    """Return the quotes of one file; unreadable rows are counted, and the first ones named.

    Raises:
        FeedError: the file is not SharpAPI's.
    """
    reading = _Reading(file.name)
    for number, raw in enumerate(read_rows(file.data), start=1):
        reading.read_row(raw, number)
    reading.keep_quotes()
    return reading.result


IMPORTER: Final = Importer(file_by_file(convert), snapshots=True)


class _Game(msgspec.Struct, frozen=True):
    home: str
    away: str
    competition: str
    sport: str
    kick_off: int | None

    @property
    def match_name(self) -> str:
        return f"{self.home} vs {self.away}"


class _Group(msgspec.Struct):
    """Prices of one bookmaker that make one quote."""

    scraped_at: int
    is_live: bool = False
    url: str | None = None
    limit: float | None = None
    odds: dict[str, float] = msgspec.field(default_factory=dict)
    """By selection; 0 where it is not offered now."""
    unread: dict[str, str] = msgspec.field(default_factory=dict)
    markets: dict[str, str] = msgspec.field(default_factory=dict)
    """SharpAPI's market of each price, by selection: a line may be in two of them."""


class _Reading(msgspec.Struct):
    file: str
    result: Imported = msgspec.field(default_factory=Imported)
    groups: dict[tuple[str, _Game, str, int], _Group] = msgspec.field(default_factory=dict)
    broken: int = 0

    def read_row(self, raw: Any, number: int) -> None:
        try:
            row = msgspec.convert(_plain(raw), Row, strict=False)
            scraped_at = iso_ms(row.timestamp)
            start = row.event_start_time
            has_start = start is not None and row.sportsbook not in _MARKET_CLOSES
            kick_off = iso_ms(start or "") if has_start else None
        except (msgspec.ValidationError, FeedError) as error:
            self._note_broken(raw, number, error)
            return
        sport = _SPORTS.get(row.sport, row.sport)
        known = named_sport(sport) or ""
        kind = market_kind(row.market_type, known)
        if not row.is_of_game:
            self._skip(row, OUTRIGHT)
        elif kind is None:
            self._skip(row, row.market_type)
        else:
            home, away = fold_name(row.home_team), fold_name(row.away_team)
            game = _Game(home, away, competition_named(row.league, known), sport, kick_off)
            key = (bookmaker_named(row.sportsbook), game, kind.market_type, kind.period)
            group = self.groups.setdefault(key, _Group(scraped_at))
            group.scraped_at = min(group.scraped_at, scraped_at)
            group.is_live |= row.is_live or (kick_off is not None and kick_off <= scraped_at)
            self._read_price(kind, row, group)

    def _read_price(self, kind: MarketKind, row: Row, group: _Group) -> None:
        text = selection_of(kind, row)
        if text is None:
            self._skip(row, UNKNOWN)
            group.unread.setdefault(UNNAMED, UNKNOWN)
        elif text in group.odds or text in group.unread:
            self._skip(row, SAID_TWICE)
            self._drop_contradicted(text, row, group)
        elif not row.is_active or not row.has_price:
            group.odds[text] = 0.0
            self._skip(row, SUSPENDED)
        else:
            self._take_price(text, row, group)

    def _drop_contradicted(self, text: str, row: Row, group: _Group) -> None:
        """Leave out the price of a selection if another row of its market has another price.

        The rest of the market is left out, too: it is two markets.
        """
        known, other = group.odds.get(text), row.odds_decimal
        is_same_market = group.markets.get(text) == row.market_type
        if known and other and is_same_market and abs(known / other - 1) > _ROUNDING:
            del group.odds[text]
            group.unread[text] = TWO_PRICES
            self.result.skipped[TWO_PRICES] += 1

    def _take_price(self, text: str, row: Row, group: _Group) -> None:
        american = row.odds_decimal is None
        stated = row.odds_american if american else row.odds_decimal
        price = None if stated is None else decimal_odds(stated, american)
        other = row.odds_american and decimal_odds(row.odds_american, american=True)
        if not is_offered(stated, american):
            group.odds[text] = 0.0
            self._skip(row, NOT_OFFERED)
        elif price is None or not math.isfinite(price):
            group.unread[text] = IMPOSSIBLE
            self._skip(row, IMPOSSIBLE)
        elif other and abs(price / other - 1) > _ROUNDING:
            group.unread[text] = UNLIKE
            self._skip(row, UNLIKE)
        else:
            group.odds[text], group.markets[text] = price, row.market_type
            group.url = group.url or _link(row.deep_link)
            if row.max_bet is not None and 0 < row.max_bet < math.inf:
                group.limit = min(row.max_bet, group.limit or math.inf)

    def keep_quotes(self) -> None:
        """Make quotes of the groups; a market that cannot be valued as a whole is counted."""
        if self.broken > _MOST_NAMED:
            more = self.broken - _MOST_NAMED
            self.result.problems.append(f"{self.file}: and {more:,} more broken rows")
        for (bookmaker, game, market_type, period), group in self.groups.items():
            if form_of(market_type) is Form.PLAYER_OVER_UNDER:
                self._leave_out_single_sides(group)
            if reason := _trouble(market_type, game, group):
                self.result.skipped += Counter({reason: sum(map(bool, group.odds.values()))})
                continue
            if not group.odds and not group.unread:
                continue  # all of a player's lines had one side
            order = order_selections(market_type, game.match_name, list(group.odds))
            quote = Quote(
                bookmaker=bookmaker,
                match_name=game.match_name,
                competition=game.competition,
                market_type=market_type,
                period=period,
                odds={text: group.odds[text] for text in order},
                scraped_at=group.scraped_at,
                is_live=group.is_live,
                match_date=game.kick_off,
                url=group.url,
                liquidity=group.limit,
                sport=game.sport,
                unread=group.unread or None,
            )
            place = f"{self.file}: {game.match_name}, {bookmaker}, {market_type}"
            self.result.keep_quote(quote, BROKEN_ROW, place)

    def _leave_out_single_sides(self, group: _Group) -> None:
        """Leave out a player's lines without both sides: only those show what the price is about.

        Anytime scorers, hat-tricks and shots on target come as ``player_goals`` or ``player_shots``
        over 0.5, without an under.
        """
        for text, price in list(group.odds.items()):
            subject, side, line = text.rsplit(" ", 2)
            other = group.odds.get(f"{subject} {_OTHER_SIDE[side]} {line}", 0.0)
            if price and not other:
                del group.odds[text]
                self.result.skipped[ONE_SIDE] += 1

    def _skip(self, row: Row, reason: str) -> None:
        """Count a price that is left out; an empty one is no price."""
        if row.has_price:
            self.result.skipped[reason] += 1

    def _note_broken(
        self, raw: Any, number: int, error: msgspec.ValidationError | FeedError
    ) -> None:
        self.broken += 1
        if isinstance(raw, dict) and any(
            raw.get(f"odds_{name}") for name in ("decimal", "american")
        ):
            self.result.skipped[BROKEN_ROW] += 1
        if self.broken <= _MOST_NAMED:
            why = str(error) if isinstance(error, FeedError) else json_words(error)
            self.result.problems.append(f"{self.file}: row {number}: {why}")


def _trouble(market_type: str, game: _Game, group: _Group) -> str:
    """Return why a market is left out; empty for one that is whole, or has lines."""
    if TWO_PRICES in group.unread.values():
        return NO_MARGIN
    named = group.odds | group.unread
    sides = set(_SIDES.get(form_of(market_type) or Form.QUESTION, ()))
    if form_of(market_type) is Form.WINNER:
        is_football = named_sport(game.sport) == "Football"
        has_draw = market_type == "moneyline" and is_football
        sides = {game.home, game.away} | ({"Draw"} if has_draw else set())
    if not sides:
        return NO_MARGIN if _is_mixed(group.odds) else ""
    if not sides <= set(named):
        return ONE_SIDE
    if sides <= {text for text, price in group.odds.items() if price} and len(sides) > 1:
        total = sum(1 / price for price in group.odds.values() if price)
        outcomes = 2 if form_of(market_type) is Form.DOUBLE_CHANCE else 1
        if not _LEAST_TOTAL <= total / outcomes <= _MOST_TOTAL:
            return NO_MARGIN
    return ""


def _is_mixed(odds: Mapping[str, float]) -> bool:
    """Return whether a longer line is clearly likelier than a shorter one: goals among corners."""
    ladders = defaultdict[str, list[tuple[float, float]]](list)
    for text, price in odds.items():
        if price:
            subject, _, line = text.rpartition(" ")
            sign = -1 if subject.endswith("Over") else 1
            ladders[subject].append((sign * float(line), 1 / price))
    for ladder in ladders.values():
        likeliest = 0.0
        for _, chance in sorted(ladder):
            if chance < likeliest - _STEP_BACK:
                return True
            likeliest = max(likeliest, chance)
    return False


def _plain(raw: Any) -> Any:
    """Return a row without its empty fields."""
    if not isinstance(raw, dict):
        return raw
    return {name: value for name, value in raw.items() if value is not None and value != "NaN"}


def _link(link: str | None) -> str | None:
    try:
        return None if link is None else check_link(link)
    except BadQuoteError:
        return None
