"""Identifies which of Polymarket's events are games, and what each token selects."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import played_sport
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.quotes import MOST_LEVELS, UNNAMED, Quote
from oddsdesk.contract.resources import Level, Offer
from oddsdesk.contract.results import GameResult, GameStatus, SelectionResult
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.notation import line_text, read_as, signed_text
from oddsdesk.feeds.polymarket.books import Books, Event, Market, read_events, texts
from oddsdesk.pricing.profiles import fee_name
from oddsdesk.pricing.selections import order_selections

NOT_A_GAME: Final = N_("not a game")
CLOSED: Final = "closed"
NO_DRAW: Final = "draw without a possible price"
SAID_TWICE: Final = "duplicate"
THE_NO: Final = N_("No of a side")
UNREAD: Final = "unknown outcome"
DRAW: Final = "Draw"
TENNIS: Final = "TENNIS"

_PAGE = "https://polymarket.com/event/"
_MARKET_TYPES = MappingProxyType(
    {
        "moneyline": "moneyline",
        "spreads": "spread",
        "map_handicap": "spread",
        "totals": "total",
        "both_teams_to_score": "btts",
    }
)
_YES_NO = ["yes", "no"]
_DRAW_TITLE = re.compile(r"Draw \((.+?) vs\.? (.+)\)")
_TITLE = re.compile(r"(?:.+?: )?(.+?) vs\.? (.+?)(?: \(BO\d\))?(?: - .+)?")

HIGHEST_FEE: Final = 0.07
"""The fee of a market that does not state its own: the highest published, as in the profile."""
Selections = dict[str, str]
"""The token that is bought for a selection, by the text of the selection."""


class Game(msgspec.Struct):
    """A game and what can be bought of it, by market type; its kick-off in milliseconds.

    ``is_live`` is what the event says, None where it says nothing.
    """

    match_name: str
    competition: str
    kick_off: int | None
    is_live: bool | None
    url: str
    markets: dict[str, Selections] = msgspec.field(default_factory=dict)
    fees: dict[str, float] = msgspec.field(default_factory=dict)
    """What is kept of a share, by market type: the most that any of its questions says."""
    unnamed: set[str] = msgspec.field(default_factory=set)
    """Market types with an outcome whose name or line could not be read."""
    sport: str | None = None
    """Of leagues without a code, where it is known."""
    slug: str = ""
    """Of its event."""
    settled: list[SelectionResult] = msgspec.field(default_factory=list)
    closed_at: int = 0
    """When the last of its settled markets was closed, in milliseconds; 0 if unknown."""

    def result(self, now_ms: int) -> GameResult | None:
        """Return how Polymarket settled the game's markets; None if it has not, or without a day.

        Polymarket reports no scores. A game is final once one of its sides has won. Selections that
        two markets settle differently are left out.
        """
        said = list(dict.fromkeys(self.settled))
        times = Counter((each.market_type, each.selection) for each in said)
        agreed = [each for each in said if times[each.market_type, each.selection] == 1]
        if not agreed or self.kick_off is None:
            return None
        results = {(each.market_type, each.result) for each in agreed}
        return GameResult(
            competition=self.competition,
            match_name=self.match_name,
            kick_off=self.kick_off,
            sport=played_sport(self.competition, self.sport),
            status=GameStatus.FINAL if ("moneyline", "won") in results else GameStatus.UNKNOWN,
            selections=tuple(agreed),
            bookmaker=BOOKMAKER,
            reported_at=self.closed_at or now_ms,
        )


class Listing(msgspec.Struct):
    """Games from pages of events; every token belongs to a game or is counted as skipped."""

    games: dict[tuple[str, str, int | None], Game] = msgspec.field(default_factory=dict)
    over: dict[str, Game] = msgspec.field(default_factory=dict)
    """Games that are over, by the slug of their event: nothing can be bought of them."""
    closed: set[str] = msgspec.field(default_factory=set)
    """Slugs of events with nothing left to settle."""
    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    problems: list[str] = msgspec.field(default_factory=list)

    @property
    def tokens(self) -> list[str]:
        """Every token that selects something."""
        return [
            token
            for game in self.games.values()
            for selections in game.markets.values()
            for token in selections.values()
        ]

    def results(self, now_ms: int) -> list[GameResult]:
        """Return the results of games that have any."""
        found = (each.result(now_ms) for each in (*self.games.values(), *self.over.values()))
        return [result for result in found if result is not None]

    def read_page(self, data: bytes) -> int:
        """Take in a page; return how many events it held.

        Raises:
            FeedError: it has no events at all.
        """
        events = read_events(data)
        for number, raw in enumerate(events, start=1):
            self._read_event(raw, f"event {number}")
        return len(events)

    def _read_event(self, raw: Any, place: str) -> None:
        try:
            event = read_as(Event, raw)
        except FeedError as error:
            self.problems.append(f"{place}: {error}")
            return
        place = event.slug or place
        if event.closed:
            self.closed.add(event.slug)
        if not _is_game(event):
            self.skipped[NOT_A_GAME] += 2 * len(event.markets)
            return
        markets = list(self._markets(event, place))
        teams = _teams(event, markets)
        if teams is None:
            self.skipped[N_("no teams")] += 2 * len(markets)
        else:
            kick_off = self._kick_off(event, markets, place)
            game = self._game(event, teams, kick_off)
            reading = _Reading(game, teams, self.skipped, self.problems)
            if event.closed or event.ended:
                reading.read_results(markets)
            else:
                reading.read_markets(markets)

    def _markets(self, event: Event, place: str) -> Iterator["_Priced"]:
        for raw in event.markets:
            try:
                market = read_as(Market, raw)
                outcomes = texts("outcomes", market.outcomes)
                tokens = texts("clobTokenIds", market.clob_token_ids)
                if not len(outcomes) == len(tokens) == 2:
                    raise FeedError("clobTokenIds: expected two, one for each of two outcomes")
            except FeedError as error:
                self.problems.append(f"{place}: {error}")
                continue
            yield _Priced(market, [fold_name(each) for each in outcomes], tokens)

    def _kick_off(self, event: Event, markets: list["_Priced"], place: str) -> int | None:
        said = [event.start_time, *(each.market.game_start_time for each in markets)]
        for text in filter(None, said):
            try:
                return parse_ms(text)
            except ValueError as error:
                self.problems.append(f"{place}: startTime: {error}")
                return None
        return None

    def _game(self, event: Event, teams: tuple[str, str], kick_off: int | None) -> Game:
        league = league_of(event.slug)
        code = competition_of_league(league)
        name = f"{teams[0]} vs {teams[1]}"
        page = _PAGE + event.slug
        sport = _SPORTS.get(league)
        game = Game(name, code, kick_off, event.live, page, sport=sport, slug=event.slug)
        if event.closed or event.ended:
            return self.over.setdefault(event.slug, game)
        return self.games.setdefault((code, name, kick_off), game)


class Share(msgspec.Struct, frozen=True):
    """The meaning of a token; ``names`` has a bet's fields, empty if it is not on a game."""

    names: dict[str, Any]
    is_no: bool
    """Whether it is the No of what ``names`` select."""
    paid: float | None
    """Its payout once the market was settled: 1, 0, or half for a game that was called off."""
    closed_at: int | None


