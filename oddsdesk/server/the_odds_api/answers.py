"""What The Odds API would answer, from the own database."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.identity import game_id, teams
from oddsdesk.contract.markets import Form, form_of
from oddsdesk.contract.resources import Event, Game, Offer
from oddsdesk.contract.results import GameStatus
from oddsdesk.contract.times import DAY_MS, MINUTE_MS, WINDOW_MS, parse_ms
from oddsdesk.feeds.the_odds_api.markets import (
    LAYS,
    TENNIS_LINES,
    MarketKind,
    has_all_lines,
    is_about,
    keys_of_player,
    market_kind,
    player_of,
)
from oddsdesk.feeds.the_odds_api.published import SPORTS
from oddsdesk.feeds.the_odds_api.scores import length_ms
from oddsdesk.pricing.formats import american
from oddsdesk.pricing.selections import (
    AWAY,
    DRAW,
    HOME,
    NO,
    OVER,
    UNDER,
    YES,
    Outcome,
    read_selection,
)
from oddsdesk.server.the_odds_api import keys
from oddsdesk.server.the_odds_api.asking import Asked, TurnedDown, iso, require_bookmakers
from oddsdesk.store.reader import LONGEST_WINDOW_MS, Reader
from oddsdesk.store.results import StoredResult
from oddsdesk.store.values import EncodedOddsRow, Filters, Page, Visibility

UPCOMING: Final = "upcoming"
"""Their sport key of all games in play, and of the next ``_NEXT_GAMES``."""
_NEXT_GAMES: Final = 8
_ENOUGH_GAMES: Final = 2 * _NEXT_GAMES
"""Of this number of later games the rows are read: some may have nothing to answer."""
_STEP_MS: Final = 5 * MINUTE_MS
"""Between two snapshots of the history."""
_PAGE: Final = 2_000
_ALL: Final = Visibility()
_decode_odds: Final = msgspec.json.Decoder(dict[str, float]).decode
_decode_offers: Final = msgspec.json.Decoder(dict[str, Offer]).decode

Object = dict[str, Any]


class _Game(NamedTuple):
    """A game as their answers name it."""

    ident: str
    sport_key: str
    competition: str
    sport: str
    match_name: str
    home: str
    away: str
    kick_off: int

    def head(self, asked: Asked) -> Object:
        """Return the fields that all answers about a game begin with."""
        return {
            "id": self.ident,
            "sport_key": self.sport_key,
            "sport_title": keys.sport_title(self.sport_key, self.competition),
            "commence_time": asked.time(self.kick_off),
            "home_team": self.home,
            "away_team": self.away,
        }


class _Market(NamedTuple):
    """A requested market, in one competition."""

    key: str
    kind: MarketKind
    types: tuple[str, ...]
    """Market types of the database, the first one preferred."""
    has_all_lines: bool


class Answers:
    """Answers requests of one moment; for the thread that has the reader.

    ``at_ms`` is the moment of the prices, None for now.
    """

    def __init__(self, reader: Reader, asked: Asked, now_ms: int, at_ms: int | None = None) -> None:
        self._reader = reader
        self._asked = asked
        self._now_ms = now_ms
        self._at_ms = at_ms
        self._moment = now_ms if at_ms is None else at_ms

    def sports(self) -> list[Object]:
        """Return the sports with current games; with ``all`` the others that are known too."""
        titles = {
            keys.sport_key(each.competition, sport_in(each)): each.competition
            for each in self._listed()
        }
        active = set(titles)
        if self._asked.lists_all:
            titles |= {key: "" for key in SPORTS if key not in titles}
        return [
            {
                "key": key,
                "group": keys.group_of(key),
                "title": (title := keys.sport_title(key, titles[key])),
                "description": title,
                "active": key in active,
                "has_outrights": False,
            }
            for key in sorted(titles)
        ]

    def events(self, key: str) -> list[Object]:
        """Return the games of a sport."""
        return [game.head(self._asked) for game in self._shown_games(key)]

    def odds(self, key: str) -> list[Object]:
        """Return the games of a sport that have any of the requested odds."""
        require_bookmakers(self._asked)
        found: list[Object] = []
        later = 0
        for game, answer in self._with_odds(key):
            if answer["bookmakers"]:
                found.append(answer)
                later += game.kick_off > self._moment
            if key == UPCOMING and later == _NEXT_GAMES:
                break
        return found

    def event_odds(self, key: str, ident: str) -> Object:
        """Return the requested odds of a game."""
        require_bookmakers(self._asked)
        game = self._game(key, ident)
        for _, answer in self._with_odds(key, game):
            return answer
        return {**game.head(self._asked), "bookmakers": []}

    def event_markets(self, key: str, ident: str) -> Object:
        """Return which markets each bookmaker has of a game, except stats that are not theirs."""
        require_bookmakers(self._asked)
        game = self._game(key, ident)
        found: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for row in self._rows(game.competition, None):
            if _ident(row) == ident and self._stands(row, game) and self._is_asked(row.bookmaker):
                seen = found[row.bookmaker]
                for name in _keys_of(row, game):
                    seen[name] = max(seen.get(name, ""), row.scraped_at)
        bookmakers = [
            {
                "key": keys.bookmaker_key(name),
                "title": name,
                "markets": [
                    {"key": market, "last_update": self._asked.time(parse_ms(seen))}
                    for market, seen in sorted(markets.items())
                ],
            }
            for name, markets in sorted(found.items())
        ]
        return {**game.head(self._asked), "bookmakers": bookmakers}

    def scores(self, key: str) -> list[Object]:
        """Return current games with their scores; with ``daysFrom`` also those that have ended."""
        days = self._asked.days_from or 0
        games = {game.ident: game for game in self._shown_games(key)}
        best: dict[str, StoredResult] = {}
        since = self._now_ms - max(days, 1) * DAY_MS
        for code in sorted(self._competitions(key)):
            for found in self._reader.results(since, self._now_ms + 1, code or None):
                result, ident = found.result, _hex(found.game_id)
                if result.home is None or result.away is None:
                    continue
                if ident not in best or _rank(best[ident]) < _rank(found):
                    best[ident] = found
        scored = []
        for ident, found in best.items():
            game = _game_of_result(found)
            if game is not None and (days or ident in games):
                scored.append(self._scored(game, found))
        known = {each["id"] for each in scored}
        scored += [self._scored(game, None) for ident, game in games.items() if ident not in known]
        if not days:
            scored = [each for each in scored if not each["completed"]]
        of_ids = self._asked.event_ids
        kept = [each for each in scored if of_ids is None or each["id"] in of_ids]
        return sorted(kept, key=lambda each: (str(each["commence_time"]), each["id"]))

    def snapshot(self, data: Any) -> Object:
        """Return an answer of the history: what it says, and which snapshots are next to it."""
        assert self._at_ms is not None
        after = self._at_ms + _STEP_MS
        return {
            "timestamp": iso(self._at_ms),
            "previous_timestamp": iso(self._at_ms - _STEP_MS),
            "next_timestamp": iso(after) if after <= self._now_ms else None,
            "data": data,
        }

    def _scored(self, game: _Game, found: StoredResult | None) -> Object:
        head, result = game.head(self._asked), None if found is None else found.result
        scores, seen = None, None
        if result is not None:
            points = ((game.home, result.home), (game.away, result.away))
            scores = [{"name": name, "score": str(score)} for name, score in points]
            seen = self._asked.time(result.reported_at) if result.reported_at else None
        is_over = result is not None and result.status in _OVER
        fields = {"completed": is_over, "home_team": game.home, "away_team": game.away}
        return head | fields | {"scores": scores, "last_update": seen}

    def _listed(self, competition: str | None = None) -> Iterator[Event | Game]:
        """Yield the games that have prices."""
        filters = Filters(competition=competition)
        at = self._at_ms

        def page(cursor: str | None) -> Page[Event] | Page[Game]:
            if at is not None:
                return self._reader.games_as_of(at, filters, _ALL, _PAGE, cursor)
            minutes = LONGEST_WINDOW_MS // MINUTE_MS
            return self._reader.list_events(self._now_ms, filters, _ALL, minutes, _PAGE, cursor)

        yield from _pages(page)

    def _games(self, key: str) -> list[_Game]:
        """Return the requested games of a sport, by kick-off."""
        found = [
            game
            for code in self._competitions(key)
            for each in self._listed(code or None)
            if (game := self._named(each, key)) is not None
        ]
        return sorted(found, key=lambda game: (game.kick_off, game.ident))

    def _shown_games(self, key: str) -> list[_Game]:
        """Return the same as a list of theirs has them: ``UPCOMING`` ends after a few."""
        games = self._games(key)
        if key == UPCOMING:
            begun = sum(game.kick_off <= self._moment for game in games)
            return games[: begun + _NEXT_GAMES]
        return games

    def _game(self, key: str, ident: str) -> _Game:
        for game in self._games(key):
            if game.ident == ident:
                return game
        raise TurnedDown("EVENT_NOT_FOUND", "Event not found. The event may have expired.", 404)

    def _competitions(self, key: str) -> set[str]:
        """Return the competition codes of a sport key; an empty one for all.

        Raises:
            TurnedDown: there is no such sport.
        """
        if key == UPCOMING:
            return {""}
        found = set(keys.competitions_of(key)) if keys.is_sport_key(key) else set[str]()
        if key not in found and found:
            return found
        listed = {(each.competition, sport_in(each)) for each in self._listed()}
        found |= {code for code, sport in listed if keys.sport_key(code, sport) == key}
        if not found:  # it may have had games earlier
            ever = self._reader.recorded_competitions()
            found = {code for code, sport in ever if keys.sport_key(code, sport) == key}
        if not found:
            raise TurnedDown("UNKNOWN_SPORT", "Unknown sport; GET /v4/sports lists them.", 404)
        return found

    def _named(self, found: Event | Game | EncodedOddsRow, key: str) -> _Game | None:
        """Return a game in their words; None if it has no kick-off or no two teams.

        None, too, if it should be over or was not requested.
        """
        sides = teams(found.match_name)
        if sides is None or found.match_date is None:
            return None
        sport = sport_in(found)
        own_key = keys.sport_key(found.competition, sport) if key == UPCOMING else key
        kick_off = parse_ms(found.match_date)
        game = _Game(
            _ident(found), own_key, found.competition, sport, found.match_name, *sides, kick_off
        )
        asked = self._asked
        shown = kick_off - kick_off % 1000
        is_over = kick_off + length_ms(own_key) < self._moment
        is_wanted = (
            asked.event_ids is None or game.ident in asked.event_ids,
            asked.begins_from is None or shown >= asked.begins_from,
            asked.begins_to is None or shown <= asked.begins_to,
        )
        return game if all(is_wanted) and not is_over else None

    def _stands(self, row: EncodedOddsRow, game: _Game) -> bool:
        """Return whether a price still stands: prices from before the kick-off end soon after."""
        return row.is_live or self._moment <= game.kick_off + WINDOW_MS

    def _rows(self, competition: str, market_type: str | None) -> Iterator[EncodedOddsRow]:
        filters, at = Filters(competition=competition or None, market_type=market_type), self._at_ms

        def page(cursor: str | None) -> Page[EncodedOddsRow]:
            if at is not None:
                return self._reader.odds_as_of(at, filters, _ALL, _PAGE, cursor)
            age = LONGEST_WINDOW_MS
            return self._reader.list_odds(self._now_ms, filters, _ALL, _PAGE, cursor, age)

        yield from _pages(page)

    def _with_odds(self, key: str, only: _Game | None = None) -> Iterator[tuple[_Game, Object]]:
        """Yield games, each with the answer that has its requested odds, by kick-off.

        Rows come by kick-off, so for ``UPCOMING`` the rest is not read.
        """
        found: dict[str, tuple[_Game, dict[str, list[EncodedOddsRow]]]] = {}
        codes = self._competitions(key) if only is None else {only.competition}
        later: set[str] = set()
        for code in codes:
            types = {name for each in self._wanted(code, "") for name in each.types}
            single = next(iter(types)) if len(types) == 1 and code else None
            for row in self._rows(code, single):
                ident = _ident(row)
                if only is not None and ident != only.ident:
                    continue
                if ident not in found:
                    game = self._named(row, key)
                    if game is None:
                        continue
                    found[ident] = game, {}
                game, by_bookmaker = found[ident]
                if self._is_asked(row.bookmaker) and self._stands(row, game):
                    by_bookmaker.setdefault(row.bookmaker, []).append(row)
                    if key == UPCOMING and self._is_for_later(row, game):
                        later.add(ident)
                        if len(later) > _ENOUGH_GAMES:
                            del found[ident]  # its other rows are not read
                            break
        games = sorted(found.values(), key=lambda each: (each[0].kick_off, each[0].ident))
        for game, by_bookmaker in games:
            bookmakers = [*self._bookmakers(game, by_bookmaker)]
            yield game, {**game.head(self._asked), "bookmakers": bookmakers}

    def _is_for_later(self, row: EncodedOddsRow, game: _Game) -> bool:
        """Return whether it is a requested price of a game that has not begun."""
        if row.is_live or game.kick_off <= self._moment:
            return False
        wanted = self._wanted(game.competition, game.sport)
        return any(row.market_type in m.types and row.period == m.kind.period for m in wanted)

    def _is_asked(self, bookmaker: str) -> bool:
        asked = self._asked
        if asked.bookmakers is not None:
            return keys.bookmaker_key(bookmaker) in asked.bookmakers
        return asked.regions is None or bool(asked.regions & keys.regions_of(bookmaker))

    def _wanted(self, competition: str, sport: str) -> list[_Market]:
        """Return the requested markets that the contract has in a competition."""
        found = []
        for key in self._asked.markets:
            kind = market_kind("h2h" if key == LAYS else key, competition)
            if kind is None or (kind.stat and not is_about(key, kind.stat)):
                continue
            types: tuple[str, ...] = (kind.market_type,)
            is_of_games = sport in ("", "Tennis") and not kind.period
            if is_of_games and kind.market_type in TENNIS_LINES:
                types = (TENNIS_LINES[kind.market_type], kind.market_type)
            found.append(_Market(key, kind, types, has_all_lines(key)))
        return found

    def _bookmakers(
        self, game: _Game, by_bookmaker: dict[str, list[EncodedOddsRow]]
    ) -> Iterator[Object]:
        wanted = self._wanted(game.competition, game.sport)
        for name, rows in sorted(by_bookmaker.items()):
            held = {(row.market_type, row.period): row for row in rows}
            markets: list[Object] = []
            for market in wanted:
                places = [(each, market.kind.period) for each in market.types]
                of_market = [held[place] for place in places if place in held]
                markets += self._markets(game, market, of_market)
            if not markets:
                continue
            newest = max(row.scraped_at for row in rows)
            found: Object = {"key": keys.bookmaker_key(name), "title": name}
            found["last_update"] = self._asked.time(parse_ms(newest))
            if self._asked.links:
                links = {row.url for row in rows}
                found["link"] = links.pop() if len(links) == 1 else None
            if self._asked.sids:
                found["sid"] = None
            yield {**found, "markets": markets}

    def _markets(
        self, game: _Game, market: _Market, rows: Sequence[EncodedOddsRow]
    ) -> Iterator[Object]:
        for row in rows if market.has_all_lines else rows[:1]:
            odds = _decode_odds(row.odds)
            offers = {} if row.offers is msgspec.UNSET else _decode_offers(row.offers)
            kind = msgspec.structs.replace(market.kind, market_type=row.market_type)
            lines = list(_outcomes(kind, odds, game))
            if market.key != LAYS:
                of_market = lines if market.has_all_lines else _main_lines(lines)
                outcomes = [self._outcome(*line, offers) for line in of_market]
                if outcomes:
                    yield self._market(market.key, row, outcomes)
            asks_lays = market.key == LAYS or (
                market.key == "h2h" and LAYS not in self._asked.markets
            )
            if asks_lays and (lays := list(self._lays(lines, offers))):
                yield self._market(LAYS, row, lays)

    def _market(self, key: str, row: EncodedOddsRow, outcomes: list[Object]) -> Object:
        found: Object = {"key": key, "last_update": self._asked.time(parse_ms(row.scraped_at))}
        if self._asked.links:
            found["link"] = row.url
        if self._asked.sids:
            found["sid"] = None
        return {**found, "outcomes": sorted(outcomes, key=_in_order)}

    def _outcome(self, text: str, line: "_Line", price: float, offers: dict[str, Offer]) -> Object:
        found: Object = {"name": line.name, "price": self._price(price)}
        if line.description is not None:
            found["description"] = line.description
        if line.point is not None:
            found["point"] = line.point
        offer = offers.get(text, Offer())
        return found | self._extras(offer.link, offer.sid, offer.bet_limit)

    def _lays(self, lines: list["_Priced"], offers: dict[str, Offer]) -> Iterator[Object]:
        for text, line, _ in lines:
            offer = offers.get(text)
            if offer is not None and offer.lay:
                price, size = offer.lay[0]
                extras = self._extras(offer.link, offer.sid, size or None)
                yield {"name": line.name, "price": self._price(price), **extras}

    def _extras(self, link: str | None, sid: str | None, limit: float | None) -> Object:
        asked = self._asked
        given = ((asked.links, "link", link), (asked.sids, "sid", sid))
        found: Object = {name: value for is_asked, name, value in given if is_asked}
        if asked.bet_limits and limit is not None:
            found["bet_limit"] = limit
        return found

    def _price(self, odds: float) -> float | int:
        return round(american(odds)) if self._asked.is_american else odds


class _Line(NamedTuple):
    """An outcome without its price; ``group`` and ``line`` say with which others it belongs."""

    name: str
    description: str | None = None
    point: float | None = None
    group: str = ""
    line: float = 0.0


_Priced = tuple[str, _Line, float]


def _outcomes(kind: MarketKind, odds: dict[str, float], game: _Game) -> Iterator[_Priced]:
    """Yield the outcomes of a market; selections that cannot be read are left out."""
    names = _names(game)
    for text, price in odds.items():
        if kind.stat:
            line = _of_player(text, kind.stat, names)
        else:
            line = _of_game(kind.market_type, text, game, names)
        if line is not None:
            yield text, line, price


def _names(game: _Game) -> dict[str, str]:
    """Return what they call each side of a game."""
    home, away = game.home, game.away
    both = {"1X": f"{home} or Draw", "X2": f"{away} or Draw", "12": f"{home} or {away}"}
    plain = {each: each.capitalize() for each in (DRAW, OVER, UNDER, YES, NO)}
    return both | plain | {HOME: home, AWAY: away}


def _keys_of(row: EncodedOddsRow, game: _Game) -> Iterable[str]:
    """Return the keys of the markets that have prices of a row."""
    if form_of(row.market_type) is not Form.PLAYER_OVER_UNDER:
        return keys.market_keys(row.market_type, row.period, game.sport)
    if row.period:
        return ()
    said = (_of_subject(text) for text in _decode_odds(row.odds))
    return {key for _, subject in filter(None, said) for key in keys_of_player(subject)}


def _of_subject(text: str) -> tuple[Outcome, str] | None:
    """Return what a selection of a player bets on, and its words before that."""
    if found := read_selection("player_prop", "", text):
        return found, found.rank[0]
    found = read_selection("yes_no", "", text)
    return None if found is None else (found, found.key)


def _of_game(market_type: str, text: str, game: _Game, names: Mapping[str, str]) -> _Line | None:
    form, found = form_of(market_type), read_selection(market_type, game.match_name, text)
    if found is None:
        return _Line(text) if form is Form.WINNER else None
    line, subject = found.line, found.rank[0]
    point = -line + 0.0 if line is not None and found.side == AWAY else line
    whose = {"1": game.home, "2": game.away}.get(subject)
    return _Line(names[found.side], whose, point, subject, line or 0.0)


def _of_player(text: str, stat: str, names: Mapping[str, str]) -> _Line | None:
    said = _of_subject(text)
    player = None if said is None else player_of(said[1], stat)
    if said is None or player is None:
        return None
    found = said[0]
    return _Line(names[found.side], player, found.line, player, found.line or 0.0)


def _main_lines(lines: list[_Priced]) -> list[_Priced]:
    """Return the most even line of each team or player; one with both sides goes before others."""
    groups: defaultdict[str, defaultdict[float, list[_Priced]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for each in lines:
        groups[each[1].group][each[1].line].append(each)
    kept: list[_Priced] = []
    for by_line in groups.values():
        if len(by_line) == 1:
            kept += next(iter(by_line.values()))
            continue
        both = [found for found in by_line.values() if len(found) > 1]
        kept += min(both or [*by_line.values()], key=_unevenness)
    return kept


def _unevenness(found: Iterable[_Priced]) -> tuple[float, float]:
    chances, lines = zip(*((1 / price, abs(line.line)) for _, line, price in found), strict=True)
    others = chances if len(chances) > 1 else (*chances, 1 - chances[0])
    return max(others) - min(others), min(lines)


def _in_order(outcome: Object) -> tuple[str, float, bool, str]:
    point = outcome.get("point")
    is_last = outcome["name"] == "Draw"
    return (
        outcome.get("description", ""),
        0.0 if point is None else abs(point),
        is_last,
        outcome["name"],
    )


_OVER: Final = frozenset({GameStatus.FINAL, GameStatus.RETIRED})


def _rank(found: StoredResult) -> tuple[bool, int]:
    return found.result.status in _OVER, found.result.reported_at


def _game_of_result(found: StoredResult) -> _Game | None:
    result = found.result
    sides = teams(result.match_name)
    if sides is None:
        return None
    key = keys.sport_key(result.competition, result.sport)
    ident, name = _hex(found.game_id), result.match_name
    return _Game(ident, key, result.competition, result.sport, name, *sides, result.kick_off)


def _ident(found: Event | Game | EncodedOddsRow) -> str:
    """Return the id of a game: 32 hexadecimal digits, as theirs are."""
    return _ident_of(found.competition, found.match_name)


@lru_cache(maxsize=1 << 14)
def _ident_of(competition: str, match_name: str) -> str:
    return _hex(game_id(competition, match_name))


def _hex(text: str) -> str:
    return text.replace("-", "")


def _pages(page: Callable[[str | None], Page[Any]]) -> Iterator[Any]:
    """Yield the items of all pages."""
    cursor: str | None = None
    while True:
        found = page(cursor)
        yield from found.items
        cursor = found.next_cursor
        if cursor is None:
            return


def of_snapshot(date_ms: int, now_ms: int) -> int:
    """Return the moment of the snapshot at or before a date.

    Raises:
        TurnedDown: it is to come.
    """
    if date_ms > now_ms:
        message = "date: expected a time in the past."
        raise TurnedDown("INVALID_HISTORICAL_TIMESTAMP", message)
    return date_ms - date_ms % _STEP_MS