def shares_of(data: bytes) -> dict[str, Share]:
    """Return the meaning of all tokens in a response's events, settled or not.

    Raises:
        FeedError: it has no events at all.
    """
    found: dict[str, Share] = {}
    for raw in read_events(data):
        try:
            event = read_as(Event, raw)
        except FeedError:
            continue
        listing = Listing()
        markets = list(listing._markets(event, event.slug))
        pair = _teams(event, markets) if _is_game(event) else None
        kick_off = listing._kick_off(event, markets, event.slug)
        for each in markets:
            named = [({}, False)] * 2 if pair is None else _named_pair(event, pair, kick_off, each)
            for token, (names, is_no), paid in zip(each.tokens, named, _paid(each), strict=True):
                found[token] = Share(names, is_no, paid, _closed_at(each))
    return found


def _named_pair(
    event: Event, pair: tuple[str, str], kick_off: int | None, each: "_Priced"
) -> list[tuple[dict[str, Any], bool]]:
    league = league_of(event.slug)
    code = competition_of_league(league)
    game = Game(f"{pair[0]} vs {pair[1]}", code, kick_off, None, "", sport=_SPORTS.get(league))
    reading = _Reading(game, pair, Counter(), [])
    kind = reading._market_type(each)
    if kind is None:
        return [({}, False)] * 2
    is_side = kind == "moneyline" and each.is_yes_no
    selected = [text for text, _ in reading._selections(kind, each)]
    names = {
        "match_name": game.match_name,
        "competition": code,
        "sport": played_sport(code, game.sport),
        "market_type": kind,
        "kick_off": kick_off,
    }
    texts_of = [reading._side(each)] * 2 if is_side else selected
    return [
        ({} if text is None else names | {"selection": text}, is_side and place == 1)
        for place, text in enumerate(texts_of)
    ]


def _paid(each: "_Priced") -> list[float | None]:
    try:
        winner = each.market.winner
        prices = texts("outcomePrices", each.market.outcome_prices or [])
    except FeedError:
        return [None, None]
    if winner is not None:
        return [float(place == winner) for place in (0, 1)]
    is_half = each.market.closed and prices == ["0.5", "0.5"]
    return [0.5, 0.5] if is_half else [None, None]


def _closed_at(each: "_Priced") -> int | None:
    try:
        return parse_ms(each.market.closed_time) if each.market.closed_time else None
    except ValueError:
        return None


class _Priced(msgspec.Struct, frozen=True):
    """A market with its two outcomes and the token of each."""

    market: Market
    outcomes: list[str]
    tokens: list[str]

    @property
    def is_yes_no(self) -> bool:
        return [outcome.casefold() for outcome in self.outcomes] == _YES_NO

    @property
    def draw(self) -> re.Match[str] | None:
        return _DRAW_TITLE.fullmatch(self.market.group_item_title or "")


class _Reading(msgspec.Struct, frozen=True):
    """Reads the markets of one event into a game."""

    game: Game
    teams: tuple[str, str]
    skipped: Counter[str]
    problems: list[str]

    def read_markets(self, markets: list[_Priced]) -> None:
        whole: list[_Priced] = []
        self.read_results([each for each in markets if each.market.is_closed])
        for each in markets:
            kind = self._market_type(each)
            if each.market.is_closed:
                continue
            if kind is None:
                self.skipped[each.market.sports_market_type or NOT_A_GAME] += 2
            elif kind == "moneyline" and each.is_yes_no:
                whole.append(each)
            else:
                self._take(kind, self._selections(kind, each))
                self._note_fee(kind, each)
        self._read_sides(whole)

    def read_results(self, markets: list[_Priced]) -> None:
        """Read how markets were settled that are closed to buyers."""
        for each in markets:
            self.skipped[CLOSED] += 2
            try:
                self._read_result(each)
            except (FeedError, ValueError) as error:
                self.problems.append(f"{each.market.question}: {error}")

    def _read_result(self, each: _Priced) -> None:
        kind, winner = self._market_type(each), each.market.winner
        if kind is None or winner is None:
            return
        if kind == "moneyline" and each.is_yes_no:
            texts_of = [self._side(each), None]
        else:
            texts_of = [text for text, _ in self._selections(kind, each)]
        self.game.settled += [
            SelectionResult(kind, 0, text, "won" if place == winner else "lost")
            for place, text in enumerate(texts_of)
            if text is not None
        ]
        if each.market.closed_time:
            self.game.closed_at = max(self.game.closed_at, parse_ms(each.market.closed_time))

    def _market_type(self, each: _Priced) -> str | None:
        """The market type; a football game's three markets need not say theirs."""
        said = each.market.sports_market_type
        if not said:
            return "moneyline" if each.is_yes_no and self._side(each) else None
        kind = _MARKET_TYPES.get(said)
        return None if self.game.competition == TENNIS and kind != "moneyline" else kind

    def _read_sides(self, markets: list[_Priced]) -> None:
        """Make one moneyline of a Yes of each side; without a draw it would look two-way."""
        sides: list[tuple[str | None, str]] = []
        for each in markets:
            sides.append((self._side(each), each.tokens[0]))
            self._note_fee("moneyline", each)
            self.skipped[THE_NO] += 1
        if markets and DRAW not in (text for text, _ in sides):
            self.skipped[NO_DRAW] += len(sides)
            if any(text is None for text, _ in sides):
                self.game.markets.setdefault("moneyline", {})
                self.game.unnamed.add("moneyline")
            return
        self._take("moneyline", sides)

    def _side(self, each: _Priced) -> str | None:
        if each.draw or "end in a draw" in each.market.question.casefold():
            return DRAW
        return self._team(fold_name(each.market.group_item_title or ""))

    def _selections(self, kind: str, each: _Priced) -> list[tuple[str | None, str]]:
        match kind:
            case "moneyline":
                selected = [self._team(name) for name in each.outcomes]
            case "spread":
                selected = self._handicaps(each)
            case "total":
                selected = [_total(name, each.market.line) for name in each.outcomes]
            case _:
                selected = ["Yes", "No"] if each.is_yes_no else [None, None]
        return list(zip(selected, each.tokens, strict=True))

    def _handicaps(self, each: _Priced) -> list[str | None]:
        """Both sides of a handicap: the line is that of the outcome that is named first."""
        line = each.market.line
        first, second = (self._team(name) for name in each.outcomes)
        if line is None or first is None or second is None:
            return [None, None]
        return [f"{first} {signed_text(line)}", f"{second} {signed_text(-line)}"]

    def _team(self, name: str) -> str | None:
        known = {team.casefold(): team for team in self.teams}
        return known.get(name.casefold())

    def _note_fee(self, kind: str, each: _Priced) -> None:
        fee = HIGHEST_FEE if each.market.fee is None else each.market.fee
        self.game.fees[kind] = max(fee, self.game.fees.get(kind, 0.0))

    def _take(self, kind: str, sides: list[tuple[str | None, str]]) -> None:
        for text, token in sides:
            selections = self.game.markets.setdefault(kind, {})
            if text is None:
                self.skipped[UNREAD] += 1
                self.game.unnamed.add(kind)
            elif text in selections:
                self.skipped[SAID_TWICE] += 1
            else:
                selections[text] = token


def _total(name: str, line: float | None) -> str | None:
    side = name.capitalize()
    return None if line is None or side not in ("Over", "Under") else f"{side} {line_text(line)}"


def _is_game(event: Event) -> bool:
    """Whether a market says it is of a sport, or a draw stands between two others."""
    raw = [market for market in event.markets if isinstance(market, dict)]
    if any(market.get("sportsMarketType") for market in raw):
        return True
    titles = [str(market.get("groupItemTitle") or "") for market in raw]
    return len(raw) == 3 and any(_DRAW_TITLE.fullmatch(title) for title in titles)


def _teams(event: Event, markets: list[_Priced]) -> tuple[str, str] | None:
    """Home and away; titles and outcomes may name the away team first."""
    pair = _named(event, markets)
    if pair is None or pair[0].casefold() == pair[1].casefold():
        return None
    said = [fold_name(team.name).casefold() for team in event.teams if team.ordering == "home"]
    is_turned = league_of(event.slug) in _AWAY_FIRST
    for place, name in enumerate(pair):
        if name.casefold() in said:
            is_turned = place == 1
    return (pair[1], pair[0]) if is_turned else pair


def _named(event: Event, markets: list[_Priced]) -> tuple[str, str] | None:
    for each in markets:
        if each.market.sports_market_type == "moneyline" and not each.is_yes_no:
            return each.outcomes[0], each.outcomes[1]
    found = next((each.draw for each in markets if each.draw), None)
    if found is None and len(event.teams) == 2:
        return fold_name(event.teams[0].name), fold_name(event.teams[1].name)
    found = found or _TITLE.fullmatch(event.title or "")
    return None if found is None else (fold_name(found[1]), fold_name(found[2]))


_CODES = MappingProxyType(
    {
        "epl": "EPL",
        "elc": "EFL",
        "bun": "BUND",
        "bl2": "GER2",
        "lal": "LIGA",
        "sea": "SERA",
        "fl1": "LIG1",
        "ere": "ERED",
        "ucl": "UCL",
        "uel": "UEL",
        "mls": "MLS",
        "bra": "BRAS",
        "arg": "ARG",
        "nba": "NBA",
        "euroleague": "EURO",
        "nhl": "NHL",
        "ahl": "AHL",
        "khl": "KHL",
        "shl": "SHL",
        "dehl": "DEL",
        "mlb": "MLB",
        "nfl": "NFL",
        "atp": "TENNIS",
        "wta": "TENNIS",
    }
)
_SPORTS = MappingProxyType(
    {"wnba": "Basketball", "cbb": "Basketball", "cwbb": "Basketball", "cfb": "AmericanFootball"}
    | {"kbo": "Baseball", "npb": "Baseball"}
    | dict.fromkeys(
        ("acn", "afc", "aus", "caf", "cdr", "chi", "cof", "col", "con", "den", "dfb", "efa"),
        "Football",
    )
    | dict.fromkeys(
        ("efl", "fif", "fifa", "itc", "jap", "kor", "lcs", "lib", "mex", "nor", "ofc", "por"),
        "Football",
    )
    | dict.fromkeys(("rus", "spl", "ssc", "sud", "tur", "uef"), "Football")
)
"""Of leagues without a code, as gamma's ``/sports`` shortens them."""
_AWAY_FIRST = frozenset({"nba", "wnba", "cbb", "cwbb", "nfl", "cfb", "nhl", "ahl", "mlb"})
"""As ``ordering`` of gamma's ``/sports`` says: those that are played in America."""


def league_of(slug: str) -> str:
    """Return the league that the address of a game begins with: ``epl-ars-che-2026-04-11``."""
    return slug.partition("-")[0]


def competition_of_league(league: str) -> str:
    """Return the competition code of a league; one without a code keeps its name."""
    return _CODES.get(league, league)


BOOKMAKER: Final = "Polymarket"
USD: Final = "USD"
_CENTS: Final = 4
"""Decimals of amounts of money."""
_PLACES: Final = 6
"""Decimals of odds: exact enough for net odds, which are reckoned from them."""


def quotes_of(
    games: Iterable[Game], books: Books, now_ms: int, touched: Collection[str] | None = None
) -> list[Quote]:
    """Return what can be bought now, one quote per market; without odds if nothing is offered.

    ``touched`` leaves out markets that it does not affect, and those with a book still to come,
    whose offers are not known yet. A book stands until it changes, so its prices are current
    whenever they last changed.
    """
    return [
        _quote(game, market_type, selections, books, now_ms)
        for game in games
        for market_type, selections in game.markets.items()
        if touched is None or _is_known(selections, books, touched)
    ]


def _is_known(selections: Selections, books: Books, touched: Collection[str]) -> bool:
    tokens = selections.values()
    return any(token in touched for token in tokens) and all(map(books.knows, tokens))


def _quote(
    game: Game, market_type: str, selections: Selections, books: Books, now_ms: int
) -> Quote:
    begun = game.kick_off is not None and game.kick_off <= now_ms
    fee = game.fees.get(market_type, HIGHEST_FEE)
    odds = offered = _odds(game, market_type, selections, books)
    unread = {UNNAMED: UNREAD} if market_type in game.unnamed else None
    if unread:
        odds = dict.fromkeys(selections, 0.0) | offered
    return Quote(
        bookmaker=BOOKMAKER if fee == HIGHEST_FEE else fee_name(BOOKMAKER, fee),
        match_name=game.match_name,
        competition=game.competition,
        market_type=market_type,
        period=0,
        odds=odds,
        scraped_at=now_ms,
        is_live=begun or bool(game.is_live),
        match_date=game.kick_off,
        url=game.url,
        sport=game.sport,
        offers={text: _offer(books, selections[text]) for text in offered} or None,
        unread=unread,
    )


def _odds(game: Game, market_type: str, selections: Selections, books: Books) -> dict[str, float]:
    """Odds in the field's order; a market with a draw that cannot be had would look two-way."""
    odds: dict[str, float] = {}
    for text in order_selections(market_type, game.match_name, selections):
        ask = books.best_ask(selections[text])
        if ask is not None and (price := _odds_of(ask)) > 1:
            odds[text] = price
    return {} if DRAW in selections and DRAW not in odds else odds


def _offer(books: Books, token: str) -> Offer:
    """Return the levels of a token: asks are what can be backed, bids what can be laid."""
    asks, bids = books.levels(token)
    back, lay = _levels(asks, sorted(asks)), _levels(bids, sorted(bids, reverse=True))
    return Offer(back=back, lay=lay, currency=USD)


def _levels(sizes: Mapping[float, float], prices: Iterable[float]) -> tuple[Level, ...]:
    """Return shares at prices as odds and the money that they cost; best first, each odds once."""
    levels: dict[float, float] = {}
    for price in prices:
        odds = _odds_of(price) if 0 < price < 1 else 0.0
        if odds > 1:
            levels[odds] = levels.get(odds, 0.0) + round(price * sizes[price], _CENTS)
        if len(levels) == MOST_LEVELS:
            break
    return tuple(levels.items())


def _odds_of(price: float) -> float:
    return round(1 / price, _PLACES)
